"""Whether a taught skill suits how things are, by what its text says of where to use it.

The text is a docstring: what the skill does, "Use it where A, B or C; not where D or E." A
condition holds where all words that say something are said of the thing that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from sayso.evaluation.halp.decision_tasks import Added, Task, Thing
from sayso.language.naming import singular

_EMPTY = frozenset(
    ("a", "an", "the", "it", "its", "is", "are", "be", "of", "in", "on", "at", "to", "and", "or",
     "for", "by", "with", "where", "that", "this", "them", "as", "has", "have", "what", "was",
     "can", "stand", "stands", "lie", "lies", "use", "one", "all", "my", "you", "your", "from",
     "must", "until", "so")
)  # fmt: skip
_HOLDING = frozenset(("full", "fill", "hold", "contain"))
"""A jug full of water holds water: beside another word they say no more."""
_NOT = frozenset(("not", "no", "cannot", "without", "never"))
_ALTERNATIVES = re.compile(r",? (?:or|and) |, ")
_OF = re.compile(r"^(?:the|a|an|its|their|one|each) ([a-z]+)\b")
_STATE = re.compile(r" (?:is|are) (?!held|lifted|carried|taken)[a-z]+$")


@dataclass(frozen=True)
class _Statement:
    """What is said of a thing, or of its part.

    Attributes:
        part: that it is about; "" for the thing itself.
    """

    thing: Thing
    part: str
    words: frozenset[str]


@dataclass(frozen=True)
class _Condition:
    subject: str
    words: frozenset[str]


@dataclass(frozen=True)
class Suitability:
    """Of one skill for one task.

    Attributes:
        skill: with its text.
    """

    skill: Added
    task: Task

    @cached_property
    def suits(self) -> bool | None:
        """Whether it is to be used as things are; None where its text does not tell."""
        _, where, not_where = _parts(self.skill.docstring)
        good, bad = (max(map(self._holds, c), default=0) for c in (where, not_where))
        return None if good == bad == 0 else good > bad

    def names(self, verb: str) -> bool:
        """Whether its name, text or effect has a verb."""
        text = f"{self.skill.name} {self.skill.docstring} {self.skill.effect}"
        return bool(stems(verb) & stems(text))

    def brings_about(self, predicate: str, thing: str) -> bool:
        """Whether its effect says so of a thing that is of its parameters."""
        bound = self._bound.get(thing, "")
        return bool(bound) and stems(predicate) <= stems(self.skill.effect) | {stem(bound)}

    def is_way_of_taking(self, things: Iterable[str]) -> bool:
        """Whether it has one of these things in the hand afterwards."""
        one = len(self.skill.parameters) == 1 and not _STATE.search(self.skill.effect)
        return one and self._is_about(things) and self._begins_effect

    def is_way_of_placing(self, things: Iterable[str]) -> bool:
        """Whether it has one of these things somewhere afterwards."""
        parameters = self.skill.parameters
        two = len(parameters) > 1 and parameters[1] in self.skill.effect
        return two and self._is_about(things) and self._begins_effect

    def _is_about(self, things: Iterable[str]) -> bool:
        return any(self._bound.get(t) == self.skill.parameters[0] for t in things)

    @property
    def _begins_effect(self) -> bool:
        return self.skill.effect.startswith(self.skill.parameters[0])

    @cached_property
    def _bound(self) -> Mapping[str, str]:
        """The parameter by the thing that it stands for, as they are called or mentioned."""
        bound: dict[str, str] = {}
        for thing in self.task.things:
            for called in {thing.category, thing.name} & set(self.skill.parameters):
                bound[thing.name] = called
        free = [p for p in self.skill.parameters if p not in bound.values()]
        others = [t for t in self.task.things if t.name not in bound and self._mentions(t)]
        return bound | {t.name: p for t, p in zip(others, free, strict=False)}

    def _mentions(self, thing: Thing) -> bool:
        """By its name or kind, after the verb."""
        _, _, rest = self.task.instruction.partition(" ")
        said = stems(rest)
        return any(stems(n) <= said for n in (thing.name, thing.category))

    def _holds(self, condition: _Condition) -> int:
        """2 where it is said of what the condition is about, 1 where it may be; else 0."""
        return max((self._said(condition, s) for s in _statements(self.task)), default=0)

    def _said(self, condition: _Condition, statement: _Statement) -> int:
        if not condition.words or not condition.words <= statement.words:
            return 0
        if (_NOT & condition.words) != (_NOT & statement.words):
            return 0
        called = {stem(w) for w in (statement.thing.name, statement.thing.category)}
        called.add(stem(self._bound.get(statement.thing.name, "")))
        subject = condition.subject
        if statement.part:
            return 2 if subject == statement.part else 0
        if subject in called or subject == "anything":
            return 2
        of_thing = subject in map(stem, self.skill.parameters)
        return 0 if of_thing else 2 if subject in statement.words else 1


def _parts(docstring: str) -> tuple[str, list[_Condition], list[_Condition]]:
    """What a skill does, where it is to be used, and where not."""
    rest, _, bad = docstring.lower().rstrip(".").partition("; not where ")
    does, _, good = rest.partition("use it where ")
    return does, _conditions(good), _conditions(bad)


def _conditions(text: str) -> list[_Condition]:
    """One for each alternative; who it is about is said with the first, or anew."""
    found: list[_Condition] = []
    subject = ""
    for part in filter(None, _ALTERNATIVES.split(text)):
        if new := _OF.match(part) or re.match(r"(anything)\b", part):
            subject = stem(new[1])
        found.append(_Condition(subject, frozenset(_said_words(part) - {subject})))
    return found


def _statements(task: Task) -> list[_Statement]:
    nouns = {w for t in task.things for n in (t.name, t.category) for w in stems(n)}
    found = []
    for thing in task.things:
        for text in (*re.split(r", ", thing.where), *thing.state):
            of = _OF.match(text.lower())
            part = stem(of[1]) if of and stem(of[1]) not in nouns else ""
            found.append(_Statement(thing, part, frozenset(_said_words(text) - {part})))
    return found


def _said_words(text: str) -> set[str]:
    words = stems(text)
    return words - _HOLDING or words


def stems(text: str) -> set[str]:
    """Words that say something, without their endings."""
    words = re.findall(r"[a-z]+", text.lower().replace("_", " "))
    plain = {"not" if w in _NOT else w for w in words if w not in _EMPTY}
    return {stem(w) for w in plain}


def stem(word: str) -> str:
    """A word without the commonest endings: "stuffed" and "stuffing" are one."""
    word = singular(word)
    for ending in ("ing", "ed", "y", "e"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
