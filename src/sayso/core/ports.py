"""The ports: small Protocols that adapters implement and the pure core calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import AttributeValue, SceneObject

Cancelled = Callable[[], bool]
"""Polled by long work; True asks it to end with `Code.CANCELLED`."""


# -- language ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Message:
    """One turn of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Reply:
    """A language model's answer; `data` is the parsed JSON when a schema was asked for.

    Attributes:
        recorded: it was given before, and kept: nothing was paid for it now.
        tokens: of the text, each with its natural log probability; none where the model does not
            tell, or was not asked to.
    """

    text: str
    data: Mapping[str, Any] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    recorded: bool = False
    tokens: tuple[tuple[str, float], ...] = ()


class UnusableReplyError(SaySoError):
    """MODEL_REPLY for what a model did say, so that it can be shown what it said and mend it."""

    def __init__(self, message: str, reply: Reply, hint: str = "") -> None:
        super().__init__(Code.MODEL_REPLY, message, hint=hint)
        self.reply = reply


class LanguageModel(Protocol):
    """Messages in; text, or JSON that matches `schema`, out.

    Raises `SaySoError` with MODEL_UNAVAILABLE, MODEL_TIMEOUT or MODEL_REPLY; of the last, an
    `UnusableReplyError` if asking again for another reply may help. How long a call may take is the
    model's own option.
    """

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply: ...


class Embedder(Protocol):
    """Sentences as vectors, such that like sentences point alike."""

    @property
    def name(self) -> str:
        """What makes the vectors, with its revision."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(N, D) unit vectors, one row for each text, in order; N may be 0."""


@dataclass(frozen=True)
class ParsedWord:
    """A word in the dependency tree of its sentence.

    Attributes:
        tag: part of speech, of the Penn Treebank: "VB", "NN", "IN".
        relation: to the head, as in CLEAR: "dobj", "prep", "advcl"; "ROOT" for a root.
        head: place of the word that it depends on; a root's own.
    """

    text: str
    lemma: str
    tag: str
    relation: str
    head: int


class DependencyParser(Protocol):
    """Which word of an English sentence depends on which, and how."""

    def parse(self, words: Sequence[str]) -> Sequence[ParsedWord]:
        """The words in their order, each with its head. Raises MISSING_DEPENDENCY, CORRUPT."""


# -- work ----------------------------------------------------------------------------------

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerPool(Protocol):
    """Applies a function to many items, perhaps in other processes or on other machines.

    Function, items and results must survive pickling. An exception of the function ends the
    iteration; EXECUTION means that a worker was lost.
    """

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """A result for each item, in any order, as they become ready."""


# -- perception ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera without distortion; pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


@dataclass(frozen=True)
class RgbdFrame:
    """A colour image with aligned depth.

    Attributes:
        camera: the camera's name.
        stamp_s: time of exposure.
        rgb: (H, W, 3) uint8.
        depth_m: (H, W) float32 along the optical axis; 0 or NaN where missing.
        pose: of the optical frame (z forward, x right, y down) in the scene's frame.
        instances: (H, W) int32 of ids from a *simulator's own* segmentation, 0 = background;
            None from real cameras. `instance_labels` maps an id to "colour category".
    """

    camera: str
    stamp_s: float
    rgb: npt.NDArray[np.uint8]
    depth_m: npt.NDArray[np.float32]
    intrinsics: Intrinsics
    pose: Pose
    instances: npt.NDArray[np.int32] | None = None
    instance_labels: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Detection:
    """An open-vocabulary detection; `box` is (left, top, right, bottom) in pixels."""

    label: str
    score: float
    box: tuple[float, float, float, float]


class Detector(Protocol):
    """Finds what phrases name in an image."""

    def detect(
        self, image: npt.NDArray[np.uint8], queries: Sequence[str]
    ) -> tuple[Detection, ...]: ...


class Segmenter(Protocol):
    """Masks (H, W) of bool, one for each box."""

    def segment(
        self, image: npt.NDArray[np.uint8], boxes: Sequence[tuple[float, float, float, float]]
    ) -> tuple[npt.NDArray[np.bool_], ...]: ...


@dataclass(frozen=True, eq=False)
class InstanceMask:
    """One thing in an image that answers a query; `mask` is (H, W) of bool."""

    label: str
    score: float
    mask: npt.NDArray[np.bool_]


class InstanceFinder(Protocol):
    """Finds the instances of what phrases name in one RGB-D frame."""

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first; a query may have none or many.

        Queries are noun phrases as people say them: "red sofa", "plush toy".
        """


class SceneSegmenter(Protocol):
    """Named objects in one RGB-D frame, each with its points in the scene's frame."""

    def objects(self, frame: RgbdFrame) -> tuple[SceneObject, ...]: ...


# -- motion --------------------------------------------------------------------------------


@dataclass(frozen=True)
class JointWindow:
    """A short piece of a joint trajectory; the driver holds the last point when it ends.

    Attributes:
        times_s: (N,) from the moment it is sent, increasing.
        positions: (N, J) [rad].
    """

    times_s: npt.NDArray[np.float64]
    positions: npt.NDArray[np.float64]


class ArmDriver(Protocol):
    """The actuating port. Only the motion gate may hold one."""

    def stream(self, window: JointWindow) -> None:
        """Follow the window, replacing whatever was being followed."""

    def hold(self) -> None:
        """Come to rest at once, within the robot's limits."""

    def grip(self, width_m: float, force_n: float) -> None:
        """Move the fingers towards a width, pressing with at most this force."""

    def hold_grip(self, width_m: float) -> None:
        """Stop moving fingers where they are, at about this width; at rest they press on."""

    def require_obeyed(self) -> None:
        """Raises EXECUTION or NODE_UNAVAILABLE, saying why, where the robot refused or broke off
        a motion since it was last told to rest; where nothing tells of that, it never does."""


class BaseDriver(Protocol):
    """The actuating port of a mobile base. Only the motion gate may hold one."""

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        """Drive at a velocity in the base's frame; without a further call it soon comes to rest."""

    def halt(self) -> None:
        """Come to rest at once, within the robot's limits."""


class Navigator(Protocol):
    """Leads a base to a place by its own planning and control, and moves nothing by itself.

    What it commands is asked for by the motion gate, piece by piece, which alone drives.
    """

    def begin(self, goal: Pose) -> None:
        """Lead to a pose of the base in the scene's frame from now on; returns at once."""

    def command(self) -> tuple[float, float, float] | None:
        """What it commands now: forward, left [m/s], turn [rad/s] in the base's frame.

        None where its newest command is too old to drive by, or there is none for this goal.
        """

    def arrived(self) -> bool:
        """Whether it says that the base is there.

        Raises:
            SaySoError: NODE_UNAVAILABLE where it is absent; UNREACHABLE, EXECUTION, STALE or
                CONFIG with its reason where it gave up.
        """

    def end(self) -> None:
        """Give up what is under way, if anything; returns at once."""


class Building(Protocol):
    """Devices of a building, such as doors with drives and lamps with switches."""

    def operate(self, device: str, attribute: str, value: AttributeValue) -> None:
        """Order that an attribute of a device becomes this; returns at once.

        What came of it is observed. Only a motion gate may call it.

        Raises:
            SaySoError: NODE_UNAVAILABLE where no building is spoken to.
        """

    def require_taken(self) -> None:
        """Raises INVALID or NODE_UNAVAILABLE where the building did not take the newest order."""


class Kinematics(Protocol):
    """An arm's geometry, without any world."""

    @property
    def joint_names(self) -> tuple[str, ...]: ...

    @property
    def limits(self) -> npt.NDArray[np.float64]:
        """(J, 2) lower and upper joint limits [rad]."""

    @property
    def velocity_limits(self) -> npt.NDArray[np.float64]:
        """(J,) [rad/s]."""

    @property
    def acceleration_limits(self) -> npt.NDArray[np.float64]:
        """(J,) [rad/s^2]."""

    @property
    def home(self) -> npt.NDArray[np.float64]:
        """(J,) a safe configuration from which the cameras see the table."""

    def forward(self, joints: npt.NDArray[np.float64]) -> Pose:
        """Pose of the tool centre point in the base frame."""

    def inverse(
        self, target: Pose, seed: npt.NDArray[np.float64], *, anywhere: bool = True
    ) -> npt.NDArray[np.float64] | None:
        """Joints (J,) within limits that reach the target, near the seed; None if none found.

        Args:
            anywhere: whether to look elsewhere too where the seed leads to nothing; in vain
                along a continuous motion.
        """


@dataclass(frozen=True)
class Obstacle:
    """A box (size [m]) or an upright cylinder (size = diameter, diameter, height) to stay off.

    `margin_m` is the clearance to keep; larger for what must never be touched.
    """

    name: str
    shape: Literal["box", "cylinder"]
    pose: Pose
    size: tuple[float, float, float]
    margin_m: float = 0.0


class MotionPlanner(Protocol):
    """Collision-free joint paths.

    Raises `SaySoError` UNREACHABLE (with what is in the way) or PLAN_TIMEOUT.
    """

    def plan(
        self,
        start: npt.NDArray[np.float64],
        goal: npt.NDArray[np.float64],
        obstacles: Sequence[Obstacle],
        *,
        held: Obstacle | None = None,
        timeout_s: float = 5.0,
    ) -> npt.NDArray[np.float64]:
        """Waypoints (N, J), N >= 2, from start to goal.

        Args:
            held: what the gripper carries, posed in the tool frame.
            timeout_s: for the search; of the processor's time where it runs in this process, so
                that what is found does not depend on how busy the machine is.
        """

    def blocked(
        self,
        path: npt.NDArray[np.float64],
        obstacles: Sequence[Obstacle],
        *,
        held: Obstacle | None = None,
    ) -> str | None:
        """The name of what a path (N, J), followed in straight joint lines, runs into, or None.

        Margins that the first waypoint already violates do not count as long as the arm comes
        no nearer.
        """
