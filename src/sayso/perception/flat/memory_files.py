"""Frames compressed, in memory or in files of a folder.

A tour's folder holds `tour.json` (poses, cameras, labels; written last) and, for each frame,
`NNNNNN.color.jpg`, `NNNNNN.depth.png` (uint16 [mm], 0 where missing) and, from a simulator,
`NNNNNN.instances.png`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame

FORMAT = 1
"""Of the files; another one is not read."""
INDEX = "tour.json"
_QUALITY = 95
_FARTHEST_MM = 65535
_PARTS = ("color", "depth", "instances")
_ENDING = {"color": "jpg", "depth": "png", "instances": "png"}


@dataclass(frozen=True, eq=False)
class Packed:
    """One frame: what is known of it, and its pictures as encoded bytes or files."""

    camera: str
    stamp_s: float
    pose: Pose
    intrinsics: Intrinsics
    labels: Mapping[int, str]
    pictures: Mapping[str, bytes | Path]

    @staticmethod
    def of(frame: RgbdFrame) -> Packed:
        """A frame, compressed."""
        deep = np.nan_to_num(frame.depth_m, nan=0.0, posinf=0.0, neginf=0.0) * 1000.0
        depth = np.where(deep < _FARTHEST_MM, np.rint(np.maximum(deep, 0.0)), 0.0)
        pictures: dict[str, bytes | Path] = {
            "color": _encoded("color", np.ascontiguousarray(frame.rgb[..., ::-1])),
            "depth": _encoded("depth", depth.astype(np.uint16)),
        }
        if frame.instances is not None:
            pictures["instances"] = _encoded("instances", frame.instances.astype(np.uint16))
        return Packed(
            frame.camera,
            frame.stamp_s,
            frame.pose,
            frame.intrinsics,
            dict(frame.instance_labels),
            pictures,
        )

    def frame(self) -> RgbdFrame:
        """The frame again, depth in whole millimetres.

        Raises:
            SaySoError: CORRUPT, naming the file, where a picture cannot be read.
        """
        color = self._picture("color", cv2.IMREAD_COLOR)
        depth = self._picture("depth", cv2.IMREAD_UNCHANGED)
        ids = None
        if "instances" in self.pictures:
            ids = self._picture("instances", cv2.IMREAD_UNCHANGED).astype(np.int32)
        return RgbdFrame(
            self.camera,
            self.stamp_s,
            np.ascontiguousarray(color[..., ::-1]),
            depth.astype(np.float32) / np.float32(1000.0),
            self.intrinsics,
            self.pose,
            ids,
            self.labels,
        )

    def _picture(self, part: str, flags: int) -> npt.NDArray[Any]:
        data = self.pictures[part]
        name = data if isinstance(data, Path) else Path(part)
        raw = _read(data) if isinstance(data, Path) else data
        image = cv2.imdecode(np.frombuffer(raw, np.uint8), flags) if raw else None
        wanted = (self.intrinsics.height, self.intrinsics.width)
        if image is None or image.shape[:2] != wanted:
            raise corrupt(name, f"it is no picture of {wanted[1]} x {wanted[0]} pixels")
        return np.asarray(image)


def save(folder: Path, frames: Sequence[Packed]) -> None:
    """Write frames to a folder; its index comes last, so that a broken-off tour is none."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = [{part: _bytes(data) for part, data in f.pictures.items()} for f in frames]
    (folder / INDEX).unlink(missing_ok=True)
    for old in (p for ending in ("jpg", "png") for p in folder.glob(f"[0-9]*.*.{ending}")):
        old.unlink()
    for number, parts in enumerate(pictures):
        for part, data in parts.items():
            (folder / _name(number, part)).write_bytes(data)
    index = {"format": FORMAT, "frame": "map", "frames": [_entry(f) for f in frames]}
    part_file = folder / f".{INDEX}"
    part_file.write_text(json.dumps(index, indent=1), encoding="utf-8")
    part_file.replace(folder / INDEX)


def load(folder: Path) -> list[Packed]:
    """The frames of a folder; pictures stay in their files.

    Raises:
        SaySoError: CONFIG where there is no tour; CORRUPT where it is damaged.
    """
    path = folder / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"there is no tour at {folder}.", hint="drive a mapping tour first."
        ) from error
    except ValueError as error:
        raise corrupt(path, "it cannot be read") from error
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise corrupt(path, f"it is not of format {FORMAT}")
    try:
        return [_packed(folder, number, e) for number, e in enumerate(index["frames"])]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise corrupt(path, "a frame's entry is not complete") from error


def corrupt(path: Path, why: str) -> SaySoError:
    """The error for a damaged file of a tour."""
    return SaySoError(
        Code.CORRUPT, f"the tour's {path} is damaged: {why}.", hint="drive the tour again."
    )


def _entry(frame: Packed) -> dict[str, Any]:
    return {
        "camera": frame.camera,
        "stamp_s": frame.stamp_s,
        "position": list(frame.pose.position),
        "orientation": list(frame.pose.orientation),
        "intrinsics": asdict(frame.intrinsics),
        "labels": {str(i): label for i, label in frame.labels.items()},
        "pictures": list(frame.pictures),
    }


def _packed(folder: Path, number: int, entry: Mapping[str, Any]) -> Packed:
    x, y, z = (float(v) for v in entry["position"])
    qx, qy, qz, qw = (float(v) for v in entry["orientation"])
    if not np.isfinite([x, y, z, qx, qy, qz, qw]).all():
        raise ValueError("a pose is not finite")
    parts = [p for p in _PARTS if p in entry["pictures"]]
    if parts[:2] != ["color", "depth"]:
        raise ValueError("a frame has no colour or depth")
    paths = {part: folder / _name(number, part) for part in parts}
    for path in paths.values():
        if not path.is_file():
            raise corrupt(path, "it is missing")
    return Packed(
        str(entry["camera"]),
        float(entry["stamp_s"]),
        Pose((x, y, z), (qx, qy, qz, qw)),
        Intrinsics(**entry["intrinsics"]),
        {int(i): str(label) for i, label in entry["labels"].items()},
        paths,
    )


def _name(number: int, part: str) -> str:
    return f"{number:06d}.{part}.{_ENDING[part]}"


def _encoded(part: str, image: npt.NDArray[Any]) -> bytes:
    options = (
        [cv2.IMWRITE_JPEG_QUALITY, _QUALITY]
        if part == "color"
        else [cv2.IMWRITE_PNG_COMPRESSION, 1]
    )
    done, data = cv2.imencode(f".{_ENDING[part]}", image, options)
    if not done:
        raise SaySoError(Code.INVALID, f"a frame's {part} picture cannot be encoded.")
    return data.tobytes()


def _bytes(data: bytes | Path) -> bytes:
    return _read(data) if isinstance(data, Path) else data


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise corrupt(path, "it cannot be read") from error
