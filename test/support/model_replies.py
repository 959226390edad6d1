"""What a language model replies to the prompt `interpret`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sayso.logic.formula import SIZES, Formula, Referent, map_referents
from sayso.logic.text import to_text


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


def as_reply(formula: Formula) -> str:
    """What a model that understands all would reply, to be read as this formula."""
    things: dict[Referent, Mapping[str, Any]] = {}

    def listed(referent: Referent) -> str:
        if referent not in things:
            where = [(r.comparator, [listed(o) for o in r.others]) for r in referent.relations]
            sizes = [a for a in referent.attributes if a in SIZES]
            colours = [a for a in referent.attributes if a not in SIZES]
            things[referent] = thing(
                f"k{len(things) + 1}",
                " ".join((*colours[1:], referent.kind)),
                {"the": "the", "a": "a", "all": "every"}[referent.quantifier],
                colour="".join(colours[:1]),
                size="".join(sizes[:1]),
                where=where,
            )
        return str(things[referent]["id"])

    named = map_referents(formula, lambda r: Referent(listed(r)))
    return reading(to_text(named), *things.values())
