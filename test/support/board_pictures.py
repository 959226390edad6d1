"""Pictures of a printed calibration board, drawn by warping its sheet."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics
from sayso.perception.camera import project
from sayso.perception.hand_eye import Board


def picture(
    board: Board, seen: Pose, camera: Intrinsics, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """The printed board as a pinhole camera sees it, blurred and with noise."""
    square = 60
    sheet = board.picture(square)
    high, wide = sheet.shape
    # A pixel's coordinates are those of its middle; the margin is half a square.
    edges = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], float)
    metres = np.c_[(edges / square - 0.5) * board.square_m, np.zeros(4)]
    to = project(seen.transform(metres), camera).astype(np.float32)
    warp = cv2.getPerspectiveTransform((edges - 0.5).astype(np.float32), to)
    grey = cv2.warpPerspective(
        sheet, warp, (camera.width, camera.height), flags=cv2.INTER_AREA, borderValue=90
    )
    grey = cv2.GaussianBlur(grey, (0, 0), 0.8) + rng.normal(0, 4, grey.shape)
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
