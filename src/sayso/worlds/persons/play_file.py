"""What a person plays in a scene, as data (`plays/SCENE.yaml`), and how it may begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from sayso.core.errors import Code, SaySoError
from sayso.worlds.persons.play_behaviour import Behaviour, Things
from sayso.worlds.persons.play_plans import HOW
from sayso.worlds.persons.play_sight import Sight, States

_BEGINS, _OVER = "begins", "over_m"
_KEYS = (_BEGINS, _OVER)


def behaviours(scene: str) -> Mapping[str, Behaviour]:
    """What a person plays in a scene. Raises INVALID where nobody does."""
    return {label: _behaviour(one) for label, one in _data(scene).items() if label not in _KEYS}


def begins(scene: str) -> tuple[States, ...]:
    """How a person may set things before a play. Raises as `behaviours`."""
    return tuple(_data(scene).get(_BEGINS, ({},)))


def over_m(scene: str) -> float:
    """How high the hand is on far ways [m]; 0 where it goes straight. Raises as `behaviours`."""
    return float(_data(scene).get(_OVER, 0.0))


@cache
def _data(scene: str) -> Mapping[str, Any]:
    folder = Path(str(resources.files("sayso.worlds.persons") / "plays"))
    known = sorted(p.stem for p in folder.glob("*.yaml"))
    if scene not in known:
        raise SaySoError(Code.INVALID, f"nobody plays in the scene '{scene}'.", choices=known)
    found: Mapping[str, Any] = yaml.safe_load((folder / f"{scene}.yaml").read_text("utf-8"))
    return found


def _behaviour(data: Mapping[str, Any]) -> Behaviour:
    how = dict(data["how"])
    makes: States = how.pop("makes", {})
    name = next(k for k in how if k in HOW)
    of = how.pop(name)
    plain = HOW[name](of, **how)
    when, unless = data.get("when", {}), data.get("unless", {})

    def options(s: Sight) -> Iterator[Things]:
        for things in plain.options(s):
            parts = s.parts(when, things)
            made = s.parts({k: _other(v) for k, v in makes.items()}, things, str(of))
            if parts is not None and made is not None and s.parts(unless, things, "", 1) is None:
                yield {**made, **things, **{r: n for r, n in parts.items() if r not in made}}

    def done(before: Sight, after: Sight, things: Things) -> bool:
        came = all(after.shows(things[role], wanted) for role, wanted in makes.items())
        return came and plain.done(before, after, things)

    return Behaviour(options, plain.ways, done, tuple(data["say"]), int(data.get("often", 1)))


def _other(truths: Mapping[str, object]) -> Mapping[str, object]:
    return {name: not truth for name, truth in truths.items()}
