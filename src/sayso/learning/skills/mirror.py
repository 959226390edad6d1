"""The world in a mirror: left and right of the robot change places.

What was shown can often be done the other way round as well, where the things look the same in a
mirror, as mugs, racks and hands of two fingers do: the hand then comes from the other side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.scene import Scene, SceneObject


def mirrored(pose: Pose) -> Pose:
    """A pose in the mirror; the frame stays right-handed, its y pointing the other way."""
    (x, y, z), (a, b, c, d) = pose.position, pose.orientation
    return Pose((x, -y, z), (-a, b, -c, d))


def mirrored_scene(scene: Scene) -> Scene:
    """A scene in the mirror, of the same names."""
    robot = replace(scene.robot, gripper=mirrored(scene.robot.gripper))
    return replace(scene, objects=tuple(map(_mirrored_thing, scene.objects)), robot=robot)


def _mirrored_thing(thing: SceneObject) -> SceneObject:
    pose = mirrored(thing.pose)
    points = thing.points * np.array([1.0, -1.0, 1.0], np.float32)
    return replace(thing, position=pose.position, orientation=pose.orientation, points=points)
