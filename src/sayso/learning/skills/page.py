"""The page of a taught skill, for people: what it needs and brings about, and each demonstration.

A picture shows a demonstration from above and from the robot's right: the things' clouds as they
were seen first and, paler, last, the tool's way from blue to red, and the hand where it took
something and let go.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from sayso.core.files import replace_bytes, replace_text
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.symbols import Operator
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame
from sayso.learning.demonstrations.segments import segments
from sayso.learning.skills import store
from sayso.learning.skills.store import KeptSkill

PAGE = "page.md"
_SIZE, _MARGIN = 420, 20
_COLORS = ((90, 90, 90), (40, 130, 60), (150, 90, 30), (120, 60, 140))
_AXES = ((200, 30, 30), (30, 150, 30), (30, 60, 210))
_AXIS_M = 0.04
_VIEWS = ((1, 0, -1.0, "from above"), (0, 2, 1.0, "from the right"))
"""Which coordinates go to the right and up, the sign of the first, and what that is called."""


def write(library: Path, skill: KeptSkill, operator: Operator, told: str) -> Path:
    """The page of a skill that is kept in a library's folder, and its pictures; gives its file.

    Args:
        told: what was learned of it, as it was read back.
    """
    folder = library / store.FOLDER / skill.name
    for number, one in enumerate(skill.demonstrations):
        replace_bytes(folder / _file(number), drawn(one))
    replace_text(folder / PAGE, "\n".join(_lines(skill, operator, told)) + "\n")
    return folder / PAGE


def drawn(one: Demonstration) -> bytes:
    """A demonstration as a PNG file."""
    picture = Image.new("RGB", (2 * _SIZE, _SIZE), "white")
    for i, (right, up, sign, name) in enumerate(_VIEWS):
        view = _View.of(_shown_points(one), right, up, sign, i * _SIZE)
        draw = ImageDraw.Draw(picture)
        draw.text((i * _SIZE + _MARGIN, 4), name, fill="black")
        _draw(draw, view, one)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()


@dataclass(frozen=True)
class _View:
    """Points (N, 3) [m] to pixels."""

    right: int
    up: int
    sign: float
    low: Array
    scale: float
    left_px: int

    @staticmethod
    def of(points: Array, right: int, up: int, sign: float, left_px: int) -> _View:
        flat = np.column_stack([sign * points[:, right], points[:, up]])
        low, high = flat.min(axis=0), flat.max(axis=0)
        scale = (_SIZE - 2 * _MARGIN) / max(float((high - low).max()), 1e-3)
        return _View(right, up, sign, low, scale, left_px)

    def pixels(self, points: Array | Sequence[Vector3]) -> list[tuple[float, float]]:
        p = np.atleast_2d(np.asarray(points, float))
        flat = np.column_stack([self.sign * p[:, self.right], p[:, self.up]])
        at = (flat - self.low) * self.scale + _MARGIN
        return [(self.left_px + float(x), _SIZE - float(y)) for x, y in at]


def _shown_points(one: Demonstration) -> Array:
    clouds = [o.points for k in _ends(one) for o in k.scene.objects if len(o.points)]
    return np.concatenate([one.path().positions, *clouds])


def _draw(draw: ImageDraw.ImageDraw, view: _View, one: Demonstration) -> None:
    names = sorted({o.name for k in one.key_frames for o in k.scene.objects})
    colors = dict(zip(names, cycle(_COLORS), strict=False))
    for frame, pale in ((k, k is not one.key_frames[0]) for k in _ends(one)):
        for thing in frame.scene.objects:
            pixels = [xy for p in view.pixels(thing.points.astype(float)) for xy in p]
            r, g, b = ((c + 2 * 255) // 3 if pale else c for c in colors[thing.name])
            draw.point(pixels, fill=(r, g, b))
    path = view.pixels(one.path().positions)
    for i, ends in enumerate(pairwise(path)):
        share = i / len(path)
        draw.line(ends, fill=(int(230 * share), 40, int(230 * (1 - share))), width=2)
    for primitive, tool in _hands(one):
        _draw_frame(draw, view, tool)
        draw.text(view.pixels([tool.position])[0], primitive, fill="black")


def _draw_frame(draw: ImageDraw.ImageDraw, view: _View, frame: Pose) -> None:
    """Its axes: x red, y green, z blue."""
    for axis, color in zip(np.eye(3) * _AXIS_M, _AXES, strict=True):
        tip = frame.transform(axis[None])[0]
        draw.line([*view.pixels([frame.position]), *view.pixels(tip)], fill=color, width=2)


def _hands(one: Demonstration) -> Iterable[tuple[str, Pose]]:
    """What the fingers did, and where."""
    for segment in segments(one):
        if segment.primitive in ("grasp", "place"):
            yield segment.primitive, one.samples[segment.end].tool


def _ends(one: Demonstration) -> Sequence[KeyFrame]:
    """The last key frame, if there are several, and the first."""
    return one.key_frames[-1:0:-1][:1] + one.key_frames[:1]


def _file(number: int) -> str:
    return f"demonstration_{number:02d}.png"


def _lines(skill: KeptSkill, operator: Operator, told: str) -> Iterable[str]:
    yield f"# {skill.words[0].upper()}{skill.words[1:]}"
    yield f"\n{told}\n"
    yield "| | |\n|---|---|"
    things = ", ".join(f"`{p}` (a {c})" for p, c in skill.parameters.items())
    rows = {
        "skill": f"`{skill.name}`, learned as {skill.learner}",
        "works on": things,
        "needs": ", ".join(f"`{x}`" for x in sorted(operator.preconditions)),
        "brings about": ", ".join(f"`{a}`" for a in sorted(operator.add)),
        "ends": ", ".join(f"`{a}`" for a in sorted(operator.delete)),
        "meanwhile": ", ".join(f"`{a}`" for a in sorted(operator.during)),
        "shown": f"{len(skill.demonstrations)} times",
        "failed": f"{len(skill.failed)} times",
        "when": skill.when,
    }
    yield from (f"| {name} | {value} |" for name, value in rows.items() if value)
    for number, one in enumerate(skill.demonstrations):
        yield f"\n## Demonstration {number}\n"
        yield f"{one.duration_s:.1f} s; the hand's axes are drawn where it took and let go."
        yield f"\n![Demonstration {number}]({_file(number)})"
