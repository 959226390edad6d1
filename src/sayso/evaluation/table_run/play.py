"""Tasks at the play table in one process: what was shown in play is done in physics, by the gate.

Every motion is learned from demonstrations; what is seen is the simulator's own knowledge, with a
millimetre of noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from sayso import pipeline
from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action
from sayso.evaluation.halp.demo import jpeg
from sayso.evaluation.table_run.robot import build
from sayso.evaluation.table_run.stages import TableStages
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills.playing import GuidedArmSkill
from sayso.learning.skills.shapes import FittedShape
from sayso.learning.skills.skill import ByPrimitives, TaughtSkill
from sayso.mission.in_process import Confirm
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
from sayso.skills.skill import Skills
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.player import Order, observed, record
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld

SCENE = "play_table"
INSTRUCTION = "Open the drawer and turn off all the lights."
_PLAYS, _EACH = 8, 16
_SHOWN = 6
"""Demonstrations from which a motion is learned."""


def shown(folder: Path, console: Console, workers: int = 2) -> tuple[Demonstration, ...]:
    """The pieces of play of a folder, to which a simulated person first adds what it lacks."""
    needed = tuple(o.skill for o in load(builtin_path(SCENE)).operators.values())
    places = [folder / f"play_{n:04d}" for n in range(_PLAYS)]
    orders = [
        Order(p, n, _EACH, needed, 0.0, SCENE) for n, p in enumerate(places) if not p.is_dir()
    ]
    pool = registry.create("worker_pool", "local", workers=workers)
    for number, _ in enumerate(pool.map(record, orders), 1):
        console.print(f"a person plays: {number} of {len(orders)}", highlight=False)
    plays = (recorded.read(one) for one in recorded.folders(folder))
    return tuple(piece for play in plays for piece in play.pieces())


def played_skills(pieces: Sequence[Demonstration], library: Library) -> Skills:
    """Makes the skill of each operator of what was shown under the name of its skill.

    Motions are learned when they are first made. Raises UNSUPPORTED for what nobody showed.
    """
    types = {o.skill or o.name: o.types for o in library.operators.values()}

    @lru_cache
    def learned(name: str) -> TaughtSkill:
        learner = ByPrimitives(registry.create("motion_learner", "mixtures"))
        return learner.learn([p for p in pieces if p.label == name][:_SHOWN], _as_it_is)

    def make(name: str, **options: Any) -> Any:
        showings = [p for p in pieces if p.label == name]
        if not showings:
            labels = sorted({p.label for p in pieces})
            raise SaySoError(Code.CONFIG, f"nobody showed '{name}'.", choices=labels)
        parameters = types[name][: len(showings[0].things)]
        return GuidedArmSkill(options["work"], partial(learned, name), parameters)

    return make


def _as_it_is(thing: SceneObject) -> FittedShape:
    """What always looks the same needs no shape space."""
    return FittedShape(thing.pose, {}, 0.0)


def seeing(world: TableWorld, rng: np.random.Generator) -> Callable[[], Scene]:
    """Looks at a table as one who knows it, with a millimetre of noise."""
    return lambda: observed(world.true_scene(), rng)


def stages(
    world: TableWorld,
    pieces: Sequence[Demonstration],
    library: Library,
    confirm: Confirm,
    seed: int,
) -> TableStages:
    """The stages of a task at the play table, its skills learned from these pieces of play."""
    look = Onlooker(world, np.random.default_rng((seed, 1))).look
    skills = played_skills(pieces, library)
    built = build(world, library=library, look=look, skills=skills)
    return TableStages(*built, library, confirm=confirm)


def demonstrate(
    instruction: str | None, seed: int, folder: Path, confirm: Confirm, console: Console
) -> bool:
    """Perform an instruction at the play table; whether it was observed to succeed.

    Play is kept beside the run folder and used again.
    """
    pieces = shown(folder.parent / "play_demonstrations", console)
    library = load(builtin_path(SCENE))
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(SCENE))
    try:
        settings = {"started": {"options": ["--world", SCENE, "--seed", str(seed)]}}
        report = RunReport(settings, library.predicates)

        def picture(_: Action, __: str) -> bytes:
            return jpeg(world.picture())

        run = IllustratedRun(folder, console, report, picture)
        (folder / "before.jpg").write_bytes(jpeg(world.picture()))
        at_table = stages(world, pieces, library, confirm, seed)
        outcome = pipeline.perform(instruction or INSTRUCTION, at_table, run.listen)
        (folder / "after.jpg").write_bytes(jpeg(world.picture()))
        run.close()
        return outcome.succeeded
    finally:
        world.close()
