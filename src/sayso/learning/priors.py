"""Prior knowledge: what words mean and what is usual, before anybody has told anything.

It is data (`priors.yaml`), apart from the learner, which works with another file or with none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.symbols import Atom, Literal
from sayso.learning.synthesis.guards import FLAGS
from sayso.learning.synthesis.labels import Concept
from sayso.learning.synthesis.measures import MEASURES

HOUSEHOLD = "household"
"""The name of what SaySo comes with."""
NONE = "none"
_FILE = "priors.yaml"


@dataclass(frozen=True)
class Words:
    """What people say where a measure is beyond its limit, or where a condition holds.

    Attributes:
        phrases: without the objects.
        outright: said of a condition alone, and not of what else it makes true.
        usual: the limit where labels leave it open; None if only labels can tell.
        something, nothing: said of an object where another thing, or none, stands so to it, if
            that is more than "something ..." before a phrase.
        swapped: said with the two objects the other way round.
        into: said of an object that stands so to some other, where "something" is left out.
    """

    phrases: tuple[str, ...] = ()
    outright: tuple[str, ...] = ()
    usual: float | None = None
    something: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()
    into: tuple[str, ...] = ()


_NO_WORDS = Words()


@dataclass(frozen=True)
class Implied:
    """What a true relation tells besides, over the relation's own variables.

    Attributes:
        beyond: only where an action in question does not take all of the relation's things.
    """

    said: Atom
    tells: Literal
    beyond: bool = False


@dataclass(frozen=True, eq=False)
class Priors:
    """A library of prior knowledge; `Priors("none")` knows nothing.

    Attributes:
        name: that it is asked for by: `household`, `none`, or a file.
        predicates: what is known of common predicates by their names alone.
        implied: what true relations tell besides.
        below, above: by measure.
        conditions: by name, as in `synthesis.guards.FLAGS`.
        kinds: common nouns by what they are.
        contraries: qualities of which just one is so: dirty and clean.
    """

    name: str
    predicates: Mapping[str, Concept] = field(default_factory=dict)
    implied: tuple[Implied, ...] = ()
    below: Mapping[str, Words] = field(default_factory=dict)
    above: Mapping[str, Words] = field(default_factory=dict)
    conditions: Mapping[str, Words] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    contraries: tuple[tuple[str, str], ...] = ()

    def words(self, measure: str, below: bool) -> Words:
        """For one side of a measure."""
        return (self.below if below else self.above).get(measure, _NO_WORDS)

    def opposites(self, word: str) -> tuple[str, ...]:
        """What is said of the other side of a measure or quality of which the word says one."""
        contrary = tuple(b for p in self.contraries for a, b in (p, p[::-1]) if a == word)
        return contrary + tuple(
            phrase
            for side, other in ((self.below, self.above), (self.above, self.below))
            for name, words in side.items()
            if word in words.phrases
            for phrase in other.get(name, _NO_WORDS).phrases
        )

    def condition(self, name: str) -> Words:
        """For a condition without a limit."""
        return self.conditions.get(name, _NO_WORDS)


@cache
def household() -> Priors:
    """The priors that SaySo comes with."""
    text = (resources.files("sayso.learning") / _FILE).read_text(encoding="utf-8")
    return read_priors(text, HOUSEHOLD)


def priors_named(name: str) -> Priors:
    """Those of a name: `household`, `none`, or a file of the form of `priors.yaml`.

    Raises:
        SaySoError: CONFIG for a file that cannot be read, CORRUPT for one that holds no priors.
    """
    if name == HOUSEHOLD:
        return household()
    if name == NONE:
        return Priors(NONE)
    try:
        return read_priors(Path(name).read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise SaySoError(
            Code.CONFIG, f"the priors {name} cannot be read: {error}.", choices=(HOUSEHOLD, NONE)
        ) from error


def read_priors(text: str, name: str) -> Priors:
    """The priors of a text. Raises CORRUPT, naming the section that is wrong."""
    section = "file"
    try:
        data = yaml.safe_load(text) or {}
        found: dict[str, Any] = {}
        for section, content in data.items():
            found |= _SECTIONS[section](content)
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError, SaySoError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"the {section} of the priors {name} cannot be used: {error}.",
            choices=_SECTIONS,
            hint=f"start from {_FILE}, which explains each section.",
        ) from error
    return Priors(name, **found)


def _predicates(entries: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    return {"predicates": {name: _concept(name, **entry) for name, entry in entries.items()}}


def _concept(name: str, holds: str, denied: str, also: str = "") -> Concept:
    count = next(n for n in range(4) if f"{{{n}}}" not in holds)
    return Concept(name, ("a", "b", "c")[:count], holds, denied, (also,) if also else ())


def _implied(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "implied": tuple(
            Implied(
                parse_literal(e["said"]).atom, parse_literal(e["tells"]), e.get("beyond", False)
            )
            for e in entries
        )
    }


def _measures(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    _check(entries, MEASURES, "measure")
    for sides in entries.values():
        _check(sides, ("below", "above"), "side of a measure")
    return {
        side: {name: _words(**sides[side]) for name, sides in entries.items() if side in sides}
        for side in ("below", "above")
    }


def _conditions(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    _check(entries, FLAGS, "condition")
    return {"conditions": {name: _words(**entry) for name, entry in entries.items()}}


def _kinds(entries: Mapping[str, str]) -> dict[str, Any]:
    return {"kinds": {name: tuple(text.split()) for name, text in entries.items()}}


def _contraries(entries: Sequence[Sequence[str]]) -> dict[str, Any]:
    return {"contraries": tuple((one, other) for one, other in entries)}


def _check(names: Iterable[str], known: Collection[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"there is no {what} '{name}'; there are {', '.join(known)}")


def _words(usual: float | None = None, **lists: Sequence[str]) -> Words:
    phrases = lists.pop("say", ())
    limit = None if usual is None else float(usual)
    return Words(phrases=tuple(phrases), usual=limit, **{k: tuple(v) for k, v in lists.items()})


_SECTIONS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "predicates": _predicates,
    "implied": _implied,
    "measures": _measures,
    "conditions": _conditions,
    "kinds": _kinds,
    "contraries": _contraries,
}
