"""Names of things that hold words of the grammar, and predicates without English."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Kind
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.offers import interpret
from sayso.language.vocabulary import predicates_in_words
from sayso.logic.english import read_back
from sayso.logic.text import parse, to_text
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings

NAMES = ("stop sign", "all-purpose cleaner", "one-armed bandit", "no entry sign")
_BUILT_IN = load(builtin_path("tabletop"))
_SPOKEN = _BUILT_IN.predicates["clear"]
LIBRARY = replace(
    _BUILT_IN,
    predicates={
        **_BUILT_IN.predicates,
        "greasy": replace(_SPOKEN, name="greasy", english="", english_not=""),
    },
    vocabulary=replace(
        _BUILT_IN.vocabulary,
        kinds=(*_BUILT_IN.vocabulary.kinds, Kind(NAMES, frozenset({"movable"}))),
    ),
)
LEXICON = Lexicon.of(LIBRARY)


def understood(text: str) -> str:
    """The formula that a text is read as."""
    return to_text(Interpreter(LEXICON).interpret(text).formula)


@pytest.mark.parametrize(
    ("said", "formula"),
    [
        ("Touch the stop sign.", "F(touching(stop_sign))"),
        ("Never touch the stop signs.", "all x1 in stop_sign: (G(!touching(x1)))"),
        ("Touch stop_sign_2.", "F(touching(stop_sign_2))"),
        ("Put the all-purpose cleaner on the plate.", "F(on(all_purpose_cleaner, plate))"),
        ("Touch the one-armed bandit.", "F(touching(one_armed_bandit))"),
        ("Do not touch the no entry sign.", "G(!touching(no_entry_sign))"),
    ],
)
def test_a_listed_name_may_hold_words_of_the_grammar(said: str, formula: str) -> None:
    assert understood(said) == formula


@pytest.mark.parametrize("said", ["Touch the purpose cleaner.", "Touch the armed bandit."])
def test_a_part_of_a_listed_name_is_another_name(said: str) -> None:
    assert "all_purpose" not in understood(said)
    assert "one_armed" not in understood(said)


def test_words_of_the_grammar_that_no_library_lists_name_nothing() -> None:
    with pytest.raises(SaySoError) as refused:
        Interpreter(Lexicon.of(_BUILT_IN)).interpret("Touch the stop sign.")
    assert refused.value.code == Code.NOT_UNDERSTOOD
    assert "'stop'" in refused.value.message


def test_a_listed_name_with_a_hyphen_finds_its_thing() -> None:
    scene = Scene(
        0.0,
        (SceneObject("cleaner_1", "all-purpose cleaner", "red", (0.5, 0.0, 0.1), (0.1, 0.1, 0.2)),),
    )
    said = Interpreter(LEXICON).interpret("Touch the all-purpose cleaner.")
    found = ground(said, scene, GroundingSettings(LIBRARY.vocabulary.places))
    assert to_text(found.formula) == "F(touching(cleaner_1))"


@pytest.mark.parametrize(
    "formula",
    [
        "G(!touching(stop_sign))",
        "all x1 in all_purpose_cleaner: (G(!touching(x1)))",
        "F(greasy(mug))",
        "G(!greasy(mug))",
        "F(greasy(mug) & F(holding(mug)))",
    ],
)
def test_what_is_read_back_of_them_can_be_said(formula: str) -> None:
    meant = parse(formula)
    assert understood(read_back(meant, LIBRARY.predicates)) == to_text(meant)


def test_a_predicate_without_english_is_told_to_a_model_by_its_name_alone() -> None:
    assert "- greasy(a)" in predicates_in_words(LEXICON).splitlines()


def test_a_predicate_without_english_is_refused_by_name_in_everyday_words() -> None:
    with pytest.raises(SaySoError) as refused:
        understood("The mug should be greasy.")
    assert refused.value.code == Code.NOT_UNDERSTOOD
    assert "'greasy'" in refused.value.message


@pytest.mark.parametrize("name", ["tabletop", "flat", "play_table", "errands"])
def test_the_hand_is_no_thing_but_holds_some(name: str) -> None:
    """ "Your hand should be empty" asked once for nothing on a thing called hand."""
    library = load(builtin_path(name))
    lexicon = Lexicon.of(library)
    (empty,) = (p.name for p in library.predicates.values() if p.english == "the hand is empty")
    for words in ("Your hand should be empty.", "I want the gripper free."):
        assert to_text(interpret(words, lexicon).formula) == f"F({empty}())"
    assert to_text(interpret("The mug must be in your hand.", lexicon).formula) == "F(holding(mug))"


@pytest.mark.parametrize("module", ["lexicon", "references", "rules", "wordings"])
def test_each_module_can_be_loaded_first(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import sayso.language.{module}"], check=True)


def test_a_word_that_only_orders_use_may_still_be_in_a_name() -> None:
    lexicon = Lexicon.of(load(builtin_path("flat")))
    read = Interpreter(lexicon).interpret("Grab the banana with most black spots.", ())
    assert to_text(read.formula) == "F(holding(banana_with_most_black_spots))"
