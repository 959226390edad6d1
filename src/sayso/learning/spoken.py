"""How each primitive action is said: the English of proposals, stories and learned operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.core.symbols import in_words

_ENGLISH: Mapping[str, str] = {
    "pick_up": "pick up {0}",
    "place_on_table": "place {0} on the table",
    "place_first_on_second": "place {0} on {1}",
    "place_first_in_second": "put {0} into {1}",
    "push_plate_on_object": "push {0} onto {1}",
    "get_water_from_faucet": "fill {0} at the faucet",
    "pour_water_from_first_to_second": "pour the water of {0} into {1}",
}


def english_of(primitive: str, arity: int) -> str:
    """An imperative with `{0}`, `{1}` for the objects; of one without English the name is said."""
    things = (f"{{{i}}}" for i in range(arity))
    return _ENGLISH.get(primitive) or " ".join((primitive.replace("_", " "), *things))


def spoken(primitive: str, args: Sequence[str]) -> str:
    """An action in words: "place the green block on the coaster"."""
    return english_of(primitive, len(args)).format(*map(in_words, args))
