"""A model writes a program that acts, in the manner of Code as Policies (Liang et al., 2023).

The program runs in the sandbox, where its actions are only recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.core.sandbox import program
from sayso.core.sandbox.process import Limits
from sayso.evaluation.baselines.plans import ARITY, Plan, Step, step
from sayso.evaluation.baselines.step_list import request
from sayso.language.model import Prompt, ask

PROMPT = ("baseline_code", 1)


@dataclass(frozen=True)
class CodeWritingPlanner:
    """Asks for one program, in at most two rounds."""

    model: LanguageModel
    limits: Limits = field(default_factory=Limits)

    def plan(self, instruction: str, objects: Mapping[str, str]) -> Plan:
        """The steps that the model's program takes; raises as `InstructionPlanner` says."""

        def read(data: Mapping[str, Any]) -> tuple[Step, ...] | str:
            if not str(data["code"]).strip():
                return str(data["problem"]).strip() or "the model writes no program."
            return self._steps(str(data["code"]), objects)

        prompt = Prompt.load(*PROMPT)
        messages = (prompt.system(), request(instruction, objects))
        answer, reply = ask(self.model, messages, prompt.schema, read)
        if isinstance(answer, str):
            raise SaySoError(Code.NO_PLAN, answer)
        return Plan(answer, reply.model, (reply.prompt_tokens, reply.completion_tokens))

    def _steps(self, code: str, objects: Mapping[str, str]) -> tuple[Step, ...]:
        """What the program does. Raises INVALID, which the model is told once."""
        try:
            done = program.run(
                code, variables={"objects": dict(objects)}, actions=ARITY, limits=self.limits
            )
        except SaySoError as error:
            if error.code is Code.LIMIT:
                raise SaySoError(Code.INVALID, error.message, hint=error.hint) from error
            raise
        if not done.calls:
            raise SaySoError(Code.INVALID, "the program ends without any action.")
        return tuple(step(str(name), args, objects) for name, *args in done.calls)
