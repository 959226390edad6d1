"""A table without physics: the whole pipeline in one process, for examples and tests.

Words, formulas, automata, plans and predicates are real; only the motion is not. Objects jump
to where a skill would bring them, and skills can be made to fail. Nothing here is a robot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.library import Library, builtin_path, load
from sayso.core.ports import Embedder, LanguageModel
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Action, Check, Literal
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.mission.programs.stages import ProgramStages
from sayso.mission.programs.writing import Programmer
from sayso.mission.stages import ReportSkill
from sayso.pipeline import Outcome, perform
from sayso.planning.problem import TaskPlanner
from sayso.reporting.events import Listener
from sayso.skills import contract
from sayso.skills.handling import Forbids
from sayso.skills.placing import SIDES, Side, beside
from sayso.skills.settings import SkillSettings

HOVER: Pose = Pose((0.35, 0.0, 0.4), (1.0, 0.0, 0.0, 0.0))
OPEN_M, HELD_M = 0.08, 0.045
DRAWER_OPEN_M = 0.15
FINGERS_M = 0.05
"""What is set down stands at least so far from all else."""


def example_objects() -> tuple[SceneObject, ...]:
    """The table-top of the demo, without noise: three blocks, plate, mug, bowl, drawer."""

    def block(color: str, x: float, y: float) -> SceneObject:
        return SceneObject(f"{color}_block", "block", color, (x, y, 0.0225), (0.045,) * 3)

    return (
        block("red", 0.45, 0.0),
        block("green", 0.45, 0.12),
        block("blue", 0.45, -0.12),
        SceneObject("plate", "plate", "white", (0.6, 0.15, 0.006), (0.2, 0.2, 0.012)),
        SceneObject("mug", "mug", "purple", (0.35, 0.2, 0.045), (0.08, 0.08, 0.09)),
        SceneObject("bowl", "bowl", "orange", (0.6, -0.2, 0.025), (0.15, 0.15, 0.05)),
        SceneObject(
            "drawer",
            "drawer",
            "yellow",
            (0.7, 0.45, 0.06),
            (0.02, 0.2, 0.08),
            attributes={"opening_m": 0.0},
        ),
    )


class KinematicTable(InProcessStages):
    """The stages of a task over a scene that changes without motion.

    Args:
        objects: of the table; their predicates are evaluated on geometry, as for a camera.
        fails: called with an action before it is carried out; returns why it fails, or None.
        confirm: the person; says yes by default.
        planner: as `InProcessStages` has it.
    """

    def __init__(
        self,
        objects: Iterable[SceneObject] = (),
        fails: Callable[[Action], SaySoError | None] = lambda _: None,
        confirm: Confirm = say_yes,
        library: Library | None = None,
        planner: TaskPlanner | None = None,
    ) -> None:
        super().__init__(library or load(builtin_path()), confirm, planner)
        self.done: list[Action] = []
        self._fails = fails
        chosen = tuple(objects) or example_objects()
        self._scene = Scene(0.0, chosen, RobotState(gripper=HOVER))

    @property
    def scene(self) -> Scene:
        return self._scene

    def add(self, *objects: SceneObject) -> None:
        """Things turn up."""
        self._scene = replace(self._scene, objects=(*self._scene.objects, *objects))

    def look(self) -> None:
        self._scene = replace(self._scene, stamp_s=self._scene.stamp_s + 1.0)
        self.take(self.scene)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        contract.require_known(self.scene, action.args, ())
        before = self._checks(sorted(action.needs(self.scene.by_name())))
        started(before)
        contract.require(before, Code.PRECONDITION, f"{action} cannot start")
        if (error := self._fails(action)) is not None:
            raise error
        self.done.append(action)
        self._scene = moved(self._scene, action, self._forbids)
        return self._checks(map(Literal, sorted(action.add)))

    def _forbids(self, scene: Scene, robot: RobotState) -> str | None:
        return self.task_watch.would_violate(scene, robot)

    def _checks(self, literals: Iterable[Literal]) -> tuple[Check, ...]:
        return contract.check(self.scene, literals, self.library.predicates)


def moved(scene: Scene, action: Action, forbids: Forbids = lambda _scene, _robot: None) -> Scene:
    """The scene after an action's skill: what moves, where to, and what the hand does.

    What is put on the table comes to the first place where it breaks nothing, as `forbids` tells.
    Raises UNREACHABLE if there is none.
    """
    thing = scene.by_name()[action.args[0]]
    if action.skill in ("pick", "pick_from"):
        held = replace(thing, position=HOVER.position, carried=True)
        return _with(scene, held, HELD_M)
    if action.skill in ("open_drawer", "close_drawer"):
        opening = DRAWER_OPEN_M if action.skill == "open_drawer" else 0.0
        return with_opening(scene, thing.name, opening)
    target = scene.by_name()[action.args[1]] if len(action.args) > 1 else None
    if target is not None and action.skill in SIDES:
        places = _beside(scene, thing, target, SIDES[action.skill])
    else:
        places = _places(scene, thing, target)
    on_table = target is None or action.skill in SIDES
    for place in places:
        after = _with(scene, replace(thing, position=place, carried=False), OPEN_M)
        if not on_table or forbids(after, after.robot) is None:
            return after
    raise SaySoError(Code.UNREACHABLE, f"there is no free place on the table for {thing.name}.")


def with_opening(scene: Scene, drawer: str, opening_m: float) -> Scene:
    """The scene with a drawer open so far, what lies in it moved along, and the fingers apart."""
    thing = scene.by_name()[drawer]
    return _with_contents(_with(scene, _slid(thing, opening_m), OPEN_M), scene, thing)


def _with(scene: Scene, changed: SceneObject, width_m: float) -> Scene:
    objects = tuple(changed if o.name == changed.name else o for o in scene.objects)
    return replace(scene, objects=objects, robot=replace(scene.robot, gripper_width_m=width_m))


def _with_contents(after: Scene, before: Scene, drawer: SceneObject) -> Scene:
    """What lies in a drawer moves along with its front."""
    view = SceneView(before, load(builtin_path()).predicates)
    shift = _opening(drawer) - _opening(after.by_name()[drawer.name])

    def along(obj: SceneObject) -> SceneObject:
        if obj.name == drawer.name or not view.holds("in", obj.name, drawer.name):
            return obj
        x, y, z = obj.position
        return replace(obj, position=(x + shift, y, z), visible=shift < 0)

    return replace(after, objects=tuple(along(o) for o in after.objects))


def _opening(drawer: SceneObject) -> float:
    return drawer.number("opening_m") or 0.0


def _slid(drawer: SceneObject, opening_m: float) -> SceneObject:
    """Its box spans from the front panel to the cabinet: it grows towards the robot."""
    x, y, z = drawer.position
    sx, sy, sz = drawer.size
    change = opening_m - _opening(drawer)
    return replace(
        drawer,
        position=(x - change / 2, y, z),
        size=(sx + change, sy, sz),
        attributes={"opening_m": opening_m},
    )


def _places(scene: Scene, thing: SceneObject, target: SceneObject | None) -> Iterator[Vector3]:
    half = thing.size[2] / 2
    if target is None:
        for spot in _free_spots(scene, thing):
            yield (*spot, scene.table_height_m + half)
        return
    x, y, z = target.position
    view = SceneView(scene, load(builtin_path()).predicates)
    inside = view.holds("container", target.name)
    floor = z - target.size[2] / 2 + 0.005 if inside else z + target.size[2] / 2
    yield (x, y, floor + half)


def _beside(scene: Scene, thing: SceneObject, target: SceneObject, side: Side) -> Iterator[Vector3]:
    others = tuple(o for o in scene.objects if o.name != thing.name)
    free = replace(scene, objects=others)
    for pose in beside(thing.size, 0.0, target, side, free, SkillSettings()):
        x, y, _ = pose.position
        yield (x, y, scene.table_height_m + thing.size[2] / 2)


def _free_spots(scene: Scene, thing: SceneObject) -> Iterator[tuple[float, float]]:
    """Some places with room for fingers around them."""
    others = [o for o in scene.objects if o.name != thing.name]
    for x in (0.35, 0.45, 0.55, 0.65):
        for y in (0.0, -0.1, 0.1, -0.3, 0.3):
            if all(_gap_m(o, thing, x, y) > FINGERS_M for o in others):
                yield x, y


def _gap_m(other: SceneObject, thing: SceneObject, x: float, y: float) -> float:
    """From the box of a thing to where another would stand."""
    dx = abs(other.position[0] - x) - (other.size[0] + thing.size[0]) / 2
    dy = abs(other.position[1] - y) - (other.size[1] + thing.size[1]) / 2
    return math.hypot(max(dx, 0.0), max(dy, 0.0))


def run_program(
    programmer: Programmer,
    words: str,
    library: Library,
    confirm: Confirm,
    embedder: Embedder,
    listener: Listener,
    model: LanguageModel | None = None,
) -> Outcome:
    """Performs programs on the example table; see `mission.programs`. A model, if there is one,
    reads words that controlled English does not."""
    table = KinematicTable(confirm=confirm, library=library)
    table.read_with(model)
    stages = ProgramStages(table, programmer, lambda: table.library, lambda: table.scene, embedder)
    return perform(words, stages, listener)
