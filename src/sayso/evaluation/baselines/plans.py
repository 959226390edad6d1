"""Plans as lists of steps, and what becomes true when they are carried out as written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.symbols import Atom
from sayso.logic.formula import Prop

Action: TypeAlias = Literal["go", "pick", "place"]
ARITY: Mapping[str, int] = {"go": 1, "pick": 1, "place": 2}
OPERATORS: Mapping[str, str] = {"go": "go", "pick": "pick", "place": "put_beside"}
"""The flat's operator for each action, as far as a plan that sees no geometry can tell."""


@dataclass(frozen=True)
class Step:
    """One action on objects by name: `go x`, `pick x`, `place x y`."""

    action: Action
    args: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.action, *self.args))


@dataclass(frozen=True)
class Plan:
    """The steps for an instruction.

    Attributes:
        model: the name that the model's server gives.
        tokens: of the last prompt and completion.
    """

    steps: tuple[Step, ...]
    model: str = ""
    tokens: tuple[int, int] = (0, 0)


class InstructionPlanner(Protocol):
    """Instructions to steps, for a given list of objects.

    Raises `SaySoError`: NO_PLAN with what the model says is in the way; MODEL_REPLY if its two
    replies cannot be used; MODEL_UNAVAILABLE or MODEL_TIMEOUT.
    """

    def plan(self, instruction: str, objects: Mapping[str, str]) -> Plan:
        """`objects` are descriptions by name."""


def step(action: str, args: Sequence[object], objects: Collection[str]) -> Step:
    """A step that can be told to the robot. Raises INVALID for an unknown action or object."""
    for known in get_args(Action):
        if known == action:
            break
    else:
        raise SaySoError(Code.INVALID, f"there is no action '{action}'.", choices=ARITY)
    if len(args) != ARITY[known]:
        raise SaySoError(Code.INVALID, f"{action} takes {ARITY[known]} objects, got {len(args)}.")
    for arg in args:
        if not isinstance(arg, str) or arg not in objects:
            raise SaySoError(
                Code.INVALID, f"{action}: there is no object '{arg}'.", choices=sorted(objects)
            )
    return Step(known, tuple(map(str, args)))


def symbolic_trace(steps: Sequence[Step]) -> tuple[frozenset[Prop], ...]:
    """What is true before the first step and after each, without any geometry.

    The robot is near an object it went to, picked or placed something at, and at nothing else;
    an object rests where it was put until it is picked again. Steps that the robot would have
    to refuse (picking with a full hand, placing what it does not hold) raise PRECONDITION.
    """
    operators = load(builtin_path("flat")).operators
    names = {n for s in steps for n in s.args}
    able = frozenset(
        Atom(p, (n,)) for n in names for p in ("accessible", "graspable", "in_the_open")
    )
    facts = able | {Atom("hand_empty")}
    trace = [facts]
    for number, s in enumerate(steps, start=1):
        action = operators[OPERATORS[s.action]].ground(*s.args, objects=names)
        if not action.applicable(facts):
            needed = ", ".join(sorted(map(str, action.preconditions)))
            raise SaySoError(Code.PRECONDITION, f"step {number}, {s}: it needs {needed}.")
        # A skill drives first; a rule against being there sees that moment too.
        near = operators["go"].ground(s.args[-1]).add
        trace.append(facts | near)
        if s.action != "go":
            facts = action.apply(facts)
            trace.append(facts | near)
    return tuple(frozenset(Prop(a.predicate, a.args) for a in letter - able) for letter in trace)
