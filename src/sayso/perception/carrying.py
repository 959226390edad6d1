"""What the gripper holds, from the distance of its fingers and where things were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Pose, rotation_matrix
from sayso.core.scene import RobotState, SceneObject
from sayso.perception.contents import moved


@dataclass(frozen=True)
class GripConfig:
    """When something counts as held.

    Attributes:
        least_m: fingers this far apart at least may be holding something.
        open_play_m: fingers less than this short of as far apart as they go hold nothing.
        still_m: fingers that moved less than this since the last update are at rest.
        between_m: how near to the space between the fingertips a held object's box is.
        slip_m: a change of the fingers' distance by this much ends a grasp: at once where they
            close, in all where they open.
        snug_m: an object this much wider or narrower than the fingers' distance, at most, is
            held between its two sides and so is centred between the fingers.
    """

    least_m: float = 0.002
    open_play_m: float = 0.002
    still_m: float = 0.0015
    between_m: float = 0.02
    slip_m: float = 0.006
    snug_m: float = 0.010


@dataclass(frozen=True)
class Grasp:
    """An object's pose in the tool's frame, and the distance of the fingers on it [m]."""

    pose: Pose
    width_m: float


def may_hold(robot: RobotState, config: GripConfig) -> bool:
    """Whether fingers at this distance can have something between them."""
    most_m = robot.gripper_max_width_m - config.open_play_m
    return config.least_m < robot.gripper_width_m < most_m


def follow(held: Grasp, robot: RobotState, config: GripConfig) -> Grasp | None:
    """The grasp with the fingers as they are now; None where they gave the thing up.

    Fingers that creep together, since a thing turns between them or gives way, still hold it.
    """
    width = robot.gripper_width_m
    if abs(width - held.width_m) > config.slip_m or not may_hold(robot, config):
        return None
    return replace(held, width_m=min(width, held.width_m))


def between_fingers(
    objects: Mapping[str, SceneObject], robot: RobotState, config: GripConfig
) -> str | None:
    """The name of the object nearest to the space between the fingertips, if near enough."""
    distances = {name: o.distance_to(robot.gripper.position) for name, o in objects.items()}
    name = min(distances, key=lambda n: distances[n], default=None)
    return name if name is not None and distances[name] <= config.between_m else None


def grasp(obj: SceneObject, robot: RobotState, config: GripConfig) -> Grasp:
    """How the gripper holds the object.

    Closing fingers push a thing until both touch it. Where the thing is as wide as they are
    apart, that puts it in their middle, better known than what the hand lets be seen of it.
    """
    pose = robot.gripper.inverse() @ obj.pose
    closing = rotation_matrix(pose.orientation)[1]
    across = float(np.abs(closing) @ np.asarray(obj.size))
    if abs(across - robot.gripper_width_m) < config.snug_m:
        x, _, z = pose.position
        pose = Pose((x, 0.0, z), pose.orientation)
    return Grasp(pose, robot.gripper_width_m)


def carry(obj: SceneObject, held: Grasp, robot: RobotState) -> SceneObject:
    """The object where the gripper has it now, its points with it."""
    pose = robot.gripper @ held.pose
    there = moved(obj, pose @ obj.pose.inverse())
    return replace(
        there, position=pose.position, orientation=pose.orientation, carried=True, let_go=False
    )
