"""A chart parser: every derivation of a run of words by a grammar, equal meanings merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sayso.language.grammar import (
    Alternative,
    Choice,
    Ends,
    Grammar,
    Labelled,
    Many,
    Meant,
    Part,
    Slot,
    Value,
    slot_key,
)

MAX_DEPTH = 90
"""Of rules within rules."""


class TooMuchError(Exception):
    """The words have too many derivations to look at all of them."""


Labels: TypeAlias = tuple[tuple[str, Meant], ...]
_UNSAID = ""


class Chart:
    """The derivations of one run of words.

    Attributes:
        reached: the furthest place at which some word was looked for.
        expected: the words that could have stood there.

    Args:
        slots: what fills the slots that the grammar leaves open.
        limit: how many parts may be tried and meanings looked at; more raise TooMuchError.
    """

    def __init__(
        self, grammar: Grammar, words: Sequence[str], slots: Mapping[str, Slot], limit: int
    ) -> None:
        self._grammar = grammar
        self._slots = slots
        self._words = (*words, "")
        self._sorts = tuple(map(grammar.sort, self._words))
        self._known: dict[tuple[str, int], Ends] = {}
        self._numbers: dict[Value, int] = {}
        self.left = limit
        self._depth = 0
        self.reached = 0
        self.expected: set[str] = set()

    def readings(self, rule: str, start: int = 0) -> dict[Value, int]:
        """The meanings of all the words from `start` on, each with its cost."""
        last = len(self._words) - 1
        return {
            meant and meant.meaning: cost
            for (end, meant), cost in self.ends(rule, start).items()
            if end == last
        }

    def _meant(self, meaning: Value) -> Meant:
        meant = Meant(self._numbers.setdefault(meaning, len(self._numbers) + 1))
        meant.meaning = meaning
        return meant

    def ends(self, rule: str, at: int) -> Ends:
        """What a rule may derive from a place on."""
        key = (rule, at)
        found = self._known.get(key)
        if found is None:
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise TooMuchError
            self._known[key] = {}  # a rule that begins with itself derives nothing
            found = {}
            sort = self._sorts[at]
            known = self._known
            after = self._sorts[at + 1] if sort else ""
            for alternative, seconds in self._grammar.alternatives(rule, sort):
                if seconds is not None and after not in seconds:
                    self._spend(1)
                    if at + 1 >= self.reached:
                        self._missed(at + 1, seconds)
                    continue
                # Most begin with what is known to derive nothing here.
                if alternative.lead and not known.get((alternative.lead, at), True):
                    self._spend(alternative.toll)
                    continue
                for end_and_meaning, cost in self._alternative(alternative, at).items():
                    found[end_and_meaning] = min(cost, found.get(end_and_meaning, cost))
            self._known[key] = found
            self._depth -= 1
            if not found and at >= self.reached:
                self._missed(at, self._grammar.starts(rule))
        return found

    def _alternative(self, alternative: Alternative, at: int) -> Ends:
        states: dict[tuple[int, Labels], int] = {(at, ()): alternative.cost}
        sorts = self._sorts
        for part, behind in alternative.steps:
            after: dict[tuple[int, Labels], int] = {}
            for (place, labels), cost in states.items():
                if part.lacking is not None and sorts[place] not in part.lacking:
                    self._missed(place, part.lacking)
                    if behind is None or sorts[place] in behind:
                        key = (place, labels)
                        after[key] = min(cost, after.get(key, cost))
                    else:
                        self._missed(place, behind)
                    continue
                known = self._known.get((part.rule, place)) if part.rule else None
                if known is None:
                    found = part.ends(self, place)
                    self._spend(len(found))
                else:
                    found = known
                    self._spend(part.toll + len(found))
                for (end, meant), more in found.items():
                    if behind is not None and sorts[end] not in behind:
                        self._missed(end, behind)
                        continue
                    key = (end, labels if meant is None else self._with(labels, part, meant))
                    if cost + more < after.get(key, cost + more + 1):
                        after[key] = cost + more
            if not after:
                return {}
            states = after
        return self._made(alternative, at, states)

    def _with(self, labels: Labels, part: Part, meant: Meant) -> Labels:
        if isinstance(part, Labelled):
            return (*labels, (part.label, meant))
        if isinstance(part, Choice | Many) and isinstance(meant.meaning, _Bundle):
            return labels + meant.meaning.labels
        if isinstance(part, Choice | Many) and meant.meaning == ():
            return labels
        return (*labels, (_UNSAID, meant))

    def _made(
        self, alternative: Alternative, at: int, states: Mapping[tuple[int, Labels], int]
    ) -> Ends:
        found: Ends = {}
        for (end, labels), cost in states.items():
            value = self._value(alternative, labels, at, end)
            if value is not None:
                key = (end, self._meant(value))
                found[key] = min(cost, found.get(key, cost))
        return found

    def _value(self, alternative: Alternative, labels: Labels, at: int, end: int) -> Value:
        if alternative.maker:
            named = dict(alternative.constants)
            named.update((k, m.meaning) for k, m in labels if k)
            return self._grammar.makers[alternative.maker]((at, end), **named)
        for label, meant in labels:
            if label == "_":
                return meant.meaning
        if any(k for k, _ in labels) or alternative.constants:
            constants = ((k, self._meant(v)) for k, v in alternative.constants)
            return _Bundle((*(x for x in labels if x[0]), *constants))
        if labels:
            return labels[0][1].meaning
        return " ".join(self._words[at:end])

    def _spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooMuchError

    def named(self, part: Part, rule: str, at: int) -> Ends:
        """What a rule that is a part of another may derive from a place on."""
        self.left -= 1
        if part.first is None or part.empty or self._sorts[at] in part.first:
            return self.ends(rule, at)
        self._missed(at, part.first)
        return {}

    def said(self, words: tuple[str, ...], at: int) -> Ends:
        """Whether these words stand at a place."""
        self.left -= 1
        for i, word in enumerate(words):
            if at + i >= len(self._words) or self._words[at + i] != word:
                self._missed(at + i, (word,))
                return {}
        return {(at + len(words), None): 0}

    def filled(self, name: str, at: int) -> Ends:
        """What may fill a slot at a place."""
        self.left -= 1
        key = (slot_key(name), at)
        slot, first = self._grammar.slots[name]
        if first is not None and self._sorts[at] not in first:
            self._missed(at, first)
            return self._known.setdefault(key, {})
        fillers = (slot or self._slots[name])(self._words, at)
        found: Ends = {(end, self._meant(value)): 0 for end, value in fillers}
        self._known[key] = found
        if not found:
            self._missed(at, (f"<{name}>",))
        return found

    def repeated(self, part: Many, at: int) -> Ends:
        """Each repetition's meanings as a tuple; an optional part's own, or None."""
        self.left -= 1
        if part.most == 1:
            found = {(end, m): cost for (end, m), cost in part.part.ends(self, at).items()
                     if end != at}  # fmt: skip
            return found if part.least else {(at, None): 0, **found}
        states: dict[tuple[int, tuple[Meant | None, ...]], int] = {(at, ()): 0}
        every = dict(states) if part.least == 0 else {}
        for count in range(1, part.most + 1):
            states = self._once_more(part.part, states)
            if not states:
                break
            if count >= part.least:
                every.update(states)
        return {
            (end, self._meant(tuple(m and m.meaning for m in several))): cost
            for (end, several), cost in every.items()
        }

    def _once_more(
        self, part: Part, states: Mapping[tuple[int, tuple[Meant | None, ...]], int]
    ) -> dict[tuple[int, tuple[Meant | None, ...]], int]:
        """What goes on by one more repetition."""
        after: dict[tuple[int, tuple[Meant | None, ...]], int] = {}
        for (place, several), cost in states.items():
            found = part.ends(self, place)
            self._spend(len(found) * (1 + len(several)))
            for (end, meant), more in found.items():
                key = (end, (*several, meant))
                if end != place and cost + more < after.get(key, cost + more + 1):
                    after[key] = cost + more
        return after

    def _missed(self, at: int, words: Iterable[str]) -> None:
        if at > self.reached:
            self.reached, self.expected = at, set()
        if at == self.reached:
            self.expected.update(words)


@dataclass(frozen=True)
class Attempt:
    """What became of reading some words by a rule.

    Attributes:
        readings: the meanings of all the words, each with its cost.
        ends: where what the rule derives from their beginning may end.
        reached: the furthest place at which some word was looked for.
        expected: the words that could have stood there.
    """

    readings: Mapping[Value, int]
    ends: frozenset[int]
    reached: int
    expected: frozenset[str]

    @staticmethod
    def of(chart: Chart, rule: str) -> Attempt:
        """Reads the words of a new chart. Raises TooMuchError."""
        readings = chart.readings(rule)
        ends = frozenset(end for end, _ in chart.ends(rule, 0))
        return Attempt(readings, ends, chart.reached, frozenset(chart.expected))


@dataclass(frozen=True)
class _Bundle:
    """Labelled parts of a choice without a meaning of its own: they belong to what is around."""

    labels: Labels
