"""What the rules of a grammar are made of, and what of a rule may begin with two words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

Value: TypeAlias = Hashable
Constants: TypeAlias = tuple[tuple[str, Value], ...]
Slot: TypeAlias = Callable[[Sequence[str], int], Iterable[tuple[int, Value]]]
"""Words and a place to the ends and meanings of what may stand there."""
Maker: TypeAlias = Callable[..., Value]
"""(start, end) and labelled parts to a meaning; None where they do not go together."""


class Meant(int):
    """A meaning, as it was made of certain words: the number, from 1, of all that are equal to it.

    Meanings are nested, so that to compare them again and again would take long.
    """

    meaning: Value


Ends: TypeAlias = dict[tuple[int, "Meant | None"], int]
"""(end, meaning) -> the least cost of a derivation."""


class Derivations(Protocol):
    """What parts of rules ask of a chart: what they derive from a place of its words on."""

    left: int

    def said(self, words: tuple[str, ...], at: int) -> Ends: ...

    def named(self, part: Part, rule: str, at: int) -> Ends: ...

    def filled(self, name: str, at: int) -> Ends: ...

    def repeated(self, part: Many, at: int) -> Ends: ...


# -- the parts of rules -------------------------------------------------------------------


@dataclass(eq=False)
class Part:
    """A part of an alternative.

    Attributes:
        first: the words that it may begin with, or their sorts; None: any.
        empty: whether it may be empty.
        rule: the rule, or slot, whose derivations are its own; "" where it has none.
        toll: what it takes of a chart's limit to look for that rule.
        lacking: of what may be left out and has no label: without one of these words it is; None:
            of any other part.
    """

    first: frozenset[str] | None = field(default=frozenset(), init=False)
    empty: bool = field(default=False, init=False)
    rule: str = field(default="", init=False)
    toll: int = field(default=0, init=False)
    lacking: frozenset[str] | None = field(default=None, init=False)

    def ends(self, chart: Derivations, at: int) -> Ends:
        """What it may derive from a place of the chart's words on."""
        raise NotImplementedError


@dataclass(eq=False)
class Words(Part):
    words: tuple[str, ...]

    def ends(self, chart: Derivations, at: int) -> Ends:
        return chart.said(self.words, at)


@dataclass(eq=False)
class Called(Part):
    name: str

    def ends(self, chart: Derivations, at: int) -> Ends:
        return chart.named(self, self.name, at)


@dataclass(eq=False)
class Filled(Part):
    name: str

    def ends(self, chart: Derivations, at: int) -> Ends:
        return chart.filled(self.name, at)


@dataclass(eq=False)
class Labelled(Part):
    label: str
    part: Part

    def ends(self, chart: Derivations, at: int) -> Ends:
        chart.left -= 1
        return self.part.ends(chart, at)


@dataclass(eq=False)
class Many(Part):
    part: Part
    least: int
    most: int

    def ends(self, chart: Derivations, at: int) -> Ends:
        return chart.repeated(self, at)


@dataclass(eq=False)
class Choice(Part):
    name: str
    """Of the rule of its own that it is."""

    def ends(self, chart: Derivations, at: int) -> Ends:
        return chart.named(self, self.name, at)


class Step:
    """A part of an alternative, as a chart takes it.

    Attributes:
        rule: whose derivations are its own; "" where there is none.
        toll: what it takes of a chart's limit to look for that.
        begins: the words of which one has to stand where the rule is looked for; None: any.
        optional: whether it may be left out, too.
        lacking: as that of the part.
        behind: the words of which one has to stand behind the part; None: any.
        label: of what it means; "" for none.
        spreads: whether what it means may be labelled parts of its own.
    """

    __slots__ = (
        "begins", "behind", "label", "lacking", "optional", "part", "rule", "spreads", "toll",
    )  # fmt: skip

    def __init__(self, part: Part, behind: frozenset[str] | None) -> None:
        self.behind, self.lacking = behind, part.lacking
        self.label = part.label if isinstance(part, Labelled) else ""
        self.spreads = isinstance(part, Choice | Many)
        inner = part.part if isinstance(part, Labelled) else part
        self.optional = isinstance(inner, Many) and inner.most == 1 and bool(inner.part.rule)
        if self.optional:
            assert isinstance(inner, Many)
            self.part = inner.part
            self.toll = self.part.toll + 1 + bool(self.label)
        else:
            self.part, self.toll = part, part.toll
        self.rule = self.part.rule
        self.begins = None if self.part.empty else self.part.first


@dataclass(eq=False)
class Alternative:
    parts: tuple[Part, ...]
    maker: str
    constants: Constants
    cost: int
    first: frozenset[str] | None = frozenset()
    empty: bool = False
    lead: str = ""
    """The rule without which it derives nothing, being its first part."""
    toll: int = 0
    order: int = 0
    """Its place in its rule."""
    steps: tuple[Step, ...] = ()

    @property
    def labelled(self) -> bool:
        return bool(self.maker) or any(isinstance(p, Labelled) for p in self.parts)


Known: TypeAlias = "tuple[tuple[Alternative, frozenset[str] | None], ...]"
"""Alternatives that may begin with a word, each with the words that may come behind that; None:
any."""


class Fitting(NamedTuple):
    """Alternatives that may go on where they are.

    Attributes:
        alternatives: those, in the order of the grammar.
        others: how many cannot.
        toll: what it takes of a chart's limit to look for the first part of each of the others.
        lacking: the words with which those would go on.
    """

    alternatives: tuple[Alternative, ...]
    others: int = 0
    toll: int = 0
    lacking: frozenset[str] = frozenset()


class Led:
    """Alternatives of a rule that begin with one and the same rule or slot.

    Attributes:
        lead: their first part; its label is that of one of them.
        toll: what it takes to look for it for each.
    """

    __slots__ = ("_alternatives", "_known", "lead", "toll")

    def __init__(self, alternatives: Sequence[Alternative]) -> None:
        self._alternatives = alternatives
        self._known: dict[frozenset[str], Fitting] = {}
        self.lead = alternatives[0].steps[0]
        self.toll = sum(a.toll for a in alternatives)

    def before(self, sorts: frozenset[str]) -> Fitting:
        """Those that may go on with words of these sorts."""
        found = self._known.get(sorts)
        if found is None:
            behind = [(a, a.steps[0].behind) for a in self._alternatives]
            fit = tuple(a for a, b in behind if b is None or not b.isdisjoint(sorts))
            others = [(a, b) for a, b in behind if b is not None and b.isdisjoint(sorts)]
            lacking = frozenset[str]().union(*(b for _, b in others))
            found = Fitting(fit, len(others), sum(a.toll for a, _ in others), lacking)
            self._known[sorts] = found
        return found


class Beginning:
    """What of a rule may begin with two words.

    Attributes:
        led: its alternatives that may and begin with a rule or a slot, by that.
        fitting: the others that may.
    """

    __slots__ = ("fitting", "led")

    def __init__(self, known: Known, after: str) -> None:
        may = [a for a, seconds in known if seconds is None or after in seconds]
        others = [s for _, s in known if s is not None and after not in s]
        by_lead: dict[str, list[Alternative]] = {}
        for alternative in may:
            if alternative.lead:
                by_lead.setdefault(alternative.lead, []).append(alternative)
        self.led = tuple(map(Led, by_lead.values()))
        alone = tuple(a for a in may if not a.lead)
        self.fitting = Fitting(alone, len(others), len(others), frozenset[str]().union(*others))


@dataclass(frozen=True)
class Use:
    """A rule or a slot in an alternative, and whether a label keeps its meaning."""

    name: str
    is_slot: bool
    labelled: bool


def parts_of(alternative: Alternative) -> Iterable[Use]:
    """What an alternative is made of, other than words."""
    for part in alternative.parts:
        labelled = any(isinstance(p, Labelled) for p in deep((part,)))
        for inner in deep((part,)):
            if isinstance(inner, Called | Filled | Choice):
                yield Use(inner.name, isinstance(inner, Filled), labelled)


def deep(parts: Iterable[Part]) -> Iterable[Part]:
    for part in parts:
        yield part
        if isinstance(part, Labelled | Many):
            yield from deep((part.part,))


def slot_key(name: str) -> str:
    """What stands for a slot where it is known what fills it."""
    return f"{{{name}}}"


def rule_of(part: Part) -> tuple[str, int]:
    match part:
        case Called(name) | Choice(name):
            return name, 1
        case Filled(name):
            return slot_key(name), 1
        case Labelled(_, inner):
            name, toll = rule_of(inner)
            return name, toll + 1
    return "", 0
