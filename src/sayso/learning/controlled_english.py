"""A reader of feedback that needs no language model (`teaching.FeedbackReader`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.core.symbols import Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, Feedback, read_feedback


class ControlledEnglish:
    """Reads what the grammar of `feedback` covers."""

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Lexicon | None = None,
    ) -> Feedback:
        """As `read_feedback`, with the same errors."""
        return read_feedback(text, objects, action=action, goal=goal, known=known)
