"""A task on the kinematic play table by learned behaviours, through the project's own pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Atom, Check, Literal, SymbolicState
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.learning.behaviours.sights import IN_SIGHT
from sayso.logic.monitor import Progress
from sayso.mission.in_process import InProcessStages
from sayso.mission.stages import ReportSkill
from sayso.planning.finding import Find, finds, with_finds
from sayso.planning.in_the_now import InTheNowPlanner, ground_in_the_now
from sayso.planning.problem import PlanningProblem
from sayso.planning.relevance import FocusedPlanner
from sayso.planning.search import SearchPlanner
from sayso.worlds.kinematic_play.table import FailedError


class Table(Protocol):
    """What is acted on: the kinematic play table, or one that does as it does."""

    def scene(self) -> Scene:
        """What is seen now."""

    def do(self, behaviour: str, things: Mapping[str, str]) -> None:
        """Carry out what plays show under a label. Raises FailedError where it does not work."""


class PlayTableStages(InProcessStages):
    """The stages of one task; a behaviour moves things as most of its pieces of play do.

    Things that plays had, and that are not seen, may be somewhere: words may be about them, nothing
    is known of where they are, and what may show them is taken to.

    Args:
        learned: is planned with; its predicates tell what is so.
        geometric: whether needs in the now are looked at.
        finding: whether things that are not seen are looked for.
    """

    def __init__(
        self,
        table: Table,
        learned: LearnedBehaviours,
        geometric: bool = True,
        finding: bool = True,
    ) -> None:
        planner = FocusedPlanner(SearchPlanner())
        super().__init__(
            learned.library, planner=InTheNowPlanner(planner) if geometric else planner
        )
        self.table = table
        self.done: list[Action] = []
        self._motions = {b.name: _motion(b) for b in learned.behaviours}
        self._geometric = geometric
        self._things = learned.things if finding else {}
        self._finds: dict[str, Find] = {}
        self._tried: set[str] = set()
        self._scene = table.scene()

    @property
    def scene(self) -> Scene:
        """With all that there may be, unseen."""
        unseen = (replace(self._things[n], visible=False) for n in self._lost)
        return replace(self._scene, objects=(*self._scene.objects, *unseen))

    @property
    def _lost(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._things) - set(self._scene.by_name())))

    def look(self) -> None:
        self._scene = self.table.scene()
        if self._watched is not None:
            self.take_state(self._state())

    def _state(self) -> SymbolicState:
        return symbolic_state(self._scene, self.library.predicates, self._lost)

    def problem(
        self, state: SymbolicState, progress: Progress, excluded: frozenset[Action]
    ) -> PlanningProblem:
        known = super().problem(state, progress, excluded)
        here = self._scene.by_name()
        hidden = {n for n in self._things if n not in here or not here[n].visible}
        self._tried -= {n for n, f in self._finds.items() if f.thing not in hidden}
        some = finds(known, hidden, IN_SIGHT, self._tried)
        self._finds = {f.operator.name: f for f in some}
        return with_finds(known, some, self._kinds())

    def _kinds(self) -> frozenset[Atom]:
        """Of what kind the things are that are not seen."""
        things = (self._things[n] for n in self._lost)
        return frozenset(
            Atom(o.category, (o.name,)) for o in things if o.category in self.library.predicates
        )

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Raises PRECONDITION, EXECUTION where it does not work, and POSTCONDITION."""
        needed = {*action.preconditions, *self._now(action)}
        before = self._checked(needed)
        kinds = self._kinds()
        if wrong := tuple(c for c in before if not c.observed and c.literal.atom not in kinds):
            raise SaySoError(
                Code.PRECONDITION, f"{action} needs {wrong[0].literal}, which is not so.",
                checks=wrong,
            )  # fmt: skip
        started(before)
        label, roles = self._motions[action.skill]
        if action.name in self._finds:
            self._tried.add(action.name)
        self.done.append(action)
        try:
            self.table.do(label, {r: action.args[i] for r, i in roles.items()})
        except FailedError as error:
            raise SaySoError(Code.EXECUTION, f"{action}: {error}.") from error
        self.look()
        return self._expected(action)

    def _expected(self, action: Action) -> tuple[Check, ...]:
        effects = {*map(Literal, action.add), *(Literal(a, False) for a in action.delete)}
        after = self._checked(effects)
        if wrong := tuple(c for c in after if c.observed is False and c.literal.positive):
            text = f"after {action} it is not so that {wrong[0].literal}."
            raise SaySoError(Code.POSTCONDITION, text, checks=wrong)
        return after

    def _now(self, action: Action) -> tuple[Literal, ...]:
        if not self._geometric:
            return ()
        find = self._finds.get(action.name)
        operator = self.library.operators[find.base if find else action.name]
        return ground_in_the_now(operator, action.args, self._scene.by_name())

    def _checked(self, literals: set[Literal]) -> tuple[Check, ...]:
        state = self._state()
        return tuple(Check(x, state.holds(x)) for x in sorted(literals))


def _motion(behaviour: Behaviour) -> tuple[str, Mapping[str, int]]:
    """What most of its pieces show, and the parameter that stands for each role in it."""
    labels = Counter(p.demonstration.label for p in behaviour.pieces)
    label = labels.most_common(1)[0][0]
    piece = next(p for p in behaviour.pieces if p.demonstration.label == label)
    things = piece.said.things
    return label, {r: things.index(n) for r, n in piece.demonstration.things.items()}
