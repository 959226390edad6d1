"""What holds in a VirtualHome graph: its states and relations as atoms of the library, and a scene.

Atoms are read off the edges, never asked for of all pairs: 293 things have 85,000 pairs of which
a few hundred are on or in each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sayso.core.library import Library, builtin_path, load
from sayso.core.scene import AttributeValue, Scene, SceneObject
from sayso.core.symbols import Atom, SymbolicState, Truths
from sayso.worlds.virtualhome.package import package
from sayso.worlds.virtualhome.tasks import ACTOR, ACTOR_ID, class_of, thing_name

_STATES = {
    "CLOSED": "closed",
    "OPEN": "open",
    "ON": "switched_on",
    "OFF": "switched_off",
    "CLEAN": "clean",
    "DIRTY": "dirty",
    "PLUGGED_IN": "plugged_in",
    "PLUGGED_OUT": "unplugged",
}
_KINDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    kind: (frozenset(properties.split()), frozenset(classes.split()))
    for kind, (properties, classes) in {
        # predicate: properties any of which makes it so, and classes that do
        "graspable": ("GRABBABLE", "child water"),
        "openable": ("CAN_OPEN", "desk window"),
        "box": ("CAN_OPEN", ""),
        "drinkable": ("DRINKABLE RECIPIENT", ""),
        "pourable": ("DRINKABLE POURABLE", ""),
        "pour_target": ("RECIPIENT", "face hands_both sponge"),
        "water": ("", "water"),
        "shiftable": ("MOVABLE", "button chair curtain"),
        "typeable": ("HAS_SWITCH", "keyboard"),
        "squeezable": (
            "CLOTHES",
            "check cleaning_solution dish_soap food_lemon food_peanut_butter paper "
            "rag shampoo soap sponge tooth_paste towel",
        ),
        "lookable": ("LOOKABLE", ""),
        "readable": ("READABLE", ""),
        "eatable": ("EATABLE", ""),
        "cuttable": ("CUTTABLE", ""),
        "clothes": ("CLOTHES", ""),
        "sittable": ("SITTABLE", ""),
        "lieable": ("LIEABLE", ""),
        "has_switch": ("HAS_SWITCH", ""),
        "has_plug": ("HAS_PLUG", ""),
        "body_part": ("BODY_PART", ""),
        "person": ("PERSON", ""),
    }.items()
}
_CALLED: Mapping[str, str] = {
    "coffe_maker": "coffee_maker", "closetdrawer": "closet_drawer", "ceilinglamp": "ceiling_lamp",
    "tablelamp": "table_lamp", "walllamp": "wall_lamp", "wallshelf": "wall_shelf",
    "tvstand": "tv_stand", "cpuscreen": "computer_screen", "photoframe": "photo_frame",
    "powersocket": "power_socket", "stovefan": "stove_fan", "trashcan": "trash_can",
    "tooth_paste": "toothpaste", "hands_both": "hands", "creditcard": "credit_card",
    "mousepad": "mouse_pad",
}  # fmt: skip
"""Classes that are written otherwise than people write."""
_SEATS = {"couch": 4, "bed": 4, "loveseat": 2, "sofa": 4, "pianobench": 2, "bench": 2}
_BEDS = {"couch": 2, "bathtub": 2, "bed": 3, "loveseat": 2, "sofa": 2}
"""How many places there are; elsewhere there is one."""


@lru_cache(maxsize=1)
def library() -> Library:
    """The predicates and operators of VirtualHome."""
    return load(builtin_path("virtualhome"))


@dataclass(frozen=True)
class Nodes:
    """What never changes of a graph: its things, what they are called and what they are.

    Attributes:
        names: by number.
        fixed: atoms of what the things are.
        rooms: numbers.
    """

    names: Mapping[int, str]
    fixed: frozenset[Atom]
    rooms: frozenset[int]
    atoms: dict[tuple[str, tuple[int, ...]], Atom] = field(default_factory=dict)
    """Those that were made, by predicate and numbers: most hold from step to step."""
    first: dict[Any, Mapping[int, tuple[int, ...]]] = field(default_factory=dict)
    """By relation what each thing began in it with: a step changes a few."""

    @staticmethod
    def of(graph: Any) -> Nodes:
        nodes = tuple(graph.get_nodes())
        names = {n.id: thing_name(n.class_name, n.id) for n in nodes}
        fixed = frozenset(Atom(kind, (names[n.id],)) for n in nodes for kind in _kinds(n))
        return Nodes(names, fixed, frozenset(n.id for n in nodes if n.category == "Rooms"))


def symbolic_state(state: Any, nodes: Nodes, stamp_s: float) -> SymbolicState:
    """What is true of the simulator's state (`EnvironmentState`)."""
    reader = _Reader(state, nodes)
    true = dict.fromkeys((*nodes.fixed, *reader.atoms()), True)
    objects = tuple(nodes.names.values())
    arities = {p.name: p.arity for p in library().predicates.values()}
    return SymbolicState(stamp_s, objects, Truths(objects, arities, true))


def within_reach(state: Any, nodes: Nodes, things: Iterable[str]) -> frozenset[Atom]:
    """Which of some things are near whoever walks to which other one (`EnvironmentState`).

    It is no part of the observed state: in a house some 14,000 such pairs hold.
    """
    numbers = {name: number for number, name in nodes.names.items()}
    chosen = {numbers[t] for t in things if t in numbers and numbers[t] != ACTOR_ID}
    reader = _Reader(state, nodes)
    return frozenset(a for n in chosen for a in reader.reached_from(n, chosen - {n}))


def scene(state: SymbolicState) -> Scene:
    """The same as things with attributes, as the library's predicates read them.

    VirtualHome has no geometry that its actions heed: all things have size and place 0.
    """
    predicates = library().predicates.values()
    nothing: dict[str, AttributeValue] = {
        p.name: "" if p.arity == 2 else False for p in predicates if p.arity
    }
    observed = {name: dict(nothing) for name in state.objects}
    observed[ACTOR].update((p.name, False) for p in predicates if not p.arity)
    for atom in sorted(state.true_atoms(), key=lambda a: (a.predicate, a.args)):
        about = observed[atom.args[0] if atom.args else ACTOR]
        words = f"{about[atom.predicate]} {atom.args[1]}".strip() if len(atom.args) == 2 else True
        about[atom.predicate] = words
    things = (
        SceneObject(name, _category(name), "", (0.0,) * 3, (0.0,) * 3, attributes=attributes)
        for name, attributes in observed.items()
    )
    return Scene(state.stamp_s, tuple(things), frame="virtualhome")


def _category(name: str) -> str:
    """What people call a thing of its class: "coffee maker" for `coffe_maker`, "hat" for
    `clothes_hat`."""
    cls = class_of(name)
    return _CALLED.get(cls, re.sub(r"^(food|clothes|instrument)_", "", cls))


def _kinds(node: Any) -> Iterator[str]:
    has = {p.name for p in node.properties}
    for kind, (properties, classes) in _KINDS.items():
        if has & properties or node.class_name in classes:
            yield kind
    if node.category == "Rooms":
        yield "room"
    if "knife" in node.class_name:
        yield "knife"
    if node.class_name in _SEATS:
        yield "several_seats"
    if node.class_name in _BEDS:
        yield "several_beds"


class _Reader:
    """Reads what can change off a state of the simulator."""

    def __init__(self, state: Any, nodes: Nodes) -> None:
        relations = package().simulator("environment").Relation
        self._state, self._nodes = state, nodes
        self._on, self._inside = relations.ON, relations.INSIDE
        self._close, self._facing = relations.CLOSE, relations.FACING
        self._hands = {"right": relations.HOLDS_RH, "left": relations.HOLDS_LH}
        self._read: dict[Any, Mapping[int, tuple[int, ...]]] = {}

    def atoms(self) -> Iterator[Atom]:
        on, inside = self._all(self._on), self._all(self._inside)
        yield from self._states()
        yield from self._body(on)
        yield from self._places(on, inside)
        yield from self._reach(on)
        yield from self._grabbed()

    def _all(self, relation: Any) -> Mapping[int, tuple[int, ...]]:
        """What each thing is in a relation with: as in the graph, but for what was changed since.

        The simulator's state is that graph and the edges that were added and removed.
        """
        read = self._read.get(relation)
        if read is None:
            changed = (*self._state._new_edges_from, *self._state._removed_edges_from)
            others = {n for n, of in changed if of is relation}
            read = {**self._first(relation), **{n: self._to(n, relation) for n in others}}
            self._read[relation] = read
        return read

    def _first(self, relation: Any) -> Mapping[int, tuple[int, ...]]:
        first = self._nodes.first.get(relation)
        if first is None:
            graph = self._state._graph
            first = {n: tuple(graph.get_node_ids_from(n, relation)) for n in self._nodes.names}
            self._nodes.first[relation] = first
        return first

    def _to(self, number: int, relation: Any) -> tuple[int, ...]:
        return tuple(self._state.get_node_ids_from(number, relation))

    def _atom(self, predicate: str, *numbers: int) -> Atom:
        key = (predicate, numbers)
        known = self._nodes.atoms.get(key)
        if known is None:
            things = tuple(self._nodes.names[n] for n in numbers)
            known = self._nodes.atoms[key] = Atom(predicate, things)
        return known

    def _states(self) -> Iterator[Atom]:
        for number in self._nodes.names:
            if number != ACTOR_ID:
                for known in self._state.get_node(number).states:
                    if known.name in _STATES:
                        yield self._atom(_STATES[known.name], number)

    def _body(self, on: Mapping[int, tuple[int, ...]]) -> Iterator[Atom]:
        pose = {s.name for s in self._state.get_node(ACTOR_ID).states} & {"SITTING", "LYING"}
        yield from (Atom(name.lower()) for name in pose)
        if pose:
            yield Atom("resting")
        held = {side: self._to(ACTOR_ID, relation) for side, relation in self._hands.items()}
        for side, numbers in held.items():
            yield from (self._atom(f"holds_{side}", n) for n in numbers)
            if not numbers:
                yield Atom(f"{side}_hand_free")
        yield from (self._atom("holding", n) for n in {*held["right"], *held["left"]})
        if not all(held.values()):
            yield Atom("hand_free")
        yield from (self._atom("seated_on", n) for n in on[ACTOR_ID])
        yield from (self._atom("worn", n) for n, below in on.items() if ACTOR_ID in below)

    def _places(
        self, on: Mapping[int, tuple[int, ...]], inside: Mapping[int, tuple[int, ...]]
    ) -> Iterator[Atom]:
        rooms, here = self._nodes.rooms, self._room(ACTOR_ID, inside)
        for number in self._nodes.names:
            room = self._room(number, inside)
            if room is not None:
                if number not in (room, ACTOR_ID):
                    yield self._atom("in_room", number, room)
                if room == here:
                    yield self._atom("in_same_room", number)
            if number != ACTOR_ID:
                yield from (self._atom("on", number, x) for x in on[number] if x != ACTOR_ID)
                boxes = [x for x in inside[number] if x not in rooms]
                yield from (self._atom("in", number, x) for x in boxes)
                if boxes:
                    yield self._atom("contained", number)
        yield from (self._atom("at", r) for r in inside[ACTOR_ID] if r in rooms)
        yield from self._occupied(Counter(x for below in on.values() for x in below))

    def _occupied(self, load: Mapping[int, int]) -> Iterator[Atom]:
        for number, count in load.items():
            name = self._state.get_node(number).class_name
            if count >= _SEATS.get(name, 1):
                yield self._atom("full", number)
            if count >= _BEDS.get(name, 1):
                yield self._atom("covered", number)

    def _room(self, number: int, inside: Mapping[int, tuple[int, ...]]) -> int | None:
        """As the simulator finds it: of several surroundings a room among them, or none."""
        rooms = self._nodes.rooms
        while number not in rooms:
            around = inside[number]
            if len(around) > 1:
                return next((n for n in around if n in rooms), None)
            if not around:
                return None
            number = around[0]
        return number

    def _reach(self, on: Mapping[int, tuple[int, ...]]) -> Iterator[Atom]:
        close = self._to(ACTOR_ID, self._close)
        near = {*close, *(n for c in close for n in self._to(c, self._close))}
        near.update(n for n, below in on.items() if not set(below).isdisjoint(close))
        facing = self._to(ACTOR_ID, self._facing)
        in_view = {*facing, *(n for f in facing for n in self._to(f, self._facing))}
        for predicate, numbers in (
            ("next_to", close), ("near", near), ("facing", facing), ("in_view", in_view)
        ):  # fmt: skip
            yield from (self._atom(predicate, n) for n in numbers if n != ACTOR_ID)

    def reached_from(self, place: int, things: Iterable[int]) -> Iterator[Atom]:
        """Which things are near whoever walks to one: close to that, to what it is in or on, or to
        what lies in it, or on one of these. (What is held is close to nothing while that walks.)"""
        held = {n for relation in self._hands.values() for n in self._to(ACTOR_ID, relation)}
        on, inside = self._all(self._on), self._all(self._inside)
        inner = (n for n, around in inside.items() if place in around)
        opens = Atom("box", (self._nodes.names[place],)) in self._nodes.fixed
        around = {place, *on[place], *inside[place]}
        close = (around | set(inner if opens else ())) - self._nodes.rooms
        near = close.union(*(self._to(n, self._close) for n in close))
        for thing in things:
            if thing in held:
                continue
            if thing in near or not close.isdisjoint(on[thing]):
                yield self._atom("reached_from", thing, place)

    def _grabbed(self) -> Iterator[Atom]:
        for (_, number), (place, relation) in self._state.executor_data.items():
            yield self._atom("grabbed", number)
            if relation in (self._on, self._inside) and place.id != ACTOR_ID:
                predicate = "was_on" if relation is self._on else "was_in"
                yield self._atom(predicate, number, place.id)
