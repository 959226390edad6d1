"""Follow a task along the observed trace, with three-valued observations.

A step of the trace is a change in the valuation of the task's propositions, or the end of a
skill; whoever counts steps does it here.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, SymbolicState
from sayso.logic.analysis import remaining
from sayso.logic.automaton import Automaton
from sayso.logic.english import read_back
from sayso.logic.formula import Formula, Not, Prop
from sayso.logic.joint import States
from sayso.logic.progression import Letter, Possible, Progression, Verdict, letters
from sayso.logic.shown import MOST_ALONE
from sayso.logic.text import to_text

Truths = Mapping[Atom, "bool | None"]

MOST_COMBINATIONS = 256
MOST_UNKNOWN = 8
"""Unknown propositions of parts that belong together which are followed in all combinations;
with more at once, or more combinations of states than `MOST_COMBINATIONS` by and by, each part is
followed for itself, and more states seem possible than are."""


@dataclass(frozen=True)
class Progress:
    """Where the observed trace stands.

    Attributes:
        states: of each part of the task, the one to reckon with (`Progression.reckoned`).
        verdict: see `Verdict`.
        possibly_violated: some completion of the trace can no longer fulfil the task.
        steps: length of the trace.
        committed: whether the last observation was a new step.
        true, unknown: propositions in the last observation; all others were false.
        remaining: obligations still open, in English; of an endless task, in this round.
        rounds: of an endless task that are over.
    """

    states: States
    verdict: Verdict
    possibly_violated: bool
    steps: int
    committed: bool
    true: tuple[Prop, ...]
    unknown: tuple[Prop, ...]
    remaining: tuple[str, ...]
    rounds: int = 0


def prop_atom(prop: Prop) -> Atom:
    """The ground atom that a grounded proposition is about."""
    return Atom(prop.predicate, tuple(map(str, prop.args)))


@dataclass(frozen=True)
class _Group:
    """Parts that belong together, and their combinations of states that are possible.

    Each combination comes with the letter that led there where steps are counted: for parts
    that do not count them reading a letter twice is reading it once, and it is left out (None).
    A loose group is one part that was cut off from others; where it counts steps, any
    observation may be a step or none.
    """

    task: Progression
    members: tuple[int, ...]
    counts: bool
    propositions: tuple[Prop, ...]
    current: frozenset[tuple[States, Letter | None]]
    loose: bool = False

    @staticmethod
    def of(task: Progression) -> tuple[_Group, ...]:
        """The groups before the first step: parts that share propositions, or all of them."""
        if any(a.counts_steps for a in task.automata):
            return (_group(task, range(len(task.parts)), True),)
        return tuple(_group(task, members, False) for members in task.joint.groups())

    def after(self, known: Mapping[Prop, bool], boundary: bool) -> tuple[_Group, ...]:
        """What is possible after an observation of some propositions."""
        unknown = [p for p in self.propositions if p not in known]
        if self.loose:
            return (self._loosely_after(known),)
        if not unknown and not self.counts:
            return (self._certainly_after(frozenset(p for p in self.propositions if known[p])),)
        if len(unknown) > MOST_UNKNOWN:
            return tuple(g._loosely_after(known) for g in self.loosened())
        found: set[tuple[States, Letter | None]] = set()
        for letter in letters({p: known[p] for p in self.propositions if p in known}, unknown):
            found.update(
                self._read(states, last, letter, boundary) for states, last in self.current
            )
            if len(found) > MOST_COMBINATIONS:
                return tuple(g._loosely_after(known) for g in self.loosened())
        return (replace(self, current=frozenset(found)),)

    def _certainly_after(self, letter: Letter) -> _Group:
        found = frozenset(self._read(states, None, letter, True) for states, _ in self.current)
        return self if found == self.current else replace(self, current=found)

    def _read(
        self, states: States, last: Letter | None, letter: Letter, boundary: bool
    ) -> tuple[States, Letter | None]:
        if self.counts and letter == last and not boundary:
            return states, last
        automata = self.task.automata
        pairs = zip(self.members, states, strict=True)
        return tuple(automata[i].step(q, letter) for i, q in pairs), letter if self.counts else None

    def apart(self) -> tuple[_Group, ...]:
        """Each part for itself."""
        return tuple(
            replace(
                self,
                members=(i,),
                current=frozenset(((states[k],), last) for states, last in self.current),
            )
            for k, i in enumerate(self.members)
        )

    def loosened(self) -> tuple[_Group, ...]:
        """Each part for itself, whatever others make of the same observation."""
        return tuple(
            replace(
                group,
                current=frozenset((states, None) for states, _ in group.current),
                counts=self.task.automata[group.members[0]].counts_steps,
                loose=True,
            )
            for group in self.apart()
        )

    def _loosely_after(self, known: Mapping[Prop, bool]) -> _Group:
        automaton = self.task.automata[self.members[0]]
        found = {
            ((q,), None) for (s,), _ in self.current for q in automaton.possible_steps(s, known)
        }
        return replace(self, current=frozenset(found) | (self.current if self.counts else set()))

    @cached_property
    def possible(self) -> Mapping[int, frozenset[int]]:
        """The states that each of the parts may be in."""
        columns = zip(*(states for states, _ in self.current), strict=True)
        return dict(zip(self.members, map(frozenset, columns), strict=True))

    def reset(self, indices: Iterable[int]) -> _Group:
        """With some parts begun anew, if they are in the group."""
        fresh = {i: self.task.automata[i].initial for i in indices}
        found = frozenset(
            (tuple(fresh.get(i, q) for i, q in zip(self.members, states, strict=True)), last)
            for states, last in self.current
        )
        return replace(self, current=found)

    @cached_property
    def lost(self) -> tuple[bool, bool]:
        """Whether some, and whether every, combination can no longer be fulfilled."""
        gone = [not self.task.can_go_on(states, self.members) for states, _ in self.current]
        return any(gone), all(gone)


def _group(task: Progression, members: Iterable[int], counts: bool) -> _Group:
    chosen = tuple(members)
    own = {p for i in chosen for p in task.automata[i].propositions}
    props = task.propositions if counts else tuple(p for p in task.propositions if p in own)
    initial = tuple(task.automata[i].initial for i in chosen)
    return _Group(task, chosen, counts, props, frozenset({(initial, None)}))


def _regrouped(task: Progression, groups: Sequence[_Group]) -> tuple[_Group, ...]:
    """Groups that share propositions by now as one, where their combinations are few."""
    merged: list[_Group] = []
    for group in groups:
        mates = [g for g in merged if set(g.propositions) & set(group.propositions)]
        whole = [*mates, group]
        many = math.prod(len(g.current) for g in whole) > MOST_COMBINATIONS
        if not mates or many or any(g.loose or g.counts for g in whole):
            merged.append(group)
            continue
        merged = [g for g in merged if g not in mates]
        joined = _group(task, (i for g in whole for i in g.members), False)
        combined = product(*(g.current for g in whole))
        current = frozenset((tuple(q for s, _ in c for q in s), None) for c in combined)
        merged.append(replace(joined, current=current))
    return tuple(merged)


class Monitor:
    """Watches one task; thread-safe.

    Args:
        predicates: by name, for the English of reasons and obligations.
    """

    def __init__(
        self, task: Progression, predicates: Mapping[str, Predicate] | None = None
    ) -> None:
        self.task = task
        self._predicates = predicates or {}
        self._lock = threading.RLock()
        self._number_propositions()
        self._groups = _Group.of(task)
        self._truths: Truths = {}
        self._absent: dict[Atom, bool] = {}
        self._last: tuple[bool | None, ...] | None = None
        self._told: Progress | None = None
        self._steps = 0
        self._rounds = 0
        self._missing = self._recurring
        self._skill_ended_s: float | None = None
        self._remaining: dict[tuple[int, int], str] = {}

    # -- observing -------------------------------------------------------------------------

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        with self._lock:
            self._skill_ended_s = stamp_s

    def follow(self, state: SymbolicState) -> Progress:
        """Take in a stamped state, newer than those before."""
        with self._lock:
            ended_s = self._skill_ended_s
            boundary = ended_s is not None and state.stamp_s > ended_s
            if boundary:
                self._skill_ended_s = None
            return self.observe(state.truths, boundary)

    def observe(self, truths: Truths, boundary: bool = False) -> Progress:
        """Take in an observation and say where the task stands.

        The trace grows by a step when the truths of the formula's propositions differ from
        those of the last step, and at a boundary. Atoms that are None or absent are unknown:
        all states that they leave possible are followed.

        Args:
            boundary: a skill has just ended.
        """
        with self._lock:
            self._truths = truths
            seen = self._read(truths)
            committed = boundary or seen != self._last
            if self._told is not None and not committed and None not in seen:
                return replace(self._told, committed=False)
            if committed or None in seen:  # what is unknown may have changed unseen
                known = self._known(seen)
                self._groups = tuple(
                    n
                    for g in self._groups
                    for n in (g.after(known, boundary) if self._concerns(seen, g) else (g,))
                )
                self._count_rounds(known)
                self._last = seen
                self._steps += committed
            self._told = self._progress(seen, committed)
            return self._told

    def extend(self, further: Formula) -> None:
        """Watch a further obligation too, from the newest observation on.

        It may be about a thing that turned up only now, or is gone again: what is not observed of
        it at all is false, other than of what the task spoke of from the start.

        Raises:
            SaySoError: UNSUPPORTED where it is too large.
        """
        with self._lock:
            before, self._told = self.task, None
            self.task = task = before.extend(further)
            self._number_propositions()
            late = set(task.propositions) - set(before.propositions)
            self._absent.update(dict.fromkeys(map(prop_atom, late), False))
            seen = self._read(self._truths)
            if self._last is not None:
                self._last = seen
            groups = [*(replace(g, task=task) for g in self._groups)]
            for i in range(len(before.parts), len(task.parts)):
                new = _group(task, (i,), task.automata[i].counts_steps)
                fresh = self._last is None
                groups += (new,) if fresh else new.after(self._known(seen), True)
            self._groups = _regrouped(task, groups)
            self._missing |= self._recurring - {
                i for i, part in enumerate(before.parts) if part.recurs
            }

    # -- foreseeing ------------------------------------------------------------------------

    def would_violate(self, truths: Truths) -> str | None:
        """Why this observation, if it came next, would make the task impossible, or None.

        Nothing is remembered. Unknown atoms are given the benefit of the doubt.
        """
        with self._lock:
            if any(group.lost[1] for group in self._groups):
                return "the task can no longer be fulfilled."
            seen = self._read(truths)
            known = self._known(seen)
            for group in self._groups:
                if self._concerns(seen, group) and _would_lose(group, known):
                    return self._reason(group, known)
        return None

    def _reason(self, group: _Group, known: Mapping[Prop, bool]) -> str:
        single = (g for g in group.apart() if _would_lose(g, known))
        broken = next(single, group)
        cause = " & ".join(
            to_text(p if positive else Not(p)) for p, positive in _culprits(broken, known)
        )
        parts = (self.task.parts[i].formula for i in broken.members)
        meaning = " ".join(read_back(f, self._predicates) for f in parts)
        return f"{cause or 'any further step'} would break: {meaning}"

    # -- where it stands -------------------------------------------------------------------

    @property
    def possible(self) -> Possible:
        """For each part the states that it may be in."""
        with self._lock:
            found = {i: states for g in self._groups for i, states in g.possible.items()}
            return tuple(found[i] for i in range(len(self.task.parts)))

    @property
    def states(self) -> States | None:
        """Where the parts stand, as they are to be reckoned with; None before any observation."""
        with self._lock:
            return None if self._last is None else self.task.reckoned(self.possible)

    @property
    def rounds(self) -> int:
        """How many rounds of an endless task are over."""
        return self._rounds

    @property
    def resting(self) -> bool:
        """Whether all that recurs holds now and nothing else is left: staying will do."""
        with self._lock:
            if not self.task.endless or self._last is None:
                return False
            done = all(
                self._accepts(i) for i, part in enumerate(self.task.parts) if not part.recurs
            )
            known = self._known(self._last)
            return done and all(self._holds(i, known) for i in self._recurring)

    @property
    def _recurring(self) -> frozenset[int]:
        return frozenset(i for i, part in enumerate(self.task.parts) if part.recurs)

    def _number_propositions(self) -> None:
        self._atoms = tuple(map(prop_atom, self.task.propositions))
        self._numbers = {p: i for i, p in enumerate(self.task.propositions)}

    def _read(self, truths: Truths) -> tuple[bool | None, ...]:
        return tuple(truths.get(a, self._absent.get(a)) for a in self._atoms)

    def _known(self, seen: Iterable[bool | None]) -> dict[Prop, bool]:
        pairs = zip(self.task.propositions, seen, strict=True)
        return {p: truth for p, truth in pairs if truth is not None}

    def _concerns(self, seen: tuple[bool | None, ...], group: _Group) -> bool:
        """Whether an observation may change what is possible of a group."""
        if self._last is None or group.counts or group.loose:
            return True
        return any(
            seen[i] is None or seen[i] != self._last[i]
            for i in (self._numbers[p] for p in group.propositions)
        )

    def _states(self, index: int) -> frozenset[int]:
        return next(g.possible[index] for g in self._groups if index in g.possible)

    def _accepts(self, index: int) -> bool:
        return all(map(self.task.automata[index].is_accepting, self._states(index)))

    def _holds(self, index: int, known: Mapping[Prop, bool]) -> bool:
        """Whether what recurs by a part is so for sure: one step of `F(p)` is p."""
        automaton = self.task.automata[index]
        return all(map(automaton.is_accepting, automaton.possible_steps(automaton.initial, known)))

    def _count_rounds(self, known: Mapping[Prop, bool]) -> None:
        """A round is over when all that recurs came about anew; what only lasts does not count."""
        recurring = self._recurring
        if not recurring:
            return
        before = {} if self._last is None else self._known(self._last)
        held = {i for i in recurring if self._last is not None and self._holds(i, before)}
        self._missing -= {i for i in recurring - held if self._holds(i, known)}
        if not self._missing:
            self._rounds += 1
            self._missing = recurring
        if all(map(self._accepts, recurring)):
            self._groups = tuple(g.reset(recurring) for g in self._groups)

    def _progress(self, seen: tuple[bool | None, ...], committed: bool) -> Progress:
        possible = self.possible
        lost = [group.lost for group in self._groups]
        pairs = tuple(zip(self.task.propositions, seen, strict=True))
        return Progress(
            states=self.task.reckoned(possible),
            verdict=self._verdict(possible, any(every for _, every in lost)),
            possibly_violated=any(some for some, _ in lost),
            steps=self._steps,
            committed=committed,
            true=tuple(p for p, truth in pairs if truth),
            unknown=tuple(p for p, truth in pairs if truth is None),
            remaining=self._open_obligations(possible),
            rounds=self._rounds,
        )

    def _verdict(self, possible: Possible, lost: bool) -> Verdict:
        if lost:
            return Verdict.VIOLATED
        pairs = zip(self.task.automata, possible, strict=True)
        done = all(a.is_accepting(q) for a, states in pairs for q in states)
        return Verdict.SATISFIED if done and not self.task.endless else Verdict.POSSIBLE

    def _open_obligations(self, possible: Possible) -> tuple[str, ...]:
        """For each part that is not fulfilled for sure, what it still needs."""
        found = []
        for number, (automaton, states) in enumerate(
            zip(self.task.automata, possible, strict=True)
        ):
            unmet = [q for q in states if not automaton.is_accepting(q)]
            if unmet:
                open_still = [q for q in unmet if not automaton.is_trap(q)]
                words = self._need(number, automaton, min(open_still or unmet))
                doubtful = not open_still and not all(map(automaton.is_trap, states))
                found.append(f"possibly {words}" if doubtful else words)
        return tuple(found)

    def _need(self, number: int, automaton: Automaton, state: int) -> str:
        key = (number, state)
        if key not in self._remaining:
            meaning = read_back(automaton.formula, self._predicates)
            if automaton.is_trap(state):
                self._remaining[key] = f"broken: {meaning}"
            elif automaton.states > MOST_ALONE:  # a way through it would take long to find
                self._remaining[key] = meaning
            else:
                steps = remaining(automaton, state, self._predicates)
                self._remaining[key] = ", then ".join(steps)
        return self._remaining[key]


def _would_lose(group: _Group, known: Mapping[Prop, bool]) -> bool:
    return any(g.lost[1] for g in group.after(known, False))


def _culprits(group: _Group, known: Mapping[Prop, bool]) -> tuple[tuple[Prop, bool], ...]:
    """Few observed literals that suffice to lose the task, preferably true propositions."""
    kept = {p: known[p] for p in group.propositions if p in known}
    for prop in sorted(kept, key=lambda p: kept[p]):
        fewer = {p: truth for p, truth in kept.items() if p != prop}
        if _would_lose(group, fewer):
            kept = fewer
    return tuple(kept.items())
