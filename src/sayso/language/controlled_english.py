"""Controlled English: instructions to specifications, deterministically and without a model.

The grammar is `english.grammar`, described in `docs/controlled-english.md`. Whatever it does not
cover is refused, pointing at the words and naming what could have stood there; nothing is
guessed: where words have two readings of different meaning, both are named and neither is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from sayso.core.errors import Code, SaySoError, Span
from sayso.language import exact, meaning
from sayso.language.chart import Attempt, Chart, TooMuchError
from sayso.language.doubts import refuse_taken_in, refuse_unclear_words
from sayso.language.entities import UnfitReadingError
from sayso.language.lexicon import MAX_NAMED, Lexicon
from sayso.language.loosening import with_antecedents
from sayso.language.manners import manner_not_kept, manners
from sayso.language.refusals import not_parsed
from sayso.language.remarks import instead_of_nothing, set_aside
from sayso.language.sentences import Task
from sayso.language.tokens import Token, sentences, tokenize
from sayso.logic.english import read_back
from sayso.logic.formula import Referent
from sayso.logic.specification import Specification

SOURCE = "controlled English"
MAX_PARTS = 185_000
"""Of derivations that are looked at in one sentence."""
_ASKS_NOTHING = " asks for nothing"
_MARKS = (",", ":", "(", ")")
_SOFTENING = frozenset({
    "maybe", "perhaps", "possibly", "please", "kindly", "simply", "obviously", "basically",
    "literally", "honestly", "naturally", "really",
})  # fmt: skip
"""Words that may stand anywhere and say nothing of the task."""
MAX_PARTS_TRIED = 20_000
"""The same, in a form of the sentence that might be offered instead."""


class SeveralMeaningsError(SaySoError):
    """NOT_UNDERSTOOD because words have more than one meaning."""


def interpret(text: str, lexicon: Lexicon) -> Specification:
    """The specification that an instruction means.

    Raises:
        SaySoError: NOT_UNDERSTOOD with the span of the words at fault and what could have stood
            there; UNSUPPORTED if the library lacks a predicate that a verb needs; CONTRADICTION
            where the words themselves exclude each other.
    """
    return specified(text, read(text, lexicon))


def specified(text: str, task: Task, left: Iterable[str] = ()) -> Specification:
    """The specification that a task makes; what was said and asks for nothing is told with it.

    Args:
        left: words that were set aside besides.
    """
    return Specification(text, task.formula(), SOURCE, assumptions=assumed(task, left))


def assumed(task: Task, left: Iterable[str] = ()) -> tuple[str, ...]:
    """What is told with the reading of a task: the words that ask for nothing, the verbs whose
    manner is not kept, and who is taken for whoever speaks."""
    aside = dict.fromkeys((*task.aside, *left))
    me = ("'me' is the person that is seen",) if task.course.discourse.speaker_seen else ()
    return (*map(asks_nothing, aside), *map(manner_not_kept, dict.fromkeys(task.manners)), *me)


def asks_nothing(words: str) -> str:
    """How a reading tells that words are taken to ask for nothing."""
    return f"'{words}'{_ASKS_NOTHING}"


def told_aside(assumption: str) -> str:
    """The words of which an assumption says that they ask for nothing; '' of any other."""
    quoted = assumption.removesuffix(_ASKS_NOTHING)
    return quoted[1:-1] if quoted != assumption else ""


def read(text: str, lexicon: Lexicon, mentioned: Sequence[Referent] = ()) -> Task:
    """The task that an instruction asks for; raises like `interpret`.

    Pronouns at its start may stand for what is `mentioned`.
    """
    tokens = tokenize(text)
    task = Task.begin(lexicon, Refuse(text, tokens), mentioned)
    for sentence in sentences(tokens):
        task = with_sentence(task, text, sentence)
    task.course.discourse.refuse = Refuse(text, tokens)
    return task


@dataclass(frozen=True)
class Refuse:
    """Makes errors that point at words of a sentence."""

    text: str
    tokens: Sequence[Token]

    def __call__(
        self, at: tuple[int, int], message: str, *, hint: str = "",
        choices: Iterable[str] = (), code: Code = Code.NOT_UNDERSTOOD,
    ) -> SaySoError:  # fmt: skip
        return SaySoError(code, message, hint=hint, choices=choices, span=self.span(*at))

    @property
    def is_asked(self) -> bool:
        """Whether a question mark follows."""
        return bool(self.tokens) and self.text[self.tokens[-1].end :].lstrip()[:1] == "?"

    def words(self, start: int, end: int) -> str:
        """The words as they were typed, without the marks around them."""
        span = self.span(start, end)
        return self.text[span.start : span.end].strip(" ,:()")

    def span(self, start: int, end: int) -> Span:
        if not self.tokens:
            return Span(len(self.text), len(self.text))
        if start >= len(self.tokens):
            return Span(self.tokens[-1].end, self.tokens[-1].end)
        return Span(self.tokens[start].start, self.tokens[max(start, end - 1)].end)


def with_sentence(task: Task, text: str, tokens: tuple[Token, ...]) -> Task:
    """The task with one more sentence. Raises NOT_UNDERSTOOD."""
    lexicon = task.course.lexicon
    refuse_report_going_on(tokens, lexicon, Refuse(text, tokens))
    try:
        plain, readings = readings_of(tokens, lexicon)
    except TooMuchError:
        raise Refuse(text, tokens)(
            (0, len(tokens)), "this sentence is too long or too winding.",
            hint="say it in several sentences.",
        ) from None  # fmt: skip
    if not readings:
        parse(plain, lexicon, Refuse(text, plain))  # raises
    return with_readings(task, readings, plain, Refuse(text, plain))


def refuse_report_going_on(tokens: Sequence[Token], lexicon: Lexicon, refuse: Refuse) -> None:
    """Raises NOT_UNDERSTOOD where an order may be the end of what somebody did."""
    at = lexicon.told_on([t.text for t in tokens])
    if at is not None:
        raise refuse(
            (at, at + 1), f"'{tokens[at].text}' may be an order, or what was done.",
            hint="say in a sentence of its own what is to be done.",
        )  # fmt: skip


def with_readings(
    task: Task, readings: Mapping[object, int], tokens: tuple[Token, ...], refuse: Refuse
) -> Task:
    """The task with the cheapest reading of a sentence that has a meaning. Raises NOT_UNDERSTOOD
    where none has, or several differ."""
    failures: list[tuple[object, SaySoError]] = []
    found: dict[object, tuple[Task, list[object]]] = {}
    for least in sorted(set(readings.values())):
        failures = []
        for reading in (r for r, cost in readings.items() if cost == least):
            attempt = task.copy(refuse)
            try:
                _add(attempt, reading, tokens, refuse)
            except SaySoError as error:
                if error.code not in (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED):
                    raise
                failures.append((reading, error))
                continue
            found.setdefault(_meaning_so_far(attempt), (attempt, []))[1].append(reading)
        if found or not any(isinstance(f, UnfitReadingError) for _, f in failures):
            break
    unsayable = [f for _, f in failures if f.code is Code.UNSUPPORTED]
    if len(found) > 1 or (found and unsayable):
        raise _several_meanings([t for t, _ in found.values()], unsayable, len(tokens), refuse)
    if not found:
        raise failures[0][1]
    task, meant = next(iter(found.values()))
    refuse_taken_in(meant, failures, refuse.span)
    return task


def readings_of(
    tokens: tuple[Token, ...], lexicon: Lexicon
) -> tuple[tuple[Token, ...], dict[object, int]]:
    """The words of a sentence that say something, and their meanings, each with its cost; none if
    it is not understood. Raises TooMuchError."""
    plainer = [without_interjections(tokens, lexicon, between) for between in (",", "")]
    softer = map(_without_softening, (*plainer, tokens))
    said = dict.fromkeys((*plainer, tokens, *softer))
    for plain in dict.fromkeys((*said, *map(with_antecedents, said))):
        words = [t.text for t in plain]
        found = dict(_attempt("sentence", words, lexicon).readings)
        if found:
            return plain, found
    return tokens, {}


def without_interjections(
    tokens: tuple[Token, ...], lexicon: Lexicon, between: str
) -> tuple[Token, ...]:
    """The tokens without what is only thrown in: ", mate,", ", if you do not mind,".

    Args:
        between: what is left of the two commas around it.
    """
    words = [t.text for t in tokens]
    chart = Chart(lexicon.grammar, words, lexicon.slots, MAX_PARTS)
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        opens = at == 0 or words[at - 1] in _MARKS
        ends = [e for e, _ in chart.ends("interjection", at)] if opens else []
        end = max((e for e in ends if e == len(words) or words[e] in _MARKS), default=0)
        if not end:
            kept.append(tokens[at])
            at += 1
            continue
        if end < len(words) and (not kept or kept[-1].text in _MARKS):
            end += 1
        if kept and kept[-1].text == "," and (end == len(words) or not between):
            kept.pop()
        at = end
    return tuple(kept)


def _without_softening(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens without words that change nothing: "could the bowl maybe go onto the tray"."""
    return tuple(t for t in tokens if t.text not in _SOFTENING)


def _several_meanings(
    tasks: Sequence[Task], unsayable: Sequence[SaySoError], words: int, refuse: Refuse
) -> SaySoError:
    """What the words may mean, each in words that mean only that and can be said instead."""
    choices = [said for t in tasks if (said := _read_back(t))][:MAX_NAMED]
    hint = "say it in two sentences, or in other words."
    if choices:
        named = (f"'{c}'" for c in choices)
        hint = f"say one of them: {' or '.join(named)}."
    message = "these words have more than one meaning."
    if unsayable:
        message += f" One of them cannot be done: {unsayable[0].message}"
    span = refuse.span(0, words)
    return SeveralMeaningsError(Code.NOT_UNDERSTOOD, message, hint=hint, choices=choices, span=span)


def _read_back(task: Task) -> str:
    """A reading in the exact wording; '' for one that lacks something yet."""
    attempt = task.copy(task.course.discourse.refuse)
    with suppress(SaySoError):
        return read_back(attempt.formula(), task.course.lexicon.predicates)
    return ""


def _add(task: Task, reading: object, tokens: tuple[Token, ...], refuse: Refuse) -> None:
    match reading:
        case meaning.Sentence():
            if refuse.is_asked and _is_bare_state(reading):
                raise SeveralMeaningsError(
                    Code.NOT_UNDERSTOOD, "it is not clear whether this is asked, or to be so.",
                    hint="say 'if ... is ..., ...', or what is to be done.",
                    span=refuse.span(0, len(tokens)),
                )  # fmt: skip
            refuse_unclear_words(reading, tokens, task.course.lexicon, refuse)
            alone = () if task.openings else instead_of_nothing(reading)
            task.add(reading)
            task.aside += tuple(refuse.words(*at) for at in (*set_aside(reading), *alone))
            task.manners += tuple(manners(reading))
        case exact.Statement():
            task.state(reading, (0, len(tokens)))
        case meaning.StopWord():
            raise refuse(
                (0, len(tokens)), "this asks the robot to stop, not for a task.",
                hint="use the stop, or 'sayso stop'.",
            )  # fmt: skip
        case meaning.Question():
            raise refuse(
                (0, len(tokens)), "this is a question, not a task.",
                hint="say what is to be done, such as 'pick up the ...'.",
            )  # fmt: skip


def _is_bare_state(sentence: meaning.Sentence) -> bool:
    """ "drawer open"."""
    body = sentence.body
    first = body.first if isinstance(body, meaning.Chain) else None
    return isinstance(first, meaning.Goal) and bool(first.bare)


def asks_more(task: Task, before: Task) -> bool:
    """Whether a task asks for, or limits, more than the one before did."""
    return _asked_so_far(task) != _asked_so_far(before)


def _meaning_so_far(task: Task) -> object:
    return _asked_so_far(task), tuple(task.course.discourse.places.items())


def _asked_so_far(task: Task) -> object:
    course = task.course
    return (course.tasks, course.alternatives, course.steps, course.rules, course.patrols,
            course.either, task.statements)  # fmt: skip


def parse(
    tokens: tuple[Token, ...], lexicon: Lexicon, refuse: Refuse, rule: str = "sentence"
) -> dict[object, int]:
    """The meanings of a sentence, each with its cost. Raises NOT_UNDERSTOOD if there is none.

    What is no instruction may be the exact wording of one.
    """
    words = [t.text for t in tokens]
    try:
        attempt = _attempt(rule, words, lexicon)
    except TooMuchError:
        raise refuse(
            (0, len(tokens)), "this sentence is too long or too winding.",
            hint="say it in several sentences.",
        ) from None  # fmt: skip
    if not attempt.readings:
        raise not_parsed(attempt, words, lexicon, refuse, lambda w: _parses(w, lexicon))
    return dict(attempt.readings)


def _attempt(rule: str, words: Sequence[str], lexicon: Lexicon) -> Attempt:
    """The reading by a rule; where that makes no sentence, the exact wording if it comes further.

    Raises TooMuchError.
    """
    plain = lexicon.attempt(rule, words, MAX_PARTS)
    if plain.readings or rule != "sentence":
        return plain
    exact = lexicon.attempt("statement", words, MAX_PARTS)
    further = exact.readings or exact.reached > plain.reached
    return replace(exact, ends=plain.ends) if further else plain


def _parses(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether words are a whole instruction by themselves."""
    text = " ".join(w.replace("#", "_") for w in words)
    tokens = tokenize(text)
    try:
        whole = lexicon.attempt("sentence", [t.text for t in tokens], MAX_PARTS_TRIED)
        return bool(whole.readings) and bool(read(text, lexicon).formula())
    except (TooMuchError, SaySoError):
        return False


def referent(text: str, lexicon: Lexicon) -> Referent:
    """The thing that words describe: "the block left of the mug". Raises NOT_UNDERSTOOD."""
    tokens = tokenize(text)
    refuse = Refuse(text, tokens)
    readings = parse(tokens, lexicon, refuse, "thing")
    discourse = Task.begin(lexicon, refuse).course.discourse
    thing = min(readings, key=lambda r: readings[r])
    return discourse.one(cast(meaning.Named, thing), "condition").entities[0].referent
