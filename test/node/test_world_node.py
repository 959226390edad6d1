"""The simulated world over ROS: what a robot's drivers offer, and the disturbances for tests."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point
from rclpy.action import get_action_names_and_types
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sayso_ros.msg import GroundTruth, Status
from sayso_ros.srv import PerturbWorld, ResetWorld
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from sayso.core.errors import SaySoError
from sayso.core.ports import JointWindow
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.images import (
    depth_from_msg,
    image_from_msg,
    intrinsics_from_msg,
    rgb_from_msg,
)
from sayso.ros.messages.qos import SENSOR
from sayso.ros.nodes.world_node import WorldNode
from sayso.ros.robot.drivers import RosArmDriver
from sayso.ros.robot.transforms import TransformListener
from sayso.worlds.table.table_world import TableWorld

FAST = {"real_time_factor": 20.0, "noise": False}
READY = load_robot("panda").ready
ARM = [f"panda_joint{i}" for i in range(1, 8)]
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def perturb(graph, **fields):
    return graph.call(PerturbWorld, "/world/perturb", PerturbWorld.Request(**fields)).status


def positions(truth: GroundTruth) -> dict[str, tuple[float, float, float]]:
    return {
        o.name: (o.pose.position.x, o.pose.position.y, o.pose.position.z) for o in truth.objects
    }


def arm_to(joints, seconds: float) -> JointTrajectory:
    point = JointTrajectoryPoint(
        positions=[float(q) for q in joints],
        time_from_start=Duration(sec=int(seconds), nanosec=round(seconds % 1 * 1e9)),
    )
    return JointTrajectory(joint_names=ARM, points=[point])


def test_a_camera_gives_colour_depth_calibration_and_its_place(graph) -> None:
    color = graph.listen(Image, "/camera/left/color/image_raw")
    depth = graph.listen(Image, "/camera/left/depth/image_raw")
    info = graph.listen(CameraInfo, "/camera/left/color/camera_info")
    jpeg = graph.listen(CompressedImage, "/camera/left/color/image_raw/compressed")
    frames = TransformListener(graph.tester)
    graph.add(WorldNode, seed=3, **FAST)

    first = depth.wait()
    stamp = first.header.stamp
    rgb = rgb_from_msg(color.wait(lambda m: m.header.stamp == stamp))
    packed = jpeg.wait(lambda m: m.header.stamp == stamp)

    assert first.encoding == "16UC1"
    assert first.header.frame_id == "left_optical_frame"
    expected = TableWorld(3)
    truth = expected.render("left")
    expected.close()
    assert np.abs(depth_from_msg(first) - truth.depth_m).max() < 2e-3
    assert np.abs(rgb.astype(int) - truth.rgb).mean() < 1.0
    assert intrinsics_from_msg(info.wait()) == truth.intrinsics
    pose = frames.lookup("world", "left_optical_frame", time_from_msg(stamp))
    assert pose.matrix() == pytest.approx(truth.pose.matrix(), abs=1e-6)
    decoded = cv2.cvtColor(
        cv2.imdecode(np.frombuffer(packed.data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB
    )
    assert np.abs(decoded.astype(int) - rgb).mean() < 4.0


def test_joints_frames_and_clock_run_in_simulated_time(graph) -> None:
    joints = graph.listen(JointState, "/joint_states")
    clock = graph.listen(Clock, "/clock")
    moving = graph.listen(TFMessage, "/tf")
    frames = TransformListener(graph.tester)
    graph.add(WorldNode, **FAST)
    state = joints.wait()
    assert list(state.name) == [*ARM, "panda_finger_joint1", "panda_finger_joint2"]
    assert state.position[:7] == pytest.approx(READY, abs=1e-2)
    later = joints.wait(
        lambda m: time_from_msg(m.header.stamp) > time_from_msg(state.header.stamp) + 0.5
    )
    clock.wait(lambda m: time_from_msg(m.clock) >= time_from_msg(later.header.stamp))
    stamps = [time_from_msg(m.header.stamp) for m in joints.messages]
    assert np.diff(stamps) == pytest.approx(0.02, abs=1e-6)
    moving.wait(lambda m: m.transforms[0].header.stamp == later.header.stamp)
    tool = frames.lookup("world", "panda_hand_tcp", time_from_msg(later.header.stamp))
    assert tool.position == pytest.approx((0.307, 0.0, 0.487), abs=5e-3)
    frames.lookup("world", "wrist_optical_frame", time_from_msg(later.header.stamp))


def test_the_arm_follows_and_holds_and_refuses_what_makes_no_sense(graph) -> None:
    joints = graph.listen(JointState, "/joint_states")
    graph.add(WorldNode, **FAST)
    arm = graph.publisher(JointTrajectory, "/arm/joint_trajectory")
    goal = [READY[0] + 0.3, *READY[1:]]
    joints.wait()
    arm.publish(arm_to(goal, 0.4))
    joints.wait(lambda m: abs(m.position[0] - goal[0]) < 5e-3)

    joints.clear()
    wrong = arm_to(READY, 0.4)
    wrong.joint_names = ["elbow", *ARM[1:]]
    arm.publish(wrong)
    arm.publish(arm_to([*READY[:6], READY[6] + 0.4], 0.4))
    joints.wait(lambda m: abs(m.position[6] - READY[6] - 0.4) < 5e-3)

    arm.publish(arm_to([READY[0] - 2.5, *READY[1:]], 40.0))
    joints.wait(lambda m: m.velocity[0] < -0.04)
    arm.publish(JointTrajectory(joint_names=ARM))
    joints.clear()
    stopped = joints.wait(lambda m: max(map(abs, m.velocity[:7])) < 0.005)
    assert stopped.position[0] > READY[0] - 2.4


def test_the_gripper_takes_half_its_width(graph) -> None:
    joints = graph.listen(JointState, "/joint_states")
    graph.add(WorldNode, **FAST)
    gripper = graph.publisher(JointTrajectory, "/gripper/joint_trajectory")
    point = JointTrajectoryPoint(positions=[0.01])
    gripper.publish(JointTrajectory(joint_names=["panda_finger_joint1"], points=[point]))
    joints.wait(lambda m: abs(m.position[7] - 0.01) < 1e-3 and abs(m.position[8] - 0.01) < 1e-3)


def test_the_world_offers_the_actions_that_the_profile_names(graph) -> None:
    """Over the drivers themselves: the arm goes there, the fingers close with their force."""
    robot = load_robot("fr3_ros2")
    actions = {f"/{robot.drivers.arm.name}", f"/{robot.drivers.hand.name}"}
    joints = graph.listen(JointState, "/joint_states")
    graph.add(WorldNode, robot=robot.name, **FAST)
    driver = RosArmDriver(graph.tester, robot)

    def offered() -> bool:
        names = {name for name, _ in get_action_names_and_types(graph.tester)}
        return actions <= names

    graph.wait_until(offered, "both actions are known")
    joints.wait()
    goal = [*READY[:6], READY[6] + 0.3]

    def arrived() -> bool:
        driver.stream(JointWindow(np.array([0.0, 1.0]), np.array([READY, goal])))
        return abs(joints.messages[-1].position[6] - goal[6]) < 2e-3

    graph.wait_until(arrived, "the arm is there")
    driver.hold()
    driver.require_obeyed()
    driver.grip(0.02, 25.0)
    joints.wait(lambda m: abs(m.position[7] - 0.01) < 1e-3 and abs(m.position[8] - 0.01) < 1e-3)
    driver.require_obeyed()


def test_reset_brings_the_layout_of_the_seed(graph) -> None:
    truth = graph.listen(GroundTruth, "/world/ground_truth")
    graph.add(WorldNode, seed=1, **FAST)
    before = truth.wait()
    answer = graph.call(ResetWorld, "/world/reset", ResetWorld.Request(seed=8))
    assert answer.status.code == Status.OK
    expected = {o.name: o.position for o in TableWorld(8).truth()}

    def moved(message) -> bool:
        return np.allclose(positions(message)["mug"], expected["mug"], atol=2e-3)

    after = truth.wait(moved)
    assert time_from_msg(after.header.stamp) > time_from_msg(before.header.stamp)
    assert list(after.robot_contacts) == []
    assert len(after.joint_velocities) == 7


def test_things_are_moved_and_removed(graph) -> None:
    truth = graph.listen(GroundTruth, "/world/ground_truth")
    graph.add(WorldNode, **FAST)
    place = positions(truth.wait())["mug"]
    assert perturb(graph, kind=PerturbWorld.Request.REMOVE, target="mug").code == Status.OK
    truth.wait(lambda m: "mug" not in positions(m))
    spot = Point(x=place[0], y=place[1], z=0.0)
    moved = perturb(graph, kind=PerturbWorld.Request.MOVE, target="red_block", position=spot)
    assert moved.code == Status.OK
    truth.wait(lambda m: np.allclose(positions(m)["red_block"][:2], place[:2], atol=3e-3))

    refused = perturb(graph, kind=PerturbWorld.Request.REMOVE, target="teapot")
    assert refused.code == Status.INVALID
    assert "mug" in refused.choices
    assert perturb(graph, kind=77).code == Status.INVALID


def test_a_muted_camera_falls_silent_and_speaks_again(graph) -> None:
    left = graph.listen(Image, "/camera/left/depth/image_raw")
    right = graph.listen(Image, "/camera/right/depth/image_raw")
    graph.add(WorldNode, **FAST)
    left.wait()
    mute = PerturbWorld.Request.MUTE_CAMERA
    assert perturb(graph, kind=mute, target="left").code == Status.OK
    joint_times = graph.listen(Clock, "/clock")
    silent_from = time_from_msg(joint_times.wait().clock)
    right.wait(lambda m: time_from_msg(m.header.stamp) > silent_from + 1.0)
    assert all(time_from_msg(m.header.stamp) <= silent_from + 0.05 for m in left.messages)
    assert perturb(graph, kind=PerturbWorld.Request.UNMUTE_CAMERA, target="left").code == Status.OK
    left.wait(lambda m: time_from_msg(m.header.stamp) > silent_from + 0.5)
    assert perturb(graph, kind=mute, target="top").code == Status.INVALID


def test_the_simulators_own_segmentation_comes_with_labels(graph) -> None:
    segments = graph.listen(Image, "/world/segmentation/left")
    labels = graph.listen(String, "/world/segmentation/labels", LATCHED)
    graph.add(WorldNode, **FAST)
    names = {int(k): v for k, v in json.loads(labels.wait().data).items()}
    seen = image_from_msg(segments.wait())
    assert seen.dtype == np.int32
    assert set(np.unique(seen)) <= {0, *names}
    assert "purple mug" in names.values()


def test_the_view_for_people_is_a_picture(graph) -> None:
    overview = graph.listen(CompressedImage, "/camera/overview/color/image_raw/compressed")
    graph.add(WorldNode, **FAST)
    data = np.frombuffer(overview.wait().data, np.uint8)
    assert cv2.imdecode(data, cv2.IMREAD_COLOR).shape == (480, 640, 3)


def test_a_misspelt_parameter_is_an_error(graph) -> None:
    with pytest.raises(SaySoError, match="noize"):
        graph.add(WorldNode, noize=True)


def test_somebody_opens_and_shuts_the_drawer(graph) -> None:
    def opening_m(truth: GroundTruth) -> float:
        drawer = next(o for o in truth.objects if o.name == "drawer")
        return next(a.number for a in drawer.attributes if a.name == "opening_m")

    truths = graph.listen(GroundTruth, "/world/ground_truth", SENSOR)
    graph.add(WorldNode, **FAST)
    for opened in (True, False):
        switched = graph.call(SetBool, "/world/doors/drawer", SetBool.Request(data=opened))
        assert switched.success, switched.message
        truths.clear()
        assert (opening_m(truths.wait()) > 0.1) is opened
