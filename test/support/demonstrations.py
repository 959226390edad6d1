"""Demonstrations made by hand: a block is taken and put on a plate, wherever they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.demonstrations.demonstration import (
    HAND,
    Contact,
    Demonstration,
    KeyFrame,
    Sample,
)

PERIOD_S = 0.05
DOWN = (1.0, 0.0, 0.0, 0.0)
START = Pose((0.3, 0.0, 0.4), DOWN)


def turned(position, yaw, tilt=0.0):
    """The tool over a place, pointing down, turned and tilted."""
    q = Rotation.from_euler("z", yaw) * Rotation.from_quat(DOWN) * Rotation.from_euler("y", tilt)
    return Pose(tuple(map(float, position)), tuple(map(float, q.as_quat())))


def block_and_plate(block, plate, stamp_s=0.0, gripper=START):
    """A scene; each thing is (x, y, yaw)."""
    things = [
        SceneObject(name, name, "", (x, y, z), size, (0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)))
        for name, (x, y, yaw), z, size in (
            ("block", block, 0.02, (0.06, 0.04, 0.04)),
            ("plate", plate, 0.005, (0.2, 0.2, 0.01)),
        )
    ]
    return Scene(stamp_s, tuple(things), RobotState(stamp_s, gripper=gripper))


def put_block_on_plate(block, plate, side=0.0, start=START):
    """Taken with the hand turned by `side` against the block, and put on the plate's middle."""
    grasp = turned((*block[:2], 0.02), block[2] + side)
    laid = turned((*plate[:2], 0.03), plate[2] + side)
    above = [
        turned((*p.position[:2], 0.2), a + side) for p, a in ((grasp, block[2]), (laid, plate[2]))
    ]
    samples = [Sample(0.0, start, 0.08)]
    go(samples, [above[0], grasp])
    grip(samples, 0.04)
    taken_s = samples[-1].stamp_s
    go(samples, [above[0], above[1], laid])
    grip(samples, 0.08)
    left_s = samples[-1].stamp_s
    go(samples, [above[1]])
    return Demonstration(
        "put the block on the plate",
        {"block": "block", "plate": "plate"},
        tuple(samples),
        (KeyFrame(block_and_plate(block, plate)),),
        (Contact(taken_s, HAND, "block", True), Contact(left_s, HAND, "block", False)),
    )


def held_block(tool):
    """A scene with the block in the hand, level."""
    x, y, _ = tool.position
    scene = block_and_plate((x, y, 0.0), (1.0, 1.0, 0.0), gripper=tool)
    block = replace(scene.by_name()["block"], position=tool.position, carried=True)
    return replace(scene, objects=(block,))


def put_block_down(start, spot):
    """Carried from the tool's position at the start to a spot (x, y), and let go on the table."""
    above, laid = turned((*spot, 0.14), 0.0), turned((*spot, 0.02), 0.0)
    samples = [Sample(0.0, turned(start, 0.0), 0.04)]
    go(samples, [above, laid])
    grip(samples, 0.08)
    left_s = samples[-1].stamp_s
    go(samples, [above])
    return Demonstration(
        "put the block down",
        {"block": "block"},
        tuple(samples),
        (KeyFrame(held_block(samples[0].tool)),),
        (Contact(0.0, HAND, "block", True), Contact(left_s, HAND, "block", False)),
    )


def go(samples, poses):
    """Straight to each pose in turn, a second each."""
    for pose in poses:
        start = samples[-1].tool
        turns = Rotation.from_quat([start.orientation, pose.orientation])
        by = (turns[0].inv() * turns[1]).as_rotvec()
        for share in np.linspace(0, 1, 21)[1:]:
            place = (1 - share) * np.array(start.position) + share * np.array(pose.position)
            turn = turns[0] * Rotation.from_rotvec(share * by)
            tool = Pose(tuple(map(float, place)), tuple(map(float, turn.as_quat())))
            samples.append(
                Sample(samples[-1].stamp_s + PERIOD_S, tool, samples[-1].gripper_width_m)
            )


def grip(samples, width_m):
    """The fingers, in half a second."""
    last = samples[-1]
    for share in np.linspace(0, 1, 11)[1:]:
        width = last.gripper_width_m + share * (width_m - last.gripper_width_m)
        samples.append(Sample(samples[-1].stamp_s + PERIOD_S, last.tool, float(width)))
