"""Images and camera calibration between numpy and `sensor_msgs`.

Pixel data always travels as one buffer, never as a list: a list costs 100 times as much.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Intrinsics

_LAYOUT: Mapping[str, tuple[str, int]] = {
    "rgb8": ("u1", 3),
    "bgr8": ("u1", 3),
    "mono8": ("u1", 1),
    "16UC1": ("u2", 1),
    "mono16": ("u2", 1),
    "32FC1": ("f4", 1),
    "32SC1": ("i4", 1),
}


def image_to_msg(pixels: npt.NDArray[Any], encoding: str, header: Header) -> Image:
    """An image (H, W) or (H, W, C) whose dtype is the encoding's."""
    kind, channels = _layout(encoding)
    data = np.ascontiguousarray(pixels)
    expected = (*data.shape[:2], channels) if channels > 1 else data.shape[:2]
    if data.dtype != np.dtype(kind) or data.shape != expected:
        raise SaySoError(
            Code.INVALID,
            f"an image of {data.dtype} and shape {data.shape} is not of encoding {encoding}.",
        )
    height, width = data.shape[:2]
    return Image(
        header=header,
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=width * channels * data.itemsize,
        data=array("B", data.tobytes()),
    )


def image_from_msg(msg: Any) -> npt.NDArray[Any]:
    """The pixels, (H, W) or (H, W, C), of the encoding's dtype in this machine's byte order.

    Rows may be padded. Raises INVALID for an encoding that is not in the table above, and for
    a buffer that is too short.
    """
    kind, channels = _layout(msg.encoding)
    dtype = np.dtype((">" if msg.is_bigendian else "<") + kind)
    row = msg.width * channels * dtype.itemsize
    if msg.step < row or len(msg.data) < msg.step * msg.height:
        raise SaySoError(
            Code.INVALID,
            f"an image of {msg.width} x {msg.height} {msg.encoding} has only {len(msg.data)} "
            f"bytes in rows of {msg.step}.",
        )
    rows = np.frombuffer(msg.data, np.uint8, msg.step * msg.height)
    pixels = np.ascontiguousarray(rows.reshape(msg.height, msg.step)[:, :row]).view(dtype)
    shape = (msg.height, msg.width, channels) if channels > 1 else (msg.height, msg.width)
    return pixels.reshape(shape).astype(dtype.newbyteorder("="), copy=False)


def rgb_from_msg(msg: Any) -> npt.NDArray[np.uint8]:
    """A colour image (H, W, 3) in the order red, green, blue."""
    pixels = image_from_msg(msg)
    if msg.encoding == "bgr8":
        return np.ascontiguousarray(pixels[..., ::-1])
    if msg.encoding != "rgb8":
        raise SaySoError(
            Code.INVALID,
            f"a colour image has encoding '{msg.encoding}'.",
            choices=("rgb8", "bgr8"),
        )
    return pixels


def depth_from_msg(msg: Any) -> npt.NDArray[np.float32]:
    """Depth (H, W) in metres, 0 where missing, of 16UC1 in millimetres or 32FC1 in metres."""
    pixels = image_from_msg(msg)
    if msg.encoding in ("16UC1", "mono16"):
        metres: npt.NDArray[np.float32] = pixels.astype(np.float32) * np.float32(1e-3)
        return metres
    if msg.encoding != "32FC1":
        raise SaySoError(
            Code.INVALID,
            f"a depth image has encoding '{msg.encoding}'.",
            choices=("16UC1", "32FC1"),
        )
    return np.where(np.isfinite(pixels), pixels, np.float32(0)).astype(np.float32)


def depth_to_msg(depth_m: npt.NDArray[np.float32], header: Header) -> Image:
    """Depth (H, W) in metres as 16UC1 in millimetres; NaN and beyond 65.5 m become 0, missing."""
    millimetres = np.rint(np.nan_to_num(depth_m, nan=0.0, posinf=0.0, neginf=0.0) * np.float32(1e3))
    millimetres[(millimetres < 0) | (millimetres > 65535)] = 0
    return image_to_msg(millimetres.astype(np.uint16), "16UC1", header)


def intrinsics_to_msg(intrinsics: Intrinsics, header: Header) -> CameraInfo:
    """Calibration of a camera without distortion."""
    i = intrinsics
    return CameraInfo(
        header=header,
        width=i.width,
        height=i.height,
        distortion_model="plumb_bob",
        d=[0.0] * 5,
        k=[i.fx, 0.0, i.cx, 0.0, i.fy, i.cy, 0.0, 0.0, 1.0],
        r=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p=[i.fx, 0.0, i.cx, 0.0, 0.0, i.fy, i.cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )


def intrinsics_from_msg(msg: Any, *, rectified: bool = False) -> Intrinsics:
    """The pinhole of a camera's images (REP 104).

    Args:
        rectified: of rectified images, which P tells, whatever the lens does; else K.

    Raises:
        SaySoError: INVALID for a camera that is not calibrated, or whose images are distorted.
    """
    k = [float(v) for v in (msg.p if rectified else msg.k)]
    fx, cx, fy, cy = (k[0], k[2], k[5], k[6]) if rectified else (k[0], k[2], k[4], k[5])
    if fx <= 0 or fy <= 0:
        raise SaySoError(
            Code.INVALID,
            f"camera_info of '{msg.header.frame_id}' has no focal length.",
            hint="calibrate the camera.",
        )
    if not rectified and any(abs(d) > 1e-9 for d in msg.d):
        raise SaySoError(
            Code.INVALID,
            f"the images of '{msg.header.frame_id}' are distorted.",
            hint="rectify them (image_proc), name those topics, and set 'rectified'.",
        )
    return Intrinsics(int(msg.width), int(msg.height), fx, fy, cx, cy)


def _layout(encoding: str) -> tuple[str, int]:
    if encoding not in _LAYOUT:
        raise SaySoError(
            Code.INVALID, f"images of encoding '{encoding}' are not read.", choices=_LAYOUT
        )
    return _LAYOUT[encoding]
