"""What is said of steps behind them: their order ("..., the mug first", "do the red one last"), the
place of the last one, and that the next is no part of a prohibition.

The step is found by the thing that is named: of several steps the only one that is done with it.
Where several are, or where one of the steps says "it", it is not clear what comes when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sayso.language.meaning import (
    Act,
    Avoid,
    Do,
    LeaveAlone,
    Link,
    Never,
    Pronoun,
    Remark,
    Shared,
    Tail,
    Thing,
    Things,
    has_pronoun,
    parts,
    renamed,
)
from sayso.language.thing_makers import one_of

AT_FIRST = ("at first", "at_first")
"""How what comes before other steps is joined to them."""
AS_ORDER = "order of before"
"""How a sentence begins that tells the order of the steps in the one before: "do the mug first"."""
_TOGETHER = ("", "and", "comma")
_FOR_ME = ("get me", "fetch me", "grab me")
"""These say for whom something is got (Levin's verbs of obtaining), not where it goes."""
_IT, _THEM = (Pronoun("it"),), (Pronoun("them"),)


def reordered(links: Sequence[Link]) -> list[Link] | None:
    """ "the mug on the tray and the block in the bowl, the block first": the block, then the mug;
    None where it is not clear which step comes first, or last."""
    found: list[Link] = []
    for link in links:
        named = _named_alone(link)
        steps = _last_steps(found)
        if named is None or len(steps) < 2 or not _stand_alone(found, steps):
            found.append(link)
            continue
        said = [_thing_of(found[i]) for i in steps]
        chosen = one_of(named, Things(tuple(t for t in said if t is not None)))
        if chosen is None or None in said:
            found.append(link)
            continue
        found = _moved(found, steps, said.index(chosen), last=link.joiner == "last")
    return found


def with_place(links: Sequence[Link]) -> list[Link]:
    """ "the mug on the plate and the block, which is dirty, in the bowl": the block in the bowl."""
    found: list[Link] = []
    for link in links:
        act = link.item if link.joiner == "comma" else None
        place = act.what if isinstance(act, Act) else None
        told = [x for x in found[1:] if not isinstance(x.item, Remark)][-1:]
        one = told[0].item if told and told[0].joiner in ("and", "comma", "then") else None
        what = one.what if isinstance(one, Act) else None
        bare = isinstance(place, Shared) and place.things is None and bool(place.tails)
        if not bare or not isinstance(what, Shared) or what.tails or what.things is None:
            found.append(link)
            continue
        assert isinstance(place, Shared) and isinstance(one, Act)
        at = found.index(told[0])
        found[at] = replace(found[at], item=replace(one, what=replace(what, tails=place.tails)))
    return found


def for_whoever_asks(links: Sequence[Link]) -> list[Link]:
    """ "get me my mug, bring it to the desk": fetched for whoever asks, and brought to the desk
    only."""
    found: list[Link] = []
    for link, after in pairwise((*links, Link())):
        deed, then = _deed(link), _deed(after)
        goes_on = after.joiner.removeprefix("and ") in ("and", "comma", "then", "after that")
        obtained = deed is not None and deed.verb.endswith(_FOR_ME) and not deed.tails
        placed = then is not None and then.things is not None and any(t.to for t in then.tails)
        if not (goes_on and obtained and placed and deed and then and then.things):
            found.append(link)
            continue
        same = then.things.members in (_IT, _THEM)
        verb = deed.verb.removesuffix(" me") if same else deed.verb
        assert isinstance(link.item, Act)
        found.append(replace(link, item=replace(link.item, what=replace(deed, verb=verb))))
    return found


def with_orders_apart(links: Sequence[Link]) -> list[Link] | None:
    """ "never touch the bowl, and put the block on the tray": an order beside what is forbidden;
    None where it may be forbidden, too."""
    found: list[Link] = []
    for link in links:
        if link.joiner == "apart":
            rule, deed = found[-1].item if found else None, _deed(link)
            plain = isinstance(rule, Never | Avoid | LeaveAlone) and rule.limit is None
            if not plain or deed is None or not deed.verb or has_pronoun(deed):
                return None
            named = _nouns(rule)
            if not named or not _nouns(deed) or named & _nouns(deed):
                return None
            found.append(replace(link, joiner="but"))
        else:
            found.append(link)
    return found


def _nouns(part: object) -> set[str]:
    return {t.noun for t in parts(part) if isinstance(t, Thing)}


def with_when_done(links: Sequence[Link]) -> list[Link]:
    """ "..., and close it once it is in there": after what stands before, and at the end where
    something else was put first."""
    found: list[Link] = []
    for link in links:
        at_first = any(x.joiner in AT_FIRST for x in found)
        then = replace(link, joiner="at last" if at_first else "then")
        found.append(then if link.joiner == "once done" else link)
    return _with_end(found)


def _with_end(links: Sequence[Link]) -> list[Link]:
    """ "..., but open it first, and close it again once the mug is in it": that comes at the end,
    and not first, too."""
    found: list[Link] = []
    for link, after in pairwise((*links, Link())):
        late = after.modifier is not None and after.modifier.kind in ("after", "only after")
        joined = link.joiner in ("and", "comma") and isinstance(link.item, Act)
        at_end = late and joined and bool(found) and found[-1].joiner in AT_FIRST
        found.append(replace(link, joiner="at last") if at_end else link)
    return found


def with_verb_before(links: Sequence[Link]) -> list[Link]:
    """ "put the mug in the drawer, but open it first, and then the block": that is put there, and
    not opened."""
    found: list[Link] = []
    for link in links:
        act = link.item
        what = act.what if isinstance(act, Act) else None
        then = link.joiner.endswith("then") and len(found) > 1 and found[-1].joiner in AT_FIRST
        before = _deed(found[-2]) if then else None
        if before is None or not isinstance(what, Shared) or _deed(found[-1]) is None:
            found.append(link)
            continue
        assert isinstance(act, Act)
        found.append(replace(link, joiner="at last", item=_with_verb(act, what, before)))
    return found


def _deed(link: Link) -> Do | None:
    what = link.item.what if isinstance(link.item, Act) else None
    return what if isinstance(what, Do) else None


def _named_alone(link: Link) -> Thing | None:
    """The only thing that comes first, or last."""
    act = link.item if link.joiner in (*AT_FIRST, "last") else None
    what = act.what if isinstance(act, Act) else None
    if not isinstance(what, Shared) or what.tails or what.things is None:
        return None
    (thing, *more) = what.things.members
    return thing if isinstance(thing, Thing) and not (more or thing.plural) else None


def _last_steps(links: Sequence[Link]) -> list[int]:
    """Where the last steps are that are joined by "and" or a comma."""
    begin = max((i for i, x in enumerate(links) if x.joiner not in _TOGETHER), default=0)
    return [i for i in range(begin, len(links)) if isinstance(links[i].item, Act)]


def _stand_alone(links: Sequence[Link], steps: Sequence[int]) -> bool:
    """Whether nothing limits the steps, and none says "it" of what another one named."""
    modified = any(x.modifier is not None or x.order for x in links[steps[0] :])
    return not modified and not any(has_pronoun(links[i].item) for i in steps)


def _thing_of(link: Link) -> Thing | None:
    """What a step is done with, if that is one thing, or one kind of them."""
    what = link.item.what if isinstance(link.item, Act) else None
    things = what.things if isinstance(what, Do | Shared) else None
    if things is None or len(things.members) > 1:
        return None
    thing = things.members[0]
    return thing if isinstance(thing, Thing) else None


def _moved(links: Sequence[Link], steps: Sequence[int], chosen: int, *, last: bool) -> list[Link]:
    """The links with one of the last steps before, or behind, the others."""
    acts = _with_verbs([links[i] for i in steps])
    head = links[steps[0]].joiner
    one = acts.pop(chosen)
    first, *others = acts
    between = [x for i, x in enumerate(links[steps[0] :], steps[0]) if i not in steps]
    rest = [replace(first, joiner=head if last else "then"), *others, *between]
    if last:
        return [*links[: steps[0]], *rest, replace(one, joiner="then")]
    return [*links[: steps[0]], replace(one, joiner=head), *rest]


def _with_verbs(links: Sequence[Link]) -> list[Link]:
    """Steps that each have the verb that is said once, and the kind of their places."""
    found: list[Link] = []
    verb: Do | None = None
    where: Things | None = None
    for link in links:
        act = link.item
        assert isinstance(act, Act)
        what = act.what
        if isinstance(what, Do):
            verb = what
        if isinstance(what, Shared) and verb is not None:
            act = _with_verb(act, what, verb)
        if isinstance(act.what, Do) and len(act.what.tails) == 1:
            (tail,) = act.what.tails
            if tail.to is not None and where is not None:
                tail = replace(tail, to=_of_same_noun(tail.to, where))
            act = replace(act, what=replace(act.what, tails=(tail,)))
            where = tail.to
        found.append(replace(link, item=act))
    return found


def _with_verb(act: Act, what: Shared, before: Do) -> Act:
    """A step without a verb, with that of the one before, and its place if it names none."""
    things = what.things if what.things is not None else before.things
    if things is not None and before.things is not None:
        things = _of_same_noun(things, before.things)
    tails = tuple(_at_same_noun(tail, before) for tail in what.tails) or before.tails
    return replace(act, what=replace(before, things=things, tails=tails))


def _at_same_noun(tail: Tail, before: Do) -> Tail:
    """ "on the blue plate, and the red one on the white": the white plate, whatever comes first."""
    (place, *more) = tail.to.members if tail.to is not None else (None,)
    others = [t.to.members[-1] for t in before.tails if t.to is not None]
    if tail.to is None or more or not isinstance(place, Thing) or place.noun or not others:
        return tail
    return replace(tail, to=_of_same_noun(tail.to, Things((others[-1],))))


def _of_same_noun(things: Things, others: Things) -> Things:
    """ "the green ones" beside "the red block": the green blocks."""
    (thing, *more), other = things.members, others.members[-1]
    named = renamed(things, Things((other,)))
    one = named.members[0]
    if more or not isinstance(thing, Thing) or not isinstance(one, Thing):
        return named
    return replace(things, members=(replace(thing, noun=one.noun),))
