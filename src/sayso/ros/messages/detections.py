"""What is seen as `vision_msgs`, for nodes that know nothing of SaySo."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from geometry_msgs.msg import PoseWithCovariance, Vector3
from vision_msgs.msg import (
    BoundingBox2D,
    BoundingBox3D,
    Detection2D,
    Detection2DArray,
    Detection3D,
    Detection3DArray,
    ObjectHypothesis,
    ObjectHypothesisWithPose,
    Point2D,
    Pose2D,
)

from sayso.core.ports import RgbdFrame
from sayso.core.scene import Scene, SceneObject
from sayso.perception.pictures import box_of
from sayso.ros.messages.conversions import header, pose_to_msg


def detections_3d(scene: Scene) -> Detection3DArray:
    """A box for each thing that is seen, in the scene's frame; what is only remembered has none.

    `id` is the thing's name, which it keeps. The hypothesis is its kind, with how sure that is; a
    thing of no known kind has none. Where nobody told how sure its place is, the covariance is 0.
    """
    head = header(scene.stamp_s, scene.frame)
    boxes = [
        Detection3D(header=head, results=_kind(o), bbox=_box(o), id=o.name)
        for o in scene.objects
        if o.visible
    ]
    return Detection3DArray(header=head, detections=boxes)


def detections_2d(scene: Scene, frame: RgbdFrame, optical_frame: str) -> Detection2DArray:
    """A box around the pixels of a frame that show each thing that is seen, as `detections_3d`.

    A hypothesis says where the thing is in the camera's optical frame.
    """
    head = header(frame.stamp_s, optical_frame)
    found = []
    for thing in scene.objects:
        box = box_of(thing, frame) if thing.visible else None
        if box is not None:
            results = _kind(thing, frame)
            found.append(
                Detection2D(header=head, results=results, bbox=_pixels(box), id=thing.name)
            )
    return Detection2DArray(header=head, detections=found)


def _kind(thing: SceneObject, frame: RgbdFrame | None = None) -> list[ObjectHypothesisWithPose]:
    if not thing.category:
        return []
    pose = thing.pose if frame is None else frame.pose.inverse() @ thing.pose
    hypothesis = ObjectHypothesis(class_id=thing.category, score=float(thing.confidence))
    where = PoseWithCovariance(pose=pose_to_msg(pose), covariance=_covariance(thing))
    return [ObjectHypothesisWithPose(hypothesis=hypothesis, pose=where)]


def _covariance(thing: SceneObject) -> npt.NDArray[np.float64]:
    """(36,) of x, y, z and three turns; it is as far off in all directions, so in any frame. It is
    turned as far as that lets its ends be off."""
    place = (thing.off_m / 2) ** 2  # off_m is two standard deviations
    turn = place / (max(thing.size) / 2) ** 2 if place else 0.0
    return np.diag([place] * 3 + [turn] * 3).ravel()


def _box(thing: SceneObject) -> BoundingBox3D:
    x, y, z = (float(s) for s in thing.size)
    return BoundingBox3D(center=pose_to_msg(thing.pose), size=Vector3(x=x, y=y, z=z))


def _pixels(box: tuple[int, int, int, int]) -> BoundingBox2D:
    """Pixel (0, 0) is the middle of the one at the top left."""
    left, top, right, bottom = box
    middle = Point2D(x=(left + right - 1) / 2, y=(top + bottom - 1) / 2)
    return BoundingBox2D(
        center=Pose2D(position=middle), size_x=float(right - left), size_y=float(bottom - top)
    )
