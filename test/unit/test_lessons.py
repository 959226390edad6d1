"""A task that takes a skill which nobody taught: asked for, shown, read back, then done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.learning.skills.lesson import meant, skill_of, skills_of
from sayso.mission.programs.stages import ProgramStages
from sayso.mission.programs.writing import Given
from sayso.mission.stages import Answer, Decision
from sayso.pipeline import perform
from sayso.reporting.events import EventKind
from sayso.reporting.report import RunReport
from sayso.worlds.kinematic_table import KinematicTable
from support.demonstrations import put_block_on_plate

PUT = "Put the red block on the plate."
WHOLE = load(builtin_path())
RECORDED = Path("/recordings/put")
TAUGHT = "I can put something on something when I hold it."


def without(*operators):
    kept = {n: op for n, op in WHOLE.operators.items() if n not in operators}
    return replace(WHOLE, operators=kept)


class TeachableTable(KinematicTable):
    """A person shows whatever is lacking, after which the robot has the whole library.

    Attributes:
        told: what the person was asked; they say yes but to the questions in `refused`.
        says: what they say, one after the other, to what was learned, before they say yes.
    """

    def __init__(self, library, gives=WHOLE, refused=(), says=()):
        super().__init__(library=library, confirm=self.hear)
        self.told, self.shown, self._gives, self._refused = [], [], gives, refused
        self.says, self.corrected = list(says), []

    def hear(self, understanding):
        self.told.append(understanding.english)
        if self.says and TAUGHT in understanding.english:
            said = self.says.pop(0)
            return said if isinstance(said, Answer) else Answer(Decision.CORRECTION, said)
        no = any(words in understanding.english for words in self._refused)
        return Answer(Decision.NO if no else Decision.YES)

    def lesson(self, skill):
        table = self

        class Shown:
            tried, recorded = "It slipped.", RECORDED

            def learn(self):
                table.shown.append(skill)
                return TAUGHT

            def correct(self, words):
                if "plate" not in words:
                    raise SaySoError(Code.NOT_UNDERSTOOD, "I do not understand this.")
                table.corrected.append(words)
                return f"{TAUGHT} Or when the plate is clear."

            def keep(self):
                table.take_over(table._gives)

        return Shown()


def run(table, words=PUT):
    report = RunReport({})
    return perform(words, table, report.add), report


def test_what_no_operator_brings_about_is_asked_for_and_then_done():
    table = TeachableTable(without("place_on", "stack"))
    outcome, report = run(table)
    assert outcome.code is Code.OK
    assert table.shown == ["make it so that the red block is on the plate"]
    asked, learned, reading = table.told[-3:]
    assert asked == f"Nobody taught me yet to {table.shown[0]}. Will you show me?"
    assert learned == f"{TAUGHT} It slipped." and "the red block is on the plate" in reading
    assert [e.text for e in report.events if e.kind is EventKind.INSTRUCTION] == [PUT]
    assert [str(a) for a in table.done] == [
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
    ]


@pytest.mark.parametrize("refused", ["Will you show me", TAUGHT])
def test_without_the_persons_yes_nothing_is_learned_and_nothing_moves(refused):
    table = TeachableTable(without("place_on", "stack"), refused=[refused])
    outcome, _ = run(table)
    assert outcome.code is Code.NOT_CONFIRMED and "nothing was moved" in outcome.message
    assert not table.done and "place_on" not in table.library.operators


def test_what_was_learned_is_corrected_and_read_back_until_the_person_agrees():
    says = ["Only if the plate is clear.", "What is a plate?", "Sing!", "Yes, and hum.", "Perfect!"]
    table = TeachableTable(without("place_on", "stack"), says=says)
    outcome, report = run(table)
    assert outcome.code is Code.OK and not table.says
    assert table.corrected == says[:1]
    learned = [words for words in table.told if TAUGHT in words]
    assert learned[0] == f"{TAUGHT} It slipped." and all(
        "plate is clear" in words for words in learned[1:]
    )
    told = [e.text for e in report.events if e.stage == "learn"]
    assert "From 'Sing!' I cannot tell: yes, or no?" in told  # and so is the question
    assert any("I do not understand this" in text for text in told)  # of "and hum"


@pytest.mark.parametrize(
    "said",
    [
        Answer(Decision.NO, "the plate is clear"),
        Answer(Decision.NO, "no, only if the plate is clear"),
        Answer(Decision.YES, "the plate is clear"),
        "no, the plate is clear",
        "yes, the plate is clear",
    ],
)
def test_a_button_with_more_than_its_word_is_a_correction(said):
    table = TeachableTable(without("place_on", "stack"), says=[said])
    outcome, _ = run(table)
    words = said.words if isinstance(said, Answer) else said
    assert outcome.code is Code.OK and table.corrected == [words]


@pytest.mark.parametrize("said", [Answer(Decision.YES, "hold on"), "yes, it slipped", ""])
def test_only_what_was_learned_is_agreed_to_and_what_is_unclear_is_asked_again(said):
    table = TeachableTable(without("place_on", "stack"), says=[said, "no"])
    outcome, _ = run(table)
    assert outcome.code is Code.NOT_CONFIRMED and not table.says and not table.done


@pytest.mark.parametrize("words", ["No, that's wrong.", "Let's leave it for today, I'm tired."])
def test_who_refuses_in_words_is_heard(words):
    table = TeachableTable(without("place_on", "stack"), says=[words])
    outcome, _ = run(table)
    assert outcome.code is Code.NOT_CONFIRMED and not table.done
    assert f"what was shown is kept in {RECORDED}" in outcome.hint


@pytest.mark.parametrize("words", ["", "no", "Stop!", "freeze"])
def test_a_no_and_a_halt_end_a_lesson(words):
    table = TeachableTable(without("place_on", "stack"), says=[Answer(Decision.NO, words)])
    outcome, _ = run(table)
    assert outcome.code is Code.NOT_CONFIRMED and not table.corrected


def test_a_verb_that_nobody_taught_is_asked_for_once():
    table = TeachableTable(WHOLE)
    outcome, _ = run(table, "Polish the mug.")
    assert table.shown == ["polish the mug"]  # the lesson did not help: it is not asked for again
    assert outcome.code is Code.NOT_UNDERSTOOD and "Or teach it" in outcome.hint


def test_what_a_program_asks_for_is_shown_and_the_program_then_carried_out():
    source = """
after, before = "the block is on the plate", "the robot holds the block"
put = learn_skill("put_block_on_plate", ["block", "plate"], after, before)
pick("red_block")
put("red_block", "plate")
"""
    table = TeachableTable(without("place_on", "stack"))
    stages = ProgramStages(
        table, Given(source), lambda: table.library, lambda: table.scene, CharacterNgrams()
    )
    outcome, _ = run(stages)
    assert outcome.code is Code.OK
    assert table.shown == ["put block on plate"]
    assert [a.name for a in table.done] == ["pick_from_table", "place_on"]


def test_where_nobody_can_show_it_the_task_ends_as_before():
    outcome, _ = run(KinematicTable(library=without("place_on", "stack")))
    assert (
        outcome.code is Code.NO_PLAN and "no operator makes on true of red_block" in outcome.message
    )


def test_a_folder_of_demonstrations_tells_what_it_shows():
    shown = put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 0.0))
    skill = skill_of([shown])
    assert (skill.name, str(skill.effect)) == ("put_block_plate", "putting_on(?a, ?b)")
    assert skill.parameters == {"block": "block", "plate": "plate"}
    one = {"block": shown.things["block"]}
    turned = skill_of([replace(shown, words="turn the block upside down", things=one)])
    assert (turned.name, str(turned.effect)) == (
        "turn_block_upside_down", "turning_upside_down(?a)"
    )  # fmt: skip
    with pytest.raises(SaySoError, match="does not say what it shows"):
        skill_of([replace(shown, words="")])


def test_a_folder_may_show_several_skills():
    put = put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 0.0))
    again = replace(put, words="put the red block on the plate")
    one = {"block": put.things["block"]}
    turn = replace(put, words="turn the block upside down", things=one)
    mute = replace(put, words="")
    skills = skills_of([mute, put, turn, again])
    assert [(s.name, len(s.demonstrations)) for s in skills] == [
        ("put_block_plate", 2), ("turn_block_upside_down", 1)
    ]  # fmt: skip
    with pytest.raises(SaySoError, match="does not say what it shows"):
        skills_of([mute])


@pytest.mark.parametrize(
    ("wanted", "so"),
    [
        ("hang all the mugs on the rack", True),
        ("the blue mug is hanging on the rack", True),
        ("hang the towel on the rack", False),
        ("put the mug on the rack", False),
    ],
)
def test_who_can_show_it_is_asked(wanted, so):
    assert meant(wanted, "hang the mug on the rack by its handle", ("mug", "rack")) is so
