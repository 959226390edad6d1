"""Reading an instruction, and confirming or correcting the reading until the person agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sayso.core.errors import Code, SaySoError
from sayso.language.offers import GO_ON, is_offer
from sayso.mission.stages import Answer, Decision, Stages
from sayso.reporting.events import EventEmitter, EventKind, Understanding

MISUNDERSTOOD = frozenset(
    {
        Code.NOT_UNDERSTOOD,
        Code.UNKNOWN_OBJECT,
        Code.AMBIGUOUS,
        Code.CONTRADICTION,
        Code.UNSUPPORTED,
        Code.INVALID,
        Code.MODEL_UNAVAILABLE,
        Code.MODEL_TIMEOUT,
        Code.MODEL_REPLY,
    }
)
"""After these a correction changes nothing, and the person is asked again."""
LESSON = "lesson"
"""The source of a question about something to be taught, to which "yes" is an answer."""
MOST_TIMES_ASKED = 3


class Confirmation:
    """The reading of an instruction, on its way to what the person agrees to.

    Args:
        corrections: turns in which the person may correct the reading.

    Attributes:
        understanding: the newest reading; None before the first.
    """

    def __init__(self, stages: Stages, events: EventEmitter, corrections: int) -> None:
        self.understanding: Understanding | None = None
        self._stages = stages
        self._events = events
        self._corrections = corrections

    def agree(self, instruction: str) -> Understanding:
        """Interpret, then let the person confirm or correct until they agree.

        Raises:
            SaySoError: NOT_CONFIRMED; the trouble of a reading that was confirmed but means no
                things for certain; whatever the stages raise.
        """
        self._events.stage = "interpret"
        understanding = self._stages.interpret(instruction)
        for _ in range(self._corrections + 1):
            self.understanding = understanding
            self._events.emit(EventKind.SPECIFICATION, "interpret", "", understanding=understanding)
            self._events.stage = "confirm"
            answer = self._stages.confirm(understanding)
            if answer.decision is Decision.YES:
                return self._settled(understanding)
            if answer.decision is Decision.NO:
                break
            self._events.emit(EventKind.MESSAGE, "confirm", f"Correction: {answer.words}")
            understanding = self._corrected(understanding, answer.words)
        raise SaySoError(
            Code.NOT_CONFIRMED,
            "the reading was not confirmed; nothing was moved.",
            hint="say it in other words, or correct the part that was misread.",
        )

    def ask(self, trouble: SaySoError) -> str:
        """What the person says to a trouble of the task under way; "" if nobody is to be asked, or
        who is asked wants no more of it."""
        if self.understanding is None:
            return ""
        self._events.stage = "confirm"
        try:
            answer = self._stages.confirm(replace(self.understanding, trouble=trouble))
        except SaySoError as error:
            if error.code is not Code.NOT_CONFIRMED:  # nobody was there to answer
                raise
            return ""
        return answer.words if answer.decision is Decision.CORRECTION else ""

    def _settled(self, understanding: Understanding) -> Understanding:
        """The understanding, if it is clear which things it means."""
        if understanding.trouble is not None:
            self._events.stage = "interpret"
            raise understanding.trouble
        return understanding

    def _corrected(self, understanding: Understanding, words: str) -> Understanding:
        """The reading after a correction; as before, and why, if that was not understood."""
        self._events.stage = "interpret"
        try:
            return self._stages.correct(understanding, words)
        except SaySoError as error:
            if error.code not in MISUNDERSTOOD:
                raise
            self._events.emit(EventKind.MESSAGE, "confirm", error_text(error, words))
            return understanding


def answered(understanding: Understanding, hear: Callable[[], Answer]) -> Answer:
    """What a person says to a reading.

    "Yes" to one of which not all was understood is that the rest asks for nothing. To a question
    which thing is meant, what words forbid, or whether all is set right, it is no answer: they are
    asked again, at most `MOST_TIMES_ASKED` times.
    """
    trouble = understanding.trouble
    lesson = understanding.specification.specification.source == LESSON
    for _ in range(MOST_TIMES_ASKED):
        answer = hear()
        if answer.decision is Decision.YES and is_offer(trouble):
            return Answer(Decision.CORRECTION, GO_ON)
        if answer.decision is not Decision.YES or trouble is None or lesson:
            break
    return answer


def question(understanding: Understanding) -> str:
    """What a person is asked about a reading: which thing is meant, or whether it is right."""
    if understanding.trouble is None:
        return "Is this what you mean?"
    spec = understanding.specification.specification
    words = " / ".join((spec.instruction, *spec.corrections))
    lines = (words, understanding.trouble.message, understanding.trouble.hint)
    return "\n".join(filter(None, lines))


def error_text(error: SaySoError, words: str) -> str:
    """A failure in lines for a person, with carets under the words at fault."""
    choices = f"Valid: {', '.join(error.choices)}" if error.choices else ""
    hint = f"Next: {error.hint}" if error.hint else ""
    return "\n".join(filter(None, (error.message, error.pointed_at(words), choices, hint)))
