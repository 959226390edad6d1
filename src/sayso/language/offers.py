"""Readings of a text of which not everything is understood.

Whatever is understood of it is read as always. Clauses that certainly ask for nothing are set
aside, and the reading says so. Of any other the person is asked: an offer holds the reading
without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError, Span
from sayso.language import controlled_english
from sayso.language.chart import TooMuchError
from sayso.language.controlled_english import (
    MAX_PARTS,
    Refuse,
    SeveralMeaningsError,
    asks_nothing,
    readings_of,
    refuse_report_going_on,
    specified,
    told_aside,
    with_readings,
    without_interjections,
)
from sayso.language.entities import UnclearRoleError, UnfitReadingError
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import Question
from sayso.language.sentences import Task
from sayso.language.tokens import STOPS, Token, sentences, spelt, tokenize
from sayso.language.units import (
    MARKS,
    TAILS,
    Bearing,
    bearing,
    changes_others,
    cut,
    holds_order,
    in_order,
    may_limit,
    names_something,
    of_sentence_before,
    orders_others,
    refers_back,
)
from sayso.language.withheld import is_withheld, may_except
from sayso.logic.english import read_back
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Until,
    children,
    walk,
)
from sayso.logic.specification import Asked, Specification

GO_ON = "go on without it"
"""What a person says to take the reading that is offered."""
_AGREEING = frozenset(
    tuple(said.split())
    for said in (
        GO_ON, "go on", "go on without that", "go on without them", "leave it out",
        "leave that out", "leave it aside", "ignore it", "ignore that",
        "it does not matter", "that does not matter", "does not matter",
    )
)  # fmt: skip
_DROPPING = frozenset(
    tuple(said.split())
    for said in ("never mind", "never mind that", "forget it", "forget that", "skip it")
)
"""May be said of all of the task as well: not enough where a limit would be dropped."""
_LEAST_UNDERSTOOD = 0.5
"""What share of the words has to be understood for the rest to be asked about."""


class PartlyUnderstoodError(SaySoError):
    """NOT_UNDERSTOOD, with the reading of all but some words, which the person may accept.

    Args:
        offered: what is meant if the words ask for nothing, and what is `asked` about them.
        english: the reading.
    """

    def __init__(self, offered: Specification, english: str, span: Span | None = None) -> None:
        asked = offered.asked or Asked()
        quoted = " and ".join(f"'{words}'" for words in asked.words)
        what = f"I did not understand {quoted}." if quoted else "I read this clause by clause."
        said = english
        if asked.wording:
            said = f'{english} In controlled English: "{asked.wording}"'
            what = what if quoted else "Is that right?"
        several = len(asked.words) > 1
        part = f"'{asked.words[0]}'" if several else "that part" if asked.limiting else "it"
        hint = f"say yes, or '{GO_ON}', if that is all; or say {part} in other words."
        if asked.limiting:
            what += " It may forbid or limit something."
            hint = f"say {part} in other words, or, if it is not needed, 'it does not matter'."
        hint += " What else is not understood is asked after that." if several else ""
        super().__init__(
            Code.NOT_UNDERSTOOD, f"I understood: {said} {what}",
            hint=hint, choices=() if asked.limiting else (GO_ON,), span=span,
        )  # fmt: skip
        self.offered = offered
        self.asked = asked
        self._english = english

    def of_text(self, offered: Specification) -> PartlyUnderstoodError:
        """The same question with the same reading, of the text that somebody said."""
        return PartlyUnderstoodError(offered, self._english, self.span)

    def advised(self, hint: str) -> PartlyUnderstoodError:
        """The same question with what may be said in answer to it."""
        asked = PartlyUnderstoodError(self.offered, self._english, self.span)
        asked.hint = f"{asked.hint} Where words have more than one meaning, {hint}"
        return asked

    def without_model(self, failure: SaySoError) -> PartlyUnderstoodError:
        """The same question where a language model could not be asked, and why."""
        asked = PartlyUnderstoodError(self.offered, self._english, self.span)
        asked.hint = f"{asked.hint} (The language model was of no help: {failure.message})"
        return asked


def is_long(text: str) -> bool:
    """Whether a text has several sentences, of which one alone may be asked about."""
    return len(list(sentences(tokenize(text)))) > 1


def is_offer(trouble: SaySoError | None) -> bool:
    """Whether a "yes" is enough to go on in spite of a trouble."""
    return trouble is not None and GO_ON in trouble.choices


def accepts(words: str, limiting: bool) -> bool:
    """Whether a person says that what was not understood does not matter.

    Args:
        limiting: whether that may forbid or limit something.
    """
    spoken = (w.strip(".!,") for word in words.lower().split() for w in spelt(word))
    said = tuple(filter(None, spoken))
    return said in _AGREEING or (not limiting and said in _DROPPING)


def accepted(spec: Specification, asked: Asked, words: str) -> Specification:
    """The reading that was offered, as a person agreed to it in these words."""
    answered = replace(
        spec, version=spec.version + 1, corrections=(*spec.corrections, words), asked=None
    )
    return _taking(answered, map(asks_nothing, asked.words))


def said_instead(corrected: Specification, asked: Asked, words: str) -> Specification:
    """A reading that a correction completed; it tells for what that was taken."""
    return _taking(replace(corrected, asked=None), (says(words, w) for w in asked.words))


_SAYS = " says what "


def says(words: str, left: str) -> str:
    """How a reading tells for what an answer was taken."""
    return f"'{words}'{_SAYS}'{left}' meant"


def is_answer(words: str, spec: Specification) -> bool:
    """Whether a correction of a reading said what words that were not understood mean, or that
    they do not matter."""
    return accepts(words, False) or bool(_said_by(words, spec))


def granted(spec: Specification) -> tuple[str, ...]:
    """What a reading takes for granted since a person said so, and not for what stood beside."""
    dropping = (words for words in spec.corrections if accepts(words, False))
    return tuple(asks_nothing(part) for words in dropping for part in _said_by(words, spec))


def _said_by(words: str, spec: Specification) -> list[str]:
    """The parts that an answer was taken for."""
    begin, end = says(words, "\n").split("\n")
    return [
        a.removeprefix(begin).removesuffix(end) for a in spec.assumptions if a.startswith(begin)
    ]


def changes_before(text: str, left: Sequence[Span]) -> bool:
    """Whether a sentence that is left out may change the one before, or is a question on whose
    answer the rest depends."""
    said = list(sentences(tokenize(text)))
    for number, sentence in enumerate(said):
        begin, end = sentence[0].start, sentence[-1].end
        inside = [s for s in left if begin <= s.start < end]
        if any("?" in text[s.start : s.end] for s in inside):
            return True
        words = [t.text for t in sentence]
        opens = any(may_limit(_spoken(text[begin : s.end])) for s in inside)
        if number and opens and of_sentence_before(words):
            return True
    return False


def contradicts(formula: Formula) -> bool:
    """Whether a formula asks for what it always forbids: that is hardly what was meant."""
    parts = formula.args if isinstance(formula, And) else ()
    aims = [p.arg for p in parts if isinstance(p, Eventually)]
    sought = {f for aim in aims for f in walk(aim) if isinstance(f, Prop)}
    banned = (p.arg.arg for p in parts if isinstance(p, Always) and isinstance(p.arg, Not))
    return any(f in sought for f in banned)


def text_of(spec: Specification) -> str:
    """An instruction with the parts that were said in other words since."""
    text = spec.instruction
    for words in spec.corrections:
        if accepts(words, False):
            continue
        for part in _said_by(words, spec):
            text = in_place(text, part, words) or text
    return text


_JOINER = re.compile(r"(?:(?:and|but|so|then|also)\b[\s,]*)+", re.IGNORECASE)


def places(part: str, words: str) -> Iterator[str]:
    """What of a part other words may stand for: they are joined as it was, or as they are."""
    joiner = _JOINER.match(part)
    if joiner and not _JOINER.match(words) and joiner.end() < len(part):
        yield part[joiner.end() :]
    yield part


def in_place(text: str, part: str, words: str) -> str | None:
    """A text in which words stand for a part; None where it has the part more than once, or they
    would say of what is beside it when that holds, and the part did not."""
    found = list(re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text))
    if len(found) != 1:
        return None
    before, after = text[: found[0].start()].rstrip(), text[found[0].end() :]
    alone = all(end in ("", *STOPS) for end in (before[-1:], after.lstrip()[:1]))
    if not alone and changes_others(_spoken(words)) and not changes_others(_spoken(part)):
        return None
    said = words.strip().rstrip(".!, ")
    if before and before[-1] not in STOPS and said[:2] not in ("I ", "I'"):
        said = said[:1].lower() + said[1:]
    return f"{before} {said}{after}".strip()


def is_open(asked: Asked | None, words: str) -> bool:
    """Whether it is still asked what words mean."""
    said = _spoken(words)
    for part in asked.words if asked else ():
        left = _spoken(part)
        if _within(left, said) or _within(said, left):
            return True
    return False


def tells(read: Specification, spec: Specification, words: str) -> bool:
    """Whether a reading with an answer has more to it than the one before, from the answer."""
    left = _spoken(words)
    for aside in map(_spoken, filter(None, map(told_aside, read.assumptions))):
        if _within(left, aside):
            return False
        for i in range(len(left) - len(aside) + 1):
            if left[i : i + len(aside)] == aside:
                left = left[:i] + left[i + len(aside) :]
                break
    return bool(left) and read.formula != spec.formula


def adds_step(read: Specification, spec: Specification) -> bool:
    """Whether something is to be done by a reading that was not by the one before."""
    return _to_be_done(read.formula) > _to_be_done(spec.formula)


def _to_be_done(formula: Formula) -> int:
    """How many propositions have to come true some time."""
    match formula:
        case Eventually(aim) | Until(_, aim):
            return sum(isinstance(f, Prop) for f in walk(aim))
        case Not():
            return 0
        case Or(args) if any(isinstance(a, Until) and Always(a.left) in args for a in args):
            return 0  # "not until": it need never be so
        case _:
            return sum(map(_to_be_done, children(formula)))


def may_be_limit(part: str, lexicon: Lexicon) -> bool:
    """Whether words that are asked about may forbid or limit something by themselves, and hold no
    order that a step could be."""
    return may_limit(_spoken(part)) and not may_be_step(part, lexicon)


def may_be_step(part: str, lexicon: Lexicon) -> bool:
    """Whether words that are asked about hold an order of their own."""
    return holds_order([t.text for t in tokenize(part)], lexicon)


def _spoken(words: str) -> list[str]:
    return [t.text for t in tokenize(words) if not t.is_mark]


def _within(some: Sequence[str], words: Sequence[str]) -> bool:
    return any(words[i : i + len(some)] == some for i in range(len(words) - len(some) + 1))


def reread(
    spec: Specification, meant: Specification, words: str, told: Iterable[str]
) -> Specification:
    """The next version of a reading, by that of its text with an answer to what was asked."""
    before = (a for a in spec.assumptions if not told_aside(a))
    after = replace(
        meant, instruction=spec.instruction, version=spec.version + 1,
        corrections=(*spec.corrections, words), assumptions=tuple(dict.fromkeys(before)),
    )  # fmt: skip
    return _taking(after, (*told, *meant.assumptions))


def _taking(spec: Specification, more: Iterable[str]) -> Specification:
    return replace(spec, assumptions=tuple(dict.fromkeys((*spec.assumptions, *more))))


def interpret(text: str, lexicon: Lexicon, granted: Collection[str] = ()) -> Specification:
    """The specification that an instruction means, with what was set aside as assumptions.

    Args:
        granted: assumptions that the person agreed to: what they set aside is not asked again.

    Raises:
        SaySoError: as `controlled_english.interpret`; PartlyUnderstoodError where the person has
            to be asked about some words.
    """
    try:
        found = _Reader(text, lexicon, granted).specification()
    except PartlyUnderstoodError:
        raise
    except (SaySoError, TooMuchError):
        found = None
    return found or controlled_english.interpret(text, lexicon)


@dataclass
class _Reader:
    """Reads a text sentence by sentence, and what is not understood as one in segments.

    Attributes:
        left: the words that nothing was made of, with what they could do.
        dangling: whether the next words could refer to a thing named in such words.
        loose: whether what was said with a condition could have been meant of more.
        disordered: whether words that were left out may say in which order the rest is done.
    """

    text: str
    lexicon: Lexicon
    granted: Collection[str]
    left: list[tuple[Span, Bearing]] = field(default_factory=list)
    dangling: bool = False
    loose: bool = False
    disordered: bool = False
    understood: int = 0
    lost: int = 0

    def specification(self) -> Specification | None:
        """The reading, if it is certain; None if too little is understood. Raises an offer."""
        tokens = tokenize(self.text)
        task = Task.begin(self.lexicon, Refuse(self.text, tokens))
        for sentence in sentences(tokens):
            task = self._sentence(task, sentence)
        if self.understood * (1 - _LEAST_UNDERSTOOD) < self.lost * _LEAST_UNDERSTOOD:
            return None
        if self.disordered or changes_before(self.text, [s for s, b in self.left if b]):
            return None
        self.left += [(s, Bearing.LIMITING) for s in self._excepting(task)]
        asked_of = {self._words(s) for s, b in self.left if b is not Bearing.NONE}
        task = replace(task, aside=tuple(a for a in task.aside if a not in asked_of))
        spec = specified(
            self.text, task, (self._words(s) for s, b in self.left if b is Bearing.NONE)
        )
        asked = [(s, b) for s, b in self.left if b is not Bearing.NONE]
        if (asked or self.loose) and contradicts(spec.formula):
            return None
        if asked or self.loose:
            limiting = any(b is Bearing.LIMITING for _, b in asked)
            english = read_back(spec.formula, self.lexicon.predicates)
            span = asked[0][0] if asked else None
            words = tuple(self._words(s) for s, _ in asked)
            if is_withheld(self.text, words, "", self.lexicon):
                return None
            question = Asked(words, limiting)
            raise PartlyUnderstoodError(replace(spec, asked=question), english, span)
        return spec

    def _excepting(self, task: Task) -> Iterator[Span]:
        """What tells of a thing that is one of all that are asked for: it may be left out."""
        formula = task.formula() if task.aside else None
        for words in may_except(task.aside, formula, self.lexicon) if formula else ():
            begin = self.text.index(words)
            yield Span(begin, begin + len(words))

    def _words(self, span: Span) -> str:
        return self.text[span.start : span.end].strip()

    def _sentence(self, task: Task, tokens: tuple[Token, ...]) -> Task:
        refuse_report_going_on(tokens, self.lexicon, Refuse(self.text, tokens))
        return self._understood(task, tokens) or self._in_segments(task, tokens)

    def _understood(self, task: Task, tokens: tuple[Token, ...]) -> Task | None:
        """The task with a sentence, if that is in the grammar. Raises NOT_UNDERSTOOD where its
        words are clear, but not what they mean."""
        words = [t.text for t in tokens]
        if self.dangling and refers_back(words, self.lexicon):
            return None
        before = task
        plain, readings = readings_of(tokens, self.lexicon)
        if all(isinstance(r, Question) for r in readings):
            return None  # an order may follow what is asked
        try:
            task = with_readings(task, readings, plain, Refuse(self.text, plain))
        except SeveralMeaningsError:
            raise
        except SaySoError as error:
            unfit = isinstance(error, UnfitReadingError)
            odd = unfit and not isinstance(error, UnclearRoleError)
            odd |= any(map(self.lexicon.unknown, words))
            if odd and error.code is Code.NOT_UNDERSTOOD:
                return None  # it is no sentence of the grammar after all
            raise
        self.understood += sum(w not in MARKS for w in words)
        if controlled_english.asks_more(task, before):
            self.dangling &= not any(map(self.lexicon.names, words))
        return task

    def _in_segments(self, task: Task, tokens: tuple[Token, ...]) -> Task:
        return replace(self._segments(task, tokens), earlier=None)  # it may correct what is left

    def _segments(self, task: Task, tokens: tuple[Token, ...]) -> Task:
        tokens = without_interjections(tokens, self.lexicon, ",")
        words = [t.text for t in tokens]
        found = cut(words, self.lexicon.chart(words, MAX_PARTS))
        left = {(a, b): bearing(words[a:b], self.lexicon) for a, b in found.left}
        limits = [words[a:b] for a, b in left if left[a, b]]
        orders = any(map(orders_others, limits))
        self.disordered |= orders and task.course.is_ordered
        if any(map(changes_others, limits)) or (orders and in_order(found.kept)):
            self._leave(tokens, Bearing.LIMITING)
            return task
        if found.kept and found.left:
            whole = self._without(task, tokens, found.left)
            if whole is not None:
                return whole
        governing = [s.span for s in found.kept[:-1] if s.governs]
        for start, end in sorted((*(s.span for s in found.kept), *found.left)):
            kept = None
            if (start, end) not in left:
                with suppress(SaySoError):
                    kept = self._understood(task, tokens[start:end])
            if kept is None:
                self._leave(tokens[start:end])
            else:
                task = kept
                led = words[max(start - 2, 0) : start] == ["and", ","] or words[start] in (
                    "and",
                    "but",
                )
                leads = led and end == len(words)  # "A and, if C, B"
                middle = start > 0 and changes_others(words[start:end]) and not leads
                self.loose |= (start, end) in governing or middle
        return task

    def _without(
        self, task: Task, tokens: tuple[Token, ...], left: Sequence[tuple[int, int]]
    ) -> Task | None:
        """The task with all but some words of a sentence, if these can be read as one."""
        rest: list[Token] = []
        at = 0
        for start, end in (*left, (len(tokens), len(tokens))):
            rest += tokens[at:start]
            while rest and rest[-1].text in MARKS and (end == len(tokens) or not rest[:-1]):
                rest.pop()
            at = end
            if rest and rest[-1].text in MARKS:
                while at < len(tokens) and tokens[at].text in MARKS:
                    at += 1
        if any(
            names_something([t.text for t in tokens[a:b]], self.lexicon)
            and refers_back([t.text for t in tokens[b:]], self.lexicon)
            for a, b in left
        ):
            return None
        if rest and rest[0] is not tokens[0] and rest[0].text in TAILS:
            return None  # it goes on with what was not understood
        kept = None
        with suppress(SaySoError):
            kept = self._understood(task, tuple(rest))
        if kept is not None:
            for a, b in left:
                self._leave(tokens[a:b])
        return kept

    def _leave(self, tokens: Sequence[Token], least: Bearing = Bearing.NONE) -> None:
        words = [t.text for t in tokens if t.text not in MARKS]
        span = Span(tokens[0].start, tokens[-1].end)
        found = max(least, bearing(words, self.lexicon))
        if asks_nothing(self._words(span)) in self.granted:
            found = Bearing.NONE
        self.left.append((span, found))
        self.lost += len(words) if found is not Bearing.NONE else 0
        self.dangling |= names_something(words, self.lexicon)
