"""The kitchen's three domains, as studies and practice take any domain."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.worlds.domains.domain import Domain
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.tasks import tasks
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.kitchen2d.world import Kitchen2D
from sayso.worlds.persons.sayings import HOUSEHOLD

_ABOUT: Mapping[str, str] = {
    "store": "storing objects",
    "table": "setting the table",
    "cook": "cooking a meal",
}


def kitchen_domain(name: str) -> Domain:
    """`store`, `table` or `cook`. Raises INVALID for another name."""
    library = true_library(name)
    skills = sorted({o.skill for o in library.operators.values()})
    return Domain(
        name,
        _ABOUT[name],
        library,
        {s: PRIMITIVES[s].arity for s in skills},
        HOUSEHOLD,
        lambda test_set, seed, count: tasks(name, test_set, seed, count),
        lambda task: Kitchen2D(task.scene, seed=task.seed),
    )
