"""Recordings of the CALVIN benchmark (Mees et al. 2022) as demonstrations.

    episode_0000042.npz                one frame each, 30 a second
    ep_start_end_ids.npy               (N, 2) first and last frame of what is continuous
    scene_info.npy                     first and last frame that were recorded at each table
    lang_annotations/auto_lang_ann.npy words and task of some stretches of frames

A frame's `robot_obs` (15,) is the tool's position [m] and Euler angles about x, y, z [rad], the
gripper's width [m], seven joints [rad], and what the gripper was told. Its `scene_obs` (24,) tells
how far door, drawer, button and switch are, whether bulb and LED shine, and position [m] and Euler
angles [rad] of three blocks. Where the furniture is they do not tell: `calvin.yaml` does. Contacts
are reckoned from all that, and pictures of the first and last frame of each stretch are kept.

Words stay as they were said. Which things they are about is told by the task's name; a block that
it leaves open is the one that was moved most.
"""

from __future__ import annotations

import math
import pickle
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.lib import format as npy
from scipy.spatial.transform import Rotation

from sayso.adapters.datasets import Recording
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject
from sayso.learning.demonstrations.demonstration import (
    Annotation,
    Demonstration,
    KeyFrame,
    Sample,
    pose_of,
)
from sayso.learning.demonstrations.felt import Felt, MadeOf

WORDS = Path("lang_annotations") / "auto_lang_ann.npy"
RATE_HZ = 30
_GAP = RATE_HZ
"""Stretches no more than so many frames apart are one play: nothing else was done between them."""
_LOOK = RATE_HZ // 2
_HELD_M = 0.04
_HOLDING_M = (0.005, 0.075)
"""The gripper's width with something in it."""
_OPEN_M = 0.08
_CAMERAS = {"rgb_static": "static", "rgb_gripper": "wrist"}
_HARMLESS = {("_codecs", "encode"), ("numpy", "ndarray"), ("numpy", "dtype")} | {
    (f"numpy.{core}.multiarray", name)
    for core in ("core", "_core")
    for name in ("_reconstruct", "scalar")
}
"""What arrays of numbers and words are pickled with; a file that asks for more is refused."""
_DAMAGES = (
    OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError,
    pickle.PickleError, zipfile.BadZipFile,
)  # fmt: skip


def is_dataset(folder: Path) -> bool:
    """Whether a folder is one of the benchmark's splits."""
    return (folder / WORDS).is_file()


def recordings(split: Path) -> Iterator[tuple[str, Recording]]:
    """The stretches of a split that have words, those that follow on each other as one play: a name
    that tells the first frame, and what reads it.

    Raises:
        SaySoError: INVALID for no such folder; CORRUPT for a file that is damaged, missing or of
            another form, naming it, here and when a recording is read.
    """
    if not is_dataset(split):
        raise SaySoError(
            Code.INVALID,
            f"{split} has no {WORDS}.",
            hint="name the folder of a split, such as task_D_D/training.",
        )
    whole, tables = _continuous(split / "ep_start_end_ids.npy"), _tables(split)
    for group in _joined(_said(split / WORDS), whole):
        yield f"frame_{group[0].first:07d}", partial(_demonstration, split, group, tables)


def _corrupt(file: Path, cause: object) -> SaySoError:
    return SaySoError(
        Code.CORRUPT,
        f"{file} cannot be read as a file of CALVIN: {cause}.",
        hint="load it again; what else the data set holds is not touched.",
    )


# -- what was said, and where ------------------------------------------------------------------


@dataclass(frozen=True)
class _Said:
    """What was said of the frames from first to last."""

    first: int
    last: int
    words: str
    task: str


class _Numbers(pickle.Unpickler):
    """Reads arrays, words and what holds them, and carries nothing out."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _HARMLESS:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module, name)


def _held(file: Path) -> Any:
    """The one object of a pickled array. Raises what `_DAMAGES` names."""
    with file.open("rb") as stream:
        read: Any = npy
        version = read.read_magic(stream)
        (read.read_array_header_1_0 if version == (1, 0) else read.read_array_header_2_0)(stream)
        return np.asarray(_Numbers(stream).load()).item()


def _said(file: Path) -> list[_Said]:
    try:
        told = _held(file)
        rows = zip(
            told["language"]["ann"], told["language"]["task"], told["info"]["indx"], strict=True
        )
        said = [_Said(int(first), int(last), str(w), str(t)) for w, t, (first, last) in rows]
    except _DAMAGES as error:
        raise _corrupt(file, error) from error
    return sorted(said, key=lambda s: (s.first, s.last))


def _continuous(file: Path) -> Array:
    """(N, 2) first and last frames."""
    try:
        return np.asarray(np.load(file, allow_pickle=False), int).reshape(-1, 2)
    except _DAMAGES as error:
        raise _corrupt(file, error) from error


def _tables(split: Path) -> Mapping[str, tuple[int, int]]:
    """By the letter of each table, the frames that were recorded there."""
    file = split / "scene_info.npy"
    try:
        return {str(n)[-1]: (int(span[0]), int(span[1])) for n, span in _held(file).items()}
    except _DAMAGES as error:
        raise _corrupt(file, error) from error


def _joined(said: Sequence[_Said], whole: Array) -> Iterator[tuple[_Said, ...]]:
    """Those that follow on each other within what is continuous."""
    group: tuple[_Said, ...] = ()
    for one in said:
        end = max((s.last for s in group), default=0)
        if group and (one.first > end + _GAP or _part(one, whole) != _part(group[0], whole)):
            yield group
            group = ()
        group = (*group, one)
    if group:
        yield group


def _part(said: _Said, whole: Array) -> int:
    """Which continuous recording it begins in."""
    return int(np.searchsorted(np.sort(whole[:, 0]), said.first, side="right"))


# -- what was done -----------------------------------------------------------------------------


def _demonstration(
    split: Path, said: Sequence[_Said], tables: Mapping[str, tuple[int, int]]
) -> Demonstration:
    first, last = said[0].first, max(s.last for s in said)
    letter = next((n for n, (a, b) in tables.items() if a <= first <= b), "")
    if letter not in _measures()["furniture"][0]["x_m"]:
        raise _corrupt(split / "scene_info.npy", f"it names no known table for frame {first}")
    ends = {i for s in said for i in (s.first, s.last)}
    felt, frames, samples = Felt(_made()), [], []
    scenes: dict[int, Scene] = {}
    for index in range(first, last + 1):
        scene, pictures = _seen(split, index, letter, index in ends)
        robot = scene.robot
        samples.append(
            Sample(scene.stamp_s, robot.gripper, robot.gripper_width_m, robot.joint_positions)
        )
        felt.take(scene)
        if index in ends or (index - first) % _LOOK == 0:
            frames.append(KeyFrame(scene, pictures))
            scenes[index] = scene
    annotations = tuple(
        Annotation(_stamp_s(s.first), _stamp_s(s.last), s.words,
                   _things(s.task, scenes[s.first], scenes[s.last]), s.task)
        for s in said
    )  # fmt: skip
    return Demonstration(
        "", {}, tuple(samples), tuple(frames), felt.contacts(), "panda", annotations=annotations
    )


def _stamp_s(index: int) -> float:
    return index / RATE_HZ


def _seen(
    split: Path, index: int, letter: str, pictures: bool
) -> tuple[Scene, dict[str, np.typing.NDArray[np.uint8]]]:
    """One frame. A camera that did not record is none of its pictures."""
    file = split / f"episode_{index:07d}.npz"
    try:
        with np.load(file, allow_pickle=False) as frame:
            robot, state = (np.asarray(frame[n], float) for n in ("robot_obs", "scene_obs"))
            if robot.shape != (15,) or state.shape != (24,):
                raise ValueError(f"robot_obs is {robot.shape}, scene_obs {state.shape}")
            if not (np.isfinite(robot).all() and np.isfinite(state).all()):
                raise ValueError("some values are not numbers")
            shown = {
                camera: np.asarray(frame[key], np.uint8)
                for key, camera in _CAMERAS.items()
                if pictures and key in frame
            }
    except _DAMAGES as error:
        raise _corrupt(file, error) from error
    return _scene(_stamp_s(index), robot, state, letter), shown


def _scene(stamp_s: float, robot: Array, state: Array, letter: str) -> Scene:
    """In the frame of the robot's base."""
    measures = _measures()
    base = np.array(measures["robot_base_m"])
    tool, width_m = _pose(robot[:6], base), float(np.clip(robot[6], 0.0, _OPEN_M))
    blocks = [_block(n, state[i : i + 6], base) for n, i in measures["block"]["states"].items()]
    blocks = [replace(o, last_seen_s=stamp_s) for o in _carried(blocks, tool, width_m)]
    fixed = [_fixture(one, state, letter, base, stamp_s) for one in measures["furniture"]]
    hand = RobotState(
        stamp_s, tuple(robot[7:14].tolist()), width_m, tool, gripper_max_width_m=_OPEN_M
    )
    return Scene(stamp_s, (*fixed, *blocks), hand, float(measures["table_height_m"] - base[2]))


def _pose(six: Array, base: Array) -> Pose:
    return pose_of(six[:3] - base, Rotation.from_euler("xyz", six[3:]))


def _block(name: str, six: Array, base: Array) -> SceneObject:
    pose = _pose(six, base)
    x, y, z = _measures()["block"]["size_m"]
    return SceneObject(
        name, "block", name.split("_")[0], pose.position, (x, y, z), pose.orientation
    )


def _carried(blocks: Sequence[SceneObject], tool: Pose, width_m: float) -> list[SceneObject]:
    """The nearest is in the hand, if the fingers have something between them, and it is there."""
    near = min(blocks, key=lambda o: o.distance_to(tool.position))
    low, high = _HOLDING_M
    holds = low < width_m < high and near.distance_to(tool.position) < _HELD_M / 2
    return [replace(o, carried=holds and o is near) for o in blocks]


def _fixture(
    one: Mapping[str, Any], state: Array, letter: str, base: Array, stamp_s: float
) -> SceneObject:
    middle = np.array([one["x_m"][letter], one["y_m"], one["z_m"]]) - base
    seen: dict[str, AttributeValue] = {}
    if "axis" in one:
        way_m = float(np.clip(state[one["state"]], 0.0, one["travel_m"]))
        middle = middle + way_m * np.array(one["axis"])
        seen[one["attribute"]] = way_m / one["travel_m"]
    elif "state" in one:
        seen[one["attribute"]] = bool(state[one["state"]] > 0.5)
    x, y, z = (float(v) for v in middle)
    return SceneObject(
        one["name"], one["category"], "", (x, y, z), _three(one["size_m"]),
        last_seen_s=stamp_s, attributes=seen,
    )  # fmt: skip


def _three(values: Sequence[float]) -> Vector3:
    x, y, z = (float(v) for v in values)
    return x, y, z


@cache
def _measures() -> Mapping[str, Any]:
    file = resources.files("sayso.adapters.datasets") / "calvin.yaml"
    measures: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return measures


def _made() -> MadeOf:
    return {
        one["name"]: [
            (Pose(_three(part["at_m"])), _three([v / 2 for v in part["size_m"]]))
            for part in one["parts"]
        ]
        for one in _measures()["furniture"]
        if "parts" in one
    }


# -- what the words are about ------------------------------------------------------------------

_BLOCK = re.compile(r"red|blue|pink")
_ABOUT: Mapping[str, Mapping[str, str]] = {
    "lightbulb": {"lamp": "bulb", "switch": "switch"},
    "led": {"lamp": "led", "button": "button"},
    "drawer": {"drawer": "drawer"},
    "move_slider": {"slider": "slider"},
    "block_slider": {"cabinet": "cabinet"},
    "in_slider": {"cabinet": "cabinet"},
}
"""Things by what a task's name has in it; what is behind the sliding door is in the "slider"."""


def _things(task: str, before: Scene, after: Scene) -> Mapping[str, str]:
    """By their roles; none for a task that the benchmark does not have."""
    fixed = {r: n for key, about in _ABOUT.items() if key in task for r, n in about.items()}
    moves_block = re.match("rotate|push|lift|place|stack|unstack", task)
    if not moves_block:
        return fixed
    named = _BLOCK.search(task)
    block = f"{named[0]}_block" if named else _moved(before, after)
    if "stack" not in task:
        return {"block": block, **fixed}
    return {"block": block, "other": _nearest(block, before if "unstack" in task else after)}


def _moved(before: Scene, after: Scene) -> str:
    """The block that was moved most."""
    now = after.by_name()
    blocks = (o for o in before.objects if o.category == "block")
    return max(blocks, key=lambda o: math.dist(o.position, now[o.name].position)).name


def _nearest(block: str, scene: Scene) -> str:
    """The other block that is nearest to it, seen from above."""
    here = scene.by_name()[block].position[:2]
    others = (o for o in scene.objects if o.category == "block" and o.name != block)
    return min(others, key=lambda o: math.dist(o.position[:2], here)).name
