"""Where a frame was when a picture was taken: not a moment before."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.ros.robot.transforms import TransformListener, transforms
from support.ros_graph import WAIT_S


class Listener(Node):
    def __init__(self, **kwargs) -> None:
        super().__init__("listener", **kwargs)
        self.transforms = TransformListener(self)


@pytest.fixture
def listener(graph) -> TransformListener:
    return graph.add(Listener).transforms


@pytest.fixture
def report(graph, listener):
    """Tells where the camera is at a time."""
    publisher = graph.publisher(TFMessage, "/tf", 50)

    def at(stamp_s: float, x_m: float) -> None:
        publisher.publish(transforms(stamp_s, [("map", "camera", Pose((x_m, 0.0, 0.0)))]))
        assert publisher.wait_for_all_acked()

    return at


def test_a_picture_waits_for_the_report_of_where_its_camera_was(graph, listener, report) -> None:
    report(1.0, 0.0)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(listener.lookup_between, "map", "camera", 1.1, WAIT_S)
        report(1.2, 2.0)
        assert asked.result(WAIT_S).position == pytest.approx((1.0, 0.0, 0.0))
    assert listener.lookup_between("map", "camera", 1.2).position == pytest.approx((2.0, 0.0, 0.0))


def test_without_that_report_the_pose_of_a_moment_before_does_not_count(listener, report) -> None:
    report(1.0, 0.0)
    with pytest.raises(SaySoError) as caught:
        listener.lookup_between("map", "camera", 1.1, timeout_s=0.1)
    assert caught.value.code is Code.STALE
