"""Colour and depth from one software-rendered pass; ids in a second one when asked for.

An OpenGL context belongs to the thread that made it: make, use and close a `Renderer` in
one thread. It renders by EGL, without a screen, unless `MUJOCO_GL` names another platform.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError

_UNDRAWN = mujoco.mjNGROUP - 1
"""A group of geoms that MuJoCo's default options do not draw."""


class Renderer:
    """Renders a model's cameras at one size.

    Args:
        model: what to render.
        width, height: of the images [px].
    """

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self._model = model
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._gl = _gl_context(width, height)
        model.vis.quality.offsamples = 0  # soft edges would double the time
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        # Reversed z keeps depth precise to well below a millimetre.
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 100)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._options = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED

    def rgbd(
        self, data: mujoco.MjData, camera: str
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """Colour (H, W, 3) and depth along the optical axis (H, W) [m] from one pass."""
        rgb, raw = self._image(), np.empty(self._image().shape[:2], np.float32)
        self._draw(data, camera)
        mujoco.mjr_readPixels(rgb, raw, self._rect, self._context)
        return np.ascontiguousarray(rgb[::-1]), np.ascontiguousarray(self._metres(raw)[::-1])

    def rgb(
        self, data: mujoco.MjData, camera: str, *, shadows: bool = False
    ) -> npt.NDArray[np.uint8]:
        """Colour (H, W, 3); shadows, for people, take three times as long."""
        rgb = self._image()
        self._draw(data, camera, shadows)
        mujoco.mjr_readPixels(rgb, None, self._rect, self._context)
        return np.ascontiguousarray(rgb[::-1])

    def geoms(self, data: mujoco.MjData, camera: str) -> npt.NDArray[np.int32]:
        """The geom id seen at each pixel (H, W), -1 for none."""
        flags = (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR)
        before = [self._scene.flags[f] for f in flags]
        for flag in flags:
            self._scene.flags[flag] = True
        try:
            image = self.rgb(data, camera).astype(np.int32)
        finally:
            for flag, value in zip(flags, before, strict=True):
                self._scene.flags[flag] = value
        return self._geom_ids(image[..., 0] + (image[..., 1] << 8) + (image[..., 2] << 16))

    def close(self) -> None:
        """Free the context; the renderer is of no use afterwards."""
        self._context.free()
        self._gl.free()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _image(self) -> npt.NDArray[np.uint8]:
        return np.empty((self._rect.height, self._rect.width, 3), np.uint8)

    def _draw(self, data: mujoco.MjData, camera: str, shadows: bool = False) -> None:
        self._gl.make_current()
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._camera.fixedcamid = self._model.camera(camera).id
        # What is not in the picture may still cast a shadow into it.
        with nullcontext() if shadows else self._without_unseen(data):
            mujoco.mjv_updateScene(
                self._model,
                data,
                self._options,
                None,
                self._camera,
                mujoco.mjtCatBit.mjCAT_ALL.value,
                self._scene,
            )
        mujoco.mjr_render(self._rect, self._scene, self._context)

    @contextmanager
    def _without_unseen(self, data: mujoco.MjData) -> Iterator[None]:
        """Geoms that are out of the picture in a group that is not drawn: a robot's many
        triangles, once transformed, are half of the work."""
        groups = self._model.geom_group
        before = groups.copy()
        aspect = self._rect.width / self._rect.height
        groups[unseen(self._model, data, self._camera.fixedcamid, aspect)] = _UNDRAWN
        try:
            yield
        finally:
            groups[:] = before

    def _metres(self, raw: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Undo the reversed-z perspective map: raw = near (far / z - 1) / (far - near)."""
        near = np.float32(self._model.vis.map.znear * self._model.stat.extent)
        far = np.float32(self._model.vis.map.zfar * self._model.stat.extent)
        depth = near * far / (near + raw * (far - near))
        return np.asarray(np.where(raw > 0, depth, np.float32(0.0)), np.float32)

    def _geom_ids(self, segments: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        table = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                table[geom.segid + 1] = geom.objid
        return np.asarray(table[segments])


def unseen(
    model: mujoco.MjModel, data: mujoco.MjData, camera: int, aspect: float
) -> npt.NDArray[np.bool_]:
    """(ngeom,) which geoms are surely out of a camera's picture: the spheres around them are.

    Args:
        aspect: of the picture, width by height.
    """
    radius = model.geom_rbound
    right, up, back = ((data.geom_xpos - data.cam_xpos[camera]) @ _axes(data, camera)).T
    vertical = np.deg2rad(model.cam_fovy[camera]) / 2
    horizontal = np.arctan(np.tan(vertical) * aspect)
    out = back > radius
    for across, angle in ((right, horizontal), (up, vertical)):
        out |= np.abs(across) * np.cos(angle) + back * np.sin(angle) > radius
    return np.asarray(out & (radius > 0))  # a plane has no end, and no radius


def _axes(data: mujoco.MjData, camera: int) -> npt.NDArray[np.float64]:
    """(3, 3) of a camera as columns: to the right, up and back."""
    return np.asarray(data.cam_xmat[camera]).reshape(3, 3)


def _gl_context(width: int, height: int) -> Any:
    try:
        context = _platform()(width, height)
        context.make_current()
    except (ImportError, OSError, AttributeError, RuntimeError) as error:
        # A missing libEGL shows as any of these, depending on what is missing of it.
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"no OpenGL context for rendering: {error}.",
            hint="apt-get install libegl1 libgl1 libgl1-mesa-dri.",
        ) from error
    return context


def _platform() -> Any:
    # mujoco picks its platform when it is first imported, by whomever; without a screen
    # only EGL will do, so it is named here instead.
    if os.environ.get("MUJOCO_GL", "egl") != "egl":
        return mujoco.GLContext
    from mujoco.egl import GLContext

    return GLContext
