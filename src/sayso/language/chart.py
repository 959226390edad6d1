"""A chart parser for a readable grammar: every derivation of a run of words, equal meanings merged.

A grammar is text. Each rule has a name and alternatives, one a line:

    order = in any order | in no particular order            words, as they are said
    place = [just] side:<side> of what:<thing> -> Place       a meaning made of labelled parts
          | ( here | there ) -> Place side=here !2

`<name>` is a rule, `{name}` a slot that the vocabulary fills, `"."` a mark, `[x]` optional,
`(a | b)` a choice, `x*` and `x+` repeated. A part may have a label. After `->` comes the name of
what makes the meaning from the labelled parts (repeated ones are a tuple) and from constants;
without an arrow the meaning is that of the part labelled `_`, of the only rule or slot, or the
words. `!n` makes an
alternative dearer: of several derivations the cheapest count. `#` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

Value: TypeAlias = Hashable
Constants: TypeAlias = tuple[tuple[str, Value], ...]
Slot: TypeAlias = Callable[[Sequence[str], int], Iterable[tuple[int, Value]]]
"""Words and a place to the ends and meanings of what may stand there."""
Maker: TypeAlias = Callable[..., Value]
"""(start, end) and labelled parts to a meaning; None where they do not go together."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<label>[a-z_]\w*):(?=[<{(\["]|\w)|(?P<rule><\w+>)|(?P<slot>\{\w+\})"""
    r"""|(?P<arrow>->)|(?P<cost>!\d+)|(?P<set>[a-z_]\w*=\S+)|"(?P<mark>[^"]+)"|(?P<op>[\[\]()|*+])"""
    r"""|(?P<word>[\w'-]+))"""
)
MAX_DEPTH = 90
"""Of rules within rules."""


class TooMuchError(Exception):
    """The words have too many derivations to look at all of them."""


# -- the parts of rules -------------------------------------------------------------------


@dataclass(eq=False)
class _Part:
    """A part of an alternative.

    Attributes:
        first: the words that it may begin with; None: any.
        empty: whether it may be empty.
        rule: the rule whose derivations are its own; "" where it has no such rule.
        toll: what it takes of a chart's limit to look for that rule.
    """

    first: frozenset[str] | None = field(default=frozenset(), init=False)
    empty: bool = field(default=False, init=False)
    rule: str = field(default="", init=False)
    toll: int = field(default=0, init=False)

    def ends(self, chart: Chart, at: int) -> Ends:
        """What it may derive from a place of the chart's words on."""
        raise NotImplementedError


@dataclass(eq=False)
class _Words(_Part):
    words: tuple[str, ...]

    def ends(self, chart: Chart, at: int) -> Ends:
        return chart.said(self.words, at)


@dataclass(eq=False)
class _Rule(_Part):
    name: str

    def ends(self, chart: Chart, at: int) -> Ends:
        return chart.named(self, self.name, at)


@dataclass(eq=False)
class _Slot(_Part):
    name: str

    def ends(self, chart: Chart, at: int) -> Ends:
        return chart.filled(self.name, at)


@dataclass(eq=False)
class _Labelled(_Part):
    label: str
    part: _Part

    def ends(self, chart: Chart, at: int) -> Ends:
        chart.left -= 1
        return self.part.ends(chart, at)


@dataclass(eq=False)
class _Many(_Part):
    part: _Part
    least: int
    most: int

    def ends(self, chart: Chart, at: int) -> Ends:
        return chart.repeated(self, at)


@dataclass(eq=False)
class _Choice(_Part):
    name: str
    """Of the rule of its own that it is."""

    def ends(self, chart: Chart, at: int) -> Ends:
        return chart.named(self, self.name, at)


@dataclass(eq=False)
class _Alternative:
    parts: tuple[_Part, ...]
    maker: str
    constants: Constants
    cost: int
    first: frozenset[str] | None = frozenset()
    empty: bool = False
    lead: str = ""
    """The rule without which it derives nothing, being its first part."""
    toll: int = 0

    @property
    def labelled(self) -> bool:
        return bool(self.maker) or any(isinstance(p, _Labelled) for p in self.parts)


class Grammar:
    """Rules by name, read from texts.

    Args:
        slots: what fills `{name}`, and the words that it may begin with (None: any); no filler
            for those that differ from one text to the next.
        makers: what makes meanings, by the names after `->`.
    """

    def __init__(
        self,
        texts: Iterable[str],
        slots: Mapping[str, tuple[Slot | None, frozenset[str] | None]],
        makers: Mapping[str, Maker],
    ) -> None:
        self.rules: dict[str, list[_Alternative]] = {}
        self.slots = slots
        self.makers = makers
        for text in texts:
            _Reader(text, self.rules).read()
        self._starts: dict[str, frozenset[str]] = {}
        self._close()
        self._by_word: dict[str, dict[str, tuple[_Alternative, ...]]] = {n: {} for n in self.rules}

    def alternatives(self, rule: str, word: str) -> tuple[_Alternative, ...]:
        """Those of a rule that may begin with the word."""
        index = self._by_word[rule]
        if word not in index:
            index[word] = tuple(
                a for a in self.rules[rule] if a.empty or a.first is None or word in a.first
            )
        return index[word]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that a rule says itself."""
        return frozenset(
            w
            for alternatives in self.rules.values()
            for a in alternatives
            for p in _deep(a.parts)
            if isinstance(p, _Words)
            for w in p.words
        )

    def starts(self, rule: str) -> frozenset[str]:
        """The words that a rule may begin with, as far as they are its own."""
        found = self._starts.get(rule)
        if found is None:
            found = frozenset().union(*(a.first or frozenset() for a in self.rules[rule]))
            self._starts[rule] = found
        return found

    def _close(self) -> None:
        """Finds what each part may begin with, until nothing changes."""
        for alternatives in self.rules.values():
            for a in alternatives:
                for p in _deep(a.parts):
                    if isinstance(p, _Rule | _Choice) and p.name not in self.rules:
                        raise ValueError(f"the grammar has no rule '{p.name}'")
                    if isinstance(p, _Slot) and p.name not in self.slots:
                        raise ValueError(f"the grammar has no slot '{p.name}'")
                if a.maker and a.maker not in self.makers:
                    raise ValueError(f"nothing makes '{a.maker}'")
        changed = True
        while changed:
            changed = False
            for alternatives in self.rules.values():
                for a in alternatives:
                    first, empty = self._first(a.parts)
                    if (first, empty) != (a.first, a.empty):
                        a.first, a.empty, changed = first, empty, True
        for alternatives in self.rules.values():
            for part in _deep(p for a in alternatives for p in a.parts):
                part.first, part.empty = self._first_of(part)
                part.rule, part.toll = _rule_of(part)
            for a in alternatives:
                if a.parts and not a.parts[0].empty:
                    a.lead, a.toll = a.parts[0].rule, a.parts[0].toll

    def _first(self, parts: Sequence[_Part]) -> tuple[frozenset[str] | None, bool]:
        found: frozenset[str] | None = frozenset()
        for part in parts:
            first, empty = self._first_of(part)
            found = None if found is None or first is None else found | first
            if not empty:
                return found, False
        return found, True

    def _first_of(self, part: _Part) -> tuple[frozenset[str] | None, bool]:
        match part:
            case _Words(words):
                return frozenset(words[:1]), False
            case _Slot(name):
                return self.slots[name][1], False
            case _Labelled(_, inner):
                return self._first_of(inner)
            case _Many(inner, least, _):
                first, empty = self._first_of(inner)
                return first, empty or least == 0
            case _Rule(name) | _Choice(name):
                alternatives = self.rules[name]
                first = frozenset()
                for a in alternatives:
                    first = None if first is None or a.first is None else first | a.first
                return first, any(a.empty for a in alternatives)
        raise AssertionError(part)


@dataclass(frozen=True)
class Use:
    """A rule or a slot in an alternative, and whether a label keeps its meaning."""

    name: str
    is_slot: bool
    labelled: bool


def parts_of(alternative: _Alternative) -> Iterable[Use]:
    """What an alternative is made of, other than words."""
    for part in alternative.parts:
        labelled = any(isinstance(p, _Labelled) for p in _deep((part,)))
        for inner in _deep((part,)):
            if isinstance(inner, _Rule | _Slot | _Choice):
                yield Use(inner.name, isinstance(inner, _Slot), labelled)


def _deep(parts: Iterable[_Part]) -> Iterable[_Part]:
    for part in parts:
        yield part
        if isinstance(part, _Labelled | _Many):
            yield from _deep((part.part,))


def _rule_of(part: _Part) -> tuple[str, int]:
    match part:
        case _Rule(name) | _Choice(name):
            return name, 1
        case _Labelled(_, inner):
            name, toll = _rule_of(inner)
            return name, toll + 1
    return "", 0


class _Reader:
    """Reads the text of a grammar into rules."""

    def __init__(self, text: str, rules: dict[str, list[_Alternative]]) -> None:
        self._rules = rules
        self._text = text
        self._choices = 0

    def read(self) -> None:
        for name, body in self._definitions():
            self._tokens = [
                (m.lastgroup or "", m[m.lastgroup or 0])
                for m in _TOKEN.finditer(body)
                if m.lastgroup
            ]
            self._at = 0
            self._name = name
            self._rules.setdefault(name, []).extend(self._alternatives())
            if self._at < len(self._tokens):
                raise ValueError(f"rule '{name}': {self._tokens[self._at]} is out of place")

    def _definitions(self) -> Iterable[tuple[str, str]]:
        lines = [line.split("#")[0].rstrip() for line in self._text.splitlines()]
        name, body = "", ""
        for line in filter(None, lines):
            if match := re.match(r"(\w+) = (.*)", line):
                if name:
                    yield name, body
                name, body = match[1], match[2]
            else:
                body += " " + line.strip()
        if name:
            yield name, body

    def _now(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _take(self, text: str) -> bool:
        kind, now = self._now()
        if kind == "op" and now == text:
            self._at += 1
            return True
        return False

    def _alternatives(self) -> list[_Alternative]:
        found = [self._alternative()]
        while self._take("|"):
            found.append(self._alternative())
        return found

    def _alternative(self) -> _Alternative:
        parts: list[_Part] = []
        maker, constants, cost = "", [], 0
        while True:
            kind, text = self._now()
            if kind == "arrow":
                self._at += 1
                maker = self._now()[1]
                self._at += 1
            elif kind == "set":
                key, value = text.split("=", 1)
                spaced = value if key == "predicate" else value.replace("_", " ")
                constants.append((key, spaced))
                self._at += 1
            elif kind == "cost":
                cost = int(text[1:])
                self._at += 1
            elif not kind or (kind == "op" and text in "|)]"):
                return _Alternative(_joined(parts), maker, tuple(constants), cost)
            else:
                parts.append(self._repeated(self._part()))

    def _repeated(self, part: _Part) -> _Part:
        if self._take("*"):
            return _many(part, 0, 99)
        if self._take("+"):
            return _many(part, 1, 99)
        return part

    def _part(self) -> _Part:
        kind, text = self._now()
        self._at += 1
        match kind:
            case "label":
                return _Labelled(text, self._repeated(self._part()))
            case "rule":
                return _Rule(text[1:-1])
            case "slot":
                return _Slot(text[1:-1])
            case "mark" | "word":
                return _Words((text,))
            case "op" if text in "([":
                choice = self._choice()
                if not self._take(")" if text == "(" else "]"):
                    raise ValueError(f"rule '{self._name}': a bracket is open")
                return choice if text == "(" else _many(choice, 0, 1)
        raise ValueError(f"rule '{self._name}': {text!r} is out of place")

    def _choice(self) -> _Part:
        alternatives = self._alternatives()
        if len(alternatives) == 1 and not alternatives[0].maker:
            only = alternatives[0]
            if len(only.parts) == 1 and not only.constants:
                return only.parts[0]
        self._choices += 1
        name = f"{self._name}.{self._choices}"
        while name in self._rules:
            self._choices += 1
            name = f"{self._name}.{self._choices}"
        self._rules[name] = alternatives
        return _Choice(name)


def _many(part: _Part, least: int, most: int) -> _Part:
    if isinstance(part, _Labelled):
        return _Labelled(part.label, _Many(part.part, least, most))
    return _Many(part, least, most)


def _joined(parts: Sequence[_Part]) -> tuple[_Part, ...]:
    """Neighbouring words as one part."""
    found: list[_Part] = []
    for part in parts:
        if isinstance(part, _Words) and found and isinstance(found[-1], _Words):
            found[-1] = _Words(found[-1].words + part.words)
        else:
            found.append(part)
    return tuple(found)


# -- parsing ------------------------------------------------------------------------------


class _Meant(int):
    """A meaning, as it was made of certain words: the number, from 1, of all that are equal to it.

    Meanings are nested, so that to compare them again and again would take long.
    """

    meaning: Value


Ends: TypeAlias = dict[tuple[int, "_Meant | None"], int]
"""(end, meaning) -> the least cost of a derivation."""
Labels: TypeAlias = tuple[tuple[str, _Meant], ...]
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

    def _meant(self, meaning: Value) -> _Meant:
        meant = _Meant(self._numbers.setdefault(meaning, len(self._numbers) + 1))
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
            word = self._words[at]
            known = self._known
            for alternative in self._grammar.alternatives(rule, word):
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

    def _alternative(self, alternative: _Alternative, at: int) -> Ends:
        states: dict[tuple[int, Labels], int] = {(at, ()): alternative.cost}
        for part in alternative.parts:
            after: dict[tuple[int, Labels], int] = {}
            for (place, labels), cost in states.items():
                if not (part.empty or part.first is None or self._words[place] in part.first):
                    self._spend(1)
                    self._missed(place, part.first)
                    continue
                known = self._known.get((part.rule, place)) if part.rule else None
                if known is None:
                    found = part.ends(self, place)
                    self._spend(len(found))
                else:
                    found = known
                    self._spend(part.toll + len(found))
                for (end, meant), more in found.items():
                    key = (end, labels if meant is None else self._with(labels, part, meant))
                    if cost + more < after.get(key, cost + more + 1):
                        after[key] = cost + more
            if not after:
                return {}
            states = after
        return self._made(alternative, at, states)

    def _with(self, labels: Labels, part: _Part, meant: _Meant) -> Labels:
        if isinstance(part, _Labelled):
            return (*labels, (part.label, meant))
        if isinstance(part, _Choice | _Many) and isinstance(meant.meaning, _Bundle):
            return labels + meant.meaning.labels
        if isinstance(part, _Choice | _Many) and meant.meaning == ():
            return labels
        return (*labels, (_UNSAID, meant))

    def _made(
        self, alternative: _Alternative, at: int, states: Mapping[tuple[int, Labels], int]
    ) -> Ends:
        found: Ends = {}
        for (end, labels), cost in states.items():
            value = self._value(alternative, labels, at, end)
            if value is not None:
                key = (end, self._meant(value))
                found[key] = min(cost, found.get(key, cost))
        return found

    def _value(self, alternative: _Alternative, labels: Labels, at: int, end: int) -> Value:
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

    def named(self, part: _Part, rule: str, at: int) -> Ends:
        """What a rule that is a part of another may derive from a place on."""
        self.left -= 1
        if part.first is None or part.empty or self._words[at] in part.first:
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
        slot, first = self._grammar.slots[name]
        if first is not None and self._words[at] not in first:
            self._missed(at, first)
            return {}
        fillers = (slot or self._slots[name])(self._words, at)
        found: Ends = {(end, self._meant(value)): 0 for end, value in fillers}
        if not found:
            self._missed(at, (f"<{name}>",))
        return found

    def repeated(self, part: _Many, at: int) -> Ends:
        """Each repetition's meanings as a tuple; an optional part's own, or None."""
        self.left -= 1
        if part.most == 1:
            found = {(end, m): cost for (end, m), cost in part.part.ends(self, at).items()
                     if end != at}  # fmt: skip
            return found if part.least else {(at, None): 0, **found}
        states: dict[tuple[int, tuple[_Meant | None, ...]], int] = {(at, ()): 0}
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
        self, part: _Part, states: Mapping[tuple[int, tuple[_Meant | None, ...]], int]
    ) -> dict[tuple[int, tuple[_Meant | None, ...]], int]:
        """What goes on by one more repetition."""
        after: dict[tuple[int, tuple[_Meant | None, ...]], int] = {}
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
