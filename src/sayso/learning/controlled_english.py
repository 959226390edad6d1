"""A reader of feedback that needs no language model (`teaching.FeedbackReader`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.core.symbols import Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, Feedback, read_feedback
from sayso.learning.priors import Priors, household


class ControlledEnglish:
    """Reads what the grammar of `feedback` covers.

    Args:
        priors: what is known of common predicates; none given: what SaySo comes with.
    """

    def __init__(self, priors: Priors | None = None) -> None:
        self._priors = priors or household()

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
        return read_feedback(
            text, objects, action=action, goal=goal, known=known, priors=self._priors
        )
