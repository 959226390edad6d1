"""Tasks on the simulated table that somebody upsets, seen through the cameras."""

from sayso.core.errors import Code
from sayso.evaluation.upsets.table import run


def test_what_can_be_done_ends_in_the_goal():
    done = run("thing_put_into_the_drawer", 1)
    assert done.upset_at is not None
    assert done.outcome.code is Code.OK, done.outcome.message
    assert done.reached and done.kept
    assert done.repairs
    assert not done.broken


def test_what_was_taken_away_is_said_to_be_gone():
    done = run("thing_taken_away", 0)
    assert done.upset_at is not None and done.upset_at.args[0] == "red_block"
    assert done.outcome.code is Code.NO_PLAN
    assert "red block" in done.outcome.message or "red_block" in done.outcome.message
    assert not done.reached and not done.broken
