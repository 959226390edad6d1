"""Two stages with a model: what it is shown, what is checked, corrections, inventions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.adapters.llm.cassette import Record, Replay
from sayso.adapters.llm.none import NoModel
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.language.embeddings import Example
from sayso.language.lexicon import Lexicon
from sayso.language.omissions import additions
from sayso.language.two_stage import Translation, TwoStage
from sayso.logic.text import parse, to_text
from support.chat_server import ChatServer
from support.scripted_model import ScriptedModel

LEXICON = Lexicon.of(load(builtin_path("flat")))
SAID = "Go to the fridge next to the stove, then bring the toy to the couch."
PLAIN = "F(fridge & F(toy & F(couch)))"
FULL = "F(near(fridge::isnextto(stove)) & F(holding(toy) & F(placed(toy, couch))))"


def reply(formula: str) -> str:
    """A reply of the first stage."""
    return json.dumps({"formula": formula, "problem": ""})


def full(formula: str, *assumptions: str) -> str:
    """A reply of the second stage."""
    return json.dumps({"formula": formula, "assumptions": assumptions, "problem": ""})


def examples(instruction: str) -> tuple[Example, ...]:
    return (Example("go to a DATA>>> now", "F(a)"),)


def two_stage(*replies: str, **options: object) -> tuple[TwoStage, ScriptedModel]:
    model = ScriptedModel(replies)
    return TwoStage(model, LEXICON, examples, **options), model  # type: ignore[arg-type]


def test_both_stages_give_a_specification() -> None:
    stages, model = two_stage(reply(PLAIN), full(FULL))
    translation = stages.translate(SAID)
    assert translation.conventional == PLAIN
    assert to_text(translation.formula) == FULL
    assert translation.specification.instruction == SAID
    assert translation.specification.version == 1
    assert translation.additions == ()
    assert len(model.asked) == 2
    assert min(translation.tokens) > 0


def test_what_each_stage_is_shown() -> None:
    stages, model = two_stage(reply(PLAIN), full(FULL))
    stages.translate(SAID)
    (first_system, first), (second_system, second) = model.asked
    assert first_system.content.startswith("SaySo prompt two_stage_ltl, version 1.")
    # An example cannot close the fence around it.
    assert '"go to a DATA now" -> F(a)' in first.content
    assert SAID in first.content
    assert second_system.content.startswith("SaySo prompt two_stage_skills, version 3.")
    assert "- near(a): the robot is near a" in second_system.content
    assert "$" not in second_system.content
    assert SAID in second.content and PLAIN in second.content


def test_the_first_stage_can_be_left_out() -> None:
    model = ScriptedModel([full(FULL)])
    translation = TwoStage(model, LEXICON, None).translate(SAID)
    assert translation.conventional == ""
    assert "first formula" not in model.asked[0][1].content


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("F(visit(fridge))", "no predicate 'visit'"),
        ("F(near(fridge, stove))", "near takes 1 arguments, got 2"),
        ("F(near(fridge::isbetween(stove)))", "isbetween takes 2 descriptions, got 1"),
        ("F(near(fridge::isbeside(stove)))", "no comparator 'isbeside'"),
        ("F(near(fridge)", "expected ')'"),
        ("F(near[fridge])", "'['"),
        ("true", "says nothing"),
        ("F(holding(sofa))", "holding needs something that can be carried"),
    ],
)
def test_a_wrong_formula_gets_one_repair_round_that_names_the_error(wrong: str, named: str) -> None:
    stages, model = two_stage(reply(PLAIN), full(wrong), full(FULL))
    assert to_text(stages.translate(SAID).formula) == FULL
    assert named in model.asked[2][-1].content
    stages, _ = two_stage(reply(PLAIN), full(wrong), full(wrong))
    with pytest.raises(SaySoError) as caught:
        stages.translate(SAID)
    assert caught.value.code is Code.MODEL_REPLY
    assert named in caught.value.message


def test_what_was_forbidden_and_left_out_is_asked_for_again_and_then_refused() -> None:
    said = f"{SAID} Never go near the cat."
    kept = f"{FULL} & G(!near(cat))"
    stages, model = two_stage(reply(PLAIN), full(FULL), full(kept))
    assert to_text(stages.translate(said).formula) == kept
    assert "the person said 'never'" in model.asked[2][-1].content
    stages, _ = two_stage(reply(PLAIN), full(FULL), full(FULL))
    with pytest.raises(SaySoError, match="the person said 'never'"):
        stages.translate(said)


def test_what_a_model_takes_for_granted_is_kept() -> None:
    granted = "'never' is meant as a joke"
    stages, _ = two_stage(reply(PLAIN), full(FULL, granted))
    spec = stages.translate(f"{SAID} Never say die.").specification
    assert spec.assumptions == (granted,)


def test_the_first_stage_is_repaired_too() -> None:
    stages, model = two_stage(reply("F(near(fridge))"), reply(PLAIN), full(FULL))
    stages.translate(SAID)
    assert "plain names" in model.asked[1][-1].content
    stages, _ = two_stage("not json", "not json")
    with pytest.raises(SaySoError) as caught:
        stages.translate(SAID)
    assert caught.value.code is Code.MODEL_REPLY


@pytest.mark.parametrize("before", [(), (reply(PLAIN),)])
def test_a_problem_that_the_model_finds_is_told(before: tuple[str, ...]) -> None:
    unclear = {"formula": "", "problem": "Which couch?"}
    second = {"assumptions": []} if before else {}
    stages, _ = two_stage(*before, json.dumps({**unclear, **second}))
    with pytest.raises(SaySoError) as caught:
        stages.translate(SAID)
    assert caught.value.code is Code.NOT_UNDERSTOOD
    assert caught.value.message == "Which couch?"


def test_without_a_model_it_is_unavailable() -> None:
    with pytest.raises(SaySoError) as caught:
        TwoStage(NoModel(), LEXICON, examples).translate(SAID)
    assert caught.value.code is Code.MODEL_UNAVAILABLE


def test_inventions_are_told_in_the_read_back() -> None:
    stages, _ = two_stage(reply(PLAIN), full("F(near(red_refrigerator::isnextto(stoves)))"))
    translation = stages.translate(SAID)
    assert [u.words for u in translation.additions] == [("red", "refrigerator")]
    assert "You did not say 'red' and 'refrigerator'" in translation.read_back(LEXICON)


@pytest.mark.parametrize(
    ("formula", "said", "words"),
    [
        ("F(near(shelf))", "go to the shelves", []),
        ("F(holding(all berry))", "take all berries", []),
        ("F(near(grey_box))", "find the gray box", []),
        ("F(near(big_box))", "find the largest box", []),
        ("F(near(box::isnextto(mug::isbehind(cat))))", "the box by the mug", [("cat",)]),
        ("F(near(plush_toy)) & G(!near(plush_toy))", "a toy", [("plush",)]),
        ("F(hand_empty())", "empty your hand", []),
    ],
)
def test_words_are_compared_as_people_say_them(
    formula: str, said: str, words: list[tuple[str, ...]]
) -> None:
    assert [u.words for u in additions(parse(formula), said)] == words


def test_a_correction_shows_the_previous_output_the_kind_and_the_words() -> None:
    other = "F(near(fridge) & F(holding(toy) & F(placed(toy, bed))))"
    stages, model = two_stage(reply(PLAIN), full(FULL), full(other))
    before = stages.translate(SAID)
    after = stages.correct(before, "referents", "no, the bed")
    assert to_text(after.formula) == other
    assert after.specification.version == 2
    assert after.additions == ()
    assert after.tokens > before.tokens
    roles = [m.role for m in model.asked[2]]
    assert roles == ["system", "user", "assistant", "user"]
    assert model.asked[2][2].content == FULL
    assert "which things are meant" in model.asked[2][3].content
    assert "no, the bed" in model.asked[2][3].content


def test_a_further_correction_keeps_the_earlier_ones_and_turns_are_bounded() -> None:
    stages, model = two_stage(reply(PLAIN), *[full(FULL)] * 9)
    translation = stages.translate(SAID)
    translation = stages.correct(translation, "referents", "the green toy")
    translation = stages.correct(translation, "task structure", "toy first")
    assert "the green toy" in model.asked[3][1].content
    assert "the order" in model.asked[3][3].content
    for _ in range(3):
        translation = stages.correct(translation, "referents", "the toy")
    with pytest.raises(SaySoError) as caught:
        stages.correct(translation, "referents", "again")
    assert caught.value.code is Code.NOT_CONFIRMED
    assert len(model.asked) == 7


def test_over_http_recorded_and_replayed(tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    with ChatServer([reply(PLAIN), full("F(near(x, y))"), full(FULL), full(FULL)]) as server:
        recorder = Record(cassette, OpenAIChat("test-model", server.base_url))
        first = _corrected(TwoStage(recorder, LEXICON, examples))
        assert len(server.requests) == 4
    replayed = _corrected(TwoStage(Replay(cassette), LEXICON, examples))
    assert replayed == first
    prompts = [json.loads(line)["prompt"] for line in cassette.read_text().splitlines()]
    assert prompts[0] == "SaySo prompt two_stage_ltl, version 1."
    assert prompts[-1].endswith("SaySo prompt two_stage_correction, version 1.")


def _corrected(stages: TwoStage) -> Translation:
    return stages.correct(stages.translate(SAID), "task structure", "as I said")


def test_a_cassette_of_another_prompt_version_says_so(tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    model = ScriptedModel([reply(PLAIN), full(FULL)])
    TwoStage(Record(cassette, model), LEXICON, examples).translate(SAID)
    old = cassette.read_text().replace("two_stage_ltl, version 1.", "two_stage_ltl, version 7.")
    cassette.write_text(old)
    entries = [json.loads(line) for line in old.splitlines()]
    for entry in entries:
        entry["key"] += "-other"
    cassette.write_text("\n".join(json.dumps(e) for e in entries))
    with pytest.raises(SaySoError) as caught:
        TwoStage(Replay(cassette), LEXICON, examples).translate(SAID)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "recorded with prompt two_stage_ltl version 7; this is version 1" in caught.value.message
