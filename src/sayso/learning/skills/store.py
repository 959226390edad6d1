"""Taught skills on disk, in the folder of the library that has their operators.

    skills/NAME/skill.json             what it is called, its parameters, what it brings about
    skills/NAME/demonstrations/00/     each demonstration as it was shown
    skills/NAME/failed/00/             each try that failed: what was seen before it and after
    skills/NAME/shapes.npz             the shapes by which its things are known
    set_aside/NAME_00/                 what was not written to its end, or is damaged

What was shown is kept, not what was learned of it: that takes seconds to learn anew, gives the
same, and a person can look at a demonstration, take one out or add one. `skill.json` is written
last, so that a skill that is there is whole.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_bytes, replace_text
from sayso.core.geometry import Pose
from sayso.core.library import parse_literal
from sayso.core.symbols import Atom
from sayso.learning.demonstrations import folder as demonstrations
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills.shapes import ShapeFamilies, TaughtShape

FORMAT = 1
FOLDER, FILE, SHAPES = "skills", "skill.json", "shapes.npz"
DEMONSTRATIONS, FAILED = "demonstrations", "failed"
SET_ASIDE = "set_aside"


@dataclass(frozen=True)
class KeptSkill:
    """A skill as it was taught.

    Attributes:
        name: also of its operator.
        words: what the person called it, such as "hang the mug on the rack by its handle".
        parameters: the category of the thing that each stands for, in order.
        effect: what it brings about, over `?a`, `?b`, ... in the order of the parameters.
        when: what the person said of when it can be done; "" for nothing.
        learner: of the registry's kind `motion_learner`.
        shapes: by category, the shapes by which such things are known.
        mirrored: whether it may as well be done as in a mirror, from the other side.
        failed: tries of the robot after which the effect was not observed.
    """

    name: str
    words: str
    parameters: Mapping[str, str]
    effect: Atom
    demonstrations: tuple[Demonstration, ...]
    shapes: Mapping[str, tuple[TaughtShape, ...]]
    when: str = ""
    learner: str = "mixtures"
    mirrored: bool = False
    failed: tuple[Demonstration, ...] = ()

    def families(self) -> ShapeFamilies:
        """The shape spaces of its things; takes seconds to learn."""
        families = ShapeFamilies()
        for category, shapes in self.shapes.items():
            families.teach(category, shapes)
        return families


def kept(library: Path) -> tuple[str, ...]:
    """The names of the skills in a library's folder."""
    return tuple(sorted(p.parent.name for p in (library / FOLDER).glob(f"*/{FILE}")))


def keep(library: Path, skill: KeptSkill) -> None:
    """Write a skill into a library's folder; the library's own files are the caller's.

    What an earlier writing that broke off has left of it is set aside.

    Raises:
        SaySoError: INVALID where there is a skill of that name; EXECUTION for a full disk.
    """
    folder = library / FOLDER / skill.name
    if (folder / FILE).exists():
        raise SaySoError(
            Code.INVALID,
            f"there is a skill '{skill.name}' already.",
            hint="give the new one another name, or take the old one away.",
            choices=kept(library),
        )
    if folder.exists():
        _set_aside(library, skill.name)
    _write(skill, folder)
    replace_bytes(folder / SHAPES, _packed(skill.shapes))
    index = {
        "format": FORMAT,
        "name": skill.name,
        "words": skill.words,
        "parameters": dict(skill.parameters),
        "effect": str(skill.effect),
        "when": skill.when,
        "learner": skill.learner,
        "mirrored": skill.mirrored,
    }
    replace_text(folder / FILE, json.dumps(index, indent=2) + "\n")


def keep_more(library: Path, skill: KeptSkill) -> None:
    """What was shown of a skill that is kept, and how it failed, since it was.

    Raises:
        SaySoError: as `read`; EXECUTION for a full disk.
    """
    before = read(library, skill.name)
    more = replace(
        skill,
        demonstrations=_joined(before.demonstrations, skill.demonstrations),
        failed=_joined(before.failed, skill.failed),
    )
    _write(more, library / FOLDER / skill.name)


def _joined(
    before: tuple[Demonstration, ...], shown: tuple[Demonstration, ...]
) -> tuple[Demonstration, ...]:
    """Those before and, after them, those of what is shown now that are not among them."""
    known = {d.samples for d in before}
    return (*before, *(d for d in shown if d.samples not in known))


def _write(skill: KeptSkill, folder: Path) -> None:
    """The demonstrations and failed tries that are not there yet."""
    for place, recorded in ((DEMONSTRATIONS, skill.demonstrations), (FAILED, skill.failed)):
        for number, one in enumerate(recorded):
            if not (folder / place / f"{number:02d}").exists():
                demonstrations.write(one, folder / place / f"{number:02d}")


def read(library: Path, name: str) -> KeptSkill:
    """A skill of a library's folder.

    Raises:
        SaySoError: INVALID where there is none of that name, or it has another format; CORRUPT,
            naming the file, for what is damaged.
    """
    folder = library / FOLDER / name
    if not (folder / FILE).is_file():
        text = f"{library} holds no taught skill '{name}'."
        raise SaySoError(Code.INVALID, text, choices=kept(library))
    try:
        index: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if index["format"] != FORMAT:
            raise SaySoError(
                Code.INVALID,
                f"{folder} has format {index['format']!r}, this SaySo reads format {FORMAT}.",
                hint="use the SaySo version that wrote it.",
            )
        shown = tuple(map(demonstrations.read, demonstrations.folders(folder / DEMONSTRATIONS)))
        failed = sorted((folder / FAILED).glob("*"))
        return KeptSkill(
            str(index["name"]),
            str(index["words"]),
            {str(p): str(c) for p, c in index["parameters"].items()},
            parse_literal(index["effect"]).atom,
            shown,
            _unpacked(folder / SHAPES),
            str(index["when"]),
            str(index["learner"]),
            bool(index["mirrored"]),
            tuple(map(demonstrations.read, failed)),
        )
    except (OSError, BadZipFile, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"the taught skill in {folder} cannot be read: {error}.",
            hint="restore its files, or take the folder away and teach it again.",
        ) from error


def read_all(library: Path) -> dict[str, KeptSkill]:
    """Every skill of a library's folder, by name. Raises as `read`."""
    return {name: read(library, name) for name in kept(library)}


def set_aside_broken(library: Path) -> dict[str, str]:
    """Move the skills out of the way that were not written to their end, or are damaged.

    Returns:
        By name, what is the matter, and where it is now.

    Raises:
        SaySoError: INVALID for a format that this SaySo does not read.
    """
    matters = {}
    for folder in sorted((library / FOLDER).glob("*/")):
        if not (folder / FILE).exists() or not (library / "library.json").exists():
            matters[folder.name] = "it was not written to its end"
            continue
        try:
            read(library, folder.name)
        except SaySoError as error:
            if error.code is not Code.CORRUPT:
                raise
            matters[folder.name] = error.message
    return {
        name: f"{why.rstrip('.')}; it is kept in {_set_aside(library, name)}"
        for name, why in matters.items()
    }


def _set_aside(library: Path, name: str) -> Path:
    number = len([*(library / SET_ASIDE).glob(f"{name}_*")])
    place = library / SET_ASIDE / f"{name}_{number:02d}"
    place.parent.mkdir(exist_ok=True)
    return (library / FOLDER / name).rename(place)


def _packed(shapes: Mapping[str, tuple[TaughtShape, ...]]) -> bytes:
    """Points (N, 3) as CATEGORY/number, frames as CATEGORY/number/FRAME of seven numbers."""
    arrays: dict[str, Any] = {}
    for category, members in shapes.items():
        for number, shape in enumerate(members):
            place = f"{category}/{number:03d}"
            arrays[place] = np.asarray(shape.points, np.float32)
            for name, pose in shape.frames.items():
                arrays[f"{place}/{name}"] = np.array([*pose.position, *pose.orientation])
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _unpacked(file: Path) -> dict[str, tuple[TaughtShape, ...]]:
    points: dict[tuple[str, str], Any] = {}
    frames: dict[tuple[str, str], dict[str, Pose]] = {}
    with np.load(file) as arrays:
        for place in sorted(arrays.files):
            category, number, *frame = place.split("/", 2)
            if frame:
                x, y, z, a, b, c, d = (float(v) for v in arrays[place])
                frames[category, number][frame[0]] = Pose((x, y, z), (a, b, c, d))
            else:
                points[category, number] = arrays[place].astype(float)
                frames[category, number] = {}
    categories = dict.fromkeys(category for category, _ in points)
    return {
        category: tuple(
            TaughtShape(points[key], frames[key]) for key in points if key[0] == category
        )
        for category in categories
    }
