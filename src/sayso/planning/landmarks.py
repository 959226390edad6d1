"""Sets of actions of which every plan must use at least one, with a cost for each set.

LM-cut: Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference
anyway?", ICAPS 2009, section 5. The costs of the cuts that an action belongs to never exceed its
own, so the sum over the cuts a plan still has to pass is a lower bound on what it still costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from sayso.planning.relaxed import GOAL, INFINITE, NO_ACTION, RelaxedTask


@dataclass(frozen=True)
class Landmark:
    """Every plan uses one of these actions (by number), which costs at least `cost`."""

    cost: float
    actions: frozenset[int]


def landmarks(task: RelaxedTask, facts: Sequence[int]) -> tuple[Landmark, ...] | None:
    """Landmarks of a state, or None if the goal is unreachable even without delete effects."""
    left = [op.cost if op.action != NO_ACTION else 0.0 for op in task.operators]
    achievers: list[list[int]] = [[] for _ in range(task.size)]
    for number, op in enumerate(task.operators):
        for fact in op.adds:
            achievers[fact].append(number)
    found: list[Landmark] = []
    while True:
        costs, supporters = _maximum(task, facts, left)
        if costs[GOAL] == INFINITE:
            return None
        if costs[GOAL] == 0.0:
            return tuple(found)
        zone = _goal_zone(achievers, supporters, left)
        cut = _cut(task, facts, supporters, zone)
        cost = min(left[o] for o in cut)
        for o in cut:
            left[o] -= cost
        found.append(Landmark(cost, frozenset(task.operators[o].action for o in cut)))


def _maximum(
    task: RelaxedTask, facts: Sequence[int], left: Sequence[float]
) -> tuple[list[float], list[int]]:
    """Cost of each fact by its dearest need, and each operator's dearest need (-1: unreached)."""
    costs = [INFINITE] * task.size
    supporters = [-1] * len(task.operators)
    open_needs = [len(op.needs) for op in task.operators]
    heap = [(0.0, f) for f in dict.fromkeys(facts)]
    for _, fact in heap:
        costs[fact] = 0.0
    heapify(heap)
    while heap:
        cost, fact = heappop(heap)
        if cost > costs[fact]:
            continue
        for number in task.needed_by[fact]:
            open_needs[number] -= 1
            if not open_needs[number]:
                # Facts leave the heap in order of cost: the last need met is the dearest.
                supporters[number] = fact
                total = cost + left[number]
                for reached in task.operators[number].adds:
                    if total < costs[reached]:
                        costs[reached] = total
                        heappush(heap, (total, reached))
    return costs, supporters


def _goal_zone(
    achievers: Sequence[Sequence[int]], supporters: Sequence[int], left: Sequence[float]
) -> set[int]:
    """The facts from which the goal follows at no cost."""
    zone = {GOAL}
    stack = [GOAL]
    while stack:
        for number in achievers[stack.pop()]:
            fact = supporters[number]
            if left[number] == 0.0 and fact >= 0 and fact not in zone:
                zone.add(fact)
                stack.append(fact)
    return zone


def _cut(
    task: RelaxedTask, facts: Sequence[int], supporters: Sequence[int], zone: set[int]
) -> list[int]:
    """The operators that lead from what is reached outside the zone into it."""
    reached = set(facts)
    stack = list(facts)
    cut: dict[int, None] = {}
    while stack:
        fact = stack.pop()
        for number in task.needed_by[fact]:
            if supporters[number] != fact:
                continue
            adds = task.operators[number].adds
            if any(f in zone for f in adds):
                cut[number] = None
            for f in adds:
                if f not in zone and f not in reached:
                    reached.add(f)
                    stack.append(f)
    return list(cut)
