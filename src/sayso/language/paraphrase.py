"""Free English offered in controlled English, whose grammar stays the only meaning.

A sentence that the grammar does not read goes through a dependency parser. Its clauses are worded
in a few ways each, and the first wording that the grammar reads is taken: of a main clause with
all that limits it. Words that stand in no wording are told as not understood, or as asking for
nothing. The result is a question to the person, never a task by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import TypeAlias

from sayso.core.errors import SaySoError, Span
from sayso.core.ports import DependencyParser, ParsedWord
from sayso.language.chart import Chart, TooMuchError
from sayso.language.controlled_english import (
    MAX_PARTS,
    Refuse,
    SeveralMeaningsError,
    asks_more,
    readings_of,
    specified,
    with_readings,
)
from sayso.language.controls import FORBID
from sayso.language.frames import REASONS
from sayso.language.left_out import OF_ANY, OWNED, LeftOut
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import DENYING
from sayso.language.loosening import LEADS, antecedent, loosened
from sayso.language.main_clauses import Group, Trees, groups, wordings
from sayso.language.meaning import Question, Sentence, StopWord
from sayso.language.offers import PartlyUnderstoodError, changes_before, contradicts
from sayso.language.sentences import Task
from sayso.language.tokens import Token, sentences, tokenize
from sayso.language.units import (
    MARKS,
    TAILS,
    Bearing,
    can_be_set_apart,
    changes_others,
    goes_on,
    may_turn,
    names_something,
    orders_others,
    refers_back,
    replaces,
    stands_alone,
    unit_starts,
)
from sayso.language.withheld import is_withheld, may_except
from sayso.language.wording import IN_ORDER, Worder
from sayso.logic.english import read_back
from sayso.logic.specification import Asked, Specification

_MOST_UNITS = 2
"""That are worded together, but for all of a sentence."""
_MOST_MARKS = 3
"""From the beginning of a clause on, between which something may be thrown into it."""
_GOING_ON = frozenset({"and", "then", "or", "otherwise", "else"})
"""What these begin may depend on the condition that stands before it."""
_CONDITIONS = frozenset({"if", "when", "whenever", "unless", "once", "after", "before"})
_OF_STEPS = frozenset({"that", "this", "which", "all"})
"""After "after" and "before" these are the step before, and no condition."""
_JOINING_MARKS = frozenset({"and", "but", "then", "so", "or"})
_MOST_TRIED = 40
"""Of the wordings of one main clause with all that limits it."""
_MOST_IN_ALL = 500
"""Of the wordings of a text; what is not worded by then is left."""
_LONGEST = 200
"""Words of a text; nothing is offered for more."""
UNSAID = frozenset({
    "please", "well", "so", "okay", "ok", "oh", "hey", "hi", "hello", "robot", "thanks", "and",
    "but", "you", "i", "to", "a", "an", "the", "of", "would", "could", "will", "can", "do", "for",
    "me", "that", "is", "be",
})  # fmt: skip
"""Words that say nothing where only they are left."""
_ORDINALS = frozenset({
    "second", "third", "fourth", "fifth", "sixth", "secondly", "thirdly", "fourthly",
})  # fmt: skip
"""At the beginning of clauses these count what comes in order anyway."""
_Readings: TypeAlias = "tuple[tuple[Token, ...], dict[object, int]]"
"""The words of a wording that say something, and their meanings, each with its cost."""


@dataclass
class _Found:
    """What became of a text so far.

    Attributes:
        worded: the sentences of controlled English that stand for it.
        left: what stands in none of them, with what it could do.
        free: whether a sentence of it had to be worded otherwise.
        dangling: whether the next words could refer to a thing named in such words.
        told: the only thing of the task that such words name.
        governed: whether the last words hold a condition.
        denied: whether they forbid.
        apart: whether they were left out with what they change.
        disordered: whether words that were left out may say in which order the rest is done.
    """

    task: Task
    worded: list[str] = field(default_factory=list)
    left: list[tuple[Span, Bearing]] = field(default_factory=list)
    understood: int = 0
    lost: int = 0
    limits: int = 0
    segments: int = 0
    free: bool = False
    dangling: bool = False
    told: str = ""
    governed: bool = False
    denied: bool = False
    apart: bool = False
    disordered: bool = False

    def copy(self) -> _Found:
        """One that can be added to."""
        return replace(self, worded=[*self.worded], left=[*self.left])

    @property
    def cost(self) -> tuple[int, int, int]:
        """How bad it is, in order of weight."""
        return self.limits + self.lost, self.limits, self.segments


def offer(
    text: str, lexicon: Lexicon, parser: DependencyParser, granted: Collection[str] = ()
) -> PartlyUnderstoodError | Specification | None:
    """A question that holds what a text may mean, in controlled English; None for nothing.

    Where the grammar reads each sentence as it is, and what else is said only tells something,
    it is no question but the reading.

    Args:
        granted: as `offers.interpret` takes it.

    Raises:
        SaySoError: what the parser raises; NOT_UNDERSTOOD for what is no text, or lacks something.
    """
    tokens = tokenize(text)
    if len(tokens) > _LONGEST:
        return None
    found = _Found(Task.begin(lexicon, Refuse(text, tokens)))
    trees = Trees(lexicon, parser)
    reader = _Reader(text, lexicon, trees, LeftOut(text, lexicon, trees, granted))
    for sentence in sentences(tokens):
        reader.add(found, sentence)
    asked_of = [s for s, b in found.left if b is not Bearing.NONE]
    if not found.worded or found.disordered or changes_before(text, asked_of):
        return None
    asked = reader.question(found)
    if contradicts(asked.offered.formula):
        return None
    certain = not found.free and not asked.asked.words
    if not certain and is_withheld(text, asked.asked.words, asked.asked.wording, lexicon):
        return None
    return asked.offered if certain else asked


@dataclass(frozen=True)
class _Reader:
    text: str
    lexicon: Lexicon
    trees: Trees
    left_out: LeftOut
    tried: dict[str, _Readings] = field(default_factory=dict)
    charts: dict[tuple[str, ...], Chart | None] = field(default_factory=dict)

    def _chart(self, words: tuple[str, ...]) -> Chart | None:
        """The chart of a sentence; None where there is too much to look at."""
        if words not in self.charts:
            chart: Chart | None = self.lexicon.chart(words, MAX_PARTS)
            try:
                for start in unit_starts(words):
                    assert chart is not None
                    chart.ends("sentence", start)
            except TooMuchError:
                chart = None
            self.charts[words] = chart
        return self.charts[words]

    def add(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        """Takes in one more sentence: as a whole, or unit by unit so that least is left out."""
        words = [t.text for t in tokens]
        goes = [goes_on(r) for r in self._readings(" ".join(words))[1]]
        if found.lost and goes and all(goes):
            self._leave_all(found, tokens)  # it may say more of what was not understood
            return
        if self._take_all(found, tokens):
            return
        if self.lexicon.told_on(words) is not None:
            self._leave_all(found, tokens)
            return
        vars(found).update(vars(self._by_units(found, tokens)))

    def _by_units(self, found: _Found, tokens: tuple[Token, ...]) -> _Found:
        """What becomes of a text with a sentence read unit by unit, so that least is left out."""
        words = [t.text for t in tokens]
        starts = [*unit_starts(words), len(words)]
        ends = sorted({*starts[1:], *(i for i, w in enumerate(words) if w in MARKS and i)})
        best: dict[int, _Found] = {starts[0]: found.copy()}
        for start in starts[:-1]:
            if start not in best:
                continue
            for end in (e for e in ends if e > start):
                after = min(s for s in starts if s >= end)
                for option in self._options(best[start], tokens, start, end, found.lost):
                    if after not in best or option.cost < best[after].cost:
                        best[after] = option
            for end, option in self._parted(best[start], tokens, start, starts, ends):
                if end not in best or option.cost < best[end].cost:
                    best[end] = option
        left = found.copy()
        self._leave_all(left, tokens)
        least = min((f for f in (best.get(len(words)), left) if f), key=lambda f: f.cost)
        if least.task.course.is_ordered and self._orders_others(least.left[len(found.left) :]):
            left.disordered |= found.task.course.is_ordered
            return left
        least.free |= least.segments > found.segments + 1  # it was cut: that is asked about
        return least

    def _orders_others(self, left: Sequence[tuple[Span, Bearing]]) -> bool:
        """Whether what is left out may say in which order the rest is done."""
        asked = (self.left_out.words(s) for s, kind in left if kind is not Bearing.NONE)
        return any(orders_others([t.text for t in tokenize(words)]) for words in asked)

    def _parted(
        self, found: _Found, tokens: tuple[Token, ...], start: int, starts: Sequence[int],
        ends: Sequence[int],
    ) -> Iterator[tuple[int, _Found]]:  # fmt: skip
        """What may become of a clause that goes on after what is thrown into it: "the mug, which
        you'll find on the table, to the desk"."""
        words = [t.text for t in tokens]
        marks = [i for i in range(start + 1, len(words)) if words[i] in MARKS][:_MOST_MARKS]
        chart = self._chart(tuple(words))
        for opens, closes in ((a, b) for a in marks for b in marks if a < b):
            inner, after = words[opens + 1 : closes], closes + 1
            if not inner or changes_others(inner) or len(unit_starts(inner)) > _MOST_UNITS:
                continue
            if inner[0] in _JOINING_MARKS or after == len(words):
                continue
            if words[after] in _JOINING_MARKS | _CONDITIONS:
                continue
            for end in [e for e in ends if e > after][:_MOST_UNITS]:
                alone = chart is not None and stands_alone(words, chart, after, end)
                if words[end - 1] in MARKS or alone:
                    continue
                for between in ((), (",",)):
                    taken = replace(found.copy(), segments=found.segments + 2, free=True)
                    text = " ".join((*words[start:opens], *between, *words[after:end]))
                    with suppress(SeveralMeaningsError):
                        if self._take(taken, text) and self._asks(taken, found):
                            taken.understood += len(text.split())
                            self._leave(taken, tokens[opens + 1 : closes])
                            yield min(s for s in starts if s >= end), taken
                            break

    def _options(
        self, found: _Found, tokens: tuple[Token, ...], start: int, end: int, lost: int
    ) -> Iterator[_Found]:
        """What may become of the units from a place to another: read as they are, as a clause near
        to them, worded by their trees, or left out; `lost` is what was before the sentence."""
        part = tokens[start:end]
        words = [t.text for t in part]
        joined = bool(start) and words[0] in _GOING_ON
        denied = found.denied and (words[0] == "or" or tokens[start - 1].text not in MARKS)
        if words[-1] in MARKS:
            return
        units = len(unit_starts(words))
        beside = found.apart and tokens[start - 1].text not in MARKS
        if joined and (found.governed or denied or beside):
            if units == 1 and not replaces(words):
                yield self._set_apart(found, part)
            return
        of_list = found.lost > lost
        whole = [t.text for t in tokens]
        chart = self._chart(tuple(whole))
        turned = words[0] in REASONS and may_turn(words)
        if chart is not None and not turned and stands_alone(whole, chart, start, end):
            if of_list and self._may_be_of_list(words):
                return
            taken = self._as_said(found, words)
            if taken is not None:
                yield taken
                return
        if can_be_set_apart([t.text for t in tokens], start, end, self.lexicon):
            yield self._set_apart(found, part)
        which = start and words[:2] in (["the", "one"], ["the", "ones"])
        if which and all(map(goes_on, self._readings(" ".join(words))[1])):
            if units == 1:
                yield self._set_apart(found, part)  # it may say which thing is meant
            return
        if start and replaces(words):
            return
        yield from self._otherwise(found, tokens, start, end, of_list=of_list)

    def _as_said(self, found: _Found, words: Sequence[str]) -> _Found | None:
        """What becomes of units that the grammar reads by themselves; None where they have no
        meaning beside what came before, or several."""
        taken = replace(found.copy(), segments=found.segments + 1)
        with suppress(SeveralMeaningsError):
            if self._take(taken, " ".join(words)):
                taken.understood += len(words)
                self._join(taken, words)
                return taken
        return None

    def _may_be_of_list(self, words: Sequence[str]) -> bool:
        """Whether units go on with what was left out before them."""
        readings = self._readings(" ".join(words))[1]
        return bool(readings) and (words[0] in TAILS or all(map(goes_on, readings)))

    def _otherwise(
        self, found: _Found, tokens: tuple[Token, ...], start: int, end: int, *, of_list: bool
    ) -> Iterator[_Found]:
        """What may become of units as a clause near to them, worded by their trees, or left out."""
        part = tokens[start:end]
        words = [t.text for t in part]
        units = len(unit_starts(words))
        alone = self._can_be_worded(found, part, of_list=of_list)
        conditional = words[0] in _CONDITIONS and units <= _MOST_UNITS + 1
        goes = of_list and words[0] in TAILS  # with what was not understood
        if not goes and (conditional or (units <= _MOST_UNITS and MARKS.isdisjoint(words))):
            yield from self._loosened(found, part, tokens[:start], of_list=of_list)
        few = units <= _MOST_UNITS or len(part) == len(tokens)
        if alone and few and (MARKS.isdisjoint(words) or words[0] in _CONDITIONS):
            worded = replace(found.copy(), segments=found.segments + 2)
            self._add_whole(worded, part)
            self._join(worded, words)
            if of_list and all(map(goes_on, self._readings(_last(worded))[1])):
                return
            if len(worded.worded) > len(found.worded) or not changes_others(words):
                yield worded
        if units == 1 and not changes_others(words):
            left = found.copy()
            self._tell(left, words)
            self._leave(left, part)
            yield left

    def _can_be_worded(self, found: _Found, part: Sequence[Token], *, of_list: bool) -> bool:
        """Whether units may be worded by their tree: they need nothing that was not understood."""
        words = [t.text for t in part]
        conditional = words[0] in _CONDITIONS
        if conditional and found.dangling and refers_back(words, self.lexicon):
            return False  # "if it is not there": what is said next may be named in it
        if not of_list:
            return True
        tree, begin = self.trees.of(words)
        return any(w.tag.startswith(("VB", "MD")) for w in tree[begin:])

    @staticmethod
    def _join(found: _Found, words: Sequence[str]) -> None:
        """Takes note of what in some words may be meant of what is joined to them, too."""
        pairs = pairwise([*words, ""])
        found.governed = any(w in _CONDITIONS and after not in _OF_STEPS for w, after in pairs)
        found.denied = not DENYING.isdisjoint(words)
        found.apart = False

    @staticmethod
    def _asks(taken: _Found, before: _Found) -> bool:
        """Whether what was taken in asks for something, and no part of it was set aside."""
        asks = len(taken.worded) > len(before.worded)
        return asks and len(taken.task.aside) == len(before.task.aside)

    def _pass_over(self, found: _Found, run: Sequence[Token]) -> None:
        """Leaves out words within a clause that may only say how, or for whom, it is done."""
        words = [t.text for t in run]
        if self._says_nothing(words, UNSAID | LEADS):
            return
        found.left.append((Span(run[0].start, run[-1].end), Bearing.POSSIBLE))
        found.lost += len(words)

    def _says_nothing(self, words: Sequence[str], unsaid: Collection[str]) -> bool:
        """Whether words are such as say nothing; "and the can" names a thing."""
        named = any(a in ("the", "a") and self.lexicon.names(b) for a, b in pairwise(words))
        return not named and all(w in unsaid for w in words)

    def _tell(self, found: _Found, words: Sequence[str]) -> None:
        """Takes note of what words name that are left out: what follows may refer to it."""
        only = self.left_out.named(words)
        if only or any(map(self.lexicon.names, words)):
            refers = refers_back(words, self.lexicon)
            several = sum(w in OWNED for w in words) > 1  # "the cake was on the tray"
            found.dangling, found.told = True, "" if refers or several else only
        elif words[0] == "the":
            found.dangling, found.told = True, ""  # "it" may be what is not known

    def _loosened(
        self, found: _Found, part: Sequence[Token], before: Sequence[Token], *, of_list: bool
    ) -> Iterator[_Found]:
        """Words as a clause that is near to them and that the grammar reads, if there is one."""
        words = [t.text for t in part]
        told = found.told
        if words[0] in ("which", "who") and before and before[-1].text == ",":
            told = antecedent([t.text for t in before[:-1]])
        tree, begin = self.trees.of(words)
        for other in loosened(tree[begin:-1], self.lexicon, first=not found.worded, told=told):
            taken = replace(found.copy(), segments=found.segments + 3, free=True)
            with suppress(SeveralMeaningsError):
                lacking = of_list and all(map(goes_on, self._readings(other.text)[1]))
                if lacking or not self._parses(other.text):
                    continue
                if self._take(taken, other.text, named=other.named) and self._asks(taken, found):
                    taken.understood += len(words) - len(other.dropped)
                    self._join(taken, words)
                    for run in _runs(part, set(range(len(part))) - other.dropped):
                        self._pass_over(taken, run)
                    yield taken
                    return

    def _take_all(self, found: _Found, tokens: tuple[Token, ...]) -> bool:
        """Takes in words that the grammar reads as they are; those of two meanings are left."""
        words = [t.text for t in tokens]
        try:
            taken = self._take(found, " ".join(words))
        except SeveralMeaningsError:
            self._leave_all(found, tokens)
            return True
        found.understood += len(words) if taken else 0
        return taken

    def _set_apart(self, found: _Found, part: Sequence[Token]) -> _Found:
        """What becomes of a text without units that may limit something: they are asked about."""
        left = found.copy()
        words = [t.text for t in part]
        left.dangling |= names_something(words, self.lexicon)
        left.told, left.governed, left.denied, left.apart = "", False, False, True
        left.left.append((Span(part[0].start, part[-1].end), Bearing.LIMITING))
        said = sum(w not in MARKS for w in words)
        left.lost += said
        left.limits += said
        return left

    def _leave_all(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        found.dangling = True
        self._leave(found, list(tokens), beside=True)

    def _add_whole(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        """Takes in words by the clauses of their tree."""
        words = [t.text for t in tokens]
        tree, begin = self.trees.of(words)
        worder = Worder(tree, begin)
        before = found.copy()
        covered: set[int] = set()
        mains = groups(tree)
        for group in mains:
            # Sentences are in the order said, but not with what depends on a condition.
            first = min(group.words) - begin
            comes = not IN_ORDER.isdisjoint(words[max(0, first - 1) : first + 1])
            order = "then " if comes and found.task.course.conditioned else ""
            said = self._said(found, worder, group, order)
            left = [words[i - begin] for i in group.words - said if 0 <= i - begin < len(words)]
            found.dangling |= names_something(left, self.lexicon)
            covered |= said
        covered = {i - begin for i in covered}
        covered -= {i for i, w in enumerate(words) if w == "skip"}  # no wording has it
        tells = not covered and not begin and words[0] not in OF_ANY
        if tells and self.left_out.only_tells(tree, mains):
            found.dangling |= names_something(words, self.lexicon)
            found.left.append((Span(tokens[0].start, tokens[-1].end), Bearing.NONE))
            return
        runs = list(_runs(tokens, covered))
        over = _leads_in(tree[begin:], covered)
        if over or any(changes_others([t.text for t in run]) for run in runs):
            vars(found).update(vars(before))
            self._leave_all(found, tokens)
            return
        found.understood += len(covered)
        forbids = any(g.ask.sense == FORBID for g in mains)
        for run in runs:
            only = {t.text for t in run}
            begins = run[0] is tokens[0] or tokens[tokens.index(run[0]) - 1].text in (*MARKS, "and")
            ordered = only <= IN_ORDER or (begins and only <= _ORDINALS)
            if forbids or not ordered:  # sentences are in the order in which they are said
                self._leave(found, run, beside=bool(covered))

    def _said(self, found: _Found, worder: Worder, group: Group, order: str = "") -> frozenset[int]:
        """The words of a group that are in its wording, with a word of order before it; none if it
        has none, or the first that the grammar reads has several meanings."""
        for wording in islice(wordings(worder, group, not found.worded, self._parses), _MOST_TRIED):
            taken = found.copy()
            try:
                self._take(taken, order + wording.text)
            except SeveralMeaningsError:
                break
            if self._asks(taken, found):
                vars(found).update(vars(taken))
                found.free = True
                return wording.covered
        return frozenset()

    def question(self, found: _Found) -> PartlyUnderstoodError:
        """What is asked about the text: where most of it is not understood, a "yes" to what is left
        is not enough."""
        aside = [self.left_out.words(s) for s, b in found.left if b is Bearing.NONE]
        told = (*found.task.aside, *aside)
        for one in may_except(told, found.task.formula(), self.lexicon):
            at = self.text.find(one)
            found.left.append((Span(at, at + len(one)), Bearing.LIMITING))
            found.task = replace(found.task, aside=tuple(a for a in told if a != one))
        asked = self._joined(found.left)
        aside = [a for a in aside if not any(a in self.left_out.words(s) for s, _ in asked)]
        limiting = any(b is Bearing.LIMITING for _, b in asked) or (
            bool(asked) and found.understood <= found.lost
        )
        words = tuple(self.left_out.words(s) for s, _ in asked)
        question = Asked(words, limiting, " ".join(found.worded) if found.free else "")
        spec = replace(specified(self.text, found.task, aside), asked=question)
        english = read_back(spec.formula, self.lexicon.predicates)
        span = asked[0][0] if asked else None
        return PartlyUnderstoodError(spec, english, span)

    def _joined(self, left: Sequence[tuple[Span, Bearing]]) -> list[tuple[Span, Bearing]]:
        """What is asked about; what stands side by side is one part, with what is told in it."""
        tokens = tokenize(self.text)
        ends = [s[-1].end for s in sentences(tokens)]
        found: list[tuple[Span, Bearing]] = []
        last = 0
        for span, kind in sorted(left, key=lambda part: part[0].start):
            between = [t.text for t in tokens if last <= t.start < span.start]
            apart = any(t not in MARKS and t not in UNSAID for t in between)
            apart |= any(last <= end <= span.start for end in ends)
            last = max(last, span.end)
            if found and not apart:
                if kind is not Bearing.NONE:
                    found[-1] = (Span(found[-1][0].start, span.end), max(found[-1][1], kind))
            elif kind is not Bearing.NONE:
                found.append((span, kind))
        return found

    def _parses(self, text: str) -> bool:
        return any(
            not isinstance(r, Question | StopWord) and not (isinstance(r, Sentence) and not r.body)
            for r in self._readings(text)[1]
        )

    def _readings(self, text: str) -> _Readings:
        """What the grammar reads a wording as: nothing, where it is none."""
        if text not in self.tried:
            found: _Readings = (), {}
            if len(self.tried) >= _MOST_IN_ALL:
                return found
            with suppress(SaySoError, TooMuchError):
                found = readings_of(tokenize(text), self.lexicon)
            self.tried[text] = found
        return self.tried[text]

    def _take(self, found: _Found, text: str, *, named: bool = False) -> bool:
        """Adds a sentence of controlled English to the task, if it is one; `named` where it names
        what was told before it."""
        plain, readings = self._readings(text)
        words = [t.text for t in plain]
        if not self._parses(text):
            return False
        if found.dangling and refers_back(words, self.lexicon) and not named:
            return False
        before = found.task
        try:
            found.task = with_readings(before, readings, plain, Refuse(text, plain))
        except SeveralMeaningsError:
            raise
        except SaySoError:
            return False
        if asks_more(found.task, before):
            found.worded.append(f"{text[:1].upper()}{text[1:]}.".replace(" ,", ","))
        told = not asks_more(found.task, before)
        if any(map(self.lexicon.names, words)) and not (told and found.dangling):
            found.dangling, found.told = False, ""
        return True

    # -- what is left ---------------------------------------------------------------------

    def _leave(self, found: _Found, run: Sequence[Token], *, beside: bool = False) -> None:
        """Leaves words out, whatever they could do to the rest."""
        words = [t.text for t in run]
        if self._says_nothing(words, UNSAID):
            return
        kind = self.left_out.bearing(run, beside=beside)
        found.left.append((Span(run[0].start, run[-1].end), kind))
        found.lost += len(words) if kind is not Bearing.NONE else 0
        found.limits += len(words) if kind is Bearing.LIMITING else 0


def _last(found: _Found) -> str:
    """The last sentence that stands for a part of a text."""
    return found.worded[-1].lower().strip(".").replace(",", " ,") if found.worded else ""


def _runs(tokens: Sequence[Token], covered: set[int]) -> Iterator[list[Token]]:
    """The tokens that are not covered, from mark to mark, without marks and "and" before them."""
    run: list[Token] = []
    for i, token in enumerate(tokens):
        if i in covered or token.text in MARKS:
            if run:
                yield run
            run = []
        elif run or token.text not in ("and", "but"):
            run.append(token)
    if run:
        yield run


def _leads_in(tree: Sequence[ParsedWord], covered: set[int]) -> bool:
    """Whether the verb over a wording is left out of it: "I was going | to ask you to ..."."""
    left = (i for i, w in enumerate(tree) if i not in covered and w.tag.startswith("VB"))
    return any(i + 1 in covered and tree[i + 1].tag == "TO" for i in left)
