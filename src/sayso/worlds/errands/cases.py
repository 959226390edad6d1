"""The errands as data: what is asked for, how a scene begins, and somebody's plans in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import AttributeValue
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.scene_file import fixed

_FOLDER = resources.files("sayso.worlds.errands")


@dataclass(frozen=True)
class Beginning:
    """What the scene itself does not say of how it is before anything is done: names.

    Attributes:
        turned_on, dirty: all else is off, and clean.
    """

    turned_on: tuple[str, ...]
    dirty: tuple[str, ...]


@dataclass(frozen=True)
class Errand:
    """One task in one scene.

    Attributes:
        words: what it is asked for by.
        goal: what is to come about, as a formula's text.
        ends: the same, said of things' attributes: for judging, without any formula.
        plan: somebody's words, step by step, with errors.
    """

    name: str
    words: str
    goal: str
    ends: Mapping[str, Mapping[str, AttributeValue]]
    scene: FlatScene
    beginning: Beginning
    plan: tuple[str, ...]


def errand(scene: str, name: str) -> Errand:
    """One of them. Raises INVALID with those that there are."""
    if (scene, name) not in errands():
        known = [" ".join(key) for key in errands()]
        raise SaySoError(Code.INVALID, f"there is no errand '{scene} {name}'.", choices=known)
    return errands()[scene, name]


@lru_cache(maxsize=1)
def errands() -> Mapping[tuple[str, str], Errand]:
    """All, by scene and name."""
    data: dict[str, Any] = yaml.safe_load((_FOLDER / "cases.yaml").read_text(encoding="utf-8"))
    found: dict[tuple[str, str], Errand] = {}
    for place, begin in data["begin"].items():
        scene = fixed(f"errand_{place}")
        beginning = Beginning(*(tuple(begin[k]) for k in ("turned_on", "dirty")))
        for e in data["errands"]:
            plan = tuple(data["plans"][place][e["name"]])
            found[place, e["name"]] = Errand(
                e["name"], e["words"], e["goal"], e["ends"], scene, beginning, plan
            )
    return found
