"""Verbs that say how a thing is done, too: "squeeze the block into the bowl" is read as "put".

What the library knows of an action is its outcome, so the manner is not kept; that is told with
the reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from sayso.language.controls import verb_classes
from sayso.language.meaning import Do, parts

_NO_MANNER = ("by", "off", "in")
"""With these a verb says something else: "drop by" is to visit, "drop off" to deliver."""


def manners(sentence: object) -> Iterator[str]:
    """The verbs of a sentence whose manner its meaning does not keep.

    What has a place of its own ("throw it away") is no manner.
    """
    said = (p for p in parts(sentence) if isinstance(p, Do))
    for do in said:
        own_place = any("{1}" not in tail.text for tail in do.tails)
        verb, _, particle = do.verb.partition(" ")
        if verb in verb_classes().manners and particle not in _NO_MANNER and not own_place:
            yield do.verb


def manner_not_kept(verb: str) -> str:
    """How a reading tells that of a verb only the outcome is asked for."""
    return f"only what comes of '{verb}' is asked for, not how it is done"
