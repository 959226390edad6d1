"""A scene as plain values for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject

Data: TypeAlias = dict[str, Any]


def scene_to_data(scene: Scene) -> Data:
    """A scene as plain values for JSON, without surface points."""
    return {
        "stamp_s": scene.stamp_s,
        "frame": scene.frame,
        "table_height_m": scene.table_height_m,
        "robot": {
            **vars(scene.robot),
            "gripper": _pose_to_data(scene.robot.gripper),
            "base": None if scene.robot.base is None else _pose_to_data(scene.robot.base),
        },
        "objects": [
            {f.name: getattr(o, f.name) for f in fields(o) if f.name != "points"}
            for o in scene.objects
        ],
    }


def scene_from_data(data: Mapping[str, Any]) -> Scene:
    """The scene that `scene_to_data` wrote."""
    robot = data["robot"]
    base = robot["base"]
    return Scene(
        data["stamp_s"],
        tuple(SceneObject(**tuples(o)) for o in data["objects"]),
        RobotState(
            **tuples({**robot, "gripper": _pose(robot["gripper"]), "base": base and _pose(base)})
        ),
        data["table_height_m"],
        data["frame"],
    )


def _pose_to_data(pose: Pose) -> Data:
    return {"position": pose.position, "orientation": pose.orientation}


def _pose(data: Mapping[str, Any]) -> Pose:
    return Pose(tuple(data["position"]), tuple(data["orientation"]))


def tuples(data: Mapping[str, Any]) -> Data:
    """The same, with tuples for the lists that JSON made of them."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
