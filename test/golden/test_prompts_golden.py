"""The prompts exactly as a model sees them: a change of any word must be a new version."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.library import builtin_path, load
from sayso.core.ports import Reply
from sayso.core.symbols import Atom, SymbolicState
from sayso.evaluation.cape import wordings
from sayso.evaluation.cape.asking import Asked, SoFar
from sayso.evaluation.cape.strategies import STRATEGIES
from sayso.evaluation.cape.wordings import Admissible
from sayso.language.embeddings import Example
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, checked
from sayso.language.one_stage import OneStage
from sayso.language.repertoire import Repertoire
from sayso.language.two_stage import SECOND_PROMPT, TwoStage
from sayso.language.vocabulary import check_vocabulary
from sayso.learning.behaviours.pieces import Heard
from sayso.learning.model.replies import Vocabulary
from sayso.learning.model.wordings import MOST_WORDINGS, ModelWordings
from sayso.learning.predicate_code import SCENE_ATTRIBUTES, compile_learned
from sayso.logic.text import parse
from sayso.mission.model_repair import AskModel
from sayso.mission.programs.stages import ProgramStages
from sayso.mission.programs.writing import ModelProgrammer
from sayso.worlds.kinematic_table import KinematicTable
from sayso.worlds.virtualhome.tasks import Step, Task, read_program
from support.broken_plans import shut_drawer
from support.golden import check_golden
from support.learning_conversations import learning_conversations
from support.model_replies import reading, thing
from support.scripted_model import ScriptedModel

_FILE = Path(__file__).with_name("prompts_interpret_v4.txt")
_TWO_STAGES = Path(__file__).with_name("prompts_two_stage_v3.txt")
_REPAIR = Path(__file__).with_name("prompts_repair_v1.txt")
_PROGRAM = Path(__file__).with_name("prompts_program_v3.txt")
_PLAY = Path(__file__).with_name("prompts_play_wordings_v1.txt")
_LEARNING = Path(__file__).with_name("prompts_learning_v3.txt")
TOY = "F(holding(toy::isnextto(bed)))"
_RELEASED = {
    ("interpret", 4): "4cd05c4d13972d98",
    ("baseline_code", 1): "3f42d9694ef9e1fe",
    ("baseline_monologue", 1): "e93d203a099753ed",
    ("baseline_policy", 1): "67250a46622368da",
    ("baseline_steps", 1): "f5381ad769810309",
    ("learning_code", 3): "1d800ffb9f66e433",
    ("learning_correct", 3): "d1b62fd90b378e5e",
    ("learning_goal", 1): "91d51b7018b58005",
    ("learning_infeasible", 1): "7011ee7f8ba19a39",
    ("learning_translate", 1): "a831c93742ae6280",
    ("learning_unsatisfied", 1): "25c362b859ee0409",
    ("next_step", 5): "5b095e0286b3ea4e",
    ("play_wordings", 1): "df94c631bc53cb13",
    ("program_code", 3): "18fc0828b9378b75",
    ("program_steps", 3): "d786200afdd9d1de",
    ("repair", 1): "075636aa2081b2b5",
    ("two_stage_correction", 1): "9d99b9fff4124047",
    ("two_stage_ltl", 1): "dc1a46257a0f2227",
    ("two_stage_skills", 3): "df8e1e3287089040",
    ("whole_plan", 5): "7394f14c75fbc33b",
}


def test_the_whole_conversation() -> None:
    """On a table with a repair round, and in a flat with a correction."""
    tidied = reading("F(in(k1, k2))", thing("k1", "block", colour="red"), thing("k2", "bowl"))
    told = ScriptedModel([reading("F(in(red_block, bowl))"), tidied])
    table = OneStage(told, Lexicon.of(load(builtin_path())))
    table.translate("Tidy the red block into the bowl.", ["red_block", "bowl"])
    gone = reading("F(near(k1))", thing("k1", "sofa"))
    asked = ScriptedModel([gone, gone])
    flat = OneStage(asked, Lexicon.of(load(builtin_path("flat"))))
    sofas = ["red_sofa", "grey_sofa"]
    spec = flat.translate("Make for the sofa, would you?", sofas)
    flat.corrected(spec, "the one by the window", "'the sofa' could be any of 2 things.", sofas)
    turns = [told.asked[0], told.asked[1][-2:], asked.asked[0], asked.asked[1][-1:]]
    shown = "\n".join(f"[{m.role}]\n{m.content}" for turn in turns for m in turn)
    check_golden(_FILE, shown + "\n")


def test_the_whole_conversation_in_two_stages_and_a_correction() -> None:
    plain = '{"formula": "F(toy)", "problem": ""}'
    full = f'{{"formula": "{TOY}", "assumptions": [], "problem": ""}}'
    model = ScriptedModel([plain, full, full])
    stages = TwoStage(model, Lexicon.of(load(builtin_path("flat"))), _example)
    first = stages.translate("Have the toy by the bed in your hand.")
    asked = "'the toy' could be any of 2 things."
    stages.corrected(first.specification, "referents", "what lies by the bed", asked)
    shown = "\n".join(f"[{m.role}]\n{m.content}" for turn in model.asked for m in turn)
    check_golden(_TWO_STAGES, shown + "\n")


def _example(_: str) -> tuple[Example, ...]:
    return (Example("visit the blue room", "F(blue_room)"),)


def test_a_conversation_about_a_repair() -> None:
    """The first reply names what is not there; the same failure comes again."""
    steps = '["open_drawer(fridge)"]', '["place_on_table(red_block)"]'
    replies = [f'{{"steps": {s}, "reason": "it is shut."}}' for s in (*steps, steps[1])]
    model = ScriptedModel(replies)
    asking = AskModel(model, "Put the red block in the drawer.")
    for _ in range(2):
        asking.propose(shut_drawer())
    turns = [model.asked[0], model.asked[1][-2:], model.asked[2][-1:]]
    shown = "\n".join(f"[{m.role}]\n{m.content}" for turn in turns for m in turn)
    check_golden(_REPAIR, shown + "\n")


def test_the_whole_conversation_about_a_program() -> None:
    """In words, then as Python with one that fails, on the example table."""
    steps = '{"steps": ["Pick up the mug."], "problem": ""}'
    replies = [steps, *(json.dumps({"code": c, "problem": ""}) for c in ("pick()", 'pick("mug")'))]
    model, table = ScriptedModel(replies), KinematicTable()
    embedder = CharacterNgrams()
    by = ModelProgrammer(model)
    stages = ProgramStages(table, by, lambda: table.library, lambda: table.scene, embedder)
    stages.interpret("Pick up the mug.")
    turns = [model.asked[0], model.asked[1], model.asked[2][-2:]]
    shown = "\n".join(f"[{m.role}]\n{m.content}" for turn in turns for m in turn)
    check_golden(_PROGRAM, shown + "\n")


def _seen() -> SymbolicState:
    """As it is told where the simulator is laid."""
    true = [
        *(Atom("in_room", (cup, "dining_room_201")) for cup in ("cup_7", "cup_1000")),
        Atom("at", ("dining_room_201",)), Atom("sitting"), Atom("seated_on", ("chair_3",)),
        Atom("holding", ("cup_7",)), Atom("dirty", ("cup_7",)), Atom("switched_off", ("sink_42",)),
        Atom("on", ("cup_1000", "sink_42")), Atom("graspable", ("cup_1000",)),
        Atom("on", ("sink_42", "floor_2")), Atom("in", ("spoon_6", "cup_7")),
        Atom("graspable", ("spoon_6",)),
    ]  # fmt: skip
    return SymbolicState(0.0, ("cup_7", "cup_1000"), dict.fromkeys(true, True))


@pytest.mark.parametrize("whole", [False, True])
def test_a_conversation_about_a_plan_in_words(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step with examples of corrections, after a failure; as a whole with the goal."""
    taken = {"putback": 2, "putin": 2, "pour": 2, "standup": 0, "sleep": 0, "wakeup": 0}
    monkeypatch.setattr(wordings, "things_taken", lambda verb: taken.get(verb, 1))
    wordings.templates.cache_clear()
    things = ("character", "cup_1000", "cup_7", "sink_42", "dining_room_201")
    given = read_program(["[WALK] <sink> (42)", "[PUTBACK] <cup> (7) <sink> (42)"])
    task = Task("1_1", "Drink", "Have some water.", "", {}, given)
    example = Task("2_1", "Wash cup", "Put it in the sink.", "", {}, given)
    model = ScriptedModel(['{"steps": ["find cup 7"]}'])
    asking = Asked(
        model, task, example, Admissible(Repertoire(CharacterNgrams()), things, ("cup_7",)), things,
        STRATEGIES["explicit" if whole else "few-shot"], goal="Drink." if whole else "",
        whole=whole, look=_seen if whole else None,
    )  # fmt: skip
    failures = () if whole else ("I cannot grab cup 7 because the actor is not near cup 7.",)
    said = asking.more(SoFar(("walk to sink 42",), failures))
    assert [s.steps[0] for s in said] == [Step("find", ("cup_7",))]
    shown = "\n".join(f"[{m.role}]\n{m.content}" for m in model.asked[0])
    file = Path(__file__).with_name(f"prompts_{'whole_plan' if whole else 'next_step'}_v5.txt")
    check_golden(file, shown + "\n")


def test_a_conversation_about_what_is_said_of_play() -> None:
    """In two parts, the first reply without an entry."""
    put = Heard("put {0} in {1}", ("block", "drawer"), ("grasp {0}", "place {0}"), (), ("shut",))
    many = [put, *(replace(put, wording=f"put{i} {{0}} in {{1}}") for i in range(MOST_WORDINGS))]
    said = {"state": "in", "about": [0, 1], "holds": True, "place": True, "source": "",
            "says": "in {1}", "problem": ""}  # fmt: skip
    entries = [{"number": i + 1, **said} for i in range(MOST_WORDINGS)]
    replies = [entries[1:], entries, entries[:1]]
    model = ScriptedModel(json.dumps({"wordings": some}) for some in replies)
    ModelWordings(model)(many)
    shown = "\n".join(
        f"[{m.role}]\n{m.content}"
        for turn in (model.asked[0], model.asked[1][-1:], model.asked[2][-1:])
        for m in turn
    )
    check_golden(_PLAY, shown + "\n")


def test_all_conversations_of_learning() -> None:
    shown = learning_conversations()
    told = "\n".join(f"[{m.role}]\n{m.content}" for m in shown)
    check_golden(_LEARNING, told + "\n")


def test_the_scene_s_questions_in_the_prompt_are_those_that_code_may_ask() -> None:
    text = Prompt.load("learning_code", 3).template
    named = set(re.findall(r"scene\.(\w+)", text))
    assert named == SCENE_ATTRIBUTES


@pytest.mark.parametrize(
    ("name", "version"), [p for p in _RELEASED if p[0].startswith("learning_")]
)
def test_examples_in_the_prompts_of_learning_are_replies_that_will_do(
    name: str, version: int
) -> None:
    prompt = Prompt.load(name, version)
    examples = re.findall(r"^\{.*\}$", prompt.template, re.MULTILINE)
    assert len(examples) == (name != "learning_correct")
    for example in examples:
        data = checked(Reply(example), prompt.schema).data
        assert data is not None
        Vocabulary({}, {}, data.get("predicates", ()))
        if "code" in data:
            compile_learned("beside", data["code"], 2)


def test_examples_of_the_second_stage_are_formulas_of_the_flat() -> None:
    lexicon = Lexicon.of(load(builtin_path("flat")))
    examples = re.findall(r"^-> (.*)$", Prompt.load(*SECOND_PROMPT).template, re.MULTILINE)
    assert len(examples) == 7
    for example in examples:
        check_vocabulary(parse(example), lexicon)


def test_released_prompts_do_not_change() -> None:
    for (name, version), digest in _RELEASED.items():
        template = Prompt.load(name, version).template
        assert hashlib.sha256(template.encode()).hexdigest()[:16] == digest
