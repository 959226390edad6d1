"""A robot's arm and cameras in a MuJoCo model: what the simulated table and flat have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Protocol

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.ports import JointWindow, RgbdFrame
from sayso.core.scene import RobotState, SceneObject
from sayso.robots.moving_frames import links, relative
from sayso.robots.profile import RobotProfile
from sayso.worlds import cameras
from sayso.worlds.flat.sensing import LaserScan, Odometry
from sayso.worlds.noise import CameraNoise, NoiseModel
from sayso.worlds.renderer import Renderer
from sayso.worlds.simulated_arm import JointReading, SimulatedArm


class MobileBase(Protocol):
    """A base that drives, and what it senses of its way."""

    def drive(self, forward: float, left: float, turn: float) -> None: ...

    def odometry(self) -> Odometry: ...

    def localisation(self) -> Pose: ...

    def scan(self) -> LaserScan: ...


class MujocoWorld(ABC):
    """Physics, cameras and an `ArmDriver` in simulated time. Not safe for threads.

    Rendering must happen in one thread (an OpenGL context belongs to one).

    Args:
        model: of the whole world.
        prefix: of the arm's names in the model.
        noise: of cameras and encoders.
        mounts: of all cameras.

    Attributes:
        frame: the TF frame in which things have their places.
    """

    frame = "world"

    def __init__(
        self,
        profile: RobotProfile,
        model: mujoco.MjModel,
        prefix: str,
        noise: NoiseModel,
        mounts: Iterable[cameras.CameraMount],
    ) -> None:
        self.profile = profile
        self._model = model
        self._data = mujoco.MjData(model)
        self._scratch = mujoco.MjData(model)
        self._sensor_noise = noise
        self._mounts = {m.name: m for m in mounts}
        self._muted: set[str] = set()
        self._removed: set[str] = set()
        self._arm = SimulatedArm(profile, model, self._data, prefix)
        self._renderer: Renderer | None = None

    @property
    def time_s(self) -> float:
        """Simulated seconds; goes on over resets."""
        return float(self._data.time)

    @abstractmethod
    def step(self, dt_s: float) -> None:
        """Advance physics by dt_s, rounded to whole time steps, at least one."""

    @abstractmethod
    def reset(self, seed: int) -> None:
        """A new start."""

    # -- the robot's side ------------------------------------------------------------------

    @property
    def mobile_base(self) -> MobileBase | None:
        """None for a robot that stands."""
        return None

    @abstractmethod
    def robot_state(self, reading: JointReading | None = None) -> RobotState:
        """What the robot reports of itself, of its newest reading by default."""

    @abstractmethod
    def description(self) -> str:
        """The robot as URDF."""

    @abstractmethod
    def fixed_frames(self) -> list[tuple[str, str, Pose]]:
        """Where arm, tool, sensors and cameras are mounted: as `arm_frames`."""

    def stream(self, window: JointWindow) -> None:
        """Let the arm follow the window from now on (`ArmDriver`)."""
        self._arm.stream(window)

    def hold(self) -> None:
        """Come to rest at once, within the joints' limits (`ArmDriver`)."""
        self._arm.hold()

    def grip(self, width_m: float, force_n: float) -> None:
        """Move the fingers towards a width, each pressing with at most this force."""
        self._arm.grip(width_m, force_n)

    def hold_grip(self, width_m: float) -> None:
        """Stop moving fingers, at about this width (`ArmDriver`)."""
        self._arm.hold_grip(width_m)

    def require_obeyed(self) -> None:  # noqa: B027 - nothing is ever to be told
        """A simulated arm takes every window that it does not refuse at once (`ArmDriver`)."""

    def joints(self) -> JointReading:
        """What the arm's encoders read."""
        return self._arm.read(self._sensor_noise, self._rng)

    def arm_frames(self, reading: JointReading) -> list[tuple[str, str, Pose]]:
        """The arm's moving frames: parent's name, own name, pose in the parent."""
        data = self._kinematics(reading)
        return [(self._frame(p), self._frame(c), relative(data, p, c)) for c, p in self._links]

    # -- cameras ---------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Make the OpenGL context now, in this thread, rather than at the first frame.

        Raises MISSING_DEPENDENCY where there is no OpenGL.
        """
        self._sensor_renderer()

    def render(self, camera: str, *, instances: bool = False) -> RgbdFrame:
        """A frame of a camera; `instances` adds the *simulator's own* segmentation.

        Raises:
            SaySoError: INVALID for an unknown camera, STALE for a muted one.
        """
        mount = self._sensor(camera)
        if camera in self._muted:
            raise SaySoError(Code.STALE, f"camera '{camera}' is silent.")
        rgb, depth = self._sensor_renderer().rgbd(self._data, camera)
        return RgbdFrame(
            camera,
            self.time_s,
            self._camera_noise.color(rgb),
            self._camera_noise.depth(depth),
            cameras.intrinsics(mount.fovy_deg),
            self.camera_pose(camera),
            self._instances(camera) if instances else None,
            self.instance_labels() if instances else {},
        )

    @abstractmethod
    def camera_pose(self, camera: str) -> Pose:
        """Where the robot believes a camera's optical frame to be."""

    def muted(self, camera: str) -> bool:
        return camera in self._muted

    def mute(self, camera: str, silent: bool = True) -> None:
        """Make a camera fall silent, or speak again."""
        self._sensor(camera)
        (self._muted.add if silent else self._muted.discard)(camera)

    def close(self) -> None:
        """Free what rendering holds; in the thread that rendered."""
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = None

    # -- disturbances ----------------------------------------------------------------------

    @abstractmethod
    def move(self, name: str, position: Vector3) -> None:
        """Put a thing with its centre at a position [m]. Raises INVALID for what is not here."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Take a thing away. Raises INVALID for what is not here."""

    def switches(self) -> Mapping[str, Callable[[bool], None]]:
        """What can be opened or started (true), shut or stopped, by the name of its service."""
        return {}

    # -- the simulator's own knowledge: tests and scoring only ------------------------------

    @abstractmethod
    def truth(self) -> tuple[SceneObject, ...]:
        """True objects."""

    def bodies(self) -> Sequence[SceneObject]:
        """True objects, and the base of a robot that drives."""
        return self.truth()

    @abstractmethod
    def instance_labels(self) -> dict[int, str]:
        """What each id in segmentation images is."""

    @abstractmethod
    def picture(self) -> npt.NDArray[np.uint8]:
        """A (480, 640, 3) picture for people, from outside."""

    def contacts(self) -> frozenset[str]:
        """Names of what the robot touches now."""
        contact = self._data.contact
        pairs = self._robot_geom[contact.geom] & (contact.dist <= 0)[:, None]
        touching = contact.geom[pairs[:, 0] ^ pairs[:, 1]]
        return frozenset(self._owner[g] for g in touching.ravel() if not self._robot_geom[g])

    def gap_m(self, name: str, most_m: float = 0.02) -> float:
        """True distance of the fingers from a thing, or `most_m` if it is farther."""
        m = self._model
        pads = {m.body(self._arm.prefix + pad).id for pad in self.profile.hand.pads}
        fingers = [g for g in range(m.ngeom) if m.geom_bodyid[g] in pads and m.geom_contype[g]]
        own = [g for g, owner in enumerate(self._owner) if owner == name]
        pairs = product(fingers, own)
        gaps = (mujoco.mj_geomDistance(m, self._data, a, b, most_m, None) for a, b in pairs)
        return float(min(gaps, default=most_m))

    def true_joint_velocities(self) -> npt.NDArray[np.float64]:
        """(J,) of the arm [rad/s]."""
        return np.array(self._data.qvel[self._arm.parts.arm_dof])

    # -- for the worlds --------------------------------------------------------------------

    @abstractmethod
    def _frame(self, body: str) -> str:
        """The TF frame of a body of the robot."""

    def _index(self, robot: Collection[int], name: str, ids: Mapping[str, int]) -> None:
        """Note whose each geom is: the robot's bodies are `name`; `ids` are of segmentation. A body
        `THING/PART` is the thing's."""
        m = self._model
        self._links = links(m, self._arm.parts)
        bodies = [int(b) for b in m.geom_bodyid]
        self._owner = [name if b in robot else m.body(b).name.split("/")[0] for b in bodies]
        self._robot_geom = np.array([b in robot for b in bodies])
        self._instance_of_geom = np.array([*(ids.get(o, 0) for o in self._owner), 0], np.int32)

    def _restart(self, rng: np.random.Generator) -> None:
        """Begin anew, with noise from `rng`, at the time that it is."""
        self._rng = rng
        self._camera_noise = CameraNoise(self._sensor_noise, rng)
        now = self.time_s
        mujoco.mj_resetData(self._model, self._data)
        self._data.time = now
        self._removed.clear()

    def _kinematics(self, reading: JointReading) -> mujoco.MjData:
        """The robot alone, in the posture of a reading."""
        data = self._scratch
        self._arm.place(data, reading)
        mujoco.mj_kinematics(self._model, data)
        return data

    def _put_free(self, name: str, position: Vector3, yaw: float) -> None:
        """A thing that moves freely, at rest and upright in a place."""
        joint = self._data.joint(name)
        joint.qpos[:] = (*position, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))
        joint.qvel[:] = 0.0

    def _mount(self, camera: str) -> cameras.CameraMount:
        if camera not in self._mounts:
            raise SaySoError(Code.INVALID, f"there is no camera '{camera}'.", choices=self._mounts)
        return self._mounts[camera]

    def _sensor(self, camera: str) -> cameras.CameraMount:
        """The mount of a camera that the robot has, not only people."""
        sensors = {name: m for name, m in self._mounts.items() if m.sensor}
        if camera not in sensors:
            raise SaySoError(Code.INVALID, f"there is no camera '{camera}'.", choices=sensors)
        return sensors[camera]

    def _sensor_renderer(self) -> Renderer:
        if self._renderer is None:
            self._renderer = Renderer(self._model, cameras.WIDTH, cameras.HEIGHT)
        return self._renderer

    def _instances(self, camera: str) -> npt.NDArray[np.int32]:
        geoms = self._sensor_renderer().geoms(self._data, camera)
        return np.asarray(self._instance_of_geom[geoms])
