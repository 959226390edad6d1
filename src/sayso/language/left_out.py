"""What words that are left out could do to the rest, and what they name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sayso.core.errors import Span
from sayso.core.ports import ParsedWord
from sayso.language.controlled_english import asks_nothing
from sayso.language.frames import REASONS, Agent, clauses
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import LASTING, LIMITING
from sayso.language.loosening import LEADS
from sayso.language.main_clauses import Group, Trees, groups
from sayso.language.nouns import SIZE_WORDS
from sayso.language.tellings import (
    PEOPLE,
    describes,
    is_heading,
    is_interjection,
    only_tells,
    tells_of_others,
    tells_of_people,
)
from sayso.language.tokens import STOPS, Token
from sayso.language.units import MARKS, Bearing, bearing, changes_others, may_limit, may_turn
from sayso.logic.formula import COLORS

_FORBIDDING = (LIMITING - LASTING - {"not", "cannot"}) | {
    "arm", "gripper", "may", "might", "robot", "sorry", "wait", "you",
}  # fmt: skip
"""With these, words about other things may limit what is asked for, too."""
_SAYING = frozenset({"say", "think", "reckon", "believe", "claim", "know", "feel", "guess"})
"""Verbs of what somebody says or thinks, whatever they say."""
OF_ANY = frozenset({"as", "wherever", "whatever", "whichever", "however", "whoever"})
"""What these begin may say when, or of what else, something is asked for."""
_MENTIONING = frozenset({"it", "them", "those", "these", "ones", "one", "there", "others", "both"})
"""With these, words may be about things of the task."""
OWNED = frozenset({"the", "my", "our", "that", "this"})
"""Before a noun: of a certain thing."""
_JOINING = frozenset({"so", "because", "since", "but", "and"})
"""With these a clause of its own may begin without a mark before it."""


@dataclass(frozen=True)
class LeftOut:
    """Judges words of a text that stand in no wording.

    Attributes:
        granted: what was said to ask for nothing.
    """

    text: str
    lexicon: Lexicon
    trees: Trees
    granted: Collection[str] = ()

    def words(self, span: Span) -> str:
        """The words as they were typed."""
        return self.text[span.start : span.end].strip()

    def bearing(self, run: Sequence[Token], *, beside: bool = False) -> Bearing:
        """What the words could do; beside a clause that is kept they limit it, unless they are a
        reason."""
        words = [t.text for t in run]
        kind = bearing(words, self.lexicon)
        reason = words[0] in REASONS and not may_limit(words)
        span = Span(run[0].start, run[-1].end)
        leads = self.text[span.end :].lstrip().startswith(":")  # how, or whether, it is meant
        if changes_others(words) or leads or (beside and not reason):
            kind = Bearing.LIMITING
        before = self.text[: span.start].rstrip()
        relative = words[0] in ("which", "who") and before.endswith(",")
        if relative and not leads and describes(self.trees.of(words)[0], self.lexicon):
            told, kind = True, Bearing.NONE
        elif words[0] in OF_ANY or (words[0] in REASONS and may_turn(words)):
            told, kind = False, Bearing.LIMITING  # it may say when, or of what else
        else:
            told = self._is_thrown_in(run) or self._tells_alone(run)
            if kind is Bearing.LIMITING and not (told or leads) and self._is_elsewhere(run):
                kind = Bearing.POSSIBLE
        nothing = told or asks_nothing(self.words(span)) in self.granted
        return Bearing.NONE if nothing else kind

    def _is_thrown_in(self, run: Sequence[Token]) -> bool:
        """Whether words are no more than "hmm", or the heading of what follows: "Delivery run:"."""
        words = [t.text for t in run]
        before, after = self.text[: run[0].start].rstrip(), self.text[run[-1].end :].lstrip()
        alone = all(c in ".,;:!?()" for c in before[-1:] + after[:1])
        opens = not before or before[-1] in STOPS
        if alone and (is_interjection(words, opens=opens) or LEADS.issuperset(words)):
            return True
        announced = after[:1] == ":" or words[-1] in ("this", "follows")
        return opens and announced and is_heading(words)

    def _is_elsewhere(self, run: Sequence[Token]) -> bool:
        """Whether a clause of its own says something of other things than the task's, and neither
        forbids nor limits: "mom says the place has to look decent"."""
        words = [t.text for t in run]
        if any(map(self.lexicon.says_something, words)) or changes_others(words):
            return False
        if not _FORBIDDING.isdisjoint(words) or not _MENTIONING.isdisjoint(words):
            return False
        tree, begin = self.trees.of(words)
        found = clauses(tree)
        mains = [c for c in found if c.relation == "ROOT"]
        return (
            not begin
            and bool(mains)
            and all(
                c.agent is Agent.SPEAKER
                or tree[c.head].lemma in _SAYING
                or any(tree[i].text.lower() in PEOPLE for i in c.subject)
                for c in mains
            )
        )

    def only_tells(self, tree: Sequence[ParsedWord], mains: Sequence[Group]) -> bool:
        heads = [g.ask.clause for g in mains]
        others = tells_of_people(tree, self.lexicon) or tells_of_others(tree, self.lexicon)
        return others or only_tells(tree, heads, self.lexicon)

    def _tells_alone(self, run: Sequence[Token]) -> bool:
        """Whether words between marks are a clause of their own that only tells something."""
        before, after = self.text[: run[0].start].rstrip(), self.text[run[-1].end :].lstrip()
        words = [t.text for t in run]
        opens = not before or before[-1] in (*STOPS, *MARKS) or words[0] in _JOINING
        closes = not after or after[0] in (*STOPS, *MARKS)
        if not (opens and closes) or changes_others(words):
            return False
        tree, begin = self.trees.of(words)
        return not begin and self.only_tells(tree, groups(tree))

    def named(self, words: Sequence[str]) -> str:
        """The only thing of the task that words name, or tell something of; "" for none."""
        return self._only_thing(words) or self._subject(words)

    def _subject(self, words: Sequence[str]) -> str:
        """The thing of the task that some words tell something of; "" for none."""
        tree, begin = self.trees.of(words)
        mains = [c for c in clauses(tree) if c.relation == "ROOT" and c.subject]
        if begin or len(mains) != 1 or tree[mains[0].subject[0]].text.lower() not in OWNED:
            return ""
        start, *rest = mains[0].subject
        end = next((i for i in rest if tree[i].tag == "NN"), start)
        named = [tree[i].text.lower() for i in range(start + 1, end + 1)]
        plain = all(w in COLORS or w in SIZE_WORDS for w in named[:-1])
        known = bool(named) and plain and self.lexicon.names(named[-1])
        return " ".join(("the", *named)) if known else ""

    def _only_thing(self, words: Sequence[str]) -> str:
        """The only thing that some words name, in full; "" for none or several."""
        named = [
            i
            for i, w in enumerate(words)
            if self.lexicon.names(w) or (w == "one" and i and words[i - 1] in COLORS)
        ]
        if len(named) != 1:
            return ""
        start = named[0]
        while start and (words[start - 1] in COLORS or words[start - 1] in SIZE_WORDS):
            start -= 1
        return " ".join(("the", *words[start : named[0] + 1]))
