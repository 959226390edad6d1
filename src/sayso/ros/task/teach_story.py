"""What a learner's node tells, as a part of a training's story."""

from __future__ import annotations

from sayso_ros.msg import LearningEvent

from sayso.learning.events import NotUnderstood
from sayso.reporting.story import Story

_WHO = {
    LearningEvent.GOAL: "task",
    LearningEvent.PROPOSAL: "robot",
    LearningEvent.DONE: "robot",
    LearningEvent.BELIEF: "robot",
    LearningEvent.QUESTION: "robot",
    LearningEvent.HEARD: "person",
    LearningEvent.ACTION: "acts",
    LearningEvent.ENDED: "end",
}


def tell_event(story: Story, event: LearningEvent) -> None:
    """One more event, with what changed."""
    match event.kind:
        case LearningEvent.PREDICATE:
            story.learned(event.text, event.before, event.after, event.why)
        case LearningEvent.OPERATORS:
            story.operators(event.text, event.before.splitlines(), event.after.splitlines())
        case LearningEvent.NOT_UNDERSTOOD:
            story.event(NotUnderstood(event.text, event.why))
        case _:
            story.tell(_WHO.get(event.kind, "learner"), event.text)
