"""The scene drawn into a camera's picture, for people."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics
from sayso.core.scene import Scene, SceneObject
from sayso.perception.camera import see
from sayso.perception.colors import Image

_Rgb = tuple[int, int, int]
_COLORS: Mapping[str, _Rgb] = {
    "black": (70, 70, 70),
    "grey": (170, 170, 170),
    "white": (245, 245, 245),
    "red": (255, 60, 60),
    "orange": (255, 160, 40),
    "brown": (190, 120, 60),
    "yellow": (255, 225, 60),
    "green": (60, 220, 90),
    "cyan": (60, 220, 220),
    "blue": (90, 140, 255),
    "purple": (200, 110, 255),
    "pink": (255, 130, 200),
}
# Pairs of corners, in the order of `SceneObject.corners`, that share an edge of the box.
_EDGES = tuple((a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw_scene(rgb: Image, pose: Pose, intrinsics: Intrinsics, scene: Scene) -> Image:
    """A copy of an (H, W, 3) picture with every object's box and name.

    Hidden objects have thin lines, carried ones a star after their name. Boxes that reach
    behind the camera are left out.

    Args:
        pose: of the optical frame in the scene's frame.
    """
    picture: Image = rgb.copy()
    shown = sorted(scene.objects, key=lambda o: -_distance(o, pose))
    for obj in shown:
        pixels, _, ahead = see(obj.corners(), pose, intrinsics)
        if ahead.any():
            _draw_box(picture, np.rint(pixels).astype(int), obj)
    return picture


def _distance(obj: SceneObject, pose: Pose) -> float:
    return float(np.linalg.norm(np.subtract(obj.position, pose.position)))


def _draw_box(picture: Image, corners: npt.NDArray[np.int_], obj: SceneObject) -> None:
    color = _COLORS.get(obj.color, (255, 255, 255))
    width = 2 if obj.visible else 1
    for a, b in _EDGES:
        start, end = ((int(corners[i][0]), int(corners[i][1])) for i in (a, b))
        cv2.line(picture, start, end, color, width, cv2.LINE_AA)
    name = obj.name + ("*" if obj.carried else "")
    at = (int(corners[:, 0].min()), int(corners[:, 1].min()) - 4)
    cv2.putText(picture, name, at, _FONT, 0.45, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(picture, name, at, _FONT, 0.45, color, 1, cv2.LINE_AA)
