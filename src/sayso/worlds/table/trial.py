"""What comes of a taught task on the simulated table, judged by what is true."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.core.errors import Code

UNCOUNTED = ("GOAL", "FEASIBLE", "REACHED", "ANSWER")
"""Kinds of what is said that explain nothing; the paper does not count them either."""
_BROKEN = frozenset(
    code.name
    for code in (
        Code.STALE, Code.STOPPED, Code.NODE_UNAVAILABLE, Code.CANCELLED, Code.BUSY, Code.UNKNOWN,
    )
)  # fmt: skip
"""Codes of what says nothing about what was learned."""


@dataclass(frozen=True)
class Trial:
    """What came of one task.

    Attributes:
        reached: whether the goal was truly reached.
        failed: the first action that failed; '' if none did.
        code, message: of what ended it otherwise.
        said: the kind of everything that the person said.
    """

    name: str
    domain: str
    seed: int
    test_set: str
    reached: bool
    failed: str = ""
    code: str = "OK"
    message: str = ""
    actions: int = 0
    proposals: int = 0
    said: tuple[str, ...] = field(default_factory=tuple)
    seconds: float = 0.0

    @property
    def broken(self) -> bool:
        """Whether it broke off, so that it says nothing; it is run again when resumed."""
        return self.code in _BROKEN

    @property
    def unfailing(self) -> bool:
        """Whether it was reached without an action that failed: an episode as in the paper."""
        return self.reached and not self.failed

    @property
    def explanations(self) -> int:
        """How often the person explained something."""
        return sum(kind not in UNCOUNTED for kind in self.said)
