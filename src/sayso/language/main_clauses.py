"""The main clauses of a sentence of free English, each with all that limits it, and what may be
said for one in controlled English."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sayso.core.ports import DependencyParser, ParsedWord
from sayso.language.controls import PARTICIPLE, Ask, asks, verb_classes
from sayso.language.frames import REASON, RELATIVE, UNKNOWN, clauses
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import DENYING
from sayso.language.units import REFERRING
from sayso.language.wording import Worder, Wording

_WHOLE_CHAIN = frozenset({"if", "unless", "only if", "when", "whenever"})
"""What these begin may be meant of all clauses that are joined to the one beside it."""
_MOST_WORDINGS = 8


@dataclass(frozen=True)
class Trees:
    """The dependency trees of words."""

    lexicon: Lexicon
    parser: DependencyParser
    known: dict[tuple[str, ...], tuple[Sequence[ParsedWord], int]] = field(default_factory=dict)

    def of(self, words: Sequence[str]) -> tuple[Sequence[ParsedWord], int]:
        """The tree, and how many words were put before them: an order without its subject may
        be taken for a noun ("stack blue on green")."""
        key = tuple(words)
        if key not in self.known:
            spoken = ["I" if w == "i" else w for w in words]
            verbs = {v.split()[0] for v in self.lexicon.verbs} | verb_classes().verbs
            lead = ["You", "should"] if words[0] in verbs else []
            if not lead:
                spoken[0] = spoken[0].capitalize()
            self.known[key] = self.parser.parse([*lead, *spoken, "."]), len(lead)
        return self.known[key]


@dataclass
class Group:
    """A main clause with what is subordinate to it, and those that are joined to it."""

    ask: Ask
    subordinate: list[Ask] = field(default_factory=list)
    joined: list[Ask] = field(default_factory=list)

    @property
    def words(self) -> frozenset[int]:
        """The places of all its words."""
        parts = (self.ask, *self.subordinate, *self.joined)
        return frozenset(i for a in parts for i in (*a.clause.words, *a.said))


def groups(tree: Sequence[ParsedWord]) -> list[Group]:
    """The main clauses of a sentence in order, each with what limits it."""
    made = _with_relatives(asks(tree, clauses(tree)))
    mains = [Group(a) for a in made if _is_main(a)]
    by_head = {a.clause.head: a for a in made}
    for ask in made:
        if not _is_main(ask) and ask.link != REASON and mains:
            _governing(ask, mains, by_head).subordinate.append(ask)
    return _chained(mains)


def _is_main(ask: Ask) -> bool:
    return not ask.link and ask.relation not in RELATIVE | {PARTICIPLE}


def _with_relatives(made: Sequence[Ask]) -> list[Ask]:
    """Relative clauses belong to the words of the clause that their noun stands in."""
    kept = []
    for ask in made:
        if ask.clause.relation in RELATIVE:
            continue
        more = [
            i
            for a in made
            if a.clause.relation in RELATIVE and a.clause.parent == ask.clause.head
            for i in a.clause.words
        ]
        words = tuple(sorted((*ask.clause.words, *more)))
        kept.append(replace(ask, clause=replace(ask.clause, words=words)))
    return kept


def _governing(ask: Ask, mains: Sequence[Group], by_head: dict[int, Ask]) -> Group:
    """The main clause that a subordinate one hangs from; else the next one, or the last."""
    governed = {g.ask.clause.head: g for g in mains}
    top, seen = ask.parent, {ask.clause.head}
    while top not in governed and top in by_head and top not in seen:
        seen.add(top)
        top = by_head[top].parent
    if top in governed:
        return governed[top]
    return next((g for g in mains if g.ask.clause.head > ask.clause.head), mains[-1])


def _chained(mains: Sequence[Group]) -> list[Group]:
    """The groups, joined where a condition may be meant of several."""
    found: list[Group] = []
    for group in mains:
        last = found[-1] if found else None
        conditional = last is not None and any(s.link in _WHOLE_CHAIN for s in last.subordinate)
        if last and conditional and group.ask.clause.relation == "conj":
            last.joined.append(group.ask)
            last.subordinate += group.subordinate
        else:
            found.append(group)
    return found


def wordings(
    worder: Worder, group: Group, first: bool, parses: Callable[[str], bool]
) -> Iterator[Wording]:
    """What may be said for a group: its main clauses, then each subordinate clause.

    Args:
        first: whether nothing was said before.
        parses: whether controlled English reads a wording.
    """
    found = _mains(worder, group.ask, first, parses)
    for more in group.joined:
        others = _mains(worder, more, False, parses)[:3]
        found = [
            m.joined(f"{m.text}{between}{o.text}", o)
            for m in found
            for o in others
            for between in (" and ", ", then ")
        ]
    for below in group.subordinate:
        if below.link == UNKNOWN:
            return
        limits = list(islice(worder.subordinate(below.clause), _MOST_WORDINGS))
        found = [
            w
            for m in found[:4]
            for limit in limits
            for w in _limited(m, limit, below, group.ask)
            if parses(w.text)
        ]
    yield from found


def _mains(worder: Worder, ask: Ask, first: bool, parses: Callable[[str], bool]) -> list[Wording]:
    found = islice(worder.main(ask, first), _MOST_WORDINGS)
    return [w for w in found if w.text and parses(w.text)]


def _limited(main: Wording, limit: Wording, sub: Ask, ask: Ask) -> Iterable[Wording]:
    """A main clause with a subordinate one, in the order said first."""
    link = sub.link
    ahead = main.joined(f"{link} {limit.text}, {main.text}", limit)
    behind = main.joined(f"{main.text} {link} {limit.text}", limit)
    if link == "without" or "only" in main.text.split():
        return (behind,) if link == "without" or sub.clause.head > ask.clause.head else (ahead,)
    said, turned = (ahead, behind) if sub.clause.head < ask.clause.head else (behind, ahead)
    words = main.text.split()
    if not REFERRING.isdisjoint((*limit.text.split(), *words)) or not DENYING.isdisjoint(words):
        # The other way round "it" may be another thing, and "if" before what is forbidden is judged
        # at the beginning, behind it all the time.
        return (said,)
    return said, turned
