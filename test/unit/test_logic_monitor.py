"""The monitor: verdicts, unknown propositions, steps, and warnings before a violation."""

import pytest

from sayso.core.library import builtin_path, load
from sayso.core.symbols import Atom, SymbolicState
from sayso.logic.automaton import Automaton
from sayso.logic.formula import Prop
from sayso.logic.monitor import Monitor, prop_atom
from sayso.logic.progression import Verdict, progression_of
from sayso.logic.text import parse

PREDICATES = load(builtin_path()).predicates
RED, BLUE = Atom("on", ("red_block", "plate")), Atom("on", ("blue_block", "red_block"))
MUG = Atom("touching", ("mug",))
START = {RED: False, BLUE: False, MUG: False}


def monitor(text):
    return Monitor(progression_of(parse(text, grounded=True)), PREDICATES)


@pytest.fixture
def example():
    return monitor("F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))")


def test_a_task_is_followed_to_its_end(example):
    first = example.observe(START)
    assert first.verdict == Verdict.POSSIBLE
    assert first.remaining == (
        "the red block is on the plate, then the blue block is on the red block",
    )
    half = example.observe({**START, RED: True})
    assert half.verdict == Verdict.POSSIBLE
    assert half.remaining == ("the blue block is on the red block",)
    done = example.observe({**START, RED: True, BLUE: True})
    assert done.verdict == Verdict.SATISFIED
    assert done.remaining == ()
    assert done.true == (Prop("on", RED.args), Prop("on", BLUE.args))
    broken = example.observe({**START, MUG: True})
    assert broken.verdict == Verdict.VIOLATED
    assert broken.remaining == ("broken: At all times: the robot does not touch the mug.",)
    assert example.observe(START).verdict == Verdict.VIOLATED


def test_a_step_is_a_change_or_a_boundary(example):
    assert example.observe(START).steps == 1
    again = example.observe(START)
    assert (again.steps, again.committed) == (1, False)
    assert example.observe(START, boundary=True).steps == 2
    assert example.observe({**START, RED: True}).steps == 3
    assert example.observe({**START, RED: True, Atom("open", ("drawer",)): True}).steps == 3


def test_next_counts_steps_not_observations():
    watcher = monitor("X(open(drawer))")
    drawer = Atom("open", ("drawer",))
    assert watcher.observe({drawer: False}).verdict == Verdict.POSSIBLE
    assert watcher.observe({drawer: False}).verdict == Verdict.POSSIBLE
    assert watcher.observe({drawer: True}).verdict == Verdict.SATISFIED


def test_next_is_missed_at_a_boundary():
    watcher = monitor("X(open(drawer))")
    drawer = Atom("open", ("drawer",))
    watcher.observe({drawer: False})
    assert watcher.observe({drawer: False}, boundary=True).verdict == Verdict.VIOLATED


def test_an_unknown_moment_does_not_count_as_a_step_where_there_may_have_been_none():
    watcher = monitor("X(open(drawer))")
    drawer = Atom("open", ("drawer",))
    watcher.observe({drawer: False})
    assert watcher.observe({}).verdict == Verdict.POSSIBLE
    assert watcher.observe({drawer: True}).verdict == Verdict.SATISFIED


def test_an_unknown_proposition_leaves_states_possible(example):
    example.observe(START)
    doubt = example.observe({RED: True, BLUE: True})
    assert doubt.verdict == Verdict.POSSIBLE
    assert doubt.possibly_violated
    assert doubt.unknown == (Prop("touching", ("mug",)),)
    assert doubt.remaining == ("possibly broken: At all times: the robot does not touch the mug.",)
    assert example.possible == (frozenset({2}), frozenset({0, 1}))
    sure = example.observe({RED: True, BLUE: True, MUG: True})
    assert sure.verdict == Verdict.VIOLATED


def test_later_knowledge_settles_a_doubt():
    watcher = monitor("F(open(drawer))")
    assert watcher.observe({}).verdict == Verdict.POSSIBLE
    assert watcher.observe({Atom("open", ("drawer",)): True}).verdict == Verdict.SATISFIED


def test_a_violation_is_foretold_with_its_cause(example):
    example.observe(START)
    reason = example.would_violate({**START, MUG: True})
    assert reason == ("touching(mug) would break: At all times: the robot does not touch the mug.")
    assert example.observe(START).verdict == Verdict.POSSIBLE


def test_unknown_or_harmless_is_no_violation(example):
    example.observe(START)
    assert example.would_violate({RED: True}) is None
    assert example.would_violate({**START, RED: True, BLUE: True}) is None


def test_order_is_foretold_too():
    watcher = monitor("!on(blue_block, plate) U on(red_block, plate)")
    blue = Atom("on", ("blue_block", "plate"))
    watcher.observe({RED: False, blue: False})
    reason = watcher.would_violate({RED: False, blue: True})
    assert reason is not None
    assert reason.startswith("on(blue_block, plate) & !on(red_block, plate) would break")
    watcher.observe({RED: True, blue: False})
    assert watcher.would_violate({RED: False, blue: True}) is None


def test_parts_that_only_together_break_are_named_as_the_whole():
    watcher = monitor("(open(drawer) U closed(drawer)) & G(!closed(drawer) | holding(mug))")
    truths = {
        Atom("open", ("drawer",)): False,
        Atom("closed", ("drawer",)): True,
        Atom("holding", ("mug",)): False,
    }
    assert "holding(mug)" in (watcher.would_violate(truths) or "")


def test_after_a_violation_everything_is_refused(example):
    example.observe({**START, MUG: True})
    assert example.would_violate(START) == "the task can no longer be fulfilled."


def test_a_proposition_names_its_atom():
    assert prop_atom(Prop("on", ("red_block", "plate"))) == RED


def stamped(stamp_s, truth):
    return SymbolicState(stamp_s, ("drawer",), {Atom("open", ("drawer",)): truth})


def test_a_state_that_repeats_is_no_step():
    watcher = monitor("X(X(open(drawer)))")
    steps = [watcher.follow(stamped(stamp_s, False)).steps for stamp_s in (1.0, 2.0, 3.0)]
    assert steps == [1, 1, 1]


def test_the_first_state_after_a_skill_is_a_step():
    watcher = monitor("X(X(open(drawer)))")
    watcher.follow(stamped(1.0, False))
    watcher.skill_finished(2.5)
    steps = [watcher.follow(stamped(stamp_s, False)).steps for stamp_s in (2.0, 2.5, 3.0, 4.0)]
    assert steps == [1, 1, 2, 2]
    assert watcher.follow(stamped(5.0, True)).verdict is Verdict.SATISFIED


def test_a_patrol_is_never_satisfied_and_counts_its_rounds():
    watcher = monitor("G(F(open(drawer)))")
    drawer = Atom("open", ("drawer",))
    told = [watcher.observe({drawer: truth}) for truth in (False, True, False, True)]
    assert [p.verdict for p in told] == [Verdict.POSSIBLE] * 4
    assert [p.rounds for p in told] == [0, 1, 1, 2]
    assert told[-1].remaining == ("the drawer is open",), "in the next round"


def test_a_round_is_over_when_all_that_recurs_came_about():
    watcher = monitor("G(F(open(drawer))) & G(F(holding(mug)))")
    drawer, mug = Atom("open", ("drawer",)), Atom("holding", ("mug",))
    told = [
        watcher.observe({drawer: a, mug: b})
        for a, b in ((True, False), (False, False), (True, False), (False, True), (True, False))
    ]
    assert [p.rounds for p in told] == [0, 0, 0, 1, 1]
    assert told[-1].remaining == ("the robot holds the mug",)


def test_places_that_are_never_so_at_once_can_be_patrolled():
    rule = "G(!(open(drawer) & holding(mug)))"
    watcher = monitor(f"G(F(open(drawer))) & G(F(holding(mug))) & {rule}")
    drawer, mug = Atom("open", ("drawer",)), Atom("holding", ("mug",))
    assert watcher.observe({drawer: True, mug: False}).verdict is Verdict.POSSIBLE
    assert watcher.would_violate({drawer: True, mug: True})
    assert watcher.observe({drawer: True, mug: True}).verdict is Verdict.VIOLATED


def test_a_further_prohibition_counts_from_now_on(example):
    example.observe(START)
    bowl = Atom("touching", ("bowl",))
    example.extend(parse("G(!touching(bowl))", grounded=True))
    assert example.observe({**START, bowl: False}).verdict is Verdict.POSSIBLE
    assert "touching(bowl)" in (example.would_violate({**START, bowl: True}) or "")
    assert example.observe({**START, bowl: True}).verdict is Verdict.VIOLATED


def test_a_further_prohibition_that_is_broken_already_is_seen_at_once(example):
    bowl = Atom("touching", ("bowl",))
    example.observe({**START, bowl: True})
    example.extend(parse("G(!touching(bowl))", grounded=True))
    assert example.observe({**START, bowl: True}).verdict is Verdict.VIOLATED


def test_a_further_prohibition_of_what_is_still_to_be_done_loses_the_task(example):
    example.observe(START)
    example.extend(parse("G(!on(red_block, plate))", grounded=True))
    assert example.observe(START).verdict is Verdict.VIOLATED


def test_many_unknowns_are_followed_without_trying_all_of_them():
    goals = [f"F(on(block_{i}, plate))" for i in range(20)]
    apart = " & ".join(f"!on(block_{i}, plate)" for i in range(20))
    watcher = monitor(f"{' & '.join(goals)} & G({apart.replace('&', '|')})")
    assert watcher.observe({}).verdict is Verdict.POSSIBLE
    truths = {Atom("on", (f"block_{i}", "plate")): i != 3 for i in range(20)}
    assert watcher.observe(truths).verdict is Verdict.POSSIBLE
    other = {Atom("on", (f"block_{i}", "plate")): i == 3 for i in range(20)}
    assert watcher.observe(other).possibly_violated


def test_doubts_that_add_up_do_not_multiply_without_end(monkeypatch):
    blocks = [Atom("on", (f"block_{i}", "plate")) for i in range(14)]
    apart = [f"G(!({a} & {b}))" for i, a in enumerate(blocks) for b in blocks[:i]]
    watcher = monitor(" & ".join([*(f"F({b})" for b in blocks), *apart]))
    steps, step = [0], Automaton.step

    def counted(*arguments):
        steps[0] += 1
        assert steps[0] < 3_000_000, "each of the combinations is followed"
        return step(*arguments)

    monkeypatch.setattr(Automaton, "step", counted)
    for first in range(len(blocks)):
        doubtful = {blocks[(first + i) % len(blocks)] for i in range(3)}
        told = watcher.observe({b: None if b in doubtful else False for b in blocks})
        assert watcher.would_violate({b: b in blocks[3:5] for b in blocks})
    assert told.possibly_violated
    assert told.verdict is Verdict.POSSIBLE
    both = watcher.observe({b: b in blocks[:2] for b in blocks})
    assert both.verdict is Verdict.VIOLATED


def test_a_prohibition_about_what_had_not_turned_up_is_not_in_doubt_for_that():
    mug, late = Atom("holding", ("mug",)), Atom("touching", ("late_block",))
    watcher = monitor("F(holding(mug))")
    watcher.observe({mug: True})
    watcher.extend(parse("G(!touching(late_block))", grounded=True))
    assert watcher.observe({mug: True}).verdict is Verdict.SATISFIED
    assert watcher.observe({mug: True, late: False}).verdict is Verdict.SATISFIED
    assert watcher.observe({mug: True, late: True}).verdict is Verdict.VIOLATED
