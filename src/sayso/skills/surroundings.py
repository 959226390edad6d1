"""What the arm of a mobile robot must keep off: furniture as steps, small things, itself.

The box around a sofa or a sink is full of room in which things lie. Where a thing's surface was
seen, its box is cut into upright columns as high as what was seen in each, and columns of like
height are joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.geometry import Array, Pose
from sayso.core.ports import Obstacle
from sayso.core.scene import SceneObject
from sayso.core.vocabulary import NO_WORDS, Vocabulary
from sayso.skills.boxes import UprightBox, upright_box
from sayso.skills.handling import Task
from sayso.skills.poses import upright

OPEN_ABOVE = "open_above"
"""The library's type of things that others are dropped into."""
_CELL_M = 0.07
_STEP_M = 0.04
_FEW_POINTS = 40
_LARGE_M = 0.3
_NARROW_M = 0.18
"""A mouth no wider than this is none that things are dropped into."""
_MOST = 46
_FLOOR_SIZE = (4.0, 4.0, 0.10)
_ROUND_THE_HELD_M = 0.03


@dataclass(frozen=True)
class Relief:
    """How high a thing is, cell by cell.

    Attributes:
        box: the upright box around it.
        heights: (nx, ny) of its top over each cell, in the frame of the box [m].
    """

    box: UprightBox
    heights: Array

    @property
    def cell(self) -> Array:
        """(2,) size of a cell [m]."""
        return np.asarray(self.box.size[:2] / np.array(self.heights.shape))

    def centres(self) -> Array:
        """(nx, ny, 2) middles of the cells, in the frame of the scene."""
        nx, ny = self.heights.shape
        x, y = (np.arange(n) + 0.5 for n in (nx, ny))
        places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1) * self.cell
        flat = (places - self.box.size[:2] / 2).reshape(-1, 2)
        return self.box.world(flat).reshape(nx, ny, 2)


def encloses(receptacle: SceneObject, words: Vocabulary) -> bool:
    """Whether things are dropped into it: a library says of which kinds, or it has a lid."""
    types = words.types_of(receptacle.category.replace("_", " ")) or ()
    opens = OPEN_ABOVE in types or "lid_share" in receptacle.attributes
    return opens and max(receptacle.size[:2]) > _NARROW_M


def relief(obj: SceneObject, words: Vocabulary, cell_m: float = _CELL_M) -> Relief:
    """A thing's heights as seen; unseen cells are like the nearest seen one, or as its box.

    What encloses things hides of its inside what is behind its rim: where some of the inside was
    seen, the rest is like that.
    """
    box = upright_box(obj)
    nx, ny = (max(1, round(float(s) / cell_m)) for s in box.size[:2])
    heights = np.full((nx, ny), -np.inf)
    points = obj.points.astype(float)
    if len(points) >= _FEW_POINTS:
        shares = box.local(points) / box.size[:2] + 0.5
        its = np.all((shares > -0.05) & (shares < 1.05), axis=1)
        i, j = np.clip((shares[its] * (nx, ny)).astype(int), 0, (nx - 1, ny - 1)).T
        np.maximum.at(heights, (i, j), points[its, 2])
    if not np.isfinite(heights).any():
        return Relief(box, np.full((nx, ny), box.high))
    if encloses(obj, words) and np.isfinite(inside := heights[1:-1, 1:-1]).any():
        heights[1:-1, 1:-1] = _filled(inside)
    return Relief(box, np.clip(_filled(heights), box.low, box.high))


def _filled(heights: Array) -> Array:
    """Heights (nx, ny), of which some are finite, those that are not like the nearest that is."""
    unseen = ~np.isfinite(heights)
    nearest = ndimage.distance_transform_edt(unseen, return_distances=False, return_indices=True)
    return np.asarray(heights[tuple(nearest)])


@dataclass(frozen=True)
class MobileTask(Task):
    """A task of an arm on a mobile robot: the scene is in the arm's frame.

    Attributes:
        body: the robot's own parts.
        near_m: how far around the arm's foot things matter.
        spared: names of what the hand reaches for: columns do not cover it.
        words: of the kinds of things.
    """

    body: tuple[Obstacle, ...] = ()
    near_m: float = 1.15
    spared: frozenset[str] = frozenset()
    words: Vocabulary = NO_WORDS

    def obstacles(self, margin_m: float, *exempt: str) -> tuple[Obstacle, ...]:
        """The floor, itself, and the parts of things that are near, nearest first."""
        settings = self.arm.settings
        found: list[Obstacle] = []
        for obj in self.scene.objects:
            if obj.carried or obj.name in frozenset(exempt) - self.avoid:
                continue
            margin = margin_m if obj.name in self.avoid else settings.margin_m
            found.extend(self._parts(obj, margin))
        found.sort(key=_distance)
        near = [o for o in found if _distance(o) < self.near_m]
        floor = Pose((0.0, 0.0, self.scene.table_height_m - _FLOOR_SIZE[2] / 2))
        below = Obstacle("the floor", "box", floor, _FLOOR_SIZE, settings.table_margin_m)
        return (below, *self.body, *near[: _MOST - 1 - len(self.body)])

    def _parts(self, obj: SceneObject, margin_m: float) -> Iterator[Obstacle]:
        box = upright_box(obj)
        if float(np.linalg.norm(box.centre[:2])) - float(np.hypot(*box.size[:2])) / 2 > self.near_m:
            return
        if max(obj.size) < _LARGE_M or obj.name in self.spared:
            yield Obstacle(obj.name, "box", obj.pose, obj.size, margin_m)
            return
        spared = [o for o in self.scene.objects if o.name in self.spared and o.name != obj.name]
        yield from columns(obj, spared, self.words, margin_m)


def columns(
    obj: SceneObject, spared: list[SceneObject], words: Vocabulary, margin_m: float = 0.0
) -> Iterator[Obstacle]:
    """A thing as upright boxes, not above the underside of what is spared on it."""
    shape = relief(obj, words)
    heights = shape.heights.copy()
    centres = shape.centres().reshape(-1, 2)
    for thing in map(upright_box, spared):
        over = (thing.gaps(centres) < _ROUND_THE_HELD_M).reshape(heights.shape)
        if over.any() and shape.box.low - 0.02 < thing.low < shape.box.high + 0.02:
            # Where nothing was seen of its surface, all of it is as high as what stands in it.
            under = over if len(obj.points) >= _FEW_POINTS else np.ones_like(over)
            heights[under] = np.minimum(heights[under], thing.low)
    for (i, j), (k, m), height in _rectangles(heights):
        low = np.array([i, j]) * shape.cell - shape.box.size[:2] / 2
        high = np.array([k, m]) * shape.cell - shape.box.size[:2] / 2
        tall = max(height - shape.box.low, 0.01)
        (x, y) = (float(v) for v in shape.box.world(((low + high) / 2)[None])[0])
        size = (float(high[0] - low[0]), float(high[1] - low[1]), float(tall))
        pose = upright((x, y, float(shape.box.low + tall / 2)), shape.box.yaw)
        yield Obstacle(obj.name, "box", pose, size, margin_m)


def _rectangles(heights: Array) -> Iterator[tuple[tuple[int, int], tuple[int, int], float]]:
    """Cells of about the same height joined to rectangles: low corner, high corner, height."""
    level = np.round(heights / _STEP_M).astype(int)
    left = np.ones(level.shape, bool)
    for i, j in np.ndindex(*level.shape):
        if not left[i, j]:
            continue
        same: npt.NDArray[np.bool_] = left & (level == level[i, j])
        m = j + 1
        while m < level.shape[1] and same[i, m]:
            m += 1
        k = i + 1
        while k < level.shape[0] and same[k, j:m].all():
            k += 1
        left[i:k, j:m] = False
        yield (i, j), (k, m), float(heights[i:k, j:m].max())


def _distance(obstacle: Obstacle) -> float:
    """From the arm's foot to a box, seen from above [m]."""
    local = obstacle.pose.inverse().transform(np.zeros((1, 3)))[0]
    return float(np.linalg.norm(np.maximum(np.abs(local[:2]) - np.array(obstacle.size[:2]) / 2, 0)))


def mobile_task(
    task: Task, body: tuple[Obstacle, ...], near_m: float, words: Vocabulary, *spared: str
) -> MobileTask:
    """A task whose obstacles are those of a mobile robot."""
    kept = frozenset(spared)
    return MobileTask(task.arm, task.scene, task.avoid, task.phase, body, near_m, kept, words)
