"""Groups of items between one "then" and the next, and how "and" and "or" join them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from sayso.language import meaning as m
from sayso.language.asked import is_taken_singly
from sayso.language.chain_makers import RUN_ON
from sayso.language.course import Course
from sayso.language.events import Holds, Sequence
from sayso.language.items import Items
from sayso.language.steps import Done
from sayso.language.thing_makers import is_each, may_be_left_out
from sayso.logic.formula import conjunction

_LONE = {
    "either": "'either' needs 'or' after it.",
    "both": "'both' needs two things, or two steps with 'and' between them.",
}
_SEVERAL = tuple(map(m.Pronoun, ("them", "all of them", "both of them")))
FORBIDDEN_TOO = "it is not clear whether this is forbidden too."
ENDED = (
    "then", ".", "only then", "before", "at first", "at last", "also", "alternatively", "actually",
    "after that",
)  # fmt: skip


@dataclass
class _SoFar:
    """What the items of a group came to, up to one of them.

    Attributes:
        latest: the item before.
        after_rule: whether that is a rule.
        joiners: what stood between those in `done`.
        order: in which the things of an item are to be dealt with.
    """

    latest: m.Item | None
    after_rule: bool = False
    done: list[Done] = field(default_factory=list)
    joiners: set[str] = field(default_factory=set)
    order: str = ""

    def is_one(self, done: Done) -> None:
        """All so far was put together to one."""
        self.done, self.joiners = [done], set()


@dataclass(frozen=True)
class Groups:
    """Adds groups of items to the course."""

    course: Course

    @property
    def items(self) -> Items:
        return Items(self.course)

    def chain(self, chain: m.Chain, mode: str) -> None:
        """All groups of a sentence."""
        if chain.begins and self.course.steps:
            raise self.course.refuse(
                chain.at, "'first' comes after other steps.", hint="say 'but before that ...'."
            )
        groups = self.groups(chain, mode)
        for index, (group_mode, links) in enumerate(groups):
            self.group(group_mode, links, chain.at, more=index + 1 < len(groups))

    def groups(self, chain: m.Chain, mode: str) -> list[tuple[str, list[m.Link]]]:
        """The items and modifiers between "then" and its like."""
        mode = mode.removeprefix(RUN_ON)
        groups: list[tuple[str, list[m.Link]]] = [(mode, [m.Link("", chain.first)])]
        either = isinstance(chain.first, m.Act) and chain.first.marker == "either"
        for before, link in pairwise((groups[0][1][0], *chain.rest)):
            joiner = link.joiner.removeprefix(RUN_ON)
            if joiner != link.joiner and _may_go_on(before.item, link):
                at = chain.at if link.item is None else link.item.at
                raise self.course.refuse(
                    at, FORBIDDEN_TOO,
                    hint="begin a new sentence, or say 'and then never ...' or 'but then ...'.",
                )  # fmt: skip
            alternative = not either and joiner in ("or", "alternatively")
            if alternative and link.item is not None and _threatens(before.item, link.item):
                raise self.course.refuse(
                    link.item.at,
                    "it is not clear whether this is an alternative, or what comes of not doing "
                    "what stands before it.", hint="say 'either ..., or ...'.",
                )  # fmt: skip
            splits = (
                joiner in ENDED
                or _begins_later(link)
                or (joiner == "or" and either and len(groups) > 1)
            )
            if splits:
                later = joiner if joiner in (*ENDED, "or") else "then"
                groups.append((later, [replace(link, joiner="")]))
            else:
                groups[-1][1].append(link)
        return groups

    def group(self, mode: str, links: list[m.Link], at: m.At, *, more: bool) -> None:
        only = links[0].item
        if len(links) == 1 and isinstance(only, m.Remark):
            self.course.pending = []
            self.items.remark(only)
            return
        if mode == "at last" and isinstance(only, m.LIMITED) and only.limit is None:
            ended = replace(only, limit=m.Bound("finally", at=only.at))
            links = [replace(links[0], item=ended), *links[1:]]
        limit = getattr(only, "limit", None)
        of_then = mode in ("then", "after that")
        if of_then and isinstance(limit, m.Bound) and limit.kind == "finally":
            raise self.course.refuse(
                at, "it is not clear whether this is of that moment, or of the end.",
                hint="say 'at the end', or 'after that never ...'.",
            )  # fmt: skip
        if mode == "after that":
            raise self.course.refuse(at, "this rule has two limits.", hint="say them one by one.")
        after_rule = self.course.last_rule and mode != "."
        if after_rule and isinstance(only, m.Act) and isinstance(only.what, m.Shared):
            raise self.course.refuse(only.at, FORBIDDEN_TOO, hint="begin with a verb.")
        before = len(self.course.rules)
        self.course.put_first = False
        done = self.combined_group(links, at, mode, more=more, follows=True)
        if self.course.put_first:
            mode = "at first"
        opened = self._opens_alternatives(links)
        if isinstance(done.event, Sequence) and not done.event.events:
            if opened:
                raise self.course.refuse(at, _LONE["either"])
            if len(self.course.rules) > before:
                self.course.last_rule = True
                if mode in ("or", "alternatively"):
                    raise self.course.refuse(
                        at, "a rule is no alternative.", hint="say 'and never'."
                    )
            return
        self.course.join(done, mode, at)
        self.course.either = self.course.either or opened

    def _opens_alternatives(self, links: list[m.Link]) -> bool:
        """Whether a group begins with an "either" whose "or" is still to come."""
        first = links[0].item
        return (
            isinstance(first, m.Act)
            and first.marker == "either"
            and not _joins(first, "or")
            and not any(link.joiner == "or" for link in links)
        )

    def _refuse_lone_markers(self, links: list[m.Link], *, more: bool) -> None:
        """An "either" or a "both" that joins nothing; `more` steps may follow the group."""
        for index, link in enumerate(links):
            act = link.item
            if not isinstance(act, m.Act) or act.marker not in _LONE:
                continue
            joiner = "or" if act.marker == "either" else "and"
            among = not index and any(later.joiner in (joiner, "or") for later in links)
            if not (among or _joins(act, joiner) or (more and not index and joiner == "or")):
                raise self.course.refuse(act.at, _LONE[act.marker])

    def combined_group(
        self, links: list[m.Link], at: m.At, mode: str = ".", *, more: bool = False,
        follows: bool = False,
    ) -> Done:  # fmt: skip
        """What the items between two "then" ask for together.

        Args:
            more: whether more groups follow.
            follows: whether the alternative to this one may be said in a sentence of its own.
        """
        so_far = _SoFar(links[0].item)
        for link in links:
            self._take(link, so_far, at, mode)
        self._refuse_lone_markers(links, more=follows)
        if not so_far.done:
            return Done(Sequence(()))
        first = links[0].item
        marker = first.marker if isinstance(first, m.Act) else ""
        done, joiners = so_far.done, so_far.joiners
        if marker == "both" and len(done) == 1 and len(done[0].states) < 2:
            raise self.course.refuse(at, _LONE["both"])
        if "or" in joiners and marker != "either" and (more or (self.course.steps and mode != ".")):
            raise self.course.refuse(
                at, "it is not clear what the alternative is to.",
                hint="say 'either ..., or ...' or 'alternatively'.",
            )  # fmt: skip
        return self.course.combined(done, joiners, at, so_far.order, marker)

    def _take(self, link: m.Link, so_far: _SoFar, at: m.At, mode: str) -> None:
        """One link of a group: a modifier or an order of what stands before it, or an item."""
        if link.modifier is not None:
            self.refuse_counted(so_far.latest, link.modifier.kind, link.modifier.at)
            so_far.is_one(self.items.modified(so_far.done, so_far.joiners, link.modifier, mode))
            return
        if link.order:
            if len(so_far.done) < (1 if link.order == "all free" else 2):
                raise self.course.refuse(at, "an order needs several things.")
            so_far.is_one(self.course.combined(so_far.done, so_far.joiners, at, link.order))
            return
        item = link.item
        assert item is not None
        self.course.pending = so_far.done
        if not isinstance(item, m.Remark):
            self._take_item(item, link.joiner, so_far)
            return
        if item.kind == "located" and isinstance(so_far.latest, m.Goal) and link.joiner:
            raise self.course.refuse(
                item.at, "it is not clear whether this is so, or is to be so.",
                hint="say 'should be' of each, or tell it in a sentence of its own.",
            )  # fmt: skip
        if (
            link.joiner == "but"
            and so_far.done
            and item.kind in ("story", "deed", "report", m.REASON)
        ):
            raise self.course.refuse(
                item.at, "it is not clear what this changes.", hint="say only what is to be done."
            )
        if link.joiner == "or" and item.kind in m.TOLD_OF and so_far.after_rule:
            return  # "never touch the mug, or the tower will fall": what comes of it
        if link.joiner == "or" and item.kind != m.CHOICE:
            raise self.course.refuse(
                item.at, "it is not clear what this is an alternative to.",
                hint="say only what is to be done.",
            )  # fmt: skip
        leads = so_far.latest is item or link.joiner not in ("", "comma")
        self.items.remark(_leading(item) if leads else item)

    def refuse_counted(self, item: m.Item | None, kind: str, at: m.At) -> None:
        """ "touch the mug exactly twice before you open the drawer": in all, or until then."""
        count = item.count if isinstance(item, m.Act | m.Goal) else None
        most = count is not None and count.limit in ("exactly", "at most")
        if most and kind in ("before", "after"):
            raise self.course.refuse(
                at, f"it is not clear whether all times are counted, or only those {kind} this.",
                hint="say 'at least', or the limit in its own sentence.",
            )  # fmt: skip

    def _take_item(self, item: m.Item, joiner: str, so_far: _SoFar) -> None:
        is_rule = _is_rule(item)
        if joiner == "or" and not so_far.done and isinstance(so_far.latest, m.Remark):
            raise self.course.refuse(item.at, "there is nothing to be an alternative to.")
        if is_rule and joiner == "or":
            so_far.done.append(self._rule_after_or(item, so_far))
            so_far.joiners.add("or")
            return
        self._require_clear(item, joiner, so_far, is_rule)
        found = self.items.item(item)
        if isinstance(item, m.Act) and item.order:
            so_far.order = item.order
        if found and joiner == "or" and not so_far.done:
            raise self.course.refuse(item.at, "there is nothing to be an alternative to.")
        if found and so_far.done and is_taken_singly(so_far.done[-1].event, found[0].event):
            so_far.done.pop()
        if found and so_far.done and joiner:
            so_far.joiners.add("and" if joiner == "but" else joiner)
        if found:
            self.course.last = found[-1]
        so_far.done += found
        so_far.after_rule, so_far.latest = is_rule, item
        self.course.last_rule = is_rule

    def _require_clear(self, item: m.Item, joiner: str, so_far: _SoFar, is_rule: bool) -> None:
        """Refuse what may be forbidden by the rule before it, or asked for."""
        nothing_yet = not so_far.done and self.course.last_rule
        if isinstance(item, m.Goal) and item.bare and (so_far.after_rule or nothing_yet):
            raise self.course.refuse(item.at, FORBIDDEN_TOO, hint="begin with a verb.")
        if joiner == "but" and isinstance(so_far.latest, m.Empty) and not is_rule:
            raise self.course.refuse(  # "empty the bowl, but leave the mug in it"
                item.at, "it is not clear whether this is left out of what is taken away.",
                hint="name what is to be taken away, or say 'then ...'.",
            )  # fmt: skip
        shared = isinstance(item, m.Act) and isinstance(item.what, m.Shared)
        if shared and so_far.after_rule and not isinstance(so_far.latest, m.Never | m.NotThose):
            raise self.course.refuse(  # "keep all doors closed but the kitchen door"
                item.at, "it is not clear whether this is left out of what was said before.",
                hint="say 'all but ...', or begin with a verb.",
            )  # fmt: skip
        mixed = (_joins_otherwise(i, joiner) for i in (item, so_far.latest))
        if shared and joiner in ("and", "or") and any(mixed):
            raise self.course.refuse(
                item.at, "'and' and 'or' are mixed, so it is not clear what belongs together.",
                hint="use a new sentence or 'then' for one of them.",
            )  # fmt: skip
        if shared and joiner in ("and", "or") and _may_be_left_out(so_far.latest, item):
            raise self.course.refuse(
                item.at, "it is not clear whether this is left out, too.",
                hint="say 'all ... except the red and green ones', or begin with a verb.",
            )  # fmt: skip
        forbids = so_far.after_rule and not isinstance(so_far.latest, m.NotThose)
        if shared and joiner == "comma" and forbids:
            raise self.course.refuse(item.at, FORBIDDEN_TOO, hint="begin with a verb.")
        if shared and joiner == "but" and _is_one_of_those(so_far.latest, item):
            raise self.course.refuse(
                item.at, "it is not clear whether this is an exception from what stands before.",
                hint="say 'all ... but the ...', and what is to be done with that.",
            )  # fmt: skip
        if shared and joiner == "but" and _forbids_any(so_far.latest):
            raise self.course.refuse(
                item.at, "it is not clear whether this is left out of what is forbidden.",
                hint="say 'anything except ...', or begin with a verb.",
            )  # fmt: skip
        clear = is_rule or (joiner == "and" and _is_no_more_of(so_far.latest, item))
        if so_far.after_rule and not clear and joiner in ("and", "or"):
            raise self.course.refuse(
                item.at, FORBIDDEN_TOO,
                hint="begin a new sentence, or say 'and never ...' or 'but ...'.",
            )  # fmt: skip

    def _rule_after_or(self, rule: m.Item, so_far: _SoFar) -> Done:
        if so_far.after_rule:
            raise self.course.refuse(
                rule.at, "it is not clear which of these rules holds.",
                hint="say 'never' for each, or what shall be so.",
            )  # fmt: skip
        if isinstance(rule, m.RULES):
            return self._rule_as_alternative(rule)
        raise self.course.refuse(rule.at, "a rule is no alternative.", hint="say 'and never'.")

    def _rule_as_alternative(self, rule: m.Rule) -> Done:
        """ "open the drawer or never touch the mug"."""
        before = self.course.rules
        self.items.item(rule)
        made = self.course.rules[len(before) :]
        self.course.rules, self.course.last_rule = before, False
        return Done(Holds(conjunction(*made)))


def _leading(remark: m.Remark) -> m.Remark:
    """ "and because the mug is chipped, do not touch it": the mug."""
    return replace(remark, kind="story") if remark.kind == m.REASON else remark


def _begins_later(link: m.Link) -> bool:
    """ "and once they are in it, ..." """
    led = link.item
    return isinstance(led, m.LedItem) and led.kind == "when" and not isinstance(led.then, m.RULES)


def _joins(act: m.Act, joiner: str) -> bool:
    """Whether an action has several things or places of its own, joined so."""
    if not isinstance(act.what, m.Do | m.Shared):
        return False
    things, tails = act.what.things, act.what.tails
    if joiner == "and":
        return things is not None and (len(things.members) > 1 or things.members[0] in _SEVERAL)
    return len(tails) > 1 or (things is not None and things.joiner == "or")


def _forbids_any(rule: m.Item | None) -> bool:
    """ "never touch any block": what comes after "but" is rather an exception from that."""
    acts = rule.acts.members if isinstance(rule, m.Never) else ()
    named = (t for do in acts if do.things for t in do.things.members if isinstance(t, m.Thing))
    return any(t.determiner in ("any", "all", "each", "both", "none") for t in named)


def _things(item: m.Item | None) -> m.Things | None:
    """What a step is done with."""
    what = item.what if isinstance(item, m.Act) else None
    return what.things if isinstance(what, m.Do | m.Shared) else None


def _is_one_of_those(before: m.Item | None, item: m.Item) -> bool:
    """ "put the blocks on the tray, but the red one in the bowl"."""
    named, more = _things(before), _things(item)
    what = item.what if isinstance(item, m.Act) else None
    if named is None or more is None or not isinstance(what, m.Shared):
        return False
    if not what.tails and not any(map(is_each, named.members)):
        return False  # "touch the mug, but the plate first"
    kinds = {t.noun for t in named.members if isinstance(t, m.Thing) and t.plural}
    kinds |= {t.noun for t in named.members if isinstance(t, m.Thing) and is_each(t)}
    return any(isinstance(t, m.Thing) and t.noun in {"", *kinds} for t in more.members) and bool(
        kinds
    )


def _joins_otherwise(item: m.Item | None, joiner: str) -> bool:
    """ "go to the kitchen and | the bed or to the sofa", "go to the kitchen and to the bed | or the
    sofa"."""
    things = _things(item)
    return things is not None and bool(things.led) and things.joiner not in ("", joiner)


def _may_be_left_out(before: m.Item | None, item: m.Item) -> bool:
    """ "touch the blocks that are not red | or green"."""
    named, more = _things(before), _things(item)
    if named is None or more is None:
        return False
    return may_be_left_out(more.members[0], named.members[-1])


def _is_rule(item: m.Item) -> bool:
    """Whether it forbids or asks for something at all times, also where a condition leads it."""
    return isinstance(item.then if isinstance(item, m.LedItem) else item, m.RULES)


def _may_go_on(rule: m.Item | None, link: m.Link) -> bool:
    """Whether what is joined to a rule may be forbidden with it: "never open the drawer and then
    touch the mug", other than "keep it open and then ..."."""
    if isinstance(rule, m.LedItem):
        rule = rule.then
    if link.joiner != "and then" or not isinstance(rule, m.RULES):
        return isinstance(rule, m.RULES)
    forbids = isinstance(rule, m.Never) and rule.acts.members[-1].form in ("", "verb")
    return forbids and not (link.item is not None and _is_rule(link.item))


def _threatens(before: m.Item | None, item: m.Item) -> bool:
    """ "touch the mug, or the plate gets it": what comes is told, not ordered, as what stood before
    it was."""
    return _is_told(item) and before is not None and not _is_told(before)


def _is_told(item: m.Item | None) -> bool:
    return isinstance(item, m.Act) and isinstance(item.what, m.Do) and item.what.form == m.TOLD


def _is_no_more_of(rule: m.Item | None, item: m.Item) -> bool:
    """Whether an order is none of what the rule before forbids: "leave it alone and go there"."""
    named = isinstance(rule, m.Avoid | m.LeaveAlone | m.Keep) and rule.limit is None
    return named and isinstance(item, m.Act) and isinstance(item.what, m.Do)
