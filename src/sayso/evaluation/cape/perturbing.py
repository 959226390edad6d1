"""Plans with one error in them: a step dropped, doubled, two swapped, or a wrong thing in one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from sayso.worlds.virtualhome.tasks import Step

ORDER = ("dropped", "swapped", "doubled")
KINDS = (*ORDER, "wrong thing")
_Step = TypeVar("_Step")


def perturbed(
    kind: str, program: Sequence[Step], things: Sequence[str], rng: random.Random
) -> tuple[Step, ...]:
    """A program with an error of a kind.

    Args:
        things: of the scene, of which a wrong one is taken.
    """
    if kind != "wrong thing":
        return disordered(kind, program, rng)
    steps = list(program)
    at = rng.choice([i for i, step in enumerate(steps) if step.things])
    steps[at] = _about_another(steps[at], things, rng)
    return tuple(steps)


def disordered(kind: str, plan: Sequence[_Step], rng: random.Random) -> tuple[_Step, ...]:
    """A plan with one step dropped or doubled, or two swapped, whatever a step is."""
    steps = list(plan)
    at = rng.randrange(len(steps))
    if kind == "dropped":
        del steps[at]
    elif kind == "doubled":
        steps.insert(at, steps[at])
    elif kind == "swapped" and len(steps) > 1:
        one, other = rng.sample(range(len(steps)), 2)
        steps[one], steps[other] = steps[other], steps[one]
    return tuple(steps)


def _about_another(step: Step, things: Sequence[str], rng: random.Random) -> Step:
    place = rng.randrange(len(step.things))
    other = rng.choice([t for t in things if t not in step.things])
    return replace(step, things=(*step.things[:place], other, *step.things[place + 1 :]))
