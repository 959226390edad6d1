"""The actions of a mobile robot, with what must hold before them and after."""

from __future__ import annotations

from sayso.core.symbols import Action, Atom, Literal, in_words

_EMPTY = Atom("hand_empty")


def go(*near: str) -> Action:
    """Drive to where the robot is near all of these; anywhere without any."""
    words = " and ".join(map(in_words, near))
    atoms = frozenset(Atom("near", (name,)) for name in near)
    english = f"go to {words}" if near else "go on"
    return Action("go", near, frozenset(), atoms, frozenset(), skill="go", english=english)


def pick(thing: str) -> Action:
    """Take hold of a thing."""
    holding = Atom("holding", (thing,))
    return Action(
        "pick",
        (thing,),
        frozenset({Literal(_EMPTY)}),
        frozenset({holding}),
        frozenset({_EMPTY}),
        skill="pick",
        english=f"pick up {in_words(thing)}",
    )


def release(thing: str, receptacle: str) -> Action:
    """Put what is held on, in or beside a receptacle."""
    holding = Atom("holding", (thing,))
    return Action(
        "release",
        (thing, receptacle),
        frozenset({Literal(holding)}),
        frozenset({Atom("placed", (thing, receptacle)), _EMPTY}),
        frozenset({holding}),
        skill="release",
        english=f"put {in_words(thing)} down at {in_words(receptacle)}",
    )
