"""Instructions to specifications: controlled English first, a language model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import DependencyParser, LanguageModel
from sayso.language import corrections, offers, paraphrase
from sayso.language.controlled_english import SeveralMeaningsError, asks_nothing, told_aside
from sayso.language.corrections import Seen
from sayso.language.digressions import without_digressions
from sayso.language.embeddings import ChooseExamples
from sayso.language.lexicon import Lexicon
from sayso.language.main_clauses import Trees
from sayso.language.naming import forms
from sayso.language.offers import PartlyUnderstoodError
from sayso.language.one_stage import OneStage
from sayso.language.slips import Slip, mended, slips
from sayso.language.tokens import tokenize
from sayso.language.told_clauses import Judge
from sayso.language.two_stage import TwoStage, kind_of_mistake
from sayso.language.withheld import may_except
from sayso.logic.english import read_back
from sayso.logic.formula import referents_of
from sayso.logic.specification import Asked, Specification

_LEFT_TO_MODEL = (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)
_WHAT_CAN_BE_SAID = (
    "say it in the words of docs/controlled-english.md, or use a language model (--llm)."
)


@dataclass(frozen=True)
class Interpreter:
    """Understands instructions and corrections.

    What controlled English covers never goes to the model: its reading is deterministic. The
    rest goes to the model if there is one.

    Attributes:
        choose: examples for the first of two stages; None: one stage.
        parser: parses what is not understood, where there is no model, so that it can be offered
            in controlled English; None: nothing is offered so.
    """

    lexicon: Lexicon
    model: LanguageModel | None = None
    choose: ChooseExamples | None = None
    parser: DependencyParser | None = None

    def interpret(self, instruction: str, things: Sequence[str] = ()) -> Specification:
        """The specification that an instruction means; `things` are names of what is seen.

        Raises:
            PartlyUnderstoodError: without a model, where only some words are not understood.
            SaySoError: NOT_UNDERSTOOD pointing at the words (without a model), or with what the
                model finds missing; MODEL_UNAVAILABLE, MODEL_TIMEOUT or MODEL_REPLY.
        """
        try:
            return self._by_grammar(
                instruction, things, self._certain if self.model else self._read
            )
        except SaySoError as error:
            if not self.model or error.code not in _LEFT_TO_MODEL:
                error.hint = error.hint or _WHAT_CAN_BE_SAID
                raise
            try:
                return self.by_model(self.model, instruction, things)
            except SaySoError as failure:
                offered = self._offered(instruction, things) if _is_no_answer(failure) else None
                if offered is not None:
                    raise offered.without_model(failure) from failure
                raise _by_both(failure, error) from failure

    def _offered(self, instruction: str, things: Sequence[str]) -> PartlyUnderstoodError | None:
        """What is offered without a model; None for nothing."""
        try:
            self._by_grammar(instruction, things, self._read)
        except PartlyUnderstoodError as offered:
            return offered
        except SaySoError:
            pass
        return None

    def _certain(self, text: str) -> Specification:
        return offers.interpret(text, self.lexicon)

    def _read(self, text: str, granted: Collection[str] = ()) -> Specification:
        """By the grammar, or else as an offer of what free English may mean.

        Args:
            granted: as `offers.interpret` takes it.
        """
        try:
            read = offers.interpret(text, self.lexicon, granted)
        except SeveralMeaningsError as error:
            if self.parser is None or not offers.is_long(text):
                raise
            plain = self._told_apart(self.parser, text, granted)
            if isinstance(plain, Specification):
                return plain
            offered = self._offered_freely(self.parser, text, error, granted)
            if not isinstance(offered, PartlyUnderstoodError):
                raise
            raise offered.advised(error.hint) from error
        except SaySoError as error:
            if self.parser is None or error.code not in _LEFT_TO_MODEL:
                raise
            plain = self._told_apart(self.parser, text, granted)
            if isinstance(plain, Specification):
                return plain
            offered = plain or self._offered_freely(self.parser, text, error, granted)
            if offered is None:
                raise
            if isinstance(offered, Specification):
                return offered
            raise offered from error
        return self._doubted(read, granted)

    def _doubted(self, read: Specification, granted: Collection[str]) -> Specification:
        """A reading, if nothing that it takes to ask for nothing may ask for something by its
        form.

        Raises:
            PartlyUnderstoodError: about such words.
        """
        told = [w for w in map(told_aside, read.assumptions) if w and w not in granted]
        if self.parser is None or not told:
            return read
        judge = Judge(self.lexicon, Trees(self.lexicon, self.parser))
        words = tuple(w for w in told if judge.may_ask([t.text for t in tokenize(w)]))
        if not words:
            return read
        left = tuple(a for a in read.assumptions if told_aside(a) not in words)
        offered = replace(read, asked=Asked(words, limiting=True), assumptions=left)
        raise PartlyUnderstoodError(offered, read_back(read.formula, self.lexicon.predicates))

    def _told_apart(
        self, parser: DependencyParser, text: str, granted: Collection[str]
    ) -> PartlyUnderstoodError | Specification | None:
        """What a text means without what only tells by its trees; None where that is nothing, or
        not understood."""
        with suppress(SaySoError):
            plain = without_digressions(text, self.lexicon, parser)
            if plain is None:
                return None
            read: Specification | PartlyUnderstoodError | None
            try:
                read = offers.interpret(plain.text, self.lexicon, granted)
            except SeveralMeaningsError:
                return None
            except SaySoError as error:
                read = self._offered_freely(parser, plain.text, error, granted)
            if read is None:
                return None
            offered = read if isinstance(read, Specification) else read.offered
            if any(may_except(plain.told, offered.formula, self.lexicon)):
                return None
            if isinstance(read, Specification):
                return plain.told_with(read, text)
            if all(w in text for w in read.asked.words):
                return read.of_text(plain.told_with(read.offered, text))
        return None

    def _offered_freely(
        self, parser: DependencyParser, text: str, error: SaySoError, granted: Collection[str]
    ) -> PartlyUnderstoodError | Specification | None:
        """What free English may mean, where that leaves out less than what is offered anyway."""
        try:
            offered = paraphrase.offer(text, self.lexicon, parser, granted)
        except SaySoError as failure:
            if failure.code in (Code.MISSING_DEPENDENCY, Code.CORRUPT):
                error.hint = f"{error.hint} ({failure.message} {failure.hint})".strip()
            return None
        if not isinstance(offered, PartlyUnderstoodError):
            return offered
        certain = self._without_asides(text, offered, granted)
        if certain is not None:
            return certain
        if not isinstance(error, PartlyUnderstoodError):
            return offered
        return offered if _words(offered.asked.words) < _words(error.asked.words) else None

    def _without_asides(
        self, text: str, offered: PartlyUnderstoodError, granted: Collection[str]
    ) -> Specification | None:
        """The grammar's own reading without what the parser takes for telling only, where that
        means the same as what is offered; None where there is something to ask."""
        if offered.asked.words:
            return None
        told = (*granted, *offered.offered.assumptions)
        with suppress(SaySoError):
            read = offers.interpret(text, self.lexicon, told)
            return read if read.formula == offered.offered.formula else None
        return None

    def _by_grammar(
        self, words: str, things: Sequence[str], read: Callable[[str], Specification]
    ) -> Specification:
        """The reading by the grammar; slips of the keyboard are mended where that is needed.

        That is where the words are not understood as they stand, or where one names a thing that
        is not seen.
        """
        found = slips(words, self.lexicon, things)
        try:
            typed = read(words)
        except SaySoError:
            with suppress(SaySoError):
                if found:
                    return _mended(words, found, read)
            raise
        nouns = {w for r in referents_of(typed.formula, landmarks=True) for w in r.kind.split()}
        wrong = [s for s in found if things and forms(s.token.text) & nouns]
        with suppress(SaySoError):
            return _mended(words, wrong, read) if wrong else typed
        return typed

    def by_model(
        self, model: LanguageModel, instruction: str, things: Sequence[str] = ()
    ) -> Specification:
        """The model's reading; raises like `interpret`."""
        if self.choose is None:
            return OneStage(model, self.lexicon).translate(instruction, things)
        return TwoStage(model, self.lexicon, self.choose).translate(instruction).specification

    def correct(
        self,
        spec: Specification,
        words: str,
        things: Sequence[str] = (),
        seen: Seen | None = None,
    ) -> Specification:
        """The next version of a specification; raises like `interpret`.

        `seen` is what the scene says about the referents, where that is known.

        Raises:
            PartlyUnderstoodError: words of the instruction that were not understood are still open.
            SaySoError: besides, AMBIGUOUS where several other things could be meant, and
                NOT_CONFIRMED after too many corrections by a model.
        """
        asked = spec.asked
        if asked is None:
            return self._corrected_in_words(spec, words, things, seen)
        if offers.accepts(words, asked.limiting):
            if asked.limiting and len(asked.words) > 1:
                return self._without(spec, asked, words, things, seen)
            return offers.accepted(spec, asked, words)
        reworded = self._reworded(spec, asked, words, things, seen)
        if reworded is not None:
            return self._unless_open(reworded)
        corrected = self._corrected_in_words(spec, words, things, seen)
        if corrected.instruction != spec.instruction:
            if asked.words and not corrections.is_edit(words, self.lexicon):
                raise _out_of_place(asked, words)
            return corrected
        if asked.words and corrected.formula == spec.formula:
            raise _out_of_place(asked, words)
        if self._says_it(asked, words, spec, corrected):
            return offers.said_instead(corrected, asked, words)
        return self._unless_open(replace(corrected, asked=replace(asked, wording="")))

    def _unless_open(self, spec: Specification) -> Specification:
        """A reading of which nothing is open. Raises PartlyUnderstoodError for another."""
        if spec.asked is None:
            return spec
        raise PartlyUnderstoodError(spec, read_back(spec.formula, self.lexicon.predicates))

    def _without(
        self, spec: Specification, asked: Asked, words: str, things: Sequence[str],
        seen: Seen | None,
    ) -> Specification:  # fmt: skip
        """The reading without the part that is asked about, of several."""
        part = asked.words[0]
        granted = (*offers.granted(spec), asks_nothing(part))
        read = self._reread(spec, offers.text_of(spec), granted, things, seen)
        return self._unless_open(offers.reread(spec, read, words, (offers.says(words, part),)))

    def _reworded(
        self, spec: Specification, asked: Asked, words: str, things: Sequence[str],
        seen: Seen | None,
    ) -> Specification | None:  # fmt: skip
        """The reading with an answer in place of the part that is asked about; None where that is
        not understood there, says nothing, or changes what was understood."""
        if not asked.words or corrections.is_edit(words, self.lexicon):
            return None
        limits = asked.limiting and not offers.may_be_step(asked.words[0], self.lexicon)
        if limits and corrections.addition(words, spec, self.lexicon) == "step":
            return None  # "then ...": a further step is no limit
        for part in offers.places(asked.words[0], words):
            with suppress(SaySoError):
                text = offers.in_place(offers.text_of(spec), part, words)
                read = text and self._reread(spec, text, offers.granted(spec), things, seen)
                if read and self._answers(read, spec, asked, words):
                    return offers.reread(spec, read, words, (offers.says(words, part),))
        return None

    def _reread(
        self, spec: Specification, text: str, granted: Collection[str], things: Sequence[str],
        seen: Seen | None,
    ) -> Specification:  # fmt: skip
        """The reading of a text, corrected as the last one was."""
        try:
            read = self._by_grammar(text, things, partial(self._read, granted=granted))
        except PartlyUnderstoodError as offered:
            read = offered.offered
        for words in spec.corrections:
            if not offers.is_answer(words, spec):
                edited = corrections.correct(read, words, self.lexicon, seen)
                read = replace(edited, asked=read.asked)
        return read

    def _says_it(
        self, asked: Asked, words: str, spec: Specification, corrected: Specification
    ) -> bool:
        """Whether a correction says what was not understood: a rule or, for what limits nothing,
        a further step; of several parts it cannot be told which."""
        kind = corrections.addition(words, spec, self.lexicon)
        if asked.words and not self._answers(corrected, spec, asked, words):
            return False
        return len(asked.words) == 1 and (kind == "rule" or (kind == "step" and not asked.limiting))

    def _answers(self, read: Specification, spec: Specification, asked: Asked, words: str) -> bool:
        """Whether a reading with an answer says more than the one before: a step is no limit."""
        still = read.asked if read.asked != asked else None
        if offers.is_open(still, words) or not offers.tells(read, spec, words):
            return False
        limit = offers.may_be_limit(asked.words[0], self.lexicon)
        return not (limit and offers.adds_step(read, spec))

    def _corrected_in_words(
        self, spec: Specification, words: str, things: Sequence[str], seen: Seen | None
    ) -> Specification:
        try:
            return self._by_grammar(
                words, things, lambda text: corrections.correct(spec, text, self.lexicon, seen)
            )
        except SaySoError as error:
            if not self.model or error.code not in _LEFT_TO_MODEL:
                raise
            try:
                return self._corrected(self.model, spec, words, things, seen)
            except SaySoError as failure:
                raise _by_both(failure, error) from failure

    def _corrected(
        self,
        model: LanguageModel,
        spec: Specification,
        words: str,
        things: Sequence[str],
        seen: Seen | None,
    ) -> Specification:
        question = seen.question if seen else ""
        if self.choose is None:
            return OneStage(model, self.lexicon).corrected(spec, words, question, things)
        stages = TwoStage(model, self.lexicon, self.choose)
        return stages.corrected(spec, kind_of_mistake(words), words, question)


def _mended(
    words: str, found: Sequence[Slip], read: Callable[[str], Specification]
) -> Specification:
    """What was meant, with the words as they were typed and what was taken for granted."""
    text = mended(words, found)
    meant = read(text)
    typed = {text: words}
    return replace(
        meant,
        instruction=typed.get(meant.instruction, meant.instruction),
        corrections=tuple(typed.get(c, c) for c in meant.corrections),
        assumptions=tuple(dict.fromkeys((*meant.assumptions, *map(str, found)))),
    )


def _out_of_place(asked: Asked, words: str) -> SaySoError:
    return SaySoError(
        Code.NOT_UNDERSTOOD, f"'{words}' is not understood in the place of '{asked.words[0]}'.",
        hint=f"say it in other words, or 'No, {words}' if that is all that you want.",
    )  # fmt: skip


def _words(parts: Sequence[str]) -> int:
    return sum(len(part.split()) for part in parts)


def _is_no_answer(failure: SaySoError) -> bool:
    """Whether a language model said nothing about the words."""
    return failure.code in (Code.MODEL_UNAVAILABLE, Code.MODEL_TIMEOUT, Code.MODEL_REPLY)


def _by_both(failure: SaySoError, misunderstanding: SaySoError) -> SaySoError:
    """The model's failure, telling also why controlled English did not do."""
    if failure.code is Code.NOT_UNDERSTOOD:
        failure.span = misunderstanding.span
        return failure
    hint = f"{failure.hint} Without the model: {misunderstanding.message}".strip()
    return SaySoError(
        failure.code,
        failure.message,
        hint=hint,
        choices=misunderstanding.choices,
        span=misunderstanding.span,
    )
