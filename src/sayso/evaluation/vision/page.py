"""A report on how well a network sees: figures, kinds, confusions, and pictures to look at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from sayso.adapters.vision.segmentation_net import SegmentationNet
from sayso.evaluation.report import table
from sayso.evaluation.vision.dataset import Album
from sayso.evaluation.vision.flats import CLASSES
from sayso.evaluation.vision.scoring import LEAST_PIXELS, OVERLAP, Score
from sayso.perception.pixel_features import pixel_features

_SHOWN = 4
_ABOUT = (
    "Rendered flats of seeds that nothing was trained on; `beyond` is painted, lit and sized"
    f" outside of what was. A thing is in view that shows {LEAST_PIXELS} pixels of the network's"
    f" picture, and found if a mask of its kind overlaps it by more than {OVERLAP} (intersection"
    " over union); named right is the share of all masks that do. IoU is over all pixels of all"
    " pictures."
)


def write_page(
    folder: Path, finder: SegmentationNet, scores: Mapping[str, Score], shown: Mapping[str, Album]
) -> Path:
    """Write `report.md` and its pictures into a folder; the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["# What the network sees", _ABOUT, _figures(scores)]
    for split, score in scores.items():
        picture = folder / f"{split}.png"
        Image.fromarray(_pictures(shown[split], finder)).save(picture)
        parts += [
            f"## {split}",
            f"Above what the camera gives, then what is there, then what is named.\n\n"
            f"![{split}]({picture.name})",
            score.by_kind(),
            "Commonest wrong names:",
            score.confusions(),
        ]
    page = folder / "report.md"
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return page


def _figures(scores: Mapping[str, Score]) -> str:
    head = ("flats", *next(iter(scores.values())).figures())
    rows = [(split, *(str(v) for v in score.figures().values())) for split, score in scores.items()]
    return table(head, rows)


def _pictures(album: Album, finder: SegmentationNet) -> npt.NDArray[np.uint8]:
    """Some pictures side by side: as they are, true kinds, named kinds."""
    colors = np.random.default_rng(1).integers(40, 256, (len(CLASSES), 3)).astype(np.uint8)
    colors[0] = 0
    columns = []
    for index in range(min(_SHOWN, len(album.rgb))):
        frame = album.frame(index)
        named, _ = finder.name_pixels(pixel_features(frame))
        columns.append(np.vstack([frame.rgb, colors[album.kinds[index]], colors[named]]))
    return np.asarray(np.hstack(columns), np.uint8)
