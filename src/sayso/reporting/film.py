"""A run as a short animated picture, from the JPEG frames that a camera published."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from sayso.core.files import replace_bytes

WIDTH = 480
BAR = 26
MAX_FRAMES = 150
Caption = tuple[int, str]
"""From which frame on, and what is written under the pictures."""


def write_gif(
    frames: Sequence[bytes], path: Path, captions: Sequence[Caption] = (), duration_s: float = 12.0
) -> bool:
    """Write an animated GIF of at most `MAX_FRAMES` evenly chosen frames.

    Args:
        frames: JPEG files, in order of time.
        captions: in order of time; before the first, nothing is written.
        duration_s: how long one round takes.

    Returns:
        False if there was no frame, and so no file.
    """
    if not frames:
        return False
    step = max(1.0, len(frames) / MAX_FRAMES)
    chosen = [int(i * step) for i in range(int(len(frames) / step))]
    images = [_captioned(frames[i], _caption(captions, i)) for i in chosen]
    palette = _common_palette(images)
    paletted = [i.quantize(palette=palette, dither=Image.Dither.NONE) for i in images]
    film = io.BytesIO()
    paletted[0].save(
        film,
        format="GIF",
        save_all=True,
        append_images=paletted[1:],
        duration=max(20, int(1000 * duration_s / len(paletted))),
        loop=0,
        optimize=False,
    )
    replace_bytes(path, film.getvalue())
    return True


def _caption(captions: Sequence[Caption], frame: int) -> str:
    number = bisect_right([start for start, _ in captions], frame)
    return captions[number - 1][1] if number else ""


def _captioned(jpeg: bytes, text: str) -> Image.Image:
    """The picture in the film's size, with a bar of text under it."""
    picture = Image.open(io.BytesIO(jpeg)).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    image = Image.new("RGB", (WIDTH, height + BAR), "black")
    image.paste(picture.resize((WIDTH, height)))
    place = (WIDTH / 2, height + BAR / 2)
    font = ImageFont.load_default(15)
    ImageDraw.Draw(image).text(place, text, "white", font, anchor="mm")
    return image


def _common_palette(images: Sequence[Image.Image]) -> Image.Image:
    """One palette for all frames: theirs differ little, and a palette each flickers.

    Most of it follows the number of pixels, for smooth greys; the rest covers the colours that
    occur at all, so that small bright things keep theirs.
    """
    some = images[:: max(1, len(images) // 6)]
    width, height = some[0].size
    sheet = Image.new("RGB", (width, height * len(some)))
    for row, image in enumerate(some):
        sheet.paste(image, (0, row * height))
    often = sheet.quantize(160, method=Image.Quantize.MEDIANCUT)
    ever = sheet.quantize(96, method=Image.Quantize.MAXCOVERAGE)
    palette = Image.new("P", (1, 1))
    palette.putpalette(
        [*(often.getpalette() or ())[: 3 * 160], *(ever.getpalette() or ())[: 3 * 96]]
    )
    return palette
