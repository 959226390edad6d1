"""A simulated arm at a table: it offers what a real robot and its cameras offer.

`truth` and `contacts` are for tests and scoring only; nothing that acts may read them.
"""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.ports import JointWindow, RgbdFrame
from sayso.core.scene import RobotState, SceneObject
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
from sayso.worlds import cameras, things, truth
from sayso.worlds.noise import NO_NOISE, CameraNoise, NoiseModel
from sayso.worlds.renderer import Renderer
from sayso.worlds.simulated_arm import JointReading, SimulatedArm
from sayso.worlds.table import furniture
from sayso.worlds.table.layout import Layout, random_layout
from sayso.worlds.table.table_model import TIMESTEP_S, compiled_model

__all__ = ["JointReading", "TableWorld"]

_SETTLE_S = 0.3
_FAR_AWAY_M = 30.0


class TableWorld:
    """Physics, cameras and an `ArmDriver` in simulated time. Not safe for threads.

    Args:
        seed: of the layout and the noise.
        noise: of the sensors; None for perfect ones.
        profile: of the robot at the table; by default the Panda.

    Rendering must happen in one thread (an OpenGL context belongs to one).
    """

    def __init__(
        self, seed: int = 0, noise: NoiseModel | None = None, profile: RobotProfile | None = None
    ) -> None:
        self.profile = profile or load_robot()
        self._model = copy.copy(compiled_model(self.profile))
        self._data = mujoco.MjData(self._model)
        self._scratch = mujoco.MjData(self._model)
        self._noise = noise or NO_NOISE
        self._muted: set[str] = set()
        self._removed: set[str] = set()
        self._arm = SimulatedArm(self.profile, self._model, self._data)
        self._mounts = {m.name: m for m in cameras.mounts(self.profile)}
        self._renderer: Renderer | None = None
        self._fine: Renderer | None = None
        self._index()
        self.reset(seed)

    # -- time ------------------------------------------------------------------------------

    @property
    def time_s(self) -> float:
        """Simulated seconds; goes on over resets."""
        return float(self._data.time)

    def step(self, dt_s: float) -> None:
        """Advance physics by dt_s, rounded to whole time steps, at least one."""
        for _ in range(max(1, round(dt_s / TIMESTEP_S))):
            self._arm.step(TIMESTEP_S)
            mujoco.mj_step(self._model, self._data)

    def reset(self, seed: int, layout: Layout | None = None) -> None:
        """A new start: the arm at its ready pose, everything anew on the table."""
        self._rng = np.random.default_rng(seed)
        layout = layout or random_layout(self._rng)
        self._camera_noise = CameraNoise(self._noise, self._rng)
        now = self.time_s
        mujoco.mj_resetData(self._model, self._data)
        self._data.time = now
        self._removed.clear()
        self._arm.reset(self.profile.ready)
        self._place(layout)
        mujoco.mj_forward(self._model, self._data)
        self.step(_SETTLE_S)

    # -- the robot's side ------------------------------------------------------------------

    def stream(self, window: JointWindow) -> None:
        """Follow the window from now on (`ArmDriver`)."""
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

    def require_obeyed(self) -> None:
        """A simulated arm takes every window that it does not refuse at once (`ArmDriver`)."""

    def joints(self) -> JointReading:
        """What the encoders read."""
        return self._arm.read(self._noise, self._rng)

    def robot_state(self, reading: JointReading | None = None) -> RobotState:
        """What the robot reports of itself, from the encoders alone."""
        reading = reading or self.joints()
        hand = self.profile.hand
        return RobotState(
            reading.stamp_s,
            tuple(float(q) for q in reading.positions[: len(self.profile.joints)]),
            self._arm.width_m(reading),
            truth.body_pose(self._kinematics(reading), hand.body) @ hand.tool,
            gripper_max_width_m=hand.width_m,
        )

    def fixed_frames(self) -> list[tuple[str, str, Pose]]:
        """Where the arm, its tool and the cameras are mounted: as `arm_frames`."""
        frame, hand = self.profile.frames.of, self.profile.hand
        root = self._model.body(int(self._arm.parts.bodies[0])).name
        foot = truth.body_pose(self._data, root)
        mounts = [
            ("world" if m.body == "world" else frame(m.body), f"{m.name}_optical_frame", m.pose)
            for m in self._mounts.values()
            if m.sensor
        ]
        return [*self.profile.frames.fixed("world", Pose(), root, foot, hand), *mounts]

    def arm_frames(self, reading: JointReading) -> list[tuple[str, str, Pose]]:
        """The arm's moving frames: parent's name, own name, pose in the parent."""
        data = self._kinematics(reading)
        frame = self.profile.frames.of
        return [(frame(p), frame(c), _relative(data, p, c)) for c, p in self._links]

    def _kinematics(self, reading: JointReading) -> mujoco.MjData:
        data = self._scratch
        self._arm.place(data, reading)
        mujoco.mj_kinematics(self._model, data)
        return data

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
        mount = self._mount(camera)
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
            things.instance_labels() if instances else {},
        )

    def camera_pose(self, camera: str) -> Pose:
        """Pose of a camera's optical frame in the world."""
        seen = self._data.camera(self._mount(camera).name)
        return cameras.optical_pose(seen.xpos, seen.xmat.reshape(3, 3))

    def picture(self, camera: str = cameras.OVERVIEW) -> npt.NDArray[np.uint8]:
        """A fine (480, 640, 3) picture for people, with shadows; slow."""
        if self._fine is None:
            self._fine = Renderer(self._model, cameras.WIDTH, cameras.HEIGHT, fine=True)
        return self._fine.rgb(self._data, self._mount(camera).name)

    def muted(self, camera: str) -> bool:
        return camera in self._muted

    # -- disturbances ----------------------------------------------------------------------

    def move(self, name: str, position: Vector3) -> None:
        """Put a thing upright with its centre at a position, not below the table [m]."""
        thing = self._movable(name)
        x, y, z = position
        self._put(name, (x, y, max(z, thing.size[2] / 2 + 0.0005)), 0.0)
        mujoco.mj_forward(self._model, self._data)
        self._removed.discard(name)

    def remove(self, name: str) -> None:
        """Take a thing away."""
        self._movable(name)
        self._put_away(name)
        mujoco.mj_forward(self._model, self._data)

    def slide_drawer(self, opening_m: float) -> None:
        """Set how far the drawer stands open [m]."""
        self._data.qpos[self._drawer_qpos] = np.clip(opening_m, 0.0, things.CABINET.travel)
        mujoco.mj_forward(self._model, self._data)

    def mute(self, camera: str, silent: bool = True) -> None:
        """Make a camera fall silent, or speak again."""
        self._mount(camera)
        (self._muted.add if silent else self._muted.discard)(camera)

    # -- the simulator's own knowledge: tests and scoring only ------------------------------

    def truth(self) -> tuple[SceneObject, ...]:
        """True objects. A mug's box is that of its body, without the handle."""
        present = [t for t in things.MOVABLES if t.name not in self._removed]
        return truth.objects(self._data, present)

    def contacts(self) -> frozenset[str]:
        """Names of the objects that the robot touches now; `table` too."""
        contact = self._data.contact
        pairs = self._robot_geom[contact.geom] & (contact.dist <= 0)[:, None]
        touching = contact.geom[pairs[:, 0] ^ pairs[:, 1]]
        return frozenset(self._owner[g] for g in touching.ravel() if not self._robot_geom[g])

    def true_joint_velocities(self) -> npt.NDArray[np.float64]:
        """(J,) [rad/s]."""
        return np.array(self._data.qvel[self._arm.parts.arm_dof])

    def close(self) -> None:
        """Free what rendering holds; in the thread that rendered."""
        for renderer in (self._renderer, self._fine):
            if renderer is not None:
                renderer.close()
        self._renderer = self._fine = None

    # -- inside ----------------------------------------------------------------------------

    def _index(self) -> None:
        m = self._model
        self._drawer_qpos = int(m.joint("drawer").qposadr[0])
        root, *moving = (int(b) for b in self._arm.parts.bodies)
        robot = {root, *moving}
        self._links = [(m.body(b).name, m.body(int(m.body_parentid[b])).name) for b in moving]
        self._owner = [
            "robot" if b in robot else m.body(b).name for b in (int(i) for i in m.geom_bodyid)
        ]
        self._robot_geom = np.array([o == "robot" for o in self._owner])
        ids = things.instance_ids()
        self._instance_of_geom = np.array([*(ids.get(o, 0) for o in self._owner), 0], np.int32)

    def _place(self, layout: Layout) -> None:
        self._model.body("cabinet").pos = layout.cabinet
        self._data.qpos[self._drawer_qpos] = layout.drawer_opening_m
        for thing in things.MOVABLES:
            spot = layout.placements.get(thing.name)
            if spot is None:
                self._put_away(thing.name)
            else:
                self._put(thing.name, (spot.x, spot.y, thing.size[2] / 2 + 0.0005), spot.yaw)

    def _put(self, name: str, position: Vector3, yaw: float) -> None:
        joint = self._data.joint(name)
        joint.qpos[:] = (*position, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))
        joint.qvel[:] = 0.0

    def _put_away(self, name: str) -> None:
        row = [t.name for t in things.MOVABLES].index(name)
        self._put(name, (_FAR_AWAY_M + row, 0.0, furniture.FLOOR_Z + 0.1), 0.0)
        self._removed.add(name)

    def _movable(self, name: str) -> things.Thing:
        thing = things.thing(name)
        if thing is None:
            raise SaySoError(
                Code.INVALID,
                f"the simulator has no movable object '{name}'.",
                choices=(t.name for t in things.MOVABLES),
            )
        return thing

    def _mount(self, camera: str) -> cameras.CameraMount:
        mount = self._mounts.get(camera)
        if mount is None:
            raise SaySoError(
                Code.INVALID,
                f"there is no camera '{camera}'.",
                choices=self._mounts,
            )
        return mount

    def _sensor_renderer(self) -> Renderer:
        if self._renderer is None:
            self._renderer = Renderer(self._model, cameras.WIDTH, cameras.HEIGHT)
        return self._renderer

    def _instances(self, camera: str) -> npt.NDArray[np.int32]:
        geoms = self._sensor_renderer().geoms(self._data, camera)
        return np.asarray(self._instance_of_geom[geoms])


def _relative(data: mujoco.MjData, parent: str, child: str) -> Pose:
    a, b = data.body(parent), data.body(child)
    back_position, back_turn = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(back_position, back_turn, a.xpos, a.xquat)
    position, turn = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(position, turn, back_position, back_turn, b.xpos, b.xquat)
    x, y, z = position.tolist()
    qw, qx, qy, qz = turn.tolist()
    return Pose((x, y, z), (qx, qy, qz, qw))
