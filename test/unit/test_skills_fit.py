"""Operators hand their skills what those work on, or are refused with what is wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.skills.skill import Repertoire

TABLE, FLAT = load(builtin_path("tabletop")), load(builtin_path("flat"))


def require_fit(library: Library, kind: str = "arm_skill") -> None:
    Repertoire(partial(registry.create, kind), None).require_fit(library)


def with_operator(name: str, **changes) -> Library:
    changed = replace(TABLE.operators[name], **changes)
    return replace(TABLE, operators={**TABLE.operators, name: changed})


@pytest.mark.parametrize(("library", "kind"), [(TABLE, "arm_skill"), (FLAT, "mobile_skill")])
def test_the_shipped_libraries_fit_their_robots_skills(library, kind):
    assert all(o.types for o in library.operators.values())
    require_fit(library, kind)


def test_parameters_beyond_those_of_the_skill_are_context():
    more = {"parameters": ("?o", "?s", "?c"), "types": ("movable", "surface", "thing")}
    require_fit(with_operator("place_on", **more))


def test_too_few_things_are_refused():
    with pytest.raises(SaySoError, match="works on 2 things, and has 1") as error:
        require_fit(with_operator("place_on_table", skill="place_on"))
    assert error.value.code is Code.INVALID and "movable, surface" in error.value.hint


def test_a_thing_of_another_type_is_refused():
    with pytest.raises(SaySoError, match="works on something that opens") as error:
        require_fit(with_operator("open_drawer", types=("movable",)))
    assert error.value.code is Code.INVALID


def test_operators_of_other_robots_are_passed_over():
    require_fit(with_operator("open_drawer", skill="fly"))


def test_a_skill_that_does_not_say_what_it_works_on_is_named():
    with pytest.raises(SaySoError, match="does not say what it works on") as error:
        Repertoire(lambda name, work: object(), None).skill("juggle")
    assert error.value.code is Code.CONFIG
