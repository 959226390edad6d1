"""Plans as code: what a program would do, what it is told, and that it is done like any plan."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.cli import main
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Action, Atom, Literal, Operator, Plan
from sayso.logic.formula import Formula, Top
from sayso.logic.progression import progression_of
from sayso.logic.text import parse
from sayso.mission.programs.finding import FindSettings
from sayso.mission.programs.functions import described
from sayso.mission.programs.outcome import Rehearsed, rehearse
from sayso.mission.programs.planner import ProgramPlanner
from sayso.mission.programs.stages import ProgramStages, words_of
from sayso.mission.programs.surroundings import Surroundings
from sayso.mission.programs.writing import Given, ModelProgrammer, Programmer
from sayso.mission.stages import Answer, Decision
from sayso.pipeline import perform
from sayso.planning.problem import PlanningProblem, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from sayso.reporting.events import Event, EventKind, Understanding
from sayso.worlds.kinematic_table import KinematicTable
from support.chat_server import ChatServer
from support.model_replies import reading, thing
from support.planning_cases import tabletop
from support.scripted_model import ScriptedModel

TABLE = KinematicTable()
NEVER_MUG = parse("G(!touching(mug))", grounded=True)
TO_PLATE = 'pick("red_block")\nplace("red_block", get_place_position("red_block", "plate", "on"))\n'


def rehearsed(
    source: str,
    task: Formula = Top(),  # noqa: B008 - a value
    library: Library = TABLE.library,
) -> Rehearsed:
    state = symbolic_state(TABLE.scene, library.predicates)
    problem = observed_problem(library, state, progression_of(task), None)
    around = Surroundings(library, TABLE.scene, problem, CharacterNgrams(), FindSettings())
    return rehearse(source, around)


def refused(source: str, task: Formula = Top()) -> SaySoError:  # noqa: B008 - a value
    with pytest.raises(SaySoError) as caught:
        rehearsed(source, task)
    return caught.value


def actions(source: str) -> list[str]:
    return [str(s.action) for s in rehearsed(source).steps]


def test_calls_become_the_librarys_actions() -> None:
    source = (
        "start_task()\n"
        'plate = find(object_label="plate")\n'
        "for thing in get_all_object_ids():\n"
        '    if thing.endswith("block") and get_container_id(thing) is None:\n'
        "        pick(thing)\n"
        '        where = plate if thing == "red_block" else "bowl"\n'
        '        how = "on top of" if thing == "red_block" else "inside"\n'
        "        place(thing, get_place_position(thing, where, how))\n"
        "end_task()\n"
    )
    assert actions(source) == [
        "pick_from_table(red_block)", "place_on(red_block, plate)",
        "pick_from_table(green_block)", "place_in(green_block, bowl)",
        "pick_from_table(blue_block)", "place_in(blue_block, bowl)",
    ]  # fmt: skip


def test_answers_follow_what_was_done_before() -> None:
    source = (
        f"{TO_PLATE}"
        'assert get_objects_contained_and_over("plate") == ["red_block"]\n'
        'assert get_location("red_block") is None and len(get_location("mug")) == 3\n'
        "open_drawer('drawer')\n"
        'pick("red_block")\n'
        'assert get_objects_contained_and_over("plate") == []\n'
        'place("red_block", get_place_position("red_block", "drawer", "into"))\n'
        'assert get_container_id("red_block") == "drawer"\n'
    )
    assert actions(source)[-2:] == ["pick_from(red_block, plate)", "place_in(red_block, drawer)"]


@pytest.mark.parametrize(
    ("words", "operator"),
    [("to the left of", "place_left_of"), ("right of", "place_right_of"),
     ("in front of", "place_in_front_of"), ("behind", "place_behind"),
     ("next to", "place_next_to"), ("beside", "place_next_to")],
)  # fmt: skip
def test_a_thing_is_placed_beside_another(words: str, operator: str) -> None:
    where = f'get_place_position("mug", "bowl", "{words}")'
    assert actions(f'pick("mug")\nplace("mug", {where})')[-1] == f"{operator}(mug, bowl)"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('find("mug")', "mug"),
        ('find("cup")', "mug"),
        ('find("the red block")', "red_block"),
        ('find(visual_description="blue block")', "blue_block"),
        ('find(visual_description="purple thing")', "mug"),
        ('find("block", place_description="the block left of the red block")', "green_block"),
        ('find("block", object_ids=["mug", "blue_block"])', "blue_block"),
    ],
)
def test_finding(call: str, name: str) -> None:
    assert actions(f'pick({call})\nplace("{name}", get_place_position("{name}", "table", "on"))')


def test_the_table_is_found_as_where_things_are_placed_and_is_no_thing_to_pick() -> None:
    on_it = 'get_place_position("mug", find("the table"), "on")'
    assert actions(f'pick("mug")\nplace("mug", {on_it})')[-1] == "place_on_table(mug)"
    assert refused('pick(find("table"))').code is Code.UNKNOWN_OBJECT


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        ('pick(find("block"))', Code.AMBIGUOUS, "line 1: 'block' could be any of 3"),
        ('pick(find("teapot"))', Code.UNKNOWN_OBJECT, "nothing is 'teapot'"),
        ("find()", Code.INVALID, "find needs"),
        ('find(place_description="wherever")', Code.NOT_UNDERSTOOD, "'wherever'"),
        (f'{TO_PLATE}find(place_description="on the plate")', Code.UNSUPPORTED, "not all places"),
        ('pick("cup_9")', Code.UNKNOWN_OBJECT, "no thing 'cup_9'"),
        ("pick(3)", Code.INVALID, "3 is not an object id"),
        ('pick("mug")\n\npick("bowl")', Code.PRECONDITION, "line 3: pick(bowl) cannot be done now"),
        ('open_drawer("mug")', Code.PRECONDITION, "the mug is not a drawer"),
        ('place("mug", [0.4, 0.1, 0.0])', Code.INVALID, "0.4 is not a position"),
        ('place("mug", ["on(bowl, plate)"])', Code.INVALID, "not one for mug"),
        (
            'get_place_position("mug", "floor", "on")',
            Code.UNSUPPORTED, "no skill places a thing 'on' floor",
        ),
        (
            'get_place_position("mug", "plate", "leaning on")',
            Code.UNSUPPORTED, "no skill places a thing 'leaning on' plate",
        ),
        ('end_task()\npick("mug")', Code.INVALID, "line 2: pick(mug) comes after end_task"),
        ("import os", Code.INVALID, "Import is not allowed"),
        ("fly('mug')", Code.INVALID, "'fly' is not defined"),
        ("def go():\n    go()\ngo()", Code.INVALID, "recursion"),
        (
            'try:\n    pick("x")\nexcept ValueError:\n    pick("mug")',
            Code.UNKNOWN_OBJECT, "line 2: there is no thing 'x'",
        ),
        (
            "p = get_place_position('mug', 'table', 'on')\n"
            "while True:\n    pick('mug')\n    place('mug', p)",
            Code.LIMIT, "more than 100 actions",
        ),
        ("while True:\n    pass", Code.LIMIT, "the program used up"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(source: str, code: Code, said: str) -> None:
    error = refused(source)
    assert (error.code, said in error.message) == (code, True), error


def test_what_would_be_broken_is_told_before_anything_moves() -> None:
    error = refused('pick("red_block")\nplace("red_block", ["on_table(red_block)"])\npick("mug")',
                    NEVER_MUG)  # fmt: skip
    assert error.code is Code.PLAN_INVALID
    assert error.message == (
        "line 3: to pick up the mug from the table would break "
        '"At all times: the robot does not touch the mug".'
    )


def test_functions_are_told_with_what_they_need() -> None:
    told = described(TABLE.library)
    assert "def find(object_label=None, visual_description=None" in told
    assert "before: the hand is empty, the drawer" not in told
    assert "def open_drawer(d):" in told
    assert "after: the hand can reach into the d, the d is not closed and the d is open" in told
    compile(told, "told", "exec")


# -- skills that are asked for ---------------------------------------------------------------

BY_HANDLE = '["mug"], "the robot holds the mug by its handle", "the hand is empty"'


def test_a_skill_that_is_lacking_is_asked_for() -> None:
    done = rehearsed(
        'hang = learn_skill("hang_mug", ["mug", "rack"], "the mug hangs on the rack", '
        '"the hand is empty")\nhang("mug", "drawer")'
    )
    (request,) = done.requests
    assert request.parameters == ("mug", "rack") and not request.literals
    assert request.show.startswith(
        "Show me how to hang mug, with a mug and a rack: before it, the hand is empty; "
        "after it, the mug hangs on the rack."
    )
    assert done.words == ("hang mug, so that the mug hangs on the drawer",)


def test_what_is_known_under_another_name_is_called_in_its_place() -> None:
    source = (
        'f = learn_skill("open_up", ["drawer"], "the drawer is open", "the hand is empty")\n'
        'f("drawer")'
    )
    done = rehearsed(source)
    assert [str(s.action) for s in done.steps] == ["open_drawer(drawer)"] and not done.requests


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ('"Hang mug", ["mug"], "e", "w"', Code.INVALID, "no name of a skill"),
        ('"tidy", ["mug", "bowl", "plate"], "e", "w"', Code.INVALID, "one or two"),
        (f'"pick_mug_by_handle", {BY_HANDLE.replace(" by its handle", "")}', Code.AMBIGUOUS,
         "'handle' is not in the effect"),
        ('"hang_mug", ["mug"], "the mug is on the rack", "the hand is empty"', Code.AMBIGUOUS,
         "Is the rack something that it works on?"),
        ('"hang_mug", ["mug"], "the mug hangs", "it is dry"', Code.AMBIGUOUS,
         "Does it begin with an empty hand, or with the mug in it?"),
        ('"hang_mug", ["mug", "rack"], "the mug hangs", "the hand is empty"', Code.AMBIGUOUS,
         "What is true of the rack afterwards?"),
        ('"stack_bowl", ["bowl", "plate"], "it is tidy", "the hand is empty"', Code.INVALID,
         "need not be taught: "),
        ('"tidy", ["block", "drawer"], "the block is in the drawer and the drawer is closed", '
         '"the hand is empty"', Code.INVALID, "is no skill of its own: known ones do it"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_taught_as_they_are(arguments: str, code: Code, said: str) -> None:
    error = refused(f"learn_skill({arguments})")
    assert (error.code, said in error.message) == (code, True), error


def test_what_was_taught_is_called_and_not_asked_for_again() -> None:
    variables = ("?mug", "?drawer")
    hang = Operator(
        "hang_mug", variables, frozenset({Literal(Atom("gripper_empty"))}),
        frozenset({Atom("on", variables)}), frozenset({Atom("on_table", ("?mug",))}),
        english="hang {0} on {1}",
    )  # fmt: skip
    library = replace(
        TABLE.library,
        operators={**TABLE.library.operators, "hang_mug": hang},
        operator_provenance={"hang_mug": {"when": "not for a mug that is full"}},
    )
    assert "when: not for a mug that is full" in described(library)
    source = (
        'f = learn_skill("{}", ["mug", "drawer"], "the mug hangs on the drawer", '
        '"the hand is empty")\nf("mug", "drawer")'
    )
    done = rehearsed(source.format("hang_mug"), library=library)
    assert done.words == ("hang the mug on the drawer",) and not done.requests
    with pytest.raises(SaySoError) as caught:
        rehearsed(source.format("hang_cup_on_drawer"), library=library)
    assert "hang_mug(mug, drawer) does it" in caught.value.message


def test_the_same_request_is_made_once() -> None:
    once = f'learn_skill("pick_mug_by_handle", {BY_HANDLE})\n'
    assert len(rehearsed(once + once).requests) == 1
    cup = f'learn_skill("grasp_cup_by_handle", {BY_HANDLE.replace("mug", "cup")})'
    assert "pick_mug_by_handle(mug) does it" in refused(once + cup).message


# -- the main flow -----------------------------------------------------------------------------


def performed(
    source: str | Programmer, table: KinematicTable, words: str = ""
) -> tuple[Code, str, list[Event]]:
    events: list[Event] = []
    by = Given(source) if isinstance(source, str) else source
    stages = ProgramStages(table, by, lambda: table.library, lambda: table.scene, CharacterNgrams())
    outcome = perform(words or words_of(str(source)), stages, events.append)
    return outcome.code, outcome.message, events


def test_a_program_is_read_back_and_done_as_a_plan() -> None:
    table = KinematicTable()
    code, _, events = performed(f'"""Never touch the mug."""\n{TO_PLATE}', table)
    assert code is Code.OK
    (read,) = (e.understanding for e in events if e.understanding)
    assert read.english == (
        "At all times: the robot does not touch the mug. "
        "After the program, the red block is on the plate."
    )
    assert read.structure[1] == "Put the red block on the plate."
    (plan,) = (e.plan for e in events if e.kind is EventKind.PLAN and e.plan)
    assert (plan.planner, plan.from_words) == ("program", True)
    assert plan.steps[1].why == "the program calls place(red_block)"


def test_nothing_moves_without_a_yes_or_against_the_words() -> None:
    table = KinematicTable(confirm=lambda _: Answer(Decision.NO))
    assert performed(TO_PLATE, table)[0] is Code.NOT_CONFIRMED and not table.done
    table = KinematicTable()
    code, message, _ = performed(f'"""Never touch the red block."""\n{TO_PLATE}', table)
    assert code is Code.PLAN_INVALID and "would break" in message and not table.done


def test_words_that_the_program_does_not_fulfil_are_told_before_anything_moves() -> None:
    table = KinematicTable()
    code, _, _ = performed(f'"""Put the mug in the bowl."""\n{TO_PLATE}', table)
    assert code is Code.PLAN_INVALID and not table.done


def test_a_correction_of_the_words_holds_for_the_program() -> None:
    said = [Answer(Decision.CORRECTION, "never touch the red block"), Answer(Decision.YES)]

    def confirm(_: Understanding) -> Answer:
        return said.pop(0)

    table = KinematicTable(confirm=confirm)
    code, message, _ = performed(f'"""Never touch the mug."""\n{TO_PLATE}', table)
    assert code is Code.PLAN_INVALID and "would break" in message and not table.done


def test_a_step_that_fails_is_repaired_and_the_rest_is_the_programs() -> None:
    failures = iter([SaySoError(Code.EXECUTION, "the fingers slipped.")])

    def slips(action: Action) -> SaySoError | None:
        return next(failures, None) if action.name == "place_on" else None

    table = KinematicTable(fails=slips)
    code, message, events = performed(TO_PLATE, table)
    assert code is Code.OK, message
    assert any(e.is_repair and e.code is Code.OK for e in events)


def test_what_must_be_taught_first_is_told_with_what_to_show() -> None:
    table = KinematicTable()
    code, message, events = performed(
        f'f = learn_skill("pick_mug_by_handle", {BY_HANDLE})\nf("mug")', table
    )
    assert code is Code.UNSUPPORTED and "'pick_mug_by_handle', which nobody taught" in message
    assert events[-1].hint.startswith("Show me how to pick mug by handle")


# -- programs of a language model --------------------------------------------------------------

STEPS = json.dumps({"steps": ["Pick up the red block.", "Place it on the plate."], "problem": ""})


def coded(code: str, problem: str = "") -> str:
    return json.dumps({"code": code, "problem": problem})


def test_a_model_is_asked_in_words_and_then_for_python_over_http() -> None:
    table = KinematicTable()
    with ChatServer([STEPS, coded(TO_PLATE)]) as server:
        by = ModelProgrammer(OpenAIChat("test-model", server.base_url))
        code, message, _ = performed(by, table, "Put the red block on the plate.")
    assert code is Code.OK, message
    assert [str(a) for a in table.done] == ["pick_from_table(red_block)",
                                            "place_on(red_block, plate)"]  # fmt: skip


def test_a_program_that_will_not_do_is_sent_back_once_with_the_reason() -> None:
    mug = 'pick("mug")\nplace("mug", get_place_position("mug", "plate", "on"))'
    model = ScriptedModel([STEPS, coded(mug), coded(TO_PLATE)])
    words = "Put the red block on the plate. Never touch the mug."
    assert performed(ModelProgrammer(model), KinematicTable(), words)[0] is Code.OK
    assert "line 1: to pick up the mug from the table would break" in model.asked[2][-1].content
    model = ScriptedModel([STEPS, coded("fly()"), coded("fly()")])
    code, message, _ = performed(ModelProgrammer(model), KinematicTable(), words)
    assert code is Code.MODEL_REPLY and "'fly' is not defined" in message


WINDING = "My hands are full, so whatever else you do have red sit on the plate for me."


def test_words_that_controlled_english_does_not_read_are_read_by_the_model() -> None:
    """They are what the program has to fulfil, and what is watched."""
    on_plate = reading(
        "F(on(k1, k2))", thing("k1", "block", colour="red"), thing("k2", "plate")
    )  # fmt: skip
    table = KinematicTable()
    by = ModelProgrammer(ScriptedModel([STEPS, coded(TO_PLATE)]))
    assert performed(by, table, WINDING)[0] is Code.NOT_UNDERSTOOD
    model = ScriptedModel([on_plate, STEPS, coded(TO_PLATE)])
    table.read_with(model)
    code, message, events = performed(ModelProgrammer(model), table, WINDING)
    assert code is Code.OK, message
    (read,) = (e.understanding for e in events if e.understanding)
    assert read.english.startswith("At some point: the red block is on the plate.")


@pytest.mark.parametrize(
    "replies",
    [
        (json.dumps({"steps": [], "problem": "There is no plate."}),),
        (STEPS, coded("", "There is no plate.")),
    ],
)
def test_a_model_that_knows_no_way_says_why(replies: tuple[str, ...]) -> None:
    model = ScriptedModel(replies)
    code, message, _ = performed(ModelProgrammer(model), KinematicTable(), "Pick up the mug.")
    assert (code, message) == (Code.NO_PLAN, "There is no plate.")


def test_after_a_failure_that_nobody_mends_another_program_is_written() -> None:
    def jams(action: Action) -> SaySoError | None:
        text = "the drawer is jammed."
        return SaySoError(Code.EXECUTION, text) if action.name == "open_drawer" else None

    asked = 'open_drawer("drawer")\npick("mug")'
    model = ScriptedModel([STEPS, coded(asked), STEPS, coded('pick("mug")')])
    table = KinematicTable(fails=jams)
    code, message, _ = performed(ModelProgrammer(model), table, "Pick up the mug.")
    said = model.asked[2][1].content if len(model.asked) > 2 else ""
    assert "open_drawer(drawer) failed: the drawer is jammed." in said, (code, message)


def test_what_a_person_corrects_is_told_to_the_model() -> None:
    said = [Answer(Decision.CORRECTION, "never touch the mug"), Answer(Decision.YES)]

    def confirm(_: Understanding) -> Answer:
        return said.pop(0)

    model = ScriptedModel([STEPS, coded(TO_PLATE)] * 2)
    by, table = ModelProgrammer(model), KinematicTable(confirm=confirm)
    assert performed(by, table, "Put the red block on the plate.")[0] is Code.OK
    assert "The person said: never touch the mug" in model.asked[2][1].content


def test_words_for_which_a_skill_is_lacking_end_with_what_to_show() -> None:
    hang = (
        'f = learn_skill("hang_mug_on_drawer", ["mug", "drawer"], '
        '"the mug hangs on the drawer", "the hand is empty")\nf("mug", "drawer")'
    )
    model = ScriptedModel([STEPS, coded(hang)])
    by = ModelProgrammer(model)
    code, _, events = performed(by, KinematicTable(), "Hang the mug on the drawer.")
    assert code is Code.UNSUPPORTED and events[-1].hint.startswith("Show me how to hang mug")
    model = ScriptedModel([STEPS, coded(TO_PLATE)])
    code, _, _ = performed(ModelProgrammer(model), KinematicTable(), "Hang the mug on the drawer.")
    assert code is Code.NOT_UNDERSTOOD


# -- as a task planner, by names and literals alone --------------------------------------------


def planned(case: PlanningProblem, *codes: str) -> Plan:
    replies = [STEPS, *map(coded, codes)]
    return ProgramPlanner(SearchPlanner(), ScriptedModel(replies), CharacterNgrams()).solve(case)


def test_a_model_s_program_is_a_planner_s_plan() -> None:
    case = tabletop(
        "F(in(green_block, drawer))", "open(drawer)", "not closed(drawer)",
        "on(green_block, red_block)", "not on_table(green_block)", "not clear(red_block)",
        words="Put the green block in the drawer.",
    )  # fmt: skip
    source = (
        'block = find(visual_description="green block")\n'
        'assert get_objects_contained_and_over("red_block") == [block]\n'
        "assert get_location(block) is None\n"
        "pick(block)\n"
        'place(block, get_place_position(block, "drawer", "inside"))'
    )
    plan = planned(case, source)
    validate(plan, case)
    assert [str(a) for a in plan.actions] == ["pick_from(green_block, red_block)",
                                              "place_in(green_block, drawer)"]  # fmt: skip
    assert plan.planner == "program" and plan.from_words


@pytest.mark.parametrize(
    "code", ['pick("teapot")', 'find(place_description="the mug on the plate")', 'pick("mug")', ""]
)
def test_where_no_program_does_the_task_a_plan_is_searched(code: str) -> None:
    case = tabletop("F(on(red_block, plate))", words="Put the red block on the plate.")
    plan = planned(case, code, code)
    validate(plan, case)
    assert plan.planner == "search"


def test_a_skill_is_asked_for_only_where_there_is_no_plan_without_it() -> None:
    ask = f'f = learn_skill("pick_mug_by_handle", {BY_HANDLE})\nf("mug")'
    assert planned(tabletop("F(holding(mug))", words="Get the mug."), ask).planner == "search"
    with pytest.raises(SaySoError) as caught:
        planned(tabletop("F(on(mug, drawer))", words="Hang it on the drawer."), ask)
    assert caught.value.code is Code.UNSUPPORTED and "Show me how to" in caught.value.hint


# -- the command -------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tidy.py"
    file.write_text(TO_PLATE)
    assert main(["run", str(file), "--confirm", "auto"]) == 0
    assert "every part was observed" in capsys.readouterr().out
    file.write_text("pick('teapot')")
    assert main(["run", str(file), "--confirm", "auto"]) == 1
    assert main(["run", str(tmp_path / "none.py")]) == 1
    assert main(["run"]) == 1
    assert "either a program or a task" in capsys.readouterr().out
    assert main(["run", "--task", "Pick up the mug."]) == 1
    assert main(["run", "--functions"]) == 0
    assert "def learn_skill(" in capsys.readouterr().out
