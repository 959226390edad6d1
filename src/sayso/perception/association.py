"""Which observation is of which tracked object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sayso.core.scene import SceneObject
from sayso.perception.colors import family
from sayso.perception.recognition import UNKNOWN

_NEAR_M = 0.10  # an observation that looks different must be this near to be the same thing


def associate(
    observed: Sequence[SceneObject], tracked: Mapping[str, SceneObject]
) -> list[str | None]:
    """For each observation the name of its track, or None if it is new; no name twice.

    What looks the same (category and colour) is paired first, the nearest first, however far
    it moved. Then a piece of the same colour that was not recognised, or as something else,
    is paired with the nearest unpaired thing close by: half hidden, a mug may look like a block.
    """
    result: list[str | None] = [None] * len(observed)
    free = dict(tracked)
    for alike, reach_m in ((_looks_same, np.inf), (_could_be_part, _NEAR_M)):
        pairs = sorted(
            (float(np.linalg.norm(np.subtract(o.position, t.position))), i, name)
            for i, o in enumerate(observed)
            for name, t in free.items()
            if result[i] is None and alike(o, t)
        )
        for distance, i, name in pairs:
            if result[i] is None and name in free and distance < reach_m:
                result[i] = name
                del free[name]
    return result


def _looks_same(a: SceneObject, b: SceneObject) -> bool:
    return a.category == b.category != UNKNOWN and family(a.color) == family(b.color)


def _could_be_part(a: SceneObject, b: SceneObject) -> bool:
    return family(a.color) == family(b.color)
