"""An arm that a person guides from where they stand: it goes while they hold a button, no longer.

What they wish comes again and again, and counts for a moment (`Wishes`): who lets go, or vanishes,
leaves the arm at rest. Each setpoint passes the gate as those of any policy do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.ports import Kinematics, Obstacle
from sayso.core.scene import Scene
from sayso.skills.arm import Arm
from sayso.skills.obstacles import obstacles
from sayso.skills.setpoints import Observation
from sayso.skills.settings import SkillSettings
from sayso.skills.timeouts import Timeout
from sayso.skills.trajectory import MotionLimits

FASTEST_M_S, FASTEST_RAD_S = 0.15, 0.8
"""What is wished for beyond this is done as fast as this."""
IDLE_S = 120.0
"""Who wishes for nothing so long has gone."""
_GAIN_M_S2, _GAIN_RAD_S2 = 1.0, 6.0
"""How fast the hand speeds up, and slows down once nothing is wished for."""
_LOOK_S = 0.05
_ASTRAY_M = 0.01
"""A hand that is farther from where it was led was stopped meanwhile."""
_NEAR_M = 0.12
"""What is nearer to the fingertips may be touched: the hand is led to it."""
_FELT = frozenset({Code.UNREACHABLE, Code.LIMIT, Code.EXECUTION, Code.STALE})
"""What ends one wish, and not the guiding: the arm rests, and goes on once things can be seen."""


@dataclass(frozen=True)
class Wish:
    """How the hand shall go now.

    Attributes:
        velocity: of the tool along the scene's axes [m/s].
        turning: about them [rad/s].
        fingers: 1 opens them, -1 closes them; the hand stays meanwhile.
    """

    velocity: Vector3 = (0.0, 0.0, 0.0)
    turning: Vector3 = (0.0, 0.0, 0.0)
    fingers: int = 0

    def twist(self) -> Array:
        """(6,) velocity and turning, no faster than the hand is led."""
        parts = (self.velocity, FASTEST_M_S), (self.turning, FASTEST_RAD_S)
        sizes = (np.asarray(v) / max(1.0, float(np.linalg.norm(v)) / most) for v, most in parts)
        return np.concatenate([*sizes])

    def like(self, other: Wish) -> bool:
        """Whether the same buttons are held, however far."""
        same = np.sign(self.twist()) == np.sign(other.twist())
        return bool(same.all()) and self.fingers == other.fingers


STILL = Wish()
Wishes = Callable[[], Wish]
"""What is wished for now; STILL where nothing was wished for just now."""


def guide(
    arm: Arm,
    wishes: Wishes,
    avoided: Callable[[Scene], Sequence[Obstacle]],
    tell: Callable[[str], None],
    idle_s: float = IDLE_S,
) -> None:
    """Go as a person wishes, until nothing was wished for so long.

    Args:
        avoided: what to keep off in a scene; the person sees to all else.
        tell: why a wish is not granted.

    Raises:
        SaySoError: CANCELLED; as `Arm.stream` and `Arm.grip`, but for what ends one wish alone.
    """
    idle = Timeout(arm.senses, idle_s)
    while not idle.over:
        if arm.cancelled():
            raise SaySoError(Code.CANCELLED, "nobody guides the arm any more; it is at rest.")
        if (wish := wishes()) == STILL:
            arm.senses.wait(_LOOK_S)
            continue
        try:
            _grant(arm, wish, wishes, avoided)
        except SaySoError as error:
            if error.code not in _FELT:
                raise
            tell(error.message)
            _until_another(arm, wish, wishes)
        idle = Timeout(arm.senses, idle_s)


def kept_off(scene: Scene, settings: SkillSettings) -> tuple[Obstacle, ...]:
    """What a guided arm keeps off: the table, and what is seen, but for what is in the hand or near
    the fingertips. What the arm is at already it may leave (`MotionPlanner.blocked`)."""
    tool = scene.robot.gripper.position
    free = (o.name for o in scene.objects if o.carried or o.distance_to(tool) < _NEAR_M)
    return obstacles(scene, settings, exempt=frozenset(free))


def _grant(
    arm: Arm, wish: Wish, wishes: Wishes, avoided: Callable[[Scene], Sequence[Obstacle]]
) -> None:
    if not wish.fingers:
        arm.stream(Guided(wishes, arm.kinematics, arm.limits), avoided)
        return
    width_m = arm.settings.open_width_m if wish.fingers > 0 else 0.0

    def let_go() -> bool:
        return arm.cancelled() or wishes().fingers != wish.fingers

    try:
        arm.cancelled_by(let_go).grip(width_m)
    except SaySoError as error:
        if error.code is not Code.CANCELLED or arm.cancelled():
            raise
    _until_another(arm, wish, wishes)


def _until_another(arm: Arm, wish: Wish, wishes: Wishes) -> None:
    """What was done, or cannot be, is not tried again before the person lets go."""
    while not arm.cancelled() and wish.like(wishes()):
        arm.senses.wait(_LOOK_S)


@dataclass
class Guided:
    """The policy of a hand that is guided; at an end where nothing is wished for, or fingers are.

    Attributes:
        limits: of the joints.
    """

    wishes: Wishes
    kinematics: Kinematics
    limits: MotionLimits
    _twist: Array | None = None
    _pose: Pose | None = None

    def __call__(self, seen: Observation) -> Array | None:
        """Raises UNREACHABLE."""
        wish = self.wishes()
        wanted = STILL.twist() if wish.fingers else wish.twist()
        here = self.kinematics.forward(seen.command)
        if self._pose is None or self._twist is None or _apart_m(self._pose, here) > _ASTRAY_M:
            self._pose, self._twist = here, STILL.twist()
        most = seen.period_s * np.repeat([_GAIN_M_S2, _GAIN_RAD_S2], 3)
        self._twist = self._twist + np.clip(wanted - self._twist, -most, most)
        if not self._twist.any():
            return None
        self._pose = _gone(self._pose, self._twist * seen.period_s)
        joints = self.kinematics.inverse(self._pose, seen.command, anywhere=False)
        if joints is None:
            raise SaySoError(Code.UNREACHABLE, "the arm reaches no farther there.")
        return seen.nearly(joints, self.limits)


def _apart_m(a: Pose, b: Pose) -> float:
    return float(np.linalg.norm(np.subtract(a.position, b.position)))


def _gone(pose: Pose, by: Array) -> Pose:
    """The pose shifted by (6,) along the scene's axes, and turned about them."""
    x, y, z = (float(v) for v in np.asarray(pose.position) + by[:3])
    turned = Rotation.from_rotvec(by[3:]) * Rotation.from_quat(pose.orientation)
    a, b, c, d = (float(v) for v in turned.as_quat())
    return Pose((x, y, z), (a, b, c, d))
