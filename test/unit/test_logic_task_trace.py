"""What counts as a step of a task's trace."""

from __future__ import annotations

import pytest

from sayso.core.symbols import Atom, SymbolicState
from sayso.logic.automaton import compile_formula
from sayso.logic.monitor import Verdict
from sayso.logic.task_trace import TaskTrace
from sayso.logic.text import parse

OPEN = Atom("open", ("drawer",))


def state(stamp_s, truth):
    return SymbolicState(stamp_s, ("drawer",), {OPEN: truth})


@pytest.fixture
def trace():
    return TaskTrace(compile_formula(parse("X(X(open(drawer)))", grounded=True)))


def test_a_state_that_repeats_is_no_step(trace):
    steps = [trace.observe(state(stamp_s, False)).steps for stamp_s in (1.0, 2.0, 3.0)]
    assert steps == [1, 1, 1]


def test_the_first_state_after_a_skill_is_a_step(trace):
    trace.observe(state(1.0, False))
    trace.skill_finished(2.5)
    steps = [trace.observe(state(stamp_s, False)).steps for stamp_s in (2.0, 2.5, 3.0, 4.0)]
    assert steps == [1, 1, 2, 2]
    assert trace.observe(state(5.0, True)).verdict is Verdict.SATISFIED


def test_what_would_break_the_task_is_foreseen_and_not_remembered():
    never = TaskTrace(compile_formula(parse("G(!open(drawer))", grounded=True)))
    never.observe(state(1.0, False))
    assert "open" in (never.would_violate({OPEN: True}) or "")
    assert never.would_violate({OPEN: False}) is None
    assert never.observe(state(2.0, False)).verdict is not Verdict.VIOLATED
