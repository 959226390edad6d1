"""Operators and compiled problems as PDDL text, and plans back from text."""

from __future__ import annotations

import re
from functools import cached_property

from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Action
from sayso.planning.compile import compile_domain, compile_problem
from sayso.planning.problem import PlanningProblem

_NAMES = re.compile(r"^(\s+)([^()?]+)( - \S+)$")
"""A line of constants or objects."""


def domain_text(library: Library) -> str:
    """A library's operators as a PDDL domain.

    What operators show only while they run, or do in space, has no place in classical PDDL, and
    conditional effects are planned without: they stand in comments.
    """
    domain = library.domain()
    notes = [
        f"; {what}: {', '.join(sorted(map(str, atoms)))}"
        for op in domain.operators
        for what, atoms in (
            (f"while {op.name} runs", op.during),
            (f"{op.name} in space", op.motion),
            (f"{op.name} adds", {f"{effect} if {held}" for effect, held in op.add_where}),
        )
        if atoms
    ]
    text = PDDLWriter(compile_domain(domain, library.vocabulary)).get_domain()
    return "\n".join((*notes, _tidy(text)))


class CompiledText:
    """A planning problem, automata included, as PDDL.

    Raises:
        SaySoError: UNSUPPORTED, see `compile.compile_problem`.
    """

    def __init__(self, problem: PlanningProblem) -> None:
        self._compiled = compile_problem(problem)
        self._writer = PDDLWriter(self._compiled.problem)

    @cached_property
    def domain(self) -> str:
        return _tidy(self._writer.get_domain())

    @cached_property
    def problem(self) -> str:
        return _tidy(self._writer.get_problem())

    def actions(self, plan: str) -> tuple[Action, ...]:
        """The actions of a plan, one `(name arg ...)` a line, without the bookkeeping.

        Call it after `domain` and `problem`.

        Raises:
            SaySoError: PLAN_INVALID for a name that is not in the problem.
        """
        lines = (line.strip() for line in plan.splitlines())
        calls = [line.strip("()").split() for line in lines if line.startswith("(")]
        found = []
        for name, *args in calls:
            operator = self._compiled.operators.get(self._name(name))
            if operator is not None:
                names = (self._compiled.objects[self._name(a)] for a in args)
                every = self._compiled.objects.values()
                found.append(operator.ground(*names, objects=every))
        return tuple(found)

    def _name(self, written: str) -> str:
        try:
            item = self._writer.get_item_named(written)
        except UPException:
            raise SaySoError(
                Code.PLAN_INVALID, f"the plan names '{written}', which is not in the problem."
            ) from None
        return str(item.name)


def _tidy(text: str) -> str:
    """Without trailing blanks, and with lists of names sorted, which come in any order."""
    lines = (_NAMES.sub(_sorted, line.rstrip()) for line in text.strip().splitlines())
    return "\n".join(lines) + "\n"


def _sorted(names: re.Match[str]) -> str:
    return f"{names[1]}{' '.join(sorted(names[2].split()))}{names[3]}"
