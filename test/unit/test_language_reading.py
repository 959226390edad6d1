"""Replies of a language model as formulas: scope, names, and replies that mean harm or nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.limp_language import bundled_gold, read_gold
from sayso.evaluation.measures import equivalent
from sayso.language.lexicon import Lexicon
from sayso.language.naming import normal
from sayso.language.omissions import left_out, unread
from sayso.language.reading import Reading, read
from sayso.language.vocabulary import examples_for
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import Formula, map_referents, referents_of
from sayso.logic.text import parse, to_text
from support.model_replies import as_reply, reading, thing

DATA = Path(__file__).parents[1] / "data"
TABLE = Lexicon.of(load(builtin_path()))
FLAT = Lexicon.of(load(builtin_path("flat")))
BLOCK, BOWL = thing("k1", "block", "every"), thing("k2", "bowl")


def read_text(text: str, lexicon: Lexicon = TABLE, seen: tuple[str, ...] = ()) -> Reading:
    return read(json.loads(text), lexicon, seen)


def formula(text: str, lexicon: Lexicon = TABLE) -> str:
    return to_text(read_text(text, lexicon).formula)


def refusal(text: str, seen: tuple[str, ...] = ()) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        read_text(text, seen=seen)
    assert caught.value.code in (Code.INVALID, Code.NOT_UNDERSTOOD)
    return caught.value


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (reading("F(in(k1, k2))", BLOCK, BOWL), "F(all k1 in block: (in(k1, bowl)))"),
        (
            reading(
                "F(on_table(s)) & F(on_table(t))", thing("s", "tin", "a"), thing("t", "tin", "a")
            ),
            "some s in tin: (some t in tin other than s: (F(on_table(s)) & F(on_table(t))))",
        ),
        (
            reading(
                "F(in(k1, k2)) & F(on_table(k3))",
                thing("k1", "block", "2", different_from=["k3"]),
                BOWL,
                thing("k3", "block", "a"),
            ),
            "some k3 in block: (at least 2 k1 in block other than k3: "
            "(F(in(k1, bowl)) & F(on_table(k3))))",
        ),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "block", where=[("isbiggerthan", ["k2"])]),
                thing("k2", "block", "every"),
            ),
            "F(holding(block::isbiggerthan(all block)))",
        ),
        (
            reading(
                "F(on(k1, k3))",
                thing("k1", "bowl"),
                thing("k2", "mug"),
                thing("k3", "thing", where=[("isbelow", ["k2"])]),
            ),
            "F(on(bowl, thing::isbelow(mug)))",
        ),
        (reading("G(!touching(k1))", thing("k1", "me")), "G(!touching(person))"),
        (
            reading(
                "F(holding(k2))",
                thing("k1", "somebody", "a"),
                thing("k2", "cup", where=[("isbehind", ["k1"])]),
            ),
            "F(holding(cup::isbehind(a person)))",
        ),
        (reading("F(holding(k1))", thing("k1", "cat's toy")), "F(holding(cat_toy))"),
        (
            reading("F(holding(k1))", thing("k1", "mug with the shape of a ring")),
            "F(holding(mug_with_shape_of_ring))",
        ),
        (reading("F(holding(k1))", thing("k1", "vitamin a")), "F(holding(vitamin_a))"),
        (reading("G(!touching(k1))", BLOCK), "all k1 in block: (G(!touching(k1)))"),
        (
            reading("G(!touching(k1))", thing("k1", "block", "a")),
            "all k1 in block: (G(!touching(k1)))",
        ),
        (
            reading("G(!touching(k1))", thing("k1", "block", "none")),
            "all k1 in block: (G(!touching(k1)))",
        ),
        (
            reading("F(in(k1, k2))", thing("k1", "block", "2"), BOWL),
            "F(at least 2 k1 in block: (in(k1, bowl)))",
        ),
        (
            reading("F(holding(k1))", thing("k1", "block", "exactly 2")),
            "exactly 2 k1 in block: (F(holding(k1)))",
        ),
        (
            reading("G(in(k1, k2))", thing("k1", "block", "at most 2"), BOWL),
            "G(at most 2 k1 in block: (in(k1, bowl)))",
        ),
        (
            reading(
                "F(in(k1, k2)) & F(in(k3, k2))",
                thing("k1", "block", "a"),
                BOWL,
                thing("k3", "block", "a", different_from=["k1"]),
            ),
            "some k1 in block: (some k3 in block other than k1: "
            "(F(in(k1, bowl)) & F(in(k3, bowl))))",
        ),
        (
            reading(
                "F(in(k1, k2))",
                thing("k1", "block", "every", different_from=["k3"]),
                BOWL,
                thing("k3", "block", "every", colour="red"),
            ),
            "F(all k1 in block other than all red_block: (in(k1, bowl)))",
        ),
        (
            reading(
                "F(in(k1, k2)) & F(on_table(k3))",
                thing("k1", "block", "a"),
                BOWL,
                thing("k3", "block", "every", different_from=["k1"]),
            ),
            "some k1 in block: (F(in(k1, bowl)) & "
            "F(all k3 in block other than k1: (on_table(k3))))",
        ),
        (
            reading(
                "F(holding(rest))",
                thing("rest", "mug", different_from=["k1"]),
                thing("k1", "mug", colour="red"),
            ),
            "F(some rest in mug other than red_mug: (holding(rest)))",
        ),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "block", where=[("isbetween", ["k2", "k3"])]),
                BOWL,
                thing("k3", "mug", "a", where=[("isbehind", ["k2"])]),
            ),
            "F(holding(block::isbetween(bowl, a mug::isbehind(bowl))))",
        ),
        (
            reading("F(on(k1, k2))", thing("k1", "block", "a"), thing("k2", "plate", "every")),
            "F(all k2 in plate: (some k1 in block: (on(k1, k2))))",
        ),
        (
            reading(
                "(!on(n, p) -> F(on(m, p))) & (on(k1, p) -> F(on(m, k2)))",
                thing("n", "block", "none"),
                thing("k1", "block", "a"),
                *(thing("p", "plate"), thing("m", "mug"), BOWL),
            ),
            "(!all n in block: (!on(n, plate)) | F(on(mug, plate))) & "
            "(!some k1 in block: (on(k1, plate)) | F(on(mug, bowl)))",
        ),
        (
            reading(
                "(on(k1, p) -> F(holding(p))) & (in(k1, k2) -> F(holding(k2)))",
                thing("k1", "block", "a"),
                *(thing("p", "plate"), BOWL),
            ),
            "(!some k1 in block: (on(k1, plate)) | F(holding(plate))) & "
            "(!some k1 in block: (in(k1, bowl)) | F(holding(bowl)))",
        ),
        (reading("F(holding(red_one))", thing("red_one", "mug")), "F(holding(mug))"),
    ],
)
def test_things_get_their_quantifiers_by_the_rules_of_scope(reply: str, expected: str) -> None:
    assert formula(reply) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (thing("k1", "the_sofa"), "sofa"),
        (thing("k1", "gray_sofa"), "grey_sofa"),
        (thing("k1", "large television"), "big_television"),
        (thing("k1", "An Old Tin", size="tiny"), "small_old_tin"),
        (thing("k1", "tin", colour="gray"), "grey_tin"),
        (thing("k1", "red_tins", "every"), "red_tin"),
        (thing("k1", "shelves", "a"), "shelf"),
        (thing("k1", "gloves", "2"), "glove"),
        (thing("k1", "boxes", "2"), "box"),
        (thing("k1", "glass", "every"), "glass"),
        (thing("k1", "stairs"), "stairs"),
        (thing("k1", "bags of chips", "every"), "bag_of_chips"),
    ],
)
def test_names_are_made_the_same_as_peoples_words(entry: Mapping[str, Any], expected: str) -> None:
    (named,) = referents_of(read_text(reading("F(near(k1))", entry), FLAT).formula)
    assert str(replace(named, quantifier="the")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F(near(the_sofa))", "F(near(sofa))"),
        ("F(near(gray_sofa::isnextto(the_large_television)))", None),
        ("F(holding(all red_tins))", "F(holding(all red_tin))"),
    ],
)
def test_names_in_plain_formulas_are_made_the_same(text: str, expected: str | None) -> None:
    expected = expected or "F(near(grey_sofa::isnextto(big_television)))"
    assert to_text(map_referents(parse(text), normal)) == expected


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (reading("F(in(k1, mug))", BLOCK, BOWL), "'mug' in in(...) is not the id"),
        (reading("F(holding(k1))", BLOCK, BOWL), "nothing is said of 'k2'"),
        (reading("F(holding(k1))", BLOCK, BLOCK), "there twice"),
        (reading("F(holding(k1))", thing("k1", "block", "seven")), "does not say which"),
        (reading("F(holding(k1))", thing("k1", "block", "0")), "does not say which"),
        (reading("F(holding(k1))", thing("k1", "block", "999")), "does not say which"),
        (reading("F(holding(k1))", thing("k1", "block", colour="beige")), "part of the noun"),
        (reading("F(holding(k1))", thing("k1", "red")), "names no kind of thing"),
        (reading("F(holding(k1))", thing("k1", "")), "names no kind of thing"),
        (reading("F(holding(k1))", thing("k1", "!?\n")), "names no kind of thing"),
        (reading("F(touching(k1))", thing("k1", "block", "none")), "says 'none', but"),
        (reading("G(!touching(k1))", thing("k1", "block", "2")), "under a negation"),
        (
            reading(
                "F(holding(k1)) & F(touching(k2))",
                thing("k1", "mug", "2"),
                thing("k2", "mug", "3", different_from=["k1"]),
            ),
            "two numbers of things",
        ),
        (reading("F(holding(all))", thing("all", "block")), "cannot be an id"),
        (reading("F(holding(k1))", thing("K 1) | true", "block")), "cannot be an id"),
        (reading("F(holding(k1))", thing("k1", "mug", different_from=["k9"])), "not the id of"),
        (reading("F(holding(k1))", thing("k1", "mug", different_from=["k1"])), "not the id of"),
        (reading("F(holding(k1))", thing("k1", "mug", where=[("isbehind", ["k1"])])), "not the id"),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "mug", where=[("isbehind", ["k2"])]),
                thing("k2", "bowl", where=[("isbehind", ["k1"])]),
            ),
            "told by itself: 'k1' by 'k2' by 'k1'",
        ),
        (
            reading("F(holding(k1))", thing("k1", "mug", where=[("under", ["k2"])]), BOWL),
            "no relation 'under'",
        ),
        (
            reading("F(in(k1, k2))", thing("k1", "mug", where=[("isbehind", [])]), BOWL),
            "of 1 things, got 0",
        ),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "book", "every", different_from=["k2"]),
                thing("k2", "book", "every"),
            ),
            "nothing is left",
        ),
        (reading("F(holding(k1))", thing("k1", "my mug")), "tells whose it is"),
        (
            reading(
                "F(in(k1, k3))",
                thing("k1", "mug", where=[("isbehind", ["k3"])]),
                thing("k3", "bowl", "a"),
            ),
            "the formula chooses it besides",
        ),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "mug", where=[("isbehind", ["k2"])]),
                thing("k2", "bowl", "2"),
            ),
            "cannot tell a place",
        ),
        (
            reading(
                "F(holding(k1))",
                thing("k1", "mug", where=[("isbehind", ["k2"])]),
                thing("k2", "bowl", different_from=["k1"]),
            ),
            "'k2' tells where 'k1' is, and is different from 'k1'",
        ),
        (
            reading(
                "F(in(k1, k2)) & G(!touching(k3))",
                thing("k1", "block", "2"),
                BOWL,
                thing("k3", "block", "none", different_from=["k1"]),
            ),
            "list each of those of 'k1' as an entry of its own that says 'a'",
        ),
        (
            reading("F(open(k1)) & G(!open(k1))", thing("k1", "mug")),
            "open needs something that opens",
        ),
        (reading("F(all x in block: (holding(x)))", thing("x", "block")), "quantifiers of its own"),
        (reading("F(holding(k1::isbehind(k2)))", BLOCK, BOWL), "is not the id of a thing"),
        (reading("F(true)"), "says nothing about the world"),
        (reading("(" * 500 + "true" + ")" * 500), ""),
        (reading("F(holding(k1)); drop table", BLOCK), ""),
        (reading("__import__('os')", BLOCK), ""),
        (
            reading(
                " & ".join(f"F(holding(k{n}))" for n in range(99)),
                *(thing(f"k{n}", "mug") for n in range(99)),
            ),
            "more than 30 things",
        ),
    ],
)
def test_what_has_no_clear_meaning_is_refused_with_words_to_mend_it(reply: str, says: str) -> None:
    assert says in str(refusal(reply))


@pytest.mark.parametrize("which", ["a", "any", "every", "2"])
@pytest.mark.parametrize(
    "cases",
    [
        "(on(k1, p) -> F(on(m, k2))) & (!on(k1, p) -> F(on(m, p)))",
        "(!on(k1, p) -> F(on(m, p))) & (on(k1, p) -> F(on(k1, k2) & F(on(m, p))))",
        "G(on(k1, p) -> F(on(m, k2))) & G(!on(k1, p) -> F(on(m, p)))",
        "F(on(m, p) & (on(k1, p) -> F(on(m, k2)))) & (!on(k1, p) & open(d) -> F(on(m, p)))",
        "(on(k1, p) & F(on(m, k2))) | (!on(k1, p) & F(on(m, p)))",
        "on(k1, p) | F(on(m, p)) & (on(k1, p) -> F(on(m, k2)))",
    ],
)
def test_nothing_is_chosen_for_a_case_and_for_its_opposite(cases: str, which: str) -> None:
    """ "If somebody is there ..., if there is nobody ...": not one and the same somebody."""
    things = (thing("k1", "block", which), BOWL, thing("p", "plate"), thing("m", "mug"))
    drawer = (thing("d", "drawer"),) if "(d)" in cases else ()
    said = str(refusal(reading(cases, *things, *drawer)))
    assert "'k1'" in said and "one that says 'none'" in said


def test_one_thing_may_be_so_first_and_not_so_later() -> None:
    things = (thing("k1", "block", "a"), thing("p", "plate"), thing("m", "mug"))
    later = "(!on(k1, p) U holding(m)) & F(on(k1, p))"
    assert "some k1 in block" in formula(reading(later, *things))
    begins = "G(!on(k1, p) & X(on(k1, p)) -> X(F(holding(m))))"
    assert "some k1 in block" in formula(reading(begins, *things))
    the = reading("(in(k1, p) -> F(holding(p))) & (!in(k1, p) -> F(in(k1, p)))",
                  thing("k1", "mug"), thing("p", "bowl"))  # fmt: skip
    assert "in(mug, bowl)" in formula(the)


def test_a_number_of_things_can_be_spared_as_that_text_says() -> None:
    said = reading(
        "F(in(k1, k2) & in(k4, k2)) & G(!touching(k3))",
        thing("k1", "block", "a"),
        BOWL,
        thing("k3", "block", "none", different_from=["k1", "k4"]),
        thing("k4", "block", "a"),
    )
    assert "all k3 in block other than k1, k4" in formula(said)


def test_a_part_of_something_is_called_as_people_call_it() -> None:
    said = reading("F(open(k1))", thing("k1", "door of the bedroom"))
    assert formula(said, FLAT) == "F(open(bedroom_door))"
    every = reading("G(closed(k1))", thing("k1", "drawers of the desk", "every"))
    assert formula(every) == "G(all k1 in desk_drawer: (closed(k1)))"


def test_what_is_forbidden_may_be_impossible_anyway_and_that_is_told() -> None:
    said = reading(
        "F(near(k2)) & G(!holding(k1)) & G(!near(k1) & !holding(k1))",
        thing("k1", "cat", "none"),
        thing("k2", "sofa"),
        assumptions=["Any cat is meant."],
    )
    found = read_text(said, FLAT)
    assert "!holding(k1)" in to_text(found.formula)
    assert found.assumptions == (
        "The cat is not something that can be carried, so what is forbidden cannot happen.",
        "Any cat is meant.",
    )


@pytest.mark.parametrize("text", ["F(holding(k1))", "!holding(k1) U near(k1)", "G(holding(k1))"])
def test_what_is_not_just_forbidden_has_to_be_possible(text: str) -> None:
    with pytest.raises(SaySoError, match="holding needs something that can be carried"):
        read_text(reading(text, thing("k1", "cat")), FLAT)


def test_one_thing_in_the_plural_is_refused() -> None:
    error = refusal(reading("F(holding(k1))", thing("k1", "blocks")), ("red_block", "blue_block_2"))
    assert "say which: every, or a number" in error.hint


def test_assumptions_are_short_lines_that_a_person_will_read() -> None:
    said = ["one\nline", "x" * 999, "", "bell\a", *(f"number {n}" for n in range(9))]
    found = read_text(reading("F(holding(k1))", thing("k1", "mug"), assumptions=said)).assumptions
    assert found[0] == "one line"
    assert len(found) == 6
    assert max(map(len, found)) == 200
    assert all(a.isprintable() for a in found)


@pytest.mark.parametrize("lexicon", [TABLE, FLAT])
def test_the_worked_examples_are_replies_that_will_do(lexicon: Lexicon) -> None:
    examples = examples_for(lexicon.predicates)
    assert len(examples) >= 12
    for example in examples:
        reply = example["reply"]
        if not reply["formula"]:
            assert reply["problem"]
            continue
        found = read(reply, lexicon)
        assert left_out(found.formula, example["says"], found.assumptions) == ()


GOLD = [g.readings[0] for g in read_gold(bundled_gold()).values()]


@pytest.mark.parametrize("meant", GOLD, ids=range(len(GOLD)))
def test_all_that_limps_instructions_mean_can_be_replied(meant: Formula) -> None:
    assert equivalent(read_text(as_reply(meant), FLAT).formula, meant)


@pytest.mark.parametrize(("world", "lexicon"), [("table", TABLE), ("flat", FLAT)])
def test_all_that_natural_sentences_mean_can_be_replied(world: str, lexicon: Lexicon) -> None:
    lines = (DATA / "language" / f"natural_{world}.jsonl").read_text().splitlines()
    golds = [parse(g) for line in lines if (g := json.loads(line)["gold"])]
    assert len(golds) > 50
    for gold in golds:
        assert equivalent(read_text(as_reply(gold), lexicon).formula, gold)


def test_waits_for_each_other_as_they_are_taught_are_a_contradiction() -> None:
    mutual = "(!near(k1) U (near(k2) & !near(k1))) & (!near(k2) U (near(k1) & !near(k2)))"
    found = read_text(reading(mutual, thing("k1", "desk"), thing("k2", "shelf")), FLAT)
    assert not automaton_of(found.formula).satisfiable


@pytest.mark.parametrize(
    ("text", "said", "lost"),
    [
        ("F(near(sofa))", "go to the sofa but never near the cat", ("never",)),
        ("F(near(sofa))", "don't you dare, just go to the sofa", ("n't",)),
        ("F(near(sofa))", "the sofa, and leave the poor cat alone", ("leave the poor cat alone",)),
        ("F(near(sofa)) & G(!near(cat))", "go to the sofa, never near the cat", ()),
        ("F(near(sofa))", "go to the sofa, I don't mind how", ()),
        ("F(in(coke, bin))", "throw two cokes away", ("two",)),
        ("F(at least 2 x in coke: (in(x, bin)))", "throw two cokes away", ()),
        ("some x in coke: (some y in coke other than x: (F(in(x, bin) & in(y, bin))))",
         "throw 2 cokes away", ()),
        ("F(near(sofa))", "go to the sofa twice", ("twice",)),
        ("F(near(sofa) & F(!near(sofa) & F(near(sofa))))", "go to the sofa twice", ()),
        ("F(all x in mug: (in(x, box)))", "both mugs in the box", ()),
        ("F(all x in mug other than red_mug: (in(x, box)))", "all mugs except the red one", ()),
        ("F(all x in mug: (in(x, box)))", "all mugs except the red one", ("except",)),
    ],
)  # fmt: skip
def test_prohibitions_exceptions_and_numbers_that_got_lost_are_found(
    text: str, said: str, lost: tuple[str, ...]
) -> None:
    assert left_out(parse(text), said) == lost
    assert left_out(parse(text), said, [f"'{' '.join(lost)}' means nothing."]) == ()


def test_things_and_colours_that_were_not_read_are_found() -> None:
    seen = ("red_mug", "blue_plate_2", "coffee_table")
    text = parse("F(holding(mug))")
    assert unread(text, "The red mug and the plates, please, off the table", seen) == (
        "red", "plates", "table",
    )  # fmt: skip
    assert unread(parse("F(on_table(red_mug))"), "the red mug on the table", seen) == ()
