"""The way out of where the robot may not stay.

Something moved close, or the robot stands about where a thing that it must keep off begins to be
near. From there it first goes where no doubt is left, never closer to that thing than it is now.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.symbols import in_words
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import Mask, path_length
from sayso.planning.navigation.handling import driving
from sayso.planning.navigation.itinerary import SPEED_M_S, Leg, Outset
from sayso.planning.navigation.nearness import NearMap, Nearness, Reach, nearness_map
from sayso.planning.navigation.obligations import Reading, States
from sayso.planning.navigation.paths import PathQuestion
from sayso.planning.navigation.sides import things_of
from sayso.planning.navigation.tpsm import AVOID, GOAL, NEUTRAL
from sayso.planning.words import joined


def way_out(outset: Outset) -> tuple[Leg, Outset] | None:
    """The leg to the nearest place where the robot may stay, and the outset there.

    Args:
        outset: its `states` are given.

    Returns:
        None where the robot may stay already.

    Raises:
        SaySoError: UNREACHABLE where no way leads out.
    """
    near, states = outset.near(), outset.begin(frozenset())
    here = _reading(outset, near.at(outset.cell))
    if outset.task.harmless(states, here):
        return None
    if not here.unsure and not outset.task.is_lost(_after(outset, here) or states):
        return None
    stays = [_stay(outset, nearness) for nearness in near.classes]
    goal = np.array([after is not None for after in stays])[near.labels]
    free = open_cells(outset)
    field = Floor(free).from_cell(outset.cell)
    costs = np.where(goal & free, field.cells, np.inf)
    row, column = divmod(int(costs.argmin()), costs.shape[1])
    if not np.isfinite(costs[row, column]):
        raise _shut_in(outset)
    path = outset.planner.find(PathQuestion.along(field.way_to((row, column)), free))
    after = stays[int(near.labels[row, column])]
    assert after is not None  # a goal cell is one of a class that it may stay in
    leg = _leg(outset, near, path, after, goal)
    x, y = leg.path[-1]
    return leg, replace(outset, position=(float(x), float(y)), states=after)


def _reading(outset: Outset, nearness: Nearness) -> Reading:
    """What is seen of the task's propositions, all but the place being as it is."""
    return outset.flat.reading(outset.task.propositions, nearness, outset.situation)


def _after(outset: Outset, reading: Reading) -> States | None:
    return outset.task.worst(outset.begin(frozenset()), reading)


def _stay(outset: Outset, nearness: Nearness) -> States | None:
    """The task's states in a class that the robot may stay in; None in another."""
    reading = _reading(outset, nearness)
    after = _after(outset, reading)
    if after is None or outset.task.is_lost(after):
        return None
    return after if outset.task.harmless(after, reading) else None


def open_cells(outset: Outset) -> Mask:
    """(rows, columns) where the robot may drive now, as far as the task is concerned.

    That is where the task is no worse off; where the robot is too close to something already, it
    may stay as close to that.
    """
    open_to: Mask = outset.standable() & kept_cells(outset)
    return open_to


def kept_cells(outset: Outset) -> Mask:
    """(rows, columns) as `open_cells`, wherever the base has room."""
    reach, seen = dict(outset.reach), outset.seen_at_start()
    cell = outset.flat.grid.resolution_m
    for name, usual in outset.reach.items():
        distance = outset.distance_m(name)
        if name not in seen and distance <= usual.possible_m:
            reach[name] = Reach(distance - cell, distance - cell)
    near = nearness_map(outset.flat.grid, outset.footprints, reach, apart=outset.apart)
    states = outset.begin(frozenset())
    kept = np.array([outset.task.harmless(states, _reading(outset, c)) for c in near.classes])
    kept[near.labels[outset.cell]] = True
    return np.asarray(kept[near.labels])


def harmless_cells(outset: Outset) -> Mask:
    """(rows, columns) where the task is no worse off, whatever the robot is near already."""
    near, states = outset.near(), outset.begin(frozenset())
    harmless = [outset.task.harmless(states, _reading(outset, c)) for c in near.classes]
    return np.asarray(np.array(harmless)[near.labels])


def _leg(outset: Outset, near: NearMap[Nearness], path: Array, after: States, goal: Mask) -> Leg:
    grid, states = outset.flat.grid, outset.begin(frozenset())
    metres = path * grid.resolution_m + np.asarray(grid.origin)
    values = np.full(len(near.classes), AVOID, np.int8)
    for label, nearness in enumerate(near.classes):
        if outset.task.harmless(states, _reading(outset, nearness)):
            values[label] = NEUTRAL
    values[np.unique(near.labels[goal])] = GOAL
    end = near.at(grid.cell_at((float(metres[-1, 0]), float(metres[-1, 1]))))
    cost_s = path_length(metres) / SPEED_M_S
    drive = driving(outset.flat.domain)
    return Leg(drive, things_of(end.sure), metres, states, after, values, cost_s)


def _shut_in(outset: Outset) -> SaySoError:
    near = outset.near().at(outset.cell).possible
    close = sorted(n for n in near if outset.broken_by(n)) or sorted(near)
    return SaySoError(
        Code.UNREACHABLE,
        f"the robot stands too close to {joined(map(in_words, close))}, "
        "and no way leads away from there.",
        hint="move what stands in the way, or the robot.",
    )
