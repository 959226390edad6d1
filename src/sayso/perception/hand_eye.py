"""Where a camera is on an arm, or beside it, from pictures of a printed board (hand-eye
calibration).

Either the camera is on the hand and the board lies still, or the camera stands still and the hand
holds the board. In both cases a board's corner p is seen at

    project(X^-1 G_i B p)

where X is the camera in what carries it (hand or base), B the board in what carries that (base or
hand), and G_i the base in the hand, or the hand in the base, at view i. Rotations are begun by the
closed form of Park and Martin (1994), translations by linear least squares; then X and B together
take the least error of all corners in the pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Intrinsics
from sayso.perception.camera import project

FEWEST_VIEWS = 6
_FEWEST_CORNERS = 8
_TURNED_RAD = 0.35
_WORST_PX = 2.0


@dataclass(frozen=True)
class Board:
    """A ChArUco board: a chessboard with markers in its white squares.

    Attributes:
        columns, rows: of squares.
        square_m: side of a square as it is printed.
    """

    columns: int = 7
    rows: int = 5
    square_m: float = 0.03

    def made(self) -> cv2.aruco.CharucoBoard:
        """OpenCV's; markers are 4 x 4 bits and 0.75 of a square wide."""
        markers = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100)
        size = (self.columns, self.rows)
        return cv2.aruco.CharucoBoard(size, self.square_m, 0.75 * self.square_m, markers)

    def picture(self, square_px: int = 120) -> npt.NDArray[np.uint8]:
        """(rows, columns) squares to print, with a white margin of half a square."""
        size = ((self.columns + 1) * square_px, (self.rows + 1) * square_px)
        drawn = self.made().generateImage(size, marginSize=square_px // 2)
        return drawn.astype(np.uint8)


@dataclass(frozen=True)
class Sighting:
    """Corners of a board in a picture: (N, 2) pixels (u, v), and (N, 3) where on the board [m]."""

    pixels: Array
    corners: Array


@dataclass(frozen=True)
class View:
    """A sighting, and the hand's pose in the arm's base then."""

    sighting: Sighting
    hand: Pose


@dataclass(frozen=True)
class HandEye:
    """What was calibrated.

    Attributes:
        camera: optical frame in the hand's frame, or in the base's.
        board: in the other one.
        errors_px: root mean square of each view.
        position_m, turn_rad: standard errors of the camera's pose, by the corners' scatter.
    """

    camera: Pose
    board: Pose
    errors_px: tuple[float, ...]
    position_m: float
    turn_rad: float


def find_board(rgb: npt.NDArray[np.uint8], board: Board) -> Sighting | None:
    """The board's corners in an (H, W, 3) picture; None where too few are seen."""
    detector = cv2.aruco.CharucoDetector(board.made())
    pixels, ids, _, _ = detector.detectBoard(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY))
    if ids is None or len(ids) < _FEWEST_CORNERS:
        return None
    corners = np.asarray(board.made().getChessboardCorners(), dtype=float)[ids.ravel()]
    return Sighting(np.asarray(pixels, dtype=float).reshape(-1, 2), corners)


def calibrate(views: Mapping[int, View], intrinsics: Intrinsics, *, on_hand: bool) -> HandEye:
    """Where the camera is.

    Args:
        views: by number.
        on_hand: whether the hand carries the camera; else it carries the board.

    Raises:
        SaySoError: INVALID for too few views, a hand that turned too little, or views that do not
            fit one camera and one board: the worst is named.
    """
    if len(views) < FEWEST_VIEWS:
        raise _refused(f"{len(views)} views are too few", f"take {FEWEST_VIEWS} or more.")
    sightings = [v.sighting for v in views.values()]
    carried = [(v.hand.inverse() if on_hand else v.hand).matrix() for v in views.values()]
    seen = [_board_in_camera(s, intrinsics) for s in sightings]
    camera = _begin(carried, seen)
    board = np.linalg.inv(carried[0]) @ camera @ seen[0]
    fit = least_squares(
        _residuals, np.concatenate([_params(camera), _params(board)]), x_scale="jac",
        args=(carried, sightings, intrinsics),
    )  # fmt: skip
    errors = _errors(fit.fun, sightings)
    _require_fit(dict(zip(views, errors, strict=True)))
    scatter = float((fit.fun**2).sum()) / max(len(fit.fun) - len(fit.x), 1)
    spread = np.sqrt(np.diag(np.linalg.pinv(fit.jac.T @ fit.jac)) * scatter)
    return HandEye(
        camera=Pose.from_matrix(_matrix(fit.x[:6])),
        board=Pose.from_matrix(_matrix(fit.x[6:])),
        errors_px=errors,
        position_m=float(np.linalg.norm(spread[3:6])),
        turn_rad=float(np.linalg.norm(spread[:3])),
    )


def _errors(residuals: Array, sightings: Sequence[Sighting]) -> tuple[float, ...]:
    """Root mean square of each view's corners [px]."""
    ends = np.cumsum([len(s.pixels) for s in sightings])[:-1]
    parts = np.split(residuals.reshape(-1, 2), ends)
    return tuple(float(np.sqrt((part**2).sum(axis=1).mean())) for part in parts)


def _require_fit(errors_px: Mapping[int, float]) -> None:
    worst, middle = max(errors_px, key=lambda n: errors_px[n]), np.median([*errors_px.values()])
    if middle > _WORST_PX or errors_px[worst] > 3 * _WORST_PX:
        raise _refused(
            f"the views do not fit one another: corners are {middle:.1f} pixels off, "
            f"those of view {worst} {errors_px[worst]:.1f}",
            "hold the board rigidly, let the arm rest for each view, give the printed squares' "
            "true size, and say rightly whether the hand carries the camera.",
        )


def _refused(what: str, hint: str) -> SaySoError:
    return SaySoError(Code.INVALID, f"the camera cannot be calibrated: {what}.", hint=hint)


def _board_in_camera(sighting: Sighting, intrinsics: Intrinsics) -> Array:
    i = intrinsics
    lens = np.array([[i.fx, 0.0, i.cx], [0.0, i.fy, i.cy], [0.0, 0.0, 1.0]])
    found, turn, shift = cv2.solvePnP(
        sighting.corners, sighting.pixels, lens, None, flags=cv2.SOLVEPNP_IPPE
    )
    if not found:
        raise _refused("the board's pose cannot be told from a view", "show all of the board.")
    return _matrix(np.concatenate([turn.ravel(), shift.ravel()]))


def _begin(carried: Sequence[Array], seen: Sequence[Array]) -> Array:
    """The camera from how hand and board moved between views: P X = X Q."""
    moved = [
        (carried[i] @ np.linalg.inv(carried[j]), seen[i] @ np.linalg.inv(seen[j]))
        for i, j in combinations(range(len(seen)), 2)
    ]
    axes = np.array([[Rotation.from_matrix(m[:3, :3]).as_rotvec() for m in pair] for pair in moved])
    spread = np.linalg.svd(axes[:, 0], compute_uv=False) / np.sqrt(len(axes))
    if spread[1] < _TURNED_RAD / 2:
        raise _refused(
            "the hand was turned too little, or about one axis alone",
            "turn it by 30 degrees and more, to and fro about two axes at least.",
        )
    turn, _ = Rotation.align_vectors(axes[:, 0], axes[:, 1])
    left = np.vstack([p[:3, :3] - np.eye(3) for p, _ in moved])
    right = np.concatenate([turn.apply(q[:3, 3]) - p[:3, 3] for p, q in moved])
    begun = np.eye(4)
    begun[:3, :3] = turn.as_matrix()
    begun[:3, 3] = np.linalg.lstsq(left, right, rcond=None)[0]
    return begun


def _residuals(
    params: Array, carried: Sequence[Array], sightings: Sequence[Sighting], intrinsics: Intrinsics
) -> Array:
    """(2N,) of all corners of all views [px]."""
    to_camera, board = np.linalg.inv(_matrix(params[:6])), _matrix(params[6:])
    off = []
    for at, sighting in zip(carried, sightings, strict=True):
        m = to_camera @ at @ board
        points = sighting.corners @ m[:3, :3].T + m[:3, 3]
        points[:, 2] = np.maximum(points[:, 2], 1e-3)  # behind the camera on the way to the end
        off.append(project(points, intrinsics) - sighting.pixels)
    return np.concatenate(off).ravel()


def _params(matrix: Array) -> Array:
    """(6,) rotation vector [rad] and translation [m]."""
    return np.concatenate([Rotation.from_matrix(matrix[:3, :3]).as_rotvec(), matrix[:3, 3]])


def _matrix(params: Array) -> Array:
    m = np.eye(4)
    m[:3, :3] = Rotation.from_rotvec(params[:3]).as_matrix()
    m[:3, 3] = params[3:]
    return m
