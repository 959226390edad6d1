"""A run as a short animated picture, from the JPEG frames that a camera published."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

WIDTH = 400
MAX_FRAMES = 150


def write_gif(frames: Sequence[bytes], path: Path, duration_s: float = 12.0) -> bool:
    """Write an animated GIF of at most `MAX_FRAMES` evenly chosen frames.

    Args:
        frames: JPEG files, in order of time.
        duration_s: how long one round takes.

    Returns:
        False if there was no frame, and so no file.
    """
    if not frames:
        return False
    step = max(1.0, len(frames) / MAX_FRAMES)
    chosen = [frames[int(i * step)] for i in range(int(len(frames) / step))]
    images = [_small(frame) for frame in chosen]
    # One palette for all frames: theirs differ little, and a palette each flickers.
    palette = images[0].quantize(192)
    paletted = [i.quantize(palette=palette, dither=Image.Dither.NONE) for i in images]
    paletted[0].save(
        path,
        save_all=True,
        append_images=paletted[1:],
        duration=max(20, int(1000 * duration_s / len(paletted))),
        loop=0,
        optimize=False,
    )
    return True


def _small(jpeg: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(jpeg)).convert("RGB")
    return image.resize((WIDTH, round(image.height * WIDTH / image.width)))
