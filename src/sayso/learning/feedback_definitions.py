"""What a person says of a predicate's meaning: limits of size, and the kinds it is true of."""

from __future__ import annotations

import re

from sayso.learning.feedback_clauses import singular
from sayso.learning.synthesis.labels import Bound, Concept, Members

_AMOUNT = r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>mm|cm|m|(?:milli|centi)?met(?:er|re)s?)?"
_MEASURED = re.compile(
    r"(?:its|the|@\w+ s) (?P<what>height|width|thickness|depth|size) (?:is|of it is|exceeds) ?"
    r"(?P<way>greater|larger|more|higher|bigger|smaller|less|lower|above|below|over|under)?"
    rf"(?: than)? ?{_AMOUNT}"
)
_COMPARED = re.compile(
    r"@\w+ is (?:(?P<high>higher|taller|thicker)|(?P<low>lower|shorter|flatter|thinner)|"
    rf"(?P<wide>wider|broader|larger|bigger)|(?P<narrow>narrower|slimmer|smaller)) than {_AMOUNT}"
)
_ONLY = re.compile(
    r"only (?:(?:objects|things) (?:with|of) (?:the )?(?:category|categories|kind|kinds) )?"
    r"(?P<names>(?:(?!\b(?:is|are|can)\b).)+?) (?:can be (?P<done>\w+)|"
    r"(?:are|is|counts? as) (?:a |an )?(?P<noun>\w+))"
)
_UNITS_M = {"mm": 0.001, "mi": 0.001, "cm": 0.01, "ce": 0.01}
"""By the first two letters; anything else is metres."""


def read_definition(text: str, about: Concept) -> Concept | None:
    """The predicate with a limit or kinds that the words name for it, or None.

    "its height is greater than 2 cm" said why something does not hold sets the limit, and "only
    cups and pots are containers" lists the kinds. Numbers without a unit are metres.
    """
    if match := _ONLY.fullmatch(text):
        kinds = _kinds(match["names"])
        if match["done"] and about.name not in kinds:
            return None  # what can be done to some things says nothing of other predicates
        return _with(about, Members(len(about.parameters) - 1, kinds))
    bound = _bound(text)
    return _with(about, bound) if bound else None


def is_rule(text: str) -> bool:
    """Whether a clause is about kinds in general: "only plates can be pushed"."""
    return _ONLY.fullmatch(text) is not None


def _kinds(names: str) -> tuple[str, ...]:
    parts = re.split(r"\s*(?:,|\band\b|\bor\b)\s*", names)
    return tuple(singular(n.split("@")[-1].split()[-1]) for n in parts if n.strip())


def _bound(text: str) -> Bound | None:
    """The limit that a clause names, as the predicate that it denies has it."""
    if match := _MEASURED.fullmatch(text):
        measure = "height" if match["what"] in ("height", "thickness") else "width"
        wrong_below = match["way"] in ("smaller", "less", "lower", "below", "under")
    elif match := _COMPARED.fullmatch(text):
        measure = "height" if match["high"] or match["low"] else "width"
        wrong_below = bool(match["low"] or match["narrow"])
    else:
        return None
    limit = float(match["number"]) * _UNITS_M.get((match["unit"] or "m")[:2], 1.0)
    return Bound(measure, 0, not wrong_below, limit)


def _with(about: Concept, definition: Bound | Members) -> Concept:
    return Concept(
        about.name,
        about.parameters,
        about.english,
        about.english_not,
        about.words,
        (*about.definitions, definition),
    )
