"""The chain of repairers for a plan in VirtualHome: what a strategy has of it, and its problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.ports import LanguageModel
from sayso.core.symbols import Action, Plan, PlanStep
from sayso.evaluation.cape.strategies import Strategy
from sayso.evaluation.cape.trial import Trial
from sayso.logic.formula import Always, Top
from sayso.logic.progression import progression_of
from sayso.mission.model_repair import AskModel
from sayso.mission.repair_chain import RepairChain
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.repair import Bridge, BrokenPlan, LeaveOut, Proposal, Repairer, Replan
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.planning import RelevantPlanner, about
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import foreseen, step_of


class LeaveOutUndoable:
    """The rest of the plan, bridged, without its first steps, as few as will do: where the goal is
    not known, the last thing that can be done for the steps after one that nothing makes possible.
    """

    name = "leave out what cannot be done"

    def propose(self, broken: BrokenPlan) -> Proposal:
        for start in range(1, len(broken.rest) + 1):
            try:
                onward = Bridge().propose(replace(broken, rest=broken.rest[start:]))
            except SaySoError as error:
                if error.code is not Code.NO_PLAN:
                    raise
            else:
                return Proposal(
                    onward.steps, f"nothing known makes {broken.failure.action} possible"
                )
        raise SaySoError(Code.NO_PLAN, "no end of the plan can be carried out.")


class AskPerson:
    """What a person says is left to do, bridged.

    Args:
        answer: the steps, as the person knows them.
        foresee: those steps as actions upon some things.
    """

    name = "ask person"

    def __init__(
        self, answer: Callable[[], Sequence[Step]], foresee: Callable[..., tuple[PlanStep, ...]]
    ) -> None:
        self._answer, self._foresee = answer, foresee
        self.asked = 0

    def propose(self, broken: BrokenPlan) -> Proposal:
        self.asked += 1
        steps = self._foresee(self._answer(), broken.problem.objects)
        onward = Bridge().propose(replace(broken, rest=steps))
        return Proposal(onward.steps, "the person says what is left to do")


class Mender:
    """Mends the plans of one trial.

    Args:
        model: for a strategy that asks one.

    Attributes:
        goal_known: whether the repairers see the goal; then all that they propose leads to it.
        person: who is asked, if the strategy asks anybody; simulated, with the task's own program
            in mind.
    """

    def __init__(
        self, trial: Trial, strategy: Strategy, goal_known: bool, model: LanguageModel | None
    ) -> None:
        self._trial, self.goal_known = trial, goal_known
        self._chain = RepairChain()
        self.solve = RelevantPlanner().solve
        self.person = AskPerson(lambda: left_of(trial), self._foreseen)
        self._repairers = tuple(self._asked_in_turn(strategy, model))

    def _asked_in_turn(self, strategy: Strategy, model: LanguageModel | None) -> Iterator[Repairer]:
        task = self._trial.world.task
        yield LeaveOut()
        yield Bridge(self.solve)
        if self.goal_known:
            yield Replan(self.solve)
        if strategy.asks_model and model:
            yield AskModel(model, f"{task.title}. {task.words}")
        if strategy.asks_person:
            yield self.person
        if not self.goal_known:
            yield LeaveOutUndoable()

    def mended(self, failure: Failure, rest: Sequence[Step]) -> Plan:
        """What to do in place of the rest of a plan; raises as `RepairChain.repaired`.

        Args:
            rest: the step that failed, and those after it.
        """
        person = self._trial.world.task.program if self.person in self._repairers else ()
        things = {t for step in (*rest, *self._trial.world.done, *person) for t in step.things}
        problem = about(self.problem(), things)
        done = tuple(_on(action, problem) for action in self._trial.taken)
        failure = replace(failure, action=_on(failure.action, problem))
        steps = self._foreseen(rest, problem.objects)
        return self._chain.repaired(BrokenPlan(failure, steps, problem, done), self._repairers)

    def problem(self) -> PlanningProblem:
        """What is observed, with the goal where it is known."""
        state = self._trial.world.observe()
        if self.goal_known:
            return observed_problem(library(), state, self._trial.goal, self._trial.states)
        return observed_problem(library(), state, progression_of(Always(Top())), None)

    def _foreseen(self, steps: Sequence[Step], objects: Sequence[str]) -> tuple[PlanStep, ...]:
        return foreseen(steps, self._trial.world.observe(), objects)


def left_of(trial: Trial) -> tuple[Step, ...]:
    """The task's own program from the first step on that was not taken in its turn."""
    left = trial.world.task.program
    for action in trial.taken:
        left = left[step_of(action) == left[0] :] if left else left
    return left


def _on(action: Action, problem: PlanningProblem) -> Action:
    """An action on the things of a problem."""
    operator = problem.domain.operator(action.name)
    return operator.ground(*action.args, objects=problem.objects)
