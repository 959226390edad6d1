"""VirtualHome's programs and goals as SaySo reads them; none of it needs the package."""

import random
from zipfile import ZipFile

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load, parse_literal
from sayso.evaluation.cape.perturbing import KINDS, perturbed
from sayso.logic.progression import progression_of
from sayso.logic.text import parse, to_text
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.validate import validate
from sayso.worlds.virtualhome.goals import done_while, read_goal
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.package import package, wheel_path
from sayso.worlds.virtualhome.planning import RelevantPlanner, about
from sayso.worlds.virtualhome.programs import Programs, adapted, named_kinds, named_verbs
from sayso.worlds.virtualhome.tasks import Step, Task, read_program, read_step


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


def test_a_package_of_another_version_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SAYSO_CACHE", str(tmp_path))
    wheel_path().parent.mkdir()
    older = wheel_path().with_name("eai_eval-1.0.4-py3-none-any.whl")
    with ZipFile(older, "w") as wheel:
        wheel.writestr("eai_eval-1.0.4.dist-info/METADATA", "Version: 1.0.4")
    package.cache_clear()
    with pytest.raises(SaySoError, match="is another version") as raised:
        package()
    assert raised.value.code is Code.MISSING_DEPENDENCY
    older.rename(wheel_path())
    with pytest.raises(SaySoError, match="another package or version") as raised:
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


def test_a_program_gets_exactly_one_error_of_its_kind():
    program = tuple(Step("touch", (f"cup_{n}",)) for n in range(6))
    things = [f"cup_{n}" for n in range(9)]
    for seed in range(20):
        made = {k: perturbed(k, program, things, random.Random(seed)) for k in KINDS}
        assert len(made["dropped"]) == 5 and set(made["dropped"]) < set(program)
        assert len(made["doubled"]) == 7 and set(made["doubled"]) == set(program)
        assert sorted(map(str, made["swapped"])) == sorted(map(str, program))
        for kind in ("swapped", "wrong thing"):
            differing = sum(a != b for a, b in zip(made[kind], program, strict=True))
            assert differing == (2 if kind == "swapped" else 1)


def kitchen(goal: str) -> PlanningProblem:
    """A cup on a table, a plate in a closed fridge, a hall without anything, and much else."""
    facts = [
        "in_room(cup_1, hall_8)", "in_room(table_2, hall_8)", "in_room(plate_3, hall_8)",
        "in_room(fridge_4, hall_8)", "on(cup_1, table_2)", "in(plate_3, fridge_4)",
        "contained(plate_3)", "closed(fridge_4)", "openable(fridge_4)", "box(fridge_4)",
        "graspable(cup_1)", "graspable(plate_3)", "drinkable(cup_1)", "room(hall_8)", "at(hall_8)",
        "right_hand_free()", "left_hand_free()", "hand_free()",
    ]  # fmt: skip
    others = [f"spoon_{n}" for n in range(10, 210)]
    facts += [f"graspable({o})" for o in others] + [f"in_room({o}, hall_8)" for o in others]
    things = ("cup_1", "table_2", "plate_3", "fridge_4", "hall_8", *others)
    initial = frozenset(parse_literal(f).atom for f in facts)
    return PlanningProblem(
        library().domain(), things, initial, progression_of(parse(goal, grounded=True))
    )


@pytest.mark.parametrize(
    ("goal", "steps"),
    [
        ("F(G(holds_right(cup_1)))", ["walk_to", "grab_right"]),
        ("F(G(holds_left(cup_1)))", ["walk_to", "grab_right", "walk_to", "grab_left"]),
        ("F(drinking()) & F(G(on(cup_1, fridge_4)))", None),
        ("F(G(on(plate_3, table_2))) & F(G(closed(fridge_4)))", None),
        ("F(washing())", ["walk_to", "wash"]),
    ],
)
def test_a_plan_is_made_with_the_few_things_that_matter(goal, steps):
    problem = kitchen(goal)
    for given in (problem, about(problem, ())):
        plan = RelevantPlanner().solve(given)
        validate(plan, given)
        if steps is not None:
            assert [a.name for a in plan.actions] == steps
    assert len(about(problem, ()).objects) < 12


def test_many_parts_of_a_task_are_planned_for_one_after_the_other():
    parts = [f"F(G(on(spoon_{n}, table_2)))" for n in range(10, 19)]
    problem = kitchen(" & ".join(["F(G(open(fridge_4)))", *parts]))
    plan = RelevantPlanner().solve(problem, PlanLimits(300.0))  # a busy machine may take long
    validate(plan, problem)
    assert plan.planner == "one by one"


def test_what_is_impossible_is_said_to_be_and_why():
    with pytest.raises(SaySoError, match="holds_right") as raised:
        RelevantPlanner().solve(kitchen("F(G(holds_right(table_2)))"))
    assert raised.value.code is Code.NO_PLAN


def told(key: str, title: str, *lines: str) -> Task:
    return Task(key, title, "", "", {}, read_program(lines))


def test_the_most_alike_task_is_retrieved_and_never_the_task_itself():
    known = {
        "1": told("1", "Wash hands", "[WASH] <hands> (1)"),
        "2": told("2", "Wash hands", "[WASH] <hands> (1)"),
        "3": told("3", "Wash hands", "[RINSE] <hands> (1)"),
        "4": told("4", "Wash both hands now", "[SCRUB] <hands> (1)"),
        "5": told("5", "Read book", "[READ] <book> (7)"),
    }
    programs = Programs(CharacterNgrams(), known)
    assert programs.nearest(known["1"], same_title=True).key == "3"
    assert programs.nearest(known["1"], same_title=False).key == "4"


def test_the_other_tasks_of_a_title_come_by_likeness():
    known = {
        "1": told("1", "Drink", "[DRINK] <cup> (1)"),
        "2": told("2", "Drink", "[DRINK] <glass> (2)"),
        "3": told("3", "Read book", "[READ] <book> (3)"),
    }
    programs = Programs(CharacterNgrams(), known)
    assert [t.key for t in programs.of_title(known["1"])] == ["2"]
    assert programs.of_title(known["3"]) == ()


def test_kinds_of_things_are_named_by_words():
    kinds = ("water_glass", "cup", "light", "coffe_maker")
    assert named_kinds("Fill the water-glass, then turn on the lights.", kinds) == {
        "water_glass", "light",
    }  # fmt: skip
    assert named_kinds("Wash the water glasses", kinds) == {"water_glass"}


@pytest.mark.parametrize(("words", "verbs"), [
    ("Turn off the computer.", {"switchoff"}),
    ("I switch the lights on, then sit down.", {"switchon", "sit"}),
    ("Turning it on by pressing the button", {"switchon"}),
    ("Take your shoes off and get up.", {"putoff", "standup"}),
    ("Put the plate on the table.", set()),
    ("Switch to the news and put it on a shelf", set()),
])  # fmt: skip
def test_verbs_are_named_by_words_apart_from_each_other_too(words, verbs):
    assert named_verbs(words) == verbs


def test_a_program_is_adapted_to_things_of_the_same_class():
    program = read_program(
        [
            "[GRAB] <cup> (1000)",
            "[PUTBACK] <cup> (1000) <table> (7)",
            "[WATCH] <cat> (3)",
            "[SLEEP]",
        ]
    )
    things = ["cup_4", "cup_1001", "table_7"]
    assert adapted(program, things) == (
        Step("grab", ("cup_1001",)), Step("putback", ("cup_1001", "table_7")), Step("sleep"),
    )  # fmt: skip


def test_several_things_of_a_program_become_several_and_each_is_there_once():
    lines = (f"[GRAB] <cup> ({n})|[PUTBACK] <cup> ({n}) <table> (7)" for n in (1000, 1001, 1002))
    program = read_program("|".join(lines).split("|"))
    two = adapted(program, ["cup_4", "cup_1000", "table_7"])
    assert [s.things[0] for s in two if s.verb == "grab"] == ["cup_1000", "cup_4"]
    assert len(two) == 4
    assert adapted(program, ["cup_4", "table_7"]) == (
        Step("grab", ("cup_4",)), Step("putback", ("cup_4", "table_7")),
    )  # fmt: skip


def test_what_a_program_does_again_is_done_again():
    program = read_program(["[DRINK] <cup> (1000)", "[TOUCH] <cup> (1000)", "[DRINK] <cup> (1000)"])
    assert len(adapted(program, ["cup_4"])) == 3
