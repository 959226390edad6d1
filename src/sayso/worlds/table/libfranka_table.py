"""The table, its arm behind a server of libfranka's own protocol on the loopback address.

Server and protocol are franky-sim's (extra `franka`), physics, things and cameras the table's. A
real client, such as franky's, commands the arm; it sees the same states, errors and answers.
"""

from __future__ import annotations

import logging
import select
import time
from collections.abc import Callable, Mapping
from typing import Any

import franky_sim
import mujoco
import numpy as np
import numpy.typing as npt
from franky_sim.base_simulator import InnerRobotState
from franky_sim.franka_gripper_protocol import GripperCommandStatus
from franky_sim.franka_gripper_server import FrankaGripperServer
from franky_sim.franka_robot_protocol import (
    AutomaticErrorRecoveryCommand,
    AutomaticErrorRecoveryStatus,
    BaseCommand,
    MoveStatus,
    RobotCommand,
    RobotMode,
    SetCollisionBehaviorCommand,
)

from sayso.core.geometry import Array
from sayso.robots.profile import RobotProfile
from sayso.worlds import cameras
from sayso.worlds.noise import NoiseModel
from sayso.worlds.simulated_arm import SimulatedArm
from sayso.worlds.table.layout import Layout
from sayso.worlds.table.table_world import TableWorld

log = logging.getLogger(__name__)
TICK_S = 0.001
"""Of libfranka's control loop."""
_ANSWER_S = 0.2
"""Wall time given to a client for its next command: simulated time does not run away from it."""
_SMOOTH_S = 0.05
_AT_REST = 0.01  # [rad/s]: states and commands are rounded on their way
_ERRORS = 41
JOINT_REFLEX, POSITION_LIMITS = 6, 0
"""Places of errors in libfranka's states."""


class LibfrankaTable(TableWorld):
    """A `TableWorld` whose arm takes commands from a libfranka client alone.

    Args:
        address: of the loopback network, where the robot is found (ports 1337 and 1338).
    """

    def __init__(
        self,
        seed: int = 0,
        noise: NoiseModel | None = None,
        profile: RobotProfile | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self._server: _RobotServer | None = None
        super().__init__(seed, noise, profile)
        self._model.opt.timestep = TICK_S
        self._robot = _Robot(self._arm, self._data)
        self._server = _RobotServer(self._robot, [address])

    @property
    def commanded(self) -> Array:
        """Where its joints are told to be now (7,) [rad]."""
        return self._robot.commanded

    def warm_up(self) -> None:
        """As of a table; only then clients are heard, for they give up a robot that is silent."""
        super().warm_up()
        self.picture()
        self.listen()

    def listen(self) -> None:
        """Let clients connect."""
        if self._server is not None:
            self._server.init()

    def picture(self, camera: str = cameras.OVERVIEW) -> npt.NDArray[np.uint8]:
        """A picture for people, without shadows: the client waits meanwhile."""
        return self._sensor_renderer().rgb(self._data, self._mount(camera).name)

    def step(self, dt_s: float) -> None:
        """Advance physics by dt_s, in libfranka's ticks of a millisecond."""
        if self._server is None:  # while the things settle
            super().step(dt_s)
            return
        for _ in range(max(1, round(dt_s / TICK_S))):
            self._server.process_commands()
            self._robot.command()
            mujoco.mj_step(self._model, self._data)
            self._robot._post_step()
            met_nm, beyond = self._robot.external_torques(), self._robot.beyond_limits()
            if self._server.trips(met_nm, beyond):
                log.warning("it stops: %s Nm met, touching %s", met_nm.round(1), self.contacts())
            self._server.send_state()
            self._server.wait_for_command()

    def reset(self, seed: int, layout: Layout | None = None) -> None:
        """As of a table; a client's motion is broken off."""
        server, self._server = self._server, None
        super().reset(seed, layout)
        self._server = server
        if server is not None:
            self._robot.forget()
            server.break_off()

    def switches(self) -> Mapping[str, Callable[[bool], None]]:
        """The drawer, and what may happen to a robot: by the name of its service."""
        server = self._server
        if server is None:
            return super().switches()
        return {
            **super().switches(),
            "user_stop": server.press_user_stop,
            "link_lost": server.cut,
        }

    def close(self) -> None:
        super().close()
        if self._server is not None:
            self._server.cleanup()


class _Robot(franky_sim.BaseRobot):  # type: ignore[misc]  # untyped
    """franky-sim's robot, moved by the motors of the table's arm."""

    def __init__(self, arm: SimulatedArm, data: mujoco.MjData) -> None:
        self._arm, self._data = arm, data
        self._wanted: Array | None = None
        self.speeds: Array = np.zeros(7)
        self.accelerations: Array = np.zeros(7)
        self._met: Array = np.zeros(7)
        self._before: Array | None = None
        self._width_m = self._goal_m = arm.robot.hand.width_m
        self._speed_m_s, self._force_n = 0.0, 1.0
        without_weight = franky_sim.RobotParameters(gravity=(0.0, 0.0, 0.0))
        super().__init__(robot_parameters=without_weight)  # the model compensates it

    @property
    def commanded(self) -> Array:
        """(7,) [rad]; where they are, before anything is wanted."""
        at: Array = self._data.qpos[self._arm.parts.arm] if self._wanted is None else self._wanted
        return at.copy()

    def forget(self) -> None:
        """What was wanted of it: it stays where it was put."""
        self._wanted = self._before = None
        self.speeds, self.accelerations = np.zeros(7), np.zeros(7)
        self.joint_position_control(self.commanded)
        self._post_step()
        self._width_m = self._goal_m = self._arm.robot.hand.width_m

    def command(self) -> None:
        """Set the motors for the next tick."""
        if self._wanted is not None:
            before = self._wanted if self._before is None else self._before
            speeds = (self._wanted - before) / TICK_S
            self.accelerations, self.speeds = (speeds - self.speeds) / TICK_S, speeds
            self._arm.track(self._wanted, speeds)
            self._before = self._wanted
        most = 2 * self._speed_m_s * TICK_S  # both fingers move
        if (off := self._goal_m - self._width_m) != 0.0:
            self._width_m += float(np.clip(off, -most, most))
            self._arm.grip(self._width_m, self._force_n)

    def external_torques(self) -> Array:
        """(7,) of contacts, on the joints [Nm], without their short peaks, as a robot estimates."""
        now = self._data.qfrc_constraint[self._arm.parts.arm_dof]
        self._met += TICK_S / _SMOOTH_S * (now - self._met)
        return self._met

    def beyond_limits(self) -> bool:
        """Whether a joint is sent out of its range; the way back in is free."""
        if (wanted := self._wanted) is None:
            return False
        low, high = self._arm.ranges
        out = (wanted < low) & (self.speeds < -_AT_REST) | (wanted > high) & (
            self.speeds > _AT_REST
        )
        return bool(out.any())

    # -- what franky-sim asks of a robot ------------------------------------------------------

    def joint_position_control(self, target_q: Any, has_new_command: bool = True) -> None:
        """Before a motion's first command it stays: franky-sim would jump to where it measures."""
        stays = not has_new_command and self._wanted is not None
        super().joint_position_control(self._wanted if stays else target_q, has_new_command)

    def _joint_position_control(self, target_q: Array) -> None:
        self._wanted = np.array(target_q)
        self.torque_control(self._data.qfrc_actuator[self._arm.parts.arm_dof])

    def _torque_control(self, torques: Array) -> None:
        """Torques are told in the state; motors move the joints."""

    def _get_state(self) -> InnerRobotState:
        parts, data = self._arm.parts, self._data
        return InnerRobotState(
            q=tuple(data.qpos[parts.arm].tolist()),
            dq=tuple(data.qvel[parts.arm_dof].tolist()),
            tau_j=tuple(data.qfrc_actuator[parts.arm_dof].tolist()),
        )

    def set_hand_goal(self, width: float, max_velocity: float, max_force: float) -> None:
        self._goal_m, self._speed_m_s, self._force_n = width, max_velocity, max_force
        self._width_m = self._get_hand_width() if width > self._width_m else self._width_m

    def _get_hand_width(self) -> float:
        hand = self._arm.robot.hand
        return hand.width(float(np.mean(self._data.qpos[self._arm.parts.fingers])))


class _SetCollisionBehavior(SetCollisionBehaviorCommand):  # type: ignore[misc]  # untyped
    """Keeps the thresholds."""

    def handle(self, server: Any) -> None:
        server.thresholds_nm = np.array(self.upper_torque_thresholds_nominal)
        self.reply(0)


class _Recover(AutomaticErrorRecoveryCommand):  # type: ignore[misc]  # untyped
    """Clears errors, unless the user stop is pressed."""

    def handle(self, server: Any) -> None:
        status = AutomaticErrorRecoveryStatus
        if server.user_stopped:
            self.reply(status.kCommandRejectedDueToActivatedSafetyFunctions)
            return
        server.errors = frozenset()
        self.reply(status.kSuccess)


class _Commands(franky_sim.FrankaServer):  # type: ignore[misc]  # untyped
    """Puts the commands that do something here in the place of franky-sim's."""

    def __init__(self, hosts: Any, port: int, commands: Any, version: int) -> None:
        own = {
            RobotCommand.kSetCollisionBehavior: _SetCollisionBehavior,
            RobotCommand.kAutomaticErrorRecovery: _Recover,
        }
        super().__init__(hosts, port, {**commands, **own}, version)


class _HandServer(FrankaGripperServer):  # type: ignore[misc]  # untyped
    """franky-sim's hand; what takes the place of a command ends it, and its sender is told."""

    def _start_motion(self, *motion: Any) -> None:
        self._abort()
        super()._start_motion(*motion)

    def stop(self, command_id: int, tcp_socket: Any) -> None:
        self._abort()
        super().stop(command_id, tcp_socket)

    def _abort(self) -> None:
        if self._pending_command_id is None:
            return
        BaseCommand.send_response(
            self._pending_tcp_socket,
            self._pending_command_type,
            self._pending_command_id,
            GripperCommandStatus.kAborted,
            command_type_struct="H",
            status_type_struct="H",
        )


class _RobotServer(franky_sim.FrankaRobotServer, _Commands):  # type: ignore[misc]  # untyped
    """franky-sim's server, with reflexes, a user stop, and a link that can be cut."""

    def __init__(self, robot: _Robot, hosts: list[str]) -> None:
        self.errors: frozenset[int] = frozenset()
        self.user_stopped = False
        self.thresholds_nm = np.full(7, np.inf)
        self._cut = self._answered = False
        super().__init__(robot, hosts)  # type: ignore[call-arg, arg-type]  # franky-sim's own

    def press_user_stop(self, pressed: bool) -> None:
        """As the button beside the robot."""
        self.user_stopped = pressed
        if pressed:
            self.break_off(MoveStatus.kPreemptedDueToActivatedSafetyFunctions)

    def cut(self, lost: bool) -> None:
        """The network cable: while it is out nothing is heard, and the robot stops."""
        if lost == self._cut:
            return
        self._cut = lost
        if not lost:
            self.init()
            return
        self.stop_motion(send_preemption_signal=False)
        self.cleanup()
        for server in (self, self.gripper_server):
            server.reset_state()

    def trips(self, torques_nm: Array, beyond_limits: bool) -> bool:
        """Break off where joints meet more than the client's thresholds, or are sent too far."""
        met = bool(np.any(np.abs(torques_nm) > self.thresholds_nm))
        if not self.current_motion_id or not (met or beyond_limits):
            return False
        self.errors |= {POSITION_LIMITS if beyond_limits else JOINT_REFLEX}
        self.break_off(MoveStatus.kReflexAborted)
        return True

    def break_off(self, why: MoveStatus = MoveStatus.kAborted) -> None:
        """End a motion under way, at rest, and tell the client why."""
        if motion := self.current_motion_id:
            BaseCommand.send_response(self._tcp_socket, RobotCommand.kMove, motion, why)
            self.reset_current_motion_id()
        self.stop_motion(send_preemption_signal=False)

    def wait_for_command(self) -> None:
        """For the answer to the newest state, so that a busy machine loses none."""
        self._answered = False
        latest = time.monotonic() + _ANSWER_S
        heard = self._FrankaServer__udp_socket  # franky-sim's own
        while self.current_motion_id and (left_s := latest - time.monotonic()) > 0:
            self._process_udp_commands()
            if self._answered or heard is None:
                return
            select.select([heard], [], [], left_s)

    # -- what franky-sim's server does -----------------------------------------------------------

    def _bind_children(self, hostname: str) -> None:
        hand = _HandServer(self.robot, hostname)
        hand.init()
        self._FrankaRobotServer__gripper_server = hand  # where franky-sim looks for it

    def start_motion(self, controller_mode: Any, generator_mode: Any, motion_id: int) -> None:
        if self.errors or self.user_stopped:
            raise ValueError("the robot does not move before its errors are recovered from.")
        super().start_motion(controller_mode, generator_mode, motion_id)

    def process_commands(self) -> None:
        if self._cut:
            self._pre_process_commands()
            self._post_process_commands()
        else:
            super().process_commands()

    def _pre_process_commands(self) -> None:
        if not self._answered:  # else there is a new command, taken while it was waited for
            super()._pre_process_commands()

    def send_state(self) -> None:
        if not self._cut:
            super().send_state()

    @property
    def robot_state(self) -> Any:
        state, flags = super().robot_state, tuple(i in self.errors for i in range(_ERRORS))
        mode = RobotMode.kReflex if self.errors else state.robot_mode
        mode = RobotMode.kUserStopped if self.user_stopped else mode
        return state.replace(
            robot_mode=mode,
            errors=flags,
            reflex_reason=flags,
            dq_d=tuple(self.robot.speeds),  # a client plans on from these; franky-sim smooths them
            ddq_d=tuple(self.robot.accelerations),
        )

    def _handle_udp_command(self, command_data: bytes) -> None:
        self._answered = True
        super()._handle_udp_command(command_data)
