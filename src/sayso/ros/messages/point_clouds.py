"""Voxels as `sensor_msgs/PointCloud2`."""

from __future__ import annotations

from array import array

import numpy as np
from sensor_msgs.msg import PointCloud2, PointField

from sayso.perception.map_files import VoxelMap
from sayso.ros.messages.conversions import header

_FIELDS = ("x", "y", "z", "rgb")


def voxels_to_msg(voxels: VoxelMap, stamp_s: float, frame: str) -> PointCloud2:
    """The voxels' centres, coloured as RViz wants it: 0x00RRGGBB in the bits of a float."""
    points = np.empty(len(voxels.centres), [(name, "<f4") for name in _FIELDS])
    for index, name in enumerate(_FIELDS[:3]):
        points[name] = voxels.centres[:, index]
    red, green, blue = voxels.colors.T.astype(np.uint32)
    points["rgb"] = (red << 16 | green << 8 | blue).astype("<u4").view("<f4")
    fields = [
        PointField(name=name, offset=4 * i, datatype=PointField.FLOAT32, count=1)
        for i, name in enumerate(_FIELDS)
    ]
    return PointCloud2(
        header=header(stamp_s, frame),
        height=1,
        width=len(points),
        fields=fields,
        is_bigendian=False,
        point_step=points.itemsize,
        row_step=points.nbytes,
        data=array("B", points.tobytes()),
        is_dense=True,
    )
