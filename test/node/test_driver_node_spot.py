"""The node `driver` between ROS and a robot that speaks Spot's protocol."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("bosdyn.client", reason="the extra 'spot' is not installed")
pytest.importorskip("trustme", reason="the extra 'spot' is not installed")

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from sayso.core.errors import SaySoError
from sayso.ros.messages.qos import SEEN_ALIVE
from sayso.ros.nodes.driver_node import DriverNode
from sayso.ros.robot.transforms import TransformListener
from sayso.worlds.flat.robot import cameras
from sayso.worlds.flat.spot.world import SITS_LOWER_M
from support.spot_robot import LOGIN, PROFILE, spot_robot

MAST_M = cameras(PROFILE)[0].pose.position[2]
ADDRESS = "127.0.72.4:44443"


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    with spot_robot(ADDRESS, tmp_path_factory.mktemp("spot")) as robot:
        yield robot


def test_a_spot_is_driven_seen_and_told_of_over_ros(robot, graph, monkeypatch) -> None:
    for name, value in LOGIN.items():
        monkeypatch.setenv(name, value)
    joints, odom = graph.listen(JointState, "/joint_states"), graph.listen(Odometry, "/odom")
    pictures = graph.listen(Image, "/camera/front/color/image_raw")
    ails = graph.listen(String, "/liveliness/driver", SEEN_ALIVE)
    frames = TransformListener(graph.tester)
    graph.add(
        DriverNode,
        robot="spot",
        address=ADDRESS,
        certificate=robot.certificate,
        recover=True,
    )
    told = joints.wait(lambda _: robot.world.computer.standing)
    assert list(told.name) == [*PROFILE.joint_names, *PROFILE.finger_names]
    seen = pictures.wait(lambda _: True)
    assert (seen.width, seen.height, seen.header.frame_id) == (640, 480, "front_optical_frame")

    def placed() -> bool:
        with suppress(SaySoError):
            camera = frames.lookup("map", "front_optical_frame", time.time())
            return bool(np.allclose(camera.position[:2], robot.place(), atol=0.3))
        return False

    graph.wait_until(placed, "the frames tell where the camera is")

    def height_m() -> float:
        with suppress(SaySoError):
            return frames.lookup("base_link", "front_optical_frame", time.time()).position[2]
        return float("nan")

    def camera_at(mounted_m: float) -> bool:
        return abs(height_m() - mounted_m) < 0.02

    graph.wait_until(lambda: camera_at(MAST_M), "its camera rose with it")
    begun = robot.place()
    commands = graph.tester.create_publisher(Twist, "/cmd_vel", 1)
    ahead = Twist()
    ahead.linear.x = 0.4

    def moved() -> bool:
        commands.publish(ahead)
        return bool(np.linalg.norm(robot.place() - begun) > 0.1)

    graph.wait_until(moved, "it walks")
    odom.wait(lambda m: m.twist.twist.linear.x > 0.2)
    robot.turn("estop", True)
    ails.wait(lambda m: "the e-stop is pressed" in m.data)
    assert not graph.call(Trigger, "/driver/recover", Trigger.Request()).success
    robot.wait(1.0)
    assert robot.speed() < 5e-3
    robot.turn("estop", False)
    assert graph.call(Trigger, "/driver/recover", Trigger.Request()).success
    ails.wait(lambda m: m.data == "")
    assert graph.call(Trigger, "/driver/sit", Trigger.Request()).success
    graph.wait_until(lambda: camera_at(MAST_M - SITS_LOWER_M), "its camera sank with it")
