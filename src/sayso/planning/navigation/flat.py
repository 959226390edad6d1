"""The flat as a tour sees it: places, what is true, where things are, and what is true then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Domain, Literal
from sayso.logic.formula import Prop
from sayso.logic.monitor import prop_atom
from sayso.planning.navigation.grid import FREE, Mask, OccupancyGrid
from sayso.planning.navigation.handling import Choice, Handling, map_predicates
from sayso.planning.navigation.nearness import Footprint, Names, Nearness, around
from sayso.planning.navigation.obligations import Letter, Reading
from sayso.planning.navigation.sides import in_room, walls_of

_DOOR_M = 0.1
"""What is so near to a thing that is in the way is taken to be it."""


@dataclass(frozen=True)
class Place:
    """A thing in the flat, on the map.

    Attributes:
        receives: "" where nothing can be put down; "on" it, "in" it or only "beside" it otherwise.
        further_m: by how much more than others it is kept off; see `nearness.further_m`.
    """

    name: str
    footprint: Footprint
    receives: str = ""
    further_m: float = 0.0


@dataclass(frozen=True)
class Situation:
    """What changes while a tour is made, apart from where the robot is.

    Attributes:
        facts: what is true, of all that does not follow from where the robot is.
        along: what goes along with the robot.
        moved: pairs (thing, place) of what the robot has left at a place.
        cleared: what was in the way and is no more, such as doors that were opened.
    """

    facts: frozenset[Atom] = frozenset()
    along: frozenset[str] = frozenset()
    moved: frozenset[tuple[str, str]] = frozenset()
    cleared: Names = frozenset()

    def where(self, name: str) -> str:
        """The place whose footprint says where a thing is: its own until it was moved."""
        return next((place for thing, place in self.moved if thing == name), name)

    def is_near(self, name: str, near: Names) -> bool:
        """Whether the robot is near a thing, standing near some footprints."""
        return name in self.along or self.where(name) in near

    def is_near_in_room(self, name: str, near: Names) -> bool:
        """As `is_near`, on the thing's side of the walls."""
        return name in self.along or in_room(self.where(name)) in near

    def missing(self, handling: Handling) -> list[Literal]:
        """What would have to be true for something to be done, and is not."""
        needs = handling.action.preconditions
        return sorted(x for x in needs if (x.atom in self.facts) != x.positive)

    def after(self, handling: Handling) -> Situation:
        """When something was done."""
        along, moved = self.along, self.moved
        if handling.takes:
            along |= {handling.takes}
            moved = frozenset(pair for pair in moved if pair[0] != handling.takes)
        if handling.leaves:
            along -= {handling.leaves}
            moved |= {(handling.leaves, handling.place)}
        cleared = self.cleared.union(filter(None, (handling.clears,)))
        return Situation(handling.action.apply(self.facts), along, moved, cleared)


@dataclass(frozen=True, eq=False)
class Flat:
    """A map with its places.

    Attributes:
        domain: what can be done in it.
        places: by name.
        walled: the predicates of `map_predicates` to which walls count.
        bare: the map without those who walk, which is where walls are read off; None: `grid`.
    """

    grid: OccupancyGrid
    domain: Domain
    places: Mapping[str, Place] = field(default_factory=dict)
    walled: frozenset[str] = frozenset()
    bare: OccupancyGrid | None = field(default=None, repr=False)
    _handlings: dict[tuple[frozenset[Atom], Situation, Names], tuple[Handling, ...]] = field(
        default_factory=dict, init=False, repr=False
    )
    _without: dict[Names, OccupancyGrid] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def of(
        grid: OccupancyGrid,
        places: Iterable[Place],
        domain: Domain,
        walled: frozenset[str] = frozenset(),
        bare: OccupancyGrid | None = None,
    ) -> Flat:
        """A flat of places with distinct names.

        Raises:
            SaySoError: INVALID where two have the same name.
        """
        by_name: dict[str, Place] = {}
        for place in places:
            if place.name in by_name:
                raise SaySoError(Code.INVALID, f"two places are called '{place.name}'.")
            by_name[place.name] = place
        return Flat(grid, domain, by_name, walled, bare)

    def moved_to(self, name: str, footprint: Footprint) -> Flat:
        """The flat after a thing was seen elsewhere."""
        place = replace(self.place(name), footprint=footprint)
        return replace(self, places={**self.places, name: place})

    def place(self, name: str) -> Place:
        """One place.

        Raises:
            SaySoError: UNKNOWN_OBJECT, with the names that there are.
        """
        found = self.places.get(name)
        if found is None:
            raise SaySoError(
                Code.UNKNOWN_OBJECT,
                f"there is no '{name}' on the map.",
                choices=sorted(self.places),
            )
        return found

    def without(self, names: Names) -> OccupancyGrid:
        """The map with the floor free that some places are over."""
        if not names:
            return self.grid
        if names not in self._without:
            cells = self.grid.cells.copy()
            for name in names:
                rows, columns, distance = around(self.grid, self.place(name).footprint, _DOOR_M)
                cells[rows, columns][distance <= _DOOR_M] = FREE
            self._without[names] = replace(self.grid, cells=cells)
        return self._without[names]

    @cached_property
    def walls(self) -> Mask:
        """(rows, columns) what stands there and is none of the places."""
        things = (place.footprint for place in self.places.values())
        return walls_of(self.bare or self.grid, things)

    def check(self, propositions: Iterable[Prop]) -> None:
        """Returns if a tour can decide all propositions.

        Raises:
            SaySoError: UNSUPPORTED for another predicate, UNKNOWN_OBJECT for another name.
        """
        for prop in propositions:
            if self.domain.arities.get(prop.predicate) != len(prop.args):
                raise SaySoError(
                    Code.UNSUPPORTED,
                    f"a tour cannot bring about or avoid '{prop.predicate}'.",
                    choices=self.domain.arities,
                )
            for name in prop.args:
                self.place(str(name))

    @cached_property
    def map_predicates(self) -> frozenset[str]:
        """The predicates whose truth follows from where the robot is."""
        return map_predicates(self.domain) | self.walled

    def handlings(
        self, atoms: frozenset[Atom], now: Situation, excluded: Names = frozenset()
    ) -> tuple[Handling, ...]:
        """What can be done standing still that may bring about some atoms, or their end."""
        key = (atoms, now, excluded)
        if key not in self._handlings:
            rooms = {name: place.receives for name, place in self.places.items()}
            choice = Choice(self.domain, now.facts, rooms, now.along, excluded)
            self._handlings[key] = choice.for_task(atoms)
        return self._handlings[key]

    def clearing(self, now: Situation, excluded: Names = frozenset()) -> tuple[Handling, ...]:
        """What can be done standing still about what is in the way, such as doors that are shut."""
        rooms = {name: place.receives for name, place in self.places.items()}
        return Choice(self.domain, now.facts, rooms, now.along, excluded).clearing()

    def showing(self, now: Situation) -> tuple[Handling, ...]:
        """What can be done standing still after which something hidden may be seen."""
        rooms = {name: place.receives for name, place in self.places.items()}
        return Choice(self.domain, now.facts, rooms, now.along).showing()

    def truth(self, prop: Prop, near: Names, now: Situation) -> bool:
        """Whether a proposition holds where the robot is near these footprints."""
        if prop.predicate in self.walled:
            return now.is_near_in_room(str(prop.args[0]), near)
        if prop.predicate in self.map_predicates:
            return now.is_near(str(prop.args[0]), near)
        return prop_atom(prop) in now.facts

    def letter(self, propositions: Iterable[Prop], near: Names, now: Situation) -> Letter:
        """Those of the propositions that hold."""
        return frozenset(p for p in propositions if self.truth(p, near, now))

    def reading(self, propositions: Iterable[Prop], near: Nearness, now: Situation) -> Reading:
        """What of the propositions holds for sure, and what may be seen to hold or not."""
        sure = self.letter(propositions, near.sure, now)
        return Reading(sure, self.letter(propositions, near.possible, now) - sure)
