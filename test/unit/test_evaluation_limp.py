"""`sayso eval limp`: flats made for formulas, plans carried out in them, and the judgement."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.limp.acting import Actor, Deed
from sayso.evaluation.limp.cast import cast_of, kind_of
from sayso.evaluation.limp.feasible import _Flood, feasible
from sayso.evaluation.limp.judge import judge, judge_patrol
from sayso.evaluation.limp.knowledge import known
from sayso.evaluation.limp.methods import plan_formula, way_to
from sayso.evaluation.limp.scenes import Stage, stage
from sayso.logic.formula import Prop
from sayso.logic.text import parse
from sayso.planning.navigation.nearness import NEAR_M
from sayso.planning.navigation.obligations import obligations_of
from support.flats import LIBRARY

DRIVE = LIBRARY.operators["go"]

TOY = parse("F(holding(green_plush_toy::isbetween(sofa, television)))")
AVOID = "F(near(fridge)) & G(!near(white_table))"
CARRY = "F(holding(red_mug) & F(placed(red_mug, sofa)))"
BESIDE = "F(holding(apple) & F(placed(apple, grey_door)))"


@lru_cache
def made(text: str) -> Stage:
    """One flat for each formula; nothing changes it."""
    return stage(parse(text), 1)


def test_a_cast_has_what_fits_and_what_fits_but_for_one_thing() -> None:
    cast = cast_of(TOY)
    toys = [r for r in cast.roles if r.noun == "plush toy"]
    (fitting,) = (r for r in toys if r.fits)
    assert [r.comparator for r in fitting.wish.relations] == ["isbetween"]
    others = [r for r in toys if not r.fits]
    assert {r.color for r in others} > {"green"}
    assert any(r.wish.unlike for r in others)


def test_what_says_less_is_the_thing_that_says_more() -> None:
    cast = cast_of(parse("F(near(sofa) & F(near(red_sofa)))"))
    assert sum(r.noun == "sofa" for r in cast.roles) == 1


def test_a_has_several_and_numbered_names_have_one_each() -> None:
    cast = cast_of(parse("F(holding(a coke)) & F(holding(a soda_1)) & F(holding(a soda_2))"))
    names = sorted(r.wish.name for r in cast.roles if r.noun.startswith(("coke", "soda")))
    assert names == ["coke_a", "coke_b", "soda_1", "soda_2"]


def test_a_flat_is_made_for_different_things_of_a_kind() -> None:
    bring = "F(holding(a soda_{0}) & F(placed(a soda_{0}, table)))"
    flat = made(f"{bring.format(1)} & {bring.format(2)}")
    assert {"soda_1", "soda_2"} <= {o.name for o in flat.objects}


def test_a_flat_that_allows_the_task_with_less_and_with_more_reach_must_allow_it_as_it_is() -> None:
    flat = stage(parse("F(near(blue_ikea_couch)) & G(!near(big_steel_door))"), 1800166297)
    reached = _Flood(flat.flat(), obligations_of(flat.gold), flat.start, NEAR_M)
    assert reached.succeeds()


@pytest.mark.parametrize(
    ("noun", "carried", "kind"),
    [("couch", False, "sofa"), ("vacuum cleaner", True, "packet"), ("toy cat", False, "plush_toy"),
     ("glass door", False, "door"), ("unheard of", False, "machine")],
)  # fmt: skip
def test_every_noun_gets_a_kind(noun: str, carried: bool, kind: str) -> None:
    assert kind_of(noun, carried) == kind


def test_a_flat_is_made_that_can_be_lived_in_and_the_same_seed_makes_it_again() -> None:
    flat = made(AVOID)
    assert feasible(flat.gold, flat.flat(), flat.start)
    assert sum(o.category == "table" for o in flat.objects) > 1
    assert stage(parse(AVOID), 1).scene == flat.scene


def test_what_cannot_be_done_is_no_test() -> None:
    flat = made(AVOID)
    name = str(flat.propositions[0].args[0])
    both = parse(f"F(near({name})) & G(!near({name}))", grounded=True)
    assert not feasible(both, flat.flat(), flat.start)


@pytest.mark.parametrize("text", [CARRY, BESIDE])
def test_what_is_planned_comes_about(text: str) -> None:
    """On a sofa; beside a door, where nothing can lie."""
    flat = made(text)
    course = plan_formula("", parse(text), known(flat))
    actor = Actor(flat, flat.propositions)
    actor.carry_out(course.there)
    assert judge(flat.gold, actor.trace).fulfilled
    assert actor.way_m > 0


def test_driving_past_what_is_to_be_avoided_is_seen() -> None:
    flat = made(AVOID)
    avoided = next(o for o in flat.objects if Prop("near", (o.name,)) in flat.propositions
                   and o.category == "table")  # fmt: skip
    actor = Actor(flat, flat.propositions)
    path = way_to(flat.grid, flat.start, avoided)
    actor.carry_out([Deed(DRIVE, (), path), Deed(DRIVE, (), path[::-1])])
    verdict = judge(flat.gold, actor.trace)
    assert verdict.violated
    assert not verdict.fulfilled


def test_the_hand_takes_only_what_is_there() -> None:
    flat = made(CARRY)
    actor = Actor(flat, flat.propositions)
    with pytest.raises(SaySoError) as failure:
        actor.carry_out([Deed(LIBRARY.operators["pick"], ("red_mug_a",), np.array([flat.start]))])
    assert failure.value.code is Code.EXECUTION


def test_a_patrol_is_judged_by_its_rounds() -> None:
    a, b, never = (Prop("near", (n,)) for n in "abc")
    mission = parse("G(F(near(a)) & F(near(b))) & G(!near(c))", grounded=True)
    there, round_ = [frozenset({a})], [frozenset[Prop](), frozenset({b}), frozenset({a})]
    assert judge_patrol(mission, there, [round_, round_]).fulfilled
    assert not judge_patrol(mission, there, [round_, round_[:1]]).fulfilled
    assert not judge_patrol(mission, there, []).fulfilled
    assert judge_patrol(mission, there, [round_, [frozenset({never}), *round_]]).violated
