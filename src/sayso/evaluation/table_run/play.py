"""Tasks at the play table in one process: behaviours learned from play, done in physics.

What plays teach is planned with and tells what is so; each behaviour's motion is learned from those
of its pieces that show its body, and passes the gate. Places are the simulator's own knowledge with
a millimetre of noise; what furniture hides is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib import resources
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import yaml
from rich.console import Console
from scipy.spatial.transform import Rotation

from sayso import pipeline
from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3, rotation_matrix
from sayso.core.library import save
from sayso.core.ports import Obstacle
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Check
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.stages import PlayTableStages
from sayso.evaluation.halp.demo import jpeg
from sayso.evaluation.table_run.robot import build
from sayso.learning.behaviours import page
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.demonstration import Demonstration, pose_of
from sayso.learning.skills.playing import Furniture, GuidedArmSkill
from sayso.learning.skills.shapes import FittedShape
from sayso.learning.skills.skill import ByPrimitives, TaughtSkill
from sayso.mission.in_process import Confirm
from sayso.mission.stages import ReportSkill
from sayso.reporting.events import Event, Listener
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
from sayso.skills.skill import Skills
from sayso.skills.watch import TaskWatch
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.meddler import Meddler, arrange
from sayso.worlds.persons.player import Order, record
from sayso.worlds.stepped_stages import SCENE_TIMEOUT_S
from sayso.worlds.table.onlooker import Onlooker
from sayso.worlds.table.table_scene import TableScene, builtin_scene
from sayso.worlds.table.table_world import TableWorld

SCENE = "play_table"
INSTRUCTIONS: Mapping[str, str] = {
    SCENE: "Put all the blocks in the drawer and turn off all the lights.",
    "boil_water": "Fill the kettle, turn off the faucet and put the kettle on the stove.",
    "make_tea": "Put the kettle on the stove and put the teabag in the kettle.",
}
"""What is performed where nothing is said, by scene of the table."""
_PLAYS, _EACH = 12, 16
_SHOWN = 24
"""Pieces of play from which a motion is learned."""
_OWN = 3
"""Pieces with one piece of furniture from which it has a motion of its own."""
_QUARTER = Pose(orientation=(0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


def shown(
    scene: str,
    folder: Path,
    console: Console,
    behaviours: tuple[str, ...] = (),
    plays: int = _PLAYS,
    workers: int = 2,
) -> tuple[Demonstration, ...]:
    """The plays of a folder, to which a simulated person first adds what it lacks.

    Args:
        behaviours: that are played, as of `player.play`.
    """
    places = [folder / f"play_{n:04d}" for n in range(plays)]
    orders = [
        Order(p, n, _EACH, behaviours, 0.0, scene) for n, p in enumerate(places) if not p.is_dir()
    ]
    pool = registry.create("worker_pool", "local", workers=workers)
    for number, _ in enumerate(pool.map(record, orders), 1):
        console.print(f"a person plays: {number} of {len(orders)}", highlight=False)
    return tuple(recorded.read(one) for one in recorded.folders(folder))


def played_skills(behaviours: Sequence[Behaviour], furniture: Furniture) -> Skills:
    """Makes the skill of each behaviour. Its motion is learned when it is first done; raises
    CONFIG for what nobody showed."""
    by_name = {b.name: b for b in behaviours}
    movable = frozenset(b.types[0] for b in behaviours if b.takes)

    def make(name: str, **options: Any) -> Any:
        if name not in by_name:
            raise SaySoError(Code.CONFIG, f"nobody showed '{name}'.", choices=by_name)
        behaviour = by_name[name]
        learned = lru_cache(maxsize=1)(partial(motion_of, behaviour, movable))
        return GuidedArmSkill(
            options["work"], learned, behaviour.types, furniture=furniture,
            alike=(partial(_quarter_round, movable),) if _handles(behaviour, movable) else (),
        )  # fmt: skip

    return make


def motion_of(behaviour: Behaviour, movable: frozenset[str] = frozenset()) -> TaughtSkill:
    """Its contact primitives as motions, of each piece of furniture that was shown often enough on
    its own: two doors may swing to other sides. Raises INVALID as `ByPrimitives.learn`.

    Args:
        movable: categories of what is no furniture.
    """
    learner = ByPrimitives(registry.create("motion_learner", "mixtures"))
    showings = behaviour.showings()
    whole = learner.learn(showings[:_SHOWN], _as_a_box)
    groups: dict[tuple[str, ...], list[Demonstration]] = {}
    for shown in showings:
        named = zip(shown.things.values(), behaviour.types, strict=True)
        groups.setdefault(tuple(n for n, kind in named if kind not in movable), []).append(shown)
    if len(groups) < 2:
        return whole
    own = (learner.learn(g[:_SHOWN], _as_a_box) for g in groups.values() if len(g) >= _OWN)
    return replace(whole, ways=(*(way for taught in own for way in taught.ways), *whole.ways))


def _handles(behaviour: Behaviour, movable: frozenset[str]) -> bool:
    """Whether it takes or puts a thing, other than what stands fixed."""
    return behaviour.types[0] in movable and any(
        deed.predicate in ("grasp", "place") and deed.args for deed in behaviour.body
    )


def _quarter_round(movable: frozenset[str], thing: SceneObject) -> FittedShape:
    """A box that is taken, the other way round: a hand that cannot take it so may take it so."""
    seen = _as_a_box(thing)
    return replace(seen, pose=seen.pose @ _QUARTER) if thing.category in movable else seen


def _as_a_box(thing: SceneObject) -> FittedShape:
    """A box looks alike from several sides: which of its faces is up, and which way round it lies,
    is told by how it lies. Its z is what points up, its x what points to +x most."""
    axes = rotation_matrix(thing.orientation).T
    both = np.concatenate([axes, -axes])
    up = both[np.argmax(both[:, 2])]
    level = both[np.abs(both @ up) < 0.5]
    front = level[np.argmax(level[:, 0])]
    turned = Rotation.from_matrix(np.column_stack([front, np.cross(up, front), up]))
    return FittedShape(pose_of(np.array(thing.position), turned), {}, 0.0)


def furniture_of(table: TableScene) -> Furniture:
    """What a table's furniture is made of, as of furniture that was measured before."""

    def made(scene: Scene) -> tuple[Obstacle, ...]:
        seen = scene.by_name()
        poses = {
            f.name: seen[f.name].pose if f.name in seen else Pose(f.at) for f in table.fixtures
        }
        return tuple(
            Obstacle(f.name, "box", poses[f.name] @ box.pose, _whole(box.half))
            for f in table.fixtures
            for box in f.boxes
        )

    return made


def _whole(half: Vector3) -> Vector3:
    x, y, z = half
    return 2 * x, 2 * y, 2 * z


class ArmTable:
    """A table in physics: what is learned is done by the one executor, through the gate.

    Args:
        before: is called before each behaviour; a person may meddle.
    """

    def __init__(
        self,
        world: TableWorld,
        learned: LearnedBehaviours,
        look: Callable[[], Scene],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._before = before
        self._arm = build(
            world,
            library=learned.library,
            look=look,
            skills=played_skills(learned.behaviours, furniture_of(world.table)),
        )

    def seen(self) -> Scene:
        return self._arm.senses.scene()

    def now_s(self) -> float:
        return self._arm.senses.now_s()

    def follow(self, take: Callable[[Scene], None]) -> None:
        self._arm.senses.on_scene = take

    def look(self) -> None:
        self._arm.senses.scene_after(self.now_s(), SCENE_TIMEOUT_S)

    def carry_out(
        self, action: Action, watch: TaskWatch, avoid: frozenset[str], started: ReportSkill
    ) -> tuple[Check, ...]:
        self._before()
        self.look()
        return self._arm.carry_out(action, watch, avoid, started)


def staged(
    world: TableWorld, scene: str, instruction: str | None, console: Console
) -> Callable[[], None]:
    """Begins the task in a kitchen that is staged where nothing is said; gives what watches it."""
    tasks = (task for one in kitchens().get(scene, ()) for task in one["variations"])
    task = next((t for t in tasks if "upset" in t), None)
    if task is None or instruction is not None:
        return lambda: None

    def tell(what: str) -> None:
        console.print(f"(a scripted person {what})", highlight=False)

    arrange(world, task["start"])
    return Meddler(world, task["upset"], tell).watch


@cache
def kitchens() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The tasks in the kitchens, by scene."""
    file = resources.files("sayso.evaluation.blade") / "kitchens.yaml"
    tasks: Mapping[str, Sequence[Mapping[str, Any]]] = yaml.safe_load(file.read_text("utf-8"))
    return tasks


def no_physics(table: TableScene) -> str:
    """What a person has to know of the states of things that fixtures give; '' where none does."""
    driven = [(f.name, f.driven.gives) for f in table.fixtures if f.driven is not None]
    given = [f"'{g.attribute}' by the {name}" for name, g in driven if g is not None]
    return f"Simulated as states, without physics, and for good: {', '.join(given)}." * bool(given)


def demonstrate(
    scene: str, instruction: str | None, seed: int, folder: Path, confirm: Confirm, console: Console
) -> bool:
    """Perform an instruction at a table with a play; whether it was observed to succeed.

    Play is kept beside the run folder and used again; what it teaches is kept in the run folder.
    Where nothing is said, the scene's task is done, in which a scripted person may meddle once.
    """
    kept = "play_demonstrations" if scene == SCENE else f"play_demonstrations_{scene}"
    if said := no_physics(builtin_scene(scene)):
        console.print(said, highlight=False)
    plays = shown(scene, folder.parent / kept, console)
    began = perf_counter()
    learned = learned_from(plays)
    spent_s = perf_counter() - began
    save(learned.library, folder / "library")
    page.write(folder / "behaviours.md", learned)
    console.print(f"{page.summary(learned)} ({spent_s:.0f} s)", highlight=False)
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(scene))
    try:
        look = Onlooker(world, np.random.default_rng((seed, 1))).look
        table = ArmTable(world, learned, look, staged(world, scene, instruction, console))
        at_table = PlayTableStages(table, learned, confirm=confirm)
        options = ["--world", scene, "--seed", str(seed)]
        words = instruction or INSTRUCTIONS[scene]
        return performed(world, at_table, words, folder, console, options).succeeded
    finally:
        world.close()


def performed(
    world: TableWorld,
    stages: PlayTableStages,
    instruction: str,
    folder: Path,
    console: Console,
    options: Sequence[str],
    also: Listener = lambda _: None,
) -> pipeline.Outcome:
    """Do what an instruction says; the folder has pictures, film and report of it.

    Args:
        options: of the command that does it again.
        also: hears what happens, too.
    """
    report = RunReport({"started": {"options": list(options)}}, stages.library.predicates)

    def picture(_: Action, __: str) -> bytes:
        return jpeg(world.picture())

    run = IllustratedRun(folder, console, report, picture)

    def hear(event: Event) -> None:
        run.listen(event)
        also(event)

    (folder / "before.jpg").write_bytes(jpeg(world.picture()))
    outcome = pipeline.perform(instruction, stages, hear)
    (folder / "after.jpg").write_bytes(jpeg(world.picture()))
    report.predicates = stages.library.predicates
    run.close()
    return outcome
