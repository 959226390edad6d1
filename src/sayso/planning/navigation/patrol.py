"""Missions without end: a tour there, and a loop that is driven again and again.

Endless tasks are read in rounds, see `logic.progression`. All parts but what recurs are fulfilled
by the tour there and have to stay fulfilled at every step of the loop, so that they hold of the
trace however long it becomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import (
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Top,
    conjunction,
    disjunction,
    propositions,
    walk,
)
from sayso.logic.progression import parts_of
from sayso.logic.semantics import satisfies
from sayso.planning.navigation.check import Walker, invalid, replay, unfulfilled
from sayso.planning.navigation.itinerary import SPEED_M_S, Leg, Outset, Tour
from sayso.planning.navigation.obligations import Obligations, Reading, obligations_of
from sayso.planning.navigation.search import Move, Node, Terrain, best_moves
from sayso.planning.navigation.tour import PLAN_S, fixed_tour, plan_tour

_ROUNDS = 4
"""Rounds after which all must be as it was a round before."""


@dataclass(frozen=True, eq=False)
class Mission:
    """A formula taken apart.

    Attributes:
        again: what has to come about again and again.
        rest: the other clauses.
    """

    again: tuple[Formula, ...]
    rest: tuple[Formula, ...]

    def task(self, *goals: Formula) -> tuple[Obligations, int]:
        """The rest, and each of these goals once; and how many of its parts are the rest."""
        first = obligations_of(conjunction(*self.rest))
        then = obligations_of(conjunction(*(Eventually(p) for p in goals)))
        both = (*first.parts, *then.parts), (*first.automata, *then.automata)
        return Obligations(conjunction(first.formula, then.formula), *both), len(first.parts)


@dataclass(frozen=True, eq=False)
class Patrol:
    """A tour there and a loop from its end back to its end, to be driven until stopped.

    Attributes:
        outsets: of the tour there and of the loop, with the parts of the mission as their tasks.
    """

    there: Tour
    loop: Tour
    outsets: tuple[Outset, Outset]


def mission_of(formula: Formula) -> Mission:
    """The parts of a mission; `again` is empty where it comes to an end by itself."""
    parts = parts_of(formula)
    again = [p.formula for p in parts if p.recurs]
    return Mission(
        tuple(goal.arg for goal in again if isinstance(goal, Eventually)),
        tuple(p.formula for p in parts if not p.recurs),
    )


def plan_patrol(outset: Outset, timeout_s: float = PLAN_S) -> Patrol:
    """A tour there and the shortest loop, for a mission without end; both checked.

    Args:
        outset: where the robot is; with `states` nothing is done again that was done once.

    Raises:
        SaySoError: UNSUPPORTED where nothing recurs, or naming the clause that a loop cannot
            keep fulfilled; else as `plan_tour`.
    """
    mission = mission_of(outset.task.formula)
    if not mission.again:
        raise SaySoError(
            Code.UNSUPPORTED,
            f"{outset.quoted(outset.task.formula)} asks for nothing again and again.",
            hint="plan a tour for it; a patrol is for 'G F ...'.",
        )
    for wanted in mission.again:
        if not _momentary(wanted):
            raise SaySoError(
                Code.UNSUPPORTED,
                f"{outset.quoted(wanted)}, again and again, takes more than a moment.",
                hint="ask for places one by one, each again and again.",
            )
    first, kept = _begun(outset, mission, disjunction(*mission.again))
    there = _there(first, kept, timeout_s)
    begin, kept = _begun(outset, mission, *mission.again)
    second = _end_of(there, begin, kept)
    patrol = Patrol(there, _loop(second, timeout_s), (first, second))
    check_patrol(patrol, outset)
    return patrol


def check_patrol(patrol: Patrol, outset: Outset) -> None:
    """Returns if the mission is fulfilled however often the loop is driven.

    After a round all is as before: place, what lies where, and the automata. So the second
    round stands for all that follow.

    Raises:
        SaySoError: PLAN_INVALID; UNSUPPORTED naming a clause that does not stay fulfilled.
    """
    mission = mission_of(outset.task.formula)
    begin, kept = _begun(outset, mission, *mission.again)
    walker = Walker(begin.for_legs((*patrol.there.legs, *patrol.loop.legs)))
    _follow(walker, patrol.there.legs)
    for _ in range(_ROUNDS):
        before = (walker.cell, walker.situation, walker.possible[:kept])
        walker.history = walker.history[-1:]
        _follow(walker, patrol.loop.legs)
        _check_round(walker, mission, begin, kept)
        if before == (walker.cell, walker.situation, walker.possible[:kept]):
            return
    raise invalid("the loop does not end as it begins.")


def _follow(walker: Walker, legs: Sequence[Leg]) -> None:
    for leg in legs:
        walker.take(leg, f"on patrol, {leg}, ")


def _check_round(walker: Walker, mission: Mission, outset: Outset, kept: int) -> None:
    task = outset.task
    for wanted in mission.again:
        if not any(_surely(wanted, reading) for reading, _ in walker.history):
            raise invalid(f"a round leaves out {outset.quoted(wanted)}.")
    for step, (_, possible) in enumerate(walker.history, start=1):
        for clause in unfulfilled(task, possible):
            owed = _responds(clause) and step < len(walker.history)
            if clause in task.clauses[:kept] and not owed:
                raise SaySoError(
                    Code.UNSUPPORTED,
                    f"driving a loop does not keep {outset.quoted(clause)} fulfilled all the time.",
                    hint="ask for places again and again or whenever something is so, for things "
                    "to avoid, and for things to do once.",
                )


def _surely(wanted: Formula, reading: Reading) -> bool:
    within = reading.within(propositions(wanted))
    return all(satisfies(wanted, [letter]) for letter in within.letters())


def _there(begin: Outset, kept: int, timeout_s: float) -> Tour:
    """A tour that does the rest and ends where something that recurs comes about."""
    tour = plan_tour(begin, timeout_s)
    end = _end_of(tour, begin, kept)
    if begin.task.is_done(end.begin(frozenset())):
        return tour
    more = plan_tour(end, timeout_s)
    return replace(tour, legs=(*tour.legs, *more.legs))


def _begun(outset: Outset, mission: Mission, *goals: Formula) -> tuple[Outset, int]:
    """The rest and some goals as the task, and how many of its clauses are the rest.

    Of the rest it goes on from where the outset is; goals begin now.
    """
    task, kept = mission.task(*goals)
    if outset.states is None:
        return replace(outset, task=task), kept
    known = dict(zip(outset.task.clauses, outset.states, strict=True))
    letter = outset.flat.letter(task.propositions, outset.seen_near(), outset.situation)
    fresh = zip(task.clauses, task.step(task.initial, letter), strict=True)
    states = tuple(known.get(c, q) if i < kept else q for i, (c, q) in enumerate(fresh))
    return replace(outset, task=task, states=states), kept


def _end_of(tour: Tour, begin: Outset, kept: int) -> Outset:
    """Where a tour ends, with the clauses after the first `kept` begun anew there."""
    end = replay(tour, begin)
    x, y = begin.flat.grid.centres([end.cell])[0]
    now = replace(begin, position=(float(x), float(y)), situation=end.situation, states=None)
    return replace(now, states=end.states[:kept] + now.begin(end.names())[kept:])


def _loop(begin: Outset, timeout_s: float) -> Tour:
    """The shortest loop from the end of the tour there, for one stand at each place."""
    anywhere = begin.on_any_side()
    try:
        return _loop_on(begin, timeout_s)
    except SaySoError as error:
        if error.code is not Code.NO_PLAN or anywhere is None:
            raise
    return _loop_on(anywhere, timeout_s)


def _loop_on(begin: Outset, timeout_s: float) -> Tour:
    terrain = Terrain(begin)
    cell = begin.flat.grid.cell_at(begin.position)
    start = Node(begin.begin(frozenset()), begin.situation, cell)
    moves = best_moves(terrain, start, timeout_s, home=True)
    last = moves[-1].after if moves else start
    if last.cell != start.cell:
        moves.append(_home(terrain, last, start))
    return fixed_tour(terrain, start, moves)


def _home(terrain: Terrain, last: Node, start: Node) -> Move:
    passable = terrain.passable(last)
    cells = terrain.field(passable, last.cell).cells
    cost = float(cells[start.cell]) * terrain.outset.flat.grid.resolution_m / SPEED_M_S
    region = frozenset({terrain.label(start.cell)})
    after = Node(last.states, last.situation, start.cell)
    return Move(last, after, cost, region=region, passable=passable | region)


def _responds(clause: Formula) -> bool:
    """Whether a clause is `G(a -> F b)`, fulfilled for ever where it is so again and again."""
    if not isinstance(clause, Always) or not isinstance(clause.arg, Or):
        return False
    parts = (p.arg if isinstance(p, Eventually) else p for p in clause.arg.args)
    return all(map(_momentary, parts))


def _momentary(formula: Formula) -> bool:
    return all(isinstance(f, (Prop, Not, And, Or, Top, Bottom)) for f in walk(formula))
