"""The flat kept up to date: what was found on the tour, and what new frames say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.ports import InstanceFinder, InstanceMask, RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception import carrying
from sayso.perception.categories import is_a
from sayso.perception.colors import family
from sayso.perception.flat import tracks as t
from sayso.perception.flat.boxes import UprightBox
from sayso.perception.flat.candidates import Candidates
from sayso.perception.flat.coloring import color_of
from sayso.perception.flat.looking import kinds_of, look_for, thing_of
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat.merging import overlap
from sayso.perception.flat.naming import name_for
from sayso.perception.flat.settings import LiveSettings, LookSettings
from sayso.perception.flat.sightings import Sighting, sightings
from sayso.perception.flat.tracks import Track
from sayso.perception.flat.views import Look, View, look_at
from sayso.perception.motion import MotionTracks

_SAME_MASK = 0.7
_SAME_BOX = 0.4
_FELL_M = 0.6  # how far what was let go may roll
_FALLS_S = 2.0  # how long it may take to come to rest
_SHADES = (frozenset({"white", "grey"}), frozenset({"black", "grey"}))
_TOUR_VIEWS = 4  # views that the place of a thing found on the tour rests on


class LiveFlat:
    """What stands where, by name, from observation alone. Not safe for threads.

    Args:
        memory: frames of the tour; new views are added to it.
        finder: what gives masks.
        look, live: settings.
    """

    def __init__(
        self,
        memory: FrameMemory,
        finder: InstanceFinder,
        look: LookSettings | None = None,
        live: LiveSettings | None = None,
    ) -> None:
        self._memory, self._finder = memory, finder
        self._look, self._live = look or LookSettings(), live or LiveSettings()
        self._kinds: tuple[str, ...] = ()
        self._tracks: dict[str, Track] = {}
        self._candidates = Candidates(self._look, self._live)
        self._keep: frozenset[str] = frozenset()
        self._former: dict[str, str] = {}  # by what stands where they stood before, if anything
        self._number = 0
        self._stamp_s = 0.0
        self._width_m: float | None = None
        self._closed_at: Pose | None = None
        self._motion = MotionTracks()

    # -- what is watched -------------------------------------------------------------------

    @property
    def watched(self) -> tuple[str, ...]:
        """The kinds of things that are looked for."""
        return self._kinds

    @property
    def missing(self) -> frozenset[str]:
        """Names of things whose place was seen empty and that were not seen elsewhere."""
        return frozenset(name for name, track in self._tracks.items() if track.missing)

    def watch(self, nouns: Iterable[str]) -> tuple[SceneObject, ...]:
        """Look for some more kinds of things from now on; those that memory shows.

        Raises:
            SaySoError: INVALID where the tour has no frame with depth; what the finder raises.
        """
        new = tuple(k for k in kinds_of(nouns) if k not in self._kinds)
        if not new:
            return ()
        self._memory.check()
        found = look_for(self._memory, new, self._finder, self._look, self._tracks)
        self._kinds = (*self._kinds, *new)
        fresh: list[SceneObject] = []
        for thing in (self._on_this_clock(f) for f in found if not self._doubles(f)):
            known = self._known_more_generally(thing)
            if known is None:
                weight = _TOUR_VIEWS * t.certainty(2.0)
                self._tracks[thing.name] = Track(thing, weight=weight)
            fresh.append(known or thing)
        return tuple(fresh)

    def _on_this_clock(self, thing: SceneObject) -> SceneObject:
        """What was seen later than now was seen before this clock began: not in this run."""
        later = thing.last_seen_s > self._stamp_s
        return replace(thing, last_seen_s=0.0) if later else thing

    def keep(self, names: Iterable[str]) -> None:
        """Things that a task keeps off: they stay in the scene though they are missing.

        Whatever new is like one of them, while that is out of view, is taken to be it.
        """
        self._keep = frozenset(names)

    def scene(self, stamp_s: float, robot: RobotState) -> Scene:
        """All that is known now, in the map; what the gripper holds is where it has it."""
        self._predict(robot)
        objects = self._motion.followed(
            replace(
                track.thing,
                living=track.thing.category in self._look.living,
                off_m=track.off_m,
                visible=stamp_s - track.thing.last_seen_s <= self._live.visible_s
                and track.thing.last_seen_s > 0
                and not track.thing.let_go,
            )
            for name, track in self._tracks.items()
            if not track.missing or name in self._keep
        )
        return Scene(stamp_s, objects, robot, 0.0, "map")

    # -- a new frame -----------------------------------------------------------------------

    def see(self, frame: RgbdFrame, robot: RobotState) -> None:
        """Take in one frame, and the robot's state when it was taken."""
        self._number += 1
        self._stamp_s = frame.stamp_s
        self._predict(robot)
        view = View.of(frame, 1)
        masks = _most_special(self._finder.find(frame, self._kinds)) if self._kinds else ()
        seen = sightings(frame, masks, self._number, self._look)
        pairs = self._associate(seen, view, robot)
        for sighting, name in pairs:
            if name is not None:
                self._see(name, sighting, view)
        for sighting in (s for s, name in pairs if name is None):
            self._propose(sighting)
        for name in set(self._tracks) - {n for _, n in pairs if n is not None}:
            if name in self._tracks:  # another's end may have put this one's name right
                self._miss(name, view)
        self._candidates.expire(self._number)
        self._grasp(robot)
        self._memory.add(frame)

    def _associate(
        self, seen: Sequence[Sighting], view: View, robot: RobotState
    ) -> list[tuple[Sighting, str | None]]:
        """Each sighting with the track that it shows, or None. Where things are comes first;
        what is left may be a thing that was moved from a place that is not confirmed."""
        names: list[str | None] = [None] * len(seen)
        scores = [
            (t.fit(s, track, self._live), i, name)
            for i, s in enumerate(seen)
            for name, track in self._tracks.items()
            if track.thing.category == s.noun
        ]
        for score, i, name in sorted(scores, reverse=True):
            if score > 0 and names[i] is None and name not in names:
                names[i] = name
        left = [
            (_apart(s, track.thing), i, name)
            for i, s in enumerate(seen)
            if names[i] is None
            for name, track in self._tracks.items()
            if name not in names and self._may_have_moved(track, s, view, robot)
        ]
        for _, i, name in sorted(left):
            if names[i] is None and name not in names:
                names[i] = name
        return list(zip(seen, names, strict=True))

    def _may_have_moved(
        self, track: Track, sighting: Sighting, view: View, robot: RobotState
    ) -> bool:
        """Whether a sighting elsewhere can be of a known thing."""
        if track.thing.category != sighting.noun or track.grasp is not None:
            return False
        if sighting.noun in self._look.living:
            since = sighting.stamp_s - track.thing.last_seen_s
            return track.missing or _apart(sighting, track.thing) < 1.0 + 1.5 * max(since, 0.0)
        near = _apart_on_floor(sighting, track.thing) < _FELL_M
        if near and sighting.stamp_s - track.let_go_s < _FALLS_S:
            return True  # whatever its colour from above: a can's lid is not like its side
        if not _alike(color_of([sighting]), track.thing.color):
            return False
        if near and track.thing.let_go:
            return True
        look = self._at(track, view)
        taken = self._in_hand(sighting, robot) and track.small and not look.shows
        return track.missing or track.absent > 0 or look.empty or taken

    def _in_hand(self, sighting: Sighting, robot: RobotState) -> bool:
        """Whether it is seen where fingers that may hold something are."""
        near = np.linalg.norm(sighting.points - np.asarray(robot.gripper.position), axis=1).min()
        holds = carrying.may_hold(robot, self._live.grip)
        return holds and bool(near < self._live.near_grip_m)

    def _see(self, name: str, sighting: Sighting, view: View) -> None:
        name = self._put_right(name)
        track = self._tracks[name]
        if track.grasp is not None and not self._lost(track, sighting):
            self._tracks[name] = t.refreshed(track, sighting)
            return
        was_held = track.grasp is not None
        if was_held:
            track = replace(track, grasp=None, let_go_s=sighting.stamp_s)
        if sighting.noun in self._look.living:
            self._tracks[name] = t.seen_walking(track, sighting)
        elif track.small or was_held:
            self._tracks[name] = t.seen_small(track, sighting, self._live)
        else:
            through = self._at(track, view).through
            self._tracks[name] = t.seen_large(track, sighting, through, self._live)

    def _lost(self, track: Track, sighting: Sighting) -> bool:
        """Whether a carried thing is seen where the gripper does not have it."""
        return _apart(sighting, track.thing) > self._live.elsewhere_m

    def _miss(self, name: str, view: View) -> None:
        track = self._tracks[name]
        if track.grasp is not None or track.missing:
            return
        look = self._at(track, view)
        if look.empty:
            track = replace(track, absent=track.absent + 1)
            self._tracks[name] = track
            if track.absent >= self._live.forget_after:
                self._gone(name)
        elif look.shows:
            self._tracks[name] = replace(track, absent=0)

    def _at(self, track: Track, view: View) -> Look:
        beyond = min(self._look.beyond_m, 0.03 + min(track.thing.size) / 2)
        return look_at(track.probe(), view, self._look.reach_m, beyond)

    def _gone(self, name: str) -> None:
        """A thing is not where it was: it is what was seen newly elsewhere, or missing."""
        if self._former.pop(name, None) is not None:
            del self._tracks[name]
            return
        track = self._tracks[name]
        for other, newer in self._tracks.items():
            same = newer.thing.category == track.thing.category
            later = newer.born_s > track.thing.last_seen_s
            if (
                same
                and later
                and not newer.missing
                and _alike(newer.thing.color, track.thing.color)
            ):
                self._tracks[name] = replace(newer, thing=replace(newer.thing, name=name))
                del self._tracks[other]
                return
        self._tracks[name] = replace(track, missing=True)

    # -- new things ------------------------------------------------------------------------

    def _propose(self, sighting: Sighting) -> None:
        cluster = self._candidates.add(sighting)
        if cluster is None:
            return
        thing = thing_of(cluster, sighting.noun)
        if self._doubles(thing) or self._known_more_generally(thing) is not None:
            return
        weight = len(cluster.seen) * t.certainty(sighting.distance_m)
        for name, track in self._tracks.items():
            same = track.missing and track.thing.category == thing.category
            if same and _alike(track.thing.color, thing.color):
                back = replace(thing, name=name, color=track.thing.color)
                self._tracks[name] = Track(back, track.born_s, weight)
                return
        first = min(s.stamp_s for s in cluster.seen)
        name = self._moved_unseen(thing, first) or name_for(thing, self._tracks)
        self._tracks[name] = Track(replace(thing, name=name), first, weight)

    def _moved_unseen(self, thing: SceneObject, first_s: float) -> str | None:
        """The name of what a task keeps off, if it may be this new thing, moved unseen."""
        for name in sorted(self._keep - set(self._former.values())):
            track = self._tracks.get(name)
            if track is None or track.thing.category != thing.category:
                continue
            if track.thing.last_seen_s < first_s and _alike(track.thing.color, thing.color):
                former = name_for(track.thing, self._tracks)
                self._tracks[former] = replace(track, thing=replace(track.thing, name=former))
                self._former[former] = name
                return name
        return None

    def _put_right(self, name: str) -> str:
        """What is seen where something stood that was taken to be moved is that thing itself."""
        kept = self._former.pop(name, None)
        if kept is None:
            return name
        mine, other = self._tracks[name], self._tracks[kept]
        self._tracks[kept] = replace(mine, thing=replace(mine.thing, name=kept))
        self._tracks[name] = replace(other, thing=replace(other.thing, name=name))
        return kept

    def _doubles(self, thing: SceneObject) -> bool:
        """Whether a known thing that is no less special stands in the same box."""
        box = UprightBox.of(thing)
        return any(
            overlap(box, UprightBox.of(track.thing)) > _SAME_BOX
            for track in self._tracks.values()
            if not track.missing
            and (
                track.thing.category == thing.category
                or not is_a(thing.category, track.thing.category)
            )
        )

    def _known_more_generally(self, thing: SceneObject) -> SceneObject | None:
        """The known thing that this one is by a more special word, such as a counter that is a
        kitchen counter: known by that from now on, under the name that it has."""
        box = UprightBox.of(thing)
        for name, track in self._tracks.items():
            special = is_a(thing.category, track.thing.category) and not track.missing
            if special and overlap(box, UprightBox.of(track.thing)) > _SAME_BOX:
                known = replace(track.thing, category=thing.category)
                self._tracks[name] = replace(track, thing=known)
                return known
        return None

    # -- held ------------------------------------------------------------------------------

    def _predict(self, robot: RobotState) -> None:
        """Move what is held with the gripper; a grasp that the fingers gave up ends."""
        for name, track in self._tracks.items():
            if track.grasp is None:
                continue
            held = carrying.follow(track.grasp, robot, self._live.grip)
            if held is None:
                self._tracks[name] = t.let_go(track, robot.stamp_s)
            else:
                moved = carrying.carry(track.thing, held, robot)
                self._tracks[name] = replace(t.carried_on(track, moved), grasp=held)

    def _grasp(self, robot: RobotState) -> None:
        """Note what the fingers have come to rest on: what is between them, now or when they
        closed, or what was near them then and is not at its place any more."""
        grip, width = self._live.grip, robot.gripper_width_m
        at_rest = self._width_m is not None and abs(width - self._width_m) < grip.still_m
        self._width_m = width
        if not carrying.may_hold(robot, grip):
            self._closed_at = None
            return
        if not at_rest or any(track.grasp for track in self._tracks.values()):
            return
        self._closed_at = self._closed_at or robot.gripper
        closed = replace(robot, gripper=self._closed_at)
        reach = replace(grip, between_m=self._live.near_grip_m)
        for hand, absent, near in ((robot, 0, grip), (closed, 0, grip), (closed, 1, reach)):
            name = carrying.between_fingers(self._loose(absent), hand, near)
            if name is None:
                continue
            track = self._tracks[name]
            grasp = carrying.grasp(track.thing, hand, grip)
            moved = carrying.carry(track.thing, grasp, robot)
            self._tracks[name] = replace(t.carried_on(track, moved), grasp=grasp)
            return

    def _loose(self, absent: int) -> dict[str, SceneObject]:
        """Things that a hand can hold, whose place at least so many frames saw empty."""
        return {
            name: track.thing
            for name, track in self._tracks.items()
            if track.small
            and track.thing.category not in self._look.living
            and (track.absent >= absent or track.missing)
        }


def _most_special(masks: Sequence[InstanceMask]) -> tuple[InstanceMask, ...]:
    """Without masks of a general kind that cover one of a more special kind."""
    return tuple(
        m
        for m in masks
        if not any(
            o.label != m.label
            and is_a(o.label, m.label)
            and (m.mask & o.mask).sum() > _SAME_MASK * max(int(m.mask.sum()), 1)
            for o in masks
        )
    )


def _apart(sighting: Sighting, thing: SceneObject) -> float:
    return float(np.linalg.norm(np.median(sighting.points, axis=0) - np.asarray(thing.position)))


def _apart_on_floor(sighting: Sighting, thing: SceneObject) -> float:
    middle = np.median(sighting.points[:, :2], axis=0)
    return float(np.linalg.norm(middle - np.asarray(thing.position[:2])))


def _alike(a: str, b: str) -> bool:
    """Whether two colours may be one in another light."""
    return not a or not b or family(a) == family(b) or any({a, b} <= s for s in _SHADES)
