"""Operators learned from a few transitions of a kitchen."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load, parse_literal, save
from sayso.core.symbols import Atom, Literal, SymbolicState
from sayso.core.vocabulary import Wanted
from sayso.learning.clusters import Settings
from sayso.learning.operators import Learned, OperatorLearner, learn_operators
from sayso.learning.transitions import Transition
from support.learning_worlds import observed

ARITIES = {"empty": 0, "holding": 1, "table": 1, "clear": 1, "light": 1, "on": 2}
THINGS = ("cup", "jar", "lid")
START = "empty() light(cup) light(lid) clear(cup) clear(jar) table(cup) on(lid, jar)"


def state(text: str, *things: str) -> SymbolicState:
    atoms = (parse_literal(part + ")").atom for part in text.split(")") if part.strip())
    return observed(atoms, things or THINGS, ARITIES)


def literals(*texts: str) -> frozenset[Literal]:
    return frozenset(map(parse_literal, texts))


TABLE = state(
    "empty() light(cup) light(lid) clear(cup) clear(lid) table(cup) table(jar) on(lid, jar)"
)
HOLDS_CUP = state(
    "holding(cup) light(cup) light(lid) clear(cup) clear(lid) table(jar) on(lid, jar)"
)
HOLDS_LID = state(
    "holding(lid) light(cup) light(lid) clear(cup) clear(lid) clear(jar) table(cup) table(jar)"
)
PICK_CUP = Transition(TABLE, "pick", ("cup",), HOLDS_CUP)
PICK_LID = Transition(TABLE, "pick", ("lid",), HOLDS_LID)
REFUSED = Transition(TABLE, "pick", ("jar",), feasible=False, because=tuple(literals("light(jar)")))


def names(learned: Learned) -> list[str]:
    return [o.operator.name for o in learned.operators]


def test_one_success_gives_the_effect_and_needs_what_it_ends() -> None:
    (learned,) = learn_operators([PICK_CUP], ARITIES).operators
    assert learned.operator.parameters == ("?a",)
    assert learned.operator.add == {Atom("holding", ("?a",))}
    assert learned.operator.delete == {Atom("empty"), Atom("table", ("?a",))}
    assert learned.operator.preconditions == literals("empty()", "table(?a)")
    assert literals("empty()", "light(?a)", "not holding(?a)") <= learned.common


def test_an_explanation_becomes_a_precondition_of_every_operator_of_the_skill() -> None:
    learned = learn_operators([PICK_CUP, REFUSED, PICK_LID], ARITIES)
    assert names(learned) == ["pick_1", "pick_2"]
    assert all(literals("light(?a)") <= o.operator.preconditions for o in learned.operators)
    assert learned.needs("pick") == literals("light(?a)")


def test_different_effects_are_told_apart_by_what_they_end() -> None:
    table, lid = learn_operators([PICK_CUP, PICK_LID], ARITIES).operators
    assert table.operator.preconditions == literals("empty()", "table(?a)")
    assert lid.operator.parameters == ("?a", "?b")
    assert lid.operator.preconditions == literals("empty()", "on(?a, ?b)")
    assert lid.operator.add == {Atom("holding", ("?a",)), Atom("clear", ("?b",))}


FEWER = {"empty": 0, "holding": 1, "on": 2}


def test_what_is_taken_from_something_or_from_nothing_is_one_action() -> None:
    def seen(text: str) -> SymbolicState:
        atoms = (parse_literal(part + ")").atom for part in text.split(")") if part.strip())
        return observed(atoms, THINGS, FEWER)

    low, high = seen("empty() on(lid, jar)"), seen("empty() on(cup, lid) on(lid, jar)")
    held = seen("holding(cup) on(lid, jar)")
    full = Transition(held, "pick", ("lid",), feasible=False, because=tuple(literals("empty()")))
    from_lid, from_table = (Transition(s, "pick", ("cup",), held) for s in (high, low))
    for order in ([from_lid, from_table, full], [from_lid, full, from_table, from_lid, from_lid]):
        (learned,) = learn_operators(order, FEWER).operators
        assert learned.operator.parameters == ("?a",) and learned.successes == len(order) - 1
        assert learned.operator.preconditions == literals("empty()")
        for before in (low, high):
            action = learned.operator.ground("cup", objects=THINGS)
            assert action.apply(before.true_atoms()) == held.true_atoms()


def test_what_is_taken_ends_every_relation_that_it_was_seen_to_end() -> None:
    arities = {**FEWER, "in": 2}

    def seen(text: str) -> SymbolicState:
        atoms = (parse_literal(part + ")").atom for part in text.split(")") if part.strip())
        return observed(atoms, THINGS, arities)

    held = seen("holding(cup)")
    befores = [seen("empty() on(cup, lid)"), seen("empty() in(cup, jar)"), seen("empty()")]
    tried = [Transition(b, "pick", ("cup",), held) for b in befores]
    (learned,) = learn_operators(tried, arities).operators
    for before in befores:
        action = learned.operator.ground("cup", objects=THINGS)
        assert action.apply(before.true_atoms()) == held.true_atoms()


def test_what_is_seldom_taken_from_nothing_is_not_forgotten() -> None:
    arities = {**FEWER, "clear": 1}

    def seen(text: str) -> SymbolicState:
        atoms = (parse_literal(part + ")").atom for part in text.split(")") if part.strip())
        return observed(atoms, THINGS, arities)

    low, held = seen("empty() clear(cup) clear(lid)"), seen("holding(cup) clear(cup) clear(lid)")
    high = Transition(seen("empty() clear(cup) on(cup, lid)"), "pick", ("cup",), held)
    learned = learn_operators([high, high, Transition(low, "pick", ("cup",), held)], arities)
    assert len(learned.operators) == 2
    rare, usual = sorted(learned.operators, key=lambda o: len(o.operator.parameters))
    assert rare.operator.ground("cup").apply(low.true_atoms()) == held.true_atoms()
    assert rare.operator.cost > usual.operator.cost == 1.0


def test_an_unexplained_refusal_is_kept_out_by_the_literal_that_differs() -> None:
    bare = state("empty() light(cup) light(lid) clear(cup) clear(jar) clear(lid) table(jar)")
    refused = replace(REFUSED, before=bare, because=())
    learned = learn_operators([PICK_CUP, refused], ARITIES)
    assert learned.operators[0].operator.preconditions == literals(
        "empty()", "table(?a)", "light(?a)"
    )


def test_what_an_action_was_seen_to_do_without_is_not_needed_though_it_ends_it() -> None:
    arities = {"holding": 1, "quiet": 0}
    quiet, loud, done = (
        observed([Atom(p, a) for p, a in atoms], THINGS, arities)
        for atoms in (
            [("holding", ("cup",)), ("quiet", ())], [("holding", ("cup",))], [],
        )
    )  # fmt: skip
    drop = Transition(quiet, "drop", ("cup",), done)
    (first,) = learn_operators([drop], arities).operators
    assert first.operator.preconditions == literals("holding(?a)", "quiet()")
    again = Transition(loud, "drop", ("cup",), done)
    (both,) = learn_operators([drop, again], arities).operators
    assert both.operator.preconditions == literals("holding(?a)")


def test_an_effect_that_was_partly_there_before_is_no_operator_of_its_own() -> None:
    # Pouring into what is full already empties the first all the same.
    arities = {"full": 1}
    both, jar, lid = (
        observed([Atom("full", (o,)) for o in full.split()], THINGS, arities)
        for full in ("cup jar", "jar", "lid")
    )
    pours = [
        Transition(both, "pour", ("cup", "jar"), jar),
        Transition(jar, "pour", ("jar", "lid"), lid),
    ]
    (learned,) = learn_operators(pours, arities).operators
    assert (learned.tries, learned.successes) == (2, 2.0)
    assert learned.operator.add == {Atom("full", ("?b",))}


def test_what_cannot_be_told_apart_is_counted_and_makes_the_operator_dearer() -> None:
    slips = [replace(PICK_CUP, after=TABLE)]
    learned = learn_operators([PICK_CUP, PICK_CUP, *slips, PICK_CUP], ARITIES, Settings(0.1))
    (pick,) = learned.operators
    assert (pick.tries, pick.successes) == (4, 3.0)
    assert [(o.add, o.delete, o.count) for o in pick.others] == [(frozenset(), frozenset(), 1)]
    assert pick.probability == pytest.approx(0.8)
    assert pick.operator.cost == 1.25


def test_a_thing_seen_astray_twice_is_no_effect_though_it_changes_two_atoms() -> None:
    # The lid is seen off the jar, and back on it when the cup has been picked up.
    astray = state(
        "empty() light(cup) light(lid) clear(cup) clear(lid) clear(jar) table(cup) table(jar)"
    )
    back = replace(PICK_CUP, before=astray)
    learned = learn_operators([PICK_CUP] * 5 + [back] * 2 + [PICK_CUP] * 5, ARITIES, Settings(0.1))
    (pick,) = learned.operators
    assert pick.operator.parameters == ("?a",)
    assert sum(o.count for o in pick.others) == 2


def test_what_was_not_observed_speaks_neither_for_nor_against() -> None:
    hidden = SymbolicState(0.0, THINGS, {**TABLE.truths, Atom("light", ("lid",)): None})
    lid = Transition(hidden, "pick", ("lid",), HOLDS_LID)
    learned = learn_operators([REFUSED, lid], ARITIES)
    assert learned.explained == 1
    assert learned.operators[0].operator.preconditions >= literals("light(?a)")


def test_a_wrong_explanation_is_reported_and_goes_where_the_action_went_without_as_often() -> None:
    wrong = Transition(
        HOLDS_LID, "pick", ("cup",), feasible=False, because=tuple(literals("not clear(cup)"))
    )
    steps = [PICK_CUP, PICK_LID, wrong]
    ((skill, requirement),) = learn_operators(steps, ARITIES).contradictions
    assert (skill, requirement.against, requirement.kept) == ("pick", 2, False)
    assert learn_operators(steps, ARITIES, Settings(0.1)).needs("pick") == frozenset()
    often = [*steps, wrong, wrong]
    assert learn_operators(often, ARITIES).needs("pick") == {*literals("not clear(?a)")}


def test_an_explanation_that_names_what_held_speaks_against_itself() -> None:
    wrong = replace(REFUSED, because=tuple(literals("table(jar)")))
    ((_, requirement),) = learn_operators([wrong], ARITIES).contradictions
    assert (requirement.said, requirement.against, requirement.kept) == (1, 1, True)
    assert learn_operators([wrong], ARITIES, Settings(0.1)).needs("pick") == frozenset()


def test_every_step_gives_what_all_steps_at_once_give_whatever_came_before() -> None:
    big = ("cup", *(f"lid_{i}" for i in range(12)))
    wide = Transition(
        state("empty() table(cup) clear(cup)", *big),
        "pick",
        ("cup",),
        state("holding(cup) clear(cup)", *big),
    )
    steps = [PICK_CUP, REFUSED, PICK_LID, wide, PICK_CUP]
    learner = OperatorLearner(ARITIES)
    for i, step in enumerate(steps):
        assert learner.step(step) == learn_operators(steps[: i + 1], ARITIES)


def test_learned_operators_go_into_the_library_with_their_counts(tmp_path) -> None:  # type: ignore[no-untyped-def]
    library = load(builtin_path())
    hand = Library("mine", library.predicates, library.operators)
    before = observed([Atom("on_table", ("cup",))], ("cup",), {"on_table": 1, "holding": 1})
    after = observed([Atom("holding", ("cup",))], ("cup",), {"on_table": 1, "holding": 1})
    learned = learn_operators(
        [Transition(before, "pick", ("cup",), after)], {"on_table": 1, "holding": 1}
    )
    save(learned.into(learned.into(hand)), tmp_path)
    again = load(tmp_path)
    assert again.operators["pick_1"] == learned.operators[0].operator
    assert again.operator_provenance["pick_1"]["tries"] == 1
    assert "other" in json.dumps(dict(again.operator_provenance["pick_1"]))
    assert set(again.operators) - {"pick_1"} == {
        n for n, o in library.operators.items() if o.skill != "pick"
    }


def test_what_a_skill_mostly_brings_about_to_its_things_is_what_it_is_asked_for() -> None:
    hand = Library("mine", {}, {})
    learned = learn_operators([PICK_CUP, REFUSED, PICK_LID], ARITIES)
    again = learned.into(learned.into(hand))
    (pick,) = again.vocabulary.actions
    assert (pick.name, pick.arguments) == ("pick", ("thing",))
    assert pick.goal == ((Wanted("holding", (0,)),),)
    assert Learned().into(again).vocabulary.actions == ()


@pytest.mark.parametrize(
    ("args", "code"),
    [(("spoon",), Code.UNKNOWN_OBJECT), (("cup", "cup"), Code.INVALID)],
)
def test_a_transition_names_what_is_wrong_with_it(args: tuple[str, ...], code: Code) -> None:
    with pytest.raises(SaySoError) as caught:
        Transition(TABLE, "pick", args, TABLE)
    assert caught.value.code == code


def test_a_skill_keeps_its_number_of_arguments() -> None:
    learner = OperatorLearner(ARITIES)
    learner.add(PICK_CUP)
    with pytest.raises(SaySoError, match="1 arguments before"):
        learner.add(replace(PICK_CUP, args=("cup", "jar")))
