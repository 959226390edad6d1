"""Whether a taught skill suits how things are, by what its text says of where to use it.

The text is a docstring: what the skill does, "Use it where A, B or C; not where D or E." Of a text
of another form nothing is known. A condition holds where all words that say something are said of
the thing that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
_TEXT = re.compile(r"([^.;]*)\. use it where ([^.;]*)(?:; not where ([^.;]*))?\.?")
_OTHERWISE = re.compile(r"\b(?:where|when|while|if|unless|only|but|except|uses?d?)\b")
"""A text with such words says more, or otherwise, than its form does."""
_JOINT = re.compile(r"(,? (?:or|and) |, )")
_OF = re.compile(r"^(?:the|a|an|its|their|one|each) ([a-z]+)\b")
_BARE = re.compile(r"^([a-z]+) (?:is|are|stands?|lies?|has|have)\b")
"""Without an article: "books stand" is about whatever is said to have books standing."""
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
        text = _TEXT.fullmatch(self.skill.docstring.lower())
        if text is None or any(_OTHERWISE.search(t or "") for t in text.groups()):
            return None
        if _NOT & set(re.findall(r"[a-z]+", text[1])):
            return None
        good = self._how_far(text[2])
        bad = self._how_far(text[3]) if text[3] else [("or", 0)]
        if max(_readings(bad)) == 2:
            return False
        ruled_out_perhaps = any(holds for _, holds in bad)
        return True if min(_readings(good)) == 2 and not ruled_out_perhaps else None

    def _how_far(self, text: str) -> list[tuple[str, int]]:
        return [(joint, self._holds(condition)) for joint, condition in _conditions(text)]

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


def _conditions(text: str) -> list[tuple[str, _Condition]]:
    """Each with "and" or "or", by which it is joined to the one before.

    A comma joins as the next word that does. Who one is about is said with the first, or anew.
    """
    first, *more = _JOINT.split(text)
    joints = [j.strip(" ,") for j in more[::2]]
    for i in reversed(range(len(joints) - 1)):
        joints[i] = joints[i] or joints[i + 1]
    found: list[tuple[str, _Condition]] = []
    subject = ""
    for joint, part in zip(["or", *joints], [first, *more[1::2]], strict=True):
        new = _OF.match(part) or re.match(r"(anything)\b", part)
        words = frozenset(_said_words(part))
        if new and found and words == {stem(new[1])}:  # "between the plate and the edge"
            before = found[-1][1]
            found[-1] = found[-1][0], replace(before, words=before.words | words)
            continue
        if (bare := _BARE.match(part)) and stem(bare[1]) in words:
            subject = "anything"
        subject = stem(new[1]) if new else subject
        found.append((joint or "or", _Condition(subject, words - {subject})))
    return found


def _readings(parts: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """How far all of it holds, where "and" binds closer than "or", and where it does not.

    Args:
        parts: what joins each to the one before, and how far it holds.
    """
    every = [min(group) for group in _groups(parts, "or")]
    some = [max(group) for group in _groups(parts, "and")]
    return max(every), min(some)


def _groups(parts: Sequence[tuple[str, int]], joint: str) -> list[list[int]]:
    groups: list[list[int]] = [[]]
    for joined_by, holds in parts:
        if joined_by == joint and groups[-1]:
            groups.append([])
        groups[-1].append(holds)
    return groups


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
