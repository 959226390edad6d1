"""A model lists steps itself, in the manner of NLMap-SayCan (Chen et al., 2023).

As there, the planner is told which objects the map holds and picks among the robot's actions.
Actions are not scored by token likelihood, which chat servers do not give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.evaluation.baselines.plans import Plan, Step, step
from sayso.language.model import Prompt, ask, fenced

PROMPT = ("baseline_steps", 1)


@dataclass(frozen=True)
class StepListPlanner:
    """Asks for the whole list at once, in at most two rounds."""

    model: LanguageModel

    def plan(self, instruction: str, objects: Mapping[str, str]) -> Plan:
        """The model's steps; raises as `InstructionPlanner` says."""

        def read(data: Mapping[str, Any]) -> tuple[Step, ...] | str:
            problem = str(data["problem"]).strip()
            if not data["steps"]:
                return problem or "the model lists no steps."
            return tuple(
                step(s["action"], [s["thing"], s["target"]][: 1 + bool(s["target"])], objects)
                for s in data["steps"]
            )

        prompt = Prompt.load(*PROMPT)
        messages = (prompt.system(), request(instruction, objects))
        answer, reply = ask(self.model, messages, prompt.schema, read)
        if isinstance(answer, str):
            raise SaySoError(Code.NO_PLAN, answer)
        return Plan(answer, reply.model, (reply.prompt_tokens, reply.completion_tokens))


def request(instruction: str, objects: Mapping[str, str]) -> Message:
    """The instruction and the objects, as data."""
    listed = "\n".join(f"{name}: {description}" for name, description in objects.items())
    return Message("user", f"{fenced('objects', listed)}\n{fenced('instruction', instruction)}")
