"""Questions about formulas and automata: parts, prohibitions, conflicts, the way to the end."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from sayso.core.predicates import Predicate
from sayso.logic.automaton import Automaton, Guard
from sayso.logic.diagrams import value
from sayso.logic.english import clause
from sayso.logic.formula import Always, And, Formula, Not, Or, Prop, clauses
from sayso.logic.text import to_text

Way = tuple[int, int, tuple[tuple[int, bool], ...]]
"""Positive literals, negative literals, and the literals, of a way through a diagram."""


def forbidden(formula: Formula) -> tuple[Prop, ...]:
    """The propositions that must never be true: those with a top-level conjunct G(!p)."""
    found: dict[Prop, None] = {}
    for part in clauses(formula):
        if isinstance(part, Always):
            found.update(dict.fromkeys(_denied(part.arg)))
    return tuple(found)


def _denied(formula: Formula) -> tuple[Prop, ...]:
    match formula:
        case Not(Prop() as p):
            return (p,)
        case And(args) | Not(Or(args)):
            negated = isinstance(formula, Not)
            return tuple(p for a in args for p in _denied(Not(a) if negated else a))
        case _:
            return ()


def remaining(
    automaton: Automaton, state: int, predicates: Mapping[str, Predicate] | None = None
) -> tuple[str, ...]:
    """What still has to come true, in English, one entry for each step of the easiest way.

    Easiest is where the fewest propositions have to come true at once, then the fewest steps.
    Conditions that only keep clear of a violation are left out. Empty where the state accepts
    already or where nothing can help any more. Takes time that grows with the automaton.
    """
    steps, costs = prices(automaton, state)
    words: list[str] = []
    while costs.get(state):
        reachable = {t: price + costs[t] for t, price in steps[state].items() if t in costs}
        target = min(reachable, key=lambda t: (reachable[t], t))
        words.append(guard_in_words(_need(automaton, state, target, costs), predicates or {}))
        state = target
    return tuple(words)


def transitions_in_words(
    automaton: Automaton,
    predicates: Mapping[str, Predicate] | None = None,
    limit: int = 100,
) -> tuple[str, ...]:
    """The transitions to other states, one sentence each, and which states are ends.

    At most `limit` sentences; a last one then says how many states were left out.
    """
    sentences: list[str] = []
    for state in range(automaton.states):
        if len(sentences) >= limit:
            sentences.append(f"{automaton.states - state} more states are not shown.")
            break
        sentences += _state_words(automaton, state, predicates or {})
    return tuple(sentences)


def to_mermaid(automaton: Automaton) -> str:
    """The automaton as a Mermaid state diagram, without the steps that stay where they are."""
    lines = ["stateDiagram-v2", "    direction LR"]
    for state in range(automaton.states):
        if automaton.is_trap(state):
            name = f"{state} broken"
        else:
            name = f"{state} fulfilled" if automaton.is_accepting(state) else str(state)
        lines.append(f'    state "{name}" as s{state}')
    lines.append(f"    [*] --> s{automaton.initial}")
    for state in range(automaton.states):
        for target in automaton.successors(state):
            if target != state:
                label = " | ".join(map(_guard_text, automaton.guards(state, target)))
                lines.append(f"    s{state} --> s{target} : {label}")
    return "\n".join(lines)


def _state_words(
    automaton: Automaton, state: int, predicates: Mapping[str, Predicate]
) -> list[str]:
    start = ", the start" if state == automaton.initial else ""
    if automaton.is_trap(state):
        return [f"State {state}{start}: the task can no longer be fulfilled."]
    if automaton.is_safe_sink(state):
        return [f"State {state}{start}: the task is fulfilled whatever happens."]
    ends = ", where the task is fulfilled if it ends" if automaton.is_accepting(state) else ""
    sentences = []
    for target in automaton.successors(state):
        if target != state:
            guards = automaton.guards(state, target)
            when = "; or ".join(guard_in_words(g, predicates) for g in guards)
            sentences.append(f"From state {state}{start}{ends}, to state {target} when {when}.")
    return sentences


def guard_in_words(guard: Guard, predicates: Mapping[str, Predicate]) -> str:
    words = [clause(p, predicates, positive) for p, positive in guard]
    return " and ".join(words) or "anything happens"


def _guard_text(guard: Guard) -> str:
    texts = (to_text(p if positive else Not(p)) for p, positive in guard)
    return " & ".join(texts) or "true"


def prices(automaton: Automaton, state: int) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    """The price of each step that can follow, and from each state the price of acceptance.

    A step costs one and the square of the number of propositions that must be true at once.
    States from which acceptance is out of reach are left out of the second (Dijkstra).
    """
    steps: dict[int, dict[int, int]] = {}
    todo = [state]
    while todo:
        here = todo.pop()
        if here not in steps:
            ways = easiest_letters(automaton, here)
            steps[here] = {target: positives**2 + 1 for target, (positives, _, _) in ways.items()}
            todo += ways
    before: dict[int, list[tuple[int, int]]] = {s: [] for s in steps}
    for here, targets in steps.items():
        for target, price in targets.items():
            before[target].append((here, price))
    costs: dict[int, int] = {}
    queue = [(0, s) for s in steps if automaton.is_accepting(s)]
    while queue:
        cost, here = heapq.heappop(queue)
        if here not in costs:
            costs[here] = cost
            for earlier, price in before[here]:
                heapq.heappush(queue, (cost + price, earlier))
    return steps, costs


def easiest_letters(automaton: Automaton, state: int) -> dict[int, Way]:
    """For each next state a letter's literals with the fewest true propositions."""
    memo: dict[int, dict[int, Way]] = {}

    def ways(diagram: int) -> dict[int, Way]:
        if diagram < 0:
            return {value(diagram): (0, 0, ())}
        if diagram not in memo:
            variable, low, high = automaton.nodes[diagram]
            found = {t: (p, n + 1, ((variable, False), *c)) for t, (p, n, c) in ways(low).items()}
            for target, (p, n, cube) in ways(high).items():
                way = (p + 1, n, ((variable, True), *cube))
                found[target] = min(found.get(target, way), way)
            memo[diagram] = found
        return memo[diagram]

    return ways(automaton.roots[state])


def _need(automaton: Automaton, state: int, target: int, costs: Mapping[int, int]) -> Guard:
    """The shortest condition for a step; violations and states as near the end are as good."""
    indifferent = [
        s for s in automaton.successors(state) if automaton.is_trap(s) or costs[s] <= costs[target]
    ]
    guards = automaton.guards(state, target, indifferent)
    return min(guards, key=lambda g: (sum(positive for _, positive in g), len(g)))
