"""What SaySo must know of a robot's body: everything that differs from one robot to another.

A profile is data: a YAML file in this folder, or one of your own (`robots.loading`). Lengths and
masses come from the description it names (MJCF or URDF, both of which MuJoCo reads); the profile
adds what such descriptions lack.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.base_limits import DEFAULT_BASE, BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.ports import Obstacle
from sayso.skills.gate_limits import GateLimits
from sayso.skills.mobile_settings import DEFAULT_MOBILE, MobileRobot, MobileSettings, Reach
from sayso.skills.settings import DEFAULTS, SkillSettings

Posture = tuple[float, ...]
"""Positions of the arm's joints, base to tip [rad]."""

_BODY_MARGIN_M = 0.01


@dataclass(frozen=True)
class ArmJoint:
    """A joint of the arm; its range is the description's.

    Attributes:
        name: in messages.
        joint: in the description.
        velocity_rad_s, acceleration_rad_s2: limits.
        lever_m: how far a point of the arm or of a held thing can be from its axis.
        stiffness_nm_rad, damping_nms_rad: of its position controller in simulation.
    """

    name: str
    joint: str
    velocity_rad_s: float
    acceleration_rad_s2: float
    lever_m: float
    stiffness_nm_rad: float
    damping_nms_rad: float


@dataclass(frozen=True)
class Attachment:
    """A hand that has a description of its own; its parts are then called `hand_NAME`.

    Attributes:
        description: MJCF or URDF of the hand.
        site: of the arm's description, where the hand is mounted.
        turn_rad: about that site's z axis.
    """

    description: str
    site: str
    turn_rad: float = 0.0


@dataclass(frozen=True)
class Hand:
    """A hand that closes along the tool's y axis: with two fingers, or one against a fixed jaw.

    Attributes:
        body: of the description, that carries tool and cameras.
        tool: the tool centre point in that body: between the fingertips, z away from the palm.
        fingers: a driven joint of each finger by its name in messages.
        follow: joints of the description that the fingers move, and by how much for each unit.
        open_at, closed_at: positions of the driven joints when open and closed.
        width_m: distance between the fingers when open; it changes evenly with the joints.
        force_n: with which each finger can press.
        fingertip_m: how far the fingertips reach beyond the tool centre point, at most.
        palm_m: from the tool centre point back to the palm, or as deep as a thing may be taken.
        hand_m: half the hand's breadth, across the direction in which it closes.
        jaw_m: from the tool centre point to the inner face of a jaw that does not move, which is
            on the negative side; 0 where both fingers move.
        held_share: of the arm's speed, with something in a hand out of which it slips otherwise.
        grip_n: with which each finger presses what is taken.
        motor: of the description; it drives the mean of the driven joints.
        stiffness, damping: of its position controller in simulation [N/m or Nm/rad].
        drive_inertia: of the motor and gears behind each driven joint, at the joint, in simulation
            [kg or kg m2]; a jaw without it rattles on what it holds.
        pads: bodies of the description whose boxes touch what is held; all of it, without boxes.
        teeth: meshes of these bodies that are taken for capsules in simulation, being about round.
        attached: where the hand is not part of the arm's description.
    """

    body: str
    tool: Pose
    fingers: Mapping[str, str]
    open_at: float
    closed_at: float
    width_m: float
    force_n: float
    fingertip_m: float
    palm_m: float
    motor: str
    stiffness: float
    damping: float
    pads: tuple[str, ...]
    hand_m: float = DEFAULTS.hand_m
    jaw_m: float = DEFAULTS.jaw_m
    held_share: float = DEFAULTS.held_share
    grip_n: float = DEFAULTS.grip_force_n
    follow: Mapping[str, float] = field(default_factory=dict)
    attached: Attachment | None = None
    teeth: tuple[str, ...] = ()
    drive_inertia: float = 0.0

    def width(self, position: float) -> float:
        """Distance between the fingers [m] with the driven joints at a position."""
        share = (position - self.closed_at) / (self.open_at - self.closed_at)
        return self.width_m * min(max(share, 0.0), 1.0)

    def position(self, width_m: float) -> float:
        """Of the driven joints, for a distance between the fingers [m]."""
        share = min(max(width_m / self.width_m, 0.0), 1.0)
        return self.closed_at + share * (self.open_at - self.closed_at)

    @property
    def travel_m(self) -> float:
        """Of one finger for each unit of its driven joint."""
        return abs(self.width_m / 2 / (self.open_at - self.closed_at))


@dataclass(frozen=True)
class Frames:
    """Names of frames: `prefix` before the names of the description's bodies, but for `named`.

    Attributes:
        base: of the arm's foot, which is the description's origin.
        tool: of the tool centre point.
    """

    prefix: str
    base: str
    tool: str
    named: Mapping[str, str] = field(default_factory=dict)

    def of(self, body: str) -> str:
        """The frame of a body of the description."""
        return self.named.get(body, self.prefix + body)

    def fixed(
        self, world: str, mount: Pose, root: str, foot: Pose, hand: Hand
    ) -> list[tuple[str, str, Pose]]:
        """Frames that do not move: parent's name, own name, pose in the parent.

        Args:
            world, mount: what the arm stands on, and where.
            root, foot: the description's outermost body, and its pose in the description.
        """
        base = (world, self.base, mount)
        tool = (self.of(hand.body), self.tool, hand.tool)
        own = self.of(root)
        return [base, tool] if own == self.base else [base, (self.base, own, foot), tool]


@dataclass(frozen=True)
class HandCamera:
    """A camera on the hand's body; the pose is of its optical frame (z forward, x right)."""

    pose: Pose
    fovy_deg: float


@dataclass(frozen=True)
class Driver:
    """How a part of the robot is commanded over ROS.

    Attributes:
        kind: of the registry's `arm_driver`, `hand_driver` or `base_driver`.
        name: of the topic or action, relative to the namespace.
    """

    kind: str
    name: str


@dataclass(frozen=True)
class Drivers:
    """What commands the robot, and where its joints are told.

    Attributes:
        joint_states: topics of `JointState`; arm and hand may be told on different ones.
    """

    arm: Driver = Driver("joint_trajectory", "arm/joint_trajectory")
    hand: Driver = Driver("joint_trajectory", "gripper/joint_trajectory")
    base: Driver = Driver("twist", "cmd_vel")
    joint_states: tuple[str, ...] = ("joint_states",)


@dataclass(frozen=True)
class ClientCamera:
    """A camera that is reached through the robot's client.

    Attributes:
        color, depth: its image sources; depth is aligned to colour.
        service: that offers them; a payload has one of its own.
        rate_hz: at which pictures are asked for.
        on_hand: whether it is the one that the profile's `camera` says the place of; where another
            one is in the base's frame the robot tells.
    """

    color: str
    depth: str
    service: str = "image"
    rate_hz: float = 4.0
    on_hand: bool = False


@dataclass(frozen=True)
class Client:
    """How the node `driver` reaches the robot where no driver of its maker's runs.

    Attributes:
        kind: of the registry's `robot_client`.
        address: of the robot in the network.
        cameras: by name, of a robot whose client also takes pictures.
        estop_timeout_s: after so long without a sign from the node `driver` the robot cuts the
            power of its motors; 0: another endpoint of its e-stop looks after it.
        low_battery_percent: below it the robot comes to rest and is not driven on.
        torque_threshold_nm, force_threshold_n: of contact on any joint, and on the hand; from
            these on it counts as a collision, and the robot stops by itself.
        jerk_rad_s3: of any joint, as motions are planned: smaller is smoother.
    """

    kind: str
    address: str
    torque_threshold_nm: float = 20.0
    force_threshold_n: float = 30.0
    jerk_rad_s3: float = 300.0
    cameras: Mapping[str, ClientCamera] = field(default_factory=dict)
    estop_timeout_s: float = 9.0
    low_battery_percent: float = 10.0


@dataclass(frozen=True)
class Workspace:
    """Corners of the box in which the tool centre point must stay, in the arm's frame [m]."""

    low: Vector3
    high: Vector3


@dataclass(frozen=True)
class BodyPart:
    """A box of a base, as wide as its axes, that the arm must keep off."""

    name: str
    centre: Vector3
    size: Vector3


@dataclass(frozen=True)
class Base:
    """What an arm is driven about on.

    Attributes:
        footprint_m: length and width.
        mount: the arm's foot in the base's frame, which is on the floor under its middle.
        stowed: postures of the empty arm for driving, best first.
        carrying: postures for driving with something in the hand, best first.
        reach: of the arm, about.
        limits: of its speeds.
        stand_m: distances from a thing to the base's middle to try for reaching it, best first.
        body: of it and what stands on it.
    """

    footprint_m: tuple[float, float]
    mount: Pose
    stowed: tuple[Posture, ...]
    carrying: tuple[Posture, ...]
    reach: Reach
    limits: BaseLimits = DEFAULT_BASE
    stand_m: tuple[float, ...] = DEFAULT_MOBILE.stand_m
    body: tuple[BodyPart, ...] = ()


@dataclass(frozen=True, eq=False)
class RobotProfile:
    """A robot.

    Attributes:
        title: in words.
        description: MJCF or URDF of the arm: a path beside the profile, or below the folder
            of models that set-up makes, or inside an installed Python package.
        moveit_group: of MoveIt's SRDF that is the arm; empty where nobody plans with MoveIt.
        root: body of the description that the arm begins with; what carries it there is left
            out. Empty: all of the description is the arm.
        home: hand high, drawn back, pointing down, clear of the view of cameras beside a table.
        ready: hand over the table, pointing down: where simulations begin.
        base: of a robot that drives; None for an arm that stands still.
        drivers: of arm, hand and base over ROS.
        client: what the node `driver` speaks to the robot with; None where others drive it.
        offers: what skills may need beside its parts, such as `devices`: a building that works
            its doors and lamps when the robot asks for it.
        saturation: of its paint at most, 0 (grey) to 1: more colour than that is no robot.
        folder: where the profile lies; filled in by whoever loads it.
    """

    name: str
    title: str
    description: str
    joints: tuple[ArmJoint, ...]
    hand: Hand
    frames: Frames
    workspace: Workspace
    camera: HandCamera
    home: Posture
    ready: Posture
    base: Base | None = None
    drivers: Drivers = Drivers()
    client: Client | None = None
    offers: tuple[str, ...] = ()
    saturation: float = 0.22
    moveit_group: str = ""
    root: str = ""
    folder: str = ""

    def __post_init__(self) -> None:
        driving = (*self.base.stowed, *self.base.carrying) if self.base else ()
        if any(len(posture) != len(self.joints) for posture in (self.home, self.ready, *driving)):
            raise self._wrong("each posture needs a position for each of the arm's joints")
        if len(self.hand.fingers) not in (1, 2):
            raise self._wrong("the hand needs one finger or two")
        if self.hand.open_at == self.hand.closed_at:
            raise self._wrong("the hand's fingers do not move")
        positive = (self.velocity_limits, self.acceleration_limits, self.levers_m)
        if min(v.min() for v in positive) <= 0 or self.hand.width_m <= 0:
            raise self._wrong("speeds, accelerations, levers and the hand's width must be above 0")

    def _wrong(self, what: str) -> SaySoError:
        return SaySoError(
            Code.CONFIG,
            f"robot '{self.name}': {what}.",
            hint=f"its joints are {', '.join(self.joint_names)}.",
        )

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the arm, base to tip, as in messages."""
        return tuple(j.name for j in self.joints)

    @property
    def finger_names(self) -> tuple[str, ...]:
        """Of the driven finger joints, as in messages; the first takes commands."""
        return tuple(self.hand.fingers)

    @property
    def velocity_limits(self) -> Array:
        """(J,) [rad/s]."""
        return np.array([j.velocity_rad_s for j in self.joints])

    @property
    def acceleration_limits(self) -> Array:
        """(J,) [rad/s^2]."""
        return np.array([j.acceleration_rad_s2 for j in self.joints])

    @property
    def levers_m(self) -> Array:
        """(J,) see `ArmJoint.lever_m`."""
        return np.array([j.lever_m for j in self.joints])

    @property
    def capabilities(self) -> frozenset[str]:
        """What skills may need of it: `arm`, `hand`, `base` and what it `offers`."""
        parts = ("arm", "hand", "base") if self.base else ("arm", "hand")
        return frozenset((*parts, *self.offers))

    def gate_limits(self) -> GateLimits:
        """The gate's, for this arm."""
        limits = GateLimits()
        return replace(
            limits,
            low=self.workspace.low,
            high=self.workspace.high,
            velocity_rad_s=max(limits.velocity_rad_s, float(self.velocity_limits.max())),
            width_m=self.hand.width_m,
        )

    def mobile_robot(self) -> MobileRobot:
        """As the mobile skills see it. Raises UNSUPPORTED for an arm that stands still."""
        base = self.require_base()
        return MobileRobot(
            mount=base.mount,
            footprint_m=base.footprint_m,
            stowed=base.stowed,
            carrying=base.carrying,
            reach=base.reach,
            limits=base.limits,
            body=tuple(_in_arms_frame(base, part) for part in base.body),
            camera=self.hand.tool.inverse() @ self.camera.pose,
            width_m=self.hand.width_m,
        )

    def require_base(self) -> Base:
        """Raises UNSUPPORTED for an arm that stands still."""
        if self.base is None:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"robot '{self.name}' has no base to drive on.",
                hint="name a robot whose profile has one, such as mobile_panda.",
            )
        return self.base

    def require_client(self) -> Client:
        """Raises CONFIG for a robot that the node `driver` cannot reach."""
        if self.client is None:
            raise SaySoError(
                Code.CONFIG,
                f"robot '{self.name}' names no client.",
                hint="add an entry `client`, as fr3_libfranka has.",
            )
        return self.client

    def mobile_settings(self, settings: MobileSettings = DEFAULT_MOBILE) -> MobileSettings:
        """The mobile skills', with this robot's dimensions. Raises UNSUPPORTED without a base."""
        arm = self.skill_settings(settings.arm)
        return replace(settings, arm=arm, stand_m=self.require_base().stand_m)

    def skill_settings(self, settings: SkillSettings = DEFAULTS) -> SkillSettings:
        """The skills', with this hand's dimensions."""
        hand = self.hand
        return replace(
            settings,
            open_width_m=hand.width_m,
            fingertip_m=hand.fingertip_m,
            palm_m=hand.palm_m,
            hand_m=hand.hand_m,
            jaw_m=hand.jaw_m,
            held_share=hand.held_share,
            grip_force_n=hand.grip_n,
        )


def _in_arms_frame(base: Base, part: BodyPart) -> Obstacle:
    pose = base.mount.inverse() @ Pose(part.centre)
    return Obstacle(part.name, "box", pose, part.size, _BODY_MARGIN_M)
