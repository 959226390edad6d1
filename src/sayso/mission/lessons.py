"""A robot that asks to be taught: what a task takes and nobody taught is shown, then it is done.

Words with a verb that is not known, a plan that no operator allows, a repair, a program: each tells
with `SkillLackingError` which skill it takes. The person is asked to show it, and what was learned
is read back, and corrected where they say so; after their second yes the task begins anew, with
the skill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.language.judgements import Judgement, judged
from sayso.logic.formula import Top
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.confirmation import LESSON, MISUNDERSTOOD, error_text
from sayso.mission.stages import Answer, Decision, Lesson, Stages
from sayso.reporting.events import EventEmitter, EventKind, Understanding
from sayso.skills.stop_words import asks_to_halt

Result = TypeVar("Result")
MOST_TAKEN = 3
"""Lessons about one skill in a task, where it was taught and fails."""
LEARNING = "I learn it from what was shown, and try it in thought: that may take a minute."
MOST_ASKED = 8
"""Times that a person is asked about one thing, whatever they answer."""


class Lessons:
    """The skills that a task is lacking, one after the other."""

    def __init__(self, stages: Stages, events: EventEmitter) -> None:
        self._stages = stages
        self._events = events
        self._taken: Counter[str] = Counter()

    def until_able(self, attempt: Callable[[], Result]) -> Result:
        """What comes of an attempt once nothing is lacking for it.

        Raises:
            SkillLackingError: where nobody shows a skill, or it is lacking even after that; where
                it fails even after it was shown `MOST_TAKEN` times more.
            SaySoError: NOT_CONFIRMED where the person does not want to show it, or does not agree
                to what was learned; what the attempt and the lesson raise.
        """
        while True:
            try:
                return attempt()
            except SkillLackingError as lacking:
                lesson = self._stages.lesson(lacking.skill)
                most = MOST_TAKEN if lacking.tried else 1
                if lesson is None or self._taken[lacking.skill] >= most:
                    raise
                self._taken[lacking.skill] += 1
                self._take(lesson, lacking)

    def _take(self, lesson: Lesson, lacking: SkillLackingError) -> None:
        self._events.stage = "learn"
        asked = f"Nobody taught me yet to {lacking.skill}. Will you show me?"
        if lacking.tried:
            asked = f"{lacking.message} Will you show me once more how to {lacking.skill}, there?"
        self._agree(lacking.skill, asked, None)
        self._events.emit(EventKind.MESSAGE, "learn", LEARNING)
        self._agree(lacking.skill, lesson.learn(), lesson)
        lesson.keep()

    def _agree(self, skill: str, said: str, lesson: Lesson | None) -> None:
        """Ask until the person agrees, to what was learned as they corrected it.

        Raises:
            SaySoError: NOT_CONFIRMED where they do not, or end it.
        """
        question = "Is this right?" if lesson else ""
        for _ in range(MOST_ASKED):
            shown = f"{said} {lesson.tried}".strip() if lesson else said
            answer = self._asked(skill, shown, question)
            match _meant(answer, f"{said} {question}"):
                case Judgement.YES:
                    return
                case Judgement.NO | Judgement.STOP:
                    break
                case Judgement.CORRECTION if lesson is not None:
                    said = self._corrected(lesson, said, answer.words)
                case _:
                    why = f"From '{answer.words}' I cannot tell: yes, or no?"
                    self._events.emit(EventKind.MESSAGE, "learn", why)
        hint = "ask again and show it, or show it otherwise."
        if lesson is not None and lesson.recorded is not None:
            hint = f"what was shown is kept in {lesson.recorded}; {hint}"
        raise SaySoError(
            Code.NOT_CONFIRMED, f"how to {skill} was not learned; nothing was moved.", hint=hint
        )

    def _corrected(self, lesson: Lesson, said: str, words: str) -> str:
        """What was learned after a correction; as before, and why, if that cannot be."""
        self._events.emit(EventKind.MESSAGE, "learn", f"Correction: {words}")
        try:
            return lesson.correct(words)
        except SaySoError as error:
            if error.code not in MISUNDERSTOOD:
                raise
            self._events.emit(EventKind.MESSAGE, "learn", error_text(error, words))
            return said

    def _asked(self, skill: str, said: str, hint: str) -> Answer:
        self._events.emit(EventKind.MESSAGE, "learn", said)
        asked = SaySoError(Code.UNSUPPORTED, said, hint=hint)
        nothing = GroundedSpecification(Specification(skill, Top(), LESSON), Top())
        return self._stages.confirm(Understanding(nothing, said, trouble=asked))


def _meant(answer: Answer, question: str) -> Judgement:
    """What an answer does; with a button's "yes" or "no" its words are said after that."""
    words, pressed = answer.words.strip(), answer.decision
    if pressed is Decision.NO and asks_to_halt(words):
        return Judgement.STOP
    if pressed is Decision.CORRECTION:
        return judged(words, question)
    return judged(f"{pressed.value}, {words}", question)
