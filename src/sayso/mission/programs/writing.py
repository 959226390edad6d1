"""Who gives a task's program: a person, once; or a language model, again after each trouble."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.language.model import Prompt, ask, fenced

PROMPTS = (("program_steps", 3), ("program_code", 3))
"""In words first, then as Python, as Parakh et al. (2023) ask a model."""

Check = Callable[[str], None]
"""Raises for a program that would not do, with the reason: a model is told it once."""


@dataclass(frozen=True)
class ProgramContext:
    """What whoever gives the program is context.

    Attributes:
        scene: in words.
        skills: one line for each that is no matter of course.
        functions: all that may be called, as Python with docstrings.
        happened: what was done of a program before and how it ended, then what a person said.
        acted: whether anything was done.
    """

    instruction: str
    scene: str
    skills: str
    functions: str
    happened: tuple[str, ...] = ()
    acted: bool = False


class Programmer(Protocol):
    """Gives the program of a task."""

    def program(self, context: ProgramContext, check: Check) -> str:
        """Python. Raises NO_PLAN where there is none; what `check` raises; what a model raises."""


@dataclass(frozen=True)
class Given:
    """A person's program."""

    source: str

    def program(self, context: ProgramContext, check: Check) -> str:
        """It is carried out once: to begin it again is not what was asked for."""
        if context.acted:
            raise SaySoError(
                Code.NO_PLAN,
                "the program was carried out as far as it went.",
                hint="set right what stands in the way, then run it again.",
            )
        check(self.source)
        return self.source


@dataclass(frozen=True)
class ModelProgrammer:
    """A language model: what to do in words, then as a program; a program that will not do is sent
    back once with the reason."""

    model: LanguageModel

    def program(self, context: ProgramContext, check: Check) -> str:
        situation = {
            "instruction": context.instruction,
            "scene": context.scene,
            "what happened": "\n".join(context.happened) or "nothing yet",
        }
        steps = self._asked(0, situation, _steps, skills=context.skills or "- none")
        situation["steps"] = steps
        return self._asked(1, situation, lambda d: _code(d, check), functions=context.functions)

    def _asked(
        self,
        stage: int,
        situation: Mapping[str, str],
        read: Callable[[Mapping[str, Any]], str],
        **values: str,
    ) -> str:
        """Raises NO_PLAN with the problem that the model sees."""
        prompt = Prompt.load(*PROMPTS[stage])
        text = "\n".join(fenced(label, words) for label, words in situation.items())
        messages = (prompt.system(**values), Message("user", text))
        found, reply = ask(self.model, messages, prompt.schema, read)
        if not found:
            said = str((reply.data or {}).get("problem", "")).strip()
            raise SaySoError(Code.NO_PLAN, said or "the language model has no program.")
        return found


def _steps(data: Mapping[str, Any]) -> str:
    return "\n".join(f"{n}. {step}" for n, step in enumerate(data["steps"], 1))


def _code(data: Mapping[str, Any], check: Check) -> str:
    code = str(data["code"]).strip()
    if code:
        try:
            check(code)
        except SaySoError as error:  # of whatever kind, so that the model is told
            raise SaySoError(
                Code.INVALID, error.message, hint=error.hint, choices=error.choices
            ) from error
    return code
