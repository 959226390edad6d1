"""What the learner's node tells is told as what the learner itself tells."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import LearningEvent

from sayso.learning import events
from sayso.reporting.story import LINES, PAGE, Story
from sayso.ros.messages.learning_events import event_to_msg
from sayso.ros.task.teach_story import tell_event

CODE = "def on(scene, a, b):\n    return True\n"
TOLD = [
    events.PredicateLearned("on", 1, "", CODE, "it is on it", observable=False),
    events.PredicateLearned("on", 2, CODE, CODE.replace("True", "False"), "no", disagreeing=1),
    events.OperatorsChanged(("(put ?a)",), ("(go)", "(pick ?a)")),
    events.NotUnderstood("hm", "no words"),
]


def page(story: Story) -> str:
    story.write("Taught", "")
    assert story.folder is not None
    return (story.folder / PAGE).read_text() + (story.folder / LINES).read_text()


@pytest.mark.parametrize("event", TOLD, ids=lambda e: type(e).__name__)
def test_a_message_is_told_as_its_event(event: events.LearningEvent, tmp_path: Path) -> None:
    here, there = Story(tmp_path / "here"), Story(tmp_path / "there")
    here.event(event)
    message = event_to_msg(event)
    assert message is not None
    tell_event(there, message)
    assert page(here) == page(there)


def test_each_line_says_who_speaks(tmp_path: Path) -> None:
    story = Story(tmp_path)
    kinds = (LearningEvent.GOAL, LearningEvent.HEARD, LearningEvent.ACTION, LearningEvent.ENDED)
    for kind in kinds:
        tell_event(story, LearningEvent(kind=kind, text="so"))
    lines = (tmp_path / LINES).read_text().split("\n")
    assert [line.split(":")[0].strip() for line in lines if line] == [
        "task", "person", "acts", "end",
    ]  # fmt: skip
