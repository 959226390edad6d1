"""Tasks on a table that somebody upsets once: simulated, or without physics.

What a person does is chosen on what is really there (`worlds/table_upsets.py`). On the simulated
table it is done in physics: things and the drawer are set down where that person puts them, and
held until the fingers have closed where the hand is filled. The robot finds out by its cameras.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

from sayso.core.library import Library, builtin_path, load, parse_literal
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action
from sayso.evaluation.table_run.robot import PACE, build
from sayso.evaluation.table_run.stages import TableStages
from sayso.evaluation.upsets.runs import UpsetRun, UpsetTask, failures_of, repairs_of
from sayso.pipeline import perform
from sayso.reporting.events import Event
from sayso.worlds.noise import NoiseModel
from sayso.worlds.stepped_senses import SteppedSenses
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.table_upsets import UPSETS, MeddledTable, Meddler

MOVED_M = 0.002
"""What a person's doing moves by less stays where it is."""
GRIP_N, HELD_S = 20.0, 0.6

TASKS = (
    UpsetTask(
        "Put the red block on the plate, then put the blue block on the red block. "
        "Never touch the mug.",
        ("on(red_block, plate)", "on(blue_block, red_block)"),
        ("mug",),
    ),
    UpsetTask(
        "Put the green block in the drawer and close it.",
        ("in(green_block, drawer)", "closed(drawer)"),
    ),
    UpsetTask(
        "Put the red block in the bowl and the green block on the blue block. Never touch the mug.",
        ("in(red_block, bowl)", "on(green_block, blue_block)"),
        ("mug",),
    ),
    UpsetTask(
        "Put the blue block in the drawer, then put the red block on the green block. "
        "Never touch the bowl.",
        ("in(blue_block, drawer)", "on(red_block, green_block)"),
        ("bowl",),
    ),
    UpsetTask(
        "Open the drawer, put the red block in it, close it, then put the green block in the bowl.",
        ("in(red_block, drawer)", "closed(drawer)", "in(green_block, bowl)"),
    ),
    UpsetTask(
        "Stack the blue block on the green block and the red block on the blue block. "
        "Never touch the mug.",
        ("on(blue_block, green_block)", "on(red_block, blue_block)"),
        ("mug",),
    ),
)
MOST_BEGUN = 4


def chosen(upset: str, seed: int, objects: Iterable[SceneObject] = ()) -> tuple[UpsetTask, int]:
    """The task of a seed, and how many steps of it are begun before it is upset.

    Both are the first, from a place in their order that the seed gives, of which the upset meets a
    step on the table without physics.

    Args:
        objects: what is on the table; the example's if there is nothing.
    """
    turned = [TASKS[(seed + n) % len(TASKS)] for n in range(len(TASKS))]
    first = seed // len(TASKS)
    for task, late in product(turned, range(MOST_BEGUN)):
        begun = (first + late) % MOST_BEGUN
        table = MeddledTable(upset, begun, seed, objects)
        perform(task.instruction, table, lambda _: None)
        if table.upset_at is not None:
            return task, begun
    raise AssertionError(f"no task that '{upset}' upsets")


def kinematic_run(upset: str, seed: int) -> UpsetRun:
    """As `run`, on the table without physics, of which all is seen."""
    task, begun = chosen(upset, seed)
    table, events = MeddledTable(upset, begun, seed), list[Event]()
    seen: set[str] = set()

    def listen(event: Event) -> None:
        events.append(event)
        seen.update(_true_of(task, table.scene, table.library))

    outcome = perform(task.instruction, table, listen)
    now = _true_of(task, table.scene, table.library)
    touched = {arg for action in table.done for arg in action.args[:1]}
    return UpsetRun(
        task.instruction, outcome, table.upset_at, seen == set(task.ends), now == set(task.ends),
        tuple(sorted(touched.intersection(task.untouched))), repairs_of(events),
        failures_of(events),
    )  # fmt: skip


def run(upset: str, seed: int, *, perceive: bool = True) -> UpsetRun:
    """One task with one upset; the seed draws table, noise, task, moment and what is done.

    Args:
        upset: of `UPSETS`.
        perceive: see through the cameras, with noise; else the simulator's truth.
    """
    library = load(builtin_path())
    world = TableWorld(seed, NoiseModel() if perceive else None)
    task, begun = chosen(upset, seed, world.true_scene().objects)
    arm = build(world, perceive=perceive, library=library)
    meddling = _Meddling(task, world, arm.senses, upset, begun, random.Random(seed))
    stages = TableStages(arm, library, meddling.before)
    events: list[Event] = []
    try:
        outcome = perform(task.instruction, stages, events.append)
        now = _true_of(task, world.true_scene(), library)
        return UpsetRun(
            task.instruction, outcome, meddling.upset_at, (now | meddling.seen) == set(task.ends),
            now == set(task.ends), tuple(sorted(arm.senses.touched.intersection(task.untouched))),
            repairs_of(events), failures_of(events),
        )  # fmt: skip
    finally:
        world.close()


def _true_of(task: UpsetTask, scene: Scene, library: Library) -> set[str]:
    view = SceneView(scene, library.predicates)
    return {text for text in task.ends if view.truth(parse_literal(text).atom)}


class _Meddling:
    """Upsets the task once, before a step that can be upset; notes what was true before each."""

    def __init__(
        self,
        task: UpsetTask,
        world: TableWorld,
        senses: SteppedSenses,
        upset: str,
        begun: int,
        rng: random.Random,
    ) -> None:
        self.upset_at: Action | None = None
        self.seen: set[str] = set()
        self._task = task
        self._world = world
        self._senses = senses
        self._upset = UPSETS[upset]
        self._to_begin = begun
        self._rng = rng

    def before(self, action: Action) -> None:
        """An action comes next."""
        library, now = load(builtin_path()), self._world.true_scene()
        self.seen |= _true_of(self._task, now, library)
        if self.upset_at is None and self._to_begin <= 0:
            after = self._upset(Meddler(now, library, action, self._rng))
            if after is not None:
                self._do(now, after)
                self.upset_at = action
        self._to_begin -= 1

    def _do(self, now: Scene, after: Scene) -> None:
        world, there = self._world, after.by_name()
        drawer = there["drawer"].number("opening_m")
        if drawer is not None and drawer != now.by_name()["drawer"].number("opening_m"):
            world.slide_drawer(drawer)
        for name, thing in now.by_name().items():
            if name not in there:
                world.remove(name)
            elif there[name].carried and not thing.carried:
                self._put_in_hand(name)
            elif (
                name not in ("drawer", "cabinet")
                and thing.distance_to(there[name].position) > MOVED_M
            ):
                world.move(name, there[name].position)
        self._senses.wait(HELD_S)

    def _put_in_hand(self, name: str) -> None:
        """Somebody holds it between the fingers until they have closed."""
        world = self._world
        world.grip(0.0, GRIP_N)
        until_s = self._senses.now_s() + HELD_S
        while self._senses.now_s() < until_s:
            world.move(name, world.robot_state().gripper.position)
            self._senses.wait(PACE.step_s)
