"""Instructions to specifications: controlled English first, a language model if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.language import controlled_english, corrections
from sayso.language.corrections import Seen
from sayso.language.embeddings import ChooseExamples
from sayso.language.lexicon import Lexicon
from sayso.language.one_stage import OneStage
from sayso.language.two_stage import TwoStage, kind_of_mistake
from sayso.logic.specification import Specification

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
    """

    lexicon: Lexicon
    model: LanguageModel | None = None
    choose: ChooseExamples | None = None

    def interpret(self, instruction: str, things: Sequence[str] = ()) -> Specification:
        """The specification that an instruction means; `things` are names of what is seen.

        Raises:
            SaySoError: NOT_UNDERSTOOD pointing at the words (without a model), or with what the
                model finds missing; MODEL_UNAVAILABLE, MODEL_TIMEOUT or MODEL_REPLY.
        """
        try:
            return controlled_english.interpret(instruction, self.lexicon)
        except SaySoError as error:
            if not self.model or error.code not in _LEFT_TO_MODEL:
                error.hint = error.hint or _WHAT_CAN_BE_SAID
                raise
            try:
                return self.by_model(self.model, instruction, things)
            except SaySoError as failure:
                raise _by_both(failure, error) from failure

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
            SaySoError: besides, AMBIGUOUS where several other things could be meant, and
                NOT_CONFIRMED after too many corrections by a model.
        """
        try:
            return corrections.correct(spec, words, self.lexicon, seen)
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
