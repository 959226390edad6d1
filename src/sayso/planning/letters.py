"""What the task reads while actions run: the other half of the product that is searched.

A proposition that was not observed makes several worlds possible; the task is followed in
all of them at once, so that a plan holds whichever is real.
"""

from __future__ import annotations

from itertools import combinations

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression
from sayso.planning.grounding import GroundAction, GroundTask
from sayso.planning.problem import PlanningProblem

TRAP = -1
MAX_UNKNOWN = 8
"""Unknown propositions that are followed at once: 2^8 worlds."""


def letter_atoms(task: Progression) -> tuple[Atom, ...]:
    """The atoms that a task's propositions stand for.

    Raises:
        SaySoError: INVALID if a proposition still holds a referent.
    """
    for prop in task.propositions:
        if not prop.grounded:
            raise SaySoError(
                Code.INVALID,
                f"'{prop.predicate}' is about a description, not an object of the scene.",
                hint="ground the specification before planning.",
            )
    return tuple(map(prop_atom, task.propositions))


class LetterReader:
    """Follows a specification along states of a ground task.

    A *belief* is a small number for where its parts stand in each possible world; `TRAP` means
    that in some world they cannot all be fulfilled any more.
    """

    def __init__(self, problem: PlanningProblem, task: GroundTask) -> None:
        self.specification = problem.task
        self._size = task.size
        atoms = letter_atoms(problem.task)
        bits = [1 << task.index[a] for a in atoms]
        self._props = list(zip(bits, problem.task.propositions, strict=True))
        self.mask = task.both(atoms)
        self._worlds = _worlds(task.initial >> task.size, bits)
        self._beliefs: list[tuple[States, ...]] = []
        self._accepting: list[bool] = []
        self._numbers: dict[tuple[States, ...], int] = {}
        self._memo: dict[tuple[int, int], int] = {}
        self.start = self._start(problem.states, task.initial)

    def read(self, belief: int, state: int) -> int:
        """The belief after one letter."""
        key = (belief, state & self.mask)
        known = self._memo.get(key)
        if known is None:
            known = self._memo[key] = self._read(self._beliefs[belief], state)
        return known

    def run(self, belief: int, before: int, action: GroundAction, after: int) -> int:
        """The belief after the letters of one action: while it runs, if that shows, and after."""
        if action.during_add:
            during = before & ~action.during_clear | action.during_add
            if (during ^ before) & self.mask:
                belief = self.read(belief, during)
                if belief == TRAP:
                    return TRAP
        return self.read(belief, after)

    def accepting(self, belief: int) -> bool:
        """Whether the trace may end here in every world."""
        return self._accepting[belief]

    def states(self, belief: int) -> States:
        """Where the parts stand in the world where every unknown proposition is false."""
        return self._beliefs[belief][0]

    def _start(self, states: States | None, initial: int) -> int:
        if states is not None:
            return self._intern((states,) * len(self._worlds))
        return self._read((self.specification.initial,) * len(self._worlds), initial)

    def _read(self, belief: tuple[States, ...], state: int) -> int:
        valuations = (self._valuation(state, world) for world in self._worlds)
        return self._intern(tuple(map(self.specification.step, belief, valuations)))

    def _valuation(self, state: int, world: int) -> frozenset[Prop]:
        true = state | (world & state >> self._size)
        return frozenset(p for bit, p in self._props if bit & true)

    def _intern(self, belief: tuple[States, ...]) -> int:
        number = self._numbers.get(belief)
        if number is None:
            task = self.specification
            if not all(map(task.can_go_on, belief)):
                number = self._numbers[belief] = TRAP
            else:
                number = self._numbers[belief] = len(self._beliefs)
                self._beliefs.append(belief)
                self._accepting.append(all(map(task.is_done, belief)))
        return number


def _worlds(unknown: int, bits: list[int]) -> tuple[int, ...]:
    """Every choice of which unknown propositions are true, as masks; none true first."""
    open_bits = [bit for bit in bits if bit & unknown]
    if len(open_bits) > MAX_UNKNOWN:
        raise SaySoError(
            Code.UNSUPPORTED,
            f"the truth of {len(open_bits)} propositions of the task is unknown, "
            f"at most {MAX_UNKNOWN} can be planned for.",
            hint="let the cameras see the objects that the task names.",
        )
    return tuple(
        sum(chosen)
        for count in range(len(open_bits) + 1)
        for chosen in combinations(open_bits, count)
    )
