"""A task planner that has a language model write programs."""

from __future__ import annotations

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder, LanguageModel
from sayso.core.symbols import Literal, Plan
from sayso.mission.programs.functions import described, listed
from sayso.mission.programs.outcome import rehearse
from sayso.mission.programs.surroundings import Surroundings
from sayso.mission.programs.writing import ModelProgrammer, ProgramContext
from sayso.planning.problem import PROGRAM, PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.repair import NO_PROPOSAL
from sayso.planning.validate import validate
from sayso.planning.words import fact


class ProgramPlanner:
    """A task planner whose plans are programs, in `solve` as far as literals tell of the scene.

    Args:
        inner: plans where no words are given, and where no program comes of them.
        embedder: says which descriptions of things are alike.
    """

    name = PROGRAM

    def __init__(self, inner: TaskPlanner, model: LanguageModel, embedder: Embedder) -> None:
        self._inner, self._embedder = inner, embedder
        self._programmer = ModelProgrammer(model)

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`.

        Raises:
            SaySoError: besides, UNSUPPORTED with what is to be shown, where the program asks for a
                skill, and there is no plan without it.
        """
        if not problem.words:
            return self._inner.solve(problem, limits)
        try:
            return self._by_program(problem)
        except SaySoError as error:
            if error.code not in NO_PROPOSAL:
                raise
            return self._without(problem, error, limits)

    def _by_program(self, problem: PlanningProblem) -> Plan:
        around = Surroundings.of(problem, self._embedder)
        context = ProgramContext(
            problem.words, _facts(problem), listed(around.library), described(around.library)
        )
        source = self._programmer.program(
            context, lambda text: rehearse(text, around).require_fulfilled(problem)
        )
        done = rehearse(source, around)
        done.require_taught()
        validate(done.plan, problem)
        return done.plan

    def _without(self, problem: PlanningProblem, error: SaySoError, limits: PlanLimits) -> Plan:
        """The other planner's plan: where there is one, no skill is lacking."""
        try:
            return self._inner.solve(problem, limits)
        except SaySoError as none:
            if none.code is Code.NO_PLAN and error.code is Code.UNSUPPORTED:
                raise error from none
            raise


def _facts(problem: PlanningProblem) -> str:
    """All things by name, and what is true of them."""
    true = (fact(Literal(a), problem.predicates) for a in sorted(problem.initial))
    return "\n".join([f"things: {', '.join(problem.objects)}", *(f"- {t}" for t in true)])
