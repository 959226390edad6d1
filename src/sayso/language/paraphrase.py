"""Free English offered in controlled English, whose grammar stays the only meaning.

A sentence that the grammar does not read goes through a dependency parser. Its clauses are worded
in a few ways each, and the first wording that the grammar reads is taken: of a main clause with
all that limits it. Words that stand in no wording are told as not understood, or as asking for
nothing. The result is a question to the person, never a task by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

from sayso.core.errors import SaySoError, Span
from sayso.core.ports import DependencyParser, ParsedWord
from sayso.language.chart import TooMuchError
from sayso.language.controlled_english import (
    MAX_PARTS,
    Refuse,
    SeveralMeaningsError,
    asks_nothing,
    readings_of,
    specified,
    with_readings,
)
from sayso.language.controls import FORBID, PARTICIPLE, Ask, asks, verb_classes
from sayso.language.frames import (
    REASON,
    REASONS,
    RELATIVE,
    UNKNOWN,
    clauses,
)
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import Question
from sayso.language.offers import PartlyUnderstoodError
from sayso.language.sentences import Task
from sayso.language.tellings import is_heading, is_interjection, only_tells, tells_of_people
from sayso.language.tokens import STOPS, Token, sentences, tokenize
from sayso.language.units import (
    MARKS,
    Bearing,
    bearing,
    changes_others,
    cut,
    goes_on,
    independent,
    is_bare,
    may_limit,
    may_turn,
    names_something,
    refers_back,
)
from sayso.language.wording import IN_ORDER, Worder, Wording
from sayso.logic.english import read_back
from sayso.logic.specification import Asked, Specification

_MOST_WORDINGS = 8
_MOST_TRIED = 40
"""Of the wordings of one main clause with all that limits it."""
_MOST_IN_ALL = 250
"""Of the wordings of a text; what is not worded by then is left."""
_LONGEST = 200
"""Words of a text; nothing is offered for more."""
_WHOLE_CHAIN = frozenset({"if", "unless", "only if", "when", "whenever"})
"""What these begin may be meant of all clauses that are joined to the one beside it."""
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
class Group:
    """A main clause with what is subordinate to it, and those that are joined to it."""

    ask: Ask
    subordinate: list[Ask] = field(default_factory=list)
    joined: list[Ask] = field(default_factory=list)

    @property
    def words(self) -> frozenset[int]:
        """The places of all its words."""
        parts = (self.ask, *self.subordinate, *self.joined)
        return frozenset(i for a in parts for i in (*a.clause.words, *a.said))


@dataclass
class _Found:
    """What became of a text so far.

    Attributes:
        worded: the sentences of controlled English that stand for it.
        left: what stands in none of them, with what it could do.
        free: whether a sentence of it had to be worded otherwise.
        dangling: whether the next words could refer to a thing named in such words.
    """

    task: Task
    worded: list[str] = field(default_factory=list)
    left: list[tuple[Span, Bearing]] = field(default_factory=list)
    understood: int = 0
    lost: int = 0
    free: bool = False
    dangling: bool = False

    def copy(self) -> _Found:
        """One that can be added to."""
        return replace(self, worded=[*self.worded], left=[*self.left])


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
    reader = _Reader(text, lexicon, parser, granted)
    for sentence in sentences(tokens):
        reader.add(found, sentence)
    if not found.worded:
        return None
    asked = reader.question(found)
    certain = not found.free and not asked.asked.words
    return asked.offered if certain else asked


@dataclass(frozen=True)
class _Reader:
    text: str
    lexicon: Lexicon
    parser: DependencyParser
    granted: Collection[str] = ()
    tried: dict[str, _Readings] = field(default_factory=dict)

    def add(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        """Takes in one more sentence: as a whole, or part by part where that leaves out less."""
        words = [t.text for t in tokens]
        goes = [goes_on(r) for r in self._readings(" ".join(words))[1]]
        if found.lost and goes and all(goes):
            self._leave_all(found, tokens)  # it may say more of what was not understood
            return
        if self._take_all(found, tokens):
            return
        told = self.lexicon.told_on(words) is not None
        whole = found.copy()
        if told:
            self._leave_all(whole, tokens)
        else:
            self._add_whole(whole, tokens)
        for cutting in (self._independent, self._segments):
            parts = cutting(tokens) if whole.lost > found.lost and not told else []
            if len(parts) > 1:
                one_by_one = self._part_by_part(found, [tokens[a:b] for a, b in parts])
                if one_by_one.lost < whole.lost:
                    whole = one_by_one
        vars(found).update(vars(whole))

    def _independent(self, tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
        """Parts between marks of which none changes what is said in another."""
        words = [t.text for t in tokens]
        parts = list(independent(words))
        return [] if any(changes_others(words[a:b]) for a, b in parts) else parts

    def _segments(self, tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
        """What the grammar reads by itself and what is between, where that changes nothing."""
        words = [t.text for t in tokens]
        try:
            found = cut(words, self.lexicon.chart(words, MAX_PARTS))
        except TooMuchError:
            return []
        reasons = [s.span for s in found.kept if words[s.span[0]] in REASONS]
        turned = any(changes_others(words[a:b]) for a, b in found.left)
        if turned or any(may_turn(words[a:b]) for a, b in reasons):
            return []
        if any(s.governs for s in found.kept[:-1]):
            return []
        return sorted((*(s.span for s in found.kept), *found.left))

    def _part_by_part(self, found: _Found, parts: Sequence[tuple[Token, ...]]) -> _Found:
        one_by_one = found.copy()
        for part in parts:
            self._add_part(one_by_one, part, ends_list=one_by_one.lost > found.lost)
        return one_by_one

    def _add_part(self, found: _Found, tokens: tuple[Token, ...], ends_list: bool) -> None:
        """Takes in a part of a sentence; `ends_list` where what lacks its verb may be of a list
        that was not understood."""
        words = [t.text for t in tokens]
        readings = self._readings(" ".join(words))[1]
        doubtful = ends_list or any(map(self.lexicon.unknown, words))
        bare = doubtful and all(map(is_bare, readings))
        if readings and (bare or (ends_list and all(map(goes_on, readings)))):
            self._leave_all(found, tokens)
        elif not self._take_all(found, tokens):
            self._add_whole(found, tokens)

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

    def _leave_all(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        found.dangling = True
        self._leave(found, list(tokens), beside=True)

    def _add_whole(self, found: _Found, tokens: tuple[Token, ...]) -> None:
        """Takes in words by the clauses of their tree."""
        words = [t.text for t in tokens]
        tree, begin = self._parsed(words)
        worder = Worder(tree, begin)
        before = found.copy()
        covered: set[int] = set()
        mains = groups(tree)
        for group in mains:
            said = self._said(found, worder, group)
            left = [words[i - begin] for i in group.words - said if 0 <= i - begin < len(words)]
            found.dangling |= names_something(left, self.lexicon)
            covered |= said
        covered = {i - begin for i in covered}
        if not covered and not begin and self._only_tells(tree, mains):
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

    def _said(self, found: _Found, worder: Worder, group: Group) -> frozenset[int]:
        """The words of a group that are in its wording; none if it has none, or the first that
        the grammar reads has several meanings."""
        for wording in islice(self._wordings(worder, group, not found.worded), _MOST_TRIED):
            try:
                taken = self._take(found, wording.text)
            except SeveralMeaningsError:
                break
            if taken:
                found.free = True
                return wording.covered
        return frozenset()

    def question(self, found: _Found) -> PartlyUnderstoodError:
        """What is asked about the text: where most of it is not understood, a "yes" to what is left
        is not enough."""
        aside = [self._words(s) for s, b in found.left if b is Bearing.NONE]
        asked = [(s, b) for s, b in found.left if b is not Bearing.NONE]
        limiting = any(b is Bearing.LIMITING for _, b in asked) or (
            bool(asked) and found.understood <= found.lost
        )
        words = tuple(self._words(s) for s, _ in asked)
        question = Asked(words, limiting, " ".join(found.worded) if found.free else "")
        spec = replace(specified(self.text, found.task, aside), asked=question)
        english = read_back(spec.formula, self.lexicon.predicates)
        span = asked[0][0] if asked else None
        return PartlyUnderstoodError(spec, english, span)

    def _words(self, span: Span) -> str:
        return self.text[span.start : span.end].strip()

    def _parsed(self, words: Sequence[str]) -> tuple[Sequence[ParsedWord], int]:
        """The tree, and how many words were put before them: an order without its subject may
        be taken for a noun ("stack blue on green")."""
        spoken = ["I" if w == "i" else w for w in words]
        verbs = {v.split()[0] for v in self.lexicon.verbs} | verb_classes().verbs
        lead = ["You", "should"] if words[0] in verbs else []
        if not lead:
            spoken[0] = spoken[0].capitalize()
        return self.parser.parse([*lead, *spoken, "."]), len(lead)

    # -- wordings -------------------------------------------------------------------------

    def _wordings(self, worder: Worder, group: Group, first: bool) -> Iterator[Wording]:
        """What may be said for a group: its main clauses, then each subordinate clause."""
        found = self._mains(worder, group.ask, first)
        for more in group.joined:
            others = self._mains(worder, more, False)[:3]
            found = [
                m.joined(f"{m.text}{between}{o.text}", o)
                for m in found
                for o in others
                for between in (" and ", ", then ")
            ]
        for below in group.subordinate:
            if below.link == UNKNOWN:
                return
            limits = list(islice(worder.subordinate(below.clause), _MOST_WORDINGS))
            found = [
                w
                for m in found[:4]
                for limit in limits
                for w in _limited(m, limit, below, group.ask)
                if self._parses(w.text)
            ]
        yield from found

    def _mains(self, worder: Worder, ask: Ask, first: bool) -> list[Wording]:
        found = islice(worder.main(ask, first), _MOST_WORDINGS)
        return [w for w in found if w.text and self._parses(w.text)]

    def _parses(self, text: str) -> bool:
        return any(not isinstance(r, Question) for r in self._readings(text)[1])

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

    def _take(self, found: _Found, text: str) -> bool:
        """Adds a sentence of controlled English to the task, if it is one."""
        plain, readings = self._readings(text)
        words = [t.text for t in plain]
        if not self._parses(text) or (found.dangling and refers_back(words, self.lexicon)):
            return False
        before = found.task
        try:
            found.task = with_readings(before, readings, plain, Refuse(text, plain))
        except SeveralMeaningsError:
            raise
        except SaySoError:
            return False
        if len(found.task.aside) == len(before.aside):
            found.worded.append(f"{text[:1].upper()}{text[1:]}.".replace(" ,", ","))
        found.dangling &= not any(map(self.lexicon.names, words))
        return True

    # -- what is left ---------------------------------------------------------------------

    def _leave(self, found: _Found, run: Sequence[Token], beside: bool) -> None:
        """What is left beside a clause that is kept limits it, unless it is a reason."""
        words = [t.text for t in run]
        if beside and all(w in UNSAID for w in words):
            return
        kind = bearing(words, self.lexicon)
        reason = words[0] in REASONS and not may_limit(words)
        span = Span(run[0].start, run[-1].end)
        leads = self.text[span.end :].lstrip().startswith(":")  # how, or whether, it is meant
        if changes_others(words) or leads or (beside and not reason):
            kind = Bearing.LIMITING
        told = self._is_thrown_in(run) or self._tells_alone(run)
        if told or asks_nothing(self._words(span)) in self.granted:
            kind = Bearing.NONE
        found.left.append((span, kind))
        found.lost += len(words) if kind is not Bearing.NONE else 0

    def _is_thrown_in(self, run: Sequence[Token]) -> bool:
        """Whether words are no more than "hmm", or the heading of what follows: "Delivery run:"."""
        words = [t.text for t in run]
        before, after = self.text[: run[0].start].rstrip(), self.text[run[-1].end :].lstrip()
        alone = all(c in ".,;:!?()" for c in before[-1:] + after[:1])
        opens = not before or before[-1] in STOPS
        if alone and is_interjection(words, opens=opens):
            return True
        announced = after[:1] == ":" or words[-1] in ("this", "follows")
        return opens and announced and is_heading(words)

    def _only_tells(self, tree: Sequence[ParsedWord], mains: Sequence[Group]) -> bool:
        heads = [g.ask.clause for g in mains]
        return only_tells(tree, heads, self.lexicon) or tells_of_people(tree, self.lexicon)

    def _tells_alone(self, run: Sequence[Token]) -> bool:
        """Whether words between marks are a clause of their own that only tells something."""
        before, after = self.text[: run[0].start].rstrip(), self.text[run[-1].end :].lstrip()
        words = [t.text for t in run]
        opens = not before or before[-1] in (*STOPS, *MARKS) or words[0] in _JOINING
        closes = not after or after[0] in (*STOPS, *MARKS)
        if not (opens and closes) or changes_others(words):
            return False
        tree, begin = self._parsed(words)
        return not begin and self._only_tells(tree, groups(tree))


_JOINING = frozenset({"so", "because", "since", "but", "and"})


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


def _limited(main: Wording, limit: Wording, sub: Ask, ask: Ask) -> Iterable[Wording]:
    """A main clause with a subordinate one, in the order said first."""
    link = sub.link
    ahead = main.joined(f"{link} {limit.text}, {main.text}", limit)
    behind = main.joined(f"{main.text} {link} {limit.text}", limit)
    if link == "without" or "only" in main.text.split():
        return (behind,) if link == "without" or sub.clause.head > ask.clause.head else (ahead,)
    return (ahead, behind) if sub.clause.head < ask.clause.head else (behind, ahead)


def groups(tree: Sequence[ParsedWord]) -> list[Group]:
    """The main clauses of a sentence in order, each with what limits it."""
    made = _with_relatives(asks(tree, clauses(tree)))
    mains = [Group(a) for a in made if _is_main(a)]
    by_head = {a.clause.head: a for a in made}
    for ask in made:
        if not _is_main(ask) and ask.link != REASON and mains:
            _governing(ask, mains, by_head).subordinate.append(ask)
    return _chained(mains)


def _is_main(ask: Ask) -> bool:
    return not ask.link and ask.relation not in RELATIVE | {PARTICIPLE}


def _with_relatives(made: Sequence[Ask]) -> list[Ask]:
    """Relative clauses belong to the words of the clause that their noun stands in."""
    kept = []
    for ask in made:
        if ask.clause.relation in RELATIVE:
            continue
        more = [
            i
            for a in made
            if a.clause.relation in RELATIVE and a.clause.parent == ask.clause.head
            for i in a.clause.words
        ]
        words = tuple(sorted((*ask.clause.words, *more)))
        kept.append(replace(ask, clause=replace(ask.clause, words=words)))
    return kept


def _governing(ask: Ask, mains: Sequence[Group], by_head: dict[int, Ask]) -> Group:
    """The main clause that a subordinate one hangs from; else the next one, or the last."""
    governed = {g.ask.clause.head: g for g in mains}
    top, seen = ask.parent, {ask.clause.head}
    while top not in governed and top in by_head and top not in seen:
        seen.add(top)
        top = by_head[top].parent
    if top in governed:
        return governed[top]
    return next((g for g in mains if g.ask.clause.head > ask.clause.head), mains[-1])


def _chained(mains: Sequence[Group]) -> list[Group]:
    """The groups, joined where a condition may be meant of several."""
    found: list[Group] = []
    for group in mains:
        last = found[-1] if found else None
        conditional = last is not None and any(s.link in _WHOLE_CHAIN for s in last.subordinate)
        if last and conditional and group.ask.clause.relation == "conj":
            last.joined.append(group.ask)
            last.subordinate += group.subordinate
        else:
            found.append(group)
    return found
