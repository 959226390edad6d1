"""How each primitive action is said: the English of proposals, stories and learned operators, and
the words by which what was learned is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sayso.core.symbols import Atom, in_words
from sayso.core.vocabulary import ANY, SpokenAction, Wanted

_SAID: Mapping[str, str] = {
    "pick_up": "pick up|take|grasp {0}",
    "place_on_table": "place|put {0} on the table",
    "place_first_on_second": "place|put {0} on|onto {1}",
    "place_first_in_second": "put|place {0} into|in {1}",
    "push_plate_on_object": "push {0} onto {1}",
    "get_water_from_faucet": "fill {0} at the faucet",
    "pour_water_from_first_to_second": "pour the water of {0} into {1}",
}
"""As `core.vocabulary` writes wordings; the robot itself says the first of them."""
_ORDINALS = ("first", "second", "third")


def spoken_action(primitive: str, arity: int, goal: Iterable[Wanted] = ()) -> SpokenAction:
    """How it is asked for; one without English by its name, as `pull_first_with_second`.

    Args:
        goal: what who says so wants to be true.
    """
    said = _SAID.get(primitive) or _by_name(primitive, arity)
    return SpokenAction(primitive, (ANY,) * arity, (said,), (tuple(goal),))


def _by_name(primitive: str, arity: int) -> str:
    """Its name with a thing in place of each ordinal; things without one come last."""
    words = primitive.split("_")
    placed = [f"{{{_ORDINALS.index(w)}}}" if w in _ORDINALS[:arity] else w for w in words]
    things = (f"{{{i}}}" for i in range(arity))
    return " ".join((*placed, *(t for t in things if t not in placed)))


def wanted(parameters: Sequence[str], effects: Iterable[Atom]) -> tuple[Wanted, ...]:
    """What is asked for by words for an action: those of its effects that are about the most of
    the things that it is done to. Effects on other things are by the way."""
    number = {name: i for i, name in enumerate(parameters)}
    own = [a for a in effects if set(a.args) <= set(number)]
    most = max((len(set(a.args)) for a in own), default=0)
    return tuple(
        Wanted(a.predicate, tuple(number[x] for x in a.args))
        for a in sorted(own)
        if len(set(a.args)) == most
    )


def english_of(primitive: str, arity: int) -> str:
    """An imperative with `{0}`, `{1}` for the objects."""
    first = spoken_action(primitive, arity).wordings[0]
    return " ".join(filter(None, (first.verb, "{0}" if first.things else "", first.tail)))


def spoken(primitive: str, args: Sequence[str]) -> str:
    """An action in words: "place the green block on the coaster"."""
    return english_of(primitive, len(args)).format(*map(in_words, args))
