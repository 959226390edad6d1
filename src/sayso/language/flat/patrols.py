"""Patrols in a flat: places to be visited again and again, until the robot is stopped.

patrol  = ("patrol" | "keep patrolling" | "keep visiting" | ...) ["between"] places {endless}
        | go places endless
endless = "forever" | "again and again" | "over and over" | "until I stop you" | ...

A patrol has no end, so nothing can come after it; what is said before it comes first, and a
further task may be done at any time.
"""

from __future__ import annotations

from collections.abc import Iterable

from sayso.core.errors import SaySoError
from sayso.language.events import Again, Sequence
from sayso.language.flat import words
from sayso.language.flat.clauses import Done, FlatClauses
from sayso.language.flat.indirect import IndirectThings
from sayso.language.tokens import Cursor
from sayso.logic.formula import Formula, Referent

_JOINED_BY = ("", ".", ",", "and", "then", "also", "at last")


class Patrols:
    """The patrols of one instruction, read at a cursor.

    Attributes:
        found: what is to happen again and again.
        begun: whether steps that are read now would come after a patrol.
    """

    def __init__(self, cursor: Cursor, things: IndirectThings, clauses: FlatClauses) -> None:
        self._cursor = cursor
        self._things = things
        self._clauses = clauses
        self.found: list[Again] = []
        self.begun = False

    def read(self, listed: Iterable[Referent]) -> Done | None:
        """ "patrol X and Y", "keep visiting X"; None if that does not come next."""
        start = self._cursor.position
        if not self._cursor.take(*words.PATROL):
            return None
        self._things.begin_clause()
        between = self._cursor.take("between")
        done = self._clauses.places(tuple(listed))
        if between and (done.joiner != "and" or len(done.states) < 2):
            raise self._cursor.error(
                "'between' goes with two places or more.", hint="name them with 'and'.", start=start
            )
        while self._cursor.take(*words.ENDLESS, *words.ANY_ORDER):
            pass
        return done

    def endless(self) -> bool:
        """Whether "forever" follows an action, which makes it a patrol."""
        return bool(self._cursor.take(*words.ENDLESS))

    def add(self, done: Done, mode: str, *, steps: bool, named: bool) -> None:
        """A patrol that follows what was said in a mode.

        Args:
            steps: whether steps come before it.
            named: whether "patrol" or its like says how much is to be repeated.

        Raises:
            SaySoError: NOT_UNDERSTOOD where it is not clear what is to be repeated.
        """
        if not done.states or isinstance(done.event, Sequence):
            raise self._unclear("only places, in any order, can be visited again and again.")
        if mode not in _JOINED_BY:
            raise self._unclear("it is not clear how this goes with what was said before.")
        if steps and not named and mode not in (".", "also"):
            raise self._unclear("it is not clear whether the steps before are repeated too.")
        self.found += map(Again, done.states)
        self.begun = True

    def after(self) -> SaySoError:
        """What is wrong with a step after a patrol."""
        return self._cursor.error(
            "a patrol has no end, so nothing comes after it.",
            hint="say it before the patrol, or 'in addition ...' if it may be done at any time.",
        )

    def repeats(self, state: Formula | None) -> bool:
        """Whether a patrol comes to a state; with None, whether one was spoken of last."""
        return self.begun if state is None else any(a.formula == state for a in self.found)

    def _unclear(self, cause: str) -> SaySoError:
        return self._cursor.error(cause, hint="say 'patrol ...' of what is to be repeated.")
