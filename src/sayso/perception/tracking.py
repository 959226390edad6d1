"""Objects over time: stable names, memory of what is hidden, and what the gripper carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception import carrying
from sayso.perception.appearance import Appearances, Shape, tabletop_appearances
from sayso.perception.association import associate
from sayso.perception.carrying import Grasp, GripConfig
from sayso.perception.contents import held_with, lies_in, moved, moved_along
from sayso.perception.recognition import UNKNOWN
from sayso.perception.remembering import agrees_but_hidden, blend, sees_through
from sayso.perception.table import TablePlane


@dataclass(frozen=True)
class TrackerConfig:
    """How objects are followed.

    Attributes:
        jump_m: a step larger than this is a move, smaller ones are averaged as noise.
        memory: how many observations the average of a resting object rests on, at most.
        fixture_memory: the same for fixtures, which stay where they are.
        forget_after: updates in a row in which the cameras see through a hidden object's place,
            or do not see a thing that they are not sure of.
        believe_after: updates that an unrecognised thing must be seen in before it counts, and
            that a recognised one must be seen in before it is remembered while hidden.
        see_through_m: how much farther than the object the cameras must see.
        elsewhere_m: a carried object seen this far from where it should be has been lost.
    """

    jump_m: float = 0.012
    memory: int = 6
    fixture_memory: int = 60
    forget_after: int = 3
    believe_after: int = 3
    see_through_m: float = 0.03
    elsewhere_m: float = 0.06
    grip: GripConfig = field(default_factory=GripConfig)


@dataclass(frozen=True)
class Track:
    """What is remembered of one object.

    Attributes:
        object: as last published.
        seen: how many updates showed it.
        averaged: how many observations its pose and size rest on.
        usual_points: how many points of it show when nothing hides it.
        absent: updates in a row that speak for its absence.
        grasp: how the gripper holds it, while it is carried.
    """

    object: SceneObject
    seen: int = 1
    averaged: int = 1
    usual_points: int = 0
    absent: int = 0
    grasp: Grasp | None = None


class SceneTracker:
    """Follows objects from update to update; its only state is the table of tracks.

    Attributes:
        appearances: what things look like; whoever sets it does so between two updates.
    """

    def __init__(
        self,
        config: TrackerConfig | None = None,
        appearances: Appearances | None = None,
    ) -> None:
        self.config = config or TrackerConfig()
        self.appearances = tabletop_appearances() if appearances is None else appearances
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
        self.predict(robot)
        pairs = associate(seen, {name: t.object for name, t in self._tracks.items()})
        missed = set(self._tracks) - set(pairs)
        # Drawers first: what lies in one has moved with it before it is looked at.
        before = {name: t.object for name, t in self._tracks.items()}
        for observed, name in sorted(zip(seen, pairs, strict=True), key=self._drawers_first):
            self._see(name, replace(observed, last_seen_s=stamp_s, visible=True))
        self._bring_along(before, missed)
        for name in sorted(missed) if frames else ():
            self._miss(name, frames)
        self._grasp(robot)
        self._width_m = robot.gripper_width_m
        return Scene(stamp_s, self.objects, robot, table.height_m)

    # -- seen ------------------------------------------------------------------------------

    def _drawers_first(self, pair: tuple[SceneObject, str | None]) -> bool:
        return not self._is(pair[0].category, "drawer")

    def _see(self, name: str | None, observed: SceneObject) -> None:
        if name is None:
            self._begin(observed)
        elif self._shows_better(before := self._tracks[name], observed):
            del self._tracks[name]
            self._begin(observed)
        else:
            self._tracks[name] = self._observed(before, observed)
            if self._is(observed.category, "drawer"):
                self._move_contents(before.object, self._tracks[name].object)

    def _move_contents(self, before: SceneObject, after: SceneObject) -> None:
        appearance = self.appearances[after.category]
        for name, track in self._tracks.items():
            fixed = self._is(track.object.category, "fixture", "drawer")
            if fixed or track.grasp or not lies_in(track.object, before, appearance.tray_m):
                continue
            self._tracks[name] = replace(track, object=moved_along(track.object, before, after))

    def _bring_along(self, before: Mapping[str, SceneObject], missed: Set[str]) -> None:
        """What is not seen any more went with the thing that it was in or on."""
        for name in sorted(before.keys() - missed) if missed else ():
            track = self._tracks.get(name)
            if track is None or track.grasp or self._is(track.object.category, "fixture", "drawer"):
                continue
            x, y, z = np.subtract(track.object.position, before[name].position).tolist()
            if np.linalg.norm((x, y, z)) > self.config.elsewhere_m:
                along = missed & set(held_with(name, before.values()))
                self._move(along, Pose((x, y, z)))

    def _move(self, names: Iterable[str], change: Pose) -> None:
        """Free things and what is remembered of them, by a motion in the scene's frame."""
        for name in names:
            track = self._tracks[name]
            if track.grasp is None and not self._is(track.object.category, "fixture", "drawer"):
                self._tracks[name] = replace(track, object=moved(track.object, change))

    def _begin(self, observed: SceneObject) -> None:
        named = replace(observed, name=self._new_name(observed))
        self._tracks[named.name] = Track(named, usual_points=len(named.points))

    def _observed(self, track: Track, observed: SceneObject) -> Track:
        observed = replace(observed, name=track.object.name)
        track = replace(track, seen=track.seen + 1, absent=0)
        if track.grasp is not None:
            return self._observed_in_hand(track, observed)
        misread = observed.category != track.object.category
        agrees = agrees_but_hidden(observed, track.object, track.usual_points)
        if misread or agrees:
            adrift = track.object.let_go and not agrees  # something is there: it need not be that
            kept = replace(
                track.object, visible=not adrift, last_seen_s=observed.last_seen_s, let_go=adrift
            )
            return replace(track, object=kept)
        if track.object.let_go or self._has_moved(track.object, observed):
            return replace(track, object=observed, averaged=1, usual_points=len(observed.points))
        count = min(track.averaged + 1, self._memory(observed.category))
        merged = blend(track.object, observed, 1.0 / count)
        most = max(track.usual_points, len(observed.points))
        return replace(track, object=merged, averaged=count, usual_points=most)

    def _observed_in_hand(self, track: Track, observed: SceneObject) -> Track:
        """The gripper says where it is better than a view that the hand covers partly."""
        apart = np.linalg.norm(np.subtract(observed.position, track.object.position))
        if apart > self.config.elsewhere_m:
            return Track(observed, track.seen, usual_points=len(observed.points))
        seen = replace(track.object, visible=True, last_seen_s=observed.last_seen_s)
        return replace(track, object=seen)

    def _shows_better(self, track: Track, observed: SceneObject) -> bool:
        """Whether the view tells what the thing really is, which an earlier one misread."""
        if observed.category == UNKNOWN or observed.category == track.object.category:
            return False
        more = len(observed.points) > track.usual_points
        return track.grasp is None and (more or track.object.category == UNKNOWN)

    def _has_moved(self, known: SceneObject, observed: SceneObject) -> bool:
        step = float(np.linalg.norm(np.subtract(observed.position, known.position)))
        opened = abs((observed.number("opening_m") or 0.0) - (known.number("opening_m") or 0.0))
        return max(step, opened) > self.config.jump_m

    def _memory(self, category: str) -> int:
        return self.config.fixture_memory if self._is(category, "fixture") else self.config.memory

    # -- not seen --------------------------------------------------------------------------

    def _miss(self, name: str, frames: Sequence[RgbdFrame]) -> None:
        track = self._tracks[name]
        known = track.object
        doubtful = known.category == UNKNOWN or track.seen < self.config.believe_after
        gone = doubtful or (
            track.grasp is None and sees_through(known, frames, self.config.see_through_m)
        )
        absent = track.absent + 1 if gone else 0
        if absent >= self.config.forget_after or not self._believed(track):
            del self._tracks[name]
        else:
            self._tracks[name] = replace(track, object=replace(known, visible=False), absent=absent)

    def _believed(self, track: Track) -> bool:
        return track.object.category != UNKNOWN or track.seen >= self.config.believe_after

    # -- held ------------------------------------------------------------------------------

    def predict(self, robot: RobotState) -> tuple[SceneObject, ...]:
        """The objects where they should be now: what is held has moved with the gripper, and what
        is in it or on it with that.

        A grasp that the fingers gave up ends here, and where the thing is then is not known until
        it is seen.
        """
        for name, track in tuple(self._tracks.items()):
            if track.grasp is None:
                continue
            held = carrying.follow(track.grasp, robot, self.config.grip)
            if held is None:
                off_m = max(track.object.off_m, self.config.elsewhere_m)
                free = replace(track.object, carried=False, visible=False, let_go=True, off_m=off_m)
                self._tracks[name] = replace(track, object=free, grasp=None, averaged=1)
            else:
                carried = carrying.carry(track.object, held, robot)
                along = held_with(name, [t.object for t in self._tracks.values()])
                self._move(along, carried.pose @ track.object.pose.inverse())
                self._tracks[name] = replace(track, object=carried, grasp=held)
        return self.objects

    def _grasp(self, robot: RobotState) -> None:
        """Note the object that the fingers have come to rest on."""
        grip, width = self.config.grip, robot.gripper_width_m
        at_rest = self._width_m is not None and abs(width - self._width_m) < grip.still_m
        held = any(t.grasp is not None for t in self._tracks.values())
        if held or not at_rest or not carrying.may_hold(robot, grip):
            return
        loose = {
            name: t.object
            for name, t in self._tracks.items()
            if not self._is(t.object.category, "fixture", "drawer")
        }
        name = carrying.between_fingers(loose, robot, grip)
        if name is not None:
            grasp = carrying.grasp(loose[name], robot, grip)
            carried = carrying.carry(loose[name], grasp, robot)
            self._tracks[name] = replace(self._tracks[name], object=carried, grasp=grasp)

    def _is(self, category: str, *shapes: Shape) -> bool:
        appearance = self.appearances.get(category)
        return appearance is not None and appearance.shape in shapes

    # -- names -----------------------------------------------------------------------------

    def _new_name(self, obj: SceneObject) -> str:
        appearance = self.appearances.get(obj.category)
        by_color = appearance is None or appearance.named_by_color
        stem = f"{obj.color}_{obj.category}" if by_color and obj.color else obj.category
        name, number = stem, 1
        while name in self._tracks:
            number += 1
            name = f"{stem}_{number}"
        return name
