"""What happens to a flat while the robot is at its task, scripted as YAML.

A list of entries, made in the order in which they are due:

    - {when: after step 1, what: can, to: [2.0, 4.4, 0.06], say: somebody moves the can}
    - {when: 20, what: door_1, to: shut}

`when` is a number of simulated seconds since the first step of the plan began, `after step N`: once
N steps of the task were done, whether planned anew or not, or `after SKILL`, as in `after pick`:
once the first step by that skill of the library `flat` was done. `what` is a name of the scene, and
`to` depends on what it is: `[x, y, z]` of its middle or `away` for an item, `open` or `shut` for a
door, `walk`, `stand` or `[x, y]` for who walks [m, in the map]. `say` is what people are told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat.scene import FlatScene

To = tuple[float, ...] | str
_AFTER = re.compile(r"after (?:step (?P<steps>[1-9][0-9]*)|(?P<skill>\w+))")
_PLACE = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 3}
SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "when": {"type": ["number", "string"], "minimum": 0},
            "what": {"type": "string"},
            "to": {"anyOf": [{"type": "string"}, _PLACE]},
            "say": {"type": "string", "minLength": 1},
        },
        "required": ["when", "what", "to"],
        "additionalProperties": False,
    },
}
"""JSON schema of a file of disturbances."""


class Kind(Enum):
    """What can be disturbed; the values are what people call it."""

    ITEM = "item"
    DOOR = "door"
    WALKER = "walker"
    SWITCH = "switch"  # of a robot; no flat has one


_WORDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ITEM: ("away",),
    Kind.DOOR: ("open", "shut"),
    Kind.WALKER: ("walk", "stand"),
}
_PLACES: Mapping[Kind, tuple[int, str]] = {Kind.ITEM: (3, "[x, y, z]"), Kind.WALKER: (2, "[x, y]")}


@dataclass(frozen=True)
class Disturbance:
    """One thing that happens to the world, once.

    Attributes:
        after: how many steps must be done, or which skill once; None where a time is given.
        at_s: simulated time since the first step began; None where steps are given.
        what: name in the scene.
        to: a place [m, in the map], or one of the words for its kind.
        words: what people are told.
    """

    after: int | str | None
    at_s: float | None
    what: str
    kind: Kind
    to: To
    words: str

    def is_due(self, done: Sequence[str], time_s: float | None) -> bool:
        """Whether it is to happen now.

        Args:
            done: the skills of the steps that were done so far.
            time_s: since the first step began; None before.
        """
        if isinstance(self.after, int):
            return len(done) >= self.after
        if self.after is not None:
            return self.after in done
        return time_s is not None and self.at_s is not None and time_s >= self.at_s

    @property
    def when(self) -> str:
        """As in the file."""
        if self.after is None:
            return f"at {self.at_s:g} s"
        return f"after {'step ' if isinstance(self.after, int) else ''}{self.after}"


def load(path: Path, scene: FlatScene) -> tuple[Disturbance, ...]:
    """The disturbances of a file, checked against a scene.

    Raises:
        SaySoError: INVALID that names the file and the entry at fault, with what is possible.
    """
    try:
        return from_yaml(path.read_text(encoding="utf-8"), scene, str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SaySoError(Code.INVALID, f"{path} cannot be read: {error}.") from error


def staged(scene: FlatScene) -> tuple[Disturbance, ...]:
    """What the demo's built-in instruction is disturbed by in a fixed scene; often nothing."""
    file = resources.files("sayso.worlds.flat") / "staged" / f"{scene.name}.yaml"
    if not file.is_file():
        return ()
    return from_yaml(file.read_text(encoding="utf-8"), scene, f"what is staged in {scene.name}")


def from_yaml(
    text: str, scene: FlatScene, source: str = "the disturbances"
) -> tuple[Disturbance, ...]:
    """As `load`, of a text."""
    try:
        document = yaml.safe_load(text)
        jsonschema.validate(document, SCHEMA)
    except yaml.YAMLError as error:
        raise SaySoError(Code.INVALID, f"{source} is not YAML: {error}.") from error
    except jsonschema.ValidationError as error:
        raise SaySoError(Code.INVALID, f"{source}, {_where(error)}: {error.message}.") from error
    return tuple(_read(entry, scene, f"{source}, entry {n}") for n, entry in enumerate(document, 1))


def _where(error: jsonschema.ValidationError) -> str:
    path = list(error.absolute_path)
    return " ".join([f"entry {int(path[0]) + 1}", *map(str, path[1:])]) if path else "top level"


def _read(entry: Mapping[str, Any], scene: FlatScene, where: str) -> Disturbance:
    after, at_s = _when(entry["when"], where)
    what = entry["what"]
    kind = _kind(what, scene, where)
    to = _to(entry["to"], kind, where)
    return Disturbance(after, at_s, what, kind, to, entry.get("say") or _spoken(what, kind, to))


def _when(when: Any, where: str) -> tuple[int | str | None, float | None]:
    if not isinstance(when, str):
        return None, float(when)
    found = _AFTER.fullmatch(when.strip())
    if found is None or found["skill"] not in (None, *_skills()):
        after = ("step 1", "step 2", *_skills())
        choices = ("a number of seconds", *(f"after {w}" for w in after))
        raise SaySoError(Code.INVALID, f"{where}: '{when}' is no time.", choices=choices)
    return found["skill"] or int(found["steps"]), None


@cache
def _skills() -> tuple[str, ...]:
    """What steps in a flat can be."""
    operators = library.load(library.builtin_path("flat")).operators.values()
    return tuple(sorted({operator.skill for operator in operators}))


def _kind(what: str, scene: FlatScene, where: str) -> Kind:
    names: Mapping[Kind, Collection[str]] = {
        Kind.ITEM: [i.name for i in scene.items],
        Kind.DOOR: [d.name for d in scene.doors],
        Kind.WALKER: [w.name for w in scene.walkers],
    }
    for kind, known in names.items():
        if what in known:
            return kind
    text = f"{where}: the scene '{scene.name}' has no '{what}'."
    raise SaySoError(Code.INVALID, text, choices=scene.names())


def _to(to: str | Sequence[float], kind: Kind, where: str) -> To:
    count, form = _PLACES.get(kind, (0, ""))
    if isinstance(to, str) and to in _WORDS[kind]:
        return to
    if not isinstance(to, str) and len(to) == count and all(map(math.isfinite, to)):
        return tuple(map(float, to))
    text = f"{where}: '{to}' is nothing that can become of this {kind.value}."
    raise SaySoError(Code.INVALID, text, choices=(*_WORDS[kind], *([form] if form else [])))


def _spoken(what: str, kind: Kind, to: To) -> str:
    """In English, where the file says nothing itself."""
    verbs = {"away": "is taken away", "open": "opens", "shut": "shuts", "walk": "begins to walk"}
    if isinstance(to, str):
        return f"{what} {verbs.get(to, 'stands still')}"
    place = ", ".join(f"{v:g}" for v in to[:2])
    return f"{what} {'goes' if kind is Kind.WALKER else 'is put'} to ({place})"
