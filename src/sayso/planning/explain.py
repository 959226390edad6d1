"""Why each step is in a plan: what the task asks for, and what later steps need of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.core.symbols import Action, Atom, Literal, Plan, PlanStep
from sayso.logic.automaton import Automaton
from sayso.logic.formula import Prop
from sayso.logic.monitor import prop_atom
from sayso.planning.clauses import advances
from sayso.planning.problem import PlanningProblem
from sayso.planning.words import fact, imperative, joined


@dataclass(frozen=True)
class Letter:
    """One letter of the trace: what was true, and the step it belongs to, -1 for the start."""

    step: int
    valuation: frozenset[Prop]


def explained(plan: Plan, problem: PlanningProblem) -> Plan:
    """The plan with the reason of each step in English.

    Unknown propositions are taken to be false here.
    """
    actions = plan.actions
    states = _states(problem, actions)
    wanted = _wanted(problem, actions, states)
    steps = tuple(
        PlanStep(a, _reason(i, actions, states, wanted[i], problem)) for i, a in enumerate(actions)
    )
    return replace(plan, steps=steps)


def _states(problem: PlanningProblem, actions: Sequence[Action]) -> list[frozenset[Atom]]:
    """The state before each action, and after the last."""
    states = [problem.initial]
    for action in actions:
        states.append(action.apply(states[-1]))
    return states


def _letters(
    problem: PlanningProblem, actions: Sequence[Action], states: Sequence[frozenset[Atom]]
) -> Iterator[Letter]:
    """The letters that the specification reads."""
    last = _valuation(problem, states[0])
    if problem.states is None:
        yield Letter(-1, last)
    for i, action in enumerate(actions):
        *while_running, after = (_valuation(problem, s) for s in action.trace(states[i]))
        yield from (Letter(i, v) for v in while_running if v != last)
        yield Letter(i, after)
        last = after


def _valuation(problem: PlanningProblem, state: frozenset[Atom]) -> frozenset[Prop]:
    return frozenset(p for p in problem.task.propositions if prop_atom(p) in state)


def _wanted(
    problem: PlanningProblem, actions: Sequence[Action], states: Sequence[frozenset[Atom]]
) -> list[list[Literal]]:
    """For each step, what it brought about without which the task would not have advanced."""
    wanted: list[dict[Literal, None]] = [{} for _ in actions]
    letters = list(_letters(problem, actions, states))
    starts = problem.task.initial if problem.states is None else problem.states
    for automaton, start in zip(problem.task.automata, starts, strict=True):
        for step, literal in _progress(automaton, start, letters):
            source = _source(literal, step, actions, states)
            if source >= 0:
                wanted[source][literal] = None
    return [list(w) for w in wanted]


def _progress(
    automaton: Automaton, start: int, letters: Iterable[Letter]
) -> Iterator[tuple[int, Literal]]:
    """What each letter that advanced a clause owed its advance to, with the letter's step.

    A proposition counts if the clause would be less advanced had its truth been the other; not
    if the clause would have been broken then, since keeping a rule is no advance.
    """
    before = start
    for letter in letters:
        after = automaton.step(before, letter.valuation)
        for prop in automaton.propositions if after != before else ():
            otherwise = automaton.step(before, letter.valuation ^ {prop})
            if advances(automaton, after, otherwise):
                yield letter.step, Literal(prop_atom(prop), prop in letter.valuation)
        before = after


def _source(
    literal: Literal, step: int, actions: Sequence[Action], states: Sequence[frozenset[Atom]]
) -> int:
    """The last step up to this one that made the literal hold; -1 if it was so at first."""
    atom, true = literal.atom, literal.positive
    for i in range(step, -1, -1):
        if true and atom in actions[i].during and atom not in states[i]:
            return i
        if (atom in states[i]) != (atom in states[i + 1]):
            return i if (atom in states[i + 1]) == true else -1
    return -1


def _reason(
    number: int,
    actions: Sequence[Action],
    states: Sequence[frozenset[Atom]],
    wanted: Sequence[Literal],
    problem: PlanningProblem,
) -> str:
    if wanted:
        facts = joined(fact(x, problem.predicates) for x in wanted)
        return f"the task asks that {facts}"
    for later in range(number + 1, len(actions)):
        needed = [
            x
            for x in sorted(actions[later].preconditions)
            if _source(x, later - 1, actions, states) == number
        ]
        if needed:
            facts = joined(fact(x, problem.predicates) for x in needed)
            what = imperative(actions[later], problem.domain)
            return f"step {later + 1} ({what}) needs that {facts}"
    return "the order that the task asks for needs a step here"
