"""The flat as a tour sees it: places, what is held and what lies where, and what is true then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import Prop
from sayso.planning.navigation.grid import Mask, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint, Names, Nearness
from sayso.planning.navigation.obligations import Letter, Reading
from sayso.planning.navigation.sides import walls_of

PREDICATES = ("near", "holding", "placed", "on", "in", "hand_empty", "graspable")


@dataclass(frozen=True)
class Place:
    """A thing in the flat, on the map.

    Attributes:
        graspable: whether the robot can pick it up.
        receives: "" where nothing can be put down; "on" it, "in" it or only "beside" it otherwise.
    """

    name: str
    footprint: Footprint
    graspable: bool = False
    receives: str = ""


@dataclass(frozen=True)
class Situation:
    """What changes while a tour is made, apart from where the robot is.

    Attributes:
        held: what the gripper holds, or "".
        rests: pairs (thing, receptacle) of what lies on or in what.
        moved: things that the robot has put down; they are where their receptacle is.
        beside: pairs (thing, other) of what lies right beside what.
    """

    held: str = ""
    rests: frozenset[tuple[str, str]] = frozenset()
    moved: frozenset[str] = frozenset()
    beside: frozenset[tuple[str, str]] = frozenset()

    def where(self, name: str) -> str:
        """The place whose footprint says where a thing is: its own until it was moved."""
        if name not in self.moved:
            return name
        return next((r for thing, r in sorted(self.rests) if thing == name), name)

    def picked(self, thing: str) -> Situation:
        """After the robot took a thing."""
        return Situation(
            thing,
            frozenset((t, r) for t, r in self.rests if t != thing),
            self.moved - {thing},
            frozenset(pair for pair in self.beside if thing not in pair),
        )

    def released(self, receptacle: str) -> Situation:
        """After the robot put what it held on or in a receptacle."""
        return replace(
            self,
            held="",
            rests=self.rests | {(self.held, receptacle)},
            moved=self.moved | {self.held},
        )


@dataclass(frozen=True, eq=False)
class Flat:
    """A map with its places.

    Attributes:
        places: by name.
    """

    grid: OccupancyGrid
    places: Mapping[str, Place] = field(default_factory=dict)

    @staticmethod
    def of(grid: OccupancyGrid, places: Iterable[Place]) -> Flat:
        """A flat of places with distinct names.

        Raises:
            SaySoError: INVALID where two have the same name.
        """
        by_name: dict[str, Place] = {}
        for place in places:
            if place.name in by_name:
                raise SaySoError(Code.INVALID, f"two places are called '{place.name}'.")
            by_name[place.name] = place
        return Flat(grid, by_name)

    def moved_to(self, name: str, footprint: Footprint) -> Flat:
        """The flat after a thing was seen elsewhere."""
        place = replace(self.place(name), footprint=footprint)
        return Flat(self.grid, {**self.places, name: place})

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

    @cached_property
    def walls(self) -> Mask:
        """(rows, columns) what stands there and is none of the places."""
        return walls_of(self.grid, (place.footprint for place in self.places.values()))

    def check(self, propositions: Iterable[Prop]) -> None:
        """Returns if a tour can decide all propositions.

        Raises:
            SaySoError: UNSUPPORTED for another predicate, UNKNOWN_OBJECT for another name.
        """
        for prop in propositions:
            if prop.predicate not in PREDICATES:
                raise SaySoError(
                    Code.UNSUPPORTED,
                    f"a tour cannot bring about or avoid '{prop.predicate}'.",
                    choices=PREDICATES,
                )
            for name in prop.args:
                self.place(str(name))

    def truth(self, prop: Prop, near: Names, now: Situation) -> bool:
        """Whether a proposition holds where the robot is near these footprints."""
        args = tuple(map(str, prop.args))
        match prop.predicate:
            case "near":
                return args[0] == now.held or now.where(args[0]) in near
            case "holding":
                return args[0] == now.held
            case "placed":
                return args in now.rests or args in now.beside
            case "on" | "in":
                return args in now.rests and self.place(args[1]).receives == prop.predicate
            case "hand_empty":
                return not now.held
            case _:
                return self.place(args[0]).graspable

    def letter(self, propositions: Iterable[Prop], near: Names, now: Situation) -> Letter:
        """Those of the propositions that hold."""
        return frozenset(p for p in propositions if self.truth(p, near, now))

    def reading(self, propositions: Iterable[Prop], near: Nearness, now: Situation) -> Reading:
        """What of the propositions holds for sure, and what may be seen to hold or not."""
        sure = self.letter(propositions, near.sure, now)
        return Reading(sure, self.letter(propositions, near.possible, now) - sure)
