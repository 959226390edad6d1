"""All things of a scene as arrays, for predicates that are decided of all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, rotation_matrix
from sayso.core.scene import Picture, SceneObject

_Number = TypeVar("_Number", bound=np.generic)
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]


class ThingArrays:
    """Arrays over n things in the order of their scene; metres, frame of the scene; read-only.

    Attributes:
        position: (n, 3) centres of the boxes.
        size: (n, 3) extents along each thing's own axes.
        rotation: (n, 3, 3) those axes as columns.
        low, high: (n, 3) bounds of the boxes along the scene's axes.
        points: of each thing (N, 3) points seen of its surface, as 32-bit floats; N may be 0.
        pictures: of each thing what a camera shows of it; None where none does.
    """

    def __init__(self, things: Iterable[SceneObject]) -> None:
        self._things = tuple(things)
        n = len(self._things)
        self.position = read_only([o.position for o in self._things], (n, 3))
        self.size = read_only([o.size for o in self._things], (n, 3))
        self.rotation = read_only([rotation_matrix(o.orientation) for o in self._things], (n, 3, 3))
        self.points = tuple(map(_unwritable, (o.points for o in self._things)))
        self.pictures = tuple(o.picture and _shown(o.picture) for o in self._things)
        half = np.abs(self.rotation) @ (self.size / 2)[:, :, None]
        self.low = read_only(self.position - half[:, :, 0], (n, 3))
        self.high = read_only(self.position + half[:, :, 0], (n, 3))
        self._pairs: dict[float | None, tuple[Indices, Indices]] = {}

    def each(self, test: Callable[[SceneObject], bool]) -> Flags:
        """(n,) whether a test of one thing holds."""
        return np.array([test(o) for o in self._things], bool)

    def offset(self, a: Indices, b: Indices) -> Array:
        """(k, 3) from the centre of each of b to that of a, along b's own axes."""
        between = self.position[a] - self.position[b]
        return np.asarray(np.einsum("kij,ki->kj", self.rotation[b], between))

    @cached_property
    def gaps(self) -> Array:
        """(n, n) distances between the boxes along the scene's axes, seen from above; or 0."""
        low, high = self.low[:, :2], self.high[:, :2]
        apart = np.maximum(low[:, None] - high[None], low[None] - high[:, None])
        return read_only(np.hypot(*np.moveaxis(np.maximum(apart, 0.0), -1, 0)))

    def pairs(self, within_m: float | None = None) -> tuple[Indices, Indices]:
        """(k,), (k,) the numbers of each two things whose gap is at most so much."""
        if within_m not in self._pairs:
            near = ~np.eye(len(self._things), dtype=bool)
            if within_m is not None:
                near &= self.gaps <= within_m
            first, second = map(_unwritable, np.nonzero(near))
            self._pairs[within_m] = first, second
        return self._pairs[within_m]


def _shown(picture: Picture) -> Picture:
    rgb, depth_m, mask = picture.rgb, picture.depth_m, picture.mask
    return Picture(_unwritable(rgb), _unwritable(depth_m), _unwritable(mask))


def _unwritable(values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    shown = values.view()
    shown.setflags(write=False)
    return shown


def read_only(values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Array:
    """A copy as floats that nobody can write into."""
    array = np.array(values, float)
    if shape is not None:
        array = array.reshape(shape)
    array.setflags(write=False)
    return array
