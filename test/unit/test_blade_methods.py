"""Compared ways to choose what is done next, with the same behaviours learned from play."""

from __future__ import annotations

import json

import pytest

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.evaluation.blade import suite
from sayso.evaluation.blade.choosing import carry_out, chooser, lacking, possible
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.options import METHODS
from sayso.evaluation.blade.options import Settings as BladeSettings
from sayso.evaluation.blade.plays import Given
from sayso.evaluation.blade.stages import KinematicTable
from sayso.evaluation.blade.suite import started
from sayso.evaluation.cases import Row
from sayso.worlds.kinematic_play.player import play
from support.scripted_model import ScriptedModel


@pytest.fixture(scope="module")
def learned():
    return learned_from([play(seed, 14) for seed in range(12)])


def steps(*texts):
    return json.dumps({"steps": list(texts)})


def carried_out(method, learned, words, start, *replies):
    """What was chosen, the table then, and what the model was told each time."""
    model, world = ScriptedModel(replies), started(7, start)
    choose = chooser(method, learned, model)
    chosen = carry_out(KinematicTable(world, learned), learned, words, choose)
    return chosen, world, [asked[-1].content for asked in model.asked]


def test_saycan_does_of_what_is_said_what_can_be_done_now(learned):
    """It is not told that the drawer is open: what it says first cannot be done."""
    said = steps("open the drawer", "close the drawer")
    chosen, world, told = carried_out(
        "saycan", learned, "Shut the drawer.", {"drawer": 1}, said, steps()
    )
    assert chosen.ended and len(chosen.done) == 1 and world.drawer < 0.1
    assert "how they are" not in told[0] and "drawer" in told[0]
    assert chosen.done[0].english in told[1]


def test_text2motion_is_told_what_is_so_and_does_only_plans_all_of_which_can_be_done(learned):
    words, start = "Put the red block in the drawer.", {"red_block": "table", "drawer": 0}
    missing = steps("pick up red block from the table", "put red block in drawer")
    whole = steps("open drawer", "pick up red block from the table", "put red block in drawer")
    chosen, world, told = carried_out("text2motion", learned, words, start, missing, whole, steps())
    assert chosen.ended and len(chosen.done) == 3 and world.shows({"red_block": "drawer"})
    assert "the red block is on the table" in told[0] and "could not be done" not in told[0]
    assert "because the drawer is closed" in told[1]


def test_vila_does_the_first_of_what_is_said_whether_it_can_be_done_or_not(learned):
    words, start = "Put the red block in the drawer.", {"red_block": "table", "drawer": 0}
    chosen, _, told = carried_out(
        "vila", learned, words, start, steps("put red block in drawer"), steps()
    )
    assert chosen.ended and not chosen.done and "I cannot" in chosen.failed
    assert "red block: at (" in told[0] and "I cannot" in told[1]


def test_what_is_like_no_action_is_said_to_the_model(learned):
    chosen, _, told = carried_out("vila", learned, "Paint the bulb.", {}, steps("zzz qqq"), steps())
    assert chosen.ended and not chosen.done
    assert "I cannot zzz qqq because there is no such action." in told[1]


def test_a_model_that_says_the_same_again_and_again_is_not_asked_for_ever(learned):
    said = [steps("put red block in drawer")] * 9
    chosen, _, told = carried_out("vila", learned, "Tidy up.", {"drawer": 0}, *said)
    assert not chosen.ended and len(told) == 5


def test_as_in_play_what_was_done_for_such_words_is_done_until_it_is_reached(learned):
    """No model; nothing but the judge tells it that it is there."""
    world = started(7, {"drawer": 0})
    chosen = carry_out(
        KinematicTable(world, learned), learned, "pull the drawer open",
        chooser("goal-conditioned", learned, None), lambda: world.drawer > 0.9,
    )  # fmt: skip
    assert not chosen.ended and world.drawer > 0.9 and len(chosen.done) < 5
    endless = carry_out(
        KinematicTable(world, learned), learned, "pull the drawer open",
        chooser("goal-conditioned", learned, None),
    )  # fmt: skip
    assert not endless.ended and len(endless.done) > 3


def test_what_is_possible_is_of_things_that_are_seen_and_what_it_lacks_is_told(learned):
    scene = started(7, {"drawer": 0}).scene()
    actions = list(possible(learned.library, scene))
    assert not list(possible(learned.library, Scene(0.0, (), scene.robot)))
    assert all(len(set(a.args)) == len(a.args) and not a.in_the_now for a in actions)
    state = symbolic_state(scene, learned.library.predicates)
    (into, *_) = [a for a in actions if a.args == ("red_block", "drawer") and "place" in a.name]
    assert {"open(drawer)", "holding(red_block)"} <= set(map(str, lacking(into, state)))


@pytest.mark.parametrize("method", [m for m in METHODS if m != "blade"])
def test_each_is_judged_by_the_true_state_as_plans_are(method, monkeypatch, learned):
    given = vars(BladeSettings(plays=1, starts=1, learnings=1))
    monkeypatch.setattr(suite, "learned", lambda *_: (learned, 0.0))
    monkeypatch.setattr(Given, "require", lambda *_: None)
    says_done = ScriptedModel([steps()])
    monkeypatch.setattr(suite, "connect", lambda _: says_done if "goal" not in method else None)
    blade = suite.Generalisation(**{**given, "method": method})
    (case,) = (c for c in blade.cases() if "turn off" in c.key)
    outcome = blade.run(case, 0)
    if "goal" in method:
        assert outcome.measures["behaviours done"] > 0
    else:
        assert outcome.measures["said to be done"] and not outcome.success
        assert outcome.code is Code.POSTCONDITION
    row = Row("blade", case.key, case.group, False, "", outcome.measures, "", 0, 0.0)
    assert "abstract goal | 0 %" in blade.summary([row])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--method", "saycan"], "saycan asks a language model"),
        (["--method", "goal-conditioned", "--no-finding"], "neither plans nor looks"),
        (["--method", "vila", "--part", "behaviours", "--physics", "P"], "method is for"),
    ],
)
def test_what_a_method_has_no_use_for_is_refused(options, why, tmp_path, capsys):
    assert cli.main(["eval", "blade", *options, "--out", str(tmp_path / "run")]) == 1
    assert why in " ".join(capsys.readouterr().out.split())


def test_a_model_that_does_not_answer_is_told(learned):
    table = KinematicTable(started(7, {}), learned)
    with pytest.raises(SaySoError) as raised:
        carry_out(table, learned, "Tidy up.", chooser("vila", learned, ScriptedModel()))
    assert raised.value.code is Code.MODEL_UNAVAILABLE
