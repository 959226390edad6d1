"""What `sayso doctor` finds on a robot's topics: all well, and each fault with its cure."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rich.console import Console
from sensor_msgs.msg import Image
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from sayso.core.diagnostics import Diagnostic, Level
from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
from sayso.ros.nodes.doctor_node import DoctorNode, print_findings
from sayso.ros.robot.transforms import transforms
from support.fake_robot import CAMERAS, FakeRobot
from support.synthetic_frames import block, cabinet, mug, render

PANDA = load_robot("panda")
THINGS = (block("red", 0.45, 0.15), mug(0.4, -0.1), *cabinet(0.65, 0.25))
COMMANDS = ("arm/joint_trajectory", "gripper/joint_trajectory")


@pytest.fixture(scope="module")
def frames() -> list[RgbdFrame]:
    rng = np.random.default_rng(3)
    return [render(THINGS, camera, rng=rng) for camera in CAMERAS]


class Lab:
    """A robot at rest whose cameras send frames, and the doctor that listens to it.

    Attributes:
        foot: frame in which the arm is said to stand.
        clock: of the computer that the cameras are on.
    """

    def __init__(self, graph, profile: RobotProfile = PANDA, cameras: Sequence[str] = CAMERAS):
        self._graph, self._profile = graph, profile
        self.robot = FakeRobot(graph, cameras)
        self.foot = PANDA.frames.base
        self.clock: Callable[[], float] = time.time

    def listen_to_commands(self) -> None:
        for topic in COMMANDS:
            self._graph.tester.create_subscription(JointTrajectory, topic, lambda _: None, 1)

    def findings(
        self, frames: Sequence[RgbdFrame], said: Sequence[RgbdFrame] = ()
    ) -> list[Diagnostic]:
        """After five frames of each camera; `said` has the poses that are told of them."""
        fixed = transforms(0.0, [("world", self.foot, Pose()), ("map", "world", Pose())]).transforms
        poses = self.robot.transforms_of(said or frames)
        self.robot.static.publish(TFMessage(transforms=[*fixed, *poses]))
        doctor = self._graph.add(DoctorNode, self._profile, camera_period_s=30.0)
        self.robot.wait_for_perception()
        timer = self._graph.tester.create_timer(
            0.2, lambda: self.robot.publish(frames, self.clock())
        )
        self._graph.wait_until(lambda: min(doctor.heard().values()) >= 5, "frames are heard")
        found = list(doctor.findings())
        timer.cancel()
        return found


def faults(found: Sequence[Diagnostic]) -> set[tuple[str, str]]:
    """But for what a busy machine brings late."""
    late = ("old when it comes", "it comes at")
    wrong = [d for d in found if d.level is not Level.OK]
    return {(d.part, d.text) for d in wrong if not any(words in d.text for words in late)}


def test_a_robot_that_offers_everything_is_well(graph, frames) -> None:
    lab = Lab(graph)
    lab.listen_to_commands()
    found = lab.findings(frames)
    assert not faults(found)
    parts = {d.part for d in found}
    assert {"/joint_states", "frame panda_link0", "camera left", "arm", "hand"} <= parts
    page = io.StringIO()
    well = [d for d in found if d.level is Level.OK]
    assert print_findings(well, PANDA, Console(file=page, width=120)) == 0
    assert "0 wrong, 0 doubtful" in page.getvalue()


def test_what_is_wrong_is_told_all_at_once(graph, frames) -> None:
    """Swapped cameras, a clock that is ahead, a foot of another name, nobody to command."""
    lab = Lab(graph)
    lab.foot, lab.clock = "base", lambda: time.time() + 5.0
    left, right = frames
    swapped = [replace(left, pose=right.pose), replace(right, pose=left.pose)]
    found = lab.findings(frames, swapped)
    wrong = {d.part: d for d in found if d.level is Level.ERROR}
    assert "in the future" in wrong["/joint_states"].text
    assert "panda_link0" in wrong["frame panda_link0"].text
    assert "swapped" in wrong["cameras left, right"].cure
    assert "nobody listens" in wrong["arm"].text
    page = io.StringIO()
    assert print_findings(found, PANDA, Console(file=page, width=120)) == 1
    assert "swapped" in page.getvalue()


def test_another_topic_is_proposed_only_where_somebody_publishes_it(graph) -> None:
    graph.publisher(Image, "/camera/left/image", peers=0)
    doctor = graph.add(DoctorNode, PANDA)

    def cures() -> dict[str, str]:
        return {d.part: d.cure for d in doctor.findings() if "nobody publishes" in d.text}

    color = "/camera/left/color/image_raw"
    graph.wait_until(lambda: "/camera/left/image" in cures().get(color, ""), "it is discovered")
    assert not [c for c in cures().values() if "image_raw" in c or "camera_info" in c]


def test_who_commands_past_the_gate_is_named(graph, frames) -> None:
    lab = Lab(graph)
    lab.listen_to_commands()
    graph.tester.create_publisher(JointTrajectory, COMMANDS[0], 1)
    assert ("arm", "/tester may command it past the motion gate") in faults(lab.findings(frames))


def test_a_base_that_nobody_localises_hides_nothing_else(graph, frames) -> None:
    """Its cameras' frames are known, its own is not."""
    lab = Lab(graph, load_robot("mobile_panda"), ("front", "gripper"))
    seen = [replace(f, camera=c) for f, c in zip(frames, ("front", "gripper"), strict=True)]
    found = {d.part: d for d in lab.findings(seen)}
    assert "base_link" in found["frame base_link"].text
    assert found["camera front"].level is Level.OK
    assert "nobody listens" in found["base"].text


def test_who_sends_goals_past_the_gate_is_named(graph) -> None:
    fr3 = load_robot("fr3_ros2")
    client = ActionClient(graph.tester, FollowJointTrajectory, fr3.drivers.arm.name)
    doctor = graph.add(DoctorNode, fr3)

    def named() -> bool:
        return any(
            d.part == "arm" and "/tester may command it" in d.text for d in doctor.findings()
        )

    graph.wait_until(named, "the client is discovered")
    client.destroy()
