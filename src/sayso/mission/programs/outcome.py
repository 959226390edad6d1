"""A program run on what is observed and on what operators say follows; nothing moves."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.sandbox import program
from sayso.core.symbols import Plan, PlanStep
from sayso.mission.programs.functions import prelude
from sayso.mission.programs.rehearsal import Rehearsal
from sayso.mission.programs.requests import SkillRequest
from sayso.mission.programs.surroundings import Surroundings
from sayso.planning.achieving import Situation
from sayso.planning.problem import PROGRAM, PlanningProblem
from sayso.planning.validate import validate
from sayso.planning.words import joined


@dataclass(frozen=True)
class Rehearsed:
    """What a program would do.

    Attributes:
        steps: in order; each says which call it comes from.
        requests: skills that it asks to be taught first.
        end: where it would lead.
    """

    steps: tuple[PlanStep, ...]
    requests: tuple[SkillRequest, ...]
    end: Situation

    @property
    def plan(self) -> Plan:
        """The steps; to be validated."""
        cost = sum(s.action.cost for s in self.steps)
        return Plan(self.steps, PROGRAM, cost, from_words=True)

    def require_taught(self) -> None:
        """Raises `SkillLackingError` with what is to be shown, where skills have to be taught."""
        if self.requests:
            names = joined(f"'{r.name}'" for r in self.requests)
            raise SkillLackingError(
                self.requests[0].name.replace("_", " "),
                f"the program needs {names}, which nobody taught yet.",
                hint=" ".join(r.show for r in self.requests),
            )

    def require_fulfilled(self, problem: PlanningProblem) -> None:
        """Raises INVALID where it does nothing, PLAN_INVALID where it does not do the task."""
        if not self.steps:
            raise SaySoError(
                Code.INVALID,
                "the program ends without any action.",
                hint="call pick, place or another skill.",
            )
        if not self.requests:  # else nobody can tell
            validate(self.plan, problem)

    @property
    def words(self) -> tuple[str, ...]:
        """Each step in English."""
        return tuple(s.action.english or str(s.action) for s in self.steps)


def rehearse(source: str, surroundings: Surroundings) -> Rehearsed:
    """What a program would do here.

    Raises:
        SaySoError: naming the line, with the code of the call that fails: PRECONDITION for a skill
            that could not start, PLAN_INVALID for one that would break the task's rules, INVALID
            for arguments that mean nothing; INVALID for code that is not allowed or raises, LIMIT
            for code that does not end.
    """
    robot = Rehearsal(surroundings)
    granted = {"ask_robot": program.Granted(2, robot.answer)}
    try:
        program.run(source, granted=granted, prelude=prelude(surroundings.library))
    except SaySoError as error:
        raise robot.explained(error) from error
    return Rehearsed(tuple(robot.steps), tuple(robot.requests), robot.at)
