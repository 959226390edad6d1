"""The words that stop the robot at once are known however they are typed, and no others are."""

import pytest

from sayso.skills.stop_words import asks_to_halt


@pytest.mark.parametrize(
    "words",
    [
        "stop",
        "Stop!",
        "STOP",
        "  stop  ",
        "stop.",
        "Stop!!!",
        "stop please",
        "Please, stop.",
        "stop now",
        "Stop, stop, stop!",
        "Stop it",
        "Stop moving!",
        "stop the robot",
        "halt",
        "Halt!",
        "freeze",
        "Freeze!",
        "cancel",
        "Cancel that.",
        "cancel the task",
        "Hey robot, stop at once!",
        "No, stop!",
        "stop what you're doing",
        "emergency stop",
    ],
)
def test_words_that_stop(words):
    assert asks_to_halt(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "please",
        "Don't stop.",
        "do not stop",
        "never stop",
        "Stop at the sofa.",
        "stop near the cat",
        "Go to the bed, then stop.",
        "Stop when the drawer is open.",
        "put the stop sign on the plate",
        "unstoppable",
        "halting",
        "stop 5 cm before the mug",
        "cancel the red block",
        "freeze the peas",
    ],
)
def test_words_that_mean_something_else(words):
    assert not asks_to_halt(words)
