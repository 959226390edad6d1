"""A chain in which steps, or some of their things, are taken back: "no, leave the mug", "no, just
the red one".

What is taken back is what was said last; what is left of a step, and what stands in its place,
must be clear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.language.chain_makers import named_for_it
from sayso.language.meaning import (
    Act,
    Do,
    Keep,
    LeaveAlone,
    LedItem,
    LeftOut,
    Link,
    Pronoun,
    Shared,
    Thing,
    Things,
)
from sayso.language.taking_back import only_those, spared
from sayso.language.thing_makers import one_of

ONLY_THOSE, LEFT_THOSE = "only those", "left those"
"""How it is said which of several things are still meant."""


class UnclearCorrectionError(Exception):
    """It is not clear what a correction takes the place of."""


class UnfitCorrectionError(UnclearCorrectionError):
    """What stands before a correction is nothing that it could take the place of."""


def said_instead(links: Sequence[Link]) -> list[Link]:
    """What comes with a correction; "instead" says no more than that it is one."""
    return [
        replace(x, item=replace(x.item, marker=""))
        if isinstance(x.item, Act) and x.item.marker == "instead" else x
        for x in links
    ]  # fmt: skip


@dataclass
class Corrected:
    """The links of a chain up to one, with what was corrected in them.

    Attributes:
        rules: what is to be left as it is, in place of being dealt with.
        gap: the step that was taken back last, while nothing stands in its place.
    """

    found: list[Link]
    rules: tuple[LeaveAlone | Keep, ...] = ()
    gap: Link | None = None
    corrected: bool = False

    def go_on(self, link: Link) -> None:
        """One more link. Of a correction "instead" says no more than that it is one."""
        act, gap = link.item, self.gap
        marked = isinstance(act, Act) and act.marker == "instead"
        if isinstance(act, Act) and marked and self.corrected:
            link = replace(link, item=replace(act, marker=""))
        if gap is not None and isinstance(gap.item, LedItem):
            if not marked or link.item is None:
                raise UnclearCorrectionError
            link = replace(gap, item=replace(gap.item, then=link.item))
        elif gap is not None:
            if not isinstance(act, Act) or not isinstance(act.what, Do):
                raise UnclearCorrectionError
            link = replace(link, joiner=gap.joiner)
        self.gap = None
        self.found.append(link)

    def leave(self, said: LeaveAlone | LeftOut | Keep) -> None:
        """ "the mug and the cup on the tray, no, leave the cup", "open it, no, leave it closed"."""
        before = last_act(self.found)
        what = None if before is None else before.what
        if before is None or not isinstance(what, Do | Shared) or what.things is None:
            raise UnfitCorrectionError
        left = None if isinstance(said, Keep) else spared(what.things, said.things)
        self.corrected = True
        if left is not None:
            act = replace(before, what=replace(what, things=left))
            self.found[-1] = with_act(self.found[-1], act)
        else:
            said = _of_that(said, what.things)
            self.gap = self.found.pop()
        self.rules += () if isinstance(said, LeftOut) else (said,)

    def keep_only(self, link: Link) -> None:
        """ "the mug and the cup on the tray, no, just the mug"; after "leave the cup" once more."""
        before, act = last_act(self.found), link.item
        what = None if before is None else before.what
        said = act.what if isinstance(act, Act) else None
        if before is None or not isinstance(what, Do | Shared) or not isinstance(said, Shared):
            raise UnfitCorrectionError
        left = only_those(what.things, said.things) if what.things and said.things else None
        again = left == what.things
        if left is None or again != (link.joiner == LEFT_THOSE) or (again and not self.corrected):
            raise UnfitCorrectionError
        self.corrected = True
        self.found[-1] = with_act(self.found[-1], replace(before, what=replace(what, things=left)))

    def links(self) -> list[Link]:
        """All of it: first what is left as it is."""
        if isinstance(self.gap and self.gap.item, LedItem):
            raise UnclearCorrectionError
        rules = [Link("and" if i else "", rule) for i, rule in enumerate(self.rules)]
        steps = [
            replace(x, joiner="but") if rules and not i else x for i, x in enumerate(self.found)
        ]
        return [*rules, *steps]


def last_act(found: Sequence[Link]) -> Act | None:
    """The last step, also where it follows on something."""
    item = found[-1].item if found else None
    item = item.then if isinstance(item, LedItem) else item
    return item if isinstance(item, Act) else None


def with_act(link: Link, act: Act) -> Link:
    led = link.item
    return replace(link, item=replace(led, then=act) if isinstance(led, LedItem) else act)


def _of_that(said: LeaveAlone | LeftOut | Keep, things: Things) -> LeaveAlone | Keep:
    """What is left as it is, of the only thing that a step was about."""
    named = said.things if isinstance(said, LeaveAlone | LeftOut) else None
    alone = len(things.members) == 1 and not is_pronominal(things)
    if isinstance(said, LeftOut) or not alone:
        raise UnclearCorrectionError
    if named is not None and not is_it(named):
        if one_of(named.members[0], things) is None:  # type: ignore[arg-type]
            raise UnclearCorrectionError
        return said
    told = named_for_it(said, things)
    if not isinstance(told, LeaveAlone | Keep):
        raise UnclearCorrectionError
    return told


def is_it(things: Things) -> bool:
    return len(things.members) == 1 and isinstance(things.members[0], Pronoun)


def is_pronominal(things: Things) -> bool:
    return any(not isinstance(t, Thing) for t in things.members)
