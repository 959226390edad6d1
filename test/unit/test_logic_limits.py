"""What is too large is refused by name; what only looks large is worked on part by part."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.logic.drawing import picture_of
from sayso.logic.english import read_back
from sayso.logic.formula import Always, And, Eventually, Formula, Next, Not, Or, Prop, Until
from sayso.logic.monitor import Monitor
from sayso.logic.progression import MOST_ALTERNATIONS, MOST_NESTED, progression_of
from sayso.logic.shown import shown, words_of
from sayso.logic.structure import structure_in_words

PROPS = [Prop(f"p{i}") for i in range(40)]


def nested(kinds: list[type], depth: int) -> Formula:
    formula: Formula = PROPS[0]
    for i in range(depth):
        formula = kinds[i % len(kinds)](formula)
    return formula


def untils(depth: int, *, left: bool) -> Formula:
    formula: Formula = PROPS[0]
    for prop in PROPS[1:depth]:
        formula = Until(formula, prop) if left else Until(prop, formula)
    return formula


def together(count: int) -> Formula:
    """Pairs in order, all of which are over at one moment."""
    pairs = zip(PROPS[:count], PROPS[20:], strict=False)
    return Eventually(And(tuple(Eventually(And((a, Eventually(b)))) for a, b in pairs)))


def owed(count: int) -> Formula:
    pairs = zip(PROPS[:count], PROPS[20:], strict=False)
    return Or(tuple(Always(Or((Not(a), Eventually(b)))) for a, b in pairs))


TOO_LARGE = {
    "until within until": untils(14, left=True),
    "pairs that end at once": together(9),
    "responses, one of which is kept": owed(14),
    "a step long ago": Eventually(And((PROPS[1], nested([Next], 18)))),
    "nested too deep": nested([Next], MOST_NESTED),
    "too many changes": nested([Eventually, Always], MOST_ALTERNATIONS + 2),
    "too many words": And(tuple(Eventually(Prop("p", (f"thing_{i}",))) for i in range(3000))),
    "one part after the other": And(
        tuple(untils(12, left=True) if i else together(7) for i in range(2))
    ),
}


@pytest.mark.parametrize("name", TOO_LARGE)
@pytest.mark.parametrize("work", [progression_of, structure_in_words])
def test_what_is_too_large_is_refused(name, work):
    with pytest.raises(SaySoError) as caught:
        work(TOO_LARGE[name])
    assert caught.value.code is Code.UNSUPPORTED
    assert caught.value.hint


def goals(count: int) -> And:
    return And((*map(Eventually, PROPS[:count]), Always(Not(PROPS[-1]))))


@pytest.mark.parametrize("count", [8, 14, 30])
def test_goals_in_any_order_are_not_multiplied(count):
    task = progression_of(goals(count))
    assert sum(a.states for a in task.automata) == 2 * (count + 1)
    assert len(structure_in_words(goals(count))) == count + 1
    assert len(shown(task)) == count + 1
    assert f"Part {count + 1} of {count + 1}" in "\n".join(words_of(task))
    way = [task.initial, task.step(task.initial, frozenset(PROPS[:2]))]
    assert picture_of(task, way).count('<path class="taken"') == 2


def test_a_few_goals_are_shown_as_one_automaton():
    task = progression_of(goals(3))
    (whole,) = shown(task)
    assert whole.automaton.states == 2**3 + 1
    half = task.step(task.initial, frozenset(PROPS[:2]))
    assert whole.state(half) == whole.automaton.step(0, PROPS[:2])
    lost = task.step(half, frozenset(PROPS[-1:]))
    assert whole.automaton.is_trap(whole.state(lost))


def test_contradictions_among_many_goals_are_named():
    rules = [Always(Not(And((a, b)))) for i, a in enumerate(PROPS[:14]) for b in PROPS[:i]]
    progression_of(And((*map(Eventually, PROPS[:14]), *rules)))
    with pytest.raises(SaySoError) as caught:
        progression_of(
            And((*map(Eventually, PROPS[:14]), *rules, Eventually(And(tuple(PROPS[:2])))))
        )
    assert caught.value.code is Code.CONTRADICTION
    assert caught.value.message.count("(") < 40, "only the parts in conflict"


def test_a_large_task_is_followed():
    monitor = Monitor(progression_of(goals(30)))
    assert len(monitor.observe({}).remaining) == 31


def test_of_a_large_part_it_is_told_what_it_means():
    formula = untils(10, left=True)
    told = Monitor(progression_of(formula)).observe({})
    assert told.remaining == (read_back(formula, {}),)
