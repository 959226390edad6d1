"""How well a network that names pixels sees flats that it was not trained on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import numpy.typing as npt

from sayso.adapters.vision.segmentation_net import Seen, SegmentationNet
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.report import table
from sayso.evaluation.vision.dataset import Album
from sayso.evaluation.vision.flats import CLASSES, NOTHING
from sayso.perception.pixel_features import pixel_features

LEAST_PIXELS = 20
"""Of the network's picture that a thing must show to count as in view: 80 of the camera's."""
RIGHT = 0.97
"""Share of the names on validation that are to be right: 0.95 is wanted of flats never seen, and
a score that is chosen for how it does somewhere does less well elsewhere."""
OVERLAP = 0.4
"""Intersection over union from which on a mask is of a thing."""


@dataclass
class Score:
    """Counts over pictures; add to them with `add`.

    Attributes:
        pixels: (K, K) true kind by named kind.
        shown, found: things in view, and of those the ones that were named as what they are.
        right, wrong: names that were given, by kind.
        taken_for: (true, named) of the wrong ones; the true one is `nothing` where no thing was.
        sure: of each name that was given, how sure the network was of it, and if it was right.
        seconds: of all pictures.
    """

    pixels: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((len(CLASSES),) * 2, np.int64)
    )
    shown: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    taken_for: Counter[tuple[str, str]] = field(default_factory=Counter)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    pictures: int = 0
    seconds: float = 0.0

    def add(self, album: Album, finder: SegmentationNet) -> None:
        """Look at all pictures of a flat. Raises CONFIG for a network of other kinds."""
        if finder.known.kinds != tuple(kind.replace("_", " ") for kind in CLASSES):
            raise SaySoError(
                Code.CONFIG,
                f"the network '{finder.segmenter}' knows other kinds than the catalogue of flats.",
                hint="train one for today's kinds: `sayso vision train` with another --folder.",
            )
        for index in range(len(album.rgb)):
            frame = album.frame(index)
            started = perf_counter()
            things = list(finder.things(frame))
            self.seconds += perf_counter() - started
            self.pictures += 1
            named, _ = finder.name_pixels(pixel_features(frame))
            pairs = album.kinds[index].astype(np.int64) * len(CLASSES) + named
            self.pixels += np.bincount(pairs.ravel(), minlength=len(CLASSES) ** 2).reshape(
                self.pixels.shape
            )
            self._match(album.kinds[index], album.instances[index], things)

    def _match(
        self, kinds: npt.NDArray[np.uint8], instances: npt.NDArray[np.uint8], things: Iterable[Seen]
    ) -> None:
        """Count what was found of one picture."""
        size = np.bincount(instances.ravel())
        kind_of = {
            int(i): CLASSES[int(kinds[instances == i][0])] for i in np.flatnonzero(size) if i
        }
        found = set()
        for thing in things:
            named = CLASSES[thing.kind]
            inside = np.bincount(instances[thing.mask], minlength=len(size))
            overlap = inside / (size + np.count_nonzero(thing.mask) - inside)
            overlap[0] = 0.0
            best = int(overlap.argmax())
            right = bool(overlap[best] > OVERLAP) and kind_of[best] == named
            self.sure.append((thing.score, right))
            if right:
                self.right[named] += 1
                found.add(best)
            else:
                self.wrong[named] += 1
                true = kind_of[best] if overlap[best] > OVERLAP else NOTHING
                self.taken_for[(true, named)] += 1
        for i, kind in kind_of.items():
            if size[i] >= LEAST_PIXELS:
                self.shown[kind] += 1
                self.found[kind] += i in found

    @property
    def iou(self) -> dict[str, float]:
        """Intersection over union of each kind that is in view anywhere."""
        return overlaps(self.pixels)

    @property
    def mean_iou(self) -> float:
        """Over all kinds in view, and over what is none."""
        return float(np.mean([*self.iou.values()])) if self.pictures else 0.0

    @property
    def named_right(self) -> float:
        """Share of the names given that are right."""
        given = self.right.total() + self.wrong.total()
        return self.right.total() / given if given else 0.0

    @property
    def found_share(self) -> float:
        """Share of the things in view that were named as what they are."""
        return self.found.total() / self.shown.total() if self.shown else 0.0

    def figures(self) -> dict[str, float]:
        """What is kept beside the network."""
        return {
            "pictures": self.pictures,
            "mean IoU": round(self.mean_iou, 3),
            "named right": round(self.named_right, 3),
            "found": round(self.found_share, 3),
            "pictures a second": round(self.pictures / self.seconds, 1) if self.seconds else 0.0,
        }

    def by_kind(self) -> str:
        """A row for each kind in view, as Markdown."""
        rows = []
        for kind, overlap in sorted(self.iou.items(), key=lambda p: p[1]):
            given = self.right[kind] + self.wrong[kind]
            rows.append(
                (
                    kind.replace("_", " "),
                    f"{overlap:.2f}",
                    f"{self.found[kind]} of {self.shown[kind]}",
                    f"{self.right[kind]} of {given}",
                )
            )
        return table(("kind", "IoU", "found", "named right"), rows)

    def confusions(self, most: int = 12) -> str:
        """The commonest wrong names, as Markdown."""
        rows = [
            (true.replace("_", " "), named.replace("_", " "), str(n))
            for (true, named), n in self.taken_for.most_common(most)
        ]
        return table(("what it was", "named", "times"), rows)


def least_score(sure: Sequence[tuple[float, bool]], share: float = RIGHT) -> float:
    """The least score from which on at least this share of the names is right, 0 to 1.

    Args:
        sure: of each name its score, and if it was right.
        share: of right ones among all with that score or more.
    """
    best, right = 1.0, 0
    for count, (score, is_right) in enumerate(sorted(sure, reverse=True), 1):
        right += is_right
        if right >= share * count:
            best = score
    return best


def overlaps(pixels: npt.NDArray[np.int64]) -> dict[str, float]:
    """Intersection over union of each kind in view, from (K, K) true by named pixels."""
    both = np.diag(pixels)
    either = pixels.sum(0) + pixels.sum(1) - both
    seen = np.flatnonzero(pixels.sum(1))
    return {CLASSES[i]: float(both[i] / either[i]) for i in seen}
