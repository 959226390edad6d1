"""Errands in a kitchen and a lab from somebody's plans with errors, repaired without a model.

After the tasks of CAPE's Spot (Raman et al., 2024, table II). The robot and the world are a model
without physics: see `worlds/errands/world.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from sayso.core.ports import Embedder
from sayso.evaluation.cape.outcomes import judged
from sayso.evaluation.cape.perturbing import ORDER, disordered
from sayso.evaluation.cases import Case, Measure, Outcome
from sayso.evaluation.upsets.runs import failures_of, repairs_of
from sayso.mission.recovery import TaskLimits
from sayso.pipeline import perform
from sayso.reporting.events import Event
from sayso.worlds.errands.cases import errand, errands
from sayso.worlds.errands.stages import ErrandStages
from sayso.worlds.errands.world import ErrandWorld

LIMITS = TaskLimits(failures=30)
"""A plan may have an error in each of its steps."""


def errand_cases(copies: int) -> Iterator[Case]:
    """Each errand in each scene as it was said, and with one error more, of each kind so often."""
    for scene, name in errands():
        told = {"scene": scene, "errand": name}
        yield Case(f"{scene} {name}", scene, told)
        for kind in ORDER:
            for number in range(copies):
                key = f"{scene} {name}/{kind}/{number}"
                yield Case(key, f"a step more {kind}", {**told, "kind": kind})


def run_errand(case: Case, embedder: Embedder, rng: random.Random) -> Outcome:
    """Success is that the main flow ends it, and the things' attributes say so, too."""
    given = errand(case.data["scene"], case.data["errand"])
    words = given.plan
    if kind := case.data.get("kind"):
        words = disordered(kind, words, rng)
    world = ErrandWorld(given)
    return go_about(world, words, embedder, world.reached)


def go_about(
    world: ErrandWorld, words: Sequence[str], embedder: Embedder, reached: Callable[[], bool]
) -> Outcome:
    """Carry an errand out from somebody's words, repaired where they fail.

    Args:
        reached: whether it is truly done.
    """
    events, stages = list[Event](), ErrandStages(world, words, embedder)
    ended = perform(world.errand.words, stages, events.append, LIMITS)
    repairs = repairs_of(events)
    done, failures = len(world.done), failures_of(events)
    measures: dict[str, Measure] = {
        "executable": ended.succeeded,
        "correct": ended.succeeded and reached(),
        "steps": done,
        "corrections": len(repairs),
        "affordable": done / (done + len(failures)) if done + len(failures) else 1.0,
        **{f"by {name}": repairs.count(name) for name in dict.fromkeys(repairs)},
    }
    return judged(measures, ended.code, "\n".join((ended.message, *failures)))
