"""Tours through the flat: the cheapest way to fulfil a task, or what stands in its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.symbols import Literal, in_words
from sayso.logic.automaton import Automaton
from sayso.logic.english import describe
from sayso.logic.formula import Always, Formula, Prop, propositions
from sayso.logic.monitor import prop_atom
from sayso.planning.navigation.check import check_tour
from sayso.planning.navigation.geodesic import Field
from sayso.planning.navigation.grid import Cell, Indices, Mask, path_length
from sayso.planning.navigation.handling import driving
from sayso.planning.navigation.itinerary import SPEED_M_S, Leg, Outset, Tour
from sayso.planning.navigation.leaving import way_out
from sayso.planning.navigation.paths import PathQuestion
from sayso.planning.navigation.search import Classes, Move, Node, Terrain, best_moves
from sayso.planning.navigation.sides import things_of
from sayso.planning.navigation.tpsm import AVOID, GOAL, NEUTRAL, Values
from sayso.planning.words import fact, joined

PLAN_S = 10.0
"""How long planning may take."""
_LEAST_MARGIN_M = 0.05


def plan_tour(outset: Outset, timeout_s: float = PLAN_S) -> Tour:
    """The cheapest tour that fulfils a task, checked; without legs where it is fulfilled already.

    The order of places and the instances are the cheapest for one stand at each place; then the
    stands are chosen, for all legs at once, so that the whole is shortest in that order.

    Raises:
        SaySoError: UNREACHABLE naming what no free floor leads to; NO_PLAN naming a clause
            without which there is a tour; PLAN_TIMEOUT; VIOLATED where the task is lost already;
            PRECONDITION where the robot stands too close to something, or where the task hinges
            on what nobody observed; UNSUPPORTED and UNKNOWN_OBJECT as in `Flat.check`;
            UNREACHABLE as in `way_out`.
    """
    outset.flat.check(outset.task.propositions)
    tour = _tour_from(outset, timeout_s)
    _require_either_way(tour, outset)
    return tour


def _tour_from(outset: Outset, timeout_s: float) -> Tour:
    begun = _begun(outset)
    if outset.task.is_done(begun.begin(frozenset())):
        return Tour((), outset.near(), outset.cell, outset.situation)
    away = way_out(begun)
    if away is None:
        return _planned(begun, timeout_s)
    first, then = away
    rest = _planned(then, timeout_s)
    tour = Tour((first, *rest.legs), rest.near, outset.cell, outset.situation)
    check_tour(tour, outset)
    return tour


def _planned(outset: Outset, timeout_s: float) -> Tour:
    """A tour from where the robot may stay.

    Things are first put down only where the task wants them: with all that something could be
    put down on in passing, a task of many things takes long. Where there is no tour otherwise,
    the robot stands where a wall is between it and what it was sent to. What is in the way, such
    as a door that is shut, is seen to unasked only where there is no tour without.
    """
    clearing = outset.clearing_unasked()
    if clearing is not None and _is_out_of_reach(outset):
        return _planned(clearing, timeout_s)
    anywhere = outset.on_any_side()
    sides = (outset,) if anywhere is None else (outset, anywhere)
    for tried in (x for side in sides for x in (side.putting_down_as_asked(), side) if x):
        terrain = Terrain(tried)
        start = Node(tried.begin(frozenset()), tried.situation, tried.cell)
        try:
            return tour_of(terrain, start, best_moves(terrain, start, timeout_s))
        except SaySoError as error:
            if error.code != Code.NO_PLAN:
                raise
    if clearing is not None:
        return _planned(clearing, timeout_s)
    raise explain(anywhere or outset, timeout_s)


def _is_out_of_reach(outset: Outset) -> bool:
    """Whether some clause cannot come true with all that is done where floor leads to.

    That is less than a tour needs, and is known without a search.
    """
    near, now, flat = outset.near(), outset.situation, outset.flat
    classes = (near.classes[label] for label in np.unique(near.labels[outset.room]))
    reached = frozenset().union(*(nearness.possible for nearness in classes))
    done = [h.action for h in outset.handlings if now.is_near(h.place, reached)]
    ends = {atom for action in done for atom in action.delete}
    begins = {atom for action in done for atom in action.add}
    truths = {p: flat.truth(p, reached, now) for p in outset.task.propositions}
    known = {
        p: truth
        for p, truth in truths.items()
        if (not truth if p.predicate in flat.map_predicates
            else prop_atom(p) not in (ends if truth else begins))
    }  # fmt: skip
    states = outset.begin(frozenset())
    return not all(
        any(map(automaton.is_accepting, _reached(automaton, state, known)))
        for automaton, state in zip(outset.task.automata, states, strict=True)
    )


def _reached(automaton: Automaton, state: int, known: Mapping[Prop, bool]) -> set[int]:
    """The states that come about while some propositions stay as they are."""
    found, waiting = {state}, [state]
    while waiting:
        more = automaton.possible_steps(waiting.pop(), known) - found
        found |= more
        waiting += more
    return found


def explain(outset: Outset, timeout_s: float = PLAN_S) -> SaySoError:
    """Why there is no tour: a place that cannot be reached, or clauses that exclude one."""
    if cut_off := _cut_off(outset):
        return SaySoError(
            Code.UNREACHABLE,
            f"no free floor leads from the robot to {joined(map(in_words, cut_off))}.",
            hint="clear the way, or ask for something else.",
        )
    options = [(clause,) for clause in outset.task.clauses]
    rules = tuple(c for c in outset.task.clauses if isinstance(c, Always))
    found = _ways_out(outset, options, timeout_s)
    if len(rules) > 1 and not any((rule,) in found for rule in rules):
        found |= _ways_out(outset, [rules], timeout_s)
    ways = list(found.values())
    if outset.margin_m > _LEAST_MARGIN_M:
        length = _length(replace(outset, margin_m=_LEAST_MARGIN_M), timeout_s)
        if length is not None:
            ways.append(f"with a margin of {_LEAST_MARGIN_M} m there is a tour of {length:.1f} m")
    cause = "; ".join(ways) or "no single clause is to blame"
    return SaySoError(
        Code.NO_PLAN,
        f"no tour fulfils all of the task: {cause}.",
        hint=_what_would_help(found, outset),
    )


def _ways_out(
    outset: Outset, options: Sequence[tuple[Formula, ...]], timeout_s: float
) -> dict[tuple[Formula, ...], str]:
    """Clauses without which there is a tour, each with what is to be said of it."""
    found = {}
    for given_up in options:
        length = _without(outset, given_up, timeout_s)
        if length is not None:
            told = joined(map(outset.quoted, given_up))
            found[given_up] = f"without {told} there is a tour of {length:.1f} m"
    return found


def _what_would_help(found: Iterable[tuple[Formula, ...]], outset: Outset) -> str:
    """What would have to give: a demand, or what is forbidden and in the way."""
    options = list(found)
    if not options:
        return "ask for less."
    rules = [c for option in options for c in option if isinstance(c, Always)]
    told, walled = outset.flat.map_predicates, outset.flat.walled
    near = [p for c in rules for p in propositions(c) if p.predicate in told]
    things = list(dict.fromkeys(describe(p.args[0]) for p in near))
    give = "give up one of these" if len(options) > 1 else "give that up"
    if not things:
        return f"{give}."
    through = (str(p.args[0]) for p in near if p.predicate not in walled)
    if walled and any(map(outset.has_walls_around, through)):
        give += ", say 'in the same room' of what may be near behind a wall"
    return f"{give}, or move {joined(things, 'or')} out of the way."


def _without(outset: Outset, given_up: tuple[Formula, ...], timeout_s: float) -> float | None:
    """The length of a tour that some clauses exclude, or None where they are not to blame."""
    task, states = outset.task, outset.states
    for clause in given_up:
        index = task.clauses.index(clause)
        task = task.without(clause)
        states = None if states is None else (*states[:index], *states[index + 1 :])
    return _length(replace(outset, task=task, states=states), timeout_s)


def _length(outset: Outset, timeout_s: float) -> float | None:
    """Of the tour that there is from an outset [m], or None."""
    try:
        begun = _begun(outset)
        away = way_out(begun)
        first, begun = away or (None, begun)
        terrain = Terrain(begun)
        start = Node(begun.begin(frozenset()), begun.situation, begun.cell)
        rest = tour_of(terrain, start, best_moves(terrain, start, timeout_s))
    except SaySoError:
        return None
    return rest.length_m + (first.cost_s * SPEED_M_S if first else 0.0)


def _cut_off(outset: Outset) -> list[str]:
    """The names in the task that cannot be come near to, whatever the task forbids."""
    near, situation = outset.near(), outset.situation
    reached = {
        name for label in np.unique(near.labels[outset.room]) for name in near.classes[label].sure
    }
    pending = outset.task.pending(outset.begin(outset.seen_near()))
    wanted = {str(a) for c in pending for p in propositions(c) for a in p.args}
    return sorted(n for n in wanted if not situation.is_near(n, frozenset(reached)))


def _begun(outset: Outset) -> Outset:
    """The outset after the first step was read."""
    if not outset.standable()[outset.cell]:
        raise SaySoError(
            Code.PRECONDITION,
            "the robot stands too close to something to drive safely.",
            hint="move it to free floor first.",
        )
    states = outset.begin(outset.seen_near())
    if outset.task.is_lost(states):
        lost = outset.task.lost(states)[0]
        clause = outset.quoted(lost)
        _require_known(lost, clause, outset)
        raise SaySoError(
            Code.VIOLATED,
            f"{clause} is broken where the robot stands, before it moves.",
            hint="move the robot, or change the task.",
        )
    return replace(outset, states=states)


def _require_either_way(tour: Tour, outset: Outset) -> None:
    """Raises PRECONDITION where a tour fulfils the task only if what nobody observed is not so.

    What is unknown is planned with as not so; of what the robot may change itself it knows better.
    """
    task = outset.task
    changed = {a for h in outset.handlings for a in (*h.action.add, *h.action.delete)}
    for atom in sorted(outset.unknown - changed):
        now = replace(outset.situation, facts=outset.situation.facts | {atom})
        other = replace(outset, situation=now)
        if outset.states is not None and not any(task.counts_steps):
            letter = outset.flat.letter(task.propositions, outset.seen_near(), now)
            other = replace(other, states=task.step(outset.states, letter))
        try:
            check_tour(tour, other)
        except SaySoError as error:
            if error.code != Code.PLAN_INVALID:
                raise
            part = next(c for c in task.clauses if atom in map(prop_atom, propositions(c)))
            _require_known(part, outset.quoted(part), outset)


def _require_known(part: Formula, clause: str, outset: Outset) -> None:
    """Raises PRECONDITION where nobody observed whether what a part of the task is about is so."""
    unknown = sorted({prop_atom(p) for p in propositions(part)} & outset.unknown)
    if unknown:
        facts = joined(fact(Literal(a), outset.predicates) for a in unknown)
        raise SaySoError(
            Code.PRECONDITION,
            f"{clause} cannot be watched: it is not known whether {facts}.",
            hint="have it observed, such as by a sensor of the building, or leave that out.",
        )


def tour_of(terrain: Terrain, start: Node, moves: Sequence[Move]) -> Tour:
    """The moves as a tour with straight paths, checked.

    Raises:
        SaySoError: PLAN_INVALID where the tour does not hold what the search promised.
    """
    if all(m.plain for m in moves):
        refined = _tour(terrain, start, moves, _best_ways(terrain, start, moves))
        try:
            check_tour(refined, terrain.outset)
            return refined
        except SaySoError as error:  # another stand at the same place meant something else
            if error.code != Code.PLAN_INVALID:
                raise
    plain = fixed_tour(terrain, start, moves)
    check_tour(plain, terrain.outset)
    return plain


def fixed_tour(terrain: Terrain, start: Node, moves: Sequence[Move]) -> Tour:
    """The moves as a tour with straight paths between the very cells that the search chose."""
    return _tour(terrain, start, moves, [_way(terrain, m) for m in moves])


def _way(terrain: Terrain, move: Move) -> Indices:
    if move.handling is not None:
        return np.array([move.before.cell], np.intp)
    if not move.approach:
        return terrain.field(move.passable, move.before.cell).way_to(move.after.cell)
    first, second = terrain.approaching(move.passable, move.approach, move.before.cell)
    inside = second.way_to(move.after.cell)
    outside = first.way_to((int(inside[0, 0]), int(inside[0, 1])))
    return np.concatenate((outside, inside[1:]))


def _best_ways(terrain: Terrain, start: Node, moves: Sequence[Move]) -> list[Indices]:
    """The ways that are shortest in all, whichever cells of the regions they end in.

    Distances are passed on from region to region; then the ways are read backwards.
    """
    goes = [m for m in moves if m.handling is None]
    cells = np.array([start.cell], np.intp)
    costs = np.ones(1)  # an edge of no length would be no edge; all ways begin 1 late
    fields: list[Field] = []
    for move in goes:
        fields.append(terrain.floor(move.passable).from_cells(cells, costs))
        inside = terrain.cells(move.region) & np.isfinite(fields[-1].cells)
        cells, costs = np.argwhere(inside), fields[-1].cells[inside]
    end: Cell = start.cell
    if goes:
        row, column = cells[int(costs.argmin())]
        end = (int(row), int(column))
    ways: list[Indices] = []
    for move in reversed(moves):
        if move.handling is None:
            ways.append(fields.pop().way_to(end))
            end = (int(ways[-1][0, 0]), int(ways[-1][0, 1]))
        else:
            ways.append(np.array([end], np.intp))
    return ways[::-1]


def _tour(terrain: Terrain, start: Node, moves: Sequence[Move], ways: Sequence[Indices]) -> Tour:
    legs = tuple(_leg(terrain, move, way) for move, way in zip(moves, ways, strict=True))
    return Tour(legs, terrain.near, start.cell, terrain.outset.situation)


def _leg(terrain: Terrain, move: Move, way: Indices) -> Leg:
    grid = terrain.outset.flat.grid
    states = (move.before.states, move.after.states)
    if (done := move.handling) is not None:
        path = grid.centres(way[:1])
        return Leg(done.operator, done.action.args, path, *states, cost_s=move.cost_s)
    path = _path(terrain, move, way) * grid.resolution_m + np.asarray(grid.origin)
    end = (int(way[-1, 0]), int(way[-1, 1]))
    drive, near = driving(terrain.outset.flat.domain), things_of(terrain.near.at(end).sure)
    cost_s = path_length(path) / SPEED_M_S
    values = _values(terrain, move.region, move.passable | move.approach)
    return Leg(drive, near, path, *states, values, cost_s)


def _path(terrain: Terrain, move: Move, way: Indices) -> Array:
    """(N, 2) the path (x, y) from end to end of a way, in units of cells, where it may pass."""
    if move.approach:
        return _path_over(terrain, move, way)
    free = terrain.cells(move.passable)
    if not move.plain:  # it must enter its goal at its end and no earlier
        free = terrain.cells(move.passable - move.region).copy()
        free[tuple(way[-1])] = True
    return _path_along(terrain, way, free)


def _path_over(terrain: Terrain, move: Move, way: Indices) -> Array:
    """As `_path`, of a way that goes over into an approach and stays in there."""
    inside = terrain.cells(move.approach)[tuple(way.T)]
    last_outside = int(np.flatnonzero(~inside).max(initial=-1))
    turn = min(last_outside + 1, len(way) - 1)
    pieces = (
        _path_along(terrain, way[: turn + 1], terrain.cells(move.passable)),
        _path_along(terrain, way[turn:], terrain.cells(move.approach)),
    )
    return np.concatenate((pieces[0], pieces[1][1:]))


def _path_along(terrain: Terrain, way: Indices, free: Mask) -> Array:
    return terrain.outset.planner.find(PathQuestion.along(way, free))


def _values(terrain: Terrain, region: Classes, passable: Classes) -> Values:
    values = np.full(len(terrain.near.classes), AVOID, np.int8)
    values[list(passable)] = NEUTRAL
    values[list(region)] = GOAL
    return values
