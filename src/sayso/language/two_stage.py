"""Instructions to formulas by a language model in two stages, as LIMP does (section IV-A).

The first stage writes conventional LTL over plain names, shown examples like the instruction;
the second writes it anew over the library's predicates and composable referent descriptors.
Both replies are checked, with one repair round each, before anyone sees them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message, Reply
from sayso.language.embeddings import ChooseExamples
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, ask, fenced
from sayso.language.naming import normal
from sayso.language.omissions import Addition, additions, check_complete
from sayso.language.one_stage import check_turns
from sayso.language.reading import assumptions, problem
from sayso.language.vocabulary import check_vocabulary, predicates_in_words
from sayso.logic.english import read_back
from sayso.logic.formula import COLORS, SIZES, Formula, map_referents, propositions
from sayso.logic.scope import scoped
from sayso.logic.specification import Specification
from sayso.logic.text import parse, to_text

FIRST_PROMPT = ("two_stage_ltl", 1)
SECOND_PROMPT = ("two_stage_skills", 3)
CORRECTION_PROMPT = ("two_stage_correction", 1)

Mistake: TypeAlias = Literal["referents", "task structure"]
"""What a person finds wrong: which things are meant, or what is to happen when."""

_MISTAKES: Mapping[str, str] = {
    "referents": "the things it is about: which things are meant, or how they are told apart",
    "task structure": "what has to happen: the order, the conditions, or what must never be",
}


_ABOUT_ORDER = frozenset(
    {
        "after", "again", "also", "always", "and", "avoid", "before", "first", "forbidden", "last",
        "later", "mind", "must", "never", "only", "once", "or", "order", "then", "times", "twice",
        "until", "when", "while", "without",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Correction:
    """One turn of the person's, and the formula that it was about."""

    mistake: Mistake
    words: str
    about: str


@dataclass(frozen=True)
class Translation:
    """A formula and how it came about.

    Attributes:
        conventional: the first stage's formula over plain names; '' if that stage was left out.
        model: the name that the model's server gives.
        tokens: of all prompts and completions so far, repair rounds excluded.
        corrections: the person's turns so far, oldest first.
        assumptions: what the second stage took for granted.
    """

    instruction: str
    conventional: str
    formula: Formula
    model: str
    tokens: tuple[int, int] = (0, 0)
    corrections: tuple[Correction, ...] = field(default_factory=tuple)
    assumptions: tuple[str, ...] = ()

    @property
    def specification(self) -> Specification:
        words = tuple(c.words for c in self.corrections)
        return Specification(
            self.instruction, self.formula, self.model, 1 + len(words), words, self.assumptions
        )

    @property
    def additions(self) -> tuple[Addition, ...]:
        """Referents that neither the instruction nor a correction mentions."""
        said = " ".join((self.instruction, *(c.words for c in self.corrections)))
        return additions(self.formula, said)

    def read_back(self, lexicon: Lexicon) -> str:
        """The meaning in English, with a warning for each thing that the model brought in."""
        return " ".join((read_back(self.formula, lexicon.predicates), *map(str, self.additions)))


def kind_of_mistake(words: str) -> Mistake:
    """What a correction is about, by whether it has a word of order or of prohibition."""
    about_order = not _ABOUT_ORDER.isdisjoint(re.findall(r"[a-z]+", words.lower()))
    return "task structure" if about_order else "referents"


@dataclass(frozen=True)
class TwoStage:
    """Translates instructions and takes corrections.

    Attributes:
        choose: gives the first stage its examples; None leaves the first stage out.
    """

    model: LanguageModel
    lexicon: Lexicon
    choose: ChooseExamples | None

    def translate(self, instruction: str) -> Translation:
        """The model's reading of an instruction.

        Raises:
            SaySoError: NOT_UNDERSTOOD with what the model finds missing; MODEL_REPLY if a stage
                gives nothing usable in two rounds; MODEL_UNAVAILABLE or MODEL_TIMEOUT.
        """
        conventional, used = "", (0, 0)
        if self.choose is not None:
            conventional, used = self._first_stage(self.choose, instruction)
        draft = Translation(instruction, conventional, parse("true"), "", used)
        return self._second_stage(draft, self._second_request(draft), instruction)

    def corrected(
        self, spec: Specification, mistake: Mistake, words: str, question: str = ""
    ) -> Specification:
        """The next version of a specification, whoever read it; raises like `correct`."""
        turns = tuple(Correction("referents", c, "") for c in spec.corrections)
        before = Translation(spec.instruction, "", spec.formula, spec.source, corrections=turns)
        after = self.correct(before, mistake, words, question)
        return replace(after.specification, version=spec.version + 1)

    def correct(
        self, before: Translation, mistake: Mistake, words: str, question: str = ""
    ) -> Translation:
        """The translation after a person's correction; raises like `translate`.

        `question` is what the person was asked, if the words are an answer.

        Raises:
            SaySoError: besides, NOT_CONFIRMED after `MAX_CORRECTIONS` turns.
        """
        check_turns([c.words for c in before.corrections])
        previous = to_text(before.formula)
        asked = (fenced("question that was asked", question),) if question else ()
        data = "\n".join(
            (fenced("previous formula", previous), *asked, fenced("correction", words))
        )
        prompt = Prompt.load(*CORRECTION_PROMPT)
        request = (
            *self._second_request(before),
            Message("assistant", previous),
            Message("user", prompt.text(kind=_MISTAKES[mistake], correction=data)),
        )
        turn = Correction(mistake, words, previous)
        return self._second_stage(replace(before, corrections=(*before.corrections, turn)), request)

    def _first_stage(self, choose: ChooseExamples, instruction: str) -> tuple[str, tuple[int, int]]:
        prompt = Prompt.load(*FIRST_PROMPT)
        examples = "\n".join(f'"{e.utterance}" -> {e.formula}' for e in choose(instruction))
        user = f"{fenced('examples', examples)}\n{fenced('instruction', instruction)}"
        messages = (prompt.system(), Message("user", user))
        answer, reply = self._ask("the order and the conditions", messages, prompt, _read_plain)
        return str(answer["formula"]).strip(), _tokens(reply)

    def _second_request(self, draft: Translation) -> tuple[Message, ...]:
        system = Prompt.load(*SECOND_PROMPT).system(**_vocabulary(self.lexicon))
        parts = [fenced("instruction", draft.instruction)]
        if draft.conventional:
            parts.append(fenced("first formula", draft.conventional))
        # Corrections that were made already still hold when a further one comes.
        parts += [fenced("earlier correction", c.words) for c in draft.corrections]
        return (system, Message("user", "\n".join(parts)))

    def _second_stage(
        self, draft: Translation, request: tuple[Message, ...], said: str = ""
    ) -> Translation:
        """The reading; what a correction takes back may be missing from it, so `said` is ''."""
        prompt = Prompt.load(*SECOND_PROMPT)

        def check(data: Mapping[str, Any]) -> None:
            formula = _parsed(data)
            check_vocabulary(formula, self.lexicon)
            if not propositions(formula):
                raise SaySoError(Code.INVALID, "the formula says nothing about the world.")
            check_complete(formula, said, assumptions(data["assumptions"]))

        answer, reply = self._ask("the states and things", request, prompt, check)
        used = _tokens(reply)
        formula = _parsed(answer)
        told = (*check_vocabulary(formula, self.lexicon), *answer["assumptions"])
        return replace(
            draft,
            formula=formula,
            model=reply.model or "language model",
            tokens=(draft.tokens[0] + used[0], draft.tokens[1] + used[1]),
            assumptions=assumptions(told),
        )

    def _ask(
        self,
        stage: str,
        messages: tuple[Message, ...],
        prompt: Prompt,
        check: Callable[[Mapping[str, Any]], None],
    ) -> tuple[Mapping[str, Any], Reply]:
        """The checked reply's data. Raises NOT_UNDERSTOOD if the model reports a problem."""

        def read(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
            if not str(data["formula"]).strip():
                return data, problem(data)
            check(data)
            return data, ""

        try:
            (answer, why), reply = ask(self.model, messages, prompt.schema, read)
        except SaySoError as error:
            error.message = f"translating {stage}: {error.message}"
            raise
        if why:
            raise SaySoError(Code.NOT_UNDERSTOOD, why, hint="say it in other words.")
        return answer, reply


def _parsed(data: Mapping[str, Any]) -> Formula:
    """The formula, its things named as in people's words, and what is quantified in its scope."""
    return scoped(map_referents(parse(str(data["formula"]).strip()), normal))


def _read_plain(data: Mapping[str, Any]) -> None:
    """Raises INVALID unless the propositions are plain names."""
    for prop in propositions(parse(str(data["formula"]).strip())):
        if prop.args:
            raise SaySoError(
                Code.INVALID, f"'{prop.predicate}' has arguments; use plain names at this stage."
            )


def _tokens(reply: Reply) -> tuple[int, int]:
    return reply.prompt_tokens, reply.completion_tokens


def _vocabulary(lexicon: Lexicon) -> dict[str, str]:
    """What fills the second prompt's template."""
    return {
        "predicates": predicates_in_words(lexicon),
        "colors": ", ".join(COLORS),
        "sizes": ", ".join(SIZES),
    }
