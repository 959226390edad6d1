"""Things at a place, and a thing after them that may be a second place.

"The things on the plate or the tray" may be those on either, or the tray itself. What is forbidden
is forbidden of both; of what is asked for, the person is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sayso.language.entities import Refuse, Use
from sayso.language.meaning import Named, Relation, Thing, Things
from sayso.language.thing_makers import SEVERAL

_HOLDS = {"isabove": "surface", "isin": "container"}
"""What a thing has to be for others to be there."""
_BESIDE = ("isnextto", "isleftof", "isrightof", "isinfrontof", "isbehind")

Fits = Callable[[str, str], bool]


def with_shared_places(things: Things, use: Use, types: str, fits: Fits, refuse: Refuse) -> Things:
    """The things that are named, where a place may be shared.

    Args:
        types: what the things should be.
        fits: whether a noun is of such types.

    Raises:
        SaySoError: NOT_UNDERSTOOD where a thing that is asked for may as well be a second place.
    """
    members = [part for member in things.members for part in _apart(member, use)]
    found: list[Named] = []
    head: Thing | None = None
    for member in members:
        there = head and _there_too(head, member)
        if head is None or there is None or not isinstance(member, Thing):
            found.append(member)
            head = member if isinstance(member, Thing) and _are_at_a_place(member) else None
        elif use == "forbidden":
            found += [member, there]
        elif use == "condition" or not _is_place(head.relations[-1].kind, member.noun, fits):
            found.append(member)
            head = None
        elif fits(member.noun, types):
            raise refuse(
                (head.at[0], member.at[1]),
                f"it is not clear whether '{member.noun}' is a second place of these things, or a "
                "further thing.",
                hint=f"say '... and the ones on the {member.noun}', or name the "
                f"{member.noun} first.",
            )  # fmt: skip
        else:
            found.append(there)
    if tuple(found) == things.members:
        return things
    return replace(things, members=tuple(found), joiner=things.joiner or "and")


def _are_at_a_place(thing: Named) -> bool:
    """ "the blocks on the plate", "anything in the bowl"."""
    if not isinstance(thing, Thing) or not thing.relations:
        return False
    place = thing.relations[-1]
    several = thing.plural or thing.determiner in SEVERAL
    return several and len(place.others) == 1 and place.kind in (*_HOLDS, *_BESIDE)


def _there_too(head: Thing, after: Named) -> Thing | None:
    """The same things at the place that is named next; None where it is no plain "the tray"."""
    if not isinstance(after, Thing) or after.determiner not in ("the", "") or not after.noun:
        return None
    if after.plural or after.relations or after.superlative or after.apart or after.such:
        return None
    *others, place = head.relations
    return replace(head, relations=(*others, Relation(place.kind, (after,))))


def _is_place(kind: str, noun: str, fits: Fits) -> bool:
    return kind in _HOLDS and fits(noun, _HOLDS[kind])


def _apart(thing: Named, use: Use) -> tuple[Named, ...]:
    """ "the blocks on the plate and on the tray": nothing is on both."""
    if not _are_at_a_place(thing) or not isinstance(thing, Thing) or use == "condition":
        return (thing,)
    kinds = [r.kind for r in thing.relations]
    if len(kinds) < 2 or len(set(kinds)) > 1 or kinds[0] not in _HOLDS:
        return (thing,)
    return tuple(replace(thing, relations=(r,)) for r in thing.relations)
