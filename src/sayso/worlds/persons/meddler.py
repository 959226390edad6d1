"""A scripted person who arranges things at a table, and meddles once while the robot is at work.

Written as states of things (`play_sight.States`): `when` it is so, the person `does` as is said.
The robot is told nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.worlds.persons.play_sight import TABLE, Sight, States
from sayso.worlds.table.table_world import TableWorld

_APART_M = 0.095
_FLOOR_M = 0.006
"""How thick the floor is of what things are put in."""
_AIR_M = 0.002
_SETTLE_S = 0.6


def arrange(world: TableWorld, states: States) -> None:
    """Make it so: fixtures by their shares of travel, loose things by where they are (`at`, a place
    or x and y [m] on the table).

    Raises:
        SaySoError: INVALID for a thing or a place that there is not, or a table without room.
    """
    if not states:
        return
    for name, wanted in states.items():
        for attribute, value in wanted.items():
            if attribute == "at":
                world.put(name, _place(world, name, value))
            else:
                world.set_share(name, float(str(value)))
    world.step(_SETTLE_S)


def _place(world: TableWorld, name: str, place: object) -> Pose:
    sight = Sight.of(world)
    if name not in sight.blocks:
        raise SaySoError(Code.INVALID, f"no '{name}' can be moved there.", choices=sight.blocks)
    size = sight.things[name].size
    standing_m = sight.scene.table_height_m + size[2] / 2 + _AIR_M
    if isinstance(place, list | tuple):
        x, y = place
        return Pose((float(x), float(y), standing_m))
    if place == TABLE:
        (x0, x1), (y0, y1) = sight.surface_m
        spots = product(np.linspace(x0, x1, 5), np.linspace(y0, y1, 12))
        free = [(x, y) for x, y in spots if sight.apart(float(x), float(y), _APART_M, name)]
        if not free:
            raise SaySoError(Code.INVALID, f"there is no room on the table for {name}.")
        x, y = free[len(free) // 2]
        return Pose((float(x), float(y), standing_m))
    places = [TABLE, *(f.name for f in sight.fixtures.values() if f.holds)]
    if place not in places:
        raise SaySoError(Code.INVALID, f"nothing is put at '{place}'.", choices=places)
    room = sight.things[str(place)]
    x, y, z = room.position
    inside = sight.fixtures[str(place)].holds == "in"
    floor = z - room.size[2] / 2 + _FLOOR_M if inside else z + room.size[2] / 2
    return Pose((x, y, floor + size[2] / 2 + _AIR_M))


class Meddler:
    """Meddles once.

    Args:
        upset: `when` and `does`, both states, and `says`, what it is called.
        tell: hears that it happened.

    Attributes:
        meddled: whether it was done.
    """

    def __init__(
        self, world: TableWorld, upset: Mapping[str, object], tell: Callable[[str], None]
    ) -> None:
        self._world, self._upset, self._tell = world, upset, tell
        self.meddled = False

    def watch(self) -> None:
        """Look, and do it if it is time. Raises as `arrange`."""
        when, does = self._upset["when"], self._upset["does"]
        assert isinstance(when, Mapping)
        assert isinstance(does, Mapping)
        sight = Sight.of(self._world)
        if not self.meddled and all(sight.shows(n, wanted) for n, wanted in when.items()):
            arrange(self._world, does)
            self.meddled = True
            self._tell(str(self._upset["says"]))
