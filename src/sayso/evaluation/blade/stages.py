"""A task at a play table by learned behaviours, through the project's own pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Atom, Check, Literal, Plan
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.learning.behaviours.sights import IN_SIGHT
from sayso.logic.progression import progression_of
from sayso.logic.text import parse
from sayso.mission.in_process import Confirm, InProcessStages, say_yes
from sayso.mission.new_objects import untouchable
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.planning.hidden_things import Search
from sayso.planning.in_the_now import InTheNowPlanner
from sayso.planning.problem import PlanningProblem
from sayso.planning.relevance import FocusedPlanner
from sayso.planning.search import SearchPlanner
from sayso.reporting.events import Understanding
from sayso.skills import contract
from sayso.skills.watch import TaskWatch
from sayso.worlds.kinematic_play.table import FailedError, PlayTable


class Table(Protocol):
    """What is acted on, in physics or without."""

    def seen(self) -> Scene:
        """What is known of it now, by what was seen."""

    def look(self) -> None:
        """Look anew."""

    def now_s(self) -> float:
        """On the clock of the scenes' stamps."""

    def follow(self, take: Callable[[Scene], None]) -> None:
        """From now on each new scene is handed on."""

    def carry_out(
        self, action: Action, watch: TaskWatch, avoid: frozenset[str], started: ReportSkill
    ) -> tuple[Check, ...]:
        """Do it, if its preconditions are seen to hold; its effects as they are seen then.

        Raises:
            SaySoError: as `skills.execute.SkillExecutor.execute`.
        """


def unwatched(predicates: Mapping[str, Predicate]) -> TaskWatch:
    """For what is done by itself: nothing is to be reached, and nothing forbidden."""
    return TaskWatch(progression_of(parse("true", grounded=True)), predicates)


class PlayTableStages(InProcessStages):
    """The stages of one task, done by behaviours that were learned from play.

    Things that plays had, and that are not seen, may be somewhere: words may be about them, nothing
    is known of where they are, and what may show them is taken to.

    Args:
        learned: is planned with; its predicates tell what is so.
        geometric: whether needs in the now are looked at.
        finding: whether things that are not seen are looked for.
        confirm: the person.
        replanning: whether another plan follows on the first of a task.
    """

    def __init__(
        self,
        table: Table,
        learned: LearnedBehaviours,
        geometric: bool = True,
        finding: bool = True,
        confirm: Confirm = say_yes,
        replanning: bool = True,
    ) -> None:
        planner = FocusedPlanner(SearchPlanner())
        super().__init__(
            learned.library, confirm, planner=InTheNowPlanner(planner) if geometric else planner
        )
        self.done: list[Action] = []
        self._geometric, self._finding = geometric, finding
        self._plans_left = None if replanning else 1
        self._search = Search(IN_SIGHT)
        self.use(table, learned)

    def use(self, table: Table, learned: LearnedBehaviours) -> None:
        """From the next task on what was learned since, by who carries it out."""
        self._table = table
        self._things = learned.things if self._finding else {}
        self.take_over(learned.library)
        table.follow(self.take)

    @property
    def scene(self) -> Scene:
        """With all that there may be, unseen."""
        seen = self._table.seen()
        unseen = (replace(self._things[n], visible=False) for n in self._lost(seen))
        return replace(seen, objects=(*seen.objects, *unseen))

    def _lost(self, seen: Scene) -> tuple[str, ...]:
        return tuple(sorted(set(self._things) - set(seen.by_name())))

    def now_s(self) -> float:
        return self._table.now_s()

    def look(self) -> None:
        self._table.look()

    def take(self, scene: Scene) -> None:
        if self._watched is not None:
            self.take_state(symbolic_state(scene, self.library.predicates, self._lost(scene)))

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        if self._plans_left is not None:
            if not self._plans_left:
                text = "the one plan of this task is at its end, and its goal is not seen."
                raise SaySoError(Code.NO_PLAN, text, hint="let plans be made anew.")
            self._plans_left -= 1
        return super().plan(understanding, request)

    def problem(self, request: PlanRequest) -> PlanningProblem:
        known = super().problem(request)
        here = self._table.seen().by_name()
        hidden = {n for n in self._things if n not in here or not here[n].visible}
        return self._search.extended(known, hidden, self._kinds())

    def _kinds(self) -> frozenset[Atom]:
        """Of what kind the things are that are not seen."""
        things = (self._things[n] for n in self._lost(self._table.seen()))
        return frozenset(
            Atom(o.category, (o.name,)) for o in things if o.category in self.library.predicates
        )

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Raises as `Table.carry_out`. What is needed in the now is looked at, too; that a thing
        that is looked for is not found is no failure. What it ends of all things alike is what is
        planned with, and not asked of it: some of them nobody has seen."""
        operator = self.library.operators[self._search.base(action)]
        binding = dict(zip(operator.parameters, action.args, strict=True))
        wanted = replace(
            action,
            preconditions=action.preconditions.difference(map(Literal, self._kinds())),
            in_the_now=action.in_the_now if self._geometric else frozenset(),
            add=frozenset(a.substitute(binding) for a in operator.add),
            delete=frozenset(a.substitute(binding) for a in operator.delete if operator.binds(a)),
        )
        avoid = untouchable(self.new_objects.understanding)
        try:
            checks = self._table.carry_out(wanted, self.task_watch, avoid, started)
        except SaySoError as error:
            if error.code is Code.POSTCONDITION:
                self._note(action)
            raise
        self._note(action)
        return checks

    def _note(self, action: Action) -> None:
        """That it was done, and what it may have shown was looked at."""
        self.done.append(action)
        self._search.looked(action)


class KinematicTable:
    """The play table without physics: a behaviour moves things as most of its pieces of play do."""

    def __init__(self, table: PlayTable, learned: LearnedBehaviours) -> None:
        self._table = table
        self._predicates = learned.library.predicates
        self._motions = {b.name: _motion(b) for b in learned.behaviours}
        self._take: Callable[[Scene], None] = lambda _: None
        self._scene = table.scene()

    def seen(self) -> Scene:
        return self._scene

    def now_s(self) -> float:
        return self._scene.stamp_s

    def follow(self, take: Callable[[Scene], None]) -> None:
        self._take = take

    def look(self) -> None:
        self._scene = self._table.scene()
        self._take(self._scene)

    def carry_out(
        self, action: Action, watch: TaskWatch, avoid: frozenset[str], started: ReportSkill
    ) -> tuple[Check, ...]:
        """As `Table` says. What was to end is not asked about: only what was to come about."""
        contract.require_known(self._scene, action.args, avoid)
        before = contract.check(
            self._scene, sorted(action.needs(self._scene.by_name())), self._predicates
        )
        started(before)
        contract.require(before, Code.PRECONDITION, f"{action} cannot start")
        label, roles = self._motions[action.skill]
        try:
            self._table.do(label, {r: action.args[i] for r, i in roles.items()})
        except FailedError as error:
            raise SaySoError(Code.EXECUTION, f"{action}: {error}.") from error
        self.look()
        after = contract.check(self._scene, contract.effects(action), self._predicates)
        contract.require(after, Code.POSTCONDITION, f"{action} did not have its effect")
        return after


def _motion(behaviour: Behaviour) -> tuple[str, Mapping[str, int]]:
    """What most of its pieces show, and the parameter that stands for each role in it."""
    labels = Counter(p.demonstration.label for p in behaviour.pieces)
    label = labels.most_common(1)[0][0]
    piece = next(p for p in behaviour.pieces if p.demonstration.label == label)
    things = piece.said.things
    return label, {r: things.index(n) for r, n in piece.demonstration.things.items()}
