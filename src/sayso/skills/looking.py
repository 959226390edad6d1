"""Looking at a thing from close by before the hand reaches for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Vocabulary
from sayso.skills.boxes import UprightBox, upright_box
from sayso.skills.mobile_settings import MobileRobot, MobileSettings
from sayso.skills.poses import downward, upright, yaw_of
from sayso.skills.senses import Senses
from sayso.skills.surroundings import relief
from sayso.skills.timeouts import Timeout

_READINGS = 10
_PERIOD_S = 0.05
_TILTS = (0.0, 0.4, 0.8)
_TICKS = 9
_UNSEEN_M = 0.25
"""So much of a thing that the hand takes may hide below its top."""


def look_poses(obj: SceneObject, robot: MobileRobot, settings: MobileSettings) -> Iterator[Pose]:
    """Tool poses in the arm's frame from which the hand's camera looks at a thing, best first."""
    if robot.camera is None:
        return
    top = np.array([*obj.position[:2], upright_box(obj).high])
    azimuth = float(np.arctan2(top[1], top[0]))
    beside = np.asarray(robot.camera.position)
    for height in settings.look_m:
        for tilt in _TILTS:
            for turn in (np.pi / 2, -np.pi / 2):
                # The slant leans away from the robot: the camera looks forward and down.
                tool = downward(top, azimuth + turn, -tilt if turn > 0 else tilt)
                turned = rotation_matrix(tool.orientation)
                back = turned @ np.array([beside[0], beside[1], height])
                x, y, z = (float(v) for v in top - back)
                yield Pose((x, y, z), tool.orientation)


def steady_base(senses: Senses) -> Pose:
    """Where a base that stands still is, averaged over some readings.

    Raises:
        SaySoError: STALE where no reading has a base.
    """
    places: list[Array] = []
    for _ in range(_READINGS):
        base = senses.robot().base
        if base is not None:
            yaw = yaw_of(base)
            places.append(np.array([*base.position[:2], np.cos(yaw), np.sin(yaw)]))
        senses.wait(_PERIOD_S)
    if not places:
        raise SaySoError(Code.STALE, "where the base is, is not known.")
    x, y, c, s = (float(v) for v in np.mean(places, axis=0))
    return upright((x, y, 0.0), float(np.arctan2(s, c)))


def look_until_told(senses: Senses, name: str, settings: MobileSettings) -> None:
    """Wait for scenes until a thing is seen anew, or is not there any more.

    It may have been moved since it was seen. After `look_s` the wait is over: not every camera
    and finder sees from close by what it knows from afar.

    Raises:
        SaySoError: STALE where no scene comes.
    """
    begun_s, timeout = senses.now_s(), Timeout(senses, settings.look_s)
    while not timeout.over:
        scene = senses.scene_after(senses.now_s(), settings.arm.scene_timeout_s)
        thing = scene.by_name().get(name)
        if thing is None or thing.last_seen_s >= begun_s:
            return


def averaged(senses: Senses, name: str, settings: MobileSettings) -> Scene:
    """The newest of some fresh scenes, with a thing where they saw it on average.

    Raises:
        SaySoError: STALE; OBJECT_LOST where the newest does not have it.
    """
    seen: list[SceneObject] = []
    for _ in range(max(1, settings.looks)):
        scene = senses.scene_after(senses.now_s(), settings.arm.scene_timeout_s)
        found = scene.by_name().get(name)
        seen += [found] if found is not None else []
    if found is None:
        raise SaySoError(
            Code.OBJECT_LOST,
            f"{name} was not found where it should be.",
            hint="put it back, or say where it is.",
            choices=scene.by_name(),
        )
    x, y, z = (float(v) for v in np.mean([o.position for o in seen], axis=0))
    mean = replace(found, position=(x, y, z))
    return replace(scene, objects=tuple(mean if o.name == name else o for o in scene.objects))


def standing(scene: Scene, name: str, words: Vocabulary) -> Scene:
    """The scene with a thing's box made upright, whichever of its sides it lies on, and as low as
    what it stands on: a camera above it sees little more than its top.

    What is known of its surface stays: without points, that of its own box is sampled.
    """

    def made(obj: SceneObject) -> SceneObject:
        box = _footed(upright_box(obj), [o for o in scene.objects if o.name != name], words)
        x, y, z = (float(v) for v in box.size)
        points = obj.points if len(obj.points) else _surface(obj).astype(np.float32)
        turn = upright((0, 0, 0), box.yaw).orientation
        at = (float(box.centre[0]), float(box.centre[1]), float(box.centre[2]))
        return replace(obj, position=at, size=(x, y, z), orientation=turn, points=points)

    return replace(scene, objects=tuple(made(o) if o.name == name else o for o in scene.objects))


def _footed(box: UprightBox, others: Sequence[SceneObject], words: Vocabulary) -> UprightBox:
    """A box that reaches down to the highest surface below it, if that is near."""
    lower_m = box.low - max(
        (h for o in others for h in _heights_below(box, o, words)), default=-np.inf
    )
    if lower_m > _UNSEEN_M:
        return box
    down = np.array([0.0, 0.0, lower_m])
    return UprightBox(box.centre - down / 2, box.size + down, box.yaw)


def _heights_below(box: UprightBox, other: SceneObject, words: Vocabulary) -> Iterable[float]:
    """The heights of a thing that a box is over or in, where they are below the box: a top, or
    what was seen of a seat, a shelf, or the floor of a chest."""
    around = upright_box(other)
    if around.low >= box.low or around.gaps(box.centre[None])[0] > 0.0:
        return ()
    shape = relief(other, words)
    near = box.gaps(shape.centres().reshape(-1, 2)) < float(shape.cell.max())
    heights = shape.heights.ravel()
    return (float(h) for h in heights[near & (heights < box.low)])


def _surface(obj: SceneObject) -> Array:
    """(N, 3) points spread over the faces of a thing's box."""
    ticks = np.linspace(-0.5, 0.5, _TICKS)
    grid = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3)
    faces = grid[(np.abs(grid) == 0.5).any(axis=1)]
    return np.asarray(obj.pose.transform(faces * np.asarray(obj.size)))
