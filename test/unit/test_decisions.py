"""Whether a skill is asked for when it is lacking: scoring, programs of models, and words alone."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.library import builtin_path, load
from sayso.evaluation.cases import Row
from sayso.evaluation.halp.deciding import ByGrammar, ByProgram
from sayso.evaluation.halp.decision_tasks import (
    BASIC,
    Added,
    Decision,
    Task,
    Thing,
    bundled,
    read,
    wrong,
)
from sayso.evaluation.halp.decisions import Decisions
from sayso.evaluation.halp.suitability import Suitability
from sayso.mission.programs.wishes import wished
from sayso.worlds.kinematic_table import KinematicTable
from support.scripted_model import ScriptedModel

TASKS = {t.key: t for t in read(bundled())}
STEPS = json.dumps({"steps": ["Do it."], "problem": ""})


def test_all_tasks_are_there_and_well_formed() -> None:
    further = {name: read(bundled(name)) for name in ("first", "second", "deployed")}
    counts = {"paper": [11, 6, 14], "first": [16, 9, 20], "second": [16, 9, 20]}
    counts["deployed"] = [2, 0, 1]
    for name, tasks in {"paper": tuple(TASKS.values()), **further}.items():
        kinds = [t.kind for t in tasks]
        assert [kinds.count(k) for k in ("needed", "not_needed", "reuse")] == counts[name]
    for task in (*TASKS.values(), *chain.from_iterable(further.values())):
        known = {*task.basic, *(s.name for s in task.skills)}
        assert task.uses | task.avoids <= known and bool(task.teaches) == task.learn


@pytest.mark.parametrize(
    ("key", "decision", "said"),
    [
        ("halp-03", Decision(("the mug hangs",)), ""),
        ("halp-03", Decision(uses=frozenset({"pick", "place"})), "no skill is asked for"),
        ("halp-13", Decision(uses=frozenset({"pick", "place"})), ""),
        ("halp-13", Decision(("the bowls are stacked",)), "a skill is asked for"),
        ("halp-13", Decision(uses=frozenset({"pick"})), "place not called"),
        ("halp-18", Decision(uses=frozenset({"pick", "pick_mug_by_handle"})),
         "pick_mug_by_handle called"),
    ],
)  # fmt: skip
def test_scoring(key: str, decision: Decision, said: str) -> None:
    assert wrong(TASKS[key], decision) == said


def decided(key: str, *codes: str) -> Decision:
    replies = (json.dumps({"code": code, "problem": ""}) for code in codes)
    return ByProgram(ScriptedModel([STEPS, *replies])).decide(TASKS[key])


def test_a_thing_is_found_by_its_own_name() -> None:
    """Also where that is an empty word elsewhere, or where only its number tells it."""
    where = "on the table, in front"
    things = tuple(Thing(n, "can", where) for n in ("can_1", "can_2"))
    task = Task("t", "reuse", "", things, (), BASIC, False, frozenset(), frozenset())
    code = """
assert find(object_label="can_2") == "can_2"
assert find("the can 2") == "can_2"
assert find("can", object_ids=["can_2"]) == "can_2"
pick(find("can_1"))
place("can_1", get_place_position("can_1", find("table"), "on"))
"""
    replies = [STEPS, json.dumps({"code": code, "problem": ""})]
    assert ByProgram(ScriptedModel(replies)).decide(task).uses == {"pick", "place"}


def test_a_models_program_is_its_decision() -> None:
    hang = (
        'mug = find("mug")\n'
        'f = learn_skill("hang_mug", ["mug", "mug rack"], "the mug hangs", "the hand is empty")\n'
        'f(mug, find("mug rack"))'
    )
    assert decided("halp-03", hang).learns == ("the mug hangs",)
    fetch = (
        'bottle = find(object_label="bottle", place_description="in the box")\n'
        "assert get_container_id(bottle) == 'box'\n"
        "side_pick_bottle(bottle)\n"
        'place(bottle, get_place_position(bottle, "table", "on"))'
    )
    decision = decided("halp-26", fetch)
    assert not decision.learns and wrong(TASKS["halp-26"], decision) == ""


def test_a_program_that_calls_what_there_is_not_is_sent_back() -> None:
    decision = decided("halp-18", 'fly("mug")', 'pick(find("mug"))')
    assert decision.uses == {"pick"}
    with pytest.raises(SaySoError) as caught:
        decided("halp-08", 'open("drawer")', 'open("drawer")')  # not among its basic skills
    assert caught.value.code is Code.MODEL_REPLY


def test_what_a_model_cannot_do_is_a_question() -> None:
    model = ScriptedModel([json.dumps({"steps": [], "problem": "Which mug?"})])
    assert ByProgram(model).decide(TASKS["halp-02"]).question == "Which mug?"


@pytest.mark.parametrize(
    "key", ["halp-03", "halp-05", "halp-08", "halp-17", "halp-18", "halp-23", "halp-29"]
)
def test_controlled_english_decides(key: str) -> None:
    assert wrong(TASKS[key], ByGrammar().decide(TASKS[key])) == ""


@pytest.mark.parametrize("key", ["halp-15", "halp-26", "halp-28"])
def test_controlled_english_asks_where_it_does_not_know(key: str) -> None:
    assert ByGrammar().decide(TASKS[key]).question


# -- taught skills whose text tells what they suit -------------------------------------------------


LADLE = Added(
    "scoop_mug",
    ("mug",),
    "Takes a mug from below. Use it where the mug is wet, or cannot be reached from above; not "
    "where the rim is sharp, or anything stands before it.",
    "mug is held",
)


def suits(skill: Added, *state: str) -> bool | None:
    mug = Thing("mug", "mug", "on the table", state)
    words = frozenset[str]()
    task = Task("t", "reuse", "Take it.", (mug,), (skill,), BASIC, False, words, words)
    return Suitability(skill, task).suits


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (("wet",), True),
        (("not wet",), None),
        (("the handle is wet",), None),
        (("cannot be reached from above",), True),
        (("can be reached from above",), None),
        (("the rim is sharp",), False),
        (("wet", "its rim is sharp"), False),
        ((), None),
    ],
)
def test_a_text_tells_whether_a_skill_suits(state: tuple[str, ...], expected: bool | None) -> None:
    assert suits(LADLE, *state) is expected


@pytest.mark.parametrize(
    ("text", "state", "expected"),
    [
        ("Never use it where the mug is hot.", ("hot",), None),
        ("Do not use it where the mug is hot.", ("hot",), None),
        ("Only use it where the mug is hot.", ("hot",), None),
        ("Use it where the mug is hot. Never where it is full.", ("hot", "full"), None),
        ("Use it where the mug is hot, but not where it is full.", ("hot", "full"), None),
        ("Never where it is full. Use it where the mug is hot.", ("hot", "full"), None),
        ("Use it where the mug is hot and full.", ("hot",), None),
        ("Use it where the mug is hot and full.", ("hot", "full"), True),
        ("Use it where the mug is hot, wet and full.", ("hot", "full"), None),
        ("Use it where the mug is hot and full or wet.", ("wet",), None),
        ("Use it where the mug is hot and full or wet.", ("hot", "wet"), True),
        ("Use it where the stove is hot.", ("hot",), None),
        ("Use it where stoves are hot.", ("hot",), None),
        ("Use it where they are hot.", ("hot",), None),
        ("Use it where the mug is hot.", ("hot",), True),
        ("Use it where the mug is hot; not where the stove is wet.", ("hot", "wet"), None),
        ("Use it where the mug is hot; not where the mug is wet and full.", ("hot",), True),
        ("Use it where the mug is hot; not where the mug is wet and full.", ("hot", "wet"), None),
        ("Use it where the mug is hot; not where the mug is wet and full.",
         ("hot", "wet", "full"), False),
        ("Use it where the mug is hot; not where a jug stands between the mug and the edge.",
         ("hot", "a jug stands between the mug and the edge"), False),
    ],
)  # fmt: skip
def test_a_text_that_says_it_otherwise_or_in_part_recommends_nothing(
    text: str, state: tuple[str, ...], expected: bool | None
) -> None:
    skill = Added("scoop_mug", ("mug",), f"Takes a mug from below. {text}", "mug is held")
    assert suits(skill, *state) is expected


def test_without_a_text_nothing_is_known_of_a_skill() -> None:
    assert suits(Added("scoop_mug", ("mug",)), "wet") is None


def test_the_suite_tells_questions_from_wrong_decisions(tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(bundled().read_text().splitlines()[0].replace("halp-01", "more-01"))
    suite = Decisions(files=[str(file)])
    cases = {c.key: c for c in suite.cases()}
    assert len(cases) == 11 + 1 + 6 + 2 * 14
    rows = []
    for key in ("more-01", "halp-15"):
        done = suite.run(cases[key], 0)
        case = cases[key]
        rows.append(Row("s", key, case.group, done.success, "OK", done.measures, "", 0, 0.0))
    assert "| needed | 1 of 1 | 0 | 0 | 0 | 1.00 | 0.91 |" in suite.summary(rows)
    assert "| not_needed | 0 of 1 | 1 | 0 | 0 | - | 0.87 |" in suite.summary(rows)
    file.write_text("{}")
    with pytest.raises(SaySoError) as caught:
        Decisions(files=[str(file)])
    assert caught.value.code is Code.CONFIG


# -- words that ask for a skill ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "name", "things"),
    [
        ("Could you wipe the plate with the sponge, please?", "wipe_plate_with_sponge",
         ("plate", "sponge")),
        ("Let me show you how to hang a mug.", "hang_mug", ("mug",)),
        ("I'll teach you to put the mug upside down", "put_mug_upside_down", ("mug",)),
        ("Place the mug upside down.", "place_mug_upside_down", ("mug",)),
        ("Take the mug by its handle.", "take_mug_by_its_handle", ("mug",)),
        ("Carefully wipe the plate.", "wipe_plate", ("plate",)),
        ("Roll up the sponge.", "roll_up_sponge", ("sponge",)),
        ("Put together the mug.", "put_together_mug", ("mug",)),
        ("Empty the mug into the sink.", "empty_mug_into_sink", ("mug",)),
        ("Please empty out the mug over the plate.", "empty_out_mug_over_plate", ("mug", "plate")),
        ("Lift the mug's lid.", "lift_mug_lid", ("mug",)),
        ("Open the lid of the mug.", "open_lid_of_mug", ("mug",)),
        ("Take the cap off the mug.", "take_cap_off_mug", ("mug",)),
        ("Empty the mug.", "", ()),
        ("Open the lid of the drawer.", "", ()),
        ("Take the lid off the pot.", "", ()),
        ("Lift the mug to the left of the plate.", "", ()),
        ("Roll the mug.", "", ()),
        ("Put down the mug there.", "", ()),
        ("Carefully put the mug on the plate.", "", ()),
        ("Put the mug on the plate.", "", ()),
        ("Tidy the plate away.", "", ()),
        ("The mug should shine.", "", ()),
        ("Whistle.", "", ()),
    ],
)  # fmt: skip
def test_words_with_a_verb_that_nobody_taught(
    words: str, name: str, things: tuple[str, ...]
) -> None:
    wish = wished(words, load(builtin_path()), ("mug", "plate", "sponge", "drawer"))
    assert (wish.name, wish.things) == (name, things) if wish else not name


def test_a_person_is_told_what_to_show() -> None:
    table = KinematicTable()
    with pytest.raises(SaySoError) as caught:
        table.interpret("Let me show you how to polish the mug.")
    assert caught.value.code is Code.UNSUPPORTED and "what is true of the mug" in caught.value.hint
    with pytest.raises(SaySoError) as caught:
        table.interpret("Polish the mug.")
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert caught.value.hint.endswith("Or teach it: say 'let me show you how to polish the mug'.")


def test_what_is_done_to_a_part_that_nobody_taught_is_to_be_shown() -> None:
    table = KinematicTable()
    for words in ("lift the bowl's lid", "open the lid of the bowl", "take the lid off the bowl"):
        with pytest.raises(SkillLackingError) as caught:
            table.interpret(f"{words.capitalize()}.")
        assert caught.value.skill == words
        assert f"let me show you how to {words}" in caught.value.hint


def test_emptying_a_thing_into_another_is_asked_for() -> None:
    with pytest.raises(SkillLackingError) as caught:
        KinematicTable().interpret("Empty the mug into the bin.")
    assert caught.value.skill == "empty the mug into the bin"
