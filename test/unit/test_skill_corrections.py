"""The read-back of a taught skill, corrected in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load, parse_literal
from sayso.core.symbols import Atom, SymbolicState, Truths
from sayso.learning.skills.correcting import corrected
from sayso.learning.skills.symbols import Symbols, kind_predicate
from sayso.learning.transitions import Transition

WHOLE = load(builtin_path())
THINGS = ("mug", "plate")
BEFORE = {Atom("on_table", ("mug",)), Atom("on_table", ("plate",)), Atom("gripper_empty")}
AFTER = {Atom("on", THINGS), Atom("on_table", ("plate",)), Atom("gripper_empty")}


LAY = replace(
    WHOLE.operators["place_on"],
    name="lay",
    parameters=("?a", "?b"),
    types=THINGS,
    preconditions=frozenset(
        map(parse_literal, ("on_table(?a)", "clear(?b)", "gripper_empty()", "mug(?a)"))
    ),
    add=frozenset({Atom("on", ("?a", "?b"))}),
    delete=frozenset({Atom("on_table", ("?a",))}),
    during=frozenset({Atom("holding", ("?a",))}),
    english="lay {0} on {1}",
)
LIBRARY = replace(
    WHOLE,
    operators={**WHOLE.operators, "lay": LAY},
    predicates={**WHOLE.predicates, "mug": kind_predicate("mug")},
)


def state(true):
    arities = {p.name: p.arity for p in LIBRARY.predicates.values()}
    return SymbolicState(0.0, THINGS, Truths(THINGS, arities, dict.fromkeys(true, True)))


SEEN = Transition(state(BEFORE), "lay", THINGS, state(AFTER))
LEARNED = Symbols(LIBRARY, "lay", (SEEN, SEEN))


def test_the_read_back_tells_what_it_needs_and_brings_about():
    assert LEARNED.words == (
        "From 2 demonstrations: I can lay the mug on the plate when the hand is empty, the mug is "
        "on the table, the plate has room on top. Afterwards the mug is on the plate, the mug is "
        "not on the table."
    )


def test_the_read_back_names_other_things_that_it_needs():
    operator = replace(LAY, preconditions=frozenset({parse_literal("open(drawer)")}))
    library = replace(LIBRARY, operators={**LIBRARY.operators, "lay": operator})
    assert "on the plate when the drawer is open. " in Symbols(library, "lay", (SEEN,)).words


@pytest.mark.parametrize(
    ("words", "needs", "no_longer", "brings", "ends"),
    [
        ("Only if the plate is on the table.", {"on_table(?b)"}, set(), set(), set()),
        ("Yes, but the plate must not be open.", {"not open(?b)"}, set(), set(), set()),
        ("The plate needn't be clear.", set(), {"clear(?b)"}, set(), set()),
        ("It does not matter whether the mug is on the table.",
         set(), {"on_table(?a)"}, set(), set()),
        ("Well yes, but afterwards the hand is empty, too.",
         set(), set(), {"gripper_empty()"}, set()),
        ("Only when the plate is on the table and the mug is not open, otherwise fine.",
         {"on_table(?b)", "not open(?a)"}, set(), set(), set()),
        ("The plate need not have room on top, and it must be on the table.",
         {"on_table(?b)"}, {"clear(?b)"}, set(), set()),
        ("Then the plate is not open.", set(), set(), set(), {"open(?b)"}),
        ("No, that is not right, only if the plate is on the table.",
         {"on_table(?b)"}, set(), set(), set()),
    ],
)  # fmt: skip
def test_what_is_corrected_is_changed_and_nothing_else(words, needs, no_longer, brings, ends):
    after = corrected(LEARNED, words)
    changed = after.operator
    assert {str(x) for x in changed.preconditions - LAY.preconditions} == needs
    assert {str(x) for x in LAY.preconditions - changed.preconditions} == no_longer
    assert {str(x) for x in changed.add - LAY.add} == brings and LAY.add <= changed.add
    assert {str(x) for x in changed.delete - LAY.delete} == ends and LAY.delete <= changed.delete
    assert after.library.operator_provenance["lay"]["corrections"] == [words]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("Afterwards the mug is on the table.", Code.CONTRADICTION, "after 2 of 2"),
        ("Only if the mug is on the plate.", Code.CONTRADICTION, "before 2 of 2"),
        ("The hand need not be empty.", Code.CONTRADICTION, "hand has to be empty"),
        ("The plate need not be open.", Code.CONTRADICTION, "do not ask for it"),
        ("The mug must be clean.", Code.UNSUPPORTED, "no way to see"),
        ("The plate is clear.", Code.NOT_UNDERSTOOD, "before it is done, or afterwards"),
        ("Correct, but never do it by yourself.", Code.NOT_UNDERSTOOD, "do not understand"),
        ("Yes, but do not keep it.", Code.NOT_UNDERSTOOD, "do not understand"),
        ("The plate need not be clear, delete it.", Code.NOT_UNDERSTOOD, "do not understand"),
        ("The plate need not be clear, and sing meanwhile.", Code.NOT_UNDERSTOOD, "understand"),
    ],
)
def test_what_cannot_be_so_or_is_not_understood_is_said_and_nothing_changed(words, code, said):
    with pytest.raises(SaySoError, match=said) as caught:
        corrected(LEARNED, words)
    assert caught.value.code is code


def test_two_things_of_a_kind_are_told_apart():
    blocks = replace(LAY, types=("block", "block"))
    library = replace(LIBRARY, operators={"lay": blocks})
    after = corrected(Symbols(library, "lay", ()), "Only if block 2 is on the table.")
    assert parse_literal("on_table(?b)") in after.operator.preconditions
    assert "block 1 on block 2" in after.words
