"""Each learned behaviour by itself: what is tried, what counts, and how it is told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.blade import single
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.plays import Given
from sayso.evaluation.cases import Row
from sayso.worlds.kinematic_play.player import play
from sayso.worlds.persons.play_file import behaviours

GIVEN = {
    "plays": 1, "wrong": 0.0, "labels": "propagated", "physics": "PLAYS", "world": "play_table",
    "starts": 2, "first_start": 900, "learnings": 1,
}  # fmt: skip


@pytest.fixture(autouse=True)
def without_recorded_plays(monkeypatch):
    """Nothing is learned from a folder here."""
    monkeypatch.setattr(Given, "require", lambda *_: None)


@pytest.fixture(scope="module")
def learned():
    return learned_from([play(seed, 14) for seed in range(6)])


class Tried:
    """A table at which nothing is moved; what was to be done there is kept."""

    def __init__(self, things, comes_about=True, error=None):
        self.world, self.things = SimpleNamespace(close=self._close), things
        self.comes_about, self.error, self.closed, self.action = comes_about, error, False, None

    def _close(self):
        self.closed = True

    def done(self):
        return self.comes_about

    def carry_out(self, action, watch, avoid, started):
        self.action = action
        assert not watch.violated and not action.preconditions
        if self.error:
            raise self.error
        return ()


def run(monkeypatch, learned, label, tried, shown=0):
    """The outcome of a behaviour's first case."""
    monkeypatch.setattr(single, "learned", lambda *_: (learned, 0.0))
    monkeypatch.setattr(single, "led_up_to", lambda *_: tried)
    monkeypatch.setattr(single, "Onlooker", lambda *_: SimpleNamespace(look=None))
    monkeypatch.setattr(single, "ArmTable", lambda *_: tried)
    suite = single.SingleBehaviours(**GIVEN, shown=(shown,))
    return suite.run(next(c for c in suite.cases() if c.group == label), 0)


def row(label, success, shown=0, start=0, **measures):
    return Row(
        "blade-behaviours", f"{label} {shown} {start} 0", label, success, "", measures, "", 0, 0
    )


def test_each_behaviour_is_tried_from_each_start_with_each_number_of_demonstrations():
    cases = single.SingleBehaviours(**GIVEN, shown=(1, 5)).cases()
    assert len({c.key for c in cases}) == len(cases) == 2 * 2 * len(behaviours("play_table"))
    assert {c.data["start"] for c in cases} == {900, 901}


def test_the_true_state_tells_whether_it_was_done_and_not_what_the_arm_says(monkeypatch, learned):
    things = {"block": "pink_block", "drawer": "drawer"}
    tried = Tried(things)
    outcome = run(monkeypatch, learned, "lift_block_drawer", tried)
    assert outcome.success and tried.closed
    assert tried.action.args == ("pink_block", "drawer")
    idle = Tried(things, comes_about=False)
    outcome = run(monkeypatch, learned, "lift_block_drawer", idle)
    assert (outcome.success, outcome.code, idle.closed) == (False, Code.POSTCONDITION, True)
    late = SaySoError(Code.LIMIT, "a finger slipped.")
    assert run(monkeypatch, learned, "lift_block_drawer", Tried(things, error=late)).success


def test_a_failure_is_told_by_its_name(monkeypatch, learned):
    far = SaySoError(Code.UNREACHABLE, "it is out of reach.")
    tried = Tried({"drawer": "drawer"}, comes_about=False, error=far)
    outcome = run(monkeypatch, learned, "open_drawer", tried)
    assert outcome.code is Code.UNREACHABLE and "out of reach" in outcome.detail


def test_a_motion_is_learned_from_so_many_demonstrations(monkeypatch, learned):
    tried = Tried({"drawer": "drawer"})
    assert run(monkeypatch, learned, "open_drawer", tried, 2).measures["demonstrations"] == 2
    assert run(monkeypatch, learned, "open_drawer", tried).measures["demonstrations"] > 2


def test_what_nobody_showed_was_not_done(monkeypatch, learned):
    none = replace(learned, behaviours=())
    outcome = run(monkeypatch, none, "open_drawer", Tried({}))
    assert (outcome.success, outcome.code) == (False, Code.UNSUPPORTED)


def test_what_could_not_be_led_up_to_is_no_try(monkeypatch, learned):
    def never(*_):
        raise SaySoError(Code.LIMIT, "it does not come to that.")

    monkeypatch.setattr(single, "learned", lambda *_: (learned, 0.0))
    monkeypatch.setattr(single, "led_up_to", never)
    suite = single.SingleBehaviours(**GIVEN, shown=(0,))
    outcome = suite.run(suite.cases()[0], 0)
    rows = [row("a", True), row("a", False, start=1, **outcome.measures)]
    assert "| a | 1 of 1 |" in suite.summary(rows)


def test_behaviours_are_told_by_themselves_and_the_median_and_the_worst_of_them():
    suite = single.SingleBehaviours(**GIVEN, shown=(1, 0))
    rows = [
        *(row("a", True, 1, n) for n in range(4)), *(row("a", True, 0, n) for n in range(4)),
        *(row("b", n > 0, 1, n) for n in range(4)), *(row("b", True, 0, n) for n in range(4)),
        row("c", False, 1, **{"not learned": True}), row("c", False, 0, **{"not learned": True}),
    ]  # fmt: skip
    told = suite.summary(rows)
    assert "| behaviour | 1 shown | all shown |" in told
    assert "| b | 3 of 4 | 4 of 4 |" in told and "| c | not learned | not learned |" in told
    assert "| **median behaviour** | 75 % | 100 % |" in told
    assert "| **worst behaviour** | 0 % | 0 % |" in told


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--part", "behaviours"], "in physics alone"),
        (["--part", "behaviours", "--physics", "PLAYS", "--no-finding"], "finding is for"),
        (["--part", "behaviours", "--physics", "PLAYS", "--shown", "-1"], "-1 demonstrations"),
        (["--shown", "3"], "--shown is for"),
    ],
)
def test_what_does_not_go_together_is_named(options, why, tmp_path, capsys):
    assert cli.main(["eval", "blade", *options, "--out", str(tmp_path / "run")]) != 0
    assert why in capsys.readouterr().out
