"""A demonstration out of a bag of an arm that was moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from sayso import cli
from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.learning.demonstrations import folder
from sayso.robots.loading import load_robot
from sayso.ros.bags.rosbag import BagWriter
from sayso.ros.bags.shown_bag import shown_in
from sayso.ros.messages.conversions import scene_to_msg
from support.demonstrations import block_and_plate

THINGS = {"block": "block", "plate": "plate"}
ROBOT = load_robot("panda")


def joints_at(index):
    return [0.1 * i + 0.01 * index for i in range(len(ROBOT.joint_names))]


def reading(index, finger_m=0.02):
    stamp = Time(sec=10 + index // 50, nanosec=index % 50 * 20_000_000)
    names = [*ROBOT.joint_names, ROBOT.finger_names[0]]
    return JointState(
        header=Header(stamp=stamp), name=names, position=[*joints_at(index), finger_m]
    )


@pytest.fixture
def bag(tmp_path):
    scenes = [replace(block_and_plate((0.4, 0, 0), (0.5, 0.2, 0)), stamp_s=s) for s in (10, 10.5)]
    with BagWriter(tmp_path / "bag") as writer:

        def put(topic, msgtype, message, at):
            writer.write(topic, msgtype, 10**18 + at * 10_000_000, serialize_message(message))

        for index in range(20):
            put("/joint_states", "sensor_msgs/msg/JointState", reading(index), 2 * index)
        for at, scene in zip((1, 50), scenes, strict=True):
            put("/scene", "sayso_ros/msg/Scene", scene_to_msg(scene, "test"), at)
    return tmp_path / "bag"


def test_the_arms_motion_and_the_things_are_read(bag):
    shown = shown_in(bag, "wave", THINGS)
    assert (shown.words, shown.robot, len(shown.samples)) == ("wave", "panda", 20)
    tool = registry.create("kinematics", "mujoco", robot=ROBOT).forward(np.array(joints_at(3)))
    assert shown.samples[3].tool.position == pytest.approx(tool.position)
    assert shown.samples[3].stamp_s == pytest.approx(10.06)
    assert shown.samples[3].gripper_width_m == pytest.approx(ROBOT.hand.width(0.02))
    assert [k.stamp_s for k in shown.key_frames] == [10.0, 10.5]
    assert set(shown.key_frames[0].scene.by_name()) == {"block", "plate"}


def test_the_command_imports_it(bag, tmp_path):
    done = cli.main(
        ["demos", "import", str(bag), str(tmp_path / "one"), "--words", "wave", "--things"]
        + [f"{parameter}={name}" for parameter, name in THINGS.items()]
    )
    assert done == 0
    assert folder.read(tmp_path / "one").things == THINGS


def test_a_bag_without_scenes_is_refused(tmp_path):
    with BagWriter(tmp_path / "bag") as writer:
        writer.write(
            "/joint_states", "sensor_msgs/msg/JointState", 10**18, serialize_message(reading(0))
        )
    with pytest.raises(SaySoError, match="and 0 scenes") as raised:
        shown_in(tmp_path / "bag", "wave", {})
    assert raised.value.code is Code.INVALID


def test_what_is_seen_before_and_after_a_grasp_is_a_key_frame(tmp_path):
    with BagWriter(tmp_path / "bag") as writer:
        for index in range(100):  # the fingers close from 10.8 s to 11 s
            finger_m = 0.04 - 0.02 * min(max((index - 40) / 10, 0.0), 1.0)
            at = 10**18 + index * 20_000_000
            data = serialize_message(reading(index, finger_m))
            writer.write("/joint_states", "sensor_msgs/msg/JointState", at, data)
            if index % 10 == 0:
                scene = block_and_plate((0.4, 0, 0), (0.5, 0.2, 0), 10 + 0.02 * index)
                data = serialize_message(scene_to_msg(scene, "test"))
                writer.write("/scene", "sayso_ros/msg/Scene", at + 1, data)
    shown = shown_in(tmp_path / "bag", "wave", THINGS)
    first, before, after, last = (k.stamp_s for k in shown.key_frames)
    assert (first, last) == (10.0, pytest.approx(11.8))
    assert 10.5 < before <= 10.9 and 11.0 < after < 11.7
