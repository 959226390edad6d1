"""Operators hand their skills what those work on, or are refused with what is wrong."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.robots.loading import load_robot
from sayso.skills.skill import Repertoire

TABLE, FLAT = load(builtin_path("tabletop")), load(builtin_path("flat"))


def require_fit(library: Library, kind: str = "arm_skill", robot: str = "mobile_panda") -> None:
    offered = load_robot(robot).capabilities
    Repertoire(partial(registry.create, kind), None, offered).require_fit(library)


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


@pytest.mark.parametrize(
    ("told", "what"), [({}, "works on"), ({"parameters": ()}, "needs"), ({"needs": ()}, "works on")]
)
def test_a_skill_that_does_not_say_what_it_works_on_and_needs_is_named(told, what):
    with pytest.raises(SaySoError, match=f"does not say what it {what}") as error:
        Repertoire(lambda name, work: SimpleNamespace(**told), None, frozenset()).skill("juggle")
    assert error.value.code is Code.CONFIG


def test_a_library_that_needs_what_the_robot_does_not_offer_is_refused_by_name(tmp_path):
    (tmp_path / "plain.yaml").write_text("extends: mobile_panda\ntitle: plain\noffers: []\n")
    with pytest.raises(SaySoError, match=r"'open'.* needs devices;") as error:
        require_fit(FLAT, "mobile_skill", str(tmp_path / "plain.yaml"))
    assert error.value.code is Code.UNSUPPORTED
    assert error.value.choices == ("arm", "base", "hand")


def test_what_a_profile_offers_beside_its_parts_is_enough_for_skills_of_ones_own(tmp_path):
    (tmp_path / "sucker.yaml").write_text("extends: panda\ntitle: sucker\noffers: [suction]\n")
    skill = SimpleNamespace(parameters=("movable",), needs=("arm", "suction"))
    only = replace(TABLE, operators={"lift": TABLE.operators["pick_from_table"]})
    for robot, fits in (("panda", False), (str(tmp_path / "sucker.yaml"), True)):
        skills = Repertoire(lambda name, work: skill, None, load_robot(robot).capabilities)
        with nullcontext() if fits else pytest.raises(SaySoError, match="needs suction"):
            skills.require_fit(only)
