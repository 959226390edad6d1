"""Laws of quantified formulas: naming more things never weakens what is said of one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import (
    ALL,
    COUNTED,
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Relation,
    Top,
    Until,
    Variable,
    propositions,
    walk,
)
from sayso.logic.scope import only_forbids, scoped
from sayso.logic.semantics import satisfies
from sayso.logic.specification import Specification
from sayso.logic.text import parse, to_text
from sayso.perception.grounding import ground, new_objects
from support.logic_formulas import described, formulas

few = settings(
    derandomize=True, deadline=None, max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
COLORS = ("red", "green", "blue")
BLOCKS = tuple(
    SceneObject(f"{c}_block", "block", c, (0.4, 0.1 * n, 0.02), (0.04, 0.04, 0.04))
    for n, c in enumerate(COLORS)
)
PLATE = SceneObject("plate", "plate", "white", (0.6, 0.0, 0.01), (0.2, 0.2, 0.01))
SCENE = Scene(0.0, (*BLOCKS, PLATE))
OPEN = Prop("open", (Referent("plate"),))


def touching(thing: Referent) -> Formula:
    return Prop("touching", (thing,))


def on(thing: Referent) -> Formula:
    return Prop("on", (thing, Referent("plate")))


READINGS = {
    "never": lambda x: Always(Not(touching(x))),
    "never on": lambda x: Always(Not(on(x))),
    "not until": lambda x: Or((Always(Not(touching(x))), Until(Not(touching(x)), OPEN))),
    "not while": lambda x: Always(Not(And((touching(x), OPEN)))),
    "not after": lambda x: Always(Or((Not(OPEN), Always(Not(touching(x)))))),
    "at most once": lambda x: Not(
        Eventually(And((touching(x), Eventually(And((Not(touching(x)), Eventually(touching(x))))))))
    ),
    "keep": lambda x: Always(on(x)),
    "goal": lambda x: Eventually(on(x)),
    "passing goal": lambda x: Eventually(touching(x)),
    "in order": lambda x: Eventually(And((touching(x), Eventually(on(x))))),
    "without": lambda x: Until(Not(touching(x)), OPEN),
    "two rules": lambda x: And((Always(Not(touching(x))), Always(Not(on(x))))),
    "goal and rule": lambda x: And((Eventually(OPEN), Always(Not(touching(x))))),
}
PROHIBITIONS = ("never", "never on", "not until", "not while", "not after", "at most once")


def grounded(formula: Formula) -> Formula:
    return ground(Specification("", formula), SCENE).formula


def implies(a: Formula, b: Formula) -> bool:
    return not automaton_of(And((a, Not(b)))).satisfiable


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("color", COLORS)
def test_what_is_said_of_all_is_said_of_each(reading: str, color: str) -> None:
    make = READINGS[reading]
    of_all = grounded(make(Referent("block", quantifier="all")))
    assert implies(of_all, grounded(make(Referent("block", (color,)))))


@pytest.mark.parametrize("reading", PROHIBITIONS)
@pytest.mark.parametrize("color", COLORS)
def test_what_is_forbidden_of_any_is_forbidden_of_each(reading: str, color: str) -> None:
    make = READINGS[reading]
    of_any = grounded(make(Referent("block", quantifier="a")))
    assert implies(of_any, grounded(make(Referent("block", (color,)))))


@pytest.mark.parametrize("reading", [*PROHIBITIONS, "two rules"])
def test_a_prohibition_holds_for_what_comes_later(reading: str) -> None:
    spec = Specification("", READINGS[reading](Referent("block", quantifier="all")))
    early = replace(SCENE, objects=(*BLOCKS[:2], PLATE))
    late = new_objects(ground(spec, early), early.by_name(), SCENE)
    one = grounded(READINGS[reading](Referent("block", ("blue",))))
    assert implies(late.forbidden, one)
    assert implies(one, late.forbidden)
    assert late.wanted == ()


def test_a_prohibition_may_be_about_what_is_not_there_yet() -> None:
    nothing = replace(SCENE, objects=(PLATE,))
    spec = Specification("", READINGS["never"](Referent("block", quantifier="all")))
    assert ground(spec, nothing).formula == Top()
    late = new_objects(ground(spec, nothing), ("plate",), SCENE)
    assert {p.args for p in propositions(late.forbidden)} == {(b.name,) for b in BLOCKS}


def test_what_was_there_and_now_fits_is_no_newcomer() -> None:
    left = Relation("isleftof", (Referent("plate"),))
    spec = Specification("", READINGS["never"](Referent("block", (), (left,), "all")))
    before = ground(spec, SCENE)
    moved = replace(BLOCKS[0], position=(0.6, 0.3, 0.02))
    now = replace(SCENE, objects=(moved, *BLOCKS[1:], PLATE))
    assert new_objects(before, SCENE.by_name(), now).forbidden == Top()
    fourth = replace(moved, name="block_2", color="black")
    late = new_objects(before, SCENE.by_name(), replace(now, objects=(*now.objects, fourth)))
    assert to_text(late.forbidden) == "G(!touching(block_2))"


def test_a_goal_is_about_what_was_there() -> None:
    spec = Specification("", READINGS["goal"](Referent("block", quantifier="all")))
    early = replace(SCENE, objects=(*BLOCKS[:2], PLATE))
    late = new_objects(ground(spec, early), early.by_name(), SCENE)
    assert late.forbidden == Top()
    assert late.wanted == ("blue_block",)


@pytest.mark.parametrize("reading", READINGS)
def test_only_what_forbids_can_be_kept_by_doing_nothing(reading: str) -> None:
    formula = READINGS[reading](Referent("block", ("red",)))
    if only_forbids(formula):
        good = grounded(formula)
        stays = [frozenset[Prop]()] * 3
        assert satisfies(good, stays) or reading == "keep"


# -- counts ----------------------------------------------------------------------------------

ATOMS = tuple(Prop("touching", (b.name,)) for b in BLOCKS)


@few
@given(
    st.sampled_from(COUNTED),
    st.integers(0, 4),
    st.lists(st.frozensets(st.sampled_from(ATOMS)), min_size=1, max_size=3),
)
def test_counts_are_counts(kind: str, number: int, trace: list[frozenset[Prop]]) -> None:
    x = Variable("x")
    quantity = Quantity(kind, number)  # type: ignore[arg-type]
    body = Eventually(Prop("touching", (x,)))
    formula = Quantified(quantity, x, Referent("block"), body)
    count = sum(any(atom in step for step in trace) for atom in ATOMS)
    true = {
        "at least": count >= number,
        "at most": count <= number,
        "exactly": count == number,
    }[kind]
    try:
        assert satisfies(grounded(formula), trace) == true
    except SaySoError as error:
        assert number > len(ATOMS), error
        assert not true


def test_the_second_is_another_one() -> None:
    x, y = Variable("x"), Variable("y")
    body = And((Eventually(Prop("touching", (x,))), Eventually(Prop("touching", (y,)))))
    block = Referent("block")
    both = Quantified(
        Quantity("some"), x, block, Quantified(Quantity("some"), y, block, body, (x,))
    )
    one = [frozenset({ATOMS[0]})]
    assert not satisfies(grounded(both), one)
    assert satisfies(grounded(both), [frozenset(ATOMS[:2])])


def test_what_is_excepted_is_left_out() -> None:
    x = Variable("x")
    body = Always(Not(Prop("touching", (x,))))
    apart = (Referent("block", ("red",)), Referent("cup", quantifier="all"))
    rule = Quantified(ALL, x, Referent("block"), body, apart)
    assert {p.args for p in propositions(grounded(rule))} == {("green_block",), ("blue_block",)}


def many(count: int) -> Scene:
    blocks = (replace(BLOCKS[0], name=f"block_{i}") for i in range(count))
    return Scene(0.0, (*blocks, PLATE))


def test_two_of_many_things_are_chosen() -> None:
    spec = Specification("", parse("F(at least 2 x in block: (on(x, plate)))"))
    assert len(propositions(ground(spec, many(40)).formula)) == 40


def test_a_choice_within_a_choice_of_many_things_is_refused() -> None:
    text = "some x in block: (some y in block other than x: (F(on(x, y) & some z in block other "
    spec = Specification("", parse(f"{text}than x, y: (F(on(y, z))))))"))
    assert ground(spec, many(9)).formula
    with pytest.raises(SaySoError) as caught:
        ground(spec, many(40))
    assert caught.value.code is Code.UNSUPPORTED
    assert caught.value.hint


# -- text ------------------------------------------------------------------------------------


@few
@given(formulas(described(), max_leaves=5))
def test_scoped_leaves_no_quantified_description_in_place(formula: Formula) -> None:
    result = scoped(formula)
    assert all(r.quantifier == "the" for p in propositions(result) for r in p.referents)
    assert scoped(result) == result


@few
@given(formulas(described(), max_leaves=5))
def test_quantified_formulas_survive_their_text(formula: Formula) -> None:
    result = scoped(formula)
    assert parse(to_text(result)) == result


@few
@given(formulas(described(), max_leaves=5))
def test_each_variable_is_bound_once(formula: Formula) -> None:
    bound = [f.variable for f in walk(scoped(formula)) if isinstance(f, Quantified)]
    assert len(bound) == len(set(bound))
