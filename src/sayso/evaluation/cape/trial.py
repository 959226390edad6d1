"""One task being carried out: the world, what was done of the plan, and where the goal stands."""

from __future__ import annotations

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression, progression_of
from sayso.worlds.virtualhome.goals import read_goal
from sayso.worlds.virtualhome.tasks import Task
from sayso.worlds.virtualhome.world import VirtualHome, step_of

MOST_EXPANSIONS = 20_000
"""States that a search for a plan looks into: figures do not depend on how busy a machine is."""


class Trial:
    """A task from its beginning; `take` goes on by one action.

    Attributes:
        states: where the parts of the goal stand.
        taken: actions that were carried out.
    """

    def __init__(self, task: Task) -> None:
        self.world = VirtualHome(task)
        self.goal: Progression = progression_of(read_goal(task.goal))
        self.states: States = self.goal.initial
        self.taken: list[Action] = []
        self._read(self.world.observe().true_atoms())

    @property
    def correct(self) -> bool:
        """Whether the goal is reached if the trace ends here, by the automaton.

        Raises:
            SaySoError: POSTCONDITION where the simulator's graph says otherwise.
        """
        done = self.goal.is_done(self.states)
        if done != self.world.reached():
            raise SaySoError(
                Code.POSTCONDITION,
                f"the automaton says that the goal is {'' if done else 'not '}reached, and the "
                "simulator's graph says the opposite.",
            )
        return done

    def take(self, action: Action) -> None:
        """Carries an action out. Raises what `VirtualHome.act` raises; then nothing has changed."""
        before = self.world.observe().true_atoms()
        self.world.act(step_of(action))
        self.taken.append(action)
        if self._letter(before | action.during) != self._letter(before):
            self._read(before | action.during)
        self._read(self.world.observe().true_atoms())

    def _read(self, true: frozenset[Atom]) -> None:
        self.states = self.goal.step(self.states, self._letter(true))

    def _letter(self, true: frozenset[Atom]) -> frozenset[Prop]:
        return frozenset(p for p in self.goal.propositions if prop_atom(p) in true)
