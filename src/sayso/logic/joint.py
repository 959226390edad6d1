"""Automata that read one trace side by side, and whether all of them can still accept it.

A conjunction's automaton has a state for every combination of its conjuncts' states: a thousand
for ten goals in any order. Whether something is accepted by all of them is found out without it.
What a conjunct is like decides how hard that is:

- an *invariant* says the same of every step, such as `G(!p)`;
- an *insistent* one is no worse off whatever happens, such as `F(p & F(q))`: what would fulfil it
  fulfils it after any other steps too, and what is fulfilled stays so;
- all others, such as `!p U q` or `G(p -> F(q))`, depend on what happens when.

Where there are only invariants and insistent ones, a word that fulfils each of the latter alone
and keeps to the invariants can follow the other: none contradicts the rest. Only where others
are among them their combined states are searched, on the fly, and only together with what shares
propositions with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sayso.core.errors import SaySoError
from sayso.logic.automaton import Automaton
from sayso.logic.diagrams import Budget, value
from sayso.logic.formula import Prop

States = tuple[int, ...]
"""One state for each automaton."""

MOST_WORK = 1_000_000
"""Decisions looked at to find a word that all accept: half a second or so."""
_FIRST_TRY = 30_000
"""After so many, parts of a task are tried before all of it is searched on."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Automata side by side.

    Attributes:
        order: a number for each proposition; each automaton's own come in this order.
    """

    automata: tuple[Automaton, ...]
    order: Mapping[Prop, int]
    _known: dict[tuple[tuple[int, ...], States, bool], bool] = field(
        default_factory=dict, repr=False
    )

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of automata that share propositions, directly or through others."""
        return tuple(map(tuple, self._groups(range(len(self.automata)))))

    def successors(self, states: States, budget: Budget) -> Iterator[States]:
        """Each combination of states that one letter leads to, without those with a trap.

        Raises:
            SaySoError: UNSUPPORTED where there are too many for the budget.
        """
        return _successors(self, self.automata, states, budget)

    def satisfiable(self, members: Sequence[int], states: States, begun: bool = True) -> bool:
        """Whether some continuation is accepted by some of the automata together.

        Args:
            members: their numbers.
            states: where each of them is.
            begun: whether a step was read already, so that the trace may end here.

        Raises:
            SaySoError: UNSUPPORTED where that takes too many decisions to find out.
        """
        key = (tuple(members), states, begun)
        if key not in self._known:
            self._known[key] = self._decide(dict(zip(members, states, strict=True)), begun)
        return self._known[key]

    def _decide(self, states: Mapping[int, int], begun: bool) -> bool:
        pairs = [(self.automata[i], q) for i, q in states.items()]
        if any(a.is_trap(q) for a, q in pairs):
            return False
        if begun and all(a.is_accepting(q) for a, q in pairs):
            return True
        still = [i for i, q in states.items() if not (begun and self.automata[i].is_safe_sink(q))]
        *_, others = self._kinds(still, states)
        # How many steps there are concerns all parts, whatever they are about.
        one = others and any(self.automata[i].counts_steps for i in still)
        budget = Budget(MOST_WORK)
        return all(
            self._together(*self._kinds(group, states), _Search(self, states, begun, budget))
            for group in ([still] if one else self._groups(still))
        )

    def _kinds(
        self, members: Sequence[int], states: Mapping[int, int]
    ) -> tuple[list[int], list[int], list[int]]:
        """The invariants, the insistent automata and the others among some."""
        fixed = [i for i in members if self.automata[i].is_invariant(states[i])]
        rest = [i for i in members if i not in fixed]
        insistent = [i for i in rest if self.automata[i].insistent]
        return fixed, insistent, [i for i in rest if i not in insistent]

    def _together(
        self, fixed: list[int], insistent: list[int], others: list[int], search: _Search
    ) -> bool:
        """Whether automata that share propositions accept a common word."""
        if not others:
            rules = [(self._about(g), g) for g in self._groups(fixed)]
            alone = (
                [i, *(r for props, g in rules if props & self._about([i]) for r in g)]
                for i in insistent
            )
            return all(map(search.finds, (*(g for _, g in rules), *alone)))
        whole = [*others, *insistent, *fixed]
        with suppress(SaySoError):
            return replace(search, budget=Budget(_FIRST_TRY)).finds(whole)
        # Smaller parts of what contradicts itself are searched to the end sooner.
        smaller = ([], *([i] for i in insistent))
        return all(search.finds([*others, *extra, *fixed]) for extra in smaller) and search.finds(
            whole
        )

    def _about(self, members: Collection[int]) -> frozenset[Prop]:
        return frozenset(p for i in members for p in self.automata[i].propositions)

    def _groups(self, members: Collection[int]) -> list[list[int]]:
        """Automata that share propositions, directly or through others."""
        groups: list[tuple[set[Prop], list[int]]] = []
        for i in members:
            props, numbers = set(self.automata[i].propositions), [i]
            apart = []
            for other in groups:
                if props & other[0]:
                    props, numbers = props | other[0], [*other[1], *numbers]
                else:
                    apart.append(other)
            groups = [*apart, (props, numbers)]
        return [sorted(numbers) for _, numbers in groups]


@dataclass(frozen=True, eq=False)
class _Search:
    """A search for a word that some of the automata accept from where they are."""

    joint: Joint
    states: Mapping[int, int]
    begun: bool
    budget: Budget

    def finds(self, members: Sequence[int]) -> bool:
        """Whether these automata accept a common word, by depth-first search."""
        automata = [self.joint.automata[i] for i in members]
        start = tuple(self.states[i] for i in members)

        def accepted(at: States) -> bool:
            return all(a.is_accepting(q) for a, q in zip(automata, at, strict=True))

        if self.begun and accepted(start):
            return True
        seen: set[States] = set()
        stack = [_successors(self.joint, automata, start, self.budget)]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
            elif following not in seen:
                if accepted(following):
                    return True
                seen.add(following)
                stack.append(_successors(self.joint, automata, following, self.budget))
        return False


def _successors(
    joint: Joint, automata: Sequence[Automaton], states: States, budget: Budget
) -> Iterator[States]:
    """Each combination of states that one letter leads the automata to, without traps.

    True propositions come first: mostly they bring the end nearer.
    """
    variables = [[joint.order[p] for p in a.propositions] for a in automata]
    start = tuple(a.roots[q] for a, q in zip(automata, states, strict=True))
    if any(d < 0 and a.is_trap(value(d)) for a, d in zip(automata, start, strict=True)):
        return
    todo = [(start, tuple(i for i, d in enumerate(start) if d >= 0))]
    seen: set[tuple[int, ...]] = set()
    while todo:
        diagrams, undecided = todo.pop()
        if diagrams in seen:
            continue
        seen.add(diagrams)
        budget.spend(1 + len(undecided))
        if not undecided:
            yield tuple(map(value, diagrams))
            continue
        asked = [(variables[i][automata[i].nodes[diagrams[i]][0]], i) for i in undecided]
        first = min(asked)[0]
        tests = [i for variable, i in asked if variable == first]
        for branch in (1, 2):
            after = list(diagrams)
            for i in tests:
                after[i] = automata[i].nodes[diagrams[i]][branch]
            if not any(after[i] < 0 and automata[i].is_trap(value(after[i])) for i in tests):
                todo.append((tuple(after), tuple(i for i in undecided if after[i] >= 0)))
