"""Taught skills played by an arm: rehearsed in thought, then streamed through the gate.

A demonstration tells where the tool goes, not which way the elbow points, and a rack has several
pegs. So every attempt is rehearsed before anything moves: with each part that could be used, both
ways round of the fingers, and from several postures of the arm, until one is found in which the
joints go all the way and strike nothing. Where there is none, only what is near to where something
is taken and put is done as it was shown; in between, the arm carries it on a way of its own. The
things that the skill is about may be touched as it was shown; all others, and whatever must not be
touched, are kept off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.ports import Obstacle
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.learning.skills.course import Planned, Seen, course_of, without_ends, without_middle
from sayso.learning.skills.mirror import mirrored, mirrored_scene
from sayso.learning.skills.showings import Fitter
from sayso.learning.skills.skill import Attempt, Step, TaughtSkill
from sayso.skills.arm import OUT_OF_REACH
from sayso.skills.arm_skills import ArmWork
from sayso.skills.handling import Held, Task
from sayso.skills.policies import Along

POSTURES = 24
"""Of the arm, random ones, from which a rehearsal is begun besides the usual one."""
_TRIED = 6
"""So many of them, where the arm may also go as it was shown from where it is."""
_JUMP_RAD = 0.35
"""Between two setpoints; a joint that has to turn farther went another way round."""
_OTHER_WAY_ROUND = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
_LEVEL_M = 0.01
"""A piece of furniture whose top is so near to the table's height is what things stand on."""
_TAKEN_M = 0.03
"""A part with another thing so near is in use."""
_HELD_M = 0.0007
"""A part that is held loosely keeps the fingers this much wider than they were told to close."""
_SPEED = 0.35
"""Share of the joints' limits."""


@dataclass(frozen=True)
class Stretch:
    """One step of an attempt as the arm does it: a way of the joints (N, J), or the fingers.

    Attributes:
        free: whether the way is the arm's own, not as it was shown.
    """

    step: Step
    path: Array
    held: Held | None
    free: bool = False


@dataclass
class TaughtArmSkill:
    """A taught skill as an entry among the arm's skills.

    Attributes:
        learned: gives what was learned, when the skill is first done.
        mirrored: whether it may be done as in a mirror, too.
        parameters, needs: see `skills.skill.Skill`.
    """

    work: ArmWork
    learned: Callable[[], TaughtSkill]
    parameters: tuple[str, ...]
    mirrored: bool = False
    needs: tuple[str, ...] = ("arm", "hand")

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, VETO, UNREACHABLE with what is in the way, EXECUTION where the hand
        closes on nothing, and as `Arm.stream`."""
        stretches = self.rehearsed(task, args)
        first = next(s for s in stretches if s.step.shown.moves)
        task.arm.grip(stretches[0].step.width_m)
        task.arm.go(first.path[0], self._around(task, task.scene, ()))
        for stretch in stretches:
            how = "the arm's own way" if stretch.free else "as shown"
            task.phase(f"{stretch.step.shown.primitive} {how}")
            if stretch.free:
                self._carry(task, stretch)
            elif stretch.step.shown.moves:
                self._stream(task, stretch, args)
            else:
                self._fingers(task, stretch, args)
        if self.work.held is None:
            task.arm.grip(task.arm.settings.open_width_m)  # so that it shows that nothing is held

    def rehearsed(self, task: Task, args: tuple[str, ...]) -> list[Stretch]:
        """What the arm would do; nothing moves.

        Raises OBJECT_LOST, VETO, UNREACHABLE with what is in the way.
        """
        things = [task.object(name).name for name in args]
        task.phase("learn the motions that were shown")
        taught = self.learned()
        task.phase("rehearse what was shown")
        standing_for = dict(zip(taught.parameters, things, strict=True))
        _require_new(task.scene, taught, standing_for)
        return self._rehearsed(task, taught, standing_for)

    def _stream(self, task: Task, stretch: Stretch, args: Sequence[str]) -> None:
        arm = task.arm
        held = None if stretch.held is None else stretch.held.obstacle()
        path = np.concatenate([arm.joints()[None], stretch.path])
        limits = arm.limits.scaled(_SPEED)
        arm.stream(Along(path, limits), lambda scene: self._around(task, scene, args), held)

    def _carry(self, task: Task, stretch: Stretch) -> None:
        """Raises UNREACHABLE where something came in the way since it was rehearsed."""
        arm, held = task.arm, stretch.held
        exempt = () if held is None else (held.name,)
        around = self._around(task, arm.senses.scene(), exempt)
        arm.go(stretch.path[-1], around, None if held is None else held.obstacle())

    def _fingers(self, task: Task, stretch: Stretch, args: Sequence[str]) -> None:
        width_m = task.arm.grip(stretch.step.width_m)
        self.work.held = None
        shown = stretch.step.shown
        settings = task.arm.settings
        least_m = stretch.step.width_m + _HELD_M if shown.part else settings.empty_width_m
        if shown.primitive == "grasp" and shown.thing and width_m < least_m:
            task.arm.grip(settings.open_width_m)
            taken = dict(zip(self.learned().parameters, args, strict=True))[shown.thing]
            raise SaySoError(
                Code.EXECUTION,
                f"the hand closed on nothing where {in_words(taken)} was to be taken.",
                hint="looking again may help; else show it once more.",
            )
        if stretch.held is not None:
            self.work.held = replace(stretch.held, width_m=width_m)

    def _around(self, task: Task, scene: Scene, exempt: Sequence[str]) -> tuple[Obstacle, ...]:
        margin_m = task.arm.settings.avoid_margins_m[-1]
        return replace(task, scene=scene).obstacles(margin_m, *exempt)

    # -- rehearsal -------------------------------------------------------------------------

    def _rehearsed(self, task: Task, taught: TaughtSkill, things: dict[str, str]) -> list[Stretch]:
        start = taught.ways[0].showings[0].demonstration.samples[0].tool
        scene = replace(task.scene, robot=replace(task.scene.robot, gripper=start))
        reasons: list[str] = []
        rehearsed: list[tuple[Sequence[Planned], Pose]] = []
        for attempt, seen in self._attempts(taught, scene, things):
            if taken := in_use(attempt, seen, scene, things):
                reasons.append(taken)
                continue
            planned = without_ends(list(course_of(attempt, seen, things, scene)))
            for turned in (Pose(), _OTHER_WAY_ROUND):
                if found := self._possible(task, planned, turned, things, reasons):
                    return found
                rehearsed.append((planned, turned))
        for course, turned in rehearsed:
            if found := self._in_two(task, course, turned, things):
                return found
        raise SaySoError(
            Code.UNREACHABLE,
            "it cannot be done as it was shown: in the way of every try was "
            f"{', '.join(dict.fromkeys(reasons))}.",
            hint="make room there, turn or move things, or show another way to do it.",
        )

    def _possible(
        self,
        task: Task,
        planned: Sequence[Planned],
        turned: Pose,
        things: dict[str, str],
        reasons: list[str],
    ) -> list[Stretch]:
        """The first posture's way that goes all along and strikes nothing; else empty."""
        for posture in self._postures():
            found = self._joints(planned, turned, posture)
            hit = OUT_OF_REACH if found is None else self._hit(task, found, things)
            if found is not None and hit is None:
                return found
            reasons.append(hit or OUT_OF_REACH)
        return []

    def _in_two(
        self, task: Task, planned: Sequence[Planned], turned: Pose, things: dict[str, str]
    ) -> list[Stretch]:
        """As shown near to where something is taken and put, each in a posture of its own; what is
        held is carried from one to the other on the arm's own way. Else empty."""
        if (parts := without_middle(planned)) is None:
            return []
        before, after = (self._possible(task, part, turned, things, []) for part in parts)
        if not (before and after) or (held := before[-1].held) is None:
            return []
        start, goal = before[-1].path[-1], after[0].path[0]
        around = self._around(task, task.scene, (held.name,))
        try:
            way = task.arm.planner.plan(
                start,
                goal,
                around,
                held=held.obstacle(),
                timeout_s=task.arm.settings.plan_timeout_s,
            )
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            return []
        return [*before, Stretch(before[-1].step, way, held, free=True), *after]

    def _attempts(
        self, taught: TaughtSkill, scene: Scene, things: dict[str, str]
    ) -> Iterator[tuple[Attempt, Seen]]:
        """Each with how its poses are seen; those in the mirror last."""
        for attempt in taught.attempts(scene, things):
            yield attempt, _as_it_is
        if self.mirrored:
            for attempt in taught.attempts(mirrored_scene(scene), things):
                yield attempt, mirrored

    def _postures(self) -> Iterator[Array]:
        kinematics, rng = self.work.arm.kinematics, np.random.default_rng(0)
        yield kinematics.home
        for _ in range(POSTURES):
            yield np.asarray(rng.uniform(*kinematics.limits.T))

    def _joints(
        self, planned: Sequence[Planned], turned: Pose, posture: Array
    ) -> list[Stretch] | None:
        """The joints of every step, or None where they do not go all the way."""
        kinematics = self.work.arm.kinematics
        seed: Array | None = None
        found = []
        for step, tools, held in planned:
            path = []
            for tool in tools if step.shown.moves else ():
                near = posture if seed is None else seed
                joints = kinematics.inverse(tool @ turned, near, anywhere=False)
                if joints is None:
                    return None
                if seed is not None and float(np.abs(joints - seed).max()) > _JUMP_RAD:
                    return None
                path.append(joints)
                seed = joints
            offset = None if held is None else replace(held, offset=turned.inverse() @ held.offset)
            found.append(Stretch(step, np.array(path), offset))
        return found

    def _hit(self, task: Task, stretches: Sequence[Stretch], things: dict[str, str]) -> str | None:
        around = self._around(task, task.scene, tuple(things.values()))
        for s in stretches:
            if s.step.shown.moves:
                held = None if s.held is None else s.held.obstacle()
                if (hit := task.arm.planner.blocked(s.path, around, held=held)) is not None:
                    return hit
        return None


Furniture = Callable[[Scene], Sequence[Obstacle]]
"""What furniture is made of, where it is seen to be."""


@dataclass
class GuidedArmSkill(TaughtArmSkill):
    """A taught skill of what stands fixed and is worked: furniture is touched as it was shown.

    It begins wherever the hand is, with what it holds. The far part of the first way is the arm's
    own, around furniture and things, in whatever posture what follows can be done from; then all is
    as it was shown, and only what must not be touched is kept off. Where the arm finds no such way,
    it goes as it was shown from the beginning.

    Attributes:
        furniture: what furniture is made of.
        alike: how else its things may be seen, that look the same from several sides; tried in
            order where it cannot be done as they are seen first.
    """

    furniture: Furniture = field(kw_only=True)
    alike: tuple[Fitter, ...] = field(default=(), kw_only=True)

    def run(self, task: Task, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, VETO, UNREACHABLE, EXECUTION and as `Arm.stream`."""
        things = [task.object(name).name for name in args]
        taught = self.learned()
        task.phase("rehearse what was shown")
        for stretch in self._rehearsed(
            task, taught, dict(zip(taught.parameters, things, strict=True))
        ):
            how = "the arm's own way" if stretch.free else "as shown"
            task.phase(f"{stretch.step.shown.primitive} {how}")
            if stretch.free:
                self._require_free(task, stretch)
                task.arm.follow(stretch.path, task.arm.settings.speed)
            elif stretch.step.shown.moves:
                self._stream(task, stretch, args)
            else:
                self._fingers(task, stretch, args)

    def _rehearsed(self, task: Task, taught: TaughtSkill, things: dict[str, str]) -> list[Stretch]:
        """The first way in which the joints go all the way and strike nothing forbidden."""
        reasons: list[str] = []
        seen = (taught, *(replace(taught, fit=fit) for fit in self.alike))
        for scene, attempt in (
            (s, a) for s in self._starts(task) for one in seen for a in one.attempts(s, things)
        ):
            planned = list(course_of(attempt, _as_it_is, things, scene))
            if own := self._approached(task, planned, things):
                return own
            if scene is not task.scene:
                continue  # only on the arm's own way does it get to where that begins
            found = self._joints(planned, Pose(), task.arm.joints())
            hit = OUT_OF_REACH if found is None else self._struck(task, found, things)
            if found is not None and hit is None:
                return found
            reasons.append(hit or OUT_OF_REACH)
        raise SaySoError(
            Code.UNREACHABLE,
            f"it cannot be done as shown: in the way was {', '.join(dict.fromkeys(reasons))}.",
            hint="make room there, or show it from here.",
        )

    def _starts(self, task: Task) -> Iterator[Scene]:
        """The scene as it is, and, with nothing in the hand, as if that were at its usual place:
        what is shown bends toward where the hand begins."""
        yield task.scene
        if not any(o.carried for o in task.scene.objects):
            usual = self.work.arm.kinematics.forward(self.work.arm.kinematics.home)
            yield replace(task.scene, robot=replace(task.scene.robot, gripper=usual))

    def _approached(
        self, task: Task, planned: Sequence[Planned], things: dict[str, str]
    ) -> list[Stretch]:
        """On the arm's own way to where the last part of the first way begins, then as shown; empty
        where there is no far part, or no such way."""
        if len(planned) < 2 or not all(step.shown.moves for step, _, _ in planned[:2]):
            return []
        held = planned[0][2]
        around = self._furnished(task, () if held is None else (held.name,))
        for posture in (task.arm.joints(), *islice(self._postures(), _TRIED)):
            found = self._joints(planned[1:], Pose(), posture)
            if found is None or self._struck(task, found, things) is not None:
                continue
            try:
                way = task.arm.planner.plan(
                    task.arm.joints(), found[0].path[0], around,
                    held=None if held is None else held.obstacle(),
                    timeout_s=task.arm.settings.plan_timeout_s,
                )  # fmt: skip
            except SaySoError as error:
                if error.code not in (Code.UNREACHABLE, Code.PLAN_TIMEOUT):
                    raise
                return []
            return [Stretch(planned[0][0], way, held, free=True), *found]
        return []

    def _require_free(self, task: Task, stretch: Stretch) -> None:
        """Raises UNREACHABLE where something came in the way since it was rehearsed."""
        now, held = replace(task, scene=task.arm.senses.scene()), stretch.held
        around = self._furnished(now, () if held is None else (held.name,))
        carried = None if held is None else held.obstacle()
        if (hit := task.arm.planner.blocked(stretch.path, around, held=carried)) is not None:
            raise SaySoError(
                Code.UNREACHABLE,
                f"{hit} came in the way of the arm.",
                hint="make room there, and ask again.",
            )

    def _struck(
        self, task: Task, stretches: Sequence[Stretch], things: dict[str, str]
    ) -> str | None:
        """What must not be touched, or furniture that it is not about, in the way of any part."""
        others = [o for o in self.furniture(task.scene) if o.name not in things.values()]
        moving = (s for s in stretches if s.step.shown.moves)
        hits = (task.arm.planner.blocked(s.path, others) for s in moving)
        return self._hit(task, stretches, things) or next((h for h in hits if h), None)

    def _furnished(self, task: Task, exempt: Sequence[str]) -> tuple[Obstacle, ...]:
        """All things, furniture as what it is made of; the table, too, where it is furniture."""
        made = tuple(self.furniture(task.scene))
        margin_m = task.arm.settings.avoid_margins_m[-1]
        whole = {o.name for o in made} - set(task.avoid)
        table, *things = task.obstacles(margin_m, *exempt, *whole)
        replaced = any(abs(_top_m(o) - task.scene.table_height_m) < _LEVEL_M for o in made)
        return (*(() if replaced else (table,)), *things, *made)

    def _around(self, task: Task, scene: Scene, exempt: Sequence[str]) -> tuple[Obstacle, ...]:
        margin_m = task.arm.settings.avoid_margins_m[-1]
        others = (o.name for o in scene.objects if o.name not in task.avoid)
        return replace(task, scene=scene).obstacles(margin_m, *others)[1:]


def _top_m(obstacle: Obstacle) -> float:
    """The height of an upright shape's top."""
    return obstacle.pose.position[2] + obstacle.size[2] / 2


def _require_new(scene: Scene, taught: TaughtSkill, things: Mapping[str, str]) -> None:
    """Raises UNREACHABLE where it failed before, and nobody showed how to do it there."""
    if taught.failed_there(scene, things):
        raise SaySoError(
            Code.UNREACHABLE,
            "it failed before with the things as they stand, and was not shown there since.",
            hint="show it once more with the things as they stand, or move them.",
        )


def _as_it_is(pose: Pose) -> Pose:
    return pose


def in_use(attempt: Attempt, seen: Seen, scene: Scene, things: dict[str, str]) -> str:
    """What is at a part that would be used."""
    places = [seen(pose).position for pose in attempt.used.values()]
    others = (o for o in scene.objects if o.name not in things.values())
    near = (o.name for o in others if any(_away_m(o, p) < _TAKEN_M for p in places))
    return next(near, "")


def _away_m(thing: SceneObject, place: Vector3) -> float:
    """How far what is seen of a thing is from a place: a mug's box reaches to the next peg."""
    if not len(thing.points):
        return thing.distance_to(place)
    return float(np.linalg.norm(thing.points - np.asarray(place, np.float32), axis=1).min())
