"""What is true of the 2D kitchen: for evaluation and the simulated person, never for learning.

The folder `library` holds the predicates and operators of all three domains in the form of any
library; `true_library` gives those of one.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, load
from sayso.core.symbols import Action
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.domains import DOMAINS


@lru_cache
def true_library(domain: str) -> Library:
    """The true predicates and operators of `store`, `table` or `cook`. Raises INVALID."""
    if domain not in DOMAINS:
        raise SaySoError(Code.INVALID, f"there is no domain '{domain}'.", choices=DOMAINS)
    whole = load(Path(__file__).with_name("library"))
    return Library(
        domain,
        {n: p for n, p in whole.predicates.items() if domain in p.provenance["domains"]},
        {
            n: o
            for n, o in whole.operators.items()
            if domain in whole.operator_provenance[n]["domains"]
        },
        whole.operator_provenance,
    )


def call_of(action: Action) -> tuple[str, ...]:
    """The primitive action and its objects that carry out a ground operator.

    An operator's first parameters are its primitive's; those after them are only context.
    """
    return (action.skill, *action.args[: PRIMITIVES[action.skill].arity])
