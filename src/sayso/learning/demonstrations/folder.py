"""Demonstrations on disk: a folder each, written as they go.

    demonstration.jsonl   {"format": 1, "words": ..., "things": ..., "label": ..., "robot": ...}
                          {"sample": [stamp, x, y, z, qx, qy, qz, qw, width, joints...]}
                          {"contact": [stamp, first, second, touching]}
                          {"key_frame": "frame_000", "scene": ..., "clouds": true, "cameras": [...]}
                          {"annotation": [start, end, words, things, label]}
                          {"end": true}
    frame_000.npz         the things' clouds, (N, 3) float32 by name
    frame_000_CAMERA.png  pictures

A line counts once it ends, and a frame's files are there before its line. So whatever ends the
recording, all before that is read; without the last line it is told to be incomplete.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from sayso.core.errors import Code, SaySoError
from sayso.core.files import check_format, replace_bytes
from sayso.core.geometry import Pose
from sayso.core.scene import Scene
from sayso.core.scene_data import scene_from_data, scene_to_data
from sayso.learning.demonstrations.demonstration import (
    Annotation,
    Contact,
    Demonstration,
    KeyFrame,
    Sample,
)

FORMAT = 1
FILE = "demonstration.jsonl"
UNFINISHED = ".unfinished"
"""The folder beside demonstrations in which they are written, where they shall be there whole."""
_CLOUD = "of "
"""Before a thing's name in a frame's file: numpy keeps some names to itself."""
_CAMERA = re.compile(r"[A-Za-z0-9_-]+")


class Recorder:
    """Writes one demonstration into a new folder, piece by piece, from any thread; a context.

    Left by an exception, what was written stays, without the line that tells that it is complete.

    Raises:
        SaySoError: INVALID where a demonstration is there already; EXECUTION, from every method,
            where the disk does not take it: what was written before stays.
    """

    def __init__(
        self,
        folder: Path,
        words: str,
        things: Mapping[str, str],
        robot: str = "",
        label: str = "",
    ) -> None:
        self.folder = folder
        self._frames = 0
        self._one = threading.Lock()
        if (folder / FILE).exists():
            raise SaySoError(
                Code.INVALID, f"{folder} holds a demonstration.", hint="name a folder that is new."
            )
        with _naming_disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / FILE).open("x", encoding="utf-8")
        said = {"words": words, "things": dict(things), "label": label}
        self._line({"format": FORMAT, **said, "robot": robot})

    def sample(self, sample: Sample) -> None:
        """Where the hand is."""
        tool = sample.tool
        row = (sample.stamp_s, *tool.position, *tool.orientation, sample.gripper_width_m)
        self._line({"sample": [float(v) for v in (*row, *sample.joint_positions)]})

    def contact(self, contact: Contact) -> None:
        """What began to touch what, or ceased to."""
        self._line({"contact": [*vars(contact).values()]})

    def key_frame(self, frame: KeyFrame) -> None:
        """What is seen. Raises INVALID for a camera whose name is no file's."""
        name = f"frame_{self._frames:03d}"
        clouds = {o.name: o.points for o in frame.scene.objects if len(o.points)}
        with _naming_disk_errors(self.folder):
            if clouds:
                replace_bytes(self.folder / f"{name}.npz", _packed(clouds))
            for camera, picture in frame.pictures.items():
                if not _CAMERA.fullmatch(camera):
                    text = f"'{camera}' is no camera's name: letters, digits, _ and - only."
                    raise SaySoError(Code.INVALID, text)
                buffer = io.BytesIO()
                Image.fromarray(picture).save(buffer, format="PNG")
                replace_bytes(self.folder / f"{name}_{camera}.png", buffer.getvalue())
        scene = scene_to_data(frame.scene)
        files = {"clouds": bool(clouds), "cameras": [*frame.pictures]}
        self._line({"key_frame": name, "scene": scene, **files})
        self._frames += 1

    def annotation(self, said: Annotation) -> None:
        """What was said of a part that is recorded."""
        self._line({"annotation": [*vars(said).values()]})

    def close(self, complete: bool = True) -> None:
        """End the recording; `complete` is whether the whole was shown."""
        try:
            if complete:
                self._line({"end": True})
        finally:
            self._file.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(complete=kind is None)

    def _line(self, data: Mapping[str, Any]) -> None:
        with self._one, _naming_disk_errors(self.folder):
            self._file.write(json.dumps(data) + "\n")
            self._file.flush()
            # A crash of the machine, not of this program, may cost what came since a key frame.
            if "key_frame" in data or "end" in data:
                os.fsync(self._file.fileno())


@contextmanager
def _naming_disk_errors(folder: Path) -> Iterator[None]:
    """Names a disk that is full, or not to be written to."""
    try:
        yield
    except OSError as error:
        raise SaySoError(
            Code.EXECUTION,
            f"the demonstration cannot be written to {folder}: {error.strerror}.",
            hint="make room there; what was written before is kept.",
        ) from error


def write(demonstration: Demonstration, folder: Path) -> None:
    """A whole demonstration into a new folder. Raises as `Recorder`."""
    d = demonstration
    recorder = Recorder(folder, d.words, d.things, d.robot, d.label)
    steps = [(k.stamp_s, 0, partial(recorder.key_frame, k)) for k in d.key_frames]
    steps += [(c.stamp_s, 1, partial(recorder.contact, c)) for c in d.contacts]
    steps += [(s.stamp_s, 2, partial(recorder.sample, s)) for s in d.samples]
    for _, _, take in sorted(steps, key=lambda s: s[:2]):
        take()
    for said in d.annotations:
        recorder.annotation(said)
    recorder.close(d.complete)


def write_whole(demonstration: Demonstration, folder: Path) -> None:
    """As `write`, but the folder is there only once all of it is: it is written beside it first."""
    unfinished = folder.parent / UNFINISHED / folder.name
    shutil.rmtree(unfinished, ignore_errors=True)
    write(demonstration, unfinished)
    with _naming_disk_errors(folder):
        unfinished.rename(folder)


def read(folder: Path) -> Demonstration:
    """The demonstration of a folder, up to where it broke off.

    Raises:
        SaySoError: INVALID where there is none, or one of another format; CORRUPT, naming the
            line or file, where a whole line is not what this SaySo writes.
    """
    lines = _whole_lines(folder)
    found = _Found()
    for number, line in enumerate(lines, 1):
        try:
            found.take(folder, number, json.loads(line))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise SaySoError(
                Code.CORRUPT,
                f"line {number} of {folder / FILE} is not of a demonstration: {error!r}.",
                hint="restore the file, or cut it off before that line.",
            ) from error
    if found.head is None:
        raise SaySoError(
            Code.INVALID,
            f"{folder / FILE} is empty: the recording broke off as it began.",
            hint="take that folder away, and record it again.",
        )
    return replace(
        found.head,
        samples=tuple(found.samples),
        key_frames=tuple(found.key_frames),
        contacts=tuple(found.contacts),
        complete=found.complete,
        annotations=tuple(found.annotations),
    )


def folders(path: Path) -> tuple[Path, ...]:
    """The demonstrations in a folder, or the folder itself if it is one; by name.

    Raises INVALID where there are none.
    """
    if not (found := found_in(path)):
        raise _none_in(path)
    return found


def found_in(path: Path) -> tuple[Path, ...]:
    """As `folders`; none where there are none, or no folder yet."""
    if (path / FILE).is_file():
        return (path,)
    return tuple(sorted(p.parent for p in path.glob(f"*/{FILE}")))


@dataclass
class _Found:
    """What was read so far."""

    head: Demonstration | None = None
    samples: list[Sample] = field(default_factory=list)
    key_frames: list[KeyFrame] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    complete: bool = False

    def take(self, folder: Path, number: int, data: Mapping[str, Any]) -> None:
        if number == 1:
            check_format(folder, data["format"], FORMAT)
            said = {k: data[k] for k in ("words", "things", "robot")}
            self.head = Demonstration(**said, samples=(), label=data.get("label", ""))
        elif "sample" in data:
            self.samples.append(_sample(data["sample"]))
        elif "contact" in data:
            stamp_s, first, second, touching = data["contact"]
            self.contacts.append(Contact(stamp_s, first, second, touching))
        elif "key_frame" in data:
            self.key_frames.append(_key_frame(folder, data))
        elif "annotation" in data:
            self.annotations.append(Annotation(*data["annotation"]))
        elif data["end"]:
            self.complete = True


def _sample(row: list[float]) -> Sample:
    stamp, x, y, z, a, b, c, d, width, *joints = row
    return Sample(stamp, Pose((x, y, z), (a, b, c, d)), width, tuple(joints))


def _key_frame(folder: Path, data: Mapping[str, Any]) -> KeyFrame:
    name = data["key_frame"]
    scene: Scene = scene_from_data(data["scene"])
    try:
        points = _clouds(folder / f"{name}.npz") if data.get("clouds", True) else {}
        pictures = {
            camera: np.asarray(Image.open(folder / f"{name}_{camera}.png").convert("RGB"))
            for camera in data["cameras"]
        }
    except (OSError, EOFError, ValueError, UnidentifiedImageError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{name} of {folder} cannot be read: {error}.",
            hint="restore its files, or take its line out.",
        ) from error
    things = (replace(o, points=points.get(o.name, o.points)) for o in scene.objects)
    return KeyFrame(replace(scene, objects=tuple(things)), pictures)


def _clouds(file: Path) -> dict[str, Any]:
    with np.load(file) as clouds:
        return {n.removeprefix(_CLOUD): clouds[n] for n in clouds.files}


def _packed(clouds: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{_CLOUD + name: points for name, points in clouds.items()})
    return buffer.getvalue()


def _whole_lines(folder: Path) -> list[bytes]:
    """The lines that end."""
    try:
        data = (folder / FILE).read_bytes()
    except OSError as error:
        raise _none_in(folder) from error
    return data[: data.rfind(b"\n") + 1].splitlines()


def _none_in(folder: Path) -> SaySoError:
    return SaySoError(
        Code.INVALID,
        f"{folder} holds no demonstration.",
        hint=f"name a folder with {FILE}, or one that holds such folders.",
    )
