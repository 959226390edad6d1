"""Scenes of the simulated table as data: things, drawn shapes among them, and fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from sayso.core.errors import Code, SaySoError
from sayso.worlds.cameras import FIXED, CameraMount, look_at
from sayso.worlds.table.fixtures import Fixture, box_from_data, fixture_from_data
from sayso.worlds.table.layout import TABLE_TOP, Layout, Placement, Surface
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.surface import reach_m
from sayso.worlds.things import (
    CABINET_COLOR,
    CABINET_POSITION,
    DRAWER_COLOR,
    MOVABLES,
    Rgba,
    Thing,
)

PAINTS: Mapping[str, Rgba] = {
    "red": (0.82, 0.06, 0.06, 1),
    "green": (0.07, 0.58, 0.14, 1),
    "blue": (0.06, 0.2, 0.78, 1),
    "yellow": (0.93, 0.76, 0.1, 1),
    "orange": (0.95, 0.45, 0.04, 1),
    "pink": (0.95, 0.45, 0.62, 1),
    "purple": (0.42, 0.12, 0.62, 1),
    "white": (0.84, 0.84, 0.82, 1),
    "black": (0.04, 0.04, 0.045, 1),
    "brown": (0.36, 0.2, 0.09, 1),
}
"""Colours that drawn things can be given, by their names."""
_PLACE = frozenset({"name", "color", "x", "y", "yaw"})
_DRAWN = _PLACE | {"family", "seed"}
_BLOCK = _PLACE | {"category", "size", "mass_kg", "boxes", "handle", "states", "room"}


@dataclass(frozen=True)
class TableScene:
    """What stands on the table.

    Attributes:
        cabinet: whether the cabinet with its drawer is there.
        layout: where everything stands at the start; None: as a seed draws it.
        surface: on which a seed puts the things.
        cameras: all but that on the hand.
    """

    things: tuple[Thing, ...] = MOVABLES
    cabinet: bool = True
    layout: Layout | None = field(default=None, compare=False)
    fixtures: tuple[Fixture, ...] = ()
    surface: Surface = TABLE_TOP
    cameras: tuple[CameraMount, ...] = FIXED

    def known(self) -> tuple[Fixture, ...]:
        """The fixtures that are things of the scene."""
        return tuple(f for f in self.fixtures if f.category)

    def instance_ids(self) -> dict[str, int]:
        """The id of each thing in segmentation images; 0 is everything else."""
        fixed = ("cabinet", "drawer") if self.cabinet else ()
        names = (*(t.name for t in self.things), *fixed, *(f.name for f in self.known()))
        return {name: i + 1 for i, name in enumerate(names)}

    def instance_labels(self) -> dict[int, str]:
        """What each segmentation id is, as "colour category"."""
        labels = {"cabinet": f"{CABINET_COLOR} cabinet", "drawer": f"{DRAWER_COLOR} drawer"}
        labels |= {t.name: f"{t.color} {t.category}" for t in self.things}
        labels |= {f.name: f"{f.color} {f.category}" for f in self.known()}
        return {i: labels[name] for name, i in self.instance_ids().items()}


USUAL = TableScene()
"""The table's own blocks and dishes, and the cabinet."""


def drawn_thing(name: str, family: str, seed: int, color: str) -> Thing:
    """A thing of a family of shapes.

    Raises:
        SaySoError: INVALID for a family or a colour that there is not.
    """
    if color not in PAINTS:
        raise SaySoError(Code.INVALID, f"things are not painted '{color}'.", choices=PAINTS)
    shape = draw(family, seed)
    rgba, around = PAINTS[color], reach_m(shape)
    return Thing(name, shape.family, color, shape.size, rgba, shape.mass_kg, around, (family, seed))


def builtin_scene(name: str) -> TableScene:
    """A scene that ships with SaySo. Raises INVALID for one that does not."""
    folder = Path(str(resources.files("sayso.worlds.table") / "scenes"))
    known = sorted(p.stem for p in folder.glob("*.yaml"))
    if name not in known:
        raise SaySoError(Code.INVALID, f"there is no scene '{name}' of the table.", choices=known)
    return load_scene(folder / f"{name}.yaml")


def load_scene(path: Path) -> TableScene:
    """A scene of a YAML file: `things`, `fixtures`, and whether there is a `cabinet`.

    Each thing has a name and color, and a family and seed, or as a block size and mass_kg, and may
    be of `boxes`; all have x, y [m] and yaw [rad], or none has. `surface` says where a seed puts
    them.

    Raises:
        SaySoError: CORRUPT for a file that cannot be read or is no scene; INVALID as `drawn_thing`.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        entries = list(data["things"])
        return TableScene(
            tuple(_thing(e) for e in entries),
            bool(data.get("cabinet", False)),
            _layout(entries),
            tuple(fixture_from_data(f, PAINTS) for f in data.get("fixtures", ())),
            _surface(data["surface"]) if "surface" in data else TABLE_TOP,
            tuple(_camera(c) for c in data["cameras"]) if "cameras" in data else FIXED,
        )
    except OSError as error:
        raise SaySoError(Code.CORRUPT, f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{path} is no scene of the table: {error}.",
            hint="see docs/shapes.md for the form.",
        ) from error


def _thing(data: Mapping[str, Any]) -> Thing:
    if strange := set(data) - (_DRAWN if "family" in data else _BLOCK):
        raise ValueError(f"a thing has no {', '.join(sorted(strange))}")
    name, color = str(data["name"]), str(data["color"])
    if "family" in data:
        return drawn_thing(name, str(data["family"]), int(data["seed"]), color)
    x, y, z = (float(v) for v in data["size"])
    mass_kg, around = float(data["mass_kg"]), float(np.hypot(x, y)) / 2
    return Thing(
        name, str(data["category"]), color, (x, y, z), PAINTS[color], mass_kg, around,
        boxes=tuple(map(box_from_data, data.get("boxes", ()))),
        handle=box_from_data(data["handle"]) if "handle" in data else None,
        states=tuple(map(str, data.get("states", ()))),
        room=box_from_data(data["room"]) if "room" in data else None,
    )  # fmt: skip


def _surface(data: Mapping[str, Any]) -> Surface:
    (x0, x1), (y0, y1) = data["x_m"], data["y_m"]
    turned_rad = float(data.get("turned_rad", np.pi))
    return Surface(float(data["height_m"]), (x0, x1), (y0, y1), turned_rad=turned_rad)


def _camera(data: Mapping[str, Any]) -> CameraMount:
    (a, b, c), (x, y, z) = data["eye"], data["target"]
    pose, sensor = look_at((a, b, c), (x, y, z)), bool(data.get("sensor", True))
    return CameraMount(str(data["name"]), "world", pose, float(data["fovy_deg"]), sensor)


def _layout(entries: list[Mapping[str, Any]]) -> Layout | None:
    if not any("x" in e for e in entries):
        return None
    places = {
        str(e["name"]): Placement(float(e["x"]), float(e["y"]), float(e.get("yaw", 0.0)))
        for e in entries
    }
    return Layout(places, CABINET_POSITION, 0.0)
