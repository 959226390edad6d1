"""The simulated flat over ROS: drivers of a mobile robot, and disturbances for tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
from geometry_msgs.msg import Point, Twist
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from sayso_ros.msg import GroundTruth, Status
from sayso_ros.srv import PerturbWorld
from sensor_msgs.msg import Image, JointState, LaserScan
from std_msgs.msg import String
from std_srvs.srv import SetBool

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.images import depth_from_msg
from sayso.ros.nodes.flat_world_node import FlatWorldNode
from sayso.ros.robot.building import DeviceReports, RosBuilding
from sayso.ros.robot.transforms import TransformListener
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.scene import Door, Walker
from sayso.worlds.flat.scene_file import to_yaml
from support.flat_scenes import item, room

FAST = {"real_time_factor": 20.0, "noise": False}
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture
def flat(graph, tmp_path):
    """Starts the node with a small flat of its own."""
    scene = room(
        item("sofa", "sofa", (5.5, 2.0, 0.0), math.pi),
        item("mug", "mug", (3.0, 0.6, 0.0)),
        item("lamp", "lamp", (0.6, 0.6, 0.7)),
        doors=(Door("door_1", "door", "wooden", (3.0, 4.0), 0.0),),
        walkers=(Walker("cat_1", "cat", "orange", ((0.5, 3.5), (5.0, 3.5))),),
    )
    path = tmp_path / "scene.yaml"
    path.write_text(to_yaml(scene))
    return lambda: graph.add(FlatWorldNode, scene=str(path), **FAST)


def by_name(truth: GroundTruth) -> dict:
    return {o.name: o for o in truth.objects}


def test_the_base_drives_and_stops_when_commands_end(graph, flat) -> None:
    odom = graph.listen(Odometry, "/odom")
    truth = graph.listen(GroundTruth, "/world/ground_truth")
    frames = TransformListener(graph.tester)
    flat()
    drive = graph.publisher(Twist, "/cmd_vel")
    odom.wait()
    command = Twist()
    command.linear.x = 0.5
    drive.publish(command)
    odom.wait(lambda m: m.twist.twist.linear.x > 0.3)
    rest = odom.wait(lambda m: m.pose.pose.position.x > 0.1 and abs(m.twist.twist.linear.x) < 0.01)
    assert rest.header.frame_id == "odom"
    assert rest.child_frame_id == "base_link"
    stamp = time_from_msg(rest.header.stamp)
    true = truth.wait(lambda m: time_from_msg(m.header.stamp) >= stamp)
    base = by_name(true)["mobile_base"].pose.position
    assert (base.x, base.y) == pytest.approx((2.0 + rest.pose.pose.position.x, 2.0), abs=0.03)
    in_map = frames.lookup("map", "base_link", stamp)
    assert in_map.position[0] == pytest.approx(base.x, abs=0.03)


def test_laser_joints_and_cameras_speak(graph, flat) -> None:
    scan = graph.listen(LaserScan, "/scan")
    joints = graph.listen(JointState, "/joint_states")
    depth = graph.listen(Image, "/camera/front/depth/image_raw")
    labels = graph.listen(String, "/world/segmentation/labels", LATCHED)
    frames = TransformListener(graph.tester)
    flat()
    ranges = np.array(scan.wait().ranges)
    assert ranges[len(ranges) // 2] == pytest.approx(5.05 - 2.0, abs=0.1)
    assert len(joints.wait().name) == 9
    image = depth.wait()
    assert image.header.frame_id == "front_optical_frame"
    assert np.count_nonzero(depth_from_msg(image)) > 0.9 * 640 * 480
    stamp = time_from_msg(image.header.stamp)
    graph.wait_until(lambda: joints.messages[-1].header.stamp.sec > stamp, "later frames")
    seen_from = frames.lookup("map", "front_optical_frame", stamp)
    assert seen_from.position == pytest.approx((1.82, 2.0, 1.4), abs=0.02)
    assert "orange cat" in labels.wait().data


def test_doors_shut_cats_walk_and_things_move(graph, flat) -> None:
    truth = graph.listen(GroundTruth, "/world/ground_truth")
    flat()
    truth.wait()
    assert graph.call(SetBool, "/world/doors/door_1", SetBool.Request(data=False)).success
    assert graph.call(SetBool, "/world/walkers/cat_1", SetBool.Request(data=True)).success
    truth.wait(lambda m: by_name(m)["door_1"].attributes[0].number < 0.01)
    truth.wait(lambda m: by_name(m)["cat_1"].pose.position.x > 0.8)
    request = PerturbWorld.Request(
        kind=PerturbWorld.Request.MOVE, target="mug", position=Point(x=1.0, y=3.0, z=0.0)
    )
    assert graph.call(PerturbWorld, "/world/perturb", request).status.code == Status.OK
    truth.wait(lambda m: abs(by_name(m)["mug"].pose.position.y - 3.0) < 0.01)
    wrong = PerturbWorld.Request(kind=PerturbWorld.Request.REMOVE, target="piano")
    refused = graph.call(PerturbWorld, "/world/perturb", wrong).status
    assert refused.code == Status.INVALID
    assert "mug" in refused.choices


def test_the_building_says_how_its_devices_are_and_works_them(graph, flat) -> None:
    flat()
    vocabulary = load(builtin_path("flat")).vocabulary
    building = RosBuilding(graph.tester, lambda: None)
    reports = DeviceReports(graph.tester, vocabulary, fresh_s=1e3)
    graph.wait_until(lambda: len(reports.at(0.0)) == 2, "the lamp and the door")
    assert {d.name: d.attributes for d in reports.at(0.0)} == {
        "lamp": {"lit": False}, "door_1": {"open_share": 1.0}
    }  # fmt: skip
    assert all(not d.attributes for d in reports.at(1e6)), "old reports tell no state"
    graph.wait_until(building.is_there, "the building's service")
    for device, attribute, value in (("door_1", "open_share", 0.0), ("lamp", "lit", True)):
        building.operate(device, attribute, value)
        building.require_taken()
    graph.wait_until(
        lambda: (
            {d.name: d.attributes for d in reports.at(0.0)}
            == {"lamp": {"lit": True}, "door_1": {"open_share": 0.0}}
        ),
        "what was ordered",
    )
    building.operate("door_1", "lit", True)
    with pytest.raises(SaySoError) as caught:
        building.require_taken()
    assert (caught.value.code, caught.value.choices) == (Code.INVALID, ("open_share",))


def test_scenes_are_named_generated_or_read(tmp_path) -> None:
    assert read_scene("office", 1).name == "office"
    assert read_scene("", 5).name == "flat_5"
    with pytest.raises(SaySoError, match="no scene 'castle'"):
        read_scene("castle", 1)
    with pytest.raises(SaySoError, match="cannot be read"):
        read_scene(str(tmp_path / "none.yaml"), 1)
