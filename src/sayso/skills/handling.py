"""Pick up, put down, open and close: what the hand does to things.

Each function moves the arm by what a scene shows and raises `SaySoError` when it cannot go on:
UNREACHABLE names what is in the way, EXECUTION says what the hand felt, OBJECT_LOST what was
not seen. None of them claims success: effects are checked by observation afterwards.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3, rotation_matrix
from sayso.core.ports import Obstacle
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.skills.arm import OUT_OF_REACH, Arm
from sayso.skills.contract import found_in, require_known
from sayso.skills.grasps import Grasp, grasps, handle_grasps
from sayso.skills.obstacles import held_obstacle, obstacles
from sayso.skills.poses import approach_direction, moved

logger = logging.getLogger(__name__)

UP = np.array([0.0, 0.0, 1.0])
_FACE_HOLD_M = 0.02
_CLOSE_ENOUGH_RAD = 0.02
_JAW_CLEAR_M = 0.003
"""How near to a thing a jaw that does not move is brought before the other one closes."""
_JAMMED_M = 0.002
"""Fingers less than this short of as far apart as they go, though told to close, are jammed."""


@dataclass(frozen=True)
class Held:
    """What the hand took: its pose in the tool frame, its size and the fingers' width then."""

    name: str
    offset: Pose
    size: Vector3
    width_m: float

    def obstacle(self) -> Obstacle:
        # A little smaller than seen, or noise would let it collide with its own support.
        x, y, z = (max(0.004, s - 0.006) for s in self.size)
        return held_obstacle(self.name, self.offset, (x, y, z))


Forbids: TypeAlias = Callable[[Scene, RobotState], str | None]
"""Why a task would be broken by a scene with the robot in a state, or None."""


@dataclass(frozen=True)
class Task:
    """What one skill works with: the arm, the scene it saw, what it must not touch or cause."""

    arm: Arm
    scene: Scene
    avoid: frozenset[str] = frozenset()
    phase: Callable[[str], None] = lambda _: None
    forbids: Forbids = field(default=lambda _scene, _robot: None, kw_only=True)

    def object(self, name: str) -> SceneObject:
        """Raises OBJECT_LOST, and VETO for what must not be touched."""
        require_known(self.scene, (name,), self.avoid)
        return found_in(self.scene, name)

    def obstacles(self, margin_m: float, *exempt: str) -> tuple[Obstacle, ...]:
        """Everything but the exempt, with this clearance from what must be avoided."""
        return obstacles(
            self.scene,
            self.arm.settings,
            avoid=self.avoid,
            avoid_margin_m=margin_m,
            exempt=frozenset(exempt),
        )

    def permitted(self, held: Held, spots: Sequence[Pose]) -> tuple[Pose, ...]:
        """Those of the spots at which what is held brings nothing about that the task forbids.

        Raises:
            SaySoError: UNREACHABLE if it does at each of them.
        """
        why = {s.position: self._forbidden(held, s) for s in spots}
        found = tuple(s for s in spots if why[s.position] is None)
        if spots and not found:
            raise SaySoError(
                Code.UNREACHABLE,
                f"wherever there is room for {in_words(held.name)}, {why[spots[0].position]}.",
                hint="allow it, or clear some room.",
            )
        return found

    def _forbidden(self, held: Held, spot: Pose) -> str | None:
        """Why the task would be broken with the thing there and the hand drawn back, or None."""
        settings = self.arm.settings
        tool = moved(spot @ held.offset.inverse(), UP * settings.approach_m)
        robot = replace(self.scene.robot, gripper=tool, gripper_width_m=settings.open_width_m)
        objects = tuple(
            replace(o, position=spot.position, orientation=spot.orientation, carried=False)
            if o.name == held.name
            else o
            for o in self.scene.objects
        )
        return self.forbids(replace(self.scene, robot=robot, objects=objects), robot)


@dataclass(frozen=True)
class Target:
    """A tool pose to reach straight from a place displaced by `away` (3,).

    `then` (3,) is a straight motion that must be possible from there, such as pulling.
    """

    tool: Pose
    away: Array
    rank: int = 0
    then: Array | None = None


@dataclass(frozen=True)
class _Way:
    """A reachable target: the straight way in, and what the way to its start must keep off."""

    path: Array
    margin_m: float
    travel: float


# -- pick ----------------------------------------------------------------------------------


def pick(
    task: Task,
    name: str,
    source: str | None = None,
    candidates: Sequence[Grasp] = (),
    lift_m: float | None = None,
) -> Held:
    """Grasp an object from above, lift it, and feel that it is there.

    Args:
        candidates: the ways to take hold of it; by default those of `grasps`.
        lift_m: length of the straight way down and up; by default the settings'.
    """
    obj = task.object(name)
    arm = task.arm
    candidates = candidates or grasps(obj, task.scene, arm.settings)
    above = UP * (lift_m or arm.settings.approach_m)
    ways = _ways(task, [Target(g.tool, above, g.rank) for g in candidates], name, source)
    index, way = _reach_first(task, ways, name, None, candidates[0].opening_m)
    grasp = candidates[index]
    task.phase(f"reach down to {in_words(name)}")
    arm.follow(way.path)
    task.phase(f"grasp {in_words(name)}")
    out = _bring_jaw_up(task, grasp, above, way, name)
    width = arm.grip(0.0)
    _require_felt(task, grasp, name, width)
    task.phase(f"lift {in_words(name)}")
    arm.follow(out)
    if (width := arm.senses.robot().gripper_width_m) < arm.settings.empty_width_m:
        _let_go(task, name, f"{name} slipped out of the hand while it was lifted")
    return Held(name, _offset(grasp, obj), obj.size, width)


def _bring_jaw_up(task: Task, grasp: Grasp, above: Array, way: _Way, name: str) -> Array:
    """The way out (N, J) from where the hand closes: with a jaw that does not move, where there is
    room for that, this jaw is brought up to the thing. What the other one pushes over to it tips,
    and is held by an edge.
    """
    arm, plain = task.arm, way.path[::-1]
    by_m = grasp.gap_m - _JAW_CLEAR_M
    if by_m <= 0.0:
        return plain
    beside = moved(grasp.tool, rotation_matrix(grasp.tool.orientation)[:, 1] * by_m)
    over = arm.line(plain[0], beside)
    out = None if over is None else arm.line(over[-1], moved(beside, above))
    if over is None or out is None:
        return plain
    around = task.obstacles(way.margin_m, name)
    if hit := next((h for w in (over, out) if (h := arm.planner.blocked(w, around))), None):
        logger.info("bringing the jaw up to %s: %s is in the way", name, hit)
        return plain
    arm.follow(over)
    return out


def _require_felt(task: Task, grasp: Grasp, name: str, width_m: float) -> None:
    """Open again and raise EXECUTION if the fingers closed on nothing or something else, or could
    not close: what jams them open counts as nothing held, and may fall at any time."""
    if width_m > task.arm.senses.robot().gripper_max_width_m - _JAMMED_M:
        _let_go(task, name, f"the hand could not close around {name}: it stands open all the way")
    if width_m < task.arm.settings.empty_width_m:
        _let_go(task, name, f"the hand closed on nothing where {name} was seen")
    if grasp.hold_m is not None and abs(width_m - grasp.hold_m) > _FACE_HOLD_M:
        _let_go(
            task,
            name,
            f"the hand closed to {1000 * width_m:.0f} mm where {name} should be "
            f"{1000 * grasp.hold_m:.0f} mm wide",
        )


def _let_go(task: Task, name: str, reason: str) -> NoReturn:
    """Open, draw back and raise EXECUTION."""
    task.phase("let go and draw back")
    task.arm.grip(task.arm.settings.open_width_m)
    _draw_back(task, name)
    raise SaySoError(Code.EXECUTION, f"{reason}.", hint="looking again may help.")


def _offset(grasp: Grasp, obj: SceneObject) -> Pose:
    """The object in the tool frame once the fingers have closed.

    Fingers that close on two faces bring the object to their middle, whatever was seen; a jaw that
    does not move has it at its own side.
    """
    offset = grasp.tool.inverse() @ obj.pose
    x, y, z = offset.position
    if grasp.gap_m:
        return Pose((x, y - grasp.gap_m, z), offset.orientation)
    return offset if grasp.hold_m is None else Pose((x, 0.0, z), offset.orientation)


# -- place ---------------------------------------------------------------------------------


def place(
    task: Task,
    held: Held,
    spots: Sequence[Pose],
    support: str | None = None,
    lift_m: float | None = None,
) -> None:
    """Put what is held down at the first of the spots (poses of the thing) that can be reached.

    Args:
        lift_m: length of the straight way down and up; by default the settings'.
    """
    arm = task.arm
    inverse = held.offset.inverse()
    ranks = {spot.position: None for spot in spots}
    rank = {position: i for i, position in enumerate(ranks)}
    above = UP * (lift_m or arm.settings.approach_m)
    targets = [Target(spot @ inverse, above, rank[spot.position]) for spot in spots]
    ways = _ways(task, targets, held.name, support, held.obstacle())
    _, way = _reach_first(task, ways, held.name, held.obstacle(), None)
    task.phase(f"lower {in_words(held.name)}")
    arm.follow(way.path)
    task.phase(f"let go of {in_words(held.name)}")
    arm.grip(arm.settings.open_width_m)  # all the way, so that it shows that nothing is held
    task.phase("draw back")
    arm.follow(way.path[::-1])


def held_in(scene: Scene, name: str, memory: Held | None) -> Held:
    """What is known of a held object: from the grasp if remembered, else from the scene.

    Raises OBJECT_LOST if it is in neither.
    """
    width_m = scene.robot.gripper_width_m
    if memory is not None and memory.name == name:
        return replace(memory, width_m=width_m)
    obj = scene.by_name().get(name)
    if obj is None:
        raise SaySoError(Code.OBJECT_LOST, f"{name} is not seen in the hand.")
    offset = scene.robot.gripper.inverse() @ obj.pose
    return Held(name, offset, obj.size, width_m)


# -- drawer --------------------------------------------------------------------------------


def slide(task: Task, name: str, opening_m: float) -> None:
    """Take a drawer's handle, pull or push until it stands open this far, and let go."""
    drawer = task.object(name)
    if (opened_m := drawer.number("opening_m")) is None:
        raise SaySoError(Code.UNSUPPORTED, f"{name} is not something that opens.")
    arm = task.arm
    candidates = handle_grasps(drawer, arm.settings)
    pull = rotation_matrix(drawer.orientation)[:, 0] * (opened_m - opening_m)
    targets = [
        Target(g.tool, -approach_direction(g.tool) * arm.settings.handle_approach_m, g.rank, pull)
        for g in candidates
    ]
    # What lies in the drawer moves with it and is in nobody's way.
    inner = replace(task, scene=_without_contents(task.scene, drawer))
    ways = _ways(inner, targets, name, name)
    _, way = _reach_first(inner, ways, name, None, candidates[0].opening_m)
    task.phase(f"reach for the handle of {in_words(name)}")
    arm.follow(way.path)
    if arm.grip(0.0) < arm.settings.empty_width_m:
        _let_go(inner, name, f"the hand closed on nothing at the handle of {name}")
    task.phase("pull" if opening_m > opened_m else "push")
    around = inner.obstacles(way.margin_m, name)
    arm.straight(pull, around)
    arm.grip(candidates[0].opening_m)
    task.phase("draw back")
    back = -approach_direction(arm.kinematics.forward(arm.joints()))
    arm.straight(back * arm.settings.handle_approach_m, around)


def _without_contents(scene: Scene, drawer: SceneObject) -> Scene:
    half = np.asarray(drawer.size) / 2
    to_drawer = drawer.pose.inverse()

    def contained(obj: SceneObject) -> bool:
        x, y, _ = to_drawer.transform(np.array([obj.position]))[0]
        fixture = obj.category in ("drawer", "cabinet")
        return not fixture and bool(abs(x) < half[0] and abs(y) < half[1])

    return replace(scene, objects=tuple(o for o in scene.objects if not contained(o)))


# -- common --------------------------------------------------------------------------------


def _draw_back(task: Task, name: str) -> None:
    """Straight up as far as that is free: a first step away from things."""
    arm = task.arm
    around = task.obstacles(arm.settings.avoid_margins_m[-1], name)
    for share in (1.0, 0.5):
        try:
            arm.straight(UP * arm.settings.approach_m * share, around)
            return
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            logger.info("drawing back: %s", error.message)


def go_home(task: Task, held: Held | None = None) -> None:
    """To the configuration in which the cameras see the table."""
    arm = task.arm
    goal = arm.kinematics.home
    if np.abs(arm.joints() - goal).max() < _CLOSE_ENOUGH_RAD:
        return
    exempt = (held.name,) if held else ()
    carried = held.obstacle() if held else None
    for margin in task.arm.settings.avoid_margins_m:
        try:
            arm.go(goal, task.obstacles(margin, *exempt), carried)
            return
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE or margin == arm.settings.avoid_margins_m[-1]:
                raise


def _ways(
    task: Task,
    targets: Sequence[Target],
    name: str,
    support: str | None,
    held: Obstacle | None = None,
) -> dict[int, _Way]:
    """Targets of the best rank that can be reached straight, with the widest clearance.

    Raises UNREACHABLE that says what is in the way of most.
    """
    exempt = [n for n in (name, support) if n]
    reasons: Counter[str] = Counter()
    outs: dict[int, Array | None] = {}
    for margin in task.arm.settings.avoid_margins_m if task.avoid else (0.0,):
        around = task.obstacles(margin, *exempt)
        for rank in sorted({t.rank for t in targets}):
            found = {}
            for i in (i for i, t in enumerate(targets) if t.rank == rank):
                if i not in outs:
                    outs[i] = task.arm.way_out(targets[i].tool, targets[i].away)
                way = _way(task, targets[i], outs[i], around, held)
                if isinstance(way, str):
                    reasons[way] += 1
                else:
                    found[i] = replace(way, margin_m=margin)
            if found:
                return found
    raise _unreachable(name, reasons)


def _way(
    task: Task,
    target: Target,
    out: Array | None,
    around: Sequence[Obstacle],
    held: Obstacle | None,
) -> _Way | str:
    """The way in, or the name of what is in it.

    Nearness that exists at the target itself, such as that of a held thing to its support, is
    accepted: the way is checked from the target outwards.
    """
    arm = task.arm
    if out is None:
        return OUT_OF_REACH
    if (hit := arm.planner.blocked(out, around, held=held)) is not None:
        return hit
    if target.then is not None:
        onward = arm.line(out[0], moved(target.tool, target.then))
        if onward is None:
            return OUT_OF_REACH
        if (hit := arm.planner.blocked(onward, around)) is not None:
            return hit
    return _Way(out[::-1].copy(), 0.0, float(np.abs(out[-1] - arm.joints()).max()))


def _reach_first(
    task: Task, ways: dict[int, _Way], name: str, held: Obstacle | None, opening_m: float | None
) -> tuple[int, _Way]:
    """Move to the start of the way that needs least travel; opens the hand first if asked."""
    arm = task.arm
    task.phase(f"move over to {in_words(name)}" if held is None else f"carry {in_words(name)}")
    if opening_m is not None and abs(arm.senses.robot().gripper_width_m - opening_m) > 0.004:
        arm.grip(opening_m)
    reasons: Counter[str] = Counter()
    for index, way in _by_travel(ways):
        around = task.obstacles(way.margin_m, *([name] if held else ()))
        try:
            arm.go(way.path[0], around, held)
            return index, way
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            reasons[error.message] += 1
    raise SaySoError(Code.UNREACHABLE, f"no way to {name}: {reasons.most_common(1)[0][0]}")


def _by_travel(ways: dict[int, _Way]) -> Iterable[tuple[int, _Way]]:
    return sorted(ways.items(), key=lambda item: item[1].travel)[:6]


def _unreachable(name: str, reasons: Counter[str]) -> SaySoError:
    words = ", ".join(reason for reason, _ in reasons.most_common(3))
    return SaySoError(
        Code.UNREACHABLE,
        f"{name} cannot be reached: in the way of every try was {words}.",
        hint="make room there, or move it nearer.",
    )
