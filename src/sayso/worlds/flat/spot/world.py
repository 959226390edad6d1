"""The flat with a Spot in it that takes commands from a Spot client alone.

Protocol, certificates and answers are Spot's; what its computer does with them is in `computer` and
`services`. Arm, things and cameras are the flat's; walking is a base driven by velocity, sitting is
standing still with the body, and the camera on it, lower (the arm stays). That camera is on a mast:
a payload with an image service of its own.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from bosdyn.api import geometry_pb2, image_pb2, robot_command_pb2, robot_state_pb2

from sayso.core.geometry import Array, Pose
from sayso.core.ports import JointWindow, RgbdFrame
from sayso.robots.profile import RobotProfile
from sayso.worlds import cameras
from sayso.worlds.flat import robot
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise, Odometry
from sayso.worlds.flat.spot.computer import Computer
from sayso.worlds.flat.spot.services import SpotServer, seconds, timestamp
from sayso.worlds.mujoco_world import MujocoWorld
from sayso.worlds.simulated_arm import JointReading

T = TypeVar("T")
EPOCH_S = 1_700_000_000.0
"""What its clock showed when the simulation began: another clock than its clients'."""
ARM_ABOVE_BODY_M = 0.188
SITS_LOWER_M = 0.3
BODY, ODOM, VISION, GROUND = "body", "odom", "vision", "gpe"
_MAST, _HAND = "mast_sensor", "hand_color_image_sensor"
_ANSWER_S = 20.0
_SILENT_S = 4.0
"""For so long a service that is silent keeps who asks waiting."""
_MOST_POINTS = 10
"""Of a trajectory of the arm."""
_JOINTS = ("sh0", "sh1", "el0", "el1", "wr0", "wr1")


@dataclass(frozen=True)
class _Snapshot:
    """What it senses of itself at one time; `tool` is of the hand's body in the base."""

    time_s: float
    joints: JointReading
    odometry: Odometry
    vision: Pose
    hand: Pose


class SpotFlat(FlatWorld):
    """A `FlatWorld` behind Spot's services.

    Args:
        address: with the port, on the loopback network.
        certificate: file into which the certificate that clients need is written.

    Attributes:
        on_picture: told of every frame that a client was given; in the world's thread.
        instances: whether such frames carry the simulator's own segmentation.
    """

    def __init__(
        self,
        scene: FlatScene,
        seed: int,
        noise: FlatNoise | None,
        profile: RobotProfile,
        address: str,
        certificate: str,
    ) -> None:
        self.on_picture: Callable[[RgbdFrame], None] = lambda _: None
        self.instances: Callable[[str], bool] = lambda _: False
        self._orders: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._linkman = ThreadPoolExecutor(1, thread_name_prefix="spot link")
        self._silent = False
        self._snapshot: _Snapshot | None = None
        super().__init__(scene, seed, noise, profile)
        self._take_snapshot()
        self.computer = Computer(time.monotonic, self._rest)
        self._sources = {
            source: name
            for name, camera in profile.require_client().cameras.items()
            for source in (camera.color, camera.depth)
        }
        self._depths = {c.depth for c in profile.require_client().cameras.values()}
        self._server = SpotServer(address, Path(certificate), self.computer, _Body(self))

    def warm_up(self) -> None:
        """As of a flat; only then clients are heard."""
        super().warm_up()
        self._linkman.submit(self._server.listen).result()

    def step(self, dt_s: float) -> None:
        """As of a flat; what clients asked for is done first."""
        while not self._orders.empty():
            self._orders.get_nowait()()
        mast = self._sensor(robot.CAMERAS[0])
        self._model.camera(mast.name).pos[2] = mast.pose.position[2] - self._sunk_m
        super().step(dt_s)
        if self._snapshot is not None:
            self.computer.look()
            self._take_snapshot()

    def camera_pose(self, camera: str) -> Pose:
        """As of a flat; that on the body sinks with it."""
        pose = super().camera_pose(camera)
        sinks = self._sensor(camera).body == robot.BODY
        return Pose((0.0, 0.0, -self._sunk_m if sinks else 0.0)) @ pose

    def fixed_frames(self) -> list[tuple[str, str, Pose]]:
        """Where the laser is, which is no part of Spot; the others its driver tells."""
        return [frame for frame in super().fixed_frames() if frame[1] == robot.LASER_FRAME]

    def switches(self) -> Mapping[str, Callable[[bool], None]]:
        """Those of a flat, and what may happen to a Spot."""
        computer = self.computer
        return {
            **super().switches(),
            "estop": computer.press_estop,
            "lease_taken": computer.take_by_tablet,
            "unpowered": computer.cut_power,
            "fallen": computer.fall,
            "low_battery": computer.empty_battery,
            "images_silent": self._hush,
            "link_lost": self._cut,
        }

    def close(self) -> None:
        self._linkman.submit(self._server.close).result()
        self._linkman.shutdown()
        super().close()

    # -- for its services ---------------------------------------------------------------------

    @property
    def snapshot(self) -> _Snapshot:
        """The newest."""
        if self._snapshot is None:
            raise RuntimeError("the world has not begun")
        return self._snapshot

    def order(self, work: Callable[[], None]) -> None:
        """Have something done before the next step."""
        self._orders.put(work)

    def ask(self, work: Callable[[], T]) -> T:
        """The same, and wait for what it gives."""
        done: Future[T] = Future()

        def task() -> None:
            try:
                done.set_result(work())
            except Exception as error:  # noqa: BLE001 - handed to who asked
                done.set_exception(error)

        self.order(task)
        return done.result(timeout=_ANSWER_S)

    def photograph(self, sources: list[str]) -> dict[str, RgbdFrame] | None:
        """A frame for each camera of these image sources; None while the service is silent."""
        if self._silent:
            return None
        frames = {}
        for name in {self._sources[source] for source in sources}:
            frame = self.render(name, instances=self.instances(name))
            self.on_picture(frame)
            frames[name] = frame
        return {source: frames[self._sources[source]] for source in sources}

    def knows(self, source: str) -> bool:
        """Whether a camera offers it."""
        return source in self._sources

    def is_depth(self, source: str) -> bool:
        """Whether it is of distances."""
        return source in self._depths

    # -- inside -------------------------------------------------------------------------------

    @property
    def _sunk_m(self) -> float:
        """Of the body, below where it is while it stands."""
        return 0.0 if self._snapshot is None or self.computer.standing else SITS_LOWER_M

    def _take_snapshot(self) -> None:
        reading = self.joints()
        hand = self._in_base(reading, robot.ARM_PREFIX + self.profile.hand.body)
        self._snapshot = _Snapshot(self.time_s, reading, self.odometry(), self.localisation(), hand)

    def _rest(self) -> None:
        self.order(self.hold)

    def _hush(self, silent: bool) -> None:
        self._silent = silent

    def _cut(self, lost: bool) -> None:
        """In a thread of its own: hanging up waits for who is being answered, maybe from here."""
        self._linkman.submit(self._server.hang_up if lost else self._server.listen)


class _Body:
    """What the services do with the world (`services.Actuators`)."""

    def __init__(self, world: SpotFlat) -> None:
        self._world = world

    @property
    def robot_time_s(self) -> float:
        return EPOCH_S + self._world.snapshot.time_s

    def state(self) -> robot_state_pb2.KinematicState:
        now = self._world.snapshot
        state = robot_state_pb2.KinematicState(
            acquisition_timestamp=timestamp(EPOCH_S + now.time_s),
            transforms_snapshot=self._frames(),
        )
        reading = now.joints
        values = zip(reading.names, reading.positions, reading.velocities, strict=True)
        for name, position, velocity in values:
            joint = state.joint_states.add(name=name)
            joint.position.value, joint.velocity.value = float(position), float(velocity)
        forward, left, turn = now.odometry.velocity
        for told, frame in (
            (state.velocity_of_body_in_odom, now.odometry.pose),
            (state.velocity_of_body_in_vision, now.vision),
        ):
            x, y, _ = frame.matrix()[:3, :3] @ (forward, left, 0.0)
            told.linear.x, told.linear.y, told.angular.z = x, y, turn
        return state

    def obey(self, command: robot_command_pb2.RobotCommand) -> bool:
        """Carry out a command; False for one that this robot does not know."""
        world = self._world
        if command.HasField("full_body_command"):
            return self._obey_whole(command.full_body_command)
        parts = command.synchronized_command
        orders: list[Callable[[], None] | None] = []
        if parts.HasField("mobility_command"):
            orders.append(self._walk(parts.mobility_command))
        if parts.HasField("arm_command"):
            orders.append(self._reach(parts.arm_command))
        if parts.HasField("gripper_command"):
            orders.append(self._grip(parts.gripper_command))
        known = [order for order in orders if order is not None]
        if len(known) < len(orders) or not orders:
            return False
        for order in known:
            world.order(order)
        return True

    def pictures(self, names: list[str]) -> list[image_pb2.ImageResponse]:
        world, kind = self._world, image_pb2.ImageResponse
        if not all(map(world.knows, names)):
            return [kind(status=kind.STATUS_UNKNOWN_CAMERA) for _ in names]
        try:
            frames = world.ask(lambda: (world.photograph(names), self._frames()))
        except Late:
            return [kind(status=kind.STATUS_IMAGE_DATA_ERROR) for _ in names]
        found, snapshot = frames
        if found is None:  # a service that is silent answers nothing at all in time
            threading.Event().wait(_SILENT_S)
            return [kind(status=kind.STATUS_IMAGE_DATA_ERROR) for _ in names]
        return [self._picture(name, found[name], snapshot) for name in names]

    def image_sources(self) -> list[image_pb2.ImageSource]:
        return [image_pb2.ImageSource(name=name) for name in self._world._sources]

    # -- inside -------------------------------------------------------------------------------

    def _frames(self) -> geometry_pb2.FrameTreeSnapshot:
        """Its body in the middle, as Spot tells it."""
        now, profile = self._world.snapshot, self._world.profile
        height_m = self._world.base.mount.position[2] - ARM_ABOVE_BODY_M
        risen = Pose((0.0, 0.0, height_m))
        body = Pose((0.0, 0.0, height_m - self._world._sunk_m))
        tree = geometry_pb2.FrameTreeSnapshot()
        mounts = {m.name: m for m in robot.cameras(profile)}
        front, gripper = robot.CAMERAS
        for name, parent, pose in (
            (BODY, "", None),
            (ODOM, BODY, (now.odometry.pose @ body).inverse()),
            (VISION, BODY, (now.vision @ body).inverse()),
            (GROUND, BODY, body.inverse()),
            (_MAST, BODY, risen.inverse() @ mounts[front].pose),
            (_HAND, BODY, body.inverse() @ now.hand @ mounts[gripper].pose),
        ):
            edge = tree.child_to_parent_edge_map[name]
            edge.parent_frame_name = parent
            if pose is not None:
                _write(pose, edge.parent_tform_child)
        return tree

    def _obey_whole(self, command: Any) -> bool:
        world = self._world
        if command.HasField("stop_request") or command.HasField("freeze_request"):
            world.order(world.hold)
        elif command.HasField("safe_power_off_request"):
            world.computer.cut_power(True)
        else:
            return False
        return True

    def _walk(self, command: Any) -> Callable[[], None] | None:
        world = self._world
        if command.HasField("stand_request"):
            world.computer.standing = True
            return partial(world.drive, 0.0, 0.0, 0.0)
        if command.HasField("sit_request"):
            world.computer.standing = False
            return partial(world.drive, 0.0, 0.0, 0.0)
        if not command.HasField("se2_velocity_request"):
            return None
        request = command.se2_velocity_request
        speed, end_s = request.velocity, seconds(request.end_time)
        world.computer.standing = True

        def drive() -> None:
            left_s = max(end_s - self.robot_time_s, 0.0)
            world.drive(speed.linear.x, speed.linear.y, speed.angular, left_s)

        return drive

    def _reach(self, command: Any) -> Callable[[], None] | None:
        world = self._world
        if command.HasField("arm_stop_command"):
            return partial(MujocoWorld.hold, world)
        if not command.HasField("arm_joint_move_command"):
            return None
        trajectory = command.arm_joint_move_command.trajectory
        if not any(p.position.HasField(j) for p in trajectory.points for j in _JOINTS):
            return partial(MujocoWorld.hold, world)  # joints that are not named stay
        points = [[getattr(p.position, j).value for j in _JOINTS] for p in trajectory.points]
        times = np.array([seconds(p.time_since_reference) for p in trajectory.points])
        if len(points) > _MOST_POINTS or np.any(np.diff(times) <= 0):
            return None
        begun_s = seconds(trajectory.reference_time) or self.robot_time_s

        def reach() -> None:
            world.stream(_from_now_on(times, np.array(points), self.robot_time_s - begun_s))

        return reach

    def _grip(self, command: Any) -> Callable[[], None] | None:
        world = self._world
        request = command.claw_gripper_command
        if not request.trajectory.points:
            return None
        hand = world.profile.hand
        width_m = hand.width(request.trajectory.points[-1].point)
        torque_nm = request.maximum_torque.value if request.HasField("maximum_torque") else 0.0
        force_n = torque_nm / (2 * hand.travel_m) or hand.force_n
        return partial(world.grip, width_m, force_n)

    def _picture(
        self, source: str, frame: RgbdFrame, tree: geometry_pb2.FrameTreeSnapshot
    ) -> image_pb2.ImageResponse:
        response = image_pb2.ImageResponse(status=image_pb2.ImageResponse.STATUS_OK)
        shot, about, image = response.shot, response.source, response.shot.image
        shot.acquisition_time.CopyFrom(timestamp(EPOCH_S + frame.stamp_s))
        shot.transforms_snapshot.CopyFrom(tree)
        shot.frame_name_image_sensor = _MAST if frame.camera == robot.CAMERAS[0] else _HAND
        about.name, about.cols, about.rows = source, cameras.WIDTH, cameras.HEIGHT
        lens, told = frame.intrinsics, about.pinhole.intrinsics
        told.focal_length.x, told.focal_length.y = lens.fx, lens.fy
        told.principal_point.x, told.principal_point.y = lens.cx, lens.cy
        image.cols, image.rows, image.format = cameras.WIDTH, cameras.HEIGHT, image.FORMAT_RAW
        if self._world.is_depth(source):
            about.depth_scale = 1000.0
            about.image_type = about.IMAGE_TYPE_DEPTH
            image.pixel_format = image.PIXEL_FORMAT_DEPTH_U16
            millimetres = np.nan_to_num(frame.depth_m, posinf=0.0) * about.depth_scale
            image.data = np.clip(millimetres.round(), 0, 65535).astype("<u2").tobytes()
        else:
            about.image_type = about.IMAGE_TYPE_VISUAL
            image.pixel_format = image.PIXEL_FORMAT_RGB_U8
            image.data = np.ascontiguousarray(frame.rgb).tobytes()
        return response


def _from_now_on(times: Array, points: Array, gone_s: float) -> JointWindow:
    """What is left of a trajectory (N,), (N, J) that began some time ago."""
    left = times - gone_s
    if left[-1] <= 0.0:
        return JointWindow(np.zeros(1), points[-1:])
    ahead = left > 0.0
    here = np.array([np.interp(0.0, left, column) for column in points.T])
    return JointWindow(np.concatenate([[0.0], left[ahead]]), np.vstack([here[None], points[ahead]]))


def _write(pose: Pose, told: Any) -> None:
    told.position.x, told.position.y, told.position.z = pose.position
    told.rotation.x, told.rotation.y, told.rotation.z, told.rotation.w = pose.orientation
