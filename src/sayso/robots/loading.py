"""Robot profiles from YAML files: those in this folder by name, others by path."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from sayso.core.errors import Code, SaySoError
from sayso.robots.profile import RobotProfile

T = TypeVar("T")
_FOLDER = Path(__file__).parent
DEFAULT = "panda"
"""The robot at a table where none is named."""
LIBFRANKA = "fr3_libfranka"
"""The robot at a table that is driven through libfranka, where none is named."""
SPOT = "spot"
"""The robot in a flat that is driven through Boston Dynamics' client, where none is named."""
MOBILE = "mobile_panda"
"""The robot in a flat where none is named."""


def robot_names() -> tuple[str, ...]:
    """The robots that come with SaySo."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


@lru_cache(maxsize=16)
def load_robot(robot: str = DEFAULT) -> RobotProfile:
    """A robot's profile.

    Args:
        robot: the name of one that comes with SaySo, or a YAML file: a path with a slash.

    Raises:
        SaySoError: CONFIG that names the file, the place in it and the valid choices.
    """
    if "/" not in robot and robot not in robot_names():
        raise SaySoError(
            Code.CONFIG,
            f"there is no robot '{robot}'.",
            choices=robot_names(),
            hint="name one of these, or the path of a profile, with a slash.",
        )
    path = Path(robot).expanduser() if "/" in robot else _FOLDER / f"{robot}.yaml"
    given = {**_document(path), "name": path.stem}
    return _record(RobotProfile, given, str(path))


def _document(path: Path) -> dict[str, Any]:
    """A file's entries over those of the robot that it `extends`, if it does."""
    try:
        text = path.read_text(encoding="utf-8")
        document = dict(_mapping(yaml.safe_load(text), str(path)))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SaySoError(Code.CONFIG, f"the robot {path} cannot be read: {error}.") from error
    parent = document.pop("extends", None)
    if parent is None:
        return {"folder": str(path.parent), **document}
    if parent not in robot_names():
        raise _wrong(str(path), f"it extends '{parent}', which is no robot", robot_names())
    return {**_document(_FOLDER / f"{parent}.yaml"), **document}


def _value(kind: Any, value: Any, where: str) -> Any:
    """What a YAML value is as a type: dataclasses from mappings, tuples from lists."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if value is None else _value(inner[0], value, where)
    if origin is tuple:
        return _tuple(inner, value, where)
    if origin is not None:  # a Mapping
        of = _mapping(value, where)
        return {str(k): _value(inner[1], v, f"{where}, {k}") for k, v in of.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind):
        raise _wrong(where, f"'{value}' is not of the type {kind.__name__}")
    return value


def _tuple(inner: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(where, f"'{value}' is not a list")
    kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else list(inner)
    if len(kinds) != len(value):
        raise _wrong(where, f"{len(kinds)} values are needed, not {len(value)}")
    return tuple(
        _value(k, v, f"{where}, {i + 1}") for i, (k, v) in enumerate(zip(kinds, value, strict=True))
    )


def _record(kind: type[T], value: Any, where: str) -> T:
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    given = _mapping(value, where)
    if unknown := sorted(given.keys() - fields.keys()):
        raise _wrong(where, f"there is no '{unknown[0]}'", fields)
    required = (
        n for n, f in fields.items() if f.default is f.default_factory is dataclasses.MISSING
    )
    if missing := [n for n in required if n not in given]:
        raise _wrong(where, f"'{missing[0]}' is missing", fields)
    hints = get_type_hints(kind)
    values = {n: _value(hints[n], v, f"{where}, {n}") for n, v in given.items()}
    try:
        return kind(**values)
    except SaySoError as error:
        raise _wrong(where, error.message.rstrip(".")) from error


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(where, f"'{value}' is not a table of names and values")
    return value


def _wrong(where: str, what: str, choices: Iterable[str] = ()) -> SaySoError:
    return SaySoError(Code.CONFIG, f"{where}: {what}.", choices=choices)
