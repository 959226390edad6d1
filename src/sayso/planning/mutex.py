"""Which atoms may be true at once.

Reachability of pairs, h^2 (Haslum and Geffner, "Admissible heuristics for optimal planning",
AIPS 2000, section 3), over true atoms, with one mask of compatible atoms for each atom. What it
calls exclusive never holds together; what it calls compatible may still never do.
"""

from __future__ import annotations

from sayso.planning.grounding import GroundAction, GroundTask, bits

MAX_SIZE = 100_000
"""Actions times atoms up to which pairs are looked at, which takes up to a tenth of a second."""


class Exclusion:
    """The pairs of a ground task's atoms that can never be true in one state.

    For tasks beyond `MAX_SIZE` it knows of none.
    """

    def __init__(self, task: GroundTask) -> None:
        self._low = (1 << task.size) - 1
        if len(task.actions) * task.size > MAX_SIZE:
            self._with = self._shown_with = [self._low] * task.size
            return
        initial = (task.initial | task.initial >> task.size) & self._low
        self._with = [initial if initial >> i & 1 else 0 for i in range(task.size)]
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
        """Whether all that the action needs may be true at once."""
        needs = action.needs
        return all(not needs & ~self._with[p] for p in bits(needs))

    def pair(self, atoms: list[int]) -> tuple[int, int] | None:
        """Two of the atoms that no letter of a trace shows true together, if there are such."""
        mask = sum(1 << a for a in set(atoms))
        for a in atoms:
            if never := mask & ~self._shown_with[a]:
                return a, bits(never)[0]
        return None

    def _apply(self, action: GroundAction) -> bool:
        kept = self._before(action) & ~action.clear
        changed = False
        for a in bits(action.add):
            fresh = (kept | action.add) & ~self._with[a]
            if fresh:
                changed = True
                self._with[a] |= fresh
                for q in bits(fresh):
                    self._with[q] |= 1 << a
        return changed

    def _show(self, action: GroundAction) -> None:
        """What is true together while the action runs."""
        beside = self._before(action) | action.during_add
        for d in bits(action.during_add):
            self._shown_with[d] |= beside
            for q in bits(beside):
                self._shown_with[q] |= 1 << d

    def _before(self, action: GroundAction) -> int:
        """The atoms that may be true when the action begins."""
        mask = self._low & ~action.forbids
        for p in bits(action.needs):
            mask &= self._with[p]
        reached = 0
        for q in bits(mask):
            if self._with[q]:
                reached |= 1 << q
        return reached
