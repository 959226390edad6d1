"""Shapes as bodies of a MuJoCo model."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from sayso.core.geometry import Pose
from sayso.worlds.table.shapes.lathe import lathe
from sayso.worlds.table.shapes.pieces import Box, Capsule, Cylinder, Piece, Shape, Turned
from sayso.worlds.things import Rgba

SHOWN, HIDDEN = 1, 3
"""Groups of geoms; those above 2 are not rendered."""

_ROLLING = 0.0001


def add_shape(spec: mujoco.MjSpec, name: str, shape: Shape, rgba: Rgba) -> mujoco.MjsBody:
    """A free body of that name, its frame the shape's; a hinged part is `NAME/PART`, as its joint.

    Surfaces that are seen only are meshes named as the body.
    """
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    for piece in shape.pieces:
        if shape.hinge is None or not shape.hinge.moves(piece):
            _add_piece(spec, body, piece, rgba)
    _set_inertia(body, shape)
    _add_hinged(spec, body, shape, rgba)
    return body


def add_box(
    body: mujoco.MjsBody,
    half: Sequence[float],
    pose: Pose,
    rgba: Rgba,
    friction: float = 1.0,
    shown: bool = True,
) -> None:
    """A solid box on a body."""
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=half,
        pos=pose.position,
        quat=_wxyz(pose),
        rgba=rgba,
        friction=_friction(friction),
        group=SHOWN if shown else HIDDEN,
    )


def add_rod(body: mujoco.MjsBody, rod: Capsule, rgba: Rgba) -> None:
    """A solid rod with round ends on a body."""
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[*rod.start, *rod.end],
        size=[rod.radius, 0, 0],
        rgba=rgba,
        friction=_friction(1.0),
        group=SHOWN,
    )


def _add_piece(spec: mujoco.MjSpec, body: mujoco.MjsBody, piece: Piece, rgba: Rgba) -> None:
    if isinstance(piece, Box):
        add_box(body, piece.half, piece.pose, rgba, shown=piece.shown)
    elif isinstance(piece, Capsule):
        add_rod(body, piece, rgba)
    elif isinstance(piece, Cylinder):
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[piece.radius, piece.half_height, 0],
            pos=piece.centre,
            rgba=rgba,
            friction=_friction(piece.friction, piece.rolling_m or _ROLLING),
            condim=6 if piece.rolling_m else 3,
            group=SHOWN if piece.shown else HIDDEN,
        )
    else:
        _add_surface(spec, body, piece, rgba)


def _add_surface(spec: mujoco.MjSpec, body: mujoco.MjsBody, surface: Turned, rgba: Rgba) -> None:
    vertices, faces = lathe(surface.profile)
    spec.add_mesh(
        name=body.name,
        uservert=vertices.ravel(),
        userface=faces.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=body.name,
        rgba=rgba,
        contype=0,
        conaffinity=0,
        group=SHOWN,
    )


def _add_hinged(spec: mujoco.MjSpec, body: mujoco.MjsBody, shape: Shape, rgba: Rgba) -> None:
    if shape.hinge is None:
        return
    hinge, name = shape.hinge, f"{body.name}/{shape.hinge.part}"
    part = body.add_body(name=name)
    part.add_joint(
        name=name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        pos=hinge.at,
        axis=hinge.axis,
        range=[0, hinge.most_rad],
        damping=[0.002],
        frictionloss=0.002,
    )
    for piece in shape.pieces:
        if hinge.moves(piece):
            _add_piece(spec, part, piece, rgba)


def _set_inertia(body: mujoco.MjsBody, shape: Shape) -> None:
    """That of the solid box: thin walls made of many boxes would overlap in mass."""
    x, y, z = shape.size
    m = shape.mass_kg
    body.mass = m
    body.ipos = [0, 0, 0]
    body.inertia = [m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y)]
    body.explicitinertial = True


def _friction(sliding: float, rolling: float = _ROLLING) -> list[float]:
    return [sliding, 0.01, rolling]


def _wxyz(pose: Pose) -> list[float]:
    x, y, z, w = pose.orientation
    return [w, x, y, z]
