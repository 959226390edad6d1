"""Time to learn operators: one step at the data sizes of InterPreT, and thousands at once.

    python benchmarks/operator_learning.py [--seed N] [--runs N]

Things are stacked, pushed and picked up by known operators, with a share of refusals; predicates
that never matter are added up to 30. Prints the time of a step (median, greatest) as transitions
come one by one up to 100, the time to learn from 10,000 with 30 predicates at once, whether the
operators were found again, with and without noise, and the targets that were missed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Mapping
from itertools import permutations

from sayso.core.library import parse_literal
from sayso.core.symbols import Action, Atom, Operator, SymbolicState
from sayso.learning.clusters import Settings
from sayso.learning.operators import Learned, OperatorLearner
from sayso.learning.transitions import Transition

ARITIES = {
    "empty": 0, "holding": 1, "on_table": 1, "clear": 1, "light": 1, "flat": 1, "thin": 1, "on": 2,
}  # fmt: skip
MORE = {
    **{f"kind_{i}": 1 for i in range(12)}, **{f"beside_{i}": 2 for i in range(9)}, "lamp_lit": 0,
}  # fmt: skip
SKILLS = {"pick_up": 1, "put_down": 1, "place": 2, "push": 2}
STEP_MS, BATCH_S = 5.0, 2.0
PAPER_MS = 32.0
"""InterPreT's median time to learn operators (its table IV)."""


def _operator(name: str, parameters: str, needs: str, add: str, delete: str) -> Operator:
    def atoms(text: str) -> frozenset[Atom]:
        return frozenset(parse_literal(t).atom for t in text.split())

    return Operator(
        name,
        tuple(parameters.split()),
        frozenset(parse_literal(t) for t in needs.split()),
        atoms(add),
        atoms(delete),
    )


OPERATORS = {
    "pick_up": (
        _operator("pick_up_1", "?a", "empty() clear(?a) light(?a) on_table(?a)",
                  "holding(?a)", "empty() on_table(?a)"),
        _operator("pick_up_2", "?a ?b", "empty() clear(?a) light(?a) on(?a,?b)",
                  "holding(?a) clear(?b)", "empty() on(?a,?b)"),
    ),
    "put_down": (
        _operator("put_down_1", "?a", "holding(?a)", "empty() on_table(?a)", "holding(?a)"),
    ),
    "place": (
        _operator("place_1", "?a ?b", "holding(?a) clear(?b)",
                  "empty() on(?a,?b)", "holding(?a) clear(?b)"),
    ),
    "push": (
        _operator("push_1", "?a ?b", "empty() clear(?a) clear(?b) flat(?a) thin(?b) on_table(?a)",
                  "on(?a,?b)", "clear(?b) on_table(?a)"),
        _operator("push_2", "?a ?b ?c", "empty() clear(?a) clear(?b) flat(?a) thin(?b) on(?a,?c)",
                  "on(?a,?b) clear(?c)", "clear(?b) on(?a,?c)"),
    ),
}  # fmt: skip


class World:
    """Things in stacks, with facts that never change nor matter, observed completely."""

    def __init__(self, rng: random.Random, arities: Mapping[str, int], things: int) -> None:
        self.rng = rng
        self.arities = arities
        self.objects = tuple(f"thing_{i}" for i in range(things))
        self.true = {Atom("empty")}
        for name in self.objects:
            self.true |= {Atom(p, (name,)) for p in ("on_table", "clear")}
            self.true |= {Atom(p, (name,)) for p in ("light", "flat", "thin") if rng.random() < 0.6}
        for predicate in arities.keys() & MORE.keys():
            facts = (Atom(predicate, a) for a in permutations(self.objects, arities[predicate]))
            self.true |= {f for f in facts if rng.random() < 0.2}
        self.state = self._observed()

    def try_one(self, noise: float) -> Transition:
        """A skill that can be carried out two times in three, else any."""
        skill, args = self._drawn()
        action = self._action(skill, args)
        for _ in range(30 if self.rng.random() < 0.67 else 0):
            if action is not None:
                break
            skill, args = self._drawn()
            action = self._action(skill, args)
        before = self.state
        if action is None:
            return Transition(before, skill, args, feasible=False)
        if self.rng.random() >= noise:
            self.true = set(action.apply(frozenset(self.true)))
            self.state = self._observed()
        return Transition(before, skill, args, self.state)

    def _drawn(self) -> tuple[str, tuple[str, ...]]:
        skill = self.rng.choice(list(SKILLS))
        return skill, tuple(self.rng.sample(self.objects, SKILLS[skill]))

    def _action(self, skill: str, args: tuple[str, ...]) -> Action | None:
        others = [o for o in self.objects if o not in args]
        state = frozenset(self.true)
        for op in OPERATORS[skill]:
            for more in permutations(others, len(op.parameters) - len(args)):
                action = op.ground(*args, *more)
                if action.applicable(state):
                    return action
        return None

    def _observed(self) -> SymbolicState:
        every = (Atom(p, a) for p, k in self.arities.items() for a in permutations(self.objects, k))
        return SymbolicState(0.0, self.objects, {a: a in self.true for a in every})


def transitions(
    rng: random.Random, arities: Mapping[str, int], count: int, noise: float = 0.0
) -> list[Transition]:
    """Ten tries in each world, then another world."""
    found: list[Transition] = []
    while len(found) < count:
        world = World(rng, arities, rng.randint(5, 8))
        found += [world.try_one(noise) for _ in range(10)]
    return found[:count]


def main() -> int:
    """Print the figures; exit status 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=5, help="training runs of 100 transitions")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    missed = [*_steps(rng, options.runs), *_batch(rng, 0.0), *_batch(rng, 0.1)]
    print(f"missed targets: {', '.join(missed) or 'none'}")
    return bool(missed)


def _steps(rng: random.Random, runs: int) -> list[str]:
    times_ms = []
    for _ in range(runs):
        learner = OperatorLearner(ARITIES)
        for transition in transitions(rng, ARITIES, 100):
            started_s = time.perf_counter()
            learner.step(transition)
            times_ms.append(1e3 * (time.perf_counter() - started_s))
    median_ms = statistics.median(times_ms)
    print(
        f"one step, up to 100 transitions: median {median_ms:.2f} ms, greatest "
        f"{max(times_ms):.1f} ms; InterPreT's median {PAPER_MS:g} ms, "
        f"{PAPER_MS / median_ms:.0f} times as long"
    )
    return [f"a step in {STEP_MS:g} ms"] if median_ms > STEP_MS else []


def _batch(rng: random.Random, noise: float) -> list[str]:
    arities = {**ARITIES, **MORE}
    tried = transitions(rng, arities, 10_000, noise)
    learner = OperatorLearner(arities, Settings(noise))
    started_s = time.perf_counter()
    for transition in tried:
        learner.add(transition)
    read_s = time.perf_counter() - started_s
    learned = learner.learned()
    total_s = time.perf_counter() - started_s
    same = _meanings(learned) == {
        (skill, o.preconditions, o.add, o.delete) for skill, ops in OPERATORS.items() for o in ops
    }
    print(
        f"{len(tried)} transitions, {len(arities)} predicates, {noise:.0%} failed: "
        f"{total_s:.2f} s, of which {read_s:.2f} s to read them; "
        f"operators {'found again' if same else 'not all found again'}"
    )
    late = [f"{len(tried)} transitions in {BATCH_S:g} s"] if total_s > BATCH_S else []
    return [*late, *([] if same else [f"the operators at {noise:.0%} noise"])]


def _meanings(learned: Learned) -> set[tuple[object, ...]]:
    operators = (o.operator for o in learned.operators)
    return {(o.skill, o.preconditions, o.add, o.delete) for o in operators}


if __name__ == "__main__":
    sys.exit(main())
