"""The stages of a task in VirtualHome: the main flow runs here as it does with a robot.

A task of the data set is asked for by its title, and begins with the program of another such task:
a plan from somebody's words, which may not fit. What is said besides, and anything else, is read as
controlled English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Atom, Check, Literal, Plan, PlanStep, SymbolicState
from sayso.logic.english import read_back
from sayso.logic.formula import Prop, conjunction
from sayso.logic.monitor import prop_atom
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.mission.understanding import structure_of
from sayso.planning.hindsight import Hindsight, Remembered
from sayso.planning.problem import RETRIEVED, PlanningProblem, TaskPlanner
from sayso.planning.relevance import about_all
from sayso.planning.reordering import Reorder
from sayso.planning.repair import Repairer
from sayso.planning.validate import validate
from sayso.reporting.events import Understanding
from sayso.skills import contract
from sayso.worlds.virtualhome.goals import read_goal
from sayso.worlds.virtualhome.graph import library, scene
from sayso.worlds.virtualhome.planning import RelevantPlanner, about, within
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import VirtualHome, action_of, foreseen, named, step_of

_Held: TypeAlias = (
    "tuple[SymbolicState, SymbolicState, frozenset[str], frozenset[Atom], tuple[str, ...]]"
)


class VirtualHomeStages(InProcessStages):
    """The stages of one task, carried out by the package's simulator.

    Args:
        world: where everything happens.
        program: a plan from words for the task's title; without one, plans are searched for.
        confirm: the person.
        planner: by default one that searches as long as a planner may take.
    """

    def __init__(
        self,
        world: VirtualHome,
        program: Sequence[Step] = (),
        confirm: Confirm = say_yes,
        planner: TaskPlanner | None = None,
    ) -> None:
        super().__init__(library(), confirm, planner or RelevantPlanner())
        self.world = world
        self._task = world.task
        self._program = tuple(program)
        self._things: frozenset[str] = frozenset()
        self._held: dict[float, _Held] = {}

    @property
    def scene(self) -> Scene:
        return scene(self.world.observe())

    def look(self) -> None:
        self.take_state(self.world.observe())

    def now_s(self) -> float:
        """States are stamped with the number of steps before them; ends of skills lie between."""
        return self.world.observe().stamp_s - 0.5

    def interpret(self, instruction: str) -> Understanding:
        first, _, besides = instruction.strip().partition(".")
        if first.strip(" !").lower() != self._task.title.lower():
            self._program = ()
            return super().interpret(instruction)
        if not besides.strip():
            return self._by_title(instruction)
        return _both(self._by_title(instruction), super().interpret(besides.strip()))

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """The other task's program first, which is checked step by step; then what is found."""
        problem = self.problem(request)
        if self._program:
            program, self._program = self._program, ()
            return self._from_words(program, request.state, problem)
        plan = self._searched(problem)
        validate(plan, problem)
        return self._about_its_things(plan, problem)

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        return self._foreseeing(within(self.problem(request), self._things))

    def meant_now(
        self, steps: tuple[PlanStep, ...], seen: SymbolicState | None = None
    ) -> tuple[PlanStep, ...]:
        """Of the operators of each step's verb the one that can begin in its turn."""
        return tuple(self.meant_each(steps, seen))

    def meant_each(
        self, steps: tuple[PlanStep, ...], seen: SymbolicState | None = None
    ) -> Iterator[PlanStep]:
        """As `meant_now`, one step after the other."""
        true, objects = self._held_in(seen or self.world.observe())
        return foreseen([step_of(s.action) for s in steps], true, objects)

    def _held_in(self, seen: SymbolicState) -> tuple[frozenset[Atom], tuple[str, ...]]:
        """What held in a state, of the things that matter, and what is in reach now; these things.

        A repair asks so of a few states hundreds of times.
        """
        now, things = self.world.observe(), self._things
        kept = self._held.get(seen.stamp_s)
        if kept is None or kept[0] is not seen or kept[1] is not now or kept[2] != things:
            objects = tuple(o for o in seen.objects if o in things)
            true = frozenset(a for a in seen.true_atoms() if things.issuperset(a.args))
            true |= self.world.within_reach(things)
            kept = self._held[seen.stamp_s] = (seen, now, things, true, objects)
        return kept[3], kept[4]

    def repairers(
        self, solve: Callable[[PlanningProblem], Plan], *, keep_plan: bool
    ) -> Sequence[Repairer]:
        """A program is not checked as a whole: a slip may lie behind."""
        first, *others = super().repairers(solve, keep_plan=keep_plan)
        if not keep_plan:
            return first, *others
        reorder = Remembered(Reorder(self.meant_now, named))
        slips = Hindsight(solve, self.meant_each, reorder, named)
        return (first, slips, reorder, *(r for r in others if r.name != reorder.name))

    def _foreseeing(self, problem: PlanningProblem) -> PlanningProblem:
        """The problem with what tells what will be near after a walk."""
        reach = self.world.within_reach(problem.objects)
        return replace(problem, initial=problem.initial | reach)

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        """Nothing turns up: all things are known."""
        return understanding, ""

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """The simulator's step, of the operators of its verb by the one that can begin.

        Raises:
            SaySoError: PRECONDITION; VETO for what would break the task; what the simulator raises.
        """
        before = self.world.observe()
        action = action_of(step_of(action), before, sorted(self._things))
        checks = _checked(sorted(action.needs(before.objects)), before)
        started(checks)
        contract.require(checks, Code.PRECONDITION, f"{action} cannot start")
        self._require_allowed(action, before.true_atoms())
        self.world.act(step_of(action))
        self.take_state(before.changed(dict.fromkeys(action.during, True)))
        effects = _checked(sorted(map(Literal, action.add)), self.world.observe())
        contract.require(effects, Code.POSTCONDITION, f"{action} did not have its effect")
        return effects

    def _by_title(self, instruction: str) -> Understanding:
        formula = read_goal(self._task.goal)
        source = f"the goal of VirtualHome's task {self._task.key}"
        grounded = GroundedSpecification(Specification(instruction, formula, source), formula)
        english = read_back(formula, library().predicates)
        return Understanding(grounded, english, structure_of(formula, library()))

    def _from_words(
        self, program: Sequence[Step], state: SymbolicState, problem: PlanningProblem
    ) -> Plan:
        named = {thing for step in program for thing in step.things}
        self._things = frozenset(about(problem, named).objects)
        objects = within(problem, self._things).objects
        steps = tuple(foreseen(program, state.true_atoms(), objects))
        cost = sum(s.action.cost for s in steps)
        return Plan(steps, RETRIEVED, cost, from_words=True, step_by_step=True)

    def _searched(self, problem: PlanningProblem) -> Plan:
        """Of the things that were thought of before, and else of all."""
        try:
            if self._things:
                few = within(problem, self._things)
                return about_all(self._planner.solve(few), problem)
        except SaySoError as error:
            if error.code is not Code.NO_PLAN:
                raise
        return self._planner.solve(problem)

    def _about_its_things(self, plan: Plan, problem: PlanningProblem) -> Plan:
        """The plan on those things alone that may matter, of which later repairs think too."""
        named = {name for action in plan.actions for name in action.args}
        if not named <= self._things:
            self._things = self._things | frozenset(about(problem, named).objects)
        return about_all(plan, within(problem, self._things))

    def _require_allowed(self, action: Action, true: frozenset[Atom]) -> None:
        """Raises VETO where the task could not be fulfilled any more after the action."""
        task, states = self.task_watch.monitor.task, self.newest[1].states
        for seen in action.trace(true):
            states = task.step(states, _letter(task.propositions, seen))
        if not task.can_go_on(states):
            raise SaySoError(Code.VETO, f"{action} would break the task.")


def _both(title: Understanding, besides: Understanding) -> Understanding:
    """What a title asks for, and what was said besides."""
    one, two = title.specification, besides.specification
    spec = replace(
        one.specification,
        formula=conjunction(one.formula, two.specification.formula),
        source=f"{one.specification.source}, and {two.specification.source}",
        assumptions=two.specification.assumptions,
    )
    grounded = GroundedSpecification(spec, conjunction(one.formula, two.formula), two.grounding)
    english = f"{title.english} {besides.english}"
    structure = structure_of(grounded.formula, library())
    return Understanding(grounded, english, structure, besides.trouble)


def _letter(propositions: Iterable[Prop], true: frozenset[Atom]) -> frozenset[Prop]:
    return frozenset(p for p in propositions if prop_atom(p) in true)


def _checked(literals: Iterable[Literal], state: SymbolicState) -> tuple[Check, ...]:
    return tuple(Check(x, state.holds(x)) for x in literals)
