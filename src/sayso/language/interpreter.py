"""Instructions to specifications: controlled English first, a language model if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.language import controlled_english, corrections
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, ask, fenced
from sayso.logic.formula import COLORS, COMPARATORS, SIZES, Formula, propositions
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
        timeout_s: for each of at most two rounds with the model.
    """

    lexicon: Lexicon
    model: LanguageModel | None = None
    timeout_s: float = 60.0

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
            request = fenced("instruction", instruction)
            return self._by_model(self.model, instruction, request, things, error)

    def correct(self, spec: Specification, words: str, things: Sequence[str] = ()) -> Specification:
        """The next version of a specification; raises like `interpret`."""
        try:
            return corrections.correct(spec, words, self.lexicon)
        except SaySoError as error:
            if not self.model or error.code not in _LEFT_TO_MODEL:
                raise
            request = "\n".join(
                (
                    fenced("instruction", spec.instruction),
                    fenced("formula so far", to_text(spec.formula)),
                    fenced("correction", words),
                    "Reply with the whole formula after the correction.",
                )
            )
            return self._by_model(
                self.model, spec.instruction, request, things, error, spec.version + 1
            )

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
            answer, reply = ask(model, messages, prompt.schema, self._read, self.timeout_s)
        except SaySoError as failure:
            raise _with_both_causes(failure, misunderstanding) from failure
        if isinstance(answer, str):
            raise SaySoError(
                Code.NOT_UNDERSTOOD, answer, hint="say it in other words.",
                span=misunderstanding.span,
            )  # fmt: skip
        return Specification(instruction, answer, reply.model or "language model", version)

    def _read(self, data: Mapping[str, Any]) -> Formula | str:
        """The reply's formula, checked; or the problem that the model found."""
        if not data["formula"].strip():
            return str(data["problem"]).strip() or "the language model found no meaning."
        formula = parse(data["formula"])
        check_vocabulary(formula, self.lexicon)
        return formula


def check_vocabulary(formula: Formula, lexicon: Lexicon) -> None:
    """Raises INVALID unless every proposition is a predicate of the library, rightly used."""
    for prop in propositions(formula):
        predicate = lexicon.predicates.get(prop.predicate)
        if predicate is None:
            raise SaySoError(
                Code.INVALID,
                f"there is no predicate '{prop.predicate}'.",
                choices=lexicon.predicates,
            )
        if len(prop.args) != predicate.arity:
            raise SaySoError(
                Code.INVALID,
                f"{prop.predicate} takes {predicate.arity} arguments, got {len(prop.args)}.",
            )


def _vocabulary(lexicon: Lexicon) -> dict[str, str]:
    """What fills the prompt's template."""
    predicates = (
        f"- {p.name}({', '.join(p.parameters)}): {p.english.format(*p.parameters)}"
        for p in lexicon.predicates.values()
    )
    comparators = (f"{name}({', '.join('xy'[:count])})" for name, count in COMPARATORS.items())
    return {
        "predicates": "\n".join(predicates),
        "comparators": ", ".join(comparators),
        "colors": ", ".join(COLORS),
        "sizes": ", ".join(SIZES),
    }


def _with_both_causes(failure: SaySoError, misunderstanding: SaySoError) -> SaySoError:
    """The model's failure, telling also why controlled English did not do."""
    hint = f"{failure.hint} Without the model: {misunderstanding.message}".strip()
    return SaySoError(
        failure.code,
        failure.message,
        hint=hint,
        choices=misunderstanding.choices,
        span=misunderstanding.span,
    )
