"""The words by which learned behaviours and their states are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.core.vocabulary import Attribute, Kind, SpokenAction, Type, Vocabulary, Wanted
from sayso.learning.behaviours.invention import Invented
from sayso.learning.transitions import variable

_SAYABLE = re.compile(r"^[a-z][a-z ]* \{0\}( [a-z ]+(\{1\})?)?$")
"""A verb, the first thing, and perhaps more with a second."""


_KINDS: Mapping[type, str] = {bool: "truth", str: "words"}


class Told(Protocol):
    """A behaviour, as far as words go."""

    @property
    def wordings(self) -> tuple[str, ...]: ...

    @property
    def types(self) -> tuple[str, ...]: ...

    @property
    def aim(self) -> Literal | None: ...


def spoken_library(
    library: Library, behaviours: Sequence[Told], invented: Invented, scenes: Iterable[Scene]
) -> Library:
    """The library with nouns for the things' categories, and wordings for the behaviours.

    Args:
        scenes: tell which attributes things have.
    """
    categories = dict.fromkeys(t for b in behaviours for t in b.types)
    words = _with_attributes(_with_categories(library.vocabulary, categories), scenes)
    actions = tuple(_actions(behaviours, invented))
    said = {a.name for a in actions}
    states = tuple(_states(library, invented))
    lasting = frozenset(p for p in invented.types)
    return replace(
        library,
        vocabulary=replace(
            words,
            actions=(*(a for a in words.actions if a.name not in said), *actions),
            states=tuple(dict.fromkeys((*words.states, *states))),
            lasting=words.lasting | lasting,
        ),
    )


def _with_categories(words: Vocabulary, categories: Iterable[str]) -> Vocabulary:
    """Each category is a type, and a noun for things of it."""
    types, kinds = list(words.types), list(words.kinds)
    for category in categories:
        if category not in {t.name for t in types}:
            types.append(Type(category, f"a {category}"))
        known = [i for i, k in enumerate(kinds) if category in k.nouns]
        for i in known:
            kinds[i] = replace(kinds[i], types=kinds[i].types | {category})
        if not known:
            kinds.append(Kind((category,), frozenset({category})))
    return replace(words, types=tuple(types), kinds=tuple(kinds))


def _with_attributes(words: Vocabulary, scenes: Iterable[Scene]) -> Vocabulary:
    """Each category has the attributes that were observed of such things."""
    known = {a.name for t in words.types for a in t.attributes}
    seen: dict[str, dict[str, Attribute]] = {}
    for thing in (o for scene in scenes for o in scene.objects):
        for name, value in thing.attributes.items():
            kind = _KINDS.get(type(value), "number")
            if name not in known:
                seen.setdefault(thing.category, {}).setdefault(name, Attribute(name, kind))
    types = (
        replace(t, attributes=(*t.attributes, *seen.get(t.name, {}).values())) for t in words.types
    )
    return replace(words, types=tuple(types))


def _actions(behaviours: Sequence[Told], invented: Invented) -> Iterator[SpokenAction]:
    """One for each wording and what it wants; of things of all categories that it is said of."""
    told, alike = invented.types, _alike(invented)
    found: dict[tuple[str, Literal], list[tuple[str, ...]]] = {}
    for behaviour in behaviours:
        for wording in dict.fromkeys(w for text in behaviour.wordings for w in _sayings(text)):
            if behaviour.aim is not None and _SAYABLE.match(wording):
                named = len(re.findall(r"\{\d\}", wording))
                found.setdefault((wording, behaviour.aim), []).append(behaviour.types[:named])
                # One state that takes a program for each kind of thing is one to who speaks of it.
                for other in alike.get(behaviour.aim.atom.predicate, ()):
                    aim = behaviour.aim._replace(atom=behaviour.aim.atom._replace(predicate=other))
                    if named == len(told[other]):
                        kinds = tuple("|".join(sorted(k)) for k in told[other])
                        found.setdefault((wording, aim), []).append(kinds)
    for number, ((wording, aim), types) in enumerate(found.items()):
        numbers = tuple(next(i for i in range(26) if variable(i) == a) for a in aim.atom.args)
        if max(numbers, default=0) < len(types[0]):
            wanted = Wanted(aim.atom.predicate, numbers, aim.positive)
            columns = [
                {k for one in kinds for k in one.split("|")} for kinds in zip(*types, strict=True)
            ]
            # What is said of one kind of thing may be asked of all that the state is known of.
            for column, known in zip(numbers, told.get(aim.atom.predicate, ()), strict=False):
                columns[column] |= known
            arguments = tuple("|".join(sorted(kinds)) for kinds in columns)
            yield SpokenAction(f"said_{number + 1}", arguments, (wording,), ((wanted,),))


def _alike(invented: Invented) -> dict[str, frozenset[str]]:
    """Of each invented predicate the others that people call the same."""
    called: dict[str, set[str]] = {}
    for (concept, _), literal in invented.meanings.items():
        if literal.positive and literal.atom.predicate in invented.types:
            called.setdefault(concept, set()).add(literal.atom.predicate)
    return {
        name: frozenset().union(*(some for some in called.values() if name in some)) - {name}
        for name in invented.types
    }


def _sayings(wording: str) -> Iterator[str]:
    """A wording, and without what it is done with or from: "use {1} to turn on {0}" has "turn on
    {0}", "lift {0} out of {1}" has "lift {0}"."""
    yield wording
    whole = re.sub(r"^.*\{1\} to (?=.*\{0\})", "", wording)
    yield re.sub(r" (with|using|from|off|out of)( the top of)? (\{1\}|the [a-z]+)$", "", whole)


def _states(library: Library, invented: Invented) -> Iterator[tuple[str, str, bool]]:
    """Clauses for what is so and what is not, beside those of the predicates themselves."""
    for name in invented.types:
        predicate = library.predicates[name]
        if predicate.english_not and " not " not in predicate.english_not:
            yield predicate.english_not, name, False
