"""The repairer that asks a language model, with the cause and what the operators know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.ports import LanguageModel, Message
from sayso.core.symbols import Action, Operator, PlanStep
from sayso.language.model import Prompt, ask, fenced
from sayso.planning.bridging import Bridge
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import BrokenPlan, Proposal
from sayso.planning.words import Cause, failure_text

PROMPT = "repair", 1


class AskModel:
    """Asks a language model for the rest of the plan; remembers what it was told before.

    After Raman et al., "CAPE", 2024, section III-A, where a model is asked for one corrective step.

    Args:
        instruction: what the plan is for, in the person's words.
        cause: how much of each failure the model is told.
    """

    name = "ask model"

    def __init__(
        self, model: LanguageModel, instruction: str, cause: Cause = Cause.EXPLICIT
    ) -> None:
        self._model = model
        self._instruction = instruction
        self._cause = cause
        self._before: list[str] = []

    def propose(self, broken: BrokenPlan) -> Proposal:
        """Raises NO_PLAN where the model has no steps; MODEL_REPLY, MODEL_TIMEOUT, ..."""
        prompt = Prompt.load(*PROMPT)
        cause = failure_text(broken.failure, broken.problem.predicates, self._cause)
        (steps, reason), _ = ask(
            self._model,
            self._messages(prompt, broken, cause),
            prompt.schema,
            lambda data: _read(data, broken.problem),
        )
        self._before.append(f"{cause} Then: {_listed(s.action for s in steps)}")
        if not steps:
            raise SaySoError(Code.NO_PLAN, f"the model has no steps: {reason}")
        return Proposal(steps, f"the model says: {reason}", keeps_plan=True)

    def _messages(self, prompt: Prompt, broken: BrokenPlan, cause: str) -> list[Message]:
        operators = broken.problem.domain.operators
        example = f"{operators[0].name}({', '.join(p[1:] for p in operators[0].parameters)})"
        situation = {
            "instruction": self._instruction,
            "done": _listed(broken.done),
            "failed": cause,
            "rest of the plan": _listed(s.action for s in broken.rest),
            "tried before": "\n".join(self._before) or "nothing",
            "ways that a program found": self._ways(broken),
            "things": ", ".join(broken.problem.objects),
        }
        return [
            prompt.system(actions="\n".join(map(_described, operators)), example=example),
            Message("user", "\n".join(fenced(label, text) for label, text in situation.items())),
        ]

    def _ways(self, broken: BrokenPlan) -> str:
        """A bridge: it would give the cause away to a model that is not to be told of it."""
        if self._cause is not Cause.EXPLICIT:
            return "not told"
        try:
            return _listed(s.action for s in Bridge().propose(broken).steps)
        except SaySoError:
            return "none"


def _read(data: Mapping[str, Any], problem: PlanningProblem) -> tuple[tuple[PlanStep, ...], str]:
    """The steps of a reply. Raises NOT_UNDERSTOOD or INVALID for one that names none."""
    reason = str(data["reason"])
    return tuple(PlanStep(_action(text, problem), reason) for text in data["steps"]), reason


def _action(text: str, problem: PlanningProblem) -> Action:
    literal = parse_literal(text)
    atom = literal.atom
    if not literal.positive:
        raise SaySoError(Code.NOT_UNDERSTOOD, f"'{text}' is no step: write action(thing, ...).")
    if strange := set(atom.args) - set(problem.objects):
        raise SaySoError(Code.NOT_UNDERSTOOD, f"'{text}': there is no '{min(strange)}' here.")
    return problem.domain.operator(atom.predicate).ground(*atom.args, objects=problem.objects)


def _listed(actions: Iterable[Action]) -> str:
    return ", ".join(map(str, actions)) or "nothing"


def _described(operator: Operator) -> str:
    names = {p: p[1:] for p in operator.parameters}

    def shown(parts: Iterable[Any]) -> str:
        return ", ".join(str(x.substitute(names)) for x in sorted(parts)) or "nothing"

    head = f"{operator.name}({', '.join(names.values())})"
    ends = f"; ends {shown(operator.delete - operator.add)}" if operator.delete else ""
    return f"- {head}: needs {shown(operator.preconditions)}; makes {shown(operator.add)}{ends}"
