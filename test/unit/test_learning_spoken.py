"""The robot says its actions as people do."""

from __future__ import annotations

import pytest

from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom
from sayso.core.vocabulary import Vocabulary, Wanted
from sayso.evaluation.interpret.options import DOMAINS
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.learning.spoken import english_of, spoken, spoken_action, wanted
from sayso.logic.formula import propositions
from sayso.logic.text import to_text
from sayso.skills import primitives
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.table.true import table_truth

ARITIES = {"on": 2, "gripper_empty": 0}


def test_each_primitive_has_its_english():
    for known in (primitives.PRIMITIVES, {n: p.arity for n, p in PRIMITIVES.items()}):
        for name, arity in known.items():
            assert not {"first", "second"} & set(english_of(name, arity).split())
    assert spoken("place_first_on_second", ["green_block", "coaster"]) == (
        "place the green block on the coaster"
    )
    assert spoken("wash", ["cup"]) == "wash the cup"


def test_what_is_asked_for_is_about_the_things_that_are_named():
    effects = [Atom("gripper_empty"), Atom("on", ("?a", "?b")), Atom("clear", ("?c",))]
    goal = wanted(("?a", "?b"), effects)
    assert goal == (Wanted("on", (0, 1)),)
    assert wanted((), effects) == (Wanted("gripper_empty", ()),)
    predicates = {n: Predicate(n, ("a", "b")[:k], lambda *_: None) for n, k in ARITIES.items()}
    actions = (spoken_action("place_first_on_second", 2, goal),)
    lexicon = Lexicon(predicates, Vocabulary(actions), ("block", "coaster"))
    for words in ("Place the red block on the coaster.", "Put the red block onto the coaster."):
        (on,) = propositions(Interpreter(lexicon).interpret(words).formula)
        assert on.predicate == "on"
    never = Interpreter(lexicon).interpret("Never put the red block on the coaster.").formula
    assert to_text(never) == "G(!on(red_block, coaster))"


@pytest.mark.parametrize("library", [table_truth(), *map(true_library, DOMAINS)])
def test_it_is_the_english_of_those_who_teach(library: Library):
    for operator in library.operators.values():
        skill = operator.skill or operator.name
        alike = [o for o in library.operators.values() if (o.skill or o.name) == skill]
        simplest = min(alike, key=lambda o: (len(o.parameters), o.name))
        assert simplest.english == english_of(skill, len(simplest.parameters))
