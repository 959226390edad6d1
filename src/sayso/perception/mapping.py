"""A map of the flat from depth pictures and poses: voxels, and the floor plan that they make.

Frame `map`: z up, the floor at z = 0, metres.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.camera import cloud, see
from sayso.perception.leaves import Leaves
from sayso.perception.map_files import FREE, OCCUPIED, UNKNOWN, FloorPlan, VoxelMap
from sayso.perception.point_files import PointCloud
from sayso.perception.surfaces import surface_cells
from sayso.perception.voxels import (
    STRUCK,
    Keys,
    Mask,
    VoxelStore,
    centres_of,
    grouped,
    keys_of,
    pack,
    unpack,
)

_LOW_M = 0.2
"""How far above `low_m` a ray may pass and still show that nothing stands on the floor."""
_NOISE = 0.0025
"""Of depth over its square [1/m], two sigma: rays that end this much behind prove nothing."""
_SAMPLES = 3
"""Of nine pixels over a voxel, those that must see through it to say that it is gone."""
HITS, LEANS = "hits", ("lean_x", "lean_y", "ray_x", "ray_y")
"""What a map's cloud tells of each point besides its place and colour; see `VoxelMap`."""
_GREY = 128
_FARTHEST_M = 200.0
"""From the map's origin: a pose beyond is no pose in a flat."""


@dataclass(frozen=True)
class MappingSettings:
    """How a map is made.

    Attributes:
        voxel_m: side of a voxel, and of a cell of the floor plan.
        low_m, high_m: what is between these heights is in the way of the robot.
        floor_m: what is lower than this is floor.
        reach_m: depths beyond are not trusted.
        near_m: depths closer are the robot itself.
        hits: points that a voxel needs before it counts as there.
        stride: every how-manieth pixel is used.
        fading: frames that see through a thing, however long it was seen before, until it is gone.
        footprint_m: length and width of the robot's base; where it stands nothing else does.
        room_m: around the footprint, what is taken to be free too: cameras do not see that near.
        shy_m: around a moving thing's box, what is not taken into the map.
    """

    voxel_m: float = 0.05
    low_m: float = 0.1
    high_m: float = 1.4
    floor_m: float = 0.05
    reach_m: float = 6.0
    near_m: float = 0.2
    hits: int = 3
    stride: int = 2
    fading: int = 5
    footprint_m: tuple[float, float] = (1.1, 0.5)
    room_m: float = 0.1
    shy_m: float = 0.15

    def __post_init__(self) -> None:
        heights = self.floor_m <= self.low_m < self.high_m
        if not (self.voxel_m > 0 and heights and self.fading >= STRUCK and self.stride >= 1):
            raise SaySoError(
                Code.CONFIG,
                "a map needs voxel_m > 0, floor_m <= low_m < high_m, stride >= 1 and "
                f"fading >= {STRUCK}.",
                hint="correct the mapping settings.",
            )


@dataclass
class Mapper:
    """Gathers frames of a tour, and those that come later; ask for the maps at any time."""

    settings: MappingSettings = field(default_factory=MappingSettings)
    _passed: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    _frames: int = 0
    _leaves: Leaves = field(default_factory=Leaves)

    def __post_init__(self) -> None:
        self._store = VoxelStore(self.settings.fading)

    @classmethod
    def of_map(
        cls, plan: FloorPlan, voxels: VoxelMap, settings: MappingSettings | None = None
    ) -> Mapper:
        """A mapper that goes on from a map that was made with the same size of voxels.

        Raises:
            SaySoError: CONFIG for a map of another size of voxels.
        """
        mapper = cls(settings or MappingSettings())
        size = mapper.settings.voxel_m
        if not np.isclose(plan.resolution_m, size):
            raise SaySoError(
                Code.CONFIG,
                f"the map has voxels of {plan.resolution_m:g} m, but {size:g} m are asked for.",
                hint="set voxel_m to the map's own.",
            )
        keys = keys_of(voxels.centres, size)
        order = np.argsort(keys)
        at = mapper._store.strike(
            keys[order],
            voxels.hits[order],
            voxels.colors[order].astype(np.float32),
            voxels.leans[order],
        )
        mapper._store.evidence[at] = mapper.settings.fading
        rows, columns = np.nonzero(plan.cells == FREE)
        corner = np.rint(np.asarray(plan.origin) / size).astype(np.int64)
        mapper._passed = np.sort(_floor_keys(np.stack([columns, rows], axis=1) + corner))
        return mapper

    @classmethod
    def of_cloud(cls, cloud: PointCloud, settings: MappingSettings | None = None) -> Mapper:
        """A mapper that goes on from a cloud, be it of a map (`cloud_of`) or of another tool.

        Every voxel with a point counts as there. Floor is free where the cloud shows it: what
        rays went over is not known. Points that are not finite are left out.

        Raises:
            SaySoError: INVALID for a cloud that is none of a flat in metres with its floor at 0.
        """
        mapper = cls(settings or MappingSettings())
        s, points = mapper.settings, cloud.points.astype(float)
        kept = np.isfinite(points).all(axis=1)
        points = points[kept]
        if len(points) and np.abs(points).max() > _FARTHEST_M:
            raise _no_flat(f"a point of it is {np.abs(points).max():.0f} m away")
        keys = keys_of(points, s.voxel_m)
        told = {n: np.asarray(v, float)[kept] for n, v in cloud.fields.items()}
        hits = told.get(HITS, np.full(len(points), float(s.hits)))
        places = points[:, :2] - centres_of(keys, s.voxel_m)[:, :2]
        leans = (
            [told[n] for n in LEANS]
            if told.keys() >= set(LEANS)
            else [*places.T, *np.zeros((2, len(points)))]
        )
        colors = np.full((len(points), 3), _GREY) if cloud.colors is None else cloud.colors[kept]
        struck, counts, means = grouped(keys, np.column_stack([hits, colors, *leans]))
        total = np.maximum(np.rint(means[:, 0] * counts), s.hits).astype(np.int64)
        at = mapper._store.strike(struck, total, means[:, 1:4], means[:, 4:])
        mapper._store.evidence[at] = s.fading
        floor = struck[centres_of(struck, s.voxel_m)[:, 2] < s.floor_m]
        if not len(floor):
            raise _no_flat("no floor is in it")
        mapper._passed = np.unique(_floor_keys(_flat(floor)))
        return mapper

    def add(
        self, frame: RgbdFrame, moving: Sequence[SceneObject] = (), base: Pose | None = None
    ) -> int:
        """Take one frame in; the number of points that it gave.

        Args:
            moving: things that walk or are carried; what is seen of them stays out of the map.
            base: of the robot, if known: where it stands the floor is free.

        Raises:
            SaySoError: INVALID where picture and depth do not belong together, or for a pose
                that is nowhere.
        """
        _check(frame)
        self._frames += 1
        if base is not None:
            self.stand(base)
        seen = cloud(frame, self.settings.stride)
        good = seen.valid & (seen.depth_m < self.settings.reach_m)
        good &= seen.depth_m > self.settings.near_m
        points = seen.points[good].astype(float)
        kept = ~self._strange(points, moving, base)
        points, colors = points[kept], seen.rgb[good][kept]
        if len(points):
            self._take(frame, points, colors)
        return len(points)

    def stand(self, base: Pose) -> None:
        """The robot stands here: the floor under its footprint, and a little around it, is free."""
        length, width = self.settings.footprint_m
        self._clear(base, length, width, self.settings.room_m)

    def follow(self, things: Iterable[SceneObject]) -> None:
        """Take in what is seen and told of now: where a door's leaf went nothing stands."""
        for swept in self._leaves.left(things):
            self._clear(swept.pose, *swept.size[:2])

    def _clear(self, pose: Pose, length_m: float, width_m: float, room_m: float = 0.0) -> None:
        """Nothing stands in an upright box, and its floor is free, with some room around it."""
        s = self.settings
        centres = centres_of(self._store.keys, s.voxel_m)
        inside = _in_box(centres, pose, (length_m, width_m, np.inf)) & (centres[:, 2] > s.low_m)
        self._store.keep(~inside)
        size = (length_m + 2 * room_m, width_m + 2 * room_m, np.inf)
        reach = int(np.hypot(*size[:2]) / 2 / s.voxel_m) + 1
        middle = np.floor(np.asarray(pose.position[:2]) / s.voxel_m).astype(np.int64)
        offsets = np.indices((2 * reach + 1,) * 2).reshape(2, -1).T - reach
        keys = _floor_keys(offsets + middle)
        under = _in_box(centres_of(keys, s.voxel_m), pose, size)
        self._passed = np.union1d(self._passed, keys[under])

    @property
    def known(self) -> bool:
        """Whether there is anything to make maps of."""
        return bool(self._there().any())

    def voxels(self) -> VoxelMap:
        """All voxels with hits enough.

        Raises:
            SaySoError: INVALID where no frame gave a point.
        """
        kept = self._need()
        store = self._store
        centres = centres_of(store.keys[kept], self.settings.voxel_m)
        colors = np.rint(store.colors[kept]).astype(np.uint8)
        return VoxelMap(centres, store.hits[kept], colors, store.leans[kept])

    def floor_plan(self) -> FloorPlan:
        """The cells that were seen: occupied where something stands in the robot's way.

        A cell is free where floor was seen or a ray went low over it, and nothing stands there:
        no surface, for the points that noise puts beside one are taken to be of it. A cell is
        unknown where neither: what hides below a ray over a table top is not known.

        Raises:
            SaySoError: INVALID where no frame gave a point.
        """
        s, (struck, solid) = self.settings, self._solid()
        passed = _flat(self._passed)
        every = np.concatenate((struck, solid, passed))
        low, high = every.min(axis=0), every.max(axis=0)
        columns, rows = (int(v) for v in high - low + 1)
        cells = np.full((rows, columns), UNKNOWN, np.int8)
        cells[_place(struck - low)] = OCCUPIED
        cells[_place(passed - low)] = FREE
        # Single cells between free ones are those that no pixel happened to fall on.
        cells[ndimage.binary_closing(np.pad(cells == FREE, 1), np.ones((3, 3)))[1:-1, 1:-1]] = FREE
        cells[_place(solid - low)] = OCCUPIED
        x, y = (float(v) * s.voxel_m for v in low)
        return FloorPlan(cells, (x, y), s.voxel_m)

    def _solid(self) -> tuple[Keys, Keys]:
        """(N, 2) the cells of what is in the robot's way: where points fell; where surfaces are."""
        store, s, kept = self._store, self.settings, self._need()
        cells = unpack(store.keys)
        z = (cells[:, 2] + 0.5) * s.voxel_m
        kept &= (z > s.low_m) & (z < s.high_m)
        struck = cells[kept]
        if not len(struck):
            return struck[:, :2], struck[:, :2]
        return struck[:, :2], surface_cells(struck, store.hits[kept], store.leans[kept], s.voxel_m)

    def _take(self, frame: RgbdFrame, points: Array, colors: npt.NDArray[np.uint8]) -> None:
        size = self.settings.voxel_m
        keys = keys_of(points, size)
        places = points[:, :2] - centres_of(keys, size)[:, :2]
        ways = points[:, :2] - np.asarray(frame.pose.position[:2])
        ways /= np.maximum(np.linalg.norm(ways, axis=1), 1e-9)[:, None]
        struck, hits, means = grouped(keys, np.column_stack([colors, places, ways]))
        at = self._store.strike(struck, hits, means[:, :3], means[:, 3:])
        floor = self._store.hits[at] >= self.settings.hits
        floor &= centres_of(struck, size)[:, 2] < self.settings.floor_m
        crossed = self._crossed(np.asarray(frame.pose.position, float), centres_of(struck, size))
        seen = np.concatenate((_flat(struck[floor]), crossed))
        self._passed = np.union1d(self._passed, _floor_keys(seen))
        passed = self._seen_through(frame)
        passed[at] = False
        self._store.pass_through(passed)

    def _seen_through(self, frame: RgbdFrame) -> Mask:
        """(N,) voxels behind which the camera sees something, over all of their extent."""
        s = self.settings
        centres = centres_of(self._store.keys, s.voxel_m)
        pixels, z, inside = see(centres, frame.pose, frame.intrinsics)
        asked = np.flatnonzero(inside & (z < s.reach_m) & (z > s.near_m))
        pixels, z = pixels[asked], z[asked]
        measured = np.nan_to_num(frame.depth_m, nan=0.0, posinf=0.0, neginf=0.0)
        through, there = np.zeros(len(asked), int), np.zeros(len(asked), bool)
        # Its middle and points of its rim. What is measured in front of it hides it, and where a
        # camera measures nothing, as it often does at edges and on slants, it says nothing.
        half = s.voxel_m / 2 * frame.intrinsics.fx / z
        doubt = s.voxel_m / 2 + _NOISE * z * z
        limit = np.array([frame.intrinsics.width - 1, frame.intrinsics.height - 1])
        for du, dv in product((-1, 0, 1), repeat=2):
            at = pixels + np.stack([du * half, dv * half], axis=1)
            u, v = np.clip(np.rint(at), 0, limit).astype(np.intp).T
            beyond = measured[v, u] - z
            through += beyond > doubt
            there |= np.abs(beyond) <= doubt
        passed = np.zeros(len(centres), bool)
        passed[asked] = (through >= _SAMPLES) & ~there
        return passed

    def _crossed(self, eye: Array, ends: Array) -> Keys:
        """(M, 2) the floor's cells over which rays went so low that nothing stands there."""
        s = self.settings
        rise = ends[:, 2] - eye[2]
        down = rise < -s.voxel_m
        ends, rise = ends[down], rise[down]
        length = np.linalg.norm(ends - eye, axis=1)
        begin = (s.low_m + _LOW_M - eye[2]) / rise
        # The last two voxels may be the surface itself, seen flat.
        end = np.minimum((s.low_m - eye[2]) / rise, 1 - 2 * s.voxel_m / length)
        count = np.ceil(np.maximum(end - begin, 0) * length / s.voxel_m).astype(np.int64)
        which = np.repeat(np.arange(len(ends)), count)
        rank = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        share = begin[which] + (rank + 0.5) / count[which] * (end - begin)[which]
        on_ray = eye[:2] + share[:, None] * (ends[which, :2] - eye[:2])
        return np.asarray(np.floor(on_ray / s.voxel_m), np.int64)

    def _strange(self, points: Array, moving: Sequence[SceneObject], base: Pose | None) -> Mask:
        """(N,) which points are of the robot itself or of what walks about."""
        s = self.settings
        strange = np.zeros(len(points), bool)
        for thing in moving:
            length, width, _ = (v + 2 * s.shy_m for v in thing.size)
            strange |= _in_box(points, thing.pose, (length, width, np.inf))
        if base is not None:
            strange |= _in_box(points, base, (*s.footprint_m, np.inf))
        return strange

    def _there(self) -> Mask:
        """(N,) which voxels count: hit often enough."""
        return np.asarray(self._store.hits >= self.settings.hits)

    def _need(self) -> Mask:
        kept = self._there()
        if kept.any():
            return kept
        why = f"{self._frames} frames gave no depth" if self._frames else "there was no frame"
        if len(kept):
            why = f"{self._frames} frames gave too little depth"
        raise SaySoError(
            Code.INVALID,
            f"no map can be made of this tour: {why}.",
            hint="drive the tour again with the depth camera on.",
        )


def cloud_of(voxels: VoxelMap) -> PointCloud:
    """The centres of a map's voxels, with all that is known of each."""
    leans = dict(zip(LEANS, voxels.leans.T, strict=True))
    hits = voxels.hits.astype(np.uint32)
    return PointCloud(voxels.centres.astype(np.float32), voxels.colors, {HITS: hits, **leans})


def _no_flat(why: str) -> SaySoError:
    return SaySoError(
        Code.INVALID,
        f"no map can be made of this cloud: {why}.",
        hint="give it in metres, with z up and the floor at z = 0.",
    )


def _check(frame: RgbdFrame) -> None:
    if frame.depth_m.shape != frame.rgb.shape[:2] or frame.depth_m.ndim != 2:
        raise SaySoError(
            Code.INVALID,
            f"camera {frame.camera} gave {frame.rgb.shape[1]} x {frame.rgb.shape[0]} pixels "
            f"of colour, but depth of shape {frame.depth_m.shape}.",
            hint="record the tour with depth aligned to colour.",
        )
    place = np.asarray((*frame.pose.position, *frame.pose.orientation))
    if not np.isfinite(place).all() or np.abs(place).max() > _FARTHEST_M:
        raise SaySoError(
            Code.INVALID,
            f"camera {frame.camera} is said to be at {frame.pose.position}, which is nowhere.",
            hint="check the robot's localisation (/tf).",
        )


def _in_box(points: Array, pose: Pose, size: tuple[float, float, float]) -> Mask:
    """(N,) which points are in an upright box whose middle and axes a pose gives."""
    reach = np.hypot(*size[:2]) / 2
    inside: Mask = (np.abs(points[:, :2] - pose.position[:2]) <= reach).all(axis=1)
    near = np.flatnonzero(inside)
    local = pose.inverse().transform(points[near])
    inside[near] = (np.abs(local) <= np.asarray(size) / 2).all(axis=1)
    return inside


def _floor_keys(cells: Keys) -> Keys:
    """Keys of the floor's cells (N, 2), counted along x and y."""
    return pack(np.column_stack([cells, np.zeros(len(cells), np.int64)]))


def _flat(keys: Keys) -> Keys:
    return unpack(keys)[:, :2]


def _place(cells: Keys) -> tuple[Keys, Keys]:
    """Cells (x, y) as an index of rows and columns."""
    return cells[:, 1], cells[:, 0]
