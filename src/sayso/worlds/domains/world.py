"""The world of a domain of one's own: it acts by the domain's actions, and looks."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image

from sayso.core.errors import Code, SaySoError
from sayso.core.sandbox import program
from sayso.core.sandbox.process import Limits, SandboxProcess
from sayso.core.sandbox.program import Granted
from sayso.core.scene import Scene
from sayso.worlds.domains.description import Deed, Description
from sayso.worlds.domains.domain import Outcome
from sayso.worlds.domains.motions import BlockedError, TableTop, Thing, skill
from sayso.worlds.domains.picture import draw

_LIMITS = Limits(cpu_s=0.5)


class Actions:
    """Carries out actions; their code runs in a sandbox, one process for all worlds of a domain."""

    def __init__(self, description: Description) -> None:
        self.description = description
        self._process = SandboxProcess(program.WORKER, _LIMITS)
        weakref.finalize(self, self._process.close)

    def run(self, top: TableTop, deed: Deed, args: tuple[str, ...]) -> None:
        """Changes the table.

        Raises:
            BlockedError: where the action cannot come to its end.
            SaySoError: INVALID or LIMIT for code that fails by itself, naming the action.
        """
        if not deed.code:
            skill(top, deed.name)(*args)
            return
        blocked: list[BlockedError] = []
        try:
            program.run(
                deed.code, granted=_noting(top.granted(), blocked), function="act",
                arguments=args, limits=_LIMITS, process=self._process,
            )  # fmt: skip
        except SaySoError as error:
            if blocked:
                raise blocked[0] from error
            raise SaySoError(
                error.code, f"the action '{deed.name}' is broken: {error.message}",
                hint=f"mend it in {self.description.folder}, line {deed.line} and on.",
            ) from error  # fmt: skip


def _noting(granted: Mapping[str, Granted], blocked: list[BlockedError]) -> Mapping[str, Granted]:
    """The same functions, of which none raises but `SaySoError`: what blocks is noted."""

    def noting(answer: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            try:
                return answer(*args)
            except BlockedError as error:
                blocked.append(error)
                raise SaySoError(Code.EXECUTION, str(error)) from error

        return run

    return {n: Granted(g.arity, noting(g.answer)) for n, g in granted.items()}


class DomainWorld:
    """One task's things; see `domain.World`.

    Attributes:
        cause: why the last action failed; '' if it did not. For those who check a domain.
    """

    def __init__(self, actions: Actions, things: Mapping[str, Thing]) -> None:
        self._actions = actions
        self._declared = actions.description.attributes
        self._things = dict(things)
        self._time_s = 0.0
        self.cause = ""

    def act(self, action: str, *arguments: str) -> Outcome:
        deeds = self._actions.description.deeds
        if action not in deeds:
            raise SaySoError(Code.INVALID, f"there is no action '{action}'.", choices=deeds)
        wanted = len(deeds[action].takes)
        if len(arguments) != wanted or len(set(arguments)) != wanted:
            raise SaySoError(
                Code.INVALID,
                f"{action} takes {wanted} different things, got {', '.join(arguments) or 'none'}.",
            )
        for name in arguments:
            if name not in self._things:
                raise SaySoError(
                    Code.UNKNOWN_OBJECT, f"there is no '{name}'.", choices=self._things
                )
        self._time_s += 1.0
        top = TableTop(self._things, self._declared)
        try:
            self._actions.run(top, deeds[action], arguments)
        except BlockedError as error:
            self.cause = str(error)
            return Outcome(False, 1.0)
        self.cause, self._things = "", top.things
        return Outcome(True, 1.0)

    def copy(self) -> DomainWorld:
        """Another that is as this one is now."""
        return DomainWorld(self._actions, self._things)

    def observe(self) -> Scene:
        return TableTop(self._things, self._declared).scene(self._time_s)

    def picture(self, width: int = 960) -> Image.Image:
        return draw(self.observe(), width)
