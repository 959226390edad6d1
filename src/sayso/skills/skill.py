"""What a skill is: how a robot carries out the operators that name it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.ports import Cancelled
from sayso.core.scene import Scene
from sayso.core.symbols import Operator
from sayso.core.vocabulary import NO_WORDS, Vocabulary
from sayso.skills.arm import Arm
from sayso.skills.driving import MotionAlong
from sayso.skills.handling import Forbids, Held
from sayso.skills.senses import Senses
from sayso.skills.stands import Ways

Job = TypeVar("Job", contravariant=True)
_Job = TypeVar("_Job")
_OPEN_PLAY_M = 0.004


class Skill(Protocol[Job]):
    """Does one kind of thing; made once for a robot, from what skills of that robot work with."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Of which types the things are that it works on, in the order of an operator's first
        parameters; those after them are the operator's context."""

    @property
    def needs(self) -> tuple[str, ...]:
        """What the robot must offer (`robots.profile.RobotProfile.capabilities`)."""

    def run(self, job: Job, args: tuple[str, ...]) -> None:
        """Do it to some things. What came of it is observed by who calls.

        Args:
            args: a name for each parameter.
            job: the action under way: what is allowed, what not to touch, whom to tell.

        Raises:
            SaySoError: where it cannot be done; the robot is at rest then.
        """


@dataclass(frozen=True)
class Route:
    """Where a robot that drives may go for one action.

    Attributes:
        ways: for what a skill drives by itself.
        path: (N, 2) where a skill that only drives goes, in the map [m]; None for the others.
        free: whether a navigator may lead the robot from one end of the path to the other.
        motion_along: makes a path a motion over time, by what is known to stand around; None: as
            the robot does by its map.
    """

    ways: Ways
    path: Array | None = None
    free: bool = False
    motion_along: MotionAlong | None = None


@dataclass(frozen=True)
class Terms:
    """Under what terms an action is carried out.

    Attributes:
        avoid: objects that must not be touched.
        phase: called with what the skill is doing now, in English.
        forbids: why the task would be broken by a scene with the robot in a state, or None.
        route: None for an arm that stands still.
        brings: the predicates of what the action is to bring about.
        words: of the kinds of things.
    """

    avoid: frozenset[str] = frozenset()
    phase: Callable[[str], None] = lambda _: None
    cancelled: Cancelled = lambda: False
    forbids: Forbids = lambda _scene, _robot: None
    route: Route | None = None
    brings: frozenset[str] = frozenset()
    words: Vocabulary = NO_WORDS

    @property
    def path(self) -> Array | None:
        return None if self.route is None else self.route.path


@dataclass
class Work(ABC, Generic[_Job]):
    """What the skills of one robot work with; moves nothing but through the arm's gate.

    All that differs from robot to robot around a skill is here.

    Attributes:
        arm: with its gate and senses.
        capabilities: what the robot offers, by its profile.
        held: what the hand holds, and how.
        hides_things: whether cameras may see more once the arm went home.
    """

    arm: Arm
    capabilities: frozenset[str] = field(kw_only=True)
    held: Held | None = field(default=None, kw_only=True)
    hides_things: ClassVar[bool] = False

    @property
    def senses(self) -> Senses:
        return self.arm.senses

    def closed_on_something(self) -> bool:
        """Whether the fingers are neither shut nor open all the way."""
        width_m, settings = self.senses.robot().gripper_width_m, self.arm.settings
        return settings.empty_width_m < width_m < settings.open_width_m - _OPEN_PLAY_M

    @abstractmethod
    def job(self, terms: Terms, scene: Scene | None = None) -> _Job:
        """What a skill is run with; by default about the newest scene."""

    @abstractmethod
    def go_home(self, job: _Job) -> None:
        """The arm to where it is in nobody's way, with what is held. Raises UNREACHABLE."""


Skills = Callable[..., Any]
"""Makes the skill of a name, given the robot's `work`. Raises CONFIG for an unknown name."""


class Repertoire(Generic[_Job]):
    """The skills of one robot, each made when it is first asked for.

    Args:
        work: what they are made with.
        capabilities: what the robot offers.
    """

    def __init__(self, make: Skills, work: object, capabilities: frozenset[str]) -> None:
        self._make = make
        self._work = work
        self._capabilities = capabilities
        self._known: dict[str, Skill[_Job]] = {}

    def skill(self, name: str) -> Skill[_Job]:
        """The skill that operators call so.

        Raises:
            SaySoError: UNSUPPORTED with those that there are; CONFIG for one that does not say
                what it works on and needs.
        """
        if name not in self._known:
            try:
                skill = self._make(name, work=self._work)
            except SaySoError as error:
                if error.code is not Code.CONFIG:
                    raise
                text = f"the robot has no skill '{name}'."
                raise SaySoError(Code.UNSUPPORTED, text, choices=error.choices) from error
            _require_told(name, skill)
            self._known[name] = skill
        return self._known[name]

    def require_fit(self, library: Library) -> None:
        """Refuse a library with operators that this robot's skills cannot carry out.

        Operators whose skill the robot does not have are for another robot.

        Raises:
            SaySoError: INVALID for an operator that does not hand its skill what that works on,
                UNSUPPORTED for one whose skill needs what the robot does not offer.
        """
        for operator in library.operators.values():
            try:
                skill = self.skill(operator.skill or operator.name)
            except SaySoError as error:
                if error.code is not Code.UNSUPPORTED:
                    raise
                continue
            _require_fit(operator, skill.parameters, library.vocabulary)
            self._require_offered(operator, skill.needs)

    def _require_offered(self, operator: Operator, needs: Sequence[str]) -> None:
        if missing := [need for need in needs if need not in self._capabilities]:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"operator '{operator.name}' names the skill '{operator.skill or operator.name}', "
                f"which needs {', '.join(missing)}; the robot does not offer that.",
                hint="load a library without it, or name in the robot's profile what it `offers`.",
                choices=sorted(self._capabilities),
            )


_TOLD: Mapping[str, tuple[str, str]] = {
    "parameters": ("works on", "the types of its things"),
    "needs": ("needs", "what a robot must offer, such as `arm`, `hand`, `base` or `devices`"),
}


def _require_told(name: str, skill: object) -> None:
    for attribute, (what, meaning) in _TOLD.items():
        if not hasattr(skill, attribute):
            raise SaySoError(
                Code.CONFIG,
                f"the skill '{name}' does not say what it {what}.",
                hint=f"give its class `{attribute}`, {meaning}.",
            )


def _require_fit(operator: Operator, parameters: Sequence[str], words: Vocabulary) -> None:
    count = len(parameters)
    what = f"operator '{operator.name}' names the skill '{operator.skill}', which works on"
    if len(operator.parameters) < count:
        raise SaySoError(
            Code.INVALID,
            f"{what} {count} things, and has {len(operator.parameters)}.",
            hint=f"give it parameters for: {', '.join(parameters)}; or name another skill.",
        )
    for given, wanted in zip(operator.types, parameters, strict=False):
        if not words.is_a(given, wanted):
            raise SaySoError(
                Code.INVALID,
                f"{what} {words.described(wanted)}, and hands it {words.described(given)}.",
                hint=f"make the type '{given}' a '{wanted}', or name another skill.",
            )
