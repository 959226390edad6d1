"""Instructions to specifications: controlled English first, a language model if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.language import controlled_english, corrections
from sayso.language.corrections import Seen
from sayso.language.embeddings import ChooseExamples
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, ask, fenced
from sayso.language.two_stage import TwoStage, kind_of_mistake
from sayso.language.vocabulary import check_vocabulary, predicates_in_words
from sayso.logic.formula import COLORS, COMPARATORS, SIZES, Formula
from sayso.logic.specification import Specification
from sayso.logic.text import parse, to_text

PROMPT = ("interpret", 1)
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
        choose: examples for the first of two stages, for libraries of a robot that drives;
            None: one stage.
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
            if self.choose is not None:
                return self._in_two_stages(self.model, instruction, error)
            request = fenced("instruction", instruction)
            return self._by_model(self.model, instruction, request, things, error)

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
            if self.choose is not None:
                question = seen.question if seen else ""
                return self._corrected_in_two_stages(self.model, spec, words, question, error)
            corrected = self._by_model(
                self.model, spec.instruction, _about(spec, words), things, error, spec.version + 1
            )
            return replace(corrected, corrections=(*spec.corrections, words))

    def _in_two_stages(
        self, model: LanguageModel, instruction: str, misunderstanding: SaySoError
    ) -> Specification:
        stages = TwoStage(model, self.lexicon, self.choose)
        try:
            return stages.translate(instruction).specification
        except SaySoError as failure:
            raise _by_both(failure, misunderstanding) from failure

    def _corrected_in_two_stages(
        self,
        model: LanguageModel,
        spec: Specification,
        words: str,
        question: str,
        misunderstanding: SaySoError,
    ) -> Specification:
        stages = TwoStage(model, self.lexicon, self.choose)
        try:
            return stages.corrected(spec, kind_of_mistake(words), words, question)
        except SaySoError as failure:
            raise _by_both(failure, misunderstanding) from failure

    def _by_model(
        self,
        model: LanguageModel,
        instruction: str,
        request: str,
        things: Sequence[str],
        misunderstanding: SaySoError,
        version: int = 1,
    ) -> Specification:
        prompt = Prompt.load(*PROMPT)
        user = f"{request}\n{fenced('things seen', ', '.join(things))}"
        messages = (prompt.system(**_vocabulary(self.lexicon)), Message("user", user))
        try:
            answer, reply = ask(model, messages, prompt.schema, self._read)
            if isinstance(answer, str):
                raise SaySoError(Code.NOT_UNDERSTOOD, answer, hint="say it in other words.")
        except SaySoError as failure:
            raise _by_both(failure, misunderstanding) from failure
        return Specification(instruction, answer, reply.model or "language model", version)

    def _read(self, data: Mapping[str, Any]) -> Formula | str:
        """The reply's formula, checked; or the problem that the model found."""
        if not data["formula"].strip():
            return str(data["problem"]).strip() or "the language model found no meaning."
        formula = parse(data["formula"])
        check_vocabulary(formula, self.lexicon)
        return formula


def _vocabulary(lexicon: Lexicon) -> dict[str, str]:
    """What fills the prompt's template."""
    comparators = (f"{name}({', '.join('xy'[:count])})" for name, count in COMPARATORS.items())
    return {
        "predicates": predicates_in_words(lexicon),
        "comparators": ", ".join(comparators),
        "colors": ", ".join(COLORS),
        "sizes": ", ".join(SIZES),
    }


def _about(spec: Specification, words: str) -> str:
    """A request to mend a formula."""
    return "\n".join(
        (
            fenced("instruction", spec.instruction),
            fenced("formula so far", to_text(spec.formula)),
            fenced("correction", words),
            "Reply with the whole formula after the correction.",
        )
    )


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
