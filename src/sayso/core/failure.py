"""What went wrong with an action, as data: which condition or effect did not hold."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Check, Literal


@dataclass(frozen=True)
class Failure:
    """An action that could not be begun, or did not do what it should.

    Attributes:
        code: what kind of failure: PRECONDITION, POSTCONDITION, UNREACHABLE, ...
        checks: the conditions (before) or effects (after) that did not hold, each with what was
            observed of it; none where the skill itself failed.
        message: the cause in words.
    """

    action: Action
    code: Code
    checks: tuple[Check, ...] = ()
    message: str = ""

    @staticmethod
    def of(action: Action, error: SaySoError) -> Failure:
        """What an error means for the action that it ended."""
        return Failure(action, error.code, error.checks, error.message)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """What did not hold, or was not known to."""
        return tuple(c.literal for c in self.checks)

    @property
    def unknown(self) -> tuple[Literal, ...]:
        """Of these the ones whose truth was not observed."""
        return tuple(c.literal for c in self.checks if c.observed is None)

    @property
    def things(self) -> tuple[str, ...]:
        """The names involved, each once: the action's, then those of what did not hold."""
        names = (*self.action.args, *(a for x in self.literals for a in x.atom.args))
        return tuple(dict.fromkeys(names))
