"""Discourse units: a sentence that is not understood as one, cut into clauses that are.

The cuts are where English may join clauses: at marks, and before conjunctions and subordinators.
Of all runs of units that the grammar understands by themselves those are kept that leave out the
fewest words. What is left out is told apart by what it could do to the task, not by its wording:
it asks for nothing, it may ask for something, or it limits what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TypeAlias

from sayso.language import meaning as m
from sayso.language.asides import RETRACTING, is_ellipsis, turn
from sayso.language.chart import Chart
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import BOUNDING, EXCEPTING, FORBIDDING, LIMITING, REPLACING

Span: TypeAlias = tuple[int, int]
"""Words [start, end) of a sentence."""

MARKS = frozenset({",", ":", "(", ")"})
CONDITIONS = BOUNDING | {"should", "except", "without"}
"""What they begin holds for what stands beside it."""
_OF_BEFORE_IT = EXCEPTING | REPLACING | {"until", "till", "unless", "without", "lest"}
"""What they begin in the middle of a sentence is said of what stands before it."""
_ORDERS = frozenset({
    "order", "sequence", "reverse", "reversed", "backwards", "simultaneously", "between",
})  # fmt: skip
_PLACED = frozenset({"first", "last", "earlier", "beforehand"})
"""With these, or with those at their end, words may say in which order other things are done."""
_AS_SAID = (("that", "order"), ("this", "order"), ("given", "order"))
_HESITATING = frozenset({
    "hmm", "hm", "um", "uh", "er", "erm", "oh", "ah", "well", "though", "although",
})  # fmt: skip
TAKING_BACK = RETRACTING | {"forget", "cancel", "scratch", "ignore"}
_RETRACTING = TAKING_BACK | {"meant", "mean"}
_JOINING = CONDITIONS | {
    "and", "but", "so", "or", "then", "because", "since", "as", "which", "who", "where", "though",
    "although", "whereas", "for",
}  # fmt: skip
_MAY_LIMIT = LIMITING | CONDITIONS | _RETRACTING | {
    "actually", "case", "counting", "even", "exchange", "failing", "followed", "leave",
    "leaving", "permitting", "sorry", "subject", "whereupon", "yet", "first", "last", "order",
}  # fmt: skip
"""With these words a clause may forbid, limit or take back, or say when something holds."""
REFERRING = frozenset({
    "it", "them", "they", "that", "this", "those", "these", "one", "ones", "there", "other",
    "others", "rest", "both", "same", "its", "another", "he", "she", "him", "her", "his",
})  # fmt: skip
"""Words that stand for what was named before them."""
_RESUMING = frozenset({"otherwise", "else", "instead", "only"})
"""At the beginning they speak of the clause before."""
_OF_BEFORE = frozenset({"alternatively", m.AS_SECOND_THOUGHT, m.AS_CORRECTION})
"""Openings that speak of the sentence before."""
TAILS = frozenset({
    "to", "over", "into", "onto", "on", "at", "by", "near", "next", "from", "inside", "back",
    "across", "towards", "toward",
})  # fmt: skip
"""With these a clause may go on that was broken off."""
_NAMING = frozenset({"the", "a", "an", "my", "our", "your", "his", "her", "their", "some", "every"})


class Bearing(IntEnum):
    """What a unit that is not understood could do to the task."""

    NONE = 0
    POSSIBLE = 1
    LIMITING = 2


@dataclass(frozen=True)
class Segment:
    """Units that are understood together, as a sentence of their own."""

    span: Span
    body: m.Sentence

    @property
    def governs(self) -> bool:
        """Whether what it says could have been meant of what follows, too."""
        return not isinstance(self.body.body, m.Chain) or any(
            link.modifier is not None or isinstance(link.item, m.LedItem)
            for link in self.body.body.rest
        )


@dataclass(frozen=True)
class Cut:
    """What of a sentence is understood, and what is left out, in their order."""

    kept: tuple[Segment, ...]
    left: tuple[Span, ...]


def cut(words: Sequence[str], chart: Chart) -> Cut:
    """The segments that leave out the fewest words, and of those the fewest segments; the whole
    is none of them.

    Raises:
        TooMuchError: there are too many derivations to look at.
    """
    starts = [i for i in range(len(words)) if _may_begin(words, i)]
    ends = {len(words), *starts, *(i for i, w in enumerate(words) if w in MARKS)}
    best: dict[int, tuple[int, int, int, tuple[Segment, ...]]] = {len(words): (0, 0, 0, ())}
    for start, after in reversed(list(pairwise((*starts, len(words))))):
        lost, count, cost, kept = best[after]
        best[start] = (lost + _said(words, start, after), count, cost, kept)
        for segment, dear in _segments(words, chart, start, ends):
            lost, count, cost, kept = best[_next(words, segment.span[1])]
            option = (lost, count + 1, cost + dear, (segment, *kept))
            if option[:3] < best[start][:3]:
                best[start] = option
    kept = best[starts[0]][3] if starts else ()
    return Cut(kept, _between(words, kept))


def in_order(kept: Sequence[Segment]) -> bool:
    """Whether what is understood are several steps, of which each may come after the last."""
    chained = (isinstance(s.body.body, m.Chain) and not s.body.body.rest for s in kept)
    return len(kept) > 1 or not all(chained)


def replaces(words: Sequence[str]) -> bool:
    """Whether what some words begin stands in the place of what was said before."""
    return words[0] in REPLACING


def unit_starts(words: Sequence[str]) -> list[int]:
    """Where the units of a sentence begin."""
    return [i for i in range(len(words)) if _may_begin(words, i)]


def stands_alone(words: Sequence[str], chart: Chart, start: int, end: int) -> bool:
    """Whether the grammar reads some words of a sentence as one of their own."""
    return any(
        segment.span == (start, end) for segment, _ in _segments(words, chart, start, {end})
    ) or ((start, end) == (0, len(words)) and bool(chart.readings("sentence")))


def _may_begin(words: Sequence[str], at: int) -> bool:
    if words[at] in MARKS:
        return False
    if (words[at - 1], words[at]) == ("nothing", "but"):
        return False  # "do nothing but close the drawer" is that alone
    return at == 0 or words[at - 1] in MARKS or words[at] in _JOINING


def _next(words: Sequence[str], at: int) -> int:
    while at < len(words) and words[at] in MARKS:
        at += 1
    return at


def _said(words: Sequence[str], start: int, end: int) -> int:
    return sum(w not in MARKS for w in words[start:end])


def _segments(
    words: Sequence[str], chart: Chart, start: int, ends: set[int]
) -> Iterator[tuple[Segment, int]]:
    """What is understood from a place on: no questions, nothing that lacks its verb, no condition
    in the middle of a clause, and no alternative to what stands before."""
    if start and words[start - 1] not in MARKS and words[start] in CONDITIONS:
        return
    if start and words[start] in TAILS:
        return
    for (end, meant), cost in chart.ends("sentence", start).items():
        said = meant and meant.meaning
        if not isinstance(said, m.Sentence) or said.body is None or _lacks_verb(said.body):
            continue
        if start and words[start - 1] not in MARKS and is_bare(said):
            continue  # "place all | but the red block in the bowl"
        alone = not (start and said.opening in _OF_BEFORE)
        if start and words[start] == "the" and words[start + 1] in ("one", "ones"):
            alone &= not goes_on(said)  # "the red mug, | the one on the tray": it says which
        if alone and end in ends and (start, end) != (0, len(words)):
            yield Segment((start, end), said), cost


def _lacks_verb(body: m.Chain | m.Conditional | m.Led | m.Unordered) -> bool:
    said = (body.first, *(x.item for x in body.rest)) if isinstance(body, m.Chain) else ()
    first = next((item for item in said if not isinstance(item, m.Remark)), None)
    return isinstance(first, m.NotThose) or (
        isinstance(first, m.Act) and isinstance(first.what, m.Shared)
    )


def is_bare(said: object) -> bool:
    """Whether a sentence lacks its verb: "the bowl on the tray" may be the end of a list."""
    body = said.body if isinstance(said, m.Sentence) else None
    first = body.first if isinstance(body, m.Chain) else None
    return isinstance(first, m.Goal) and bool(first.bare)


def goes_on(said: object) -> bool:
    """Whether a sentence lacks what the one before may have said: its verb, or that and a place."""
    body = said.body if isinstance(said, m.Sentence) else None
    return is_bare(said) or (isinstance(body, m.Chain) and _lacks_verb(body))


def _between(words: Sequence[str], kept: Sequence[Segment]) -> tuple[Span, ...]:
    """What is between the segments, from mark to mark."""
    edges = [0, *(e for s in kept for e in s.span), len(words)]
    found = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        marks = [start - 1, *(i for i in range(start, end) if words[i] in MARKS), end]
        found += [(a + 1, b) for a, b in pairwise(marks) if a + 1 < b]
    return tuple(found)


def refers_back(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether words speak of what was named before them."""
    for word in words:
        if word in REFERRING:
            return True
        if lexicon.names(word):
            return False
    return bool(words) and words[0] in _RESUMING


def names_something(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether later words could refer to something in these."""
    return any(w in _NAMING or w in REFERRING or lexicon.names(w) for w in words)


def changes_others(words: Sequence[str]) -> bool:
    """Whether a unit says of what stands beside it when it holds, puts something in its place, or
    takes it back."""
    said = _begun(words)
    if _spares(words) or _of_before(said):
        return True
    if said[1:2] in (["time"], ["moment"]):
        return True  # "each time that", "the moment"
    if _DENYING_ALONE.issuperset(said) and not _NEGATIONS.isdisjoint(said):
        return True  # "and don't, whatever happens, go near it"
    minds = [i for i, w in enumerate(said) if w == "mind" and said[i + 1 : i + 2] in _MINDED]
    back = _RETRACTING - {"mind"} if minds else _RETRACTING  # "mind the cat" takes nothing back
    turns = bool(said) and (said[0] in REPLACING or _is_condition(said))
    return turns or not back.isdisjoint(said)


_WITH = frozenset({"the", "it", "its", "both", "all", "my", "our", "that", "this", "them"})


def _is_condition(said: Sequence[str]) -> bool:
    """Whether words say when what is beside them holds: "in case it is", "with the door open"."""
    case = said[:2] == ["in", "case"] or (said[0] == "with" and not _WITH.isdisjoint(said[1:2]))
    return case or said[0] in CONDITIONS


def _spares(words: Sequence[str]) -> bool:
    """ "but not the red one"."""
    return words[0] in ("but", "though", "although") and _begun(words)[:1] == ["not"]


def _begun(words: Sequence[str]) -> list[str]:
    """Words without marks, what joins them to others, and what gives time to think before them."""
    said = [w for w in words if w not in _LEADING_ON and w != ","]
    start = next((i for i, w in enumerate(said) if w not in _HESITATING), 0)
    return said[start:]


def _of_before(said: Sequence[str]) -> bool:
    """Whether words leave something out of what stands before them, or take its place: "with the
    one exception that ...", "into the bowl rather"."""
    if not said:
        return False
    excepts = said[0] == "with" and not EXCEPTING.isdisjoint(said)
    other = said[0] == "other" and said[1:2] == ["than"]
    return said[0] in _OF_BEFORE_IT or said[-1] in ("rather", "instead") or excepts or other


_OF_SENTENCE_BEFORE = EXCEPTING | {
    "only", "provided", "not", "even", "unless", "until", "without", "instead",
}  # fmt: skip


def of_sentence_before(words: Sequence[str]) -> bool:
    """Whether a sentence says of the one before when that holds, or takes its place: "unless it
    wobbles", "though not the red one", "into the bowl instead"."""
    said = _begun(words)
    return bool(said) and (said[0] in _OF_SENTENCE_BEFORE or said[-1] in ("rather", "instead"))


def orders_others(words: Sequence[str]) -> bool:
    """Whether words may say in which order is done what other words ask for: "the laptop first",
    "in whichever sequence suits you"; "in that order" is the one that they are said in."""
    said = _begun(words)[1:]
    orders = [pair for pair in pairwise(["", *said]) if pair[1] in _ORDERS]
    last = next((w for w in reversed(said) if w not in _HESITATING), "")
    return last in _PLACED or any(pair not in _AS_SAID for pair in orders)


MOST_SET_APART = 6
"""Units that are asked about as one."""


def can_be_set_apart(words: Sequence[str], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether units of a sentence say, with all that they change, what can be asked about by
    itself: a condition with what it governs, a clause with its exception, what is corrected with
    what stands for it."""
    inner = words[start:end]
    starts = [*unit_starts(inner), len(inner)]
    cut_up = ([w for w in inner[a:b] if w not in MARKS] for a, b in pairwise(starts))
    units = [u for u in cut_up if not (_LEADING_ON | _HESITATING).issuperset(u)]
    changing = [changes_others(u) for u in units]
    if any(not TAKING_BACK.isdisjoint(u) for u in units):
        return False  # of how much before it, is not clear
    if not 1 <= len(units) <= MOST_SET_APART or not any(changing):
        return False
    after = _next(words, end)
    open_ended = after > end and after < len(words) and words[after] not in _LEADING_ON
    begun = [_begun(u) for u in units]
    if changing[0]:
        if open_ended:
            return False  # it may still be governed: "if A, which is so, B"
        if start and _of_before(begun[0]):
            return False
        led = words[start] in _LEADING_ON - {"because"}
        begins = start == 0 or led or words[start - 1] in {":", *_LEADING_ON} - {"because"}
        governs = not changing[-1] and any(u[0] not in ("and", "or") for u in units[1:])
        governs |= not units[1:] and _holds_task(units[0], lexicon)
        return begins and _is_condition(begun[0]) and governs
    if not changing[-1]:
        return True
    if units[-1][0] in REPLACING and start and words[start] not in _LEADING_ON:
        return False  # "the red one, | the one on the tray, or the plate": or any of them
    resumes = len(begun[-1]) == 1 or begun[-1][0] in _RESUMING
    if _spares(units[-1]) or (_of_before(begun[-1]) and not resumes):
        return True  # it says nothing of what comes after it
    return begun[-1][0] in CONDITIONS | REPLACING and not open_ended


_LEADING_ON = frozenset({"and", "but", "so", "then", "because"})


_NEGATIONS = frozenset({"not", "never", "no", "nor", "neither", "avoid"})
_DENYING_ALONE = _NEGATIONS | {
    "do", "please", "you", "must", "should", "can", "may", "ever", "also", "just", "whatever",
    "really", "under", "any", "circumstances", "on", "account", "robot", "remember", "to",
}  # fmt: skip
"""Of these alone a clause is denied that goes on behind what is thrown in."""
_MINDED = (["the"], ["my"], ["your"], ["that"], ["our"])


_PARTITIVE = frozenset({"of", "among", "amongst"})
"""They begin of which things something is said: "of the blocks, only the red one ..." forbids less
than "only the red one ..."."""


def bearing(words: Sequence[str], lexicon: Lexicon) -> Bearing:
    """What words that are not understood could do to the task."""
    if not _PARTITIVE.isdisjoint(_begun(words)[:1]):
        return Bearing.LIMITING
    if lexicon.asks_nothing(words):
        return Bearing.NONE
    limits = may_limit(words) or _holds_task(words, lexicon)
    return Bearing.LIMITING if limits else Bearing.POSSIBLE


def _holds_task(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether words hold an order of their own, under what was not understood: "in which case |
    touch the bowl"."""
    verbs = {v.split()[0] for v in lexicon.verbs}
    orders = [i for i in range(1, len(words)) if words[i] in verbs]
    return any(lexicon.names(w) for i in orders for w in words[i + 1 :])


def holds_order(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether one of the units of some words orders something with a thing that is known, and
    forbids nothing: "when it is gone, | go to the sofa"."""
    starts = [*unit_starts(words), len(words)]
    units = ([w for w in words[a:b] if w not in MARKS] for a, b in pairwise(starts))
    return any(
        FORBIDDING.isdisjoint(unit)
        and (_holds_task(["", *unit], lexicon) or _handles(unit, lexicon))
        for unit in units
        if unit
    )


def _handles(words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether words order something with what was named before them: "shut it again"."""
    verbs = {v.split()[0] for v in lexicon.verbs}
    return any(verb in verbs and thing in ("it", "them") for verb, thing in pairwise(words))


def may_limit(words: Sequence[str]) -> bool:
    """Whether words may forbid, limit or take back something; so may what was said of another."""
    excepts = "but" in words[1:] or ("other", "than") in pairwise(words)
    return turn(words) or is_ellipsis(words) or excepts or not _MAY_LIMIT.isdisjoint(words)


def may_turn(words: Sequence[str]) -> bool:
    """Whether words may limit something, or one of them may make a condition or an alternative."""
    return may_limit(words) or not (CONDITIONS | REPLACING).isdisjoint(words)
