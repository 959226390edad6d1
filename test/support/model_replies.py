"""What a language model replies to the prompt `interpret`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def thing(
    id: str,
    noun: str,
    which: str = "the",
    *,
    different_from: Sequence[str] = (),
    colour: str = "",
    size: str = "",
    where: Sequence[tuple[str, Sequence[str]]] = (),
) -> Mapping[str, Any]:
    """An entry of the list of things."""
    places = [{"relation": relation, "of": list(of)} for relation, of in where]
    return {
        "id": id, "noun": noun, "which": which, "different_from": list(different_from),
        "colour": colour, "size": size, "where": places,
    }  # fmt: skip


def reading(
    formula: str,
    *things: Mapping[str, Any],
    assumptions: Sequence[str] = (),
    problem: str = "",
) -> str:
    """A reply, as JSON text."""
    entries = {"things": list(things), "formula": formula}
    return json.dumps({**entries, "assumptions": list(assumptions), "problem": problem})
