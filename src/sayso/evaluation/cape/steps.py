"""Random steps, tried in the simulator and in the library's operators: where do the two differ?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, SymbolicState
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.tasks import ACTOR, Step, Task
from sayso.worlds.virtualhome.world import VirtualHome, action_of, lacking, things_taken

_AT_HAND = 0.7
"""Share of the things that are chosen among those that something can be done to now."""
_HANDY = ("holding", "near", "in_view", "worn")


@dataclass
class Comparison:
    """What came of a number of steps.

    Attributes:
        executed: steps that the simulator took.
        only_simulator, only_model: (verb) of steps that one of the two takes.
        effects: (verb, predicate, "missing" or "claimed") of atoms in which the states differ
            after a step that both take: missing in the model's, or claimed by it alone.
        exact: steps that both take with the same state after.
    """

    steps: int = 0
    executed: int = 0
    exact: int = 0
    only_simulator: Counter[str] = field(default_factory=Counter)
    only_model: Counter[str] = field(default_factory=Counter)
    effects: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def compare(task: Task, steps: int, rng: random.Random) -> Comparison:
    """Takes random steps from where a task begins; the model starts each from what is observed."""
    world, found = VirtualHome(task), Comparison()
    for _ in range(steps):
        before = world.observe()
        step = random_step(before, rng)
        action = action_of(step, before, before.objects)
        found.steps += 1
        _compare(world, step, action, before, found)
    return found


def random_step(state: SymbolicState, rng: random.Random) -> Step:
    """A verb with as many things as it takes, often such as are at hand."""
    verb = rng.choice(sorted({o.skill for o in library().operators.values()}))
    true = state.true_atoms()
    handy = sorted({a.args[0] for a in true if a.predicate in _HANDY} - {ACTOR})
    everything = [name for name in state.objects if name != ACTOR]
    chosen: list[str] = []
    while len(chosen) < things_taken(verb):
        pool: Sequence[str] = handy if handy and rng.random() < _AT_HAND else everything
        thing = rng.choice(pool)
        if thing not in chosen:
            chosen.append(thing)
    return Step(verb, tuple(chosen))


def _compare(
    world: VirtualHome, step: Step, action: Action, before: SymbolicState, found: Comparison
) -> None:
    expected = not lacking(action, before)
    try:
        world.act(step)
    except SaySoError as error:
        if error.code not in (Code.PRECONDITION, Code.EXECUTION):
            raise
        found.only_model[step.verb] += expected
        return
    found.executed += 1
    found.only_simulator[step.verb] += not expected
    if expected:
        predicted, after = action.apply(before.true_atoms()), world.observe().true_atoms()
        found.exact += predicted == after
        found.effects.update((step.verb, a.predicate, "missing") for a in after - predicted)
        found.effects.update((step.verb, a.predicate, "claimed") for a in predicted - after)
