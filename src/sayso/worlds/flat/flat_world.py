"""A simulated flat with a mobile robot: it offers what a real robot and its cameras offer.

`truth`, `true_base` and `contacts` are for tests and scoring only; nothing that acts may read
them. Walking is abstracted to a velocity-driven base; grasping is by friction alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.scene import AttributeValue, RobotState, SceneObject
from sayso.robots.loading import MOBILE, load_robot
from sayso.robots.profile import RobotProfile
from sayso.worlds.flat import model as flat_model
from sayso.worlds.flat import robot, sensing, truth
from sayso.worlds.flat.furniture import LID_SLATS
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.moving import MovingDoor, MovingLid, MovingWalker
from sayso.worlds.flat.scene import FlatScene, Item
from sayso.worlds.flat.sensing import DeadReckoning, FlatNoise, LaserScan, Odometry
from sayso.worlds.mujoco_world import MobileBase, MujocoWorld
from sayso.worlds.simulated_arm import JointReading

_SETTLE_S = 0.3
_FAR_AWAY_M = 60.0
_SCRIPT_S = 0.02
COMMAND_VALID_S = 0.5


class FlatWorld(MujocoWorld):
    """A mobile robot in a flat.

    Args:
        scene: the flat; checked again here.
        seed: of the noise.
        noise: of the senses; None for perfect ones.
        profile: of the robot; by default the Panda on a base.
    """

    frame = "map"

    def __init__(
        self,
        scene: FlatScene,
        seed: int = 0,
        noise: FlatNoise | None = None,
        profile: RobotProfile | None = None,
    ) -> None:
        self.scene = scene.check()
        profile = profile or load_robot(MOBILE)
        self.base = profile.require_base()
        self._noise = noise or sensing.SILENT
        model = flat_model.compile_scene(scene, profile)
        mounts = (*robot.cameras(profile), *flat_model.views(scene))
        super().__init__(profile, model, robot.ARM_PREFIX, self._noise.sensors, mounts)
        self._items = {i.name: i for i in scene.items}
        self._index_robot()
        self.reset(seed)

    # -- time ------------------------------------------------------------------------------

    def reset(self, seed: int) -> None:
        """Everything back to where the scene has it; the arm stowed, the base at its start."""
        self._restart(np.random.default_rng(seed))
        self._muted.clear()
        self._on: set[str] = set()
        self._shine()
        self._doors = {d.name: MovingDoor(d) for d in self.scene.doors}
        self._lids = {n: MovingLid(i) for n, i in self._items.items() if kind(i.kind).lidded}
        self._walkers = {w.name: MovingWalker(w) for w in self.scene.walkers}
        self._model.body_pos[:] = self._body_pos
        self._drive = robot.BaseDrive(self.base.limits)
        self._data.qpos[self._base_qpos] = self.scene.start
        self._reckoning = DeadReckoning(np.array(self.scene.start), self._noise, self._rng)
        self._arm.reset(self.base.stowed[0])
        self._script_left_s = 0.0
        mujoco.mj_forward(self._model, self._data)
        self.step(_SETTLE_S)

    def step(self, dt_s: float) -> None:
        """Advance physics by dt_s, rounded to whole time steps, at least one."""
        step_s = flat_model.TIMESTEP_S
        for _ in range(max(1, round(dt_s / step_s))):
            self._script_left_s -= step_s
            if self._script_left_s <= 0:
                self._script_left_s += _SCRIPT_S
                self._script()
            self._arm.step(step_s)
            yaw = float(self._data.qpos[self._base_qpos[2]])
            self._data.ctrl[self._base_motors] = self._drive.step(yaw, step_s)
            mujoco.mj_step(self._model, self._data)

    # -- the robot's side ------------------------------------------------------------------

    @property
    def mobile_base(self) -> MobileBase:
        """This."""
        return self

    def description(self) -> str:
        """The robot as URDF."""
        return robot.description(self.profile)

    def drive(
        self, forward: float, left: float, turn: float, valid_s: float = COMMAND_VALID_S
    ) -> None:
        """Drive at a velocity [m/s, m/s, rad/s] in the base frame, within the robot's limits.

        Without a further command the base comes to rest after `valid_s`. Raises INVALID for
        values that are not finite.
        """
        if not np.isfinite([forward, left, turn, valid_s]).all():
            raise SaySoError(Code.INVALID, "a drive command must be finite.")
        self._drive.command(forward, left, turn, valid_s)

    def hold(self) -> None:
        """Bring arm and base to rest at once, within their limits (`ArmDriver`)."""
        self._drive.command(0.0, 0.0, 0.0, 0.0)
        super().hold()

    def odometry(self) -> Odometry:
        """Dead reckoning since the start, in the frame `odom`; its error grows."""
        forward, left, turn = self._own_velocity()
        reckoned = self._reckoning
        return Odometry(self.time_s, reckoned.pose, (forward, left, turn), reckoned.covariance)

    def localisation(self) -> Pose:
        """Where the robot believes its base is in the map: right but for a little noise."""
        return sensing.planar(sensing.believed(self._base(), self._noise, self._rng))

    def scan(self) -> LaserScan:
        """Ranges at the height of the laser."""
        base = sensing.planar(self._base())
        ranges = sensing.laser_ranges(self._model, self._data, base, self._noise, self._rng)
        return LaserScan(self.time_s, ranges)

    def robot_state(self, reading: JointReading | None = None) -> RobotState:
        """What the robot reports of itself; the poses of gripper and base are in the map."""
        reading = reading or self.joints()
        hand = self.profile.hand
        tool = self._in_base(reading, robot.ARM_PREFIX + hand.body) @ hand.tool
        base = self.localisation()
        return RobotState(
            reading.stamp_s,
            tuple(float(q) for q in reading.positions[: len(self.profile.joints)]),
            self._arm.width_m(reading),
            base @ tool,
            base,
            hand.width_m,
        )

    def fixed_frames(self) -> list[tuple[str, str, Pose]]:
        """Where arm, tool, laser and cameras are mounted: as `arm_frames`."""
        profile, mount = self.profile, self.base.mount
        root = self._model.body(int(self._arm.parts.bodies[0])).name
        in_base = self._pose(self._data, robot.BODY).inverse() @ self._pose(self._data, root)
        arm = profile.frames.fixed(
            robot.BASE_FRAME,
            mount,
            root.removeprefix(robot.ARM_PREFIX),
            mount.inverse() @ in_base,
            profile.hand,
        )
        laser = (robot.BASE_FRAME, robot.LASER_FRAME, robot.LASER_MOUNT)
        mounts = [
            (self._frame(m.body), f"{m.name}_optical_frame", m.pose) for m in robot.cameras(profile)
        ]
        return [*arm, laser, *mounts]

    def camera_pose(self, camera: str) -> Pose:
        """Where the robot believes a camera's optical frame to be, in the map."""
        mount = self._sensor(camera)
        if mount.body == robot.BODY:
            return self.localisation() @ mount.pose
        return self.localisation() @ self._in_base(self.joints(), mount.body) @ mount.pose

    def picture(self, view: str = flat_model.TOP_VIEW) -> npt.NDArray[np.uint8]:
        """A (480, 640, 3) picture for people from any camera or view.

        Without shadows and soft edges: with them it takes seven times as long, and the robot's
        own cameras wait meanwhile.
        """
        return self._sensor_renderer().rgb(self._data, self._mount(view).name)

    # -- disturbances ----------------------------------------------------------------------

    def move(self, name: str, position: Vector3) -> None:
        """Put a thing upright with its centre at a position [m]; a walker with its feet there.

        Furniture moves too. Raises INVALID for what the scene does not have.
        """
        x, y, z = position
        if name in self._walkers:
            self._walkers[name].jump(x, y)
            self._set_mocap(name, self._walkers[name].pose)
        else:
            item = self._item(name)
            self._put(item, (x, y, max(z, item.size[2] / 2 + 0.0005)))
            self._removed.discard(name)
        mujoco.mj_forward(self._model, self._data)

    def remove(self, name: str) -> None:
        """Take an item away."""
        item = self._item(name)
        row = list(self._items).index(name)
        self._put(item, (_FAR_AWAY_M + row, 0.0, item.size[2] / 2 + 0.0005))
        self._removed.add(name)
        mujoco.mj_forward(self._model, self._data)

    def set_door(self, name: str, opening: float) -> None:
        """Let a door or a lid go to an opening, 0 shut to 1 open; it takes a while."""
        moving: Mapping[str, MovingDoor | MovingLid] = {**self._doors, **self._lids}
        if name not in moving:
            text = f"there is no door or lid '{name}'."
            raise SaySoError(Code.INVALID, text, choices=moving)
        if not 0.0 <= opening <= 1.0:
            raise SaySoError(Code.INVALID, "a door or lid opens from 0 (shut) to 1 (open).")
        moving[name].target = float(opening)

    def switch(self, name: str, on: bool) -> None:
        """Turn a lamp or an appliance on or off."""
        switched = [n for n, i in self._items.items() if kind(i.kind).switched]
        if name not in switched:
            raise SaySoError(Code.INVALID, f"'{name}' has no switch.", choices=switched)
        (self._on.add if on else self._on.discard)(name)
        self._shine()

    def switches(self) -> Mapping[str, Callable[[bool], None]]:
        """Doors and lids to open or shut, walkers to start or stop."""
        moving = (*self._doors, *self._lids)
        doors = {f"doors/{d}": partial(self._turn_door, d) for d in moving}
        return doors | {f"walkers/{w}": partial(self.walk, w) for w in self._walkers}

    def operate(self, device: str, attribute: str, value: AttributeValue) -> None:
        """What the building's own drives and switches do (`core.ports.Building`).

        Raises INVALID for what is no device, or has no such attribute.
        """
        known = next((o.attributes for o in self.truth() if o.name == device), {})
        if attribute not in known:
            text = f"'{device}' has no '{attribute}' that could be changed."
            raise SaySoError(Code.INVALID, text, choices=known)
        if attribute in ("open_share", truth.LID):
            self.set_door(device, float(value))
        else:
            self.switch(device, bool(value))

    def require_taken(self) -> None:
        """`operate` itself raises."""

    def openings(self) -> tuple[float, ...]:
        """How far each door of the scene is open, 0 shut to 1 open."""
        return tuple(door.opening for door in self._doors.values())

    def walk(self, name: str, walking: bool = True) -> None:
        """Let a person or cat walk its round, or stand still."""
        if name not in self._walkers:
            raise SaySoError(
                Code.INVALID, f"nobody called '{name}' walks here.", choices=self._walkers
            )
        self._walkers[name].walking = walking

    # -- the simulator's own knowledge: tests and scoring only ------------------------------

    def truth(self) -> tuple[SceneObject, ...]:
        """True objects: items, doors, walkers."""
        present = [i for n, i in self._items.items() if n not in self._removed]
        doors, walkers = self._doors.values(), self._walkers.values()
        lids = {name: lid.opening for name, lid in self._lids.items()}
        return truth.objects(self._data, present, doors, walkers, frozenset(self._on), lids)

    def bodies(self) -> tuple[SceneObject, ...]:
        """True objects, and the robot's base: its footprint, half a metre high."""
        pose, size = self.true_base(), (*self.base.footprint_m, 0.5)
        x, y, _ = pose.position
        base = SceneObject(robot.BODY, "robot", "yellow", (x, y, 0.25), size, pose.orientation)
        return (*self.truth(), base)

    def true_base(self) -> Pose:
        """The base's true pose in the map."""
        return sensing.planar(self._base())

    def contacts(self) -> frozenset[str]:
        """Names of what the robot touches now; `walls` too, the floor not."""
        return super().contacts() - {"world"}

    def instance_labels(self) -> dict[int, str]:
        """What each id in segmentation images is."""
        return truth.instance_labels(self.scene)

    # -- inside ----------------------------------------------------------------------------

    def _turn_door(self, name: str, opened: bool) -> None:
        self.set_door(name, 1.0 if opened else 0.0)

    def _index_robot(self) -> None:
        m = self._model
        self._body_pos = np.array(m.body_pos)
        self._base_qpos = np.array([m.joint(j).qposadr[0] for j in robot.BASE_JOINTS])
        self._base_dof = np.array([m.joint(j).dofadr[0] for j in robot.BASE_JOINTS])
        self._base_motors = np.array([m.actuator(j).id for j in robot.BASE_JOINTS])
        root = m.body(robot.BODY).id
        own = {b for b in range(m.nbody) if m.body_rootid[b] == root}
        self._index(own, robot.BODY, truth.instance_ids(self.scene))
        lids = (n for n, i in self._items.items() if kind(i.kind).lidded)
        slats = {flat_model.slat_of(n, i): n for n in lids for i in range(LID_SLATS)}
        self._owner = [slats.get(owner, owner) for owner in self._owner]

    def _script(self) -> None:
        """Move doors, lids and walkers, and add up the way gone."""
        place = self._base()
        self._reckoning.moved(place)
        for name, door in self._doors.items():
            self._set_mocap(name, door.step(_SCRIPT_S, place[:2]))
        for lid in self._lids.values():
            if lid.step(_SCRIPT_S):
                self._roll(lid)
        for name, walker in self._walkers.items():
            self._set_mocap(name, walker.step(_SCRIPT_S, place[:2]))

    def _roll(self, lid: MovingLid) -> None:
        for i, pose in enumerate(flat_model.lid_poses(lid.item, lid.opening)):
            self._set_mocap(flat_model.slat_of(lid.item.name, i), pose)

    def _shine(self) -> None:
        for name, item in self._items.items():
            if any(part.shines for part in item.parts()):
                material = self._model.material(flat_model.shine_of(name)).id
                self._model.mat_emission[material] = float(name in self._on)

    def _set_mocap(self, name: str, pose: Pose | None) -> None:
        if pose is not None:
            x, y, z, w = pose.orientation
            index = int(self._model.body(name).mocapid[0])
            self._data.mocap_pos[index] = pose.position
            self._data.mocap_quat[index] = (w, x, y, z)

    def _put(self, item: Item, position: Vector3) -> None:
        if item.movable:
            self._put_free(item.name, position, item.yaw)
        else:
            self._model.body(item.name).pos = position
        if (lid := self._lids.get(item.name)) is not None:
            x, y, z = position
            lid.item = replace(item, position=(x, y, z - item.size[2] / 2))
            self._roll(lid)

    def _item(self, name: str) -> Item:
        if name not in self._items:
            raise SaySoError(Code.INVALID, f"there is no item '{name}'.", choices=self._items)
        return self._items[name]

    def _base(self) -> npt.NDArray[np.float64]:
        return np.array(self._data.qpos[self._base_qpos])

    def _own_velocity(self) -> tuple[float, float, float]:
        x, y, turn = (float(v) for v in self._data.qvel[self._base_dof])
        yaw = float(self._data.qpos[self._base_qpos[2]])
        c, s = float(np.cos(yaw)), float(np.sin(yaw))
        return (c * x + s * y, -s * x + c * y, turn)

    def _kinematics(self, reading: JointReading) -> mujoco.MjData:
        """The robot alone with its base at the map's origin."""
        self._scratch.qpos[self._base_qpos] = 0.0
        return super()._kinematics(reading)

    def _in_base(self, reading: JointReading, body: str) -> Pose:
        return self._pose(self._kinematics(reading), body)

    def _pose(self, data: mujoco.MjData, name: str) -> Pose:
        body = data.body(name)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        return Pose.from_matrix(matrix)

    def _frame(self, body: str) -> str:
        if body == robot.BODY:
            return robot.BASE_FRAME
        return self.profile.frames.of(body.removeprefix(robot.ARM_PREFIX))
