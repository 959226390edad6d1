"""A Spot with its arm through Boston Dynamics' own client (extra `spot`)."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from bosdyn.api import image_pb2, robot_state_pb2
from bosdyn.client import create_standard_sdk, frame_helpers
from bosdyn.client import exceptions as failures
from bosdyn.client.auth import AuthResponseError
from bosdyn.client.image import UnknownImageSourceError, build_image_request
from bosdyn.client.lease import Error as LeaseError
from bosdyn.client.power import power_on_motors, safe_power_off_motors
from bosdyn.client.robot_command import RobotCommandBuilder, blocking_sit, blocking_stand
from bosdyn.util import seconds_to_timestamp

from sayso.adapters.robots.spot_link import AGAIN, ANSWER_S, BY_HAND, NAME, Link, named
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, JointWindow, RgbdFrame
from sayso.robots.profile import RobotProfile
from sayso.worlds.flat.sensing import LEAST_VARIANCE, Odometry
from sayso.worlds.simulated_arm import JointReading

log = logging.getLogger(__name__)
_VALID_S = 0.5
"""How long a velocity holds: the robot stops by itself after silence."""
_PICTURE_S = 3.0
_RISE_S = 8.0
_POINTS = 10
"""Of a trajectory that Spot takes at once, at most."""
_ON = robot_state_pb2.PowerState.STATE_ON
_CLEARABLE = robot_state_pb2.BehaviorFault.STATUS_CLEARABLE
_CRITICAL = robot_state_pb2.SystemFault.SEVERITY_CRITICAL
_FAR = image_pb2.Image.PIXEL_FORMAT_DEPTH_U16
_ESTOPPED = robot_state_pb2.EStopState.STATE_ESTOPPED
_ABSENT = "see whether it is on and in this network."


class SpotClient:
    """Base, arm, hand and cameras behind one address.

    What the gate lets through is sent on: windows as short trajectories of the arm, velocities with
    a time at which they end, so that the robot stops by itself when nothing follows. Whatever ends
    a motion is kept as a fault, with its name, until `recover`; nothing moves before that. To be
    used in one thread, but for `picture`.

    Name and password are taken from BOSDYN_CLIENT_USERNAME and BOSDYN_CLIENT_PASSWORD.

    Args:
        address: its own, with or without a port; empty: its profile's.
        now_s: of readings and commands.
        certificate: file of the authority that the robot's certificate is from; empty: Boston
            Dynamics'.

    Raises CONFIG where the profile says nothing of a client.
    """

    def __init__(
        self,
        robot: RobotProfile,
        address: str,
        now_s: Callable[[], float],
        certificate: str = "",
    ) -> None:
        self.profile, self._client = robot, robot.require_client()
        self._address, _, self._port = (address or self._client.address).partition(":")
        self._certificate, self._now_s = certificate, now_s
        self._fault: SaySoError | None = None
        self._barred: SaySoError | None = None
        self._link: Link | None = None
        self._reading: JointReading | None = None
        self._odometry: Odometry | None = None
        self._vision = Pose()

    @property
    def time_s(self) -> float:
        return self._now_s()

    def close(self) -> None:
        """Come to rest and hand the lease back."""
        self.hold()
        if self._link is not None:
            self._link.close()
            self._link = None

    # -- what the robot tells -----------------------------------------------------------------

    def read(self) -> JointReading:
        """A new reading of joints and hand; where the base is, and faults, are noted.

        Raises NODE_UNAVAILABLE where the robot is silent; it is connected to anew then. CONFIG
        where it does not let us in: asked again only by
        `recover`, for many wrong passwords lock an account.
        """
        if self._barred is not None:
            raise self._barred.with_traceback(None)
        if self._link is None:
            self._link = self._connect()
        with self._linked() as link:
            state = link.state.get_robot_state(timeout=ANSWER_S)
            link.clock.keep(self._now_s())
            stamp_s = link.clock.local_s(state.kinematic_state.acquisition_timestamp)
            stamp_s = min(stamp_s, self._now_s())  # clocks are compared within milliseconds
        self._look(state)
        self._place(state.kinematic_state, stamp_s)
        joints = {j.name: j for j in state.kinematic_state.joint_states}
        names = (*self.profile.joint_names, *self.profile.finger_names)
        if missing := [n for n in names if n not in joints]:
            text = f"{self._address}: it tells nothing of its joint {missing[0]}."
            raise SaySoError(Code.STALE, text, hint="see whether its arm is fitted and on.")
        positions = np.array([joints[n].position.value for n in names])
        velocities = np.array([joints[n].velocity.value for n in names])
        self._reading = JointReading(stamp_s, names, positions, velocities)
        return self._reading

    def joints(self) -> JointReading:
        """The newest reading. Raises NODE_UNAVAILABLE where there was none yet."""
        return self._reading or self.read()

    def odometry(self) -> Odometry:
        """Of its base, on the floor below its body, as of the newest reading; in `odom`.

        Raises STALE before the first reading.
        """
        if self._odometry is None:
            raise SaySoError(Code.STALE, "there was no reading yet.", hint=_ABSENT)
        return self._odometry

    def localisation(self) -> Pose:
        """Where its base is in its frame `vision`, as of the newest reading."""
        return self._vision

    def picture(self, camera: str) -> RgbdFrame:
        """A frame of a camera of the profile, its pose in the base's frame. From any one thread.

        Raises STALE where its service is silent, CONFIG where it has no such source, or pictures
        that cannot be used.
        """
        wanted, link = self._client.cameras[camera], self._link
        if link is None:
            raise SaySoError(Code.NODE_UNAVAILABLE, f"{self._address}: no robot.", hint=_ABSENT)
        raw = image_pb2.Image.FORMAT_RAW
        asked = [
            build_image_request(source, image_format=raw) for source in (wanted.color, wanted.depth)
        ]
        try:
            client = link.images(wanted.service)
            color, depth = client.get_image(asked, timeout=_PICTURE_S)
        except UnknownImageSourceError as error:
            raise _unfit(camera, "its service has no such source") from error
        except failures.Error as error:
            text = f"{self._address}: the image service '{wanted.service}' is silent ({error})."
            raise SaySoError(Code.STALE, text, hint="see whether its camera is on.") from error
        stamp_s = min(link.clock.local_s(color.shot.acquisition_time), self._now_s())
        return _frame(camera, stamp_s, color, depth)

    def require_obeyed(self) -> None:
        """Raises what broke a motion off, and NODE_UNAVAILABLE where no robot is connected."""
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        if self._link is None:
            text = f"{self._address}: there is no robot."
            raise SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT)

    def recover(self) -> None:
        """Take the lease, clear faults, switch the motors on and stand up, once a person has seen
        to what was wrong and says so.

        Raises STOPPED while the e-stop is pressed, EXECUTION where a fault stays or the battery is
        nearly empty.
        """
        self._barred = None
        self.read()
        with self._linked() as link:
            link.hold_estop()
            state = link.state.get_robot_state(timeout=ANSWER_S)
            if (standing := self._standing_fault(state)) is not None:
                raise standing
            link.take_lease()
            for fault in state.behavior_fault_state.faults:
                link.commands.clear_behavior_fault(fault.behavior_fault_id)
            if state.power_state.motor_power_state != _ON:
                power_on_motors(link.power, _RISE_S, update_frequency=10)
            blocking_stand(link.commands, _RISE_S, update_frequency=10)
        self._fault = None
        self.read()
        self.require_obeyed()

    def sit(self) -> None:
        """Sit down and switch the motors off. Raises as `recover`."""
        self.require_obeyed()
        with self._linked() as link:
            blocking_sit(link.commands, _RISE_S, update_frequency=10)
            safe_power_off_motors(link.commands, link.state, _RISE_S, update_frequency=10)

    # -- what it is to do ---------------------------------------------------------------------

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        """Walk at a velocity in the base's frame for half a second; nothing after a fault."""
        command = RobotCommandBuilder.synchro_velocity_command(forward_m_s, left_m_s, turn_rad_s)
        self._send(command, self._now_s() + _VALID_S)

    def halt(self) -> None:
        """Stand still."""
        self.drive(0.0, 0.0, 0.0)

    def stream(self, window: JointWindow) -> None:
        """Follow the window, replacing whatever was being followed; nothing after a fault."""
        chosen = np.unique(np.linspace(0, len(window.times_s) - 1, _POINTS).round().astype(int))
        command = RobotCommandBuilder.arm_joint_move_helper(
            window.positions[chosen].tolist(),
            window.times_s[chosen].tolist(),
            ref_time=seconds_to_timestamp(self._now_s()),
            max_vel=float(self.profile.velocity_limits.max()),
            max_acc=float(self.profile.acceleration_limits.max()),
        )
        self._send(command)

    def hold(self) -> None:
        """Come to rest, base and arm; after a fault too, as far as the robot still obeys."""
        still = RobotCommandBuilder.synchro_velocity_command(0.0, 0.0, 0.0)
        rest = RobotCommandBuilder.arm_joint_freeze_command(build_on_command=still)
        if self._link is not None:
            with suppress(failures.Error, LeaseError):
                self._link.send(rest, self._now_s() + _VALID_S)

    def grip(self, width_m: float, force_n: float) -> None:
        """Open to a width, or close until the jaw presses with this force."""
        hand = self.profile.hand
        command = RobotCommandBuilder.claw_gripper_open_angle_command(
            hand.position(width_m), max_torque=2 * hand.travel_m * force_n
        )
        self._send(command)

    def hold_grip(self, width_m: float) -> None:
        """Stop the jaw at this width."""
        self.grip(width_m, self.profile.hand.force_n)

    # -- inside -------------------------------------------------------------------------------

    def _send(self, command: Any, end_s: float | None = None) -> None:
        if self._fault is not None or self._link is None:
            return
        with self._linked() as link:
            try:
                with named(self._address):
                    link.send(command, end_s)
            except SaySoError as error:
                self._look(link.state.get_robot_state(timeout=ANSWER_S))  # which tells more
                self._note(error)

    def _connect(self) -> Link:
        who, word = (os.environ.get(f"BOSDYN_CLIENT_{n}", "") for n in ("USERNAME", "PASSWORD"))
        if self._certificate and not Path(self._certificate).is_file():
            text = f"{self._address}: there is no certificate {self._certificate}."
            raise SaySoError(Code.NODE_UNAVAILABLE, text, hint="see whether the robot is started.")
        sdk = create_standard_sdk(NAME, cert_resource_glob=self._certificate or None)
        robot = sdk.create_robot(self._address)
        if self._port:
            robot.update_secure_channel_port(int(self._port))
        with ExitStack() as undone:
            undone.callback(robot.shutdown)
            try:
                robot.authenticate(who, word, timeout=ANSWER_S)
                robot.sync_with_directory()
                link = Link(robot, self._now_s, self._client.estop_timeout_s)
                undone.callback(link.close)
                with named(self._address):
                    link.acquire_lease()
            except SaySoError as error:  # another one's lease: it can be seen, not moved
                self._note(error)
            except AuthResponseError as error:
                text = f"{self._address}: it does not let '{who}' in ({error})."
                hint = "set BOSDYN_CLIENT_USERNAME and BOSDYN_CLIENT_PASSWORD, " + AGAIN
                self._barred = SaySoError(Code.CONFIG, text, hint=hint)
                raise self._barred from error
            except failures.Error as error:
                text = f"{self._address}: there is no robot ({error})."
                raise SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT) from error
            undone.pop_all()
        return link

    @contextmanager
    def _linked(self) -> Iterator[Link]:
        """Raises NODE_UNAVAILABLE where the connection is lost and, by its name, what the robot
        refuses; both are faults. The link finds the robot again by itself."""
        if self._link is None:
            text = f"{self._address}: there is no robot."
            raise SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT)
        try:
            with named(self._address):
                yield self._link
        except SaySoError as refused:
            self._note(refused)
            raise
        except failures.RpcError as error:
            text = f"{self._address}: the connection was lost ({error})."
            lost = SaySoError(Code.NODE_UNAVAILABLE, text, hint=_ABSENT[:-1] + ", " + AGAIN)
            self._note(lost)
            raise lost from error

    def _look(self, state: Any) -> None:
        """Note what keeps it from moving."""
        fault = self._standing_fault(state)
        if fault is None and (ailing := list(state.behavior_fault_state.faults)):
            cause = robot_state_pb2.BehaviorFault.Cause.Name(ailing[0].cause)
            text = f"its behaviour has a fault ({cause.removeprefix('CAUSE_').lower()})"
            fault = self._wrong(Code.EXECUTION, text)
        if fault is None and state.power_state.motor_power_state != _ON:
            fault = self._wrong(Code.EXECUTION, "its motors have no power")
        if fault is not None:
            self._note(fault)

    def _standing_fault(self, state: Any) -> SaySoError | None:
        """What `recover` cannot mend."""
        stopped = [s.name for s in state.estop_states if s.state == _ESTOPPED]
        percent = state.power_state.locomotion_charge_percentage.value
        low = percent < self._client.low_battery_percent
        critical = [f for f in state.system_fault_state.faults if f.severity == _CRITICAL]
        lasting = [f for f in state.behavior_fault_state.faults if f.status != _CLEARABLE]
        if stopped:
            hint = "release it, " + AGAIN
            text = f"{self._address}: the e-stop is pressed ({', '.join(stopped)})."
            return SaySoError(Code.STOPPED, text, hint=hint)
        if critical:
            return self._wrong(Code.EXECUTION, f"it has a fault ({critical[0].error_message})")
        if lasting:
            return self._wrong(Code.EXECUTION, "its behaviour has a fault that cannot be cleared")
        if low:
            text = f"{self._address}: its battery is at {percent:.0f} percent."
            return SaySoError(Code.EXECUTION, text, hint="charge it or change it, " + AGAIN)
        return None

    def _wrong(self, code: Code, what: str) -> SaySoError:
        return SaySoError(code, f"{self._address}: {what}.", hint=BY_HAND)

    def _note(self, fault: SaySoError) -> None:
        if self._fault is not None:
            return
        log.error("%s", fault)
        self._fault = fault
        if fault.code is not Code.NODE_UNAVAILABLE:
            self.hold()

    def _place(self, kinematics: Any, stamp_s: float) -> None:
        tree = kinematics.transforms_snapshot
        self._vision = _on_the_floor(frame_helpers.get_vision_tform_body(tree))
        odom = _on_the_floor(frame_helpers.get_odom_tform_body(tree))
        told = kinematics.velocity_of_body_in_odom
        away = odom.inverse().matrix()[:3, :3] @ (told.linear.x, told.linear.y, 0.0)
        speed = (float(away[0]), float(away[1]), told.angular.z)
        self._odometry = Odometry(stamp_s, odom, speed, LEAST_VARIANCE * np.eye(3))


def _on_the_floor(body: Any) -> Pose:
    """The base below a body's pose: x, y and the angle about z."""
    yaw = body.rot.to_yaw()
    half = yaw / 2
    return Pose((body.x, body.y, 0.0), (0.0, 0.0, float(np.sin(half)), float(np.cos(half))))


def _frame(camera: str, stamp_s: float, color: Any, depth: Any) -> RgbdFrame:
    image, far = color.shot.image, depth.shot.image
    size = (image.rows, image.cols)
    kinds = (image.pixel_format, far.pixel_format)
    if (far.rows, far.cols) != size or kinds != (image.PIXEL_FORMAT_RGB_U8, _FAR):
        raise _unfit(camera, "its depth is not aligned to its colour, or it has none")
    pixels, scale = size[0] * size[1], depth.source.depth_scale
    if (len(image.data), len(far.data)) != (3 * pixels, 2 * pixels) or not scale > 0.0:
        raise _unfit(camera, "its pictures are not as large as they say, or have no scale")
    steps = np.frombuffer(far.data, "<u2").reshape(size)
    lens = color.source.pinhole.intrinsics
    return RgbdFrame(
        camera,
        stamp_s,
        np.frombuffer(image.data, np.uint8).reshape(*size, 3),
        (steps / np.float32(scale)).astype(np.float32),
        Intrinsics(
            image.cols, image.rows,
            lens.focal_length.x, lens.focal_length.y,
            lens.principal_point.x, lens.principal_point.y,
        ),
        _in_base(camera, color.shot),
    )  # fmt: skip


def _in_base(camera: str, shot: Any) -> Pose:
    """Where a picture was taken from, in the base on the floor below the body."""
    tree, sensor = shot.transforms_snapshot, shot.frame_name_image_sensor
    try:
        ground = frame_helpers.get_a_tform_b(tree, frame_helpers.GROUND_PLANE_FRAME_NAME, "body")
        in_body = frame_helpers.get_a_tform_b(tree, "body", sensor)
    except frame_helpers.ValidateFrameTreeError as error:
        raise _unfit(camera, f"its frames are no tree ({type(error).__name__})") from error
    if ground is None or in_body is None:
        raise _unfit(camera, "it does not tell where it is, or where the floor is")
    place = np.eye(4)
    place[2, 3] = ground.z
    return Pose.from_matrix(place @ in_body.to_matrix())


def _unfit(camera: str, why: str) -> SaySoError:
    hint = "name other image sources in the profile."
    return SaySoError(Code.CONFIG, f"camera '{camera}': {why}.", hint=hint)
