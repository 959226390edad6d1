"""A task on the kinematic play table by learned behaviours, through the project's own pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Literal
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.mission.in_process import InProcessStages
from sayso.mission.stages import ReportSkill
from sayso.planning.in_the_now import InTheNowPlanner, ground_in_the_now
from sayso.planning.relevance import FocusedPlanner
from sayso.planning.search import SearchPlanner
from sayso.worlds.kinematic_play.table import FailedError, PlayTable


class PlayTableStages(InProcessStages):
    """The stages of one task; a behaviour moves things as most of its pieces of play do.

    Args:
        learned: is planned with; its predicates tell what is so.
        geometric: whether needs in the now are looked at.
    """

    def __init__(
        self, table: PlayTable, learned: LearnedBehaviours, geometric: bool = True
    ) -> None:
        planner = FocusedPlanner(SearchPlanner())
        super().__init__(
            learned.library, planner=InTheNowPlanner(planner) if geometric else planner
        )
        self.table = table
        self.done: list[Action] = []
        self._motions = {b.name: _motion(b) for b in learned.behaviours}
        self._geometric = geometric
        self._scene = table.scene()

    @property
    def scene(self) -> Scene:
        return self._scene

    def look(self) -> None:
        self._scene = self.table.scene()
        self.take(self._scene)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Raises PRECONDITION, EXECUTION where it does not work, and POSTCONDITION."""
        needed = {*action.preconditions, *self._now(action)}
        before = self._checked(needed)
        if wrong := tuple(c for c in before if c.observed is False):
            raise SaySoError(
                Code.PRECONDITION, f"{action} needs {wrong[0].literal}, which is not so.",
                checks=wrong,
            )  # fmt: skip
        started(before)
        label, roles = self._motions[action.skill]
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
        operator = self.library.operators[action.name]
        return ground_in_the_now(operator, action.args, self._scene.by_name())

    def _checked(self, literals: set[Literal]) -> tuple[Check, ...]:
        state = symbolic_state(self._scene, self.library.predicates)
        return tuple(Check(x, state.holds(x)) for x in sorted(literals))


def _motion(behaviour: Behaviour) -> tuple[str, Mapping[str, int]]:
    """What most of its pieces show, and the parameter that stands for each role in it."""
    labels = Counter(p.demonstration.label for p in behaviour.pieces)
    label = labels.most_common(1)[0][0]
    piece = next(p for p in behaviour.pieces if p.demonstration.label == label)
    things = piece.said.things
    return label, {r: things.index(n) for r, n in piece.demonstration.things.items()}
