"""Words for drawn things and actions, from `wordings.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import chain
from random import Random
from typing import Any

import yaml

from sayso.evaluation.language.meanings import Atom, Fact, Goal
from sayso.evaluation.language.scenes import Thing

Words = Mapping[str, Any]


@lru_cache(maxsize=1)
def wordings() -> Words:
    """The wordings that come with this package."""
    text = (resources.files(__package__) / "wordings.yaml").read_text(encoding="utf-8")
    words: Words = yaml.safe_load(text)
    return words


@dataclass(frozen=True)
class Noun:
    """How one or several things are called in a sentence.

    Attributes:
        text: with its article or number.
        names: of the things.
        plural: whether it takes "are".
    """

    text: str
    names: tuple[str, ...]
    plural: bool = False

    @property
    def name(self) -> str:
        """Of the only thing."""
        (name,) = self.names
        return name


@dataclass(frozen=True)
class Phrase:
    """An action, or the state that it leads to, in words chosen at random.

    A template asks for `{a.do}`, `{a.doing}`, `{a.done}`, `{a.passive}`, `{a.is}`, `{a.is_not}`,
    `{a.is_should}`, `{a.should}`, `{a.stays}` or `{a.keep}`, or for the thing: `{a.x.text}`.
    """

    rng: Random
    verb: str
    x: Noun
    y: Noun | None = None

    def atoms(self) -> tuple[Atom, ...]:
        """What is true once it is done, for each thing that x names."""
        return tuple(self.atom(name) for name in self.x.names)

    def atom(self, name: str) -> Atom:
        """What is true once it is done with one of the things."""
        predicate, *slots = self._entry["atom"]
        filled = {"x": name, "y": self.y.name if self.y else ""}
        return (predicate, *(filled[s] for s in slots))

    def goals(self, drives: bool) -> tuple[Goal, ...]:
        """The goal of doing it with each of the things, for a robot that drives or stands."""
        return tuple(self._goal(name, drives) for name in self.x.names)

    def goal(self, drives: bool) -> Goal:
        """The goal of doing it with the only thing."""
        (goal,) = self.goals(drives)
        return goal

    def _goal(self, name: str, drives: bool) -> Goal:
        atom = self.atom(name)
        if not drives or len(atom) == 2:
            return Goal(Fact(atom))
        beside = None if atom[0] == "placed" else Fact(("placed", *atom[1:]))
        return Goal(Fact(atom), name, beside)

    @property
    def _entry(self) -> Words:
        entry: Words = wordings()["verbs"][self.verb]
        return entry

    def _worded(self, form: str) -> str:
        template: str = self.rng.choice(self._entry[form])
        text = template.format(x=self.x.text, y=self.y.text if self.y else "")
        return agreeing(text) if self.x.plural and template.startswith("{x}") else text

    def __getattr__(self, form: str) -> str:
        if form in ("do", "doing", "done", "passive", "is", "stays", "should"):
            return self._worded(form)
        if form == "keep":
            return self._kept()
        if form == "is_not":
            return _denied(self._worded("is"))
        if form == "is_should":
            return _wished(self._worded("is"))
        raise AttributeError(form)

    def _kept(self) -> str:
        orders = [t for t in self._entry["stays"] if not t.startswith("{")]
        template: str = self.rng.choice(orders)
        return template.format(x=self.x.text, y=self.y.text if self.y else "")

    def parts(self) -> Mapping[str, object]:
        """What wordings ask for that place the verb or the things themselves."""
        where = "in" if self.verb == "put_in" else "on"
        return {"a": self, "x": self.x.text, "y": self.y.text if self.y else "", "where": where}

    def about(self, x: Noun) -> Phrase:
        """The same with another thing."""
        return replace(self, x=x)


_WISHED = (
    (" is ", " should be "), ("you are ", "you should be "), ("you hold ", "you should hold "),
    ("you have ", "you should have "),
)  # fmt: skip


def _wished(state: str) -> str:
    """ "The drawer is open" as something that should be."""
    for now, wished in _WISHED:
        state = state.replace(now, wished, 1)
    return state


_DENIED = (
    ("you hold ", "you do not hold "), ("you have ", "you do not have "),
    ("you touch ", "you do not touch "), ("you are ", "you are not "), (" is ", " is not "),
)  # fmt: skip


def _denied(state: str) -> str:
    """ "The drawer is open" as what it is not."""
    for said, denied in _DENIED:
        if said in state:
            return state.replace(said, denied, 1)
    raise ValueError(state)


def agreeing(text: str) -> str:
    """A sentence of which the subject has become plural."""
    for one, many in ((" is ", " are "), (" goes ", " go "), (" belongs ", " belong "),
                      (" has ", " have "), (" ends ", " end "), (" stays ", " stay "),
                      (" remains ", " remain ")):  # fmt: skip
        text = text.replace(one, many, 1)
    return text


def plural(kind: str) -> str:
    """More than one of a kind."""
    special: Mapping[str, str] = wordings()["plurals"]
    return special.get(kind, f"{kind}s")


def the(thing: Thing, things: Sequence[Thing], rng: Random) -> Noun:
    """A description that fits this thing alone: by kind, colour, and size where it has to be."""
    alike = [t for t in things if t.category == thing.category]
    words = [thing.category]
    same_color = [t for t in alike if t.color == thing.color]
    if len(alike) > 1 or rng.random() < 0.15:
        words.insert(0, thing.color)
    if len(same_color) > 1:
        words.insert(0, "small" if thing.name.startswith("small") else "big")
    return Noun("the " + " ".join(words), (thing.name,))


def listed(nouns: Sequence[Noun], word: str) -> Noun:
    """Some things, joined by "and", "or"."""
    *first, last = [n.text for n in nouns]
    names = tuple(chain.from_iterable(n.names for n in nouns))
    return Noun(f"{', '.join(first)} {word} {last}", names, word == "and")


def sentence(template: str, rng: Random, fields: Mapping[str, object]) -> str:
    """A template filled in, with capitals and stops as people type them: not always."""
    text = template.format(**fields)
    parts = [p[:1].upper() + p[1:] for p in text.split(". ")]
    text = ". ".join(parts)
    if rng.random() < 0.1:
        return text.lower() if rng.random() < 0.5 else text
    return text if text[-1] in ".?!" else f"{text}."
