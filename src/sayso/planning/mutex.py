"""Which atoms may be true at once.

Reachability of pairs, h^2 (Haslum and Geffner, "Admissible heuristics for optimal planning",
AIPS 2000, section 3), with one mask of compatible facts for each fact: that an atom is true and,
for atoms that some action needs to be false, that it is false. What it calls exclusive never holds
together; what it calls compatible may still never do.
"""

from __future__ import annotations

from sayso.planning.grounding import GroundAction, GroundTask, bits

MAX_SIZE = 300_000
"""Actions times facts up to which pairs are looked at, which takes up to a tenth of a second."""


class Exclusion:
    """The pairs of a ground task's atoms that can never be true in one state.

    Where atoms and what has to be false are more than `MAX_SIZE` allows it thinks of what is true
    alone; of tasks that are larger still it knows no pairs.
    """

    def __init__(self, task: GroundTask) -> None:
        self._size, self._low = task.size, (1 << task.size) - 1
        self._watched = _needed_false(task)
        if len(task.actions) * (task.size + self._watched.bit_count()) > MAX_SIZE:
            self._watched = 0
        if len(task.actions) * task.size > MAX_SIZE:
            self._reached = self._low
            self._with = self._shown_with = [self._low] * task.size
            return
        initial = (task.initial | task.initial >> task.size) & self._low
        self._reached = initial | self._false(~initial)
        facts = 2 * task.size if self._watched else task.size
        self._with = [self._reached if self._reached >> i & 1 else 0 for i in range(facts)]
        changed = True
        while changed:
            changed = False
            for action in task.actions:
                if self.applicable(action):
                    changed |= self._apply(action)
        self._shown_with = self._with[:]
        for action in task.actions:
            if action.during_add and self.applicable(action):
                self._show(action)

    def applicable(self, action: GroundAction) -> bool:
        """Whether all that the action needs may hold at once."""
        needs = self._needs(action)
        return all(not needs & ~self._with[p] for p in bits(needs))

    def pair(self, atoms: list[int]) -> tuple[int, int] | None:
        """Two of the atoms that no letter of a trace shows true together, if there are such."""
        mask = sum(1 << a for a in set(atoms))
        for a in atoms:
            if never := mask & ~self._shown_with[a]:
                return a, bits(never)[0]
        return None

    def _false(self, mask: int) -> int:
        """The facts that those atoms of a mask are false of which this is of interest."""
        return (mask & self._watched) << self._size

    def _needs(self, action: GroundAction) -> int:
        return action.needs | self._false(action.forbids)

    def _apply(self, action: GroundAction) -> bool:
        changing = action.clear & self._low
        add = action.add | self._false(changing & ~action.add)
        kept = self._before(action) & ~(changing | self._false(changing))
        changed = False
        for a in bits(add):
            fresh = (kept | add) & ~self._with[a]
            if fresh:
                changed = True
                self._with[a] |= fresh
                for q in bits(fresh):
                    self._with[q] |= 1 << a
        self._reached |= add
        return changed

    def _show(self, action: GroundAction) -> None:
        """What is true together while the action runs."""
        beside = self._before(action) & self._low | action.during_add
        for d in bits(action.during_add):
            self._shown_with[d] |= beside
            for q in bits(beside):
                self._shown_with[q] |= 1 << d

    def _before(self, action: GroundAction) -> int:
        """The facts that may hold when the action begins."""
        mask = self._reached & ~(action.forbids & self._low)
        for p in bits(self._needs(action)):
            mask &= self._with[p]
        return mask


def _needed_false(task: GroundTask) -> int:
    """The atoms that some action needs to be false."""
    mask = 0
    for action in task.actions:
        mask |= action.forbids
    return mask & ((1 << task.size) - 1)
