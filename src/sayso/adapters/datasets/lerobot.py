"""Demonstrations as a LeRobot dataset, format v3.0, and back.

    meta/info.json                            features, frames a second, paths
    meta/stats.json                           of each feature
    meta/tasks.parquet                        the words, with their number
    meta/episodes/chunk-000/file-000.parquet  one row a demonstration
    data/chunk-000/file-000.parquet           one row a frame
    videos/KEY/chunk-000/file-000.mp4         one picture a frame, by camera

A frame's `observation.state` is the tool's position [m], its quaternion (x, y, z, w), the gripper's
width [m] and the joints [rad]; its `action` the next frame's. Samples are brought to an even rate;
between key frames a video shows the last picture. Scenes, clouds and contacts have no place in the
format: they stay in SaySo's own folders.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation, Slerp

from sayso.adapters.datasets import Recording
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.scene import RobotState, Scene
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame, Sample

VERSION = "v3.0"
_DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
_EPISODES = Path("meta/episodes/chunk-000/file-000.parquet")
_STATE = ("x", "y", "z", "qx", "qy", "qz", "qw", "gripper_width")
_COUNTERS = ("frame_index", "episode_index", "index", "task_index")
_DAMAGES = (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError)
Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class _Episode:
    """One demonstration at an even rate: times (N,) from 0 [s] and states (N, 8 + joints)."""

    words: str
    times: Array
    states: Array
    start_s: float
    demonstration: Demonstration


def export(demonstrations: Sequence[Demonstration], folder: Path, rate_hz: int = 20) -> None:
    """Write demonstrations as a new dataset.

    Raises:
        SaySoError: MISSING_DEPENDENCY without pyarrow; INVALID for a folder that is there, for no
            or too short demonstrations, and for some that differ in robot, joints or pictures.
    """
    pa, pq = _pyarrow()
    if folder.exists():
        raise SaySoError(Code.INVALID, f"{folder} exists.", hint="name a folder that is new.")
    episodes = [_even(d, rate_hz) for d in demonstrations]
    cameras = _cameras(demonstrations)
    _require_alike(episodes)
    tasks = list(dict.fromkeys(e.words for e in episodes))
    columns = _columns(episodes, tasks)
    for name in ("meta/episodes/chunk-000", "data/chunk-000"):
        (folder / name).mkdir(parents=True)
    pq.write_table(_table(pa, columns), folder / _DATA.format(chunk_index=0, file_index=0))
    for camera, size in cameras.items():
        _write_video(folder, camera, size, episodes, rate_hz)
    pq.write_table(pa.table(_episode_rows(episodes, cameras, rate_hz)), folder / _EPISODES)
    pq.write_table(_tasks_table(pa, tasks), folder / "meta/tasks.parquet")
    _write_json(folder / "meta/stats.json", {n: _statistics(c) for n, c in columns.items()})
    _write_json(folder / "meta/info.json", _info(episodes, cameras, tasks, rate_hz))


def recordings(folder: Path) -> Iterator[tuple[str, Recording]]:
    """The demonstrations of a dataset, each with a key frame of pictures at beginning and end: its
    number, and what reads it.

    Its state must be named as `export` names it; which things were meant is not told.

    Raises:
        SaySoError: MISSING_DEPENDENCY without pyarrow; INVALID for another version or other
            states; CORRUPT for files that cannot be read, a video when its recording is read.
    """
    pa, pq = _pyarrow()
    try:
        info = json.loads((folder / "meta/info.json").read_text(encoding="utf-8"))
        _require_readable(folder, info)
        rows = pq.read_table(folder / "data").to_pydict()
        episodes = pq.read_table(folder / "meta/episodes").to_pylist()
    except (*_DAMAGES, pa.ArrowInvalid) as error:
        raise _corrupt(folder, "", error) from error
    for number, episode in enumerate(episodes):
        yield f"{number:03d}", partial(_recording, folder, info, rows, episode)


def _corrupt(folder: Path, what: str, cause: object) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{what}{folder} cannot be read as a LeRobot dataset: {cause}.",
        hint="load it again, or name the folder that holds meta/info.json.",
    )


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            "LeRobot datasets need the module 'pyarrow', which is not installed.",
            hint="pip install 'sayso[datasets]'.",
        ) from error
    return pyarrow, pyarrow.parquet


# -- writing ----------------------------------------------------------------------------------


def _even(demonstration: Demonstration, rate_hz: int) -> _Episode:
    d = demonstration
    if len(d.samples) < 2:
        raise SaySoError(Code.INVALID, f"the demonstration '{d.words}' has no motion.")
    stamps, path = d.stamps_s(), d.path()
    start_s = float(stamps[0])
    times = np.arange(round((stamps[-1] - start_s) * rate_hz) + 1) / rate_hz
    at = np.clip(times + start_s, stamps[0], stamps[-1])
    joints = np.array([s.joint_positions for s in d.samples])
    columns = np.column_stack([path.positions, d.widths_m(), joints])
    even = np.column_stack([np.interp(at, stamps, c) for c in columns.T])
    turns = Slerp(stamps, path.rotations)(at).as_quat(canonical=True)
    states = np.column_stack([even[:, :3], turns, even[:, 3:]])
    return _Episode(d.words, times, states, start_s, d)


def _require_alike(episodes: Sequence[_Episode]) -> None:
    widths = {e.states.shape[1] for e in episodes}
    robots = {e.demonstration.robot for e in episodes}
    if len(widths) != 1 or len(robots) != 1:
        raise SaySoError(
            Code.INVALID,
            "a dataset is of one robot: these demonstrations are of "
            f"{len(robots)} robots and {len(widths)} numbers of joints.",
            hint="export those of each robot by themselves, and at least one.",
        )


def _cameras(demonstrations: Sequence[Demonstration]) -> dict[str, tuple[int, int]]:
    """Height and width by camera; the cameras that every demonstration begins with."""
    shown = [d.key_frames[0].pictures if d.key_frames else {} for d in demonstrations]
    names = sorted(set.intersection(*(set(p) for p in shown))) if shown else []
    sizes: dict[str, tuple[int, int]] = {}
    for name in names:
        pictures = (k.pictures.get(name) for d in demonstrations for k in d.key_frames)
        found = {p.shape[:2] for p in pictures if p is not None}
        if len(found) != 1:
            text = f"the pictures of {name} have {len(found)} sizes; a video has one."
            raise SaySoError(Code.INVALID, text, hint="export demonstrations of one setting.")
        ((height, width),) = found
        sizes[name] = (height, width)
    return sizes


def _columns(episodes: Sequence[_Episode], tasks: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    lengths = [len(e.times) for e in episodes]
    numbers = np.arange(len(episodes))
    actions = [np.concatenate([e.states[1:], e.states[-1:]]) for e in episodes]
    task_of = np.array([tasks.index(e.words) for e in episodes])
    return {
        "observation.state": np.concatenate([e.states for e in episodes]).astype(np.float32),
        "action": np.concatenate(actions).astype(np.float32),
        "timestamp": np.concatenate([e.times for e in episodes]).astype(np.float32),
        "frame_index": np.concatenate([np.arange(n) for n in lengths]),
        "episode_index": np.repeat(numbers, lengths),
        "index": np.arange(sum(lengths)),
        "task_index": np.repeat(task_of, lengths),
    }


def _table(pa: Any, columns: Mapping[str, npt.NDArray[Any]]) -> Any:
    return pa.table(
        {
            name: pa.array(values)
            if values.ndim == 1
            else pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
            for name, values in columns.items()
        }
    )


def _tasks_table(pa: Any, tasks: Sequence[str]) -> Any:
    """The words as pandas' index, which the format looks them up by."""
    fields = [("task_index", "int64", "int64"), ("task", "unicode", "object")]
    told = {
        "index_columns": ["task"],
        "column_indexes": [],
        "columns": [
            {"name": n, "field_name": n, "pandas_type": p, "numpy_type": t, "metadata": None}
            for n, p, t in fields
        ],
        "pandas_version": "2.2.0",
    }
    table = pa.table({"task_index": np.arange(len(tasks)), "task": list(tasks)})
    return table.replace_schema_metadata({"pandas": json.dumps(told)})


def _episode_rows(
    episodes: Sequence[_Episode], cameras: Mapping[str, Any], rate_hz: int
) -> dict[str, list[Any]]:
    ends = np.cumsum([len(e.times) for e in episodes]).tolist()
    starts, zeros = [0, *ends[:-1]], [0] * len(episodes)
    rows: dict[str, list[Any]] = {
        "episode_index": list(range(len(episodes))),
        "tasks": [[e.words] for e in episodes],
        "length": [len(e.times) for e in episodes],
        "dataset_from_index": starts,
        "dataset_to_index": ends,
        "data/chunk_index": zeros,
        "data/file_index": zeros,
        "meta/episodes/chunk_index": zeros,
        "meta/episodes/file_index": zeros,
    }
    for key in map(_key, cameras):
        rows |= {
            f"videos/{key}/chunk_index": zeros,
            f"videos/{key}/file_index": zeros,
            f"videos/{key}/from_timestamp": [s / rate_hz for s in starts],
            f"videos/{key}/to_timestamp": [e / rate_hz for e in ends],
        }
    return rows


def _key(camera: str) -> str:
    return f"observation.images.{camera}"


def _write_video(
    folder: Path, camera: str, size: tuple[int, int], episodes: Sequence[_Episode], rate_hz: int
) -> None:
    path = folder / _VIDEO.format(video_key=_key(camera), chunk_index=0, file_index=0)
    path.parent.mkdir(parents=True)
    codec = cv2.VideoWriter.fourcc(*"mp4v")
    video = cv2.VideoWriter(str(path), codec, float(rate_hz), (size[1], size[0]))
    for picture in (p for e in episodes for p in _pictures(e, camera)):
        video.write(cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    video.release()


def _pictures(episode: _Episode, camera: str) -> Iterator[Picture]:
    """The picture that was seen last, for each frame."""
    frames = [k for k in episode.demonstration.key_frames if camera in k.pictures]
    for time_s in episode.times:
        seen = [k for k in frames if k.stamp_s <= episode.start_s + time_s + 1e-6] or frames[:1]
        yield seen[-1].pictures[camera]


def _statistics(values: npt.NDArray[Any]) -> dict[str, list[float]]:
    rows = values.reshape(len(values), -1).astype(float)
    return {
        "min": rows.min(axis=0).tolist(),
        "max": rows.max(axis=0).tolist(),
        "mean": rows.mean(axis=0).tolist(),
        "std": rows.std(axis=0).tolist(),
        "count": [len(rows)],
    }


def _info(
    episodes: Sequence[_Episode],
    cameras: Mapping[str, tuple[int, int]],
    tasks: Sequence[str],
    rate_hz: int,
) -> dict[str, Any]:
    width = episodes[0].states.shape[1]
    names = [*_STATE, *(f"joint_{i + 1}" for i in range(width - len(_STATE)))]
    state = {"dtype": "float32", "shape": [width], "names": names}
    features: dict[str, Any] = {"observation.state": state, "action": state}
    for camera, (height, across) in cameras.items():
        features[_key(camera)] = {
            "dtype": "video",
            "shape": [height, across, 3],
            "names": ["height", "width", "channels"],
            "info": {
                "video.height": height, "video.width": across, "video.codec": "mpeg4",
                "video.pix_fmt": "yuv420p", "video.is_depth_map": False, "video.fps": rate_hz,
                "video.channels": 3, "has_audio": False,
            },
        }  # fmt: skip
    features["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
    features |= {n: {"dtype": "int64", "shape": [1], "names": None} for n in _COUNTERS}
    return {
        "codebase_version": VERSION,
        "robot_type": episodes[0].demonstration.robot or None,
        "total_episodes": len(episodes),
        "total_frames": sum(len(e.times) for e in episodes),
        "total_tasks": len(tasks),
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": rate_hz,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": _DATA,
        "video_path": _VIDEO if cameras else None,
        "features": features,
    }


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=4) + "\n", encoding="utf-8")


# -- reading ----------------------------------------------------------------------------------


def _require_readable(folder: Path, info: Mapping[str, Any]) -> None:
    if info["codebase_version"] != VERSION:
        raise SaySoError(
            Code.INVALID,
            f"{folder} has version {info['codebase_version']}, this SaySo reads {VERSION}.",
            hint="convert it with LeRobot's own tools.",
        )
    names = info["features"]["observation.state"]["names"]
    if not isinstance(names, list) or tuple(names[: len(_STATE)]) != _STATE:
        raise SaySoError(
            Code.INVALID,
            f"the state of {folder} is {names}, not a tool's pose and a gripper's width.",
            choices=_STATE,
            hint="name its columns so where they mean that.",
        )


def _recording(
    folder: Path, info: Mapping[str, Any], rows: Mapping[str, Any], episode: Mapping[str, Any]
) -> Demonstration:
    """Raises CORRUPT for an episode whose rows or pictures are not there."""
    try:
        return _demonstration(folder, info, rows, episode)
    except _DAMAGES as error:
        raise _corrupt(
            folder, f"episode {episode.get('episode_index')} of ", repr(error)
        ) from error


def _demonstration(
    folder: Path, info: Mapping[str, Any], rows: Mapping[str, Any], episode: Mapping[str, Any]
) -> Demonstration:
    start, end = episode["dataset_from_index"], episode["dataset_to_index"]
    times = [float(t) for t in rows["timestamp"][start:end]]
    states = rows["observation.state"][start:end]
    if not len(times) == len(states) == end - start > 0:
        raise ValueError(f"it has {len(times)} of {end - start} rows")
    samples = tuple(_sample(t, s) for t, s in zip(times, states, strict=True))
    cameras = [
        key.removeprefix(_key(""))
        for key, feature in info["features"].items()
        if feature["dtype"] == "video"
    ]
    ends = ((0, times[0]), (end - start - 1, times[-1]))
    pictures = ({c: _picture(folder, info, episode, c, i) for c in cameras} for i, _ in ends)
    frames = tuple(
        KeyFrame(Scene(t, (), RobotState(t)), shown)
        for (_, t), shown in zip(ends, pictures, strict=True)
        if shown
    )
    robot = info["robot_type"] or ""
    return Demonstration(" ".join(episode["tasks"]), {}, samples, frames, robot=robot)


def _sample(time_s: float, state: Sequence[float]) -> Sample:
    x, y, z, a, b, c, d, width, *joints = (float(v) for v in state)
    a, b, c, d = (float(v) for v in Rotation.from_quat((a, b, c, d)).as_quat())
    return Sample(time_s, Pose((x, y, z), (a, b, c, d)), width, tuple(joints))


def _picture(
    folder: Path, info: Mapping[str, Any], episode: Mapping[str, Any], camera: str, frame: int
) -> Picture:
    """One frame of an episode."""
    told = {n: episode[f"videos/{_key(camera)}/{n}"] for n in ("chunk_index", "file_index")}
    path = folder / info["video_path"].format(video_key=_key(camera), **told)
    begins_s = episode[f"videos/{_key(camera)}/from_timestamp"]
    index = round(begins_s * info["fps"]) + frame
    video = cv2.VideoCapture(str(path))
    video.set(cv2.CAP_PROP_POS_FRAMES, index)
    found, picture = video.read()
    video.release()
    if not found:
        raise SaySoError(
            Code.CORRUPT,
            f"frame {index} of {path} cannot be read.",
            hint=f"load the video again; without '{_key(camera)}' in meta/info.json the motions "
            "alone are read.",
        )
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
