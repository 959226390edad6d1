"""`sayso doctor`: whether a robot and its cameras offer what SaySo needs, before anything moves.

Listens for some seconds with the parameters that perception is started with, and judges by
`robots.checks` and `perception.camera_checks`. It publishes nothing and moves nothing.
"""

from __future__ import annotations

import argparse
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rclpy
from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_names_and_types,
)
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from sensor_msgs.msg import CameraInfo, Image, JointState

from sayso.adapters import registry
from sayso.core.diagnostics import Diagnostic, Level, ok, warn, wrong
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import RgbdFrame
from sayso.perception.camera_checks import (
    LevelSurface,
    check_agreement,
    check_depth,
    check_surface,
)
from sayso.robots.checks import Arrival, Stream, check_joints, check_stream
from sayso.robots.loading import load_robot
from sayso.robots.profile import Driver, RobotProfile
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.images import depth_from_msg, intrinsics_from_msg, rgb_from_msg
from sayso.ros.messages.qos import SENSOR
from sayso.ros.nodes.flat_perception_node import FlatPerceptionConfig
from sayso.ros.nodes.perception_params import as_launched, perception_config
from sayso.ros.robot.drivers import BASE_FRAME
from sayso.ros.robot.transforms import TransformListener
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.node_removal import end
from sayso.ros.runtime.spinning import SpinningThread

_KEPT = 8
_FLOOR_M = 4.0
_ACTIONS = {
    "follow_joint_trajectory": "control_msgs/action/FollowJointTrajectory",
    "gripper_command": "control_msgs/action/GripperCommand",
}
_TOPICS = {
    "joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
    "twist": "geometry_msgs/msg/Twist",
    "twist_stamped": "geometry_msgs/msg/TwistStamped",
}
_GATE = ("executor",)
"""Nodes whose commands pass the motion gate."""
_MARKS = {Level.OK: "[green]ok[/]   ", Level.WARN: "[yellow]WARN[/] ", Level.ERROR: "[red]ERROR[/]"}


@dataclass
class _Heard:
    """What came on a topic: when, and the newest messages."""

    topic: str
    wanted: str
    entry: str
    rate_hz: float
    arrivals: list[Arrival] = field(default_factory=list)
    newest: deque[Any] = field(default_factory=lambda: deque(maxlen=_KEPT))


class DoctorNode(Node):
    """Collects what comes on the topics of a robot and its cameras.

    Args:
        robot: its profile, for what stands in the parameters' file as `robot`.
    """

    def __init__(self, robot: RobotProfile, **kwargs: Any) -> None:
        super().__init__("doctor", **kwargs)
        self.robot = robot
        self.config = perception_config(self, robot)
        self._limits = robot.gate_limits()
        self._lock = threading.Lock()
        self._transforms = TransformListener(self)
        self._begun_s = self._now_s()
        self._heard: dict[str, _Heard] = {}
        rate_hz = 1 / self.config.camera_period_s
        for topics in self._cameras().values():
            self._listen(topics.color, Image, "color_topics", rate_hz)
            self._listen(topics.depth, Image, "depth_topics", rate_hz)
            self._listen(topics.info, CameraInfo, "info_topics", 0.0)
        for topic in robot.drivers.joint_states:
            needed_hz = 1 / self._limits.fresh_s  # or the gate closes between two readings
            self._listen(topic, JointState, "the profile's drivers: joint_states", needed_hz)

    def _cameras(self) -> Mapping[str, Any]:
        return self.config.topics_of(self.config.cameras)

    def _listen(self, topic: str, kind: type, entry: str, rate_hz: float) -> None:
        name = self.resolve_topic_name(topic)
        module, _, _ = kind.__module__.partition(".msg")
        wanted = f"{module}/msg/{kind.__name__}"
        heard = self._heard[topic] = _Heard(name, wanted, entry, rate_hz)
        take = receiving(name, partial(self._take, heard))
        self.create_subscription(kind, topic, take, SENSOR)

    def _take(self, heard: _Heard, message: Any) -> None:
        arrival = Arrival(time_from_msg(message.header.stamp), self._now_s())
        with self._lock:
            heard.arrivals.append(arrival)
            heard.newest.append(message)

    def _now_s(self) -> float:
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def heard(self) -> Mapping[str, int]:
        """How many messages came, by topic."""
        with self._lock:
            return {heard.topic: len(heard.arrivals) for heard in self._heard.values()}

    # -- judging ---------------------------------------------------------------------------

    def findings(self) -> Iterator[Diagnostic]:
        """All that was found, parts in the order in which they depend on each other."""
        yield from self._clock_findings()
        yield from self._stream_findings()
        yield from self._joint_findings()
        yield from self._frame_findings()
        yield from self._camera_findings()
        yield from self._driver_findings()

    def _clock_findings(self) -> Iterator[Diagnostic]:
        follows = bool(self.get_parameter("use_sim_time").value)
        clocks = self.count_publishers("/clock")
        if follows and not clocks:
            yield wrong("/clock", "nobody publishes it", "leave --sim-time away with a real robot.")
        elif clocks and not follows:
            yield wrong(
                "/clock",
                "somebody publishes it, and this check does not follow it",
                "with a simulator say --sim-time; with a real robot end what publishes it.",
            )

    def _stream_findings(self) -> Iterator[Diagnostic]:
        named = dict(self.get_topic_names_and_types())
        topics = {n: types for n, types in named.items() if self.count_publishers(n)}
        for heard in self._heard.values():
            publishers = self.get_publishers_info_by_topic(heard.topic)
            with self._lock:
                stream = Stream(
                    heard.topic,
                    heard.wanted,
                    tuple(p.topic_type for p in publishers),
                    tuple(heard.arrivals),
                    self._begun_s,
                    self._now_s(),
                )
            joints = heard.wanted.endswith("JointState")
            yield from check_stream(
                stream,
                topics,
                rate_hz=heard.rate_hz,
                fresh_s=self._limits.fresh_s if joints else self.config.camera_period_s * 2,
                entry=heard.entry if joints else f"perception's parameter {heard.entry}",
            )

    def _newest(self, topic: str) -> Sequence[Any]:
        with self._lock:
            return tuple(self._heard[topic].newest)

    def _joint_findings(self) -> Iterator[Diagnostic]:
        topics = self.robot.drivers.joint_states
        told = [
            dict(zip(message.name, map(float, message.position), strict=False))
            for topic in topics
            for message in self._newest(topic)
        ]
        if told:
            kinematics = registry.create("kinematics", self.config.kinematics, robot=self.robot)
            part = ", ".join(self._heard[t].topic for t in topics)
            yield from check_joints(self.robot, kinematics.limits, told, part)

    def _frame_findings(self) -> Iterator[Diagnostic]:
        if self.robot.base is not None:
            yield from self._frame_finding(self._base_frame, "the base's localisation and odometry")
        else:
            yield from self._frame_finding(self.robot.frames.base, "a static transform")

    @property
    def _base_frame(self) -> str:
        config = self.config
        return config.base_frame if isinstance(config, FlatPerceptionConfig) else BASE_FRAME

    def _frame_finding(self, frame: str, source: str) -> Iterator[Diagnostic]:
        part = f"frame {frame}"
        try:
            pose = self._transforms.lookup(self.config.frame, frame, self._now_s())
        except SaySoError as error:
            yield wrong(part, error.message, f"publish it in /tf: {source}.")
            return
        x, y, z = pose.position
        yield ok(part, f"at ({x:.2f}, {y:.2f}, {z:.2f}) m in {self.config.frame}")

    def _camera_findings(self) -> Iterator[Diagnostic]:
        frames = []
        for camera in self._cameras():
            try:
                frame = self._frame(camera)
            except SaySoError as error:
                yield wrong(f"camera {camera}", error.message, error.hint)
                continue
            if frame is None:
                continue  # what does not come was told
            found = list(check_depth(frame))
            yield from found
            if found[-1].level is Level.OK:
                frames.append(frame)
        if not frames:
            return
        try:
            surface = self._surface(max(f.stamp_s for f in frames))
        except SaySoError:
            return  # that the base's frame is not known was told
        fixed = [f for f in frames if self.robot.base is None or not self._on_hand(f)]
        for frame in fixed:
            yield from check_surface(frame, surface)
        yield from check_agreement(frames, surface)

    def _on_hand(self, frame: RgbdFrame) -> bool:
        """Whether it looks at what the hand is about to do, and not at the floor."""
        client = self.robot.client
        known = client.cameras.get(frame.camera) if client else None
        return known.on_hand if known else frame.camera == "gripper"

    def _surface(self, stamp_s: float) -> LevelSurface:
        """Raises STALE where it is not known where the base was then."""
        if self.robot.base is not None:
            x, y, _ = self._transforms.lookup(self.config.frame, self._base_frame, stamp_s).position
            reach = _FLOOR_M
            return LevelSurface("floor", (x - reach, y - reach), (x + reach, y + reach))
        low, high = self.robot.workspace.low, self.robot.workspace.high
        return LevelSurface("table", (0.2, low[1]), (high[0], high[1]))

    def _frame(self, camera: str) -> RgbdFrame | None:
        """The newest whole frame of a camera. None while a part of it did not come."""
        topics = self._cameras()[camera]
        color, depth, info = map(self._newest, (topics.color, topics.depth, topics.info))
        if not (color and depth and info):
            return None
        pairs = [
            (abs(time_from_msg(c.header.stamp) - time_from_msg(d.header.stamp)), i)
            for i, c in enumerate(color)
            for d in depth
        ]
        apart_s, best = min(pairs)
        if apart_s > self.config.slop_s:
            raise SaySoError(
                Code.STALE,
                f"colour and depth are stamped {apart_s:.3f} s apart at least.",
                hint="switch the camera's synchronisation on, or raise perception's slop_s.",
            )
        image = color[best]
        near = min(
            depth,
            key=lambda d: abs(time_from_msg(d.header.stamp) - time_from_msg(image.header.stamp)),
        )
        stamp_s = time_from_msg(image.header.stamp)
        return RgbdFrame(
            camera=camera,
            stamp_s=stamp_s,
            rgb=rgb_from_msg(image),
            depth_m=depth_from_msg(near),
            intrinsics=intrinsics_from_msg(info[-1], rectified=topics.rectified),
            pose=self._transforms.lookup(self.config.frame, image.header.frame_id, stamp_s),
        )

    def _driver_findings(self) -> Iterator[Diagnostic]:
        drivers = self.robot.drivers
        yield from self._driver_finding("arm", drivers.arm)
        yield from self._driver_finding("hand", drivers.hand)
        if self.robot.base is not None:
            yield from self._driver_finding("base", drivers.base)

    def _driver_finding(self, part: str, driver: Driver) -> Iterator[Diagnostic]:
        name = self.resolve_topic_name(driver.name)
        start = "start the node `driver`." if self.robot.client else "start its controller."
        if (action := _ACTIONS.get(driver.kind)) is not None:
            offered: Mapping[str, Sequence[str]] = dict(get_action_names_and_types(self))
            if action in offered.get(name, ()):
                yield ok(part, f"takes goals on {name}")
            else:
                same = sorted(n for n, types in offered.items() if action in types)
                other = f" or name it in the profile: {', '.join(same)}." if same else ""
                yield wrong(part, f"nobody offers the action {name}", f"{start}{other}")
            yield from self._past_the_gate(part, self._clients_of(name))
        elif (kind := _TOPICS.get(driver.kind)) is not None:
            takers = [s.topic_type for s in self.get_subscriptions_info_by_topic(name)]
            if kind in takers:
                yield ok(part, f"takes commands on {name}")
            else:
                told = f"it is taken as {takers[0]}" if takers else "nobody listens to it"
                yield wrong(part, f"{name} is to be {kind}: {told}", start)
            publishers = self.get_publishers_info_by_topic(name)
            yield from self._past_the_gate(
                part, {_full(p.node_namespace, p.node_name) for p in publishers}
            )

    def _clients_of(self, action: str) -> set[str]:
        """The nodes that may send goals of an action."""
        return {
            _full(namespace, name)
            for name, namespace in self.get_node_names_and_namespaces()
            if action in dict(get_action_client_names_and_types_by_node(self, name, namespace))
        }

    def _past_the_gate(self, part: str, commanders: set[str]) -> Iterator[Diagnostic]:
        others = commanders - {_full(self.get_namespace(), n) for n in _GATE}
        if others:
            yield warn(
                part,
                f"{', '.join(sorted(others))} may command it past the motion gate",
                "end what is not needed: no 'never' holds for it.",
            )


def _full(namespace: str, name: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"


def examine(options: argparse.Namespace, console: Console) -> int:
    """`sayso doctor`: 0 if nothing is wrong."""
    robot = load_robot(options.robot)
    rclpy.init()
    try:
        node = DoctorNode(robot, **as_launched(options, robot, options.cameras))
        found = _listened(node, options.seconds, console)
    finally:
        rclpy.try_shutdown()
    return print_findings(found, robot, console)


def _listened(node: DoctorNode, seconds: float, console: Console) -> Sequence[Diagnostic]:
    executor = MultiThreadedExecutor(num_threads=2)
    executor.add_node(node)
    spinning = SpinningThread(executor, node.context)
    spinning.start()
    try:
        pause = threading.Event()
        for _ in track(
            range(20), f"Listening for {seconds:.0f} s", console=console, transient=True
        ):
            pause.wait(seconds / 20)
        return tuple(node.findings())
    finally:
        spinning.stop()
        end(node)


def print_findings(found: Sequence[Diagnostic], robot: RobotProfile, console: Console) -> int:
    """Print what was found; 1 where something is wrong, else 0."""
    write: Callable[[str], None] = partial(console.print, highlight=False)
    for diagnostic in found:
        write(f"{_MARKS[diagnostic.level]} {escape(f'{diagnostic.part}: {diagnostic.text}')}")
        if diagnostic.cure:
            write(f"        {escape(diagnostic.cure)}")
    errors = sum(d.level is Level.ERROR for d in found)
    warnings = sum(d.level is Level.WARN for d in found)
    write(f"\n{robot.title}: {errors} wrong, {warnings} doubtful, {len(found)} findings.")
    return int(errors > 0)
