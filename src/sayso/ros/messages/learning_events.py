"""What a learner tells, as messages."""

from __future__ import annotations

from sayso_ros.msg import LearningEvent as LearningEventMsg

from sayso.learning.events import (
    GoalSet,
    LabelContradicted,
    LearningEvent,
    NotUnderstood,
    OperatorsChanged,
    PredicateLearned,
    QuestionAsked,
)
from sayso.learning.feedback import Action


def event_to_msg(event: LearningEvent) -> LearningEventMsg | None:
    """The message of an event; None for a question, which is a message when it is asked."""
    message = LearningEventMsg()
    match event:
        case GoalSet():
            wanted = ", ".join(map(str, event.goal))
            message.kind, message.text, message.after = message.GOAL, event.words, wanted
        case PredicateLearned():
            message.kind, message.name = message.PREDICATE, event.name
            message.version, message.text = event.version, event.text
            message.before, message.after, message.why = event.before, event.after, event.why
        case OperatorsChanged():
            message.kind, message.text = message.OPERATORS, event.text
            message.before, message.after = "\n".join(event.removed), "\n".join(event.added)
        case LabelContradicted():
            message.kind, message.name = message.CONTRADICTION, event.predicate
            message.text = event.question
        case NotUnderstood():
            message.kind, message.text, message.why = (
                message.NOT_UNDERSTOOD,
                event.words,
                event.why,
            )
        case QuestionAsked():
            return None
    return message


def asking(kind: int, text: str, action: Action | None = None) -> LearningEventMsg:
    """A message that asks the person something."""
    name, args = (action.name, list(action.args)) if action else ("", [])
    return LearningEventMsg(kind=kind, text=text, name=name, args=args)
