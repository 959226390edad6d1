"""The robot says its actions as people do."""

from __future__ import annotations

import pytest

from sayso.core.library import Library
from sayso.evaluation.interpret.options import DOMAINS
from sayso.learning.spoken import english_of, spoken
from sayso.skills import body
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.table.true import table_truth


def test_each_primitive_has_its_english():
    for primitives in (body.PRIMITIVES, {n: p.arity for n, p in PRIMITIVES.items()}):
        for name, arity in primitives.items():
            assert not {"first", "second"} & set(english_of(name, arity).split())
    assert spoken("place_first_on_second", ["green_block", "coaster"]) == (
        "place the green block on the coaster"
    )
    assert spoken("wash", ["cup"]) == "wash the cup"


@pytest.mark.parametrize("library", [table_truth(), *map(true_library, DOMAINS)])
def test_it_is_the_english_of_those_who_teach(library: Library):
    for operator in library.operators.values():
        skill = operator.skill or operator.name
        alike = [o for o in library.operators.values() if (o.skill or o.name) == skill]
        simplest = min(alike, key=lambda o: (len(o.parameters), o.name))
        assert simplest.english == english_of(skill, len(simplest.parameters))
