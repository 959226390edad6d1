"""Repairers for plans in words that a robot would not have: they give up steps, or know the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import PlanStep
from sayso.evaluation.cape.trial import Trial
from sayso.planning.bridging import Bridge
from sayso.planning.repair import BrokenPlan, Meant, Proposal
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import foreseen, step_of


class LeaveOutUndoable:
    """The rest of the plan, bridged, without its first steps, as few as will do: where the goal is
    not known, the last thing that can be done for the steps after one that nothing makes possible.
    """

    name = "leave out what cannot be done"

    def __init__(self, meant: Meant) -> None:
        self._meant = meant

    def propose(self, broken: BrokenPlan) -> Proposal:
        for start in range(1, len(broken.rest) + 1):
            try:
                onward = Bridge(meant=self._meant).propose(
                    replace(broken, rest=broken.rest[start:])
                )
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
        answer: the steps, as the person knows them, on some things.
    """

    name = "ask person"

    def __init__(self, answer: Callable[[Sequence[str]], tuple[PlanStep, ...]]) -> None:
        self._answer = answer
        self.asked = 0

    def propose(self, broken: BrokenPlan) -> Proposal:
        self.asked += 1
        steps = self._answer(broken.problem.objects)
        onward = Bridge().propose(replace(broken, rest=steps))
        return Proposal(onward.steps, "the person says what is left to do")


def simulated_person(trial: Trial) -> AskPerson:
    """Has the task's own program in mind."""
    return AskPerson(
        lambda things: tuple(foreseen(left_of(trial), trial.world.observe().true_atoms(), things))
    )


def left_of(trial: Trial) -> tuple[Step, ...]:
    """The task's own program from the first step on that was not taken in its turn."""
    left = trial.world.task.program
    for action in trial.taken:
        left = left[step_of(action) == left[0] :] if left else left
    return left
