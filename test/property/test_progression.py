"""One progression: whoever follows a task agrees with the direct meaning of its formula.

The direct meaning takes every completion of what was not observed, reads each by the definition
of the logic, and asks of the letters that may follow whether any fulfil the task.
"""

from __future__ import annotations

from itertools import product
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom
from sayso.evaluation.limp.judge import judge
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import Always, And, Eventually, Not, Or, Until, conjunction
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression, Verdict, can_be_fulfilled, conflict
from sayso.logic.semantics import satisfies
from support.logic_formulas import LETTERS, lettered

few = settings(derandomize=True, deadline=None, max_examples=200)
ALL_LETTERS = [
    frozenset(p for p, true in zip(LETTERS, bits, strict=True) if true)
    for bits in product((False, True), repeat=len(LETTERS))
]

A, B = LETTERS[:2]
THEN_NEVER = And((Always(Or((Not(A), Always(Not(B))))), Eventually(B)))
"""After the first the second may never be, which is wanted."""

observations = st.lists(
    st.tuples(st.tuples(*[st.sampled_from((True, False, None))] * 3), st.booleans()),
    min_size=1,
    max_size=3,
)
"""What is seen of each letter, and whether a skill has just ended."""

literals = st.sampled_from([*LETTERS, *map(Not, LETTERS)])
goals = literals.map(Eventually)
rules = st.one_of(
    literals.map(Always),
    st.builds(lambda a, b: Always(Or((a, b))), literals, literals),
    st.builds(lambda a, b: Always(Or((a, Eventually(b)))), literals, literals),
    st.builds(Until, literals, literals),
)


def tasks() -> st.SearchStrategy:
    """Formulas of every kind, and conjunctions of such parts as tasks are made of."""
    parts = st.lists(st.one_of(goals, rules, lettered(4)), min_size=2, max_size=4)
    return st.one_of(lettered(), parts.map(lambda p: And(tuple(p))))


def completions(seen):
    """The traces that may have been: a step is a change, or the end of a skill."""
    for choice in product(*(_fitting(truths) for truths, _ in seen)):
        trace = []
        for letter, (_, ended) in zip(choice, seen, strict=True):
            if not trace or ended or letter != trace[-1]:
                trace.append(letter)
        yield trace


def _fitting(truths):
    pairs = [(p, t) for p, t in zip(LETTERS, truths, strict=True) if t is not None]
    return [x for x in ALL_LETTERS if all((p in x) == t for p, t in pairs)]


def can_follow(followed) -> bool:
    """Whether some further letters lead all of some automata to acceptance."""
    automata = [a for a, _ in followed]
    queue = [tuple(q for _, q in followed)]
    found = set(queue)
    for states in queue:
        if all(a.is_accepting(q) for a, q in zip(automata, states, strict=True)):
            return True
        for letter in ALL_LETTERS:
            after = tuple(a.step(q, letter) for a, q in zip(automata, states, strict=True))
            if after not in found:
                found.add(after)
                queue.append(after)
    return False


def truths_of(seen):
    return {Atom(p.predicate): t for p, t in zip(LETTERS, seen, strict=True)}


@settings(few, max_examples=600)
@given(tasks(), observations)
def test_the_monitor_says_what_all_completions_say(formula, seen):
    monitor = Monitor(Progression.of(formula))
    relevant = Progression.of(formula).propositions
    whole = automaton_of(formula)
    if monitor.task.endless:
        return
    for end in range(1, len(seen) + 1):
        truths, ended = seen[end - 1]
        known = {a: t for a, t in truths_of(truths).items() if a.predicate in _names(relevant)}
        progress = monitor.observe(known, boundary=ended)
        traces = [[x & set(relevant) for x in t] for t in completions(_about(seen[:end], relevant))]
        accepted = {satisfies(formula, t) for t in traces}
        alive = {can_follow([(whole, whole.run(t))]) for t in traces}
        assert (progress.verdict == Verdict.SATISFIED) == (accepted == {True})
        assert (progress.verdict == Verdict.VIOLATED) == (alive == {False})
        assert progress.possibly_violated == (False in alive)


@few
@given(tasks(), observations, st.integers(1, 4))
def test_where_parts_are_followed_apart_doubt_grows_and_nothing_else(formula, seen, most):
    whole, monitor = automaton_of(formula), Monitor(Progression.of(formula))
    relevant = monitor.task.propositions
    if monitor.task.endless:
        return
    with mock.patch("sayso.logic.monitor.MOST_COMBINATIONS", most):
        for end in range(1, len(seen) + 1):
            truths, ended = seen[end - 1]
            known = {a: t for a, t in truths_of(truths).items() if a.predicate in _names(relevant)}
            progress = monitor.observe(known, boundary=ended)
            about = completions(_about(seen[:end], relevant))
            traces = [[x & set(relevant) for x in t] for t in about]
            alive = {can_follow([(whole, whole.run(t))]) for t in traces}
            if progress.verdict == Verdict.SATISFIED:
                assert all(satisfies(formula, t) for t in traces)
            if progress.verdict == Verdict.VIOLATED:
                assert alive == {False}
            # What no part alone tells may be told later, but a part that is lost is told.
            if any(any(map(a.is_trap, {a.run(t) for t in traces})) for a in monitor.task.automata):
                assert progress.possibly_violated


def _names(props):
    return {p.predicate for p in props}


def _about(seen, relevant):
    """The observations of propositions that the formula does not mention are no observations."""
    kept = [p in relevant for p in LETTERS]
    return [
        (tuple(t if k else False for t, k in zip(truths, kept, strict=True)), ended)
        for truths, ended in seen
    ]


@few
@given(st.lists(goals, min_size=1, max_size=2), st.lists(rules, max_size=2), observations)
def test_an_endless_task_is_never_satisfied_and_lost_where_no_round_can_follow(again, rest, seen):
    wanted = [Always(g) for g in again]
    monitor = Monitor(Progression.of(conjunction(*wanted, *rest)))
    kept = automaton_of(conjunction(*rest))
    rounds = [automaton_of(g) for g in dict.fromkeys(again)]
    seen = [(tuple(bool(t) for t in truths), ended) for truths, ended in seen]
    trace, begun, counted = [], 0, 0
    for truths, ended in seen:
        progress = monitor.observe(truths_of(truths), boundary=ended)
        letter = frozenset(p for p, t in zip(LETTERS, truths, strict=True) if t)
        if not trace or ended or letter & _used(monitor) != trace[-1] & _used(monitor):
            trace.append(letter)
            if all(a.is_accepting(a.run(trace[begun:])) for a in rounds if trace[begun:]):
                begun, counted = len(trace), counted + 1
        followed = [(kept, kept.run(trace)), *((a, a.run(trace[begun:])) for a in rounds)]
        assert progress.verdict != Verdict.SATISFIED
        assert (progress.verdict == Verdict.VIOLATED) == (not can_follow(followed))
        assert progress.rounds <= counted


def _used(monitor):
    return set(monitor.task.propositions)


@few
@given(tasks(), st.lists(st.sampled_from(ALL_LETTERS), min_size=1, max_size=5))
def test_parts_side_by_side_accept_and_lose_what_the_whole_does(formula, trace):
    whole, task = automaton_of(formula), Progression.of(formula)
    if task.endless:
        return
    states = task.run(trace)
    assert task.is_done(states) == satisfies(formula, trace)
    assert task.can_go_on(states) == (not whole.is_trap(whole.run(trace)))
    assert task.can_begin() == whole.satisfiable


@few
@given(tasks(), st.lists(st.sampled_from(ALL_LETTERS), min_size=1, max_size=5))
@example(THEN_NEVER, [frozenset(LETTERS[:1])])
def test_a_judge_of_whole_traces_says_what_the_monitor_says(formula, trace):
    monitor = Monitor(Progression.of(formula))
    if monitor.task.endless or not monitor.task.can_begin():
        return
    for letter in trace:
        seen = {Atom(p.predicate): p in letter for p in LETTERS}
        told = monitor.observe(seen, boundary=True).verdict
    try:
        judged = judge(formula, trace)
    except SaySoError as error:  # a part for itself can never hold
        assert error.code is Code.CONTRADICTION
        return
    assert judged.fulfilled == (told == Verdict.SATISFIED)
    assert judged.violated == (told == Verdict.VIOLATED)


@few
@given(st.lists(st.one_of(goals, rules, lettered(3)), min_size=2, max_size=5))
def test_a_conflict_is_unsatisfiable_and_minimal(parts):
    if any(p.recurs for p in Progression.of(And(tuple(parts))).parts):
        return
    core = conflict(And(tuple(parts)))
    assert bool(core) == (not automaton_of(And(tuple(parts))).satisfiable)
    for left_out in core if len(core) > 1 else ():
        assert can_be_fulfilled(And(tuple(c for c in core if c is not left_out)))


@few
@given(tasks(), st.one_of(rules, goals), observations, st.integers(0, 2))
def test_a_further_obligation_counts_from_the_newest_observation_on(formula, further, seen, at):
    monitor = Monitor(Progression.of(formula))
    if monitor.task.endless:
        return
    seen = [(tuple(bool(t) for t in truths), ended) for truths, ended in seen]
    trace, since = [], []
    for number, (truths, ended) in enumerate(seen):
        letter = frozenset(p for p, t in zip(LETTERS, truths, strict=True) if t)
        used = _used(monitor)
        if not trace or ended or letter & used != trace[-1] & used:
            trace.append(letter)
            since = [*since, letter] if number > at else since
        progress = monitor.observe(truths_of(truths), boundary=ended)
        if number == at:
            monitor.extend(further)
            since = [letter]
        elif number > at and not any(a.counts_steps for a in monitor.task.automata):
            both = [automaton_of(formula), automaton_of(further)]
            followed = [(both[0], both[0].run(trace)), (both[1], both[1].run(since))]
            assert (progress.verdict == Verdict.SATISFIED) == all(
                a.is_accepting(q) for a, q in followed
            )
            assert (progress.verdict == Verdict.VIOLATED) == (not can_follow(followed))
