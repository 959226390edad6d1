"""Laws of formulas, automata and the monitor on generated cases."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.library import builtin_path, load
from sayso.core.symbols import Atom
from sayso.logic.analysis import remaining
from sayso.logic.automaton import automaton_of
from sayso.logic.determinise import negation_normal
from sayso.logic.english import describe, read_back
from sayso.logic.formula import And, Not, Prop, clauses, walk
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression, Verdict
from sayso.logic.semantics import satisfies
from sayso.logic.structure import stages_of, structure_in_words
from sayso.logic.text import parse, to_text
from support.logic_formulas import (
    LETTERS,
    described,
    formulas,
    grounded,
    lettered,
    referents,
    traces,
)

PREDICATES = load(builtin_path()).predicates
few = settings(derandomize=True, deadline=None, max_examples=150)


@few
@given(formulas(described()))
def test_parse_undoes_to_text(formula):
    assert parse(to_text(formula)) == formula


@few
@given(formulas(grounded()))
def test_parse_undoes_to_text_for_grounded_formulas(formula):
    assert parse(to_text(formula), grounded=True) == formula


@few
@given(lettered(), traces())
def test_negation_normal_form_keeps_the_meaning_and_negates_only_propositions(formula, trace):
    normal = negation_normal(formula)
    assert satisfies(normal, trace) == satisfies(formula, trace)
    assert all(isinstance(f.arg, Prop) for f in walk(normal) if isinstance(f, Not))


@few
@given(lettered(), traces())
def test_prefixes_that_are_traps_or_sinks_decide_every_continuation(formula, trace):
    automaton = automaton_of(formula)
    for end in range(1, len(trace) + 1):
        state = automaton.run(trace[:end])
        if automaton.is_trap(state):
            assert not satisfies(formula, trace)
        if automaton.is_safe_sink(state):
            assert satisfies(formula, trace)


@few
@given(lettered())
def test_guards_cover_each_letter_exactly_once(formula):
    automaton = automaton_of(formula)
    letters = [
        frozenset(p for p, t in zip(LETTERS, bits, strict=True) if t)
        for bits in product((False, True), repeat=3)
    ]
    for state in range(automaton.states):
        for letter in letters:
            matches = [
                target
                for target in automaton.successors(state)
                if any(_holds(g, letter) for g in automaton.guards(state, target))
            ]
            assert matches == [automaton.step(state, letter)]


@few
@given(lettered())
def test_what_remains_is_named_exactly_where_the_task_is_open(formula):
    automaton = automaton_of(formula)
    for state in range(automaton.states):
        is_open = not automaton.is_accepting(state) and not automaton.is_trap(state)
        assert bool(remaining(automaton, state)) == is_open


@few
@given(lettered(), traces(min_size=2))
def test_a_foretold_violation_is_the_one_that_comes(formula, trace):
    monitor = Monitor(Progression.of(formula))
    monitor.observe(_truths(trace[0]))
    reason = monitor.would_violate(_truths(trace[1]))
    assert (reason is not None) == (monitor.observe(_truths(trace[1])).verdict == Verdict.VIOLATED)


@settings(few, max_examples=300)
@given(formulas(described(), 5), formulas(described(), 5))
def test_formulas_read_alike_only_if_they_are_alike(one, other):
    if read_back(one, PREDICATES) == read_back(other, PREDICATES):
        assert clauses(one) == clauses(other)


@settings(few, max_examples=300)
@given(referents(), referents())
def test_referents_read_alike_only_if_they_are_alike(one, other):
    assert (describe(one) == describe(other)) == (one == other)


def _holds(guard, letter) -> bool:
    return all((p in letter) == positive for p, positive in guard)


def _truths(letter):
    return {Atom(p.predicate): p in letter for p in LETTERS}


@few
@given(lettered(), st.randoms(use_true_random=False))
def test_following_the_structure_leads_to_acceptance(formula, random):
    automaton = automaton_of(formula)
    if not automaton.satisfiable:
        return
    easiest = [s.letter for s in stages_of(automaton)]
    assert not easiest or satisfies(formula, easiest)
    # Whatever else is true, each condition met brings the end nearer.
    stages, trace = stages_of(automaton), []
    while stages:
        fitting = [
            frozenset(letter)
            for letter in _all_letters()
            if _meets(letter, stages[0].reach)
            and (not stages[0].throughout or _meets(letter, stages[0].keep))
        ]
        trace.append(random.choice(fitting))
        state = automaton.run(trace)
        assert not automaton.is_trap(state)
        stages = stages_of(automaton, state)
        assert len(trace) <= automaton.states + 1
    assert not trace or satisfies(formula, trace)


@few
@given(lettered(), st.lists(st.frozensets(st.sampled_from(LETTERS)), min_size=1, max_size=3))
def test_waiting_as_the_structure_says_never_loses_the_task(formula, letters):
    automaton = automaton_of(formula)
    if not automaton.satisfiable:
        return
    for stage in stages_of(automaton):
        for letter in letters:
            after = automaton.step(stage.state, letter)
            if _meets(letter, stage.keep):
                assert not automaton.is_trap(after)
            elif stage.throughout:
                assert automaton.is_trap(after)


def _all_letters():
    return [
        frozenset(p for p, there in zip(LETTERS, bits, strict=True) if there)
        for bits in product((False, True), repeat=len(LETTERS))
    ]


def _meets(letter, guards):
    return any(all((p in letter) == positive for p, positive in g) for g in guards)


@settings(few, max_examples=400)
@given(st.lists(lettered(5), min_size=1, max_size=4))
def test_every_task_that_can_be_fulfilled_has_a_structure(parts):
    formula = And(tuple(parts))
    if automaton_of(formula).satisfiable:
        assert structure_in_words(formula)
