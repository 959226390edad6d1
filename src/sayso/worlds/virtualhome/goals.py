"""Goals of VirtualHome as formulas: what has to be done, in order, and what holds at the end.

The data set's own language has propositions joined by `and`, `or`, `then` and `exists`. An action
is a proposition that is true *while* it is done, whatever it is done to, so that
`exists x. DRINK(x)` is `drinking()`; a state has to hold in the last step of the trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from sayso.core.errors import Code, SaySoError
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Prop,
    children,
    conjunction,
    disjunction,
    propositions,
)
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.tasks import ACTOR, thing_name

_TOKEN = re.compile(r"\s*([A-Za-z_][\w\-]*(?:\.\d+)?|[(),.])")
_STATES: Mapping[str, str] = {
    "CLOSED": "closed", "OPEN": "open", "ON": "switched_on", "OFF": "switched_off",
    "PLUGGED_IN": "plugged_in", "PLUGGED_OUT": "unplugged", "CLEAN": "clean", "DIRTY": "dirty",
}  # fmt: skip
_POSES = {"SITTING": "sitting", "LYING": "lying"}
_OF_THINGS = {"ONTOP": "on", "INSIDE": "in"}
_OF_ACTOR: Mapping[str, str] = {
    "ONTOP": "seated_on", "INSIDE": "at", "NEXT_TO": "next_to", "FACING": "facing",
    "HOLDS_RH": "holds_right", "HOLDS_LH": "holds_left",
}  # fmt: skip


def read_goal(text: str) -> Formula:
    """The formula of a goal.

    Raises:
        SaySoError: INVALID for a text in another form; UNSUPPORTED for what has no meaning here,
            such as an action upon one thing alone.
    """
    reader = _Reader(text)
    stages = reader.stages()
    reader.expect_end()
    *first, last = stages
    done = [s for s in stages if _is_done(s)]
    if any(not _is_done(s) for s in first):
        raise _unsupported(text, "a state that has to hold before something else is done")
    ending = [] if done and last is done[-1] else [last]
    ordered = _in_order(done)
    held = [Eventually(Always(f)) for end in ending for f in _conjuncts(end)]
    return conjunction(*([ordered] if ordered else []), *held)


@lru_cache(maxsize=1)
def done_while() -> Mapping[str, str]:
    """Verb -> the predicate that is true while it is done."""
    return {o.skill: next(iter(o.during)).predicate for o in library().operators.values()}


def _in_order(done: Sequence[Formula]) -> Formula | None:
    result: Formula | None = None
    for stage in reversed(done):
        result = Eventually(stage if result is None else And((stage, result)))
    return result


def _is_done(formula: Formula) -> bool:
    """Whether all of it is about actions. Raises UNSUPPORTED for a mixture."""
    doing = {p.predicate in done_while().values() for p in propositions(formula)}
    if len(doing) > 1:
        raise _unsupported(str(formula), "actions and states at the same time")
    return doing == {True}


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, And):
        for part in children(formula):
            yield from _conjuncts(part)
    else:
        yield formula


class _Reader:
    """Reads `then` over `or` over `and` over propositions, quantifiers and brackets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        if "".join(self._tokens) != re.sub(r"\s", "", text):
            raise self._trouble("something that is no word")
        self._at = 0

    def stages(self) -> list[Formula]:
        """What is to be the case one after the other."""
        stages = self._either()
        while self._take("then"):
            stages += self._either()
        return stages

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            raise self._trouble(f"'{self._tokens[self._at]}'")

    def _either(self) -> list[Formula]:
        return self._joined("or", self._both, disjunction)

    def _both(self) -> list[Formula]:
        return self._joined("and", self._single, conjunction)

    def _joined(
        self,
        word: str,
        part: Callable[[], list[Formula]],
        join: Callable[..., Formula],
    ) -> list[Formula]:
        found = [part()]
        while self._take(word):
            found.append(part())
        if len(found) == 1:
            return found[0]
        return [join(*(self._one(stages) for stages in found))]

    def _one(self, stages: list[Formula]) -> Formula:
        if len(stages) != 1:
            raise _unsupported(self._text, "an order inside of 'and' or 'or'")
        return stages[0]

    def _single(self) -> list[Formula]:
        if self._take("("):
            inner = self.stages()
            self._need(")")
            return inner
        word = self._word()
        if word == "exists":
            self._word()
            self._need(".")
            return self._single()
        return [_proposition(word, self._arguments(), self._text)]

    def _arguments(self) -> tuple[str, ...]:
        self._need("(")
        found = []
        while not self._take(")"):
            found.append(self._word())
            self._take(",")
        return tuple(found)

    def _word(self) -> str:
        if self._at >= len(self._tokens):
            raise self._trouble("the end")
        self._at += 1
        return str(self._tokens[self._at - 1])

    def _take(self, token: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == token
        self._at += found
        return found

    def _need(self, token: str) -> None:
        if not self._take(token):
            raise self._trouble(f"no '{token}'")

    def _trouble(self, what: str) -> SaySoError:
        return SaySoError(Code.INVALID, f"the goal '{self._text}' has {what} where none can be.")


def _proposition(name: str, arguments: tuple[str, ...], text: str) -> Formula:
    things = tuple(map(_thing, arguments))
    if not things or None in things:
        if name.lower() not in done_while() or any(things):
            raise _unsupported(text, f"{name} of something that is not named")
        return Prop(done_while()[name.lower()], ())
    named = tuple(t for t in things if t is not None)
    if name in _POSES and named == (ACTOR,):
        return Prop(_POSES[name], ())
    if name in _STATES and len(named) == 1:
        return Prop(_STATES[name], named)
    if name in _OF_ACTOR and len(named) == 2 and named[0] == ACTOR:
        return Prop(_OF_ACTOR[name], named[1:])
    if name == "ONTOP" and named[1:] == (ACTOR,):
        return Prop("worn", named[:1])
    if name in _OF_THINGS and len(named) == 2:
        return Prop(_OF_THINGS[name], named)
    raise _unsupported(text, f"{name} of {len(named)} things that are named")


def _thing(argument: str) -> str | None:
    """A thing's name; None for a variable."""
    cls, _, number = argument.rpartition(".")
    return thing_name(cls, int(number)) if number.isdecimal() else None


def _unsupported(text: str, what: str) -> SaySoError:
    return SaySoError(Code.UNSUPPORTED, f"the goal '{text}' asks for {what}.")
