"""How a library's actions, states and kinds of things are spoken of: words as data.

An action's wording is a verb and what follows it, with alternatives and places for things:

    put|place {0} on|onto|on top of {1}        pick|lift {0} up        go to|visit {0}

Its goal is what the words ask for: steps one after the other, each of literals that hold
together, such as `holding({0}) & !in({0}, {1})`. `speaker` in a goal is where the person is.

Nouns belong to types, which form a hierarchy: a fridge is an appliance, and so furniture, and a
place to go to. Actions, predicates and operators say of which types their things are. Types say
which attributes their things have beside a place and a size: a door has an `open_share`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from sayso.core import places
from sayso.core.errors import Code, SaySoError
from sayso.core.places import Places
from sayso.core.scene import AttributeValue

_LITERAL = re.compile(r"^(!?)([a-z][a-z0-9_]*)\(([^()]*)\)$")
_ARGUMENT = re.compile(r"^(?:\{(\d)\}|([a-z][a-z_ ]*))$")


ANY = "thing"
"""The type of everything, above all others."""
LIVING = "living"
"""The type of persons and animals, in a library that knows of any."""
ATTRIBUTE_KINDS = ("number", "truth", "words", "color")


@dataclass(frozen=True)
class Attribute:
    """Something that is so of every thing of a type, whether it was observed or not.

    Attributes:
        kind: "number", "truth", "words" or "color" (the word for one).
        low, high: bounds of a number, in the unit that ends its name (`opening_m`).
        observable: whether somebody can observe it; else it can only be known by what was done.
    """

    name: str
    kind: str
    low: float | None = None
    high: float | None = None
    observable: bool = True

    def trouble(self, value: AttributeValue) -> str:
        """What is wrong with a value; "" for one that fits."""
        if self.kind == "number":
            if isinstance(value, bool | str) or not math.isfinite(value):
                return f"is no number: {value!r}"
            low, high = self.low, self.high
            outside = (low is not None and value < low) or (high is not None and value > high)
            return f"is {value:g}, and not within {low} to {high}" if outside else ""
        wanted = bool if self.kind == "truth" else str
        return "" if isinstance(value, wanted) else f"is {value!r}, which is no {wanted.__name__}"


@dataclass(frozen=True)
class Type:
    """A category of things, such as what can be opened.

    Attributes:
        english: what one of them is: "something that opens".
        parents: types of which every such thing is, too.
        attributes: of every such thing.
    """

    name: str
    english: str
    parents: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A literal of a goal: a predicate, its arguments (numbers of the action's things, or a noun),
    and whether it shall be true."""

    predicate: str
    arguments: tuple[int | str, ...]
    positive: bool = True


@dataclass(frozen=True)
class Wording:
    """One way to ask for an action: "put {0} on {1}" is the verb "put" and the tail "on {1}".

    Attributes:
        tail: words after the first thing, `{n}` for a further thing; "" if there are none.
        things: whether a first thing is named.
    """

    verb: str
    tail: str = ""
    things: bool = True


@dataclass(frozen=True)
class SpokenAction:
    """Something that can be asked for.

    Attributes:
        arguments: for each thing the type of which it is, or several joined by "|".
        say: the wordings as they are written.
        goal: steps, each of literals that hold at the same time.
        unordered: several of the same such word, joined by "and", may be done in any order.
        forbidden_only: the words only stand in prohibitions and conditions.
        parts: of its first thing, which stand for the whole there: "open the box's lid".
    """

    name: str
    arguments: tuple[str, ...]
    say: tuple[str, ...]
    goal: tuple[tuple[Wanted, ...], ...]
    unordered: str = ""
    forbidden_only: bool = False
    parts: tuple[str, ...] = ()

    @cached_property
    def wordings(self) -> tuple[Wording, ...]:
        return tuple(w for text in self.say for w in _wordings(text))


@dataclass(frozen=True)
class Kind:
    """Nouns that name things of the same types: what can be opened, carried or visited.

    Attributes:
        types: that such a thing has, the nearest of each line of parents.
        plural_only: the nouns have no singular, such as "scissors".
        handled: whether the robot can be asked to do something with such a thing.
    """

    nouns: tuple[str, ...]
    types: frozenset[str] = frozenset()
    plural_only: bool = False
    handled: bool = True


@dataclass(frozen=True)
class Vocabulary:
    """What a library's things, states and actions are called.

    Attributes:
        states: further clauses of predicates: ("you have {0}", "holding", True).
        lasting: predicates whose truth stays while the robot does something else.
        avoid: the predicate that "avoid X" and "leave X alone" forbid.
        modifiers: words that stand before nouns as part of names, such as "metal".
        purposes: what "something to VERB" is: "clean" -> "sponge".
        types: all but `ANY`.
        places: what words about places mean.
    """

    actions: tuple[SpokenAction, ...] = ()
    kinds: tuple[Kind, ...] = ()
    states: tuple[tuple[str, str, bool], ...] = ()
    lasting: frozenset[str] = frozenset()
    avoid: str = ""
    purposes: tuple[tuple[str, str], ...] = ()
    modifiers: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    places: Places = field(default_factory=Places)

    @cached_property
    def living(self) -> frozenset[str]:
        """The nouns of what goes where it wants: things of the type `living`, if there is one."""
        listed = (n for k in self.kinds for n in k.nouns)
        return frozenset(n for n in listed if LIVING in (self.types_of(n) or ()))

    @cached_property
    def visit(self) -> SpokenAction | None:
        """What going to a place is; None of a robot that goes nowhere."""
        return next((a for a in self.actions if a.unordered == "visit"), None)

    def types_of(self, noun: str) -> frozenset[str] | None:
        """Every type of what a noun names, by its last word; None of one that is not known."""
        return self._types_by_noun.get(noun.split()[-1]) if noun else None

    def fits(self, noun: str, types: str) -> bool:
        """Whether a thing of this noun can be of one of these types, as `SpokenAction` joins them.

        Nouns that are not known can be anything.
        """
        known = self.types_of(noun)
        return known is None or not {ANY, *known}.isdisjoint(types.split("|"))

    def nouns_of(self, types: str) -> tuple[str, ...]:
        """The nouns of things of these types, as they are listed."""
        return tuple(n for k in self.kinds for n in k.nouns if self.fits(n, types))

    def described(self, types: str) -> str:
        """What a thing of these types is: "something that opens"."""
        english = {t.name: t.english for t in self.types}
        return " or ".join(english.get(name, name) for name in types.split("|"))

    def is_a(self, types: str, above: str) -> bool:
        """Whether all things of these types, joined by "|", are of a type."""
        return all(above in {ANY, *self._with_parents((t,))} for t in types.split("|"))

    def check_types(self, names: Iterable[str], owner: str) -> None:
        """Raises ValueError, saying whose it is, for a type that there is not."""
        known = (ANY, *(t.name for t in self.types))
        for name in (part for joined in names for part in joined.split("|")):
            if name not in known:
                raise ValueError(
                    f"{owner}: there is no type '{name}'; there are {', '.join(known)}"
                )

    def attributes_of(self, noun: str) -> Mapping[str, Attribute]:
        """By name, those of the noun's types; of a noun that is not known, all that there are."""
        known = self.types_of(noun)
        types = (t for t in self.types if known is None or t.name in known)
        return {a.name: a for t in types for a in t.attributes}

    def check_observed(self, noun: str, values: Mapping[str, AttributeValue]) -> None:
        """Returns if a thing can have been observed to have such attributes.

        Raises:
            SaySoError: INVALID for an attribute that such things do not have, that cannot be
                observed, or a value of another kind or out of bounds.
        """
        known = {n: a for n, a in self.attributes_of(noun).items() if a.observable}
        for name, value in values.items():
            if name not in known:
                text = f"'{name}' cannot be observed of a {noun}."
                raise SaySoError(Code.INVALID, text, choices=sorted(known))
            if trouble := known[name].trouble(value):
                raise SaySoError(Code.INVALID, f"'{name}' of a {noun} {trouble}.")

    @cached_property
    def _types_by_noun(self) -> Mapping[str, frozenset[str]]:
        return {n: self._with_parents(k.types) for k in self.kinds for n in k.nouns}

    def _with_parents(self, names: Iterable[str]) -> frozenset[str]:
        parents = {t.name: t.parents for t in self.types}
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += parents.get(name, ())
        return frozenset(found)

    def takes_in(self, noun: str) -> bool:
        """Whether things are put into such a thing rather than onto it."""
        types = self.types_of(noun) or frozenset()
        return "container" in types and "surface" not in types


NO_WORDS = Vocabulary()
"""Of which no thing is anything in particular."""


def read(data: Mapping[str, Any], arities: Mapping[str, int]) -> Vocabulary:
    """The vocabulary of an index entry.

    Args:
        arities: predicate -> number of arguments, against which everything is checked.

    Raises:
        ValueError: naming the entry that is wrong.
        KeyError: for what an entry lacks.
    """
    vocabulary = Vocabulary(
        tuple(_action(e) for e in data.get("actions", ())),
        tuple(_kind(e) for e in data.get("kinds", ())),
        tuple(
            (str(s["say"]), str(s["predicate"]), bool(s.get("holds", True)))
            for s in data.get("states", ())
        ),
        frozenset(data.get("lasting", ())),
        str(data.get("avoid", "")),
        tuple(dict(data.get("purposes", {})).items()),
        tuple(map(str, data.get("modifiers", ()))),
        tuple(_type(e) for e in data.get("types", ())),
        places.read(data.get("places", {})),
    )
    _check(vocabulary, arities)
    return vocabulary


def entry(vocabulary: Vocabulary) -> dict[str, Any]:
    """The index entry of a vocabulary: what `read` reads."""
    return {
        "types": [
            {
                "name": t.name,
                "english": t.english,
                **({"is": list(t.parents)} if t.parents else {}),
                **({"attributes": [*map(_attribute_entry, t.attributes)]} if t.attributes else {}),
            }
            for t in vocabulary.types
        ],
        "actions": [
            {
                "name": a.name,
                "arguments": list(a.arguments),
                "say": list(a.say),
                "goal": [" & ".join(map(_literal_text, step)) for step in a.goal],
                **({"unordered": a.unordered} if a.unordered else {}),
                **({"forbidden_only": True} if a.forbidden_only else {}),
                **({"parts": list(a.parts)} if a.parts else {}),
            }
            for a in vocabulary.actions
        ],
        "kinds": [
            {
                "nouns": list(k.nouns),
                **({"types": sorted(k.types)} if k.types else {}),
                **({"plural_only": True} if k.plural_only else {}),
                **({} if k.handled else {"handled": False}),
            }
            for k in vocabulary.kinds
        ],
        "states": [
            {"say": say, "predicate": predicate, "holds": holds}
            for say, predicate, holds in vocabulary.states
        ],
        "lasting": sorted(vocabulary.lasting),
        "avoid": vocabulary.avoid,
        "purposes": dict(vocabulary.purposes),
        "modifiers": list(vocabulary.modifiers),
        "places": places.entry(vocabulary.places),
    }


def _action(data: Mapping[str, Any]) -> SpokenAction:
    action = SpokenAction(
        str(data["name"]),
        tuple(map(str, data["arguments"])),
        tuple(map(str, data["say"])),
        tuple(_step(str(text)) for text in data["goal"]),
        str(data.get("unordered", "")),
        bool(data.get("forbidden_only", False)),
        tuple(map(str, data.get("parts", ()))),
    )
    count = len(action.arguments)
    for wanted in (w for step in action.goal for w in step):
        if any(isinstance(a, int) and a >= count for a in wanted.arguments):
            raise ValueError(f"action '{action.name}': its goal has more things than it names")
    for wording in action.wordings:
        if wording.things and not count:
            raise ValueError(f"action '{action.name}': a wording has a thing and it takes none")
        if any(int(n) >= count for n in re.findall(r"\{(\d)\}", wording.tail)):
            raise ValueError(f"action '{action.name}': a wording has more things than it names")
    return action


def _type(data: Mapping[str, Any]) -> Type:
    return Type(
        str(data["name"]),
        str(data["english"]),
        tuple(map(str, data.get("is", ()))),
        tuple(_attribute(e) for e in data.get("attributes", ())),
    )


def _attribute(data: Mapping[str, Any]) -> Attribute:
    name, kind = str(data["name"]), str(data["is"])
    if kind not in ATTRIBUTE_KINDS:
        raise ValueError(
            f"the attribute '{name}' is a '{kind}'; choose among {', '.join(ATTRIBUTE_KINDS)}"
        )
    low, high = (None if data.get(k) is None else float(data[k]) for k in ("low", "high"))
    if kind != "number" and (low, high) != (None, None):
        raise ValueError(f"the attribute '{name}' is no number and has bounds")
    return Attribute(name, kind, low, high, bool(data.get("observable", True)))


def _attribute_entry(attribute: Attribute) -> dict[str, Any]:
    bounds = {"low": attribute.low, "high": attribute.high}
    return {
        "name": attribute.name,
        "is": attribute.kind,
        **{k: v for k, v in bounds.items() if v is not None},
        **({} if attribute.observable else {"observable": False}),
    }


def _kind(data: Mapping[str, Any]) -> Kind:
    return Kind(
        tuple(map(str, data["nouns"])),
        frozenset(data.get("types", ())),
        bool(data.get("plural_only", False)),
        bool(data.get("handled", True)),
    )


def _step(text: str) -> tuple[Wanted, ...]:
    return tuple(_literal(part.strip()) for part in text.split("&"))


def _literal(text: str) -> Wanted:
    match = _LITERAL.match(text)
    if match is None:
        raise ValueError(f"'{text}' is no literal of a goal, such as on({{0}}, {{1}})")
    arguments: list[int | str] = []
    for part in filter(None, (p.strip() for p in match[3].split(","))):
        found = _ARGUMENT.match(part)
        if found is None:
            raise ValueError(f"'{part}' in '{text}' is neither {{n}} nor a noun")
        arguments.append(int(found[1]) if found[1] else found[2])
    return Wanted(match[2], tuple(arguments), not match[1])


def _literal_text(wanted: Wanted) -> str:
    args = ", ".join(f"{{{a}}}" if isinstance(a, int) else a for a in wanted.arguments)
    return f"{'' if wanted.positive else '!'}{wanted.predicate}({args})"


def _wordings(text: str) -> Iterable[Wording]:
    """ "put|place {0} on|onto {1}" as four wordings."""
    before, slot, after = text.partition("{0}")
    for verb in before.strip().split("|"):
        if not slot:
            yield Wording(verb, "", things=False)
            continue
        for tail in _expanded(after.strip()):
            yield Wording(verb, tail)


def _expanded(tail: str) -> Iterable[str]:
    """Each choice of the alternatives in "on|on top of {1}"."""
    pieces = [p for p in re.split(r"(\{\d\})", tail) if p.strip()]
    choices: list[Sequence[str]] = [
        [piece] if piece.startswith("{") else [c.strip() for c in piece.split("|")]
        for piece in pieces
    ]
    for combination in product(*choices):
        yield " ".join(filter(None, combination))


def _check(vocabulary: Vocabulary, arities: Mapping[str, int]) -> None:
    _check_hierarchy(vocabulary)
    for action in vocabulary.actions:
        for wanted in (w for step in action.goal for w in step):
            if arities.get(wanted.predicate) != len(wanted.arguments):
                raise ValueError(
                    f"action '{action.name}' asks for {_literal_text(wanted)}, which is no "
                    "predicate of this library"
                )
    for say, predicate, _ in vocabulary.states:
        if predicate not in arities:
            raise ValueError(f"'{say}' speaks of the unknown predicate '{predicate}'")
        if any(int(n) >= arities[predicate] for n in re.findall(r"\{(\d)\}", say)):
            raise ValueError(f"'{say}' has more things than '{predicate}'")
    named = (*vocabulary.lasting, *filter(None, (vocabulary.avoid,)))
    for predicate in named:
        if predicate not in arities:
            raise ValueError(f"'{predicate}' is no predicate of this library")


def _check_hierarchy(vocabulary: Vocabulary) -> None:
    seen = {ANY}
    for kind in vocabulary.types:
        if kind.name in seen:
            raise ValueError(f"the type '{kind.name}' is there twice")
        unknown = [p for p in kind.parents if p not in seen]
        if unknown:
            raise ValueError(
                f"type '{kind.name}' is a '{unknown[0]}', which is no type that stands before it"
            )
        seen.add(kind.name)
    _check_attributes(vocabulary)
    for action in vocabulary.actions:
        vocabulary.check_types(action.arguments, f"action '{action.name}'")
    for group in vocabulary.kinds:
        vocabulary.check_types(group.types, f"the noun '{group.nouns[0]}'")


def _check_attributes(vocabulary: Vocabulary) -> None:
    """An attribute means one thing, whatever has it."""
    known: dict[str, Attribute] = {}
    for attribute in (a for t in vocabulary.types for a in t.attributes):
        if known.setdefault(attribute.name, attribute) != attribute:
            raise ValueError(f"the attribute '{attribute.name}' is declared in two ways")
