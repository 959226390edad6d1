"""The stages of a task whose plan is a program; all but the plan is done as in the world at hand.

What the program would bring about is a goal beside what the words ask for, so that the task is over
when that was observed. Failures are mended by the repairers, which keep to the program's plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import Embedder
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal, Plan, PlanStep, SymbolicState
from sayso.logic.formula import Eventually, Formula, Top, conjunction, of_literal
from sayso.logic.monitor import Progress
from sayso.logic.progression import progression_of
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.programs.finding import FindSettings
from sayso.mission.programs.functions import described, listed
from sayso.mission.programs.outcome import Rehearsed, rehearse
from sayso.mission.programs.surroundings import Surroundings
from sayso.mission.programs.writing import ProgramContext, Programmer
from sayso.mission.stages import Answer, Lesson, PlanRequest, ReportSkill, Stages
from sayso.perception.describe import describe_scene
from sayso.perception.scene_graph import scene_graph
from sayso.perception.settings import GroundingSettings
from sayso.planning.problem import PROGRAM, PlanningProblem, observed_problem
from sayso.planning.repair import Repairer
from sayso.planning.validate import validate
from sayso.planning.words import fact, joined
from sayso.reporting.events import Understanding

_OPENING = re.compile(r"""\s*(?:#[^\n]*\n\s*)*("{3}|'{3})(.*?)\1""", re.DOTALL)


def words_of(source: str) -> str:
    """What a program is for: its docstring; "" if it has none."""
    opening = _OPENING.match(source)
    return " ".join(opening[2].split()) if opening else ""


class ProgramStages(Stages):
    """Programs in the place of a planner.

    Args:
        world: the stages of the world at hand.
        programmer: gives the program, and another one where it comes to nothing.
        library: the robot's, which grows where it is taught.
        look: the scene as it is observed.
        embedder: says which descriptions of things are alike.
        relations: whether the scene's text, for the programmer, tells how things lie to each other.
    """

    def __init__(
        self,
        world: Stages,
        programmer: Programmer,
        library: Callable[[], Library],
        look: Callable[[], Scene],
        embedder: Embedder,
        *,
        relations: bool = True,
    ) -> None:
        self._relations = relations
        self._world = world
        self._programmer = programmer
        self._known = library
        self._look = look
        self._embedder = embedder
        self._settings = FindSettings(place=GroundingSettings(library().vocabulary.places))
        self._instruction = ""
        self._said: Understanding | None = None  # the words alone, without what a program does
        self._source: str | None = None
        self._happened: list[str] = []
        self._acted = False

    @property
    def _library(self) -> Library:
        return self._known()

    def interpret(self, instruction: str) -> Understanding:
        """What the words ask for, and what the program would bring about, step by step.

        Raises:
            SkillLackingError: with what is to be shown, where skills have to be taught first.
            SaySoError: as `rehearse`, the programmer and the world do.
        """
        self._instruction = instruction
        try:
            self._said = self._world.interpret(instruction) if instruction else None
        except SaySoError as error:
            if error.code not in _NOT_KNOWN:
                raise
            self._written(Top())  # raises what has to be taught, which may be why
            raise
        return self._with_outcome(self._said)

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        """The words corrected, and a program that fulfils them."""
        self._happened.append(f"The person said: {words}")
        self._said = self._world.correct(self._said or understanding, words)
        return self._with_outcome(self._said)

    def confirm(self, understanding: Understanding) -> Answer:
        return self._world.confirm(understanding)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        return self._world.watch(understanding)

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        return self._world.notice(understanding)

    def observe(self) -> tuple[SymbolicState, Progress]:
        return self._world.observe()

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """What the program does from what is observed now, validated; where one was carried out
        before, that of the next.

        Raises:
            SaySoError: as `rehearse`, `validate` and the programmer do.
        """
        problem = self.remaining(request)
        if problem is None:
            raise SaySoError(Code.UNSUPPORTED, "this world does not plan by operators.")
        if self._source is None or self._acted:
            self._source = self._asked(problem)
        plan = self._rehearsed(self._source, problem).plan
        validate(plan, problem)
        self._acted = False
        return plan

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        return self._world.remaining(request)

    def meant_now(
        self, steps: tuple[PlanStep, ...], seen: SymbolicState | None = None
    ) -> tuple[PlanStep, ...]:
        return self._world.meant_now(steps, seen)

    def repairers(
        self, solve: Callable[[PlanningProblem], Plan], *, keep_plan: bool
    ) -> Sequence[Repairer]:
        return self._world.repairers(solve, keep_plan=keep_plan)

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        self._acted = True
        try:
            checks = self._world.execute(action, step, attempt, started)
        except SaySoError as error:
            self._happened.append(f"{action} failed: {error.message}")
            raise
        self._happened.append(f"{action} was done.")
        return checks

    def lesson(self, skill: str) -> Lesson | None:
        return self._world.lesson(skill)

    def cancelled(self) -> bool:
        return self._world.cancelled()

    def possible_violations(self) -> tuple[str, ...]:
        return self._world.possible_violations()

    def _with_outcome(self, said: Understanding | None) -> Understanding:
        """The understanding of the words, with what the program does and brings about."""
        if said is not None and said.trouble is not None:
            return said
        problem, done = self._written(said.specification.formula if said else Top())
        brought = _brought_about(problem, done, self._library)
        goal = Eventually(conjunction(*map(of_literal, brought))) if brought else Top()
        facts = joined(fact(x, self._library.predicates) for x in brought)
        outcome = f"After the program, {facts}." if facts else "The program leaves all as it is."
        return _understanding(said, goal, outcome, done.words)

    def _written(self, task: Formula) -> tuple[PlanningProblem, Rehearsed]:
        """A program for a task that begins now, and what it does."""
        state = symbolic_state(self._look(), self._library.predicates)
        problem = observed_problem(self._library, state, progression_of(task), None)
        self._source = self._asked(problem)
        done = self._rehearsed(self._source, problem)
        done.require_taught()
        return problem, done

    def _asked(self, problem: PlanningProblem) -> str:
        graph = scene_graph(self._look(), self._settings.place)
        context = ProgramContext(
            self._instruction, describe_scene(graph, relations=self._relations),
            listed(self._library), described(self._library), tuple(self._happened), self._acted,
        )  # fmt: skip
        return self._programmer.program(
            context, lambda source: self._rehearsed(source, problem).require_fulfilled(problem)
        )

    def _rehearsed(self, source: str, problem: PlanningProblem) -> Rehearsed:
        around = Surroundings(self._library, self._look(), problem, self._embedder, self._settings)
        return rehearse(source, around)


_NOT_KNOWN = (Code.NOT_UNDERSTOOD, Code.UNSUPPORTED)


def _understanding(
    said: Understanding | None, goal: Formula, outcome: str, steps: tuple[str, ...]
) -> Understanding:
    structure = tuple(f"{s[0].upper()}{s[1:]}." for s in steps)
    if said is None:
        spec = Specification("", goal, PROGRAM)
        return Understanding(GroundedSpecification(spec, goal), outcome, structure)
    grounded = said.specification
    spec = grounded.specification
    both = replace(
        grounded,
        specification=replace(spec, formula=conjunction(spec.formula, goal)),
        formula=conjunction(grounded.formula, goal),
    )
    return Understanding(both, f"{said.english} {outcome}", structure)


def _brought_about(
    problem: PlanningProblem, done: Rehearsed, library: Library
) -> tuple[Literal, ...]:
    """What is so in the end and was not before, of all that can be asked for in words.

    What is not so any more counts where nothing new is so: a thing that was only let go.
    """
    wanted = (w for a in library.vocabulary.actions for step in a.goal for w in step)
    asked = {(w.predicate, w.positive) for w in wanted}
    made = {Literal(a) for s in done.steps for a in s.action.add}
    made |= {Literal(a, False) for s in done.steps for a in s.action.delete}
    new = sorted(
        x for x in made
        if (x.atom in problem.initial) != x.positive
        and done.end.holds(x)
        and (x.atom.predicate, x.positive) in asked
    )  # fmt: skip
    return tuple(x for x in new if x.positive) or tuple(new)
