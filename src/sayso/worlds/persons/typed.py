"""A person who teaches by typing, in any world; or whose sentences were written beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.learning.feedback import Action
from sayso.learning.spoken import spoken

Asked = Callable[[str], str]
"""Shows a prompt, and gives what is said to it. Raises EOFError when nobody will say more."""


@dataclass(frozen=True)
class TypedPerson:
    """See `learning.teaching.Teacher`; an empty answer agrees.

    Every method raises CANCELLED when nobody will say more.

    Args:
        words: the task, as it is meant.
    """

    words: str
    ask: Asked

    def goal(self) -> str:
        return self._said(f"The task: {self.words} [Enter, or in your words]") or self.words

    def about(self, action: Action) -> str:
        asked = f"May I {spoken(action.name, action.args)}? [Enter: go ahead, or why not]"
        return self._said(asked) or "Go ahead."

    def after(self, action: Action | None) -> str:
        if action is None:
            said = self._said("I believe the goal is reached. [Enter: well done, or why not]")
            return said or "Well done."
        return self._said("Done. [Enter: go on, or 'well done']")

    def answer(self, question: str) -> str:
        return self._said(question)

    def _said(self, prompt: str) -> str:
        try:
            return self.ask(prompt).strip()
        except EOFError as error:
            raise SaySoError(
                Code.CANCELLED, "there is nobody to say more.",
                hint="what was learned so far is kept.",
            ) from error  # fmt: skip


def sentences(lines: Iterable[str]) -> Asked:
    """Those of a text in turn, whatever is asked; an empty line agrees, `#` begins a remark."""
    left = iter([line for line in lines if not line.startswith("#")])

    def ask(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask
