"""What is tried next while learning."""

from __future__ import annotations

import random

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import parse_literal
from sayso.core.symbols import Atom, Literal
from sayso.learning.clusters import Settings
from sayso.learning.exploration import Choice, Explorer, doubt
from sayso.learning.operators import Learned, learn_operators
from sayso.learning.transitions import Transition
from support.learning_worlds import observed

ARITIES = {"lit": 1, "dry": 1, "wide": 1}
THINGS = ("cup", "jar", "lid")
SKILLS = {"light": 1, "join": 2}


def state(*atoms: str):  # type: ignore[no-untyped-def]
    return observed((parse_literal(a).atom for a in atoms), THINGS, ARITIES)


DRY = state("dry(cup)", "dry(jar)", "wide(cup)", "wide(jar)")
LIT = state("dry(cup)", "dry(jar)", "wide(cup)", "wide(jar)", "lit(cup)")
LEARNED = learn_operators([Transition(DRY, "light", ("cup",), LIT)], ARITIES)
REFUSED = Transition(DRY, "light", ("lid",), feasible=False, because=(parse_literal("dry(lid)"),))


def never() -> None:
    raise AssertionError("no plan was wanted")


def choices(explorer: Explorer, learned: Learned, times: int = 40) -> set[Choice | None]:
    return {explorer.choose(DRY, learned, never) for _ in range(times)}


def test_at_random_everything_is_tried_that_no_explanation_forbids() -> None:
    learned = learn_operators([REFUSED], ARITIES)
    explorer = Explorer({"light": 1}, random.Random(0), "random", plan_share=0.0)
    assert choices(explorer, learned) == {
        Choice("light", ("cup",), "random"),
        Choice("light", ("jar",), "random"),
    }


def test_what_was_said_once_is_put_to_the_test_where_people_may_be_wrong() -> None:
    learned = learn_operators([REFUSED], ARITIES)
    avoid = [("light", ("cup",)), ("light", ("jar",))]
    strict, open_minded = (
        Explorer({"light": 1}, random.Random(0), plan_share=0.0, recheck=r) for r in (0.0, 0.1)
    )
    assert strict.choose(DRY, learned, never, avoid) is None
    assert open_minded.choose(DRY, learned, never, avoid) == Choice("light", ("lid",), "doubt")
    twice = learn_operators([REFUSED, REFUSED], ARITIES)
    assert open_minded.choose(DRY, twice, never, avoid[:1]) == Choice("light", ("jar",), "doubt")
    assert open_minded.choose(DRY, twice, never, avoid) == Choice("light", ("lid",), "doubt")
    assert open_minded.choose(DRY, twice, never, [*avoid, ("light", ("lid",))]) is None


def refused(before, skill: str, thing: str, needed: str) -> Transition:  # type: ignore[no-untyped-def]
    return Transition(before, skill, (thing,), feasible=False, because=(parse_literal(needed),))


def test_where_nothing_leads_on_what_may_wrongly_be_forbidden_is_asked_about() -> None:
    learned = learn_operators(
        [
            Transition(DRY, "light", ("cup",), LIT),
            Transition(LIT, "quench", ("cup",), DRY),
            REFUSED,
            refused(LIT, "light", "cup", "not lit(cup)"),
            refused(DRY, "quench", "jar", "lit(jar)"),
        ],
        ARITIES,
    )
    for share in (0.0, 1.0):
        explorer = Explorer({"light": 1, "quench": 1}, random.Random(0), plan_share=share)
        told, open_still = (
            explorer.choose(DRY, learned, lambda: None, (), trust)
            for trust in (lambda _: None, lambda x: (x.atom.predicate == "lit", 1))
        )
        assert told and told.args != ("lid",)
        assert open_still == Choice("light", ("lid",), "doubt")


def test_in_doubt_what_no_operator_speaks_of_comes_before_what_was_seen() -> None:
    explorer = Explorer(SKILLS, random.Random(0), plan_share=0.0)
    assert {c.skill for c in choices(explorer, LEARNED) if c} == {"join"}


def test_doubt_grows_with_what_is_new_and_is_greatest_where_operators_disagree() -> None:
    known, unlike = (doubt(DRY, LEARNED, "light", (thing,)) for thing in ("jar", "lid"))
    assert 0.0 == known < unlike < 1.0 == doubt(DRY, LEARNED, "join", ("cup", "jar"))
    wet = Transition(
        LIT, "light", ("cup",), state("dry(jar)", "wide(cup)", "wide(jar)", "lit(cup)")
    )
    both = learn_operators([Transition(DRY, "light", ("cup",), LIT), wet], ARITIES)
    lit_lid = state("lit(lid)", "wide(lid)")
    assert doubt(lit_lid, both, "light", ("lid",)) <= 1.0
    hidden = observed((), THINGS, {"wide": 1})
    assert doubt(hidden, both, "light", ("lid",)) == 2.0


def test_where_nothing_is_worth_seeing_little_doubts_do_not_decide() -> None:
    # What once slipped is not done over and over while nothing leads on.
    dark, lit = (observed(map(Atom, atoms, [("cup",)]), ("cup", "jar"), {"lit": 1})
                 for atoms in ([], ["lit"]))  # fmt: skip
    no = parse_literal("not lit(cup)")
    steps = [
        *[Transition(dark, "light", ("cup",), lit)] * 2,
        *[Transition(lit, "dim", ("cup",), dark)] * 6,
        Transition(lit, "dim", ("cup",), lit),
        Transition(lit, "light", ("cup",), feasible=False, because=(no,)),
        Transition(dark, "dim", ("cup",), feasible=False, because=(Literal(no.atom),)),
    ]
    learned = learn_operators(steps, {"lit": 1}, Settings(0.1))
    explorer = Explorer({"light": 1, "dim": 1}, random.Random(0))
    tried = {explorer.choose(lit, learned, lambda: None) for _ in range(40)}
    assert tried == {Choice("dim", ("cup",), "doubt"), Choice("light", ("jar",), "doubt")}


def test_the_plan_is_followed_as_often_as_told_unless_its_step_leads_nowhere() -> None:
    step = LEARNED.operators[0].operator.ground("jar")
    explorer = Explorer({"light": 1}, random.Random(0), "random")
    picked = [explorer.choose(DRY, LEARNED, lambda: [step]) for _ in range(200)]
    followed = [c for c in picked if c and c.why == "plan"]
    assert 70 < len(followed) < 130
    assert set(followed) == {Choice("light", ("jar",), "plan")}
    always = Explorer({"light": 1}, random.Random(0), "random", plan_share=1.0)
    avoid = [("light", (thing,)) for thing in ("jar", "lid")]
    assert always.choose(DRY, LEARNED, lambda: [step], avoid) == Choice("light", ("cup",), "random")
    assert always.choose(DRY, LEARNED, lambda: None, [*avoid, ("light", ("cup",))]) is None


def test_an_unknown_strategy_is_named() -> None:
    with pytest.raises(SaySoError, match="'bold'") as caught:
        Explorer(SKILLS, random.Random(0), "bold")
    assert "doubt" in caught.value.choices


def test_where_nothing_here_is_new_a_step_towards_something_new_comes_before_the_plan() -> None:
    """A lamp was carried and lit where it was dry: wet places are two steps away."""
    arities = {"held": 1, "lit": 1, "dry": 1}

    def seen(*atoms: str):  # type: ignore[no-untyped-def]
        return observed((parse_literal(a).atom for a in atoms), ("cup", "jar"), arities)

    begin, held = seen("dry(cup)"), seen("dry(cup)", "held(cup)")
    needs = Transition(
        begin, "light", ("cup",), feasible=False, because=(parse_literal("held(cup)"),)
    )
    examples = [
        needs,
        Transition(begin, "take", ("cup",), held),
        Transition(seen("dry(jar)"), "take", ("cup",), seen("dry(jar)", "held(cup)")),
        Transition(held, "light", ("cup",), seen("dry(cup)", "held(cup)", "lit(cup)")),
    ]
    learned = learn_operators(examples, arities)
    explorer = Explorer({"take": 1, "light": 1}, random.Random(0), plan_share=0.0)
    wet = seen("dry(jar)")
    known = doubt(wet, learned, "take", ("cup",))
    after = doubt(seen("dry(jar)", "held(cup)"), learned, "light", ("cup",))
    assert known < 0.4 < after
    step = learned.operators[0].operator.ground("jar")
    avoid = [("take", ("jar",)), ("light", ("jar",))]
    assert explorer.choose(wet, learned, lambda: [step], avoid) == Choice("take", ("cup",), "doubt")
