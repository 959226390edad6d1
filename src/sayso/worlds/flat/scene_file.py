"""Scenes as YAML: checked against a schema when read, stable when written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.scene import Door, FlatScene, Item, Room, Walker, Wall

_NAME = {"type": "string", "pattern": "^[a-z0-9_]+$"}
_NUMBER = {"type": "number"}


def _tuple(count: int) -> dict[str, Any]:
    return {"type": "array", "items": _NUMBER, "minItems": count, "maxItems": count}


def _object(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(of)}


_ROOM = _object({"name": _NAME, "low": _tuple(2), "high": _tuple(2)}, {})
_WALL = _object({"start": _tuple(2), "end": _tuple(2)}, {})
_DOOR = _object(
    {"name": _NAME, "color": _NAME, "at": _tuple(2), "yaw": _NUMBER},
    {
        "category": _NAME,
        "width": _NUMBER,
        "motion": {"enum": ["hinged", "sliding"]},
        "opening": {"type": "number", "minimum": 0, "maximum": 1},
        "posters": {"type": "integer", "minimum": 0, "maximum": 4},
    },
)
_ITEM = _object(
    {"name": _NAME, "kind": _NAME, "position": _tuple(3)},
    {
        "category": _NAME,
        "color": _NAME,
        "yaw": _NUMBER,
        "size": _tuple(3),
        "lid": {"type": "number", "minimum": 0, "maximum": 1},
    },
)
_WALKER = _object(
    {"name": _NAME, "kind": _NAME, "path": {**_list(_tuple(2)), "minItems": 1}},
    {"color": _NAME, "speed": _NUMBER, "walking": {"type": "boolean"}},
)
SCHEMA: dict[str, Any] = _object(
    {"name": _NAME, "rooms": _list(_ROOM), "walls": _list(_WALL)},
    {
        "doors": _list(_DOOR),
        "items": _list(_ITEM),
        "walkers": _list(_WALKER),
        "start": _tuple(3),
    },
)
"""JSON schema of a scene file."""


def from_yaml(text: str, source: str = "the scene") -> FlatScene:
    """A checked scene. Raises INVALID that names `source` and the part at fault."""
    try:
        document = yaml.safe_load(text)
        jsonschema.validate(document, SCHEMA)
    except yaml.YAMLError as error:
        raise SaySoError(Code.INVALID, f"{source} is not YAML: {error}.") from error
    except jsonschema.ValidationError as error:
        where = "/".join(map(str, error.absolute_path)) or "top level"
        raise SaySoError(Code.INVALID, f"{source}, at {where}: {error.message}.") from error
    return _scene(document).check()


def to_yaml(scene: FlatScene) -> str:
    """The scene as YAML; `from_yaml` gives it back."""
    document = _plain(dataclasses.asdict(scene))
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=100)


def load(path: Path) -> FlatScene:
    """A scene from a file. Raises INVALID for a missing, unreadable or wrong one."""
    try:
        return from_yaml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SaySoError(Code.INVALID, f"the scene {path} cannot be read: {error}.") from error


def fixed_names() -> tuple[str, ...]:
    """Names of the scenes that come with SaySo."""
    folder = resources.files("sayso.worlds.flat") / "scenes"
    return tuple(
        sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))
    )


def fixed(name: str) -> FlatScene:
    """A scene that comes with SaySo. Raises INVALID for an unknown name."""
    if name not in fixed_names():
        raise SaySoError(Code.INVALID, f"there is no scene '{name}'.", choices=fixed_names())
    file = resources.files("sayso.worlds.flat") / "scenes" / f"{name}.yaml"
    return from_yaml(file.read_text(encoding="utf-8"), f"scene '{name}'")


def _scene(d: Mapping[str, Any]) -> FlatScene:
    return FlatScene(
        d["name"],
        tuple(Room(r["name"], _pair(r["low"]), _pair(r["high"])) for r in d["rooms"]),
        tuple(Wall(_pair(w["start"]), _pair(w["end"])) for w in d["walls"]),
        tuple(_door(e) for e in d.get("doors", ())),
        tuple(_item(e) for e in d.get("items", ())),
        tuple(_walker(e) for e in d.get("walkers", ())),
        _triple(d.get("start", (0.0, 0.0, 0.0))),
    )


def _door(d: Mapping[str, Any]) -> Door:
    rest = {k: v for k, v in d.items() if k not in ("at", "category")}
    return Door(at=_pair(d["at"]), category=d.get("category", "door"), **rest)


def _item(d: Mapping[str, Any]) -> Item:
    default = kind(d["kind"])
    return Item(
        d["name"],
        d["kind"],
        d.get("category", d["kind"]),
        d.get("color", default.color),
        _triple(d["position"]),
        float(d.get("yaw", 0.0)),
        _triple(d.get("size", default.size)),
        float(d.get("lid", 0.0)),
    )


def _walker(d: Mapping[str, Any]) -> Walker:
    rest = {k: v for k, v in d.items() if k not in ("path", "color")}
    color = d.get("color", kind(d["kind"]).color)
    return Walker(color=color, path=tuple(_pair(p) for p in d["path"]), **rest)


def _pair(values: Any) -> tuple[float, float]:
    a, b = values
    return (float(a), float(b))


def _triple(values: Any) -> tuple[float, float, float]:
    a, b, c = values
    return (float(a), float(b), float(c))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    return float(round(value, 4)) if isinstance(value, float) else value
