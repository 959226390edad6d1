"""Objects over time: stable names, memory of what is hidden, and what the gripper carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.perception.association import associate
from sayso.perception.camera import see
from sayso.perception.recognition import UNKNOWN, upright, yaw_of
from sayso.perception.shapes import quarter_turn
from sayso.perception.table import TablePlane


@dataclass(frozen=True)
class TrackerConfig:
    """How objects are followed.

    Attributes:
        jump_m: a step larger than this is a move, smaller ones are averaged as noise.
        memory: how many observations the average of a resting object rests on, at most.
        fixture_memory: the same for fixtures, which stay where they are.
        forget_after: updates in a row in which the cameras see through a hidden object's place.
        believe_after: updates that an unrecognised thing must be seen in before it counts.
        see_through_m: how much farther than the object the cameras must see.
        grip_m: fingers this far apart at least, and not fully open, may be holding something.
        fully_open_m: from this width on nothing can be held.
        between_m: how near to the space between the fingertips a held object's box is.
        slip_m: a change of the fingers' width by this much ends a grasp.
        still_m: fingers that moved less than this since the last update are at rest.
        elsewhere_m: a carried object seen this far from where it should be has been lost.
    """

    jump_m: float = 0.012
    memory: int = 6
    fixture_memory: int = 60
    forget_after: int = 3
    believe_after: int = 3
    see_through_m: float = 0.03
    grip_m: float = 0.002
    fully_open_m: float = 0.078
    between_m: float = 0.02
    slip_m: float = 0.006
    still_m: float = 0.0015
    elsewhere_m: float = 0.06


@dataclass(frozen=True)
class Track:
    """What is remembered of one object.

    Attributes:
        object: as last published.
        seen: how many updates showed it.
        averaged: how many observations its pose and size rest on.
        seen_through: updates in a row in which its place was seen to be empty.
        grasp: its pose in the tool's frame while it is carried.
        grasp_width_m: distance of the fingers then.
    """

    object: SceneObject
    seen: int = 1
    averaged: int = 1
    seen_through: int = 0
    grasp: Pose | None = None
    grasp_width_m: float = 0.0


class SceneTracker:
    """Follows objects from update to update; its only state is the table of tracks."""

    def __init__(
        self,
        config: TrackerConfig = TrackerConfig(),
        appearances: Appearances | None = None,
    ) -> None:
        self.config = config
        self._appearances = tabletop_appearances() if appearances is None else appearances
        self._tracks: dict[str, Track] = {}
        self._width_m: float | None = None

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """The objects of the last update."""
        return tuple(t.object for t in self._tracks.values() if self._believed(t))

    def update(
        self,
        seen: Sequence[SceneObject],
        frames: Sequence[RgbdFrame],
        robot: RobotState,
        table: TablePlane,
    ) -> Scene:
        """The scene after one more look.

        Args:
            seen: the objects of this moment, fused over cameras, unnamed.
            frames: the frames that they were seen in, the robot's own pixels without depth.
            robot: the robot's state at that moment.
            table: the table's plane.
        """
        stamp_s = max((f.stamp_s for f in frames), default=robot.stamp_s)
        self._carry(robot)
        pairs = associate(seen, {n: t.object for n, t in self._tracks.items()})
        for observed, name in zip(seen, pairs, strict=True):
            if name is None:
                new = replace(observed, name=self._new_name(observed), last_seen_s=stamp_s)
                self._tracks[new.name] = Track(new)
            else:
                self._observe(name, observed, stamp_s)
        self._miss(set(self._tracks) - set(pairs), frames, stamp_s)
        self._grasp(robot)
        self._width_m = robot.gripper_width_m
        return Scene(stamp_s, self.objects, robot, table.height_m)

    # -- seen ------------------------------------------------------------------------------

    def _observe(self, name: str, observed: SceneObject, stamp_s: float) -> None:
        track = self._tracks[name]
        known = track.object
        observed = replace(observed, name=name, last_seen_s=stamp_s)
        if track.grasp is not None:
            self._tracks[name] = self._see_carried(track, observed)
            return
        if _weak(observed, known):
            # Part of it is hidden: trust the remembered box while the points lie within it.
            merged, averaged = replace(known, visible=True, last_seen_s=stamp_s), track.averaged
        else:
            averaged = min(track.averaged + 1, self._memory(known.category))
            merged = self._average(known, observed, averaged)
            averaged = averaged if merged is not observed else 1
        self._tracks[name] = replace(
            track, object=merged, seen=track.seen + 1, averaged=averaged, seen_through=0
        )

    def _memory(self, category: str) -> int:
        appearance = self._appearances.get(category)
        fixed = appearance is not None and appearance.shape == "fixture"
        return self.config.fixture_memory if fixed else self.config.memory

    def _average(self, known: SceneObject, observed: SceneObject, count: int) -> SceneObject:
        step = np.linalg.norm(np.subtract(observed.position, known.position))
        opened = abs((observed.opening_m or 0.0) - (known.opening_m or 0.0))
        if max(step, opened) > self.config.jump_m or not known.visible:
            return observed
        return blend(known, observed, 1.0 / count)

    def _see_carried(self, track: Track, observed: SceneObject) -> Track:
        """The gripper says where it is better than a view that the hand covers partly."""
        known = track.object
        apart = np.linalg.norm(np.subtract(observed.position, known.position))
        if apart > self.config.elsewhere_m:
            return Track(observed, track.seen + 1)
        seen = replace(known, visible=True, last_seen_s=observed.last_seen_s)
        return replace(track, object=seen, seen=track.seen + 1, seen_through=0)

    # -- not seen --------------------------------------------------------------------------

    def _miss(self, names: set[str], frames: Sequence[RgbdFrame], stamp_s: float) -> None:
        for name in sorted(names):
            track = self._tracks[name]
            if track.object.last_seen_s == stamp_s and track.object.visible:
                continue  # new in this update
            empty = sees_through(track.object, frames, self.config.see_through_m)
            count = track.seen_through + 1 if empty and track.grasp is None else 0
            if count >= self.config.forget_after or not self._believed(track):
                del self._tracks[name]
                continue
            hidden = replace(track.object, visible=False)
            self._tracks[name] = replace(track, object=hidden, seen_through=count)

    def _believed(self, track: Track) -> bool:
        return track.object.category != UNKNOWN or track.seen >= self.config.believe_after

    # -- held ------------------------------------------------------------------------------

    def _carry(self, robot: RobotState) -> None:
        """Move what is held with the gripper, or end the grasp that the fingers gave up."""
        for name, track in self._tracks.items():
            if track.grasp is None:
                continue
            slipped = abs(robot.gripper_width_m - track.grasp_width_m) > self.config.slip_m
            if slipped or not self._may_hold(robot):
                free = replace(track.object, carried=False)
                self._tracks[name] = replace(track, object=free, grasp=None, averaged=1)
                continue
            pose = robot.gripper @ track.grasp
            moved = _moved(track.object, pose)
            self._tracks[name] = replace(track, object=moved)

    def _grasp(self, robot: RobotState) -> None:
        """Note the object that the fingers have come to rest on."""
        width = robot.gripper_width_m
        at_rest = self._width_m is not None and abs(width - self._width_m) < self.config.still_m
        held = any(t.grasp is not None for t in self._tracks.values())
        if held or not at_rest or not self._may_hold(robot):
            return
        near = {
            n: gripper_distance(t.object, robot)
            for n, t in self._tracks.items()
            if self._liftable(t.object)
        }
        name = min(near, key=lambda n: near[n], default=None)
        if name is None or near[name] > self.config.between_m:
            return
        track = self._tracks[name]
        grasp = robot.gripper.inverse() @ track.object.pose
        carried = replace(track.object, carried=True)
        self._tracks[name] = replace(
            track, object=carried, grasp=grasp, grasp_width_m=width, averaged=1
        )

    def _may_hold(self, robot: RobotState) -> bool:
        return self.config.grip_m < robot.gripper_width_m < self.config.fully_open_m

    def _liftable(self, obj: SceneObject) -> bool:
        appearance = self._appearances.get(obj.category)
        return appearance is None or appearance.shape not in ("fixture", "drawer")

    # -- names -----------------------------------------------------------------------------

    def _new_name(self, obj: SceneObject) -> str:
        appearance = self._appearances.get(obj.category)
        by_color = appearance is None or appearance.named_by_color
        stem = f"{obj.color}_{obj.category}" if by_color and obj.color else obj.category
        name, number = stem, 1
        while name in self._tracks:
            number += 1
            name = f"{stem}_{number}"
        return name


def gripper_distance(obj: SceneObject, robot: RobotState) -> float:
    """Distance from the space between the fingertips to the object's box; 0 inside [m]."""
    local = rotation_matrix(obj.orientation).T @ np.subtract(robot.gripper.position, obj.position)
    outside = np.maximum(np.abs(local) - np.asarray(obj.size) / 2, 0.0)
    return float(np.linalg.norm(outside))


def sees_through(obj: SceneObject, frames: Sequence[RgbdFrame], beyond_m: float) -> bool:
    """Whether some camera looks through the place where the object was.

    The middle half of its box is sampled. A camera sees through it if it has depth at most of
    the samples and most of those depths lie beyond the object.
    """
    samples = _samples(obj)
    return any(_sees_through(samples, obj, frame, beyond_m) for frame in frames)


def _samples(obj: SceneObject) -> Array:
    grid = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])
    local = grid * np.asarray(obj.size) / 4
    return np.asarray(local @ rotation_matrix(obj.orientation).T + np.asarray(obj.position))


def _sees_through(samples: Array, obj: SceneObject, frame: RgbdFrame, beyond_m: float) -> bool:
    pixels, depth, inside = see(samples, frame.pose, frame.intrinsics)
    if inside.sum() < len(samples) / 2:
        return False
    u, v = np.rint(pixels[inside]).astype(int).T
    measured = np.nan_to_num(frame.depth_m[v, u])
    known = measured > 0
    # A thing as thin as a coaster hides little depth, so half its height counts as beyond.
    margin = min(beyond_m, float(min(obj.size)) / 2 + 0.001)
    beyond = measured > depth[inside] + margin
    return bool(known.sum() > len(samples) / 2 and beyond[known].mean() > 0.7)


def blend(known: SceneObject, observed: SceneObject, weight: float) -> SceneObject:
    """The observation with pose and size averaged into what is known, by `weight` (0 to 1)."""

    def mix(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
        x, y, z = ((1 - weight) * np.asarray(a) + weight * np.asarray(b)).tolist()
        return x, y, z

    yaw, new = yaw_of(known.orientation), yaw_of(observed.orientation)
    if abs(known.size[0] - known.size[1]) < 0.01:  # the axes may have changed places
        turn = quarter_turn(new - yaw)
    else:
        turn = (new - yaw + np.pi) % (2 * np.pi) - np.pi
        turn = turn if abs(turn) < np.pi / 2 else 0.0
    opening = observed.opening_m
    if opening is not None and known.opening_m is not None:
        opening = (1 - weight) * known.opening_m + weight * opening
    return replace(
        observed,
        position=mix(known.position, observed.position),
        size=mix(known.size, observed.size),
        orientation=upright(yaw + weight * turn),
        confidence=(1 - weight) * known.confidence + weight * observed.confidence,
        opening_m=opening,
    )


def _weak(observed: SceneObject, known: SceneObject) -> bool:
    """Whether the view shows too little to correct the known box, and agrees with it."""
    if observed.opening_m is not None:
        return False
    smaller = np.prod(observed.size[:2]) < 0.6 * np.prod(known.size[:2])
    if not (smaller or observed.category == UNKNOWN != known.category):
        return False
    local = (observed.points - known.position) @ rotation_matrix(known.orientation)
    within = (np.abs(local) < np.asarray(known.size) / 2 + 0.012).all(axis=1)
    return bool(within.mean() > 0.9)


def _moved(obj: SceneObject, pose: Pose) -> SceneObject:
    """The object at a new pose, its points with it."""
    change = pose @ obj.pose.inverse()
    points = change.transform(obj.points.astype(float)).astype(np.float32)
    return replace(
        obj,
        position=pose.position,
        orientation=pose.orientation,
        points=points,
        carried=True,
    )
