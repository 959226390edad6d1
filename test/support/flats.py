"""What can be done in a flat, and what is true at first, for tests of tours."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.library import builtin_path, load
from sayso.core.symbols import Action, Atom
from sayso.planning.navigation.flat import Situation

LIBRARY = load(builtin_path("flat"))
DOMAIN = LIBRARY.domain()
_BIN = Atom("accessible", ("bin",))
"""Without a lid."""


def lying(*pairs: tuple[str, str], graspable: Iterable[str] = ("toy", "mug")) -> Situation:
    """An empty hand, small things that nothing shuts away, and what each of some lies on."""
    able = {Atom(p, (name,)) for name in graspable for p in ("graspable", "in_the_open")}
    lies = {Atom(p, pair) for pair in pairs for p in ("on", "placed")}
    return Situation(frozenset({Atom("hand_empty"), _BIN, *able, *lies}))


def held(name: str) -> Situation:
    """Something in the hand."""
    return Situation(frozenset({Atom("holding", (name,)), _BIN}), frozenset({name}))


def go(name: str) -> Action:
    """Drive to a thing."""
    return LIBRARY.operators["go"].ground(name)


def pick(thing: str) -> Action:
    """Take hold of a thing."""
    return LIBRARY.operators["pick"].ground(thing)


def put(thing: str, place: str) -> Action:
    """Put what is held down on, in or beside something."""
    return LIBRARY.operators["put_beside"].ground(thing, place)
