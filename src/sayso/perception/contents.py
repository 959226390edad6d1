"""What lies in a thing goes where that thing goes, seen or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose, rotation_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.perception.scene_graph import scene_graph

_PLAY_M = 0.015  # how far measured poses may put a thing beyond the tray's sides
_RIM_M = 0.005  # how far below the rim the underside of what lies in it is at least


def lies_in(thing: SceneObject, drawer: SceneObject, tray_m: float) -> bool:
    """Whether the thing's centre is over the drawer's tray and its underside below the rim.

    Args:
        drawer: a box that spans from the panel's outer face inwards, local -x being the way
            out, as `drawers.assemble_drawers` makes it.
        tray_m: how far the tray reaches in from the panel's face.
    """
    offset = np.subtract(thing.position, drawer.position)
    x, y, _ = rotation_matrix(drawer.orientation).T @ offset
    length, width, height = drawer.size
    underside = thing.corners()[:, 2].min()
    behind_face = -_PLAY_M < x + length / 2 < tray_m + _PLAY_M
    between_sides = abs(y) < width / 2 + _PLAY_M
    below_rim = underside < drawer.position[2] + height / 2 - _RIM_M
    return bool(behind_face and between_sides and below_rim)


def moved_along(thing: SceneObject, before: SceneObject, after: SceneObject) -> SceneObject:
    """The thing shifted, its points with it, as far as the drawer was pulled or pushed."""
    pulled_m = (after.number("opening_m") or 0.0) - (before.number("opening_m") or 0.0)
    x, y, z = rotation_matrix(after.orientation) @ (-pulled_m, 0.0, 0.0)
    return moved(thing, Pose((float(x), float(y), float(z))))


def moved(thing: SceneObject, change: Pose) -> SceneObject:
    """The thing, its points with it, after a motion in the scene's frame."""
    pose = change @ thing.pose
    points = change.transform(thing.points.astype(float)).astype(np.float32)
    return replace(thing, position=pose.position, orientation=pose.orientation, points=points)


def held_with(name: str, things: Iterable[SceneObject]) -> tuple[str, ...]:
    """The names of what goes along when a thing is moved: what is in it, on it, and so on."""
    return scene_graph(Scene(0.0, tuple(things))).group(name)[1:]
