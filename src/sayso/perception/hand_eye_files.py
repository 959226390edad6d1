"""Views for a hand-eye calibration in a folder: each is there as soon as it was taken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics
from sayso.perception.hand_eye import Board, HandEye, View, calibrate, find_board

_SETTING = "setting.json"


@dataclass(frozen=True)
class Setting:
    """What all views of a calibration have in common.

    Attributes:
        camera: its name.
        on_hand: whether the hand carries the camera; else it carries the board.
        carrier: frame in which the camera's pose is wanted: the tool's, or the base's.
        optical: frame of the camera's pictures.
    """

    camera: str
    on_hand: bool
    carrier: str
    optical: str
    intrinsics: Intrinsics
    board: Board


def begin(folder: Path, setting: Setting) -> None:
    """Make a folder. Raises INVALID where another calibration is in it already."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / _SETTING).exists():
        raise SaySoError(
            Code.INVALID,
            f"{folder} holds a calibration already.",
            hint="name another folder, or `sayso calibrate solve` that one.",
        )
    (folder / _SETTING).write_text(json.dumps(asdict(setting), indent=2))


def add(folder: Path, rgb: npt.NDArray[np.uint8], hand: Pose) -> int:
    """Keep a view; gives its number, from 1 on."""
    number = len(list(folder.glob("view_*.json"))) + 1
    cv2.imwrite(str(folder / f"view_{number:02d}.png"), rgb[..., ::-1])
    (folder / f"view_{number:02d}.json").write_text(json.dumps({"hand": asdict(hand)}))
    return number


def solve(folder: Path, without: Sequence[int] = ()) -> tuple[Setting, HandEye]:
    """Calibrate from a folder.

    Args:
        without: numbers of views to leave out.

    Raises:
        SaySoError: CORRUPT for files that cannot be read, INVALID as `calibrate`.
    """
    try:
        told = json.loads((folder / _SETTING).read_text())
        told |= {"intrinsics": Intrinsics(**told["intrinsics"]), "board": Board(**told["board"])}
        setting = Setting(**told)
        views = [_view(f, setting.board) for f in sorted(folder.glob("view_*.json"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"the views in {folder} cannot be read: {error}.",
            hint="take them anew, or take away what is damaged.",
        ) from error
    kept = [v for number, v in enumerate(views, 1) if number not in without]
    return setting, calibrate(kept, setting.intrinsics, on_hand=setting.on_hand)


def _view(file: Path, board: Board) -> View:
    hand = json.loads(file.read_text())["hand"]
    pixels = cv2.imread(str(file.with_suffix(".png")))
    seen = None if pixels is None else find_board(np.ascontiguousarray(pixels[..., ::-1]), board)
    if seen is None:
        raise ValueError(f"{file.with_suffix('.png').name} shows no board")
    return View(seen, Pose(tuple(hand["position"]), tuple(hand["orientation"])))
