"""What a speaker says in place of what was said: "no, the tray", "the other way round".

A correction replaces what it can only mean: a thing of the same kind or for the same purpose, the
place, the whole of a single step. Where it could take the place of several things it is refused;
of several things that are named together it replaces the last one, if that is what was said last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sayso.language.chains import settled
from sayso.language.corrected import (
    LEFT_THOSE,
    ONLY_THOSE,
    Corrected,
    UnclearCorrectionError,
    UnfitCorrectionError,
    is_it,
    is_pronominal,
    last_act,
    said_instead,
    with_act,
)
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import (
    AS_CORRECTION,
    RULES,
    Act,
    Chain,
    Conditional,
    Do,
    FromTo,
    Keep,
    LeaveAlone,
    Led,
    LedItem,
    LeftOut,
    Link,
    Named,
    Reversal,
    Sentence,
    Shared,
    Thing,
    Things,
    Unordered,
    renamed,
)
from sayso.language.orders import AT_FIRST
from sayso.language.thing_makers import are_several

_CORRECTING = (AS_CORRECTION, ONLY_THOSE, LEFT_THOSE)
_AT_FIRST = frozenset({"first", "at first", "first of all"})
_IN_ORDER = frozenset({"then", "and then", "comma", "and"})
What = Do | Shared | FromTo


@dataclass(frozen=True)
class Mending:
    """Puts corrections in the place of what they correct.

    All methods raise UnclearCorrectionError where it is not clear what that is.
    """

    lexicon: Lexicon

    def sentence(self, sentence: Sentence) -> Sentence:
        """A sentence in which nothing is corrected any more."""
        return _map_chains(sentence, self._chain)

    def of_before(self, before: Sentence, said: Sentence) -> Sentence | None:
        """The sentence before with what this one corrects in it; None where this corrects nothing:
        after "sorry" or "actually" it may ask for something else."""
        correction, chain = said.body, before.body
        if not isinstance(correction, Chain):
            return None
        if _is_inserted(correction):
            if said.opening == AS_CORRECTION:
                raise UnclearCorrectionError
            return None
        what = _what(correction.first)
        if what is None:
            return None
        instead = correction.first
        if said.told and isinstance(what, Do) and isinstance(chain, Chain):
            acts = [x.item for x in (Link("", chain.first), *chain.rest) if isinstance(x.item, Act)]
            if not any(_is_parallel(act.what, what) for act in acts):
                raise UnclearCorrectionError
        if not isinstance(chain, Chain) or before.more is not None or said.more is not None:
            raise UnclearCorrectionError
        links = [Link("", chain.first), *chain.rest]
        if any(_limits(link) for link in links) and not _is_place(what):
            raise UnclearCorrectionError  # the rule or the limit may be what is corrected
        if isinstance(what, Reversal):
            links = self._reversed(links)
        else:
            assert isinstance(instead, Act)
            found = self._corrected(links, instead, what, sure=said.opening == AS_CORRECTION)
            if found is None:
                return None
            links = found
        assert links[0].item is not None
        return replace(
            before, told=(*before.told, *said.told),
            body=replace(
                chain, first=links[0].item, rest=(*links[1:], *said_instead(correction.rest))
            ),
        )  # fmt: skip

    def in_order(self, before: Sentence, said: Sentence) -> Sentence:
        """The sentence before with its steps in the order that this one tells: "the mug last"."""
        chain, told = before.body, said.body
        act = told.first if isinstance(told, Chain) else None
        if not isinstance(chain, Chain) or not isinstance(act, Act) or before.more is not None:
            raise UnclearCorrectionError
        links = [Link("", chain.first), *chain.rest]
        moved = settled([*links, Link(act.marker, replace(act, marker=""))])
        unclear = moved is None or moved[:-1] == links or any(x.joiner in AT_FIRST for x in moved)
        if moved is None or unclear or moved[0].item is None:
            raise UnclearCorrectionError
        return replace(
            before, told=(*before.told, *said.told),
            body=replace(chain, first=moved[0].item, rest=tuple(moved[1:])),
        )  # fmt: skip

    def _chain(self, chain: Chain) -> Chain:
        """A chain with what "no, ..." corrects in it replaced."""
        if not any(link.joiner in _CORRECTING for link in chain.rest):
            return chain
        so_far = Corrected([Link("", chain.first)])
        for link, after in pairwise((*chain.rest, Link())):
            first = after.modifier is not None and after.modifier.kind in _AT_FIRST
            if link.joiner == AS_CORRECTION and first:
                raise UnclearCorrectionError  # "no, go to the bed first": and then there
            if link.joiner in (ONLY_THOSE, LEFT_THOSE):
                so_far.keep_only(link)
            elif link.joiner != AS_CORRECTION:
                so_far.go_on(link)
            elif isinstance(link.item, LeaveAlone | LeftOut | Keep):
                so_far.leave(link.item)
            else:
                so_far.found = self._with_correction(so_far.found, link)
                so_far.corrected = True
        links = so_far.links()
        assert links[0].item is not None
        return replace(chain, first=links[0].item, rest=tuple(links[1:]))

    def _with_correction(self, found: list[Link], link: Link) -> list[Link]:
        """The links so far with the last one corrected."""
        item, before = link.item, last_act(found)
        what = None if item is None else _what(item)
        if isinstance(what, Reversal):
            return self._reversed(found)
        if what is None or before is None:
            raise UnfitCorrectionError
        deed = what if isinstance(what, Do) and link.told is not None else None
        if deed is not None and not _is_parallel(before.what, deed):
            raise UnclearCorrectionError  # "no, that is so, so open the drawer": besides?
        mended = self._in_place_of(before.what, what)
        if mended is None:
            raise UnclearCorrectionError
        assert isinstance(item, Act)
        return [*found[:-1], with_act(found[-1], _act_with(before, item, mended))]

    def _corrected(
        self, links: Sequence[Link], act: Act, said: Do | Shared, *, sure: bool
    ) -> list[Link] | None:
        """The links of the sentence before with the only step replaced that can be meant."""
        acts = [i for i, link in enumerate(links) if isinstance(link.item, Act)]
        if isinstance(said, Do) and len(acts) > 1:
            acts = [i for i in acts if _same_things(_act(links[i]).what, said)]
        if isinstance(said, Do) and not sure:
            acts = [i for i in acts if _is_parallel(_act(links[i]).what, said)]
            if not acts:
                return None
        mended = [(i, self._in_place_of(_act(links[i]).what, said)) for i in acts]
        fitting = [(i, what) for i, what in mended if what is not None]
        if len(fitting) != 1:
            raise UnclearCorrectionError
        at, what = fitting[0]
        found = list(links)
        found[at] = replace(links[at], item=_act_with(_act(links[at]), act, what))
        return found

    # -- the other way round ---------------------------------------------------------------

    def _reversed(self, links: Sequence[Link]) -> list[Link]:
        """A thing and its place in each other's stead, or two steps in the other order; whichever
        of these can be meant alone."""
        ways = [w for i in range(len(links)) if (w := self._turned(links, i)) is not None]
        ways += filter(None, (self._other_order(links), self._exchanged(links)))
        if len(ways) != 1:
            raise UnclearCorrectionError
        return ways[0]

    def _turned(self, links: Sequence[Link], at: int) -> list[Link] | None:
        act = links[at].item
        if not isinstance(act, Act) or isinstance(act.what, FromTo) or len(act.what.tails) != 1:
            return None
        things, tail = act.what.things, act.what.tails[0]
        if things is None or tail.to is None or len(things.members) + len(tail.to.members) != 2:
            return None
        if is_pronominal(things) or is_pronominal(tail.to):
            return None
        place = renamed(tail.to, things)
        turned = replace(act.what, things=place, tails=(replace(tail, to=things),))
        if not (self._fits(turned, place, 0) and self._fits(turned, things, 1)):
            return None
        return [*links[:at], replace(links[at], item=replace(act, what=turned)), *links[at + 1 :]]

    def _exchanged(self, links: Sequence[Link]) -> list[Link] | None:
        """Each of two things in the other one's place: "the mug on the plate and the block on the
        tray, no, the other way round"."""
        if len(links) != 2:
            return None
        first, second = (link.item for link in links)
        if not isinstance(first, Act) or not isinstance(second, Act):
            return None
        one, other = first.what, second.what
        if not isinstance(one, Do | Shared) or not isinstance(other, Do | Shared):
            return None
        if not (_goes_to_one_place(one) and _goes_to_one_place(other)):
            return None
        swapped = replace(one, tails=other.tails), replace(other, tails=one.tails)
        acts = (replace(a, what=w) for a, w in zip((first, second), swapped, strict=True))
        return [replace(link, item=act) for link, act in zip(links, acts, strict=True)]

    def _other_order(self, links: Sequence[Link]) -> list[Link] | None:
        if len(links) != 2 or links[1].joiner not in _IN_ORDER:
            return None
        first, second = (link.item for link in links)
        if not isinstance(first, Act) or not isinstance(second, Act):
            return None
        one, other = first.what, second.what
        if not isinstance(one, Do) or isinstance(other, FromTo) or not one.things:
            return None
        if other.things is None or is_pronominal(other.things):
            return None
        if isinstance(other, Shared):
            if one.tails or other.tails:
                return None
            other = replace(one, things=renamed(other.things, one.things))
        return [
            replace(links[0], item=replace(first, what=other)),
            replace(links[1], item=replace(second, what=one)),
        ]

    # -- one step --------------------------------------------------------------------------

    def _in_place_of(self, before: What, said: Do | Shared) -> Do | Shared | None:
        """What was said, mended: another verb, another thing or another place."""
        if isinstance(before, FromTo) or before.things is None:
            return None
        if isinstance(said, Do):
            return _other_deed(before, said)
        if said.things is None or (is_it(said.things) and said.tails):
            return _other_place(before, said)
        if said.tails:
            if not before.tails or len(before.things.members) > 1:
                return None
            return replace(before, things=renamed(said.things, before.things), tails=said.tails)
        return self._other_thing(before, said.things)

    def _other_thing(self, before: Do | Shared, said: Things) -> Do | Shared | None:
        """ "no, the bowl": in place of the thing, or of where it goes."""
        assert before.things is not None
        several = len(before.things.members) > 1
        if several and (len(said.members) > 1 or before.things.joiner == "or"):
            return None
        where = before.tails[0].to if len(before.tails) == 1 else None
        if not before.tails:
            return replace(before, things=_with_last(before.things, said))
        like = [t for t in (before.things, where) if t is not None and _is_like(said, t)]
        if several and any(_is_like(said, _only(t)) for t in before.things.members[:-1]):
            return None  # which of them is meant?
        if not like:
            like = self._for_the_same(before, said)
        if len(like) != 1:
            return None
        if like[0] is before.things:
            return replace(before, things=_with_last(before.things, said))
        mended = renamed(said, like[0])
        return replace(before, tails=(replace(before.tails[0], to=mended),))

    def _for_the_same(self, before: Do | Shared, said: Things) -> list[Things]:
        """Of the thing and its place those for which a thing of another kind can stand: "no, the
        drawer" for the bowl that something goes into, not for what goes there."""
        where = before.tails[0].to if len(before.tails) == 1 else None
        if before.things is None or where is None:
            return []
        fitting = [t for i, t in enumerate((before.things, where)) if self._fits(before, said, i)]
        if len(fitting) < 2:
            return fitting
        ours, theirs = self._types(before.things), self._types(where)
        new = self._types(said)
        as_thing, as_place = new & (ours - theirs), new & (theirs - ours)
        if bool(as_thing) == bool(as_place):
            return []
        return [before.things if as_thing else where]

    def _fits(self, what: Do | Shared, things: Things, at: int) -> bool:
        """Whether things may be handled so (0), or are a place for what is (1)."""
        verbs = self.lexicon.verbs
        named = [verbs[what.verb]] if isinstance(what, Do) and what.verb in verbs else []
        types = [
            action.arguments[at]
            for verb in named or verbs.values()
            for action in verb.with_thing.get(what.tails[0].text, ())
            if len(action.arguments) > at
        ]
        fits = self.lexicon.vocabulary.fits
        nouns = [t.noun for t in things.members if isinstance(t, Thing)]
        return len(nouns) == len(things.members) and all(
            any(fits(noun, t) for t in types) for noun in nouns
        )

    def _types(self, things: Things) -> frozenset[str]:
        nouns = [t.noun for t in things.members if isinstance(t, Thing)]
        return frozenset().union(*(self.lexicon.vocabulary.types_of(n) or () for n in nouns))


def _act_with(before: Act, said: Act, what: Do | Shared) -> Act:
    """A step with what is said instead: how often, in which order and whether nothing else is done
    as said last. Raises UnclearCorrectionError where another verb leaves that open."""
    told = (before.count, before.order, before.only, before.marker)
    if isinstance(said.what, Do):
        if any(told) and told != (said.count, said.order, said.only, said.marker):
            raise UnclearCorrectionError
        return replace(said, what=what)
    return replace(
        before, what=what, count=said.count or before.count, order=said.order or before.order
    )


def _act(link: Link) -> Act:
    assert isinstance(link.item, Act)
    return link.item


def _what(item: object) -> Do | Shared | Reversal | None:
    """What a correction says; None for one that is no step."""
    if isinstance(item, Reversal):
        return item
    if isinstance(item, Act) and not isinstance(item.what, FromTo):
        return item.what
    return None


def _limits(link: Link) -> bool:
    """Whether a part of a sentence names things of which no step is asked for."""
    return link.modifier is not None or isinstance(link.item, (*RULES, LedItem))


def _is_place(what: Do | Shared | Reversal) -> bool:
    return isinstance(what, Shared) and what.things is None


def _is_inserted(chain: Chain) -> bool:
    """ "actually, go to the bed before all that": a step to be done first."""
    return any(link.modifier and link.modifier.kind == "at first" for link in chain.rest)


def _same_things(what: What, said: Do | Shared) -> bool:
    if isinstance(what, FromTo) or what.things is None or said.things is None:
        return False
    return what.things == said.things or is_it(said.things)


def _is_parallel(what: What, said: Do) -> bool:
    """Whether two deeds differ in one thing: the verb and the place, the thing, or the place."""
    if _same_things(what, said):
        return True
    if not isinstance(what, Do) or what.verb != said.verb:
        return False
    return [t.text for t in what.tails] == [t.text for t in said.tails]


def _other_deed(before: Do | Shared, said: Do) -> Do | None:
    """ "no, put it in the bowl", "no, open the drawer"."""
    assert before.things is not None
    if said.things is not None and is_it(said.things):
        return replace(said, things=before.things) if _agrees(said.things, before.things) else None
    several = len(before.things.members) > 1
    return None if several and said.things != before.things else said


def _agrees(said: Things, things: Things) -> bool:
    """ "no, put them there" is not said of one thing, nor "it" of several."""
    pronoun, one = said.members[0], things.members[0]
    several = are_several(things) or getattr(one, "kind", "it") != "it"
    return getattr(pronoun, "kind", "it") == "it" or several


def _other_place(before: Do | Shared, said: Shared) -> Do | Shared | None:
    """ "no, on the tray", "no, to the bed", "no, my son wants that one on the tray"."""
    assert before.things is not None
    if said.things is not None and are_several(before.things):
        return None
    if isinstance(before, Do) and before.verb.endswith(" to"):
        place = said.tails[0].to if [t.text for t in said.tails] == ["to {1}"] else None
        if place is None or before.tails or before.things.joiner == "or":
            return None
        return replace(before, things=_with_last(before.things, place))
    if len(before.tails) != 1:
        return None
    where = before.tails[0].to
    named = (t if t.to is None or where is None else replace(t, to=renamed(t.to, where))
             for t in said.tails)  # fmt: skip
    return replace(before, tails=tuple(named))


def _only(thing: Named) -> Things:
    return Things((thing,))


def _with_last(things: Things, said: Things) -> Things:
    """The things with another one as the last; it has the noun of that one if it has none."""
    *kept, last = things.members
    mended = renamed(said, _only(last))
    return replace(things, members=(*kept, *mended.members)) if kept else mended


def _is_like(things: Things, others: Things) -> bool:
    """Whether a thing may be meant in place of the last of the others: "the green one" for what
    has a colour."""
    thing, other = things.members[0], others.members[-1]
    if not isinstance(thing, Thing) or not isinstance(other, Thing):
        return False
    return thing.noun == other.noun if thing.noun else bool(other.attributes)


def _goes_to_one_place(what: Do | Shared) -> bool:
    """Whether it says of named things where they go."""
    places = [tail.to for tail in what.tails]
    if what.things is None or len(places) != 1 or places[0] is None:
        return False
    return not (is_pronominal(what.things) or is_pronominal(places[0]))


def _map_chains(sentence: Sentence, change: Callable[[Chain], Chain]) -> Sentence:
    """The sentence with each of its chains changed."""
    body, more = sentence.body, sentence.more
    match body:
        case Chain():
            body = change(body)
        case Conditional():
            body = _mapped(body, change)
        case Led() | Unordered():
            body = replace(body, then=change(body.then))
    match more:
        case Chain():
            more = change(more)
        case Conditional():
            more = _mapped(more, change)
    return replace(sentence, body=body, more=more)


def _mapped(conditional: Conditional, change: Callable[[Chain], Chain]) -> Conditional:
    otherwise = conditional.otherwise
    return replace(
        conditional, then=change(conditional.then), otherwise=otherwise and change(otherwise)
    )
