"""A camera on the hand is calibrated from what its topics and the joints' bring."""

from __future__ import annotations

import io
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception import hand_eye_files as files
from sayso.perception.hand_eye import Board
from sayso.robots.loading import load_robot
from sayso.ros.nodes.calibration_node import CalibrationNode, result_lines, take_view
from support.board_pictures import picture
from support.fake_robot import FakeRobot

CAMERA = Intrinsics(640, 480, 600.0, 600.0, 319.5, 239.5)
BOARD = Board()
READY = np.array(load_robot("panda").ready)
TRUE = Pose((0.06, 0.01, -0.05), (0.0, 0.0, 0.7071068, 0.7071068))
"""The camera in the tool's frame: beside it, looking where it points."""


class Arm:
    """Publishes what the camera on a resting hand sees of a board on the table."""

    def __init__(self, graph) -> None:
        self.robot = FakeRobot(graph, cameras=("left",))
        self.rng = np.random.default_rng(21)
        self.board = self._hand(READY) @ TRUE @ Pose((-0.1, -0.08, 0.4))
        self.blank = self.restless = False
        self.turned = 0
        self.turn(0)
        self._timer = graph.tester.create_timer(0.1, self._send)

    def _hand(self, joints: np.ndarray) -> Pose:
        return self.robot.kinematics.forward(joints)

    def turn(self, number: int) -> None:
        """Bring the hand to another pose, from which the board is seen."""
        joints = READY + np.random.default_rng(number).uniform(-0.3, 0.3, 7)
        seen = (self._hand(joints) @ TRUE).inverse() @ self.board
        self._now = [float(q) for q in joints], seen

    def _send(self) -> None:
        if self.restless:
            self.turned += 1
            self.turn(self.turned)
        self.robot.home, seen = self._now
        stamp_s = time.time()  # of exposure: to draw takes a while
        rgb = picture(BOARD, seen, CAMERA, self.rng)
        if self.blank:
            rgb = np.full_like(rgb, 90)
        depth = np.zeros(rgb.shape[:2], np.float32)
        self.robot.publish([RgbdFrame("left", 0.0, rgb, depth, CAMERA, Pose())], stamp_s)


def test_a_camera_on_the_hand_is_calibrated(graph, tmp_path: Path) -> None:
    arm = Arm(graph)
    node = graph.add(CalibrationNode, load_robot("panda"), "left")
    sent = (arm.robot.color["left"], arm.robot.info["left"], arm.robot.joints)
    graph.wait_until(lambda: all(p.get_subscription_count() for p in sent), "the node listens")
    page = io.StringIO()
    files.begin(tmp_path, node.setting("left", BOARD, on_hand=True))

    arm.blank = True
    take_view(node, tmp_path, BOARD, Console(file=page))
    assert "no view: the board is not seen" in page.getvalue()
    arm.blank, arm.restless = False, True
    graph.wait_until(lambda: arm.turned > 10, "the hand goes about")
    take_view(node, tmp_path, BOARD, Console(file=page))
    assert "no view: the arm moves" in page.getvalue()
    arm.restless = False
    for number in range(8):
        arm.turn(number)
        for _ in range(20):  # until it was seen to rest there
            take_view(node, tmp_path, BOARD, Console(file=page))
            if len(list(tmp_path.glob("view_*.json"))) > number:
                break

    setting, found = files.solve(tmp_path)
    assert (setting.carrier, setting.optical) == ("panda_hand_tcp", "left_optical_frame")
    off = TRUE.inverse() @ found.camera
    assert np.linalg.norm(off.position) < 0.003
    assert np.degrees(2 * np.arccos(min(abs(off.orientation[3]), 1.0))) < 0.5
    assert "--frame-id panda_hand_tcp" in result_lines(setting, found)[-1]
    with pytest.raises(SaySoError) as again:
        files.begin(tmp_path, replace(setting, camera="right"))
    assert again.value.code is Code.INVALID
