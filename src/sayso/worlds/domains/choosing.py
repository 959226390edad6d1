"""A domain by its name, or by the folder of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.worlds.domains import KITCHEN, NAMES, SHIPPED
from sayso.worlds.domains.description import Description
from sayso.worlds.domains.domain import Domain
from sayso.worlds.domains.drawing import DrawnTask, drawn_tasks
from sayso.worlds.domains.reading import FILE, read_description
from sayso.worlds.domains.world import Actions, DomainWorld


@lru_cache
def domain_named(name: str) -> Domain:
    """The domain of this name, or in this folder.

    Raises:
        SaySoError: CONFIG where there is none, or its file has an error.
    """
    if name in KITCHEN:
        from sayso.worlds.kitchen2d.domain import kitchen_domain

        return kitchen_domain(name)
    return domain_of(described(name))


def described(name: str) -> Description:
    """The description that comes with SaySo under a name, or that is in a folder. Raises CONFIG."""
    if name in SHIPPED:
        return read_description(Path(str(resources.files("sayso") / "worlds" / "domains" / name)))
    if not (Path(name) / FILE).is_file():
        raise SaySoError(
            Code.CONFIG, f"there is no domain '{name}', nor a folder with a {FILE}.",
            choices=NAMES, hint="`sayso domain new FOLDER` writes one.",
        )  # fmt: skip
    return read_description(Path(name), _confined(PredicateSandbox()))


def domain_of(description: Description) -> Domain:
    """The domain that is described."""
    return Domain(
        description.name,
        description.about,
        description.library,
        {n: len(d.takes) for n, d in description.deeds.items()},
        description.sayings,
        lambda test_set, seed, count: drawn_tasks(description, test_set, seed, count),
        worlds_of(description),
    )


def worlds_of(description: Description) -> Callable[[DrawnTask], DomainWorld]:
    """Makes the world of a task; the worlds of a domain share one sandbox."""
    actions = Actions(description)
    return lambda task: DomainWorld(actions, task.things)


def _confined(process: PredicateSandbox) -> Compiler:
    """Rules that others wrote run in a process of their own."""
    return lambda name, source, arity, _: process.function(name, source, arity)
