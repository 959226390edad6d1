"""Instructions to specifications by a language model in one stage: things, then a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, ask, fenced
from sayso.language.omissions import check_complete
from sayso.language.reading import Reading, problem, read
from sayso.language.vocabulary import told_to_model
from sayso.logic.specification import Specification
from sayso.logic.text import to_text

PROMPT = ("interpret", 4)
MAX_CORRECTIONS = 5


@dataclass(frozen=True)
class OneStage:
    """Translates instructions and takes corrections."""

    model: LanguageModel
    lexicon: Lexicon

    def translate(self, instruction: str, things: Sequence[str] = ()) -> Specification:
        """The model's reading of an instruction; `things` are names of what is seen.

        Raises:
            SaySoError: NOT_UNDERSTOOD with what the model finds missing; MODEL_REPLY if it gives
                nothing usable in two rounds; MODEL_UNAVAILABLE or MODEL_TIMEOUT.
        """
        request = fenced("instruction", instruction)
        reading, source = self._asked(request, things, instruction)
        return Specification(instruction, reading.formula, source, assumptions=reading.assumptions)

    def corrected(
        self, spec: Specification, words: str, question: str = "", things: Sequence[str] = ()
    ) -> Specification:
        """The next version of a specification, whoever read it; raises like `translate`.

        `question` is what the person was asked, if the words are an answer.

        Raises:
            SaySoError: besides, NOT_CONFIRMED after `MAX_CORRECTIONS` turns.
        """
        check_turns(spec.corrections)
        # What a correction takes back may be missing from the formula.
        reading, source = self._asked(_about(spec, words, question), things, "")
        return replace(
            spec,
            formula=reading.formula,
            source=source,
            version=spec.version + 1,
            corrections=(*spec.corrections, words),
            assumptions=reading.assumptions,
        )

    def _asked(self, request: str, things: Sequence[str], said: str) -> tuple[Reading, str]:
        """The reading, and the name that the model's server gives."""
        prompt = Prompt.load(*PROMPT)
        user = f"{request}\n{fenced('things seen', ', '.join(things))}"
        messages = (prompt.system(**told_to_model(self.lexicon)), Message("user", user))

        def checked(data: Mapping[str, Any]) -> Reading | str:
            if not str(data["formula"]).strip():
                return problem(data)
            reading = read(data, self.lexicon, things)
            check_complete(reading.formula, said, reading.assumptions)
            return reading

        answer, reply = ask(self.model, messages, prompt.schema, checked)
        if isinstance(answer, str):
            raise SaySoError(Code.NOT_UNDERSTOOD, answer, hint="say it in other words.")
        return answer, reply.model or "language model"


def check_turns(corrections: Sequence[str]) -> None:
    """Raises NOT_CONFIRMED after so many corrections that a person had better say it anew."""
    if len(corrections) >= MAX_CORRECTIONS:
        raise SaySoError(
            Code.NOT_CONFIRMED,
            f"the reading was corrected {MAX_CORRECTIONS} times and is still wrong.",
            hint="say the whole instruction in other words.",
        )


def _about(spec: Specification, words: str, question: str) -> str:
    """A request to mend a formula."""
    return "\n".join(
        (
            fenced("instruction", spec.instruction),
            *(fenced("earlier correction", c) for c in spec.corrections),
            fenced("formula so far", to_text(spec.formula)),
            *((fenced("question that was asked", question),) if question else ()),
            fenced("correction", words),
            "Reply with all things and the whole formula after the correction.",
        )
    )
