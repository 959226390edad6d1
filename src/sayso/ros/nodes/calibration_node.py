"""`sayso calibrate`: where a camera is, from views of a printed board that a person sets up.

A person moves the arm, by hand or with its own pendant; this node only looks.
"""

from __future__ import annotations

import argparse
import math
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import rclpy
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rich.console import Console
from sensor_msgs.msg import CameraInfo, Image

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.perception import hand_eye_files as files
from sayso.perception.hand_eye import FEWEST_VIEWS, Board, HandEye, find_board
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.images import intrinsics_from_msg, rgb_from_msg
from sayso.ros.messages.qos import SENSOR
from sayso.ros.nodes.perception_params import as_launched, perception_config
from sayso.ros.robot.joint_history import JointHistory
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.node_removal import end
from sayso.ros.runtime.spinning import SpinningThread

_WAIT_S = 5.0
_REST_RAD = 1e-3
_APART_S = 0.3


class CalibrationNode(Node):
    """Pictures of one camera, each with where the hand was.

    Args:
        camera: its name in perception's parameters, which name its topics.
    """

    def __init__(self, robot: RobotProfile, camera: str, **kwargs: Any) -> None:
        super().__init__("calibration", **kwargs)
        self.robot = robot
        config = perception_config(self, robot)
        if camera not in config.cameras:
            raise SaySoError(Code.CONFIG, f"there is no camera '{camera}'.", choices=config.cameras)
        topics = config.topics_of(config.cameras)[camera]
        kinematics = registry.create("kinematics", config.kinematics, robot=robot)
        self._joints = JointHistory(self, robot, kinematics)
        self._rectified = topics.rectified
        self._changed = threading.Condition()
        self._newest: dict[str, Any] = {}
        for part, kind, topic in (
            ("color", Image, topics.color),
            ("info", CameraInfo, topics.info),
        ):
            take = receiving(topic, partial(self._take, part))
            self.create_subscription(kind, topic, take, SENSOR)

    def _take(self, part: str, message: Any) -> None:
        with self._changed:
            self._newest[part] = message
            self._changed.notify_all()

    def setting(self, camera: str, board: Board, *, on_hand: bool) -> files.Setting:
        """Raises STALE where no picture or calibration of the lens comes in time."""
        image, info = self._after(-math.inf)
        frames = self.robot.frames
        return files.Setting(
            camera, on_hand, frames.tool if on_hand else frames.base, image.header.frame_id,
            intrinsics_from_msg(info, rectified=self._rectified), board,
        )  # fmt: skip

    def look(self) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], Any]:
        """A picture taken from now on, and the hand's pose in the arm's base then.

        Raises:
            SaySoError: STALE without picture or joints, EXECUTION while the arm moves.
        """
        begun_s = float(self.get_clock().now().nanoseconds * 1e-9)
        before = self._joints.at(begun_s)
        image, _ = self._after(begun_s + _APART_S)  # so that it is seen to rest
        stamp_s = time_from_msg(image.header.stamp)
        then = self._joints.at(stamp_s)
        moved = np.abs(np.subtract(before.joint_positions, then.joint_positions)).max()
        if abs(then.stamp_s - stamp_s) > _APART_S or not before.stamp_s < then.stamp_s:
            raise SaySoError(Code.STALE, "the joints are not told at present.")
        if moved > _REST_RAD:
            raise SaySoError(Code.EXECUTION, "the arm moves.", hint="let it rest for each view.")
        return rgb_from_msg(image), then.gripper

    def _after(self, stamp_s: float) -> tuple[Any, Any]:
        """The first picture that was taken later, and the lens's calibration."""

        def there() -> bool:
            image = self._newest.get("color")
            taken = image is not None and time_from_msg(image.header.stamp) > stamp_s
            return taken and "info" in self._newest

        with self._changed:
            if not self._changed.wait_for(there, _WAIT_S):
                raise SaySoError(
                    Code.STALE,
                    f"no picture and calibration came in {_WAIT_S:.0f} s.",
                    hint="`sayso doctor` says what is missing.",
                )
            return self._newest["color"], self._newest["info"]


def calibrate(options: argparse.Namespace, console: Console) -> int:
    """`sayso calibrate`; 0 once the camera's pose is known, or the board drawn."""
    board = Board() if options.square is None else Board(square_m=options.square)
    if options.what == "board":
        return _draw(board, options.path, console)
    if options.what == "camera":
        _take_views(board, options, console)
    return _solve(options, console)


def _draw(board: Board, file: Path, console: Console) -> int:
    square_px = 300
    dots_per_inch = square_px / board.square_m * 0.0254
    file.parent.mkdir(parents=True, exist_ok=True)
    PIL.Image.fromarray(board.picture(square_px)).save(file, dpi=(dots_per_inch, dots_per_inch))
    console.print(
        f"Print {file} at its own size, glue it to something flat, and measure a square: it should "
        f"be {1000 * board.square_m:.1f} mm wide; if not, say --square.",
        highlight=False,
        markup=False,
    )
    return 0


def _take_views(board: Board, options: argparse.Namespace, console: Console) -> None:
    robot = load_robot(options.robot)
    rclpy.init()
    try:
        node = CalibrationNode(robot, options.camera, **as_launched(options, robot))
        executor = MultiThreadedExecutor(num_threads=2)
        executor.add_node(node)
        spinning = SpinningThread(executor, node.context)
        spinning.start()
        try:
            setting = node.setting(options.camera, board, on_hand=options.on_hand)
            files.begin(options.path, setting)
            while _asked(len(files.numbers(options.path)), console):
                take_view(node, options.path, board, console)
        finally:
            spinning.stop()
            end(node)
    finally:
        rclpy.try_shutdown()


def _asked(count: int, console: Console) -> bool:
    more = f" ({FEWEST_VIEWS - count} more at least)" if count < FEWEST_VIEWS else ""
    try:
        said = console.input(
            f"{count} views{more}. Bring the hand to a new pose, turned otherwise, let it rest, "
            "and press Enter; 'done' ends: "
        )
    except EOFError:
        return False
    return said.strip().lower() not in ("done", "d", "q", "end")


def take_view(node: CalibrationNode, folder: Path, board: Board, console: Console) -> None:
    """One more view, if the board is seen and the arm rests; else say why not."""
    try:
        rgb, hand = node.look()
    except SaySoError as error:
        console.print(f"  no view: {error.message} {error.hint}", highlight=False, markup=False)
        return
    sighting = find_board(rgb, board)
    if sighting is None:
        console.print("  no view: the board is not seen, or too little of it.", highlight=False)
        return
    number = files.add(folder, rgb, hand)
    console.print(f"  view {number}: {len(sighting.corners)} corners", highlight=False)


def _solve(options: argparse.Namespace, console: Console) -> int:
    setting, found = files.solve(options.path, options.without, options.square)
    for line in result_lines(setting, found):
        console.print(line, highlight=False, markup=False)
    return 0


def result_lines(setting: files.Setting, found: HandEye) -> Sequence[str]:
    """What was found, and the command that publishes it."""
    x, y, z = found.camera.position
    qx, qy, qz, qw = found.camera.orientation
    errors = ", ".join(f"{e:.2f}" for e in found.errors_px)
    return (
        f"Corners are off by [pixels, view by view]: {errors}",
        f"By their scatter the camera's place is known to {1000 * found.position_m:.1f} mm and "
        f"{math.degrees(found.turn_rad):.2f} degrees; the arm's own errors come on top.",
        f"{setting.optical} in {setting.carrier}; publish it, and let nobody else do so:",
        f"ros2 run tf2_ros static_transform_publisher --x {x:.5f} --y {y:.5f} --z {z:.5f} "
        f"--qx {qx:.6f} --qy {qy:.6f} --qz {qz:.6f} --qw {qw:.6f} "
        f"--frame-id {setting.carrier} --child-frame-id {setting.optical}",
    )
