"""A chart parser: every derivation of a run of words by a grammar, equal meanings merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from sayso.language.grammar import Grammar
from sayso.language.rule_parts import (
    Alternative,
    Ends,
    Many,
    Meant,
    Part,
    Slot,
    Step,
    Value,
    slot_key,
)

MAX_DEPTH = 90
"""Of rules within rules."""


class TooMuchError(Exception):
    """The words have too many derivations to look at all of them."""


Labels: TypeAlias = tuple[tuple[str, Meant], ...]
_UNSAID = ""
_ORDER = attrgetter("order")


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
            for alternative in self._going_on(rule, at):
                for end_and_meaning, cost in self._alternative(alternative, at).items():
                    if cost < found.get(end_and_meaning, cost + 1):
                        found[end_and_meaning] = cost
            self._known[key] = found
            self._depth -= 1
            if not found and at >= self.reached:
                self._missed(at, self._grammar.starts(rule))
        return found

    def _going_on(self, rule: str, at: int) -> Sequence[Alternative]:
        """The alternatives of a rule that may begin at a place: of most it is known from their
        first part, or from the words behind it, that they do not."""
        sorts, known = self._sorts, self._known
        beginning = self._grammar.beginning(rule, sorts[at], sorts[at + 1] if sorts[at] else "")
        alternatives, others, toll, lacking = beginning.fitting
        if others:
            self._spend(toll)
            self._missed(at + 1, lacking)
        several = bool(alternatives)
        for led in beginning.led:
            lead = led.lead
            ends = known.get((lead.rule, at))
            if ends is None:
                ends = self._looked_for(lead, at)
            if not ends:
                self._spend(led.toll)
                continue
            behind = frozenset(sorts[end] for end, _ in ends)
            fitting, others, toll, lacking = led.before(behind)
            if others:
                self._spend(toll + others * len(ends))
                self._missed(max(end for end, _ in ends), lacking)
            if fitting:
                alternatives = (*alternatives, *fitting) if several else fitting
                several = True
        if several and len(alternatives) > 1:
            return sorted(alternatives, key=_ORDER)
        return alternatives

    def _alternative(self, alternative: Alternative, at: int) -> Ends:
        states: dict[tuple[int, Labels], int] = {(at, ()): alternative.cost}
        sorts, known = self._sorts, self._known
        for step in alternative.steps:
            after: dict[tuple[int, Labels], int] = {}
            rule, lacking, behind = step.rule, step.lacking, step.behind
            for state, cost in states.items():
                place, labels = state
                if lacking is not None and sorts[place] not in lacking:
                    if place >= self.reached:
                        self._missed(place, lacking)
                    self._passed_over(behind, state, cost, after)
                    continue
                found = known.get((rule, place)) if rule else None
                if found is None:
                    found = self._looked_for(step, place)
                self.left -= step.toll + len(found)
                if step.optional:
                    self.left -= 1
                    self._passed_over(behind, state, cost, after)
                if self.left < 0:
                    raise TooMuchError
                for (end, meant), more in found.items():
                    if end == place and step.optional:
                        continue
                    if behind is not None and sorts[end] not in behind:
                        if end >= self.reached:
                            self._missed(end, behind)
                        continue
                    key = (end, labels if meant is None else _with(labels, step, meant))
                    if cost + more < after.get(key, cost + more + 1):
                        after[key] = cost + more
            if not after:
                return {}
            states = after
        return self._made(alternative, at, states)

    def _passed_over(
        self, behind: frozenset[str] | None, state: tuple[int, Labels], cost: int,
        after: dict[tuple[int, Labels], int],
    ) -> None:  # fmt: skip
        """Goes on behind a part that is left out."""
        place = state[0]
        if behind is None or self._sorts[place] in behind:
            if cost < after.get(state, cost + 1):
                after[state] = cost
        elif place >= self.reached:
            self._missed(place, behind)

    def _looked_for(self, step: Step, at: int) -> Ends:
        """What a part may derive that was not looked for yet."""
        rule, begins = step.rule, step.begins
        if not rule or rule[0] == "{":
            found = step.part.ends(self, at)
            self.left += step.part.toll  # which it took already
            return found
        if begins is None or self._sorts[at] in begins:
            return self.ends(rule, at)
        self._missed(at, begins)
        return {}

    def _made(
        self, alternative: Alternative, at: int, states: Mapping[tuple[int, Labels], int]
    ) -> Ends:
        found: Ends = {}
        for (end, labels), cost in states.items():
            meant = self._meaning(alternative, labels, at, end)
            if meant is not None and cost < found.get((end, meant), cost + 1):
                found[end, meant] = cost
        return found

    def _meaning(self, alternative: Alternative, labels: Labels, at: int, end: int) -> Meant | None:
        """What the parts of an alternative mean together; None where they do not."""
        if alternative.maker:
            named = dict(alternative.constants)
            for label, meant in labels:
                if label:
                    named[label] = meant.meaning
            value = self._grammar.makers[alternative.maker]((at, end), **named)
            return None if value is None else self._meant(value)
        if not alternative.constants and len(labels) == 1 and labels[0][0] in (_UNSAID, "_"):
            only = labels[0][1]
            return None if only.meaning is None else only
        value = self._bundled(alternative, labels, at, end)
        return None if value is None else self._meant(value)

    def _bundled(self, alternative: Alternative, labels: Labels, at: int, end: int) -> Value:
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
        if part.most == 1:  # of words: others are looked for by the rule that may be left out
            return {(at, None): 0, **part.part.ends(self, at)}
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
            known = self._known.get((part.rule, place)) if part.rule else None
            if known is None:
                found = part.ends(self, place)
            else:
                found = known
                self.left -= part.toll
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


def _with(labels: Labels, step: Step, meant: Meant) -> Labels:
    """The labels with what one more part means."""
    if step.label:
        return (*labels, (step.label, meant))
    if step.spreads:
        if isinstance(meant.meaning, _Bundle):
            return labels + meant.meaning.labels
        if meant.meaning == ():
            return labels
    return (*labels, (_UNSAID, meant))


@dataclass(frozen=True)
class _Bundle:
    """Labelled parts of a choice without a meaning of its own: they belong to what is around."""

    labels: Labels
