"""The scene as RViz markers: a box and a name for each object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from sayso.core.scene import Scene, SceneObject
from sayso.ros.messages.conversions import header, pose_to_msg

_RGB: Mapping[str, tuple[float, float, float]] = {
    "red": (0.85, 0.15, 0.15),
    "green": (0.15, 0.65, 0.2),
    "blue": (0.15, 0.3, 0.85),
    "yellow": (0.95, 0.85, 0.2),
    "orange": (0.95, 0.55, 0.1),
    "purple": (0.55, 0.2, 0.7),
    "pink": (0.95, 0.55, 0.7),
    "brown": (0.45, 0.28, 0.15),
    "black": (0.1, 0.1, 0.1),
    "white": (0.95, 0.95, 0.95),
    "grey": (0.5, 0.5, 0.5),
}
_LETTER_M = 0.025
_HIDDEN_ALPHA, _SEEN_ALPHA = 0.25, 0.6


def scene_markers(scene: Scene, letter_m: float = _LETTER_M) -> MarkerArray:
    """All markers anew: the first one deletes those of earlier scenes.

    Args:
        letter_m: height of the letters of names.
    """
    markers = [Marker(header=header(scene.stamp_s, scene.frame), action=Marker.DELETEALL)]
    for index, obj in enumerate(scene.objects):
        markers += [_box(scene, obj, index), _label(scene, obj, index, letter_m)]
    return MarkerArray(markers=markers)


def _box(scene: Scene, obj: SceneObject, index: int) -> Marker:
    red, green, blue = _RGB.get(obj.color, _RGB["grey"])
    sx, sy, sz = (max(float(s), 0.002) for s in obj.size)
    return Marker(
        header=header(scene.stamp_s, scene.frame),
        ns="box",
        id=index,
        type=Marker.CUBE,
        pose=pose_to_msg(obj.pose),
        scale=Vector3(x=sx, y=sy, z=sz),
        color=ColorRGBA(r=red, g=green, b=blue, a=_SEEN_ALPHA if obj.visible else _HIDDEN_ALPHA),
    )


def _label(scene: Scene, obj: SceneObject, index: int, letter_m: float) -> Marker:
    x, y, _ = obj.position
    above = replace(obj.pose, position=(x, y, float(obj.corners()[:, 2].max()) + letter_m))
    return Marker(
        header=header(scene.stamp_s, scene.frame),
        ns="name",
        id=index,
        type=Marker.TEXT_VIEW_FACING,
        pose=pose_to_msg(above),
        scale=Vector3(z=letter_m),
        color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0),
        text=obj.name if obj.visible else f"{obj.name} (hidden)",
    )
