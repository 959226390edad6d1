"""Planning problems for the tests: the table of the built-in library, and tiny hand-made ones."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, count, permutations

from sayso.core.library import Library, builtin_path, load, parse_literal
from sayso.core.symbols import Action, Atom, Domain, Operator, Plan
from sayso.logic.formula import Formula, Prop
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.planning.problem import PlanningProblem

BLOCKS = ("red_block", "green_block", "blue_block")
OBJECTS = (*BLOCKS, "plate", "mug", "bowl", "coaster", "drawer")
DEMO = "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"


@lru_cache
def library() -> Library:
    return load(builtin_path())


def atom(text: str) -> Atom:
    return parse_literal(text).atom


def atoms(*texts: str) -> frozenset[Atom]:
    return frozenset(map(atom, texts))


def ground_all(operators: Iterable[Operator], objects: Iterable[str]) -> tuple[Action, ...]:
    """Every action with distinct arguments, in a fixed order (operators, then objects)."""
    names = tuple(objects)
    return tuple(
        op.ground(*args, objects=names)
        for op in operators
        for args in permutations(names, len(op.parameters))
    )


def table(*changes: str) -> frozenset[Atom]:
    """Everything on the table and the drawer closed; `changes` such as "not on_table(mug)"."""
    loose = (*BLOCKS, "mug", "bowl", "plate", "coaster")
    facts = [f"{p}({o})" for o in loose for p in ("movable", "on_table", "clear")]
    facts += [f"graspable({o})" for o in (*BLOCKS, "mug", "bowl")]
    facts += [f"stackable({o})" for o in BLOCKS]
    facts += ["surface(plate)", "surface(coaster)", "container(bowl)", "container(drawer)"]
    facts += ["accessible(bowl)"]
    facts += ["accessible(drawer)"] if "open(drawer)" in changes else []
    facts += ["drawer(drawer)", "closed(drawer)", "clear(drawer)", "gripper_empty()"]
    changed = [parse_literal(c) for c in changes]
    added = {x.atom for x in changed if x.positive}
    return (atoms(*facts) | added) - {x.atom for x in changed if not x.positive}


def tabletop(text: str, *changes: str, **options: object) -> PlanningProblem:
    """A task on the table, its formula given as text."""
    return PlanningProblem(
        library().domain(),
        OBJECTS,
        table(*changes),
        Progression.of(parse(text, grounded=True)),
        predicates=library().predicates,
        vocabulary=library().vocabulary,
        categories={o: o.rpartition("_")[2] for o in OBJECTS},
        **options,  # type: ignore[arg-type]
    )


def operator(
    name: str,
    needs: Iterable[str] = (),
    add: Iterable[str] = (),
    delete: Iterable[str] = (),
    during: Iterable[str] = (),
    cost: float = 1.0,
    parameters: tuple[str, ...] = (),
) -> Operator:
    return Operator(
        name,
        parameters,
        frozenset(map(parse_literal, needs)),
        atoms(*add),
        atoms(*delete),
        atoms(*during),
        cost=cost,
    )


def problem(
    operators: Iterable[Operator],
    initial: Iterable[str],
    formula: str | Formula,
    objects: tuple[str, ...] = (),
    **options: object,
) -> PlanningProblem:
    """A problem of ad hoc operators."""
    parsed = parse(formula, grounded=True) if isinstance(formula, str) else formula
    return PlanningProblem(
        Domain(tuple(operators)),
        objects,
        atoms(*initial),
        Progression.of(parsed),
        **options,  # type: ignore[arg-type]
    )


State = frozenset[Atom]
Node = tuple[State, State, tuple[States, ...]]
"""What is known to be true, what is unknown, and where the task stands in each world."""


def oracle(case: PlanningProblem) -> float | None:
    """Cost of a cheapest plan by blind search over sets of atoms, or None if there is none.

    Written for clarity and without anything of the planners.
    """
    actions = [
        a
        for a in ground_all(case.domain.operators, case.objects)
        if (a.name, a.args) not in case.avoid
    ]
    start = _start(case)
    costs: dict[Node, float] = {start: 0.0}
    tickets = count()
    queue = [(0.0, next(tickets), start)]
    while queue:
        cost, _, node = heapq.heappop(queue)
        if all(map(case.task.is_done, node[2])):
            return cost
        for action in actions if cost == costs[node] else ():
            after = _after(case, action, node)
            if after is not None and cost + action.cost < costs.get(after, float("inf")):
                costs[after] = cost + action.cost
                heapq.heappush(queue, (cost + action.cost, next(tickets), after))
    return None


def _worlds(case: PlanningProblem) -> list[State]:
    asked = {prop_atom(p) for p in case.task.propositions}
    unknown = sorted(case.unknown & asked)
    return [
        frozenset(chosen)
        for size in range(len(unknown) + 1)
        for chosen in combinations(unknown, size)
    ]


def _start(case: PlanningProblem) -> Node:
    worlds, q = _worlds(case), case.states
    if q is not None:
        return case.initial, case.unknown, (q,) * len(worlds)
    first = (case.task.initial,) * len(worlds)
    return case.initial, case.unknown, _read(case, first, case.initial, case.unknown)


def _after(case: PlanningProblem, action: Action, node: Node) -> Node | None:
    true, unknown, states = node
    if not action.applicable(true) or any(x.atom in unknown for x in action.preconditions):
        return None
    shown, hidden = true | action.during, unknown - action.during
    asked = {prop_atom(p) for p in case.task.propositions}
    if (shown & asked, hidden & asked) != (true & asked, unknown & asked):
        states = _read(case, states, shown, hidden)
    true, unknown = action.apply(true), unknown - action.add - action.delete
    return true, unknown, _read(case, states, true, unknown)


def _read(
    case: PlanningProblem, states: tuple[States, ...], true: State, unknown: State
) -> tuple[States, ...]:
    letters = [
        frozenset(p for p in case.task.propositions if prop_atom(p) in true | (world & unknown))
        for world in _worlds(case)
    ]
    return tuple(map(case.task.step, states, letters))


def accepted(plan: Plan, case: PlanningProblem) -> bool:
    """Whether the plan can be carried out to acceptance: a literal reading of the semantics."""
    task = case.task

    def letter(state: frozenset[Atom]) -> frozenset[Prop]:
        return frozenset(
            p
            for p in task.propositions
            if Atom(p.predicate, p.args) in state  # type: ignore[arg-type]
        )

    state, q = case.initial, case.states
    if q is None:
        q = task.step(task.initial, letter(state))
    for action in plan.actions:
        if not action.applicable(state):
            return False
        if letter(state | action.during) != letter(state):
            q = task.step(q, letter(state | action.during))
        state = action.apply(state)
        q = task.step(q, letter(state))
    return task.is_done(q)
