"""A person who teaches over topics (`learning.teaching.Teacher`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sayso_ros.msg import Feedback, LearningEvent

from sayso.core.errors import Code, SaySoError
from sayso.learning.feedback import Action
from sayso.learning.spoken import spoken
from sayso.ros.messages.learning_events import asking
from sayso.ros.teaching.conversation import Conversation, Heard

_MEANT: Mapping[tuple[int, int], str] = {
    (LearningEvent.PROPOSAL, Feedback.CONFIRM): "Go ahead.",
    (LearningEvent.PROPOSAL, Feedback.REJECT): "That does not work.",
    (LearningEvent.BELIEF, Feedback.CONFIRM): "Well done.",
    (LearningEvent.BELIEF, Feedback.REJECT): "Not done yet.",
    (LearningEvent.QUESTION, Feedback.CONFIRM): "Yes.",
    (LearningEvent.QUESTION, Feedback.REJECT): "No.",
}
"""What a bare yes or no says to each question; of an action that ended it says nothing."""


class RosTeacher:
    """Asks by events and waits for feedback.

    Args:
        words: the task.
        remark: takes what was said without being asked.
        answer_s: how long to wait for an answer. Without consent nothing moves.
        remark_s: how long to wait for a remark on an action that ended; silence is none.
    """

    def __init__(
        self,
        words: str,
        conversation: Conversation,
        remark: Callable[[str], None],
        heard: Callable[[str], None],
        answer_s: float,
        remark_s: float,
    ) -> None:
        self._words = words
        self._asked = False
        self._conversation = conversation
        self._remark = remark
        self._heard = heard
        self._answer_s = answer_s
        self._remark_s = remark_s

    def goal(self) -> str:
        """The task's words; others when they are asked for again, as they were not understood.

        Raises NOT_UNDERSTOOD if nobody finds others, CANCELLED.
        """
        if not self._asked:
            self._asked = True
            return self._words
        event = asking(LearningEvent.QUESTION, "What is to be done, in other words?")
        said = self._conversation.ask(event, self._answer_s)
        if said is None or not said.text.strip():
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"the task '{self._words}' is not understood.",
                hint="why is told on /learning; say it in other words.",
            )
        return self._passed(event.kind, said)

    def about(self, action: Action) -> str:
        """Raises NOT_CONFIRMED if nobody answers, CANCELLED."""
        self.take_remarks()
        event = asking(LearningEvent.PROPOSAL, f"May I {spoken(action.name, action.args)}?", action)
        return self._answered(event)

    def after(self, action: Action | None) -> str:
        """Raises NOT_CONFIRMED if nobody answers where the robot believes it is done."""
        if action is None:
            self.take_remarks()
            return self._answered(
                asking(LearningEvent.BELIEF, "I believe that the goal is reached.")
            )
        early = self._conversation.unasked()
        if early:
            for said in early[1:]:
                self._remark(said.text)
            return self._passed(LearningEvent.DONE, early[0])
        event = asking(
            LearningEvent.DONE, f"I am done: {spoken(action.name, action.args)}.", action
        )
        said_after = self._conversation.ask(event, self._remark_s)
        return "" if said_after is None else self._passed(event.kind, said_after)

    def answer(self, question: str) -> str:
        """Raises NOT_CONFIRMED if nobody answers, CANCELLED."""
        self.take_remarks()
        return self._answered(asking(LearningEvent.QUESTION, question))

    def _answered(self, event: LearningEvent) -> str:
        said = self._conversation.ask(event, self._answer_s)
        if said is None:
            raise SaySoError(
                Code.NOT_CONFIRMED,
                f"nobody answered within {self._answer_s:g} s; nothing was moved.",
                hint="practise again when somebody is there.",
            )
        return self._passed(event.kind, said)

    def _passed(self, kind: int, said: Heard) -> str:
        """The words, or what a bare yes or no means."""
        words = said.text.strip() or _MEANT.get((int(kind), said.kind), "")
        if words:
            self._heard(words)
        return words

    def take_remarks(self) -> None:
        """Learn from what was said without being asked."""
        for said in self._conversation.unasked():
            self._heard(said.text)
            self._remark(said.text)
