"""Instances from a *simulator's own* segmentation, made worse on purpose: a reference.

The simulator says which pixels belong to which thing and what it is; real cameras have no such
images. Misses, false positives and mislabels can be added, the same ones for the same seed and
frame, so that what follows is tried against a finder that errs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceMask, RgbdFrame
from sayso.perception.categories import is_a
from sayso.worlds.flat.kinds import KINDS, NOUNS, Naming, understand

_NOT_THE_SAME = frozenset({"room_sign"})
"""Kinds whose other nouns are different things that only look alike."""


@dataclass(frozen=True)
class SimulatorInstances:
    """`InstanceFinder` from `RgbdFrame.instances`.

    Attributes:
        seed: of the errors.
        miss_rate: share of the instances that are not found in a frame.
        false_rate: patches of anything per frame and query that are taken for an instance.
        mislabel_rate: share of the instances that are taken for what another query names.
        least_pixels: instances with fewer are not seen.
    """

    seed: int = 0
    miss_rate: float = 0.0
    false_rate: float = 0.0
    mislabel_rate: float = 0.0
    least_pixels: int = 40

    def __post_init__(self) -> None:
        rates = (self.miss_rate, self.false_rate, self.mislabel_rate)
        if not all(0.0 <= r <= 1.0 for r in rates) or self.least_pixels < 1:
            raise SaySoError(
                Code.CONFIG,
                "the rates of a simulator's errors are 0 to 1, least_pixels at least 1.",
            )

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first.

        Raises:
            SaySoError: CONFIG if the frame carries no simulator segmentation.
        """
        if frame.instances is None:
            raise SaySoError(
                Code.CONFIG,
                f"camera '{frame.camera}' has no simulator segmentation.",
                hint="use an instance finder that works on pictures.",
            )
        rng = np.random.default_rng(self._key(frame))
        found = [*self._instances(frame, frame.instances, queries, rng)]
        for query in queries:
            if rng.random() < self.false_rate:
                found.append(InstanceMask(query, float(rng.uniform(0.3, 0.7)), _patch(frame, rng)))
        return tuple(sorted(found, key=lambda m: -m.score))

    def _key(self, frame: RgbdFrame) -> tuple[int, int, int]:
        return (self.seed, crc32(frame.camera.encode()), round(frame.stamp_s * 1000) & 0xFFFFFFFF)

    def _instances(
        self,
        frame: RgbdFrame,
        instances: npt.NDArray[np.int32],
        queries: Sequence[str],
        rng: np.random.Generator,
    ) -> Iterator[InstanceMask]:
        pixels = np.bincount(instances.ravel(), minlength=1)
        for i in np.flatnonzero(pixels[1:] >= self.least_pixels) + 1:
            missed, mistaken, other = rng.random(3)
            if missed < self.miss_rate:
                continue
            answers = [q for q in queries if answers_to(frame.instance_labels.get(int(i), ""), q)]
            wrong = [q for q in queries if q not in answers]
            if mistaken < self.mislabel_rate and wrong:
                answers = [wrong[int(other * len(wrong))]]
            for query in answers:
                yield InstanceMask(query, 1.0, instances == i)


def answers_to(label: str, query: str) -> bool:
    """Whether a thing labelled "colour category" is what a query such as "red sofa" asks for."""
    color, _, category = label.partition(" ")
    if is_a(category, query):
        return True
    asked = _read(query)
    if asked.color and asked.color != color:
        return False
    noun = asked.category or query
    return bool(category) and (is_a(category, noun) or _same_kind(category, noun))


def _same_kind(category: str, noun: str) -> bool:
    """Whether two plain nouns name one kind of furniture, as "monitor" and "computer" do."""
    kind = NOUNS.get("_".join(noun.split()))
    if kind is None or kind != NOUNS.get(category):
        return False
    return not KINDS[kind].movable and kind not in _NOT_THE_SAME


@lru_cache(maxsize=1024)
def _read(query: str) -> Naming:
    """Colour and noun of a query; of one that no flat has a kind for, the words."""
    try:
        return understand("_".join(query.lower().split()))
    except SaySoError:
        return Naming("", "", query)


def _patch(frame: RgbdFrame, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """An ellipse anywhere in the picture."""
    height, width = frame.depth_m.shape
    x, y = rng.uniform(0, width), rng.uniform(0, height)
    a, b = rng.uniform(0.02, 0.12, 2) * width
    v, u = np.ogrid[:height, :width]
    return np.asarray(((u - x) / a) ** 2 + ((v - y) / b) ** 2 <= 1.0)
