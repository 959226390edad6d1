"""Views for a hand-eye calibration in a folder: each is there as soon as it was taken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
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
    """Make a folder, or go on in one. Raises INVALID where another calibration is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _SETTING
    if file.exists() and _setting(folder) != setting:
        raise SaySoError(
            Code.INVALID,
            f"{folder} holds a calibration of another camera, board or lens.",
            hint="name another folder, or `sayso calibrate solve` that one.",
        )
    file.write_text(json.dumps(asdict(setting), indent=2))


def numbers(folder: Path) -> Sequence[int]:
    """Of the views that were taken, as their files are called."""
    return sorted(int(f.stem.removeprefix("view_")) for f in folder.glob("view_*.json"))


def add(folder: Path, rgb: npt.NDArray[np.uint8], hand: Pose) -> int:
    """Keep a view; gives its number. Raises OSError where it cannot be written."""
    number = max(numbers(folder), default=0) + 1
    file = folder / f"view_{number:02d}.png"
    if not cv2.imwrite(str(file), rgb[..., ::-1]):
        raise OSError(f"{file} cannot be written")
    file.with_suffix(".json").write_text(json.dumps({"hand": asdict(hand)}))
    return number


def solve(
    folder: Path, without: Sequence[int] = (), square_m: float | None = None
) -> tuple[Setting, HandEye]:
    """Calibrate from a folder.

    Args:
        without: numbers of views to leave out; they need not be readable.
        square_m: as it was measured on the board, if not as it was told before.

    Raises:
        SaySoError: CORRUPT for files that cannot be read, INVALID as `calibrate`.
    """
    setting = _setting(folder)
    if square_m is not None:
        setting = replace(setting, board=replace(setting.board, square_m=square_m))
    kept = [n for n in numbers(folder) if n not in without]
    views = {n: _view(folder / f"view_{n:02d}.json", setting.board) for n in kept}
    return setting, calibrate(views, setting.intrinsics, on_hand=setting.on_hand)


def _setting(folder: Path) -> Setting:
    try:
        told = json.loads((folder / _SETTING).read_text())
        told |= {"intrinsics": Intrinsics(**told["intrinsics"]), "board": Board(**told["board"])}
        return Setting(**told)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _corrupt(folder / _SETTING, str(error)) from error


def _view(file: Path, board: Board) -> View:
    try:
        hand = json.loads(file.read_text())["hand"]
        pose = Pose(tuple(hand["position"]), tuple(hand["orientation"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _corrupt(file, str(error)) from error
    pixels = cv2.imread(str(file.with_suffix(".png")))
    seen = None if pixels is None else find_board(np.ascontiguousarray(pixels[..., ::-1]), board)
    if seen is None:
        raise _corrupt(file.with_suffix(".png"), "it shows no board")
    return View(seen, pose)


def _corrupt(file: Path, why: str) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{file} cannot be read: {why}.",
        hint="leave that view out (--without), or take the views anew.",
    )
