"""How many tries and refusals it takes to learn a kitchen's operators, by way of exploring.

    python benchmarks/exploration.py [--seeds N] [--wrong SHARE]

Ten training tasks of the 2D kitchen, then its four test sets, planned with what was learned and
ended by the first action that cannot be done. The predicates are given, actions do what the true
operators say, and the person names one unmet precondition of what cannot be done: what is judged
is learning operators and choosing what to try, nothing else. With `--wrong`, that share of actions
does nothing and that share of explanations names anything.
"""

from __future__ import annotations

import argparse
import random
import statistics
from functools import cache
from itertools import permutations

from sayso.core.errors import SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Action, Atom, Domain, Literal, SymbolicState
from sayso.learning.clusters import Settings
from sayso.learning.exploration import STRATEGIES, Explorer
from sayso.learning.operators import OperatorLearner
from sayso.learning.transitions import Transition, lifted
from sayso.logic.formula import Eventually, Prop, conjunction
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.search import SearchPlanner
from sayso.worlds.domains.domain import TEST_SETS
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.domains import DOMAINS
from sayso.worlds.kitchen2d.tasks import Task, tasks
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.kitchen2d.world import Kitchen2D

STEPS = 40
"""Tries in one training task, at most."""
RECHECK = 0.1


class Kitchen:
    """A domain's true operators on symbolic states."""

    def __init__(self, domain: str) -> None:
        self.domain = domain
        self.library = true_library(domain)
        self.arities = {n: p.arity for n, p in self.library.predicates.items()}
        self.skills = {o.skill: PRIMITIVES[o.skill].arity for o in self.library.operators.values()}

    def observed(self, true: frozenset[Atom], objects: tuple[str, ...]) -> SymbolicState:
        atoms = (Atom(p, a) for p, k in self.arities.items() for a in permutations(objects, k))
        return SymbolicState(0.0, objects, {a: a in true for a in atoms})

    def action(self, skill: str, args: tuple[str, ...], state: SymbolicState) -> Action | None:
        """What the skill amounts to here, if it can be carried out."""
        others = [o for o in state.objects if o not in args]
        for op in self.library.operators.values():
            if op.skill == skill:
                for more in permutations(others, len(op.parameters) - len(args)):
                    action = op.ground(*args, *more)
                    if action.applicable(state.true_atoms()):
                        return action
        return None

    def unmet(self, skill: str, args: tuple[str, ...], state: SymbolicState) -> tuple[Literal, ...]:
        """One literal that every operator of the skill needs and that does not hold."""
        every = [
            {x.substitute(dict(zip(o.parameters, args, strict=False))) for x in o.preconditions}
            for o in self.library.operators.values()
            if o.skill == skill
        ]
        common = sorted(x for x in set.intersection(*every) if lifted(x, args) is not None)
        return tuple(x for x in common if state.holds(x) is False)[:1]

    def anything(self, args: tuple[str, ...], rng: random.Random) -> tuple[Literal, ...]:
        atoms = [Atom(p, a) for p, k in self.arities.items() for a in permutations(args, k)]
        return (Literal(rng.choice(atoms), rng.random() < 0.5),)


@cache
def beginning(domain: str, test_set: str, seed: int, number: int) -> tuple[Task, SymbolicState]:
    """A task and what is observed when it begins."""
    task = tasks(domain, test_set, seed)[number]
    scene = Kitchen2D(task.scene, seed=task.seed).observe()
    return task, symbolic_state(scene, true_library(domain).predicates)


def solved(domain: Domain, state: SymbolicState, task: Task) -> tuple[Action, ...] | None:
    """A plan with these operators."""
    atoms = (parse_literal(g).atom for g in task.goal)
    goal = Eventually(conjunction(*(Prop(a.predicate, a.args) for a in atoms)))
    problem = PlanningProblem(domain, state.objects, state.true_atoms(), Progression.of(goal))
    try:
        return SearchPlanner().solve(problem, PlanLimits(3.0)).actions
    except SaySoError:
        return None


def reached(state: SymbolicState, task: Task) -> bool:
    return all(state.holds(parse_literal(g)) for g in task.goal)


def train(kitchen: Kitchen, strategy: str, seed: int, wrong: float) -> OperatorLearner:
    """Ten tasks, in each until its goal is reached or there were enough tries."""
    rng = random.Random(seed)
    learner = OperatorLearner(kitchen.arities, Settings(wrong))
    explorer = Explorer(kitchen.skills, rng, strategy, recheck=RECHECK if wrong else 0.0)
    for number in range(len(tasks(kitchen.domain, "training", seed))):
        task, state = beginning(kitchen.domain, "training", seed, number)
        avoid: set[tuple[str, tuple[str, ...]]] = set()
        for _ in range(STEPS):
            if reached(state, task):
                break
            domain = learner.learned().domain(kitchen.arities)
            choice = explorer.choose(
                state, learner.learned(), lambda d=domain, s=state, t=task: solved(d, s, t), avoid
            )
            if choice is None:
                break
            transition = tried(kitchen, choice.skill, choice.args, state, rng, wrong)
            learner.add(transition)
            avoid = avoid | {(choice.skill, choice.args)} if transition.after is None else set()
            state = transition.after or state
    return learner


def tried(
    kitchen: Kitchen,
    skill: str,
    args: tuple[str, ...],
    state: SymbolicState,
    rng: random.Random,
    wrong: float,
) -> Transition:
    action = kitchen.action(skill, args, state)
    mistaken = rng.random() < wrong
    if action is None:
        because = kitchen.anything(args, rng) if mistaken else kitchen.unmet(skill, args, state)
        return Transition(state, skill, args, feasible=False, because=because)
    after = state.true_atoms() if mistaken else action.apply(state.true_atoms())
    return Transition(state, skill, args, kitchen.observed(after, state.objects))


def tested(kitchen: Kitchen, domain: Domain, test_set: str, seed: int) -> float:
    """Share of a test set's tasks that are done."""
    done = []
    for number in range(len(tasks(kitchen.domain, test_set, seed))):
        task, state = beginning(kitchen.domain, test_set, seed, number)
        for step in solved(domain, state, task) or ():
            action = kitchen.action(step.skill, step.args[: kitchen.skills[step.skill]], state)
            if action is None:
                break
            state = kitchen.observed(action.apply(state.true_atoms()), state.objects)
        done.append(reached(state, task))
    return statistics.mean(done)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--wrong", type=float, default=0.0)
    options = parser.parse_args()
    print(f"{'domain':8}{'explored':10}{'tries':>8}{'refusals':>10}   {'  '.join(TEST_SETS)}")
    for domain in DOMAINS:
        kitchen = Kitchen(domain)
        for strategy in STRATEGIES:
            runs = [train(kitchen, strategy, s, options.wrong) for s in range(options.seeds)]
            domains = [r.learned().domain(kitchen.arities) for r in runs]
            shares = [
                statistics.mean(tested(kitchen, d, test_set, s) for s, d in enumerate(domains))
                for test_set in TEST_SETS
            ]
            tries = statistics.mean(len(r.transitions) for r in runs)
            refusals = statistics.mean(sum(not t.feasible for t in r.transitions) for r in runs)
            cells = "  ".join(f"{s:{len(t)}.0%}" for s, t in zip(shares, TEST_SETS, strict=True))
            print(f"{domain:8}{strategy:10}{tries:8.0f}{refusals:10.0f}   {cells}", flush=True)


if __name__ == "__main__":
    main()
