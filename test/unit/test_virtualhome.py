"""VirtualHome's programs and goals as SaySo reads them; none of it needs the package."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.logic.text import to_text
from sayso.worlds.virtualhome.goals import done_while, read_goal
from sayso.worlds.virtualhome.package import package, wheel_path
from sayso.worlds.virtualhome.tasks import Step, read_program, read_step


def test_a_missing_package_is_named_with_the_command_that_lays_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SAYSO_CACHE", str(tmp_path))
    package.cache_clear()
    with pytest.raises(SaySoError) as raised:
        package()
    assert raised.value.code is Code.MISSING_DEPENDENCY
    assert "tools/virtualhome.sh" in raised.value.hint


def test_a_broken_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SAYSO_CACHE", str(tmp_path))
    wheel_path().parent.mkdir()
    wheel_path().write_bytes(b"no wheel")
    package.cache_clear()
    with pytest.raises(SaySoError) as raised:
        package()
    assert raised.value.code is Code.CORRUPT
    package.cache_clear()


def test_a_step_is_read_and_written():
    step = read_step("[PUTIN] <food_food> (1.1000) <freezer> (1.289)")
    assert step == Step("putin", ("food_food_1000", "freezer_289"))
    assert str(step) == "[PUTIN] <food_food> (1000) <freezer> (289)"
    assert str(Step("puton", ("character",))) == "[PUTON] <character> (65)"
    assert read_program(["Wash hands", "", "[SLEEP]"]) == (Step("sleep"),)


def test_a_line_that_is_no_step_is_refused():
    with pytest.raises(SaySoError, match="no step of a program"):
        read_step("[WALK] to the sofa")


@pytest.mark.parametrize(
    ("goal", "formula"),
    [
        ("ON(light.245)", "F(G(switched_on(light_245)))"),
        (
            "(OPEN(freezer.289) and INSIDE(food_food.1000, freezer.289))",
            "F(G(open(freezer_289))) & F(G(in(food_food_1000, freezer_289)))",
        ),
        (
            "(exists x0. ((READ(x0) or LOOKAT(x0))) then HOLDS_RH(character.65, novel.1000))",
            "F(reading() | looking()) & F(G(holds_right(novel_1000)))",
        ),
        (
            "(exists x0. (GRAB(x0)) then exists x0. ((WASH(x0) or RINSE(x0))))",
            "F(grabbing() & F(washing() | rinsing()))",
        ),
        (
            "(SLEEP() then (LYING(character.65) and ONTOP(character.65, bed.105)))",
            "F(sleeping()) & F(G(lying())) & F(G(seated_on(bed_105)))",
        ),
        ("ONTOP(headset.1000, character.65)", "F(G(worn(headset_1000)))"),
    ],
)
def test_a_goal_becomes_what_is_done_and_what_holds_at_the_end(goal, formula):
    assert to_text(read_goal(goal)) == formula


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        ("ON(light.245", Code.INVALID),
        ("ON(light.245) and", Code.INVALID),
        ("ON(light.245) %", Code.INVALID),
        ("ON(light.245) then exists x0. (READ(x0))", Code.UNSUPPORTED),
        ("READ(novel.1000)", Code.UNSUPPORTED),
        ("exists x0. (ON(x0))", Code.UNSUPPORTED),
        ("(READ(x0) and ON(light.245))", Code.UNSUPPORTED),
        ("FLIES(cat.1)", Code.UNSUPPORTED),
    ],
)
def test_a_goal_that_cannot_be_read_is_refused_by_name(goal, code):
    with pytest.raises(SaySoError) as raised:
        read_goal(goal)
    assert raised.value.code is code


def test_every_operator_shows_that_it_is_done_and_by_which_verb():
    operators = load(builtin_path("virtualhome")).operators.values()
    assert len(done_while()) == len({o.skill for o in operators})
    assert all({a.predicate for a in o.during} == {done_while()[o.skill]} for o in operators)
