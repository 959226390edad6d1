"""Clauses of a dependency tree: what belongs to one verb, who does it, what it hangs from.

Trees of imperatives are often wrong in which clause governs which, seldom in what belongs to one
verb. So clauses keep the order in which they are said, and of the tree above them only what
subordinates them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sayso.core.ports import ParsedWord

_WITHIN = frozenset({"aux", "auxpass", "amod", "compound", "nmod", "prt", "case", "mark", "pobj"})
"""Relations of verbs that make no clause of their own."""
_NEGATIONS = frozenset({"not", "never"})
RELATIVE = frozenset({"relcl", "acl"})
REASON = "because"
"""Links what asks for nothing: why, what for, in spite of what."""
UNKNOWN = "?"
"""Links what is not understood: no clause is worded without it."""
_LINKS: Mapping[str, str] = {
    "as soon as": "once", "the moment": "once", "the minute": "once", "as long as": "while",
    "so long as": "while", "only if": "only if", "in case": "if", "provided that": "if",
    "provided": "if", "assuming": "if", "every time": "whenever", "each time": "whenever",
    "so that": REASON, "because": REASON, "since": REASON, "as": UNKNOWN, "in order to": REASON,
    "though": REASON, "although": REASON, "before": "before", "after": "after", "until": "until",
    "till": "until", "once": "once", "when": "when", "whenever": "whenever", "if": "if",
    "unless": "unless", "while": "while", "without": "without", "should": "if",
    "for": REASON, "despite": REASON, "upon": "after", "on": "after",
}  # fmt: skip
"""How a subordinate clause may begin, and what controlled English says for it."""
REASONS = frozenset(link for link, said in _LINKS.items() if said == REASON)
_LONGEST_LINK = max(len(link.split()) for link in _LINKS)
_LINKED = frozenset({"advcl", "ccomp", "ROOT", "conj", "dep", "pcomp"})
_ROBOTS = frozenset({"you", "robot", "yourself"})
_SPEAKERS = frozenset({"i", "we", "us", "me"})


PERSONS = _ROBOTS | _SPEAKERS | {"it", "there"}
"""Subjects that are no more than one word."""


class Agent(Enum):
    """Who does what a clause says."""

    ROBOT = "robot"
    SPEAKER = "speaker"
    OTHER = "other"
    NOBODY = "nobody"


@dataclass(frozen=True)
class Clause:
    """A verb with what belongs to it; numbers are places of words in the sentence.

    Attributes:
        head: the verb, or the noun of a clause without one.
        words: all of the clause's own, in order.
        relation: to the clause that it hangs from, as in the tree.
        parent: the head of that clause; its own for none.
        link: the word of controlled English that subordinates it; "" for none.
        link_words: where that is said.
        negations: what denies the verb.
        subject: who or what does it.
    """

    head: int
    words: tuple[int, ...]
    relation: str
    parent: int
    link: str
    link_words: tuple[int, ...]
    negations: tuple[int, ...]
    subject: tuple[int, ...]
    agent: Agent


def clauses(tree: Sequence[ParsedWord]) -> tuple[Clause, ...]:
    """The clauses of a sentence, in the order of their first words."""
    heads = {i for i in range(len(tree)) if _is_head(tree[i])}
    owner = [_owner(tree, heads, i) for i in range(len(tree))]
    found = [_clause(tree, owner, head) for head in sorted(heads)]
    return tuple(sorted(found, key=lambda c: c.words[0]))


def children(tree: Sequence[ParsedWord], head: int) -> list[int]:
    """What depends on a word, in order."""
    return [i for i, w in enumerate(tree) if w.head == head and i != head]


def under(tree: Sequence[ParsedWord], top: int) -> list[int]:
    """The places of a word and of all words below it, in order."""
    found, grown = {top}, True
    while grown:
        more = {i for i, w in enumerate(tree) if w.head in found}
        grown = not more <= found
        found |= more
    return sorted(found)


def below(tree: Sequence[ParsedWord], top: int, within: Sequence[int]) -> tuple[int, ...]:
    """A word and all below it, as far as they are among some words."""
    found = {top}
    more = True
    while more:
        grown = found | {i for i in within if tree[i].head in found}
        more, found = grown != found, grown
    return tuple(sorted(found))


def _is_head(word: ParsedWord) -> bool:
    if word.relation == "ROOT":
        return True
    verbal = word.tag.startswith("VB") or (word.tag == "MD" and word.relation in ("conj", "dep"))
    return verbal and word.relation not in _WITHIN


def _owner(tree: Sequence[ParsedWord], heads: set[int], at: int) -> int:
    while at not in heads:
        at = tree[at].head
    return at


def _clause(tree: Sequence[ParsedWord], owner: Sequence[int], head: int) -> Clause:
    words = tuple(i for i, o in enumerate(owner) if o == head)
    direct = [i for i in children(tree, head) if i in words]
    subjects = [i for i in direct if tree[i].relation in ("nsubj", "nsubjpass", "expl")]
    link, said = _link(tree, words, head)
    return Clause(
        head=head,
        words=words,
        relation="relcl" if any(tree[i].text == "where" for i in direct) else tree[head].relation,
        parent=owner[tree[head].head],
        link=link,
        link_words=said,
        negations=tuple(i for i in direct if tree[i].text.lower() in _NEGATIONS),
        subject=below(tree, subjects[0], words) if subjects else (),
        agent=_agent(tree[subjects[0]].text.lower()) if subjects else Agent.NOBODY,
    )


def _agent(said: str) -> Agent:
    if said in _ROBOTS:
        return Agent.ROBOT
    return Agent.SPEAKER if said in _SPEAKERS else Agent.OTHER


def _link(
    tree: Sequence[ParsedWord], words: Sequence[int], head: int
) -> tuple[str, tuple[int, ...]]:
    """What subordinates a clause: a word before its verb, or the preposition of a gerund."""
    if tree[head].relation not in _LINKED:
        return "", ()
    if tree[head].relation == "pcomp":
        mark = tree[head].head
        return _LINKS.get(tree[mark].text.lower(), UNKNOWN), (mark,)
    begins = [i for i in words if i < head and tree[i].relation in ("mark", "advmod", "aux")]
    for at in begins:
        inverted = tree[at].relation == "aux"
        for length in range(_LONGEST_LINK, 0, -1):
            for first in range(max(0, at - length + 1), at + 1):
                said = " ".join(w.text.lower() for w in tree[first : first + length])
                if said in _LINKS and (said == "should") == inverted and first + length <= head:
                    if inverted and not _leads(tree, at):
                        continue
                    return _LINKS[said], tuple(range(first, first + length))
    return "", ()


def _leads(tree: Sequence[ParsedWord], at: int) -> bool:
    """Whether an inverted "should" begins its clause: "should the drawer be open"."""
    return at == 0 or tree[at - 1].relation == "punct"
