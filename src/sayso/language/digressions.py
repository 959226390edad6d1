"""Digressions: what only tells in a text that the grammar does not read.

It is blanked out, and the rest is read like any other text: clauses between marks, reasons, what
leads to ", so", headings, and what addresses the robot or says in which manner it is to go about
it. What comes behind may speak of what is told there: that is named in its place, or nothing is
blanked out. What is blank is told with the reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from sayso.core.ports import DependencyParser
from sayso.language.asides import NUMBERED
from sayso.language.clause_forms import PRONOUNS, ROBOT, UNIVERSAL, data
from sayso.language.controlled_english import asks_nothing
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import BOUNDING
from sayso.language.main_clauses import Trees
from sayso.language.nouns import SIZE_WORDS
from sayso.language.tokens import STOPS, Token, tokenize
from sayso.language.told_clauses import ORDINALS, TURNS, Judge, Role
from sayso.language.units import REFERRING, TAILS
from sayso.logic.formula import COLORS
from sayso.logic.specification import Specification

_MARKS = frozenset({",", ":", "(", ")", *STOPS})
_BEFORE = frozenset({"and", "but", "so", "then", "well", "though", "although", "plus", "besides"})
"""May stand before a clause of its own."""
_RELATIVES = frozenset({"which", "who", "where", "whom", "whose"})
_RESUMING = frozenset(
    {"otherwise", "else", "instead", "if", "unless", "either", "likewise", "same"}
)
"""What begins with these speaks of the clause before it."""
_RESUMED_BY = (
    ["in", "that"], ["if", "so"], ["if", "not"], ["in", "which"], ["that", "means"],
    ["which", "means"],
)  # fmt: skip
_CONDITIONS = BOUNDING | {"should", "as", "whether", "provided", "assuming"}
_JOINING = frozenset({"because", "since", "otherwise", "so", "and", "but"})
_REASON_LINKS = (
    ["given", "that"], ["seeing", "that"], ["seeing", "as"], ["considering", "that"],
)  # fmt: skip
_FEARS = (["in", "case"], ["now", "that"])
"""After these, what says nothing of the task is told as a reason."""
_WOULD_BE = (["will"], ["would"], ["might"])
_POINTING = frozenset({"both", "that", "this", "those", "these"})
_MOST_CALLED = 5
_SHORTEST_GERUND = 5


@dataclass(frozen=True)
class Plain:
    """A text in which digressions are blank: everything else keeps its place.

    Attributes:
        told: the words that are blank now.
    """

    text: str
    told: tuple[str, ...]

    def told_with(self, read: Specification, text: str) -> Specification:
        """A reading of it as one of the text that it was made of, with what is blank told."""
        aside = dict.fromkeys((*map(asks_nothing, self.told), *map(_close, read.assumptions)))
        return replace(read, instruction=text, assumptions=tuple(aside))


def _supposes(said: Sequence[str]) -> bool:
    """ "and it usually is", "it probably isn't, because of the dog": what is thought of a state
    that was spoken of, whichever it is."""
    rest = [w for w in said if w != "not"]
    if len(rest) < 3 or rest[0] not in ("it", "they") or not {rest[1], rest[2]} & data()["likely"]:
        return False
    ends = rest[3:4] in ([], ["because"])
    return ends and not {rest[1], rest[2]}.isdisjoint({"is", "are", "was", "were"})


def _close(words: str) -> str:
    """Words without the blanks between them."""
    return " ".join(words.split())


def without_digressions(text: str, lexicon: Lexicon, parser: DependencyParser) -> Plain | None:
    """A text without what asks for nothing in it; None where nothing is found.

    Raises:
        SaySoError: what the parser and `tokenize` raise.
    """
    found = _Finder(text, tokenize(text), Judge(lexicon, Trees(lexicon, parser))).found()
    if not found:
        return None
    plain = text
    for part in found:
        plain = plain[: part.start] + part.instead.ljust(part.end - part.start) + plain[part.end :]
    return Plain(_without_marks(plain), tuple(p.words for p in found))


_LEFT_ALONE = (
    re.compile(r"(?:^|(?<=[.;!?:]))(?P<blank>\s*)(?P<mark>[,;:])"),
    re.compile(r"(?P<mark>[,;:])(?P<blank>\s*)(?=[.;!?]|$)"),
)
"""Marks that have nothing before them, or nothing behind them."""


def _without_marks(text: str) -> str:
    """A text without marks between which nothing is left."""
    for pattern in _LEFT_ALONE:
        while (found := pattern.search(text)) is not None:
            text = text[: found.start("mark")] + " " + text[found.end("mark") :]
    return text


@dataclass(frozen=True)
class _Part:
    """A stretch of text that asks for nothing, and what stands there instead."""

    start: int
    end: int
    words: str
    instead: str = ""


@dataclass(frozen=True)
class _Finder:
    """Finds the digressions of a text between its marks."""

    text: str
    tokens: Sequence[Token]
    judge: Judge

    @cached_property
    def _words(self) -> list[str]:
        return [t.text for t in self.tokens]

    def found(self) -> list[_Part]:
        """The parts to be blanked out, in order."""
        told: list[tuple[int, int, int]] = []
        conditional = opens = False
        for start, end in self._segments():
            begins = self._opens(start)
            opens, conditional = opens or begins, conditional and not begins
            stretch = self._stretch(start, end, opens=opens, conditional=conditional)
            if stretch is not None:
                told.append(stretch)
                continue
            opens = False
            said = [w for w in self._words[start:end] if w not in _BEFORE]
            begins = bool(said) and said[0] in _CONDITIONS
            conditional = begins or (conditional and not self._orders(said))
        kept = set(range(len(self._words))) - {i for a, b, _ in told for i in range(a, b)}
        return list(filter(None, (self._blank(*stretch, kept) for stretch in told)))

    def _opens(self, start: int) -> bool:
        return start == 0 or self._words[start - 1] in STOPS

    def _orders(self, said: Sequence[str]) -> bool:
        return bool(said) and (self.judge.is_verb(said[0]) or said[0] in ("do", "never", "please"))

    def _segments(self) -> Iterator[tuple[int, int]]:
        """The stretches between marks."""
        start = 0
        for i in range(len(self._words) + 1):
            if i == len(self._words) or self._words[i] in _MARKS:
                if i > start:
                    yield start, i
                start = i + 1

    def _stretch(
        self, start: int, end: int, *, opens: bool, conditional: bool
    ) -> tuple[int, int, int] | None:
        """What of a stretch between marks asks for nothing, and where the rest goes on: all of it,
        its beginning before "so", or its end from "because" on."""
        words = self._words
        if end < len(words) and words[end] == "?":
            return None
        premise = words[end : end + 2] == [",", "so"] and words[end + 2 : end + 3] != ["that"]
        goes_on = end + 2 if premise else end
        if self._is_opener(start, end, opens=opens):
            return start, end, end
        if self._tells(start, end, premise=premise, conditional=conditional):
            return start, end, goes_on
        for at in range(start + 3, end - 1):
            before_so = words[at] == "so" and words[at + 1] != "that"
            if before_so and self._tells(start, at, premise=True, conditional=conditional):
                manner = self._says_how(at, end)
                return (start, end, goes_on) if manner else (start, at, at + 1)
        for at in range(start + 1, end - 2):
            joined = words[at] in ("and", "but") and conditional
            if words[at] not in _JOINING or joined or words[at : at + 2] == ["so", "that"]:
                continue
            if words[at] in ("and", "but") and not self._is_clause(start, at):
                continue  # "the block | and the mug are enemies"
            if self._tells(at, end, premise=premise, conditional=conditional):
                whole = self._tells(start, at, premise=premise, conditional=conditional)
                return (start if whole else at), end, goes_on
        return None

    def _is_opener(self, start: int, end: int, *, opens: bool) -> bool:
        """Whether words only address the robot, say how it is to go about it, or are a heading."""
        words = self._words[start:end]
        if self._says_how(start, end) or " ".join(words) in data()["fillers"]:
            return True
        heads = self._words[end : end + 1] == [":"]
        plain = all(self._is_plain(w) for w in words)
        if opens and words[0] in data()["calling"] and end < len(self._words):
            return plain and len(words) <= _MOST_CALLED
        if opens and (heads or self._heads_order(end)) and self._is_heading(words):
            return True
        if words[:1] == ["as"] and heads and len(words) > 3:
            called = words[-2:] in (["calls", "it"], ["call", "it"], ["says"], ["say"])
            return called and all(self._is_plain(w) for w in words[1:-1])
        return False

    def _is_clause(self, start: int, end: int) -> bool:
        """Whether words have a verb."""
        tree, _ = self.judge.trees.of(self._words[start:end])
        return any(w.relation == "ROOT" and w.tag.startswith(("VB", "MD")) for w in tree)

    def _heads_order(self, end: int) -> bool:
        """Whether a heading goes on: ", in this order please:", ", as my son calls it:"."""
        close = next((i for i in range(end, len(self._words)) if self._words[i] == ":"), 0)
        said = self._words[end + 1 : close] if close else []
        return said[:1] == ["as"] or said[:3] in (["in", "this", "order"], ["in", "that", "order"])

    def _is_heading(self, words: Sequence[str]) -> bool:
        """Whether words are a noun of nothing that is known, with what describes it: "the stack on
        the plate", "mug patrol"."""
        bearing = TURNS | _CONDITIONS | ORDINALS | UNIVERSAL | NUMBERED | ROBOT | {"not", "never"}
        if len(words) > _MOST_CALLED or not bearing.isdisjoint(words):
            return False
        tree, _ = self.judge.trees.of(
            ["the", *words] if words[0] not in ("the", "a", "my") else words
        )
        roots = [w for w in tree if w.relation == "ROOT"]
        if len(roots) != 1 or roots[0].tag not in ("NN", "NNS", "NNP"):
            return False
        head, known = roots[0].text.lower(), self.judge.lexicon
        plain = not known.says_something(head) and head not in ("one", "ones")
        bearing = data()["restricting"] | data()["times"] | {"case"}
        told = {head, roots[0].lemma}.isdisjoint(bearing) and data()["unreal"].isdisjoint(words)
        return plain and told and not any(w.tag.startswith(("VB", "MD", "RB")) for w in tree)

    def _is_plain(self, word: str) -> bool:
        """Whether a word names nothing, orders nothing and turns nothing."""
        lexicon = self.judge.lexicon
        known = lexicon.says_something(word) or self.judge.is_verb(word)
        turns = word in TURNS | _CONDITIONS | ORDINALS | UNIVERSAL | NUMBERED | {"not", "never"}
        called = word in data()["calling"] or word in data()["called"]
        return called or not (known or turns or word.endswith("ly"))

    def _says_how(self, start: int, end: int) -> bool:
        """ "so please be quick": what no reading keeps."""
        words = [w for w in self._words[start:end] if w not in (*_BEFORE, "please", "just", "very")]
        return len(words) == 2 and words[0] == "be" and words[1] in data()["manners"]

    def _tells(self, start: int, end: int, *, premise: bool, conditional: bool) -> bool:
        """Whether words from one place to another ask for nothing where they stand."""
        words = self._words[start:end]
        role = Role.PREMISE if premise else Role.PLAIN
        at = next((i for i, w in enumerate(words) if w not in _BEFORE), len(words))
        said = words[at:]
        if not said or self._resumed(end):
            return False
        if _supposes(said):
            return True
        else_ = said[0] == "or" and said[2:3] in _WOULD_BE and said[1] in PRONOUNS
        if else_ or (said[0] == "otherwise" and not self._opens(start)):
            role, said = Role.CONTRARY, said[1:]
        elif said[:2] in _REASON_LINKS or words[:2] == ["so", "that"]:
            purpose = words[:2] == ["so", "that"]
            role, said = Role.REASON, said[2 if said[:2] in _REASON_LINKS else 1 :]
            if purpose and self._is_aim(said):
                return False
        elif said[0] in ("because", "since"):
            role, said = Role.REASON, said[1:]
        elif said[:2] in _FEARS and not self._touch(said[2:]):
            role, said = Role.REASON, said[2:]
        elif said[0] == "as" and said[1:2] != ["soon"] and not self._touch(said[1:]):
            if not self._is_stated(said[1:]) or said[1] in ROBOT:
                return False
            role, said = Role.REASON, said[1:]
        elif said[0] in _RELATIVES:
            if self._opens(start) or self._words[start - 1] not in (",", "(") or at:
                return False
            role, said = Role.RELATIVE, said[said[0] == "where" :]
        elif said[0] in _CONDITIONS or said[0] in _RESUMING:
            return False
        if not said:
            return False
        thinks = said[0] == "i" and said[1:2] and said[1] in data()["saying"]
        if conditional and role in (Role.PLAIN, Role.PREMISE) and not thinks:
            return False
        return self.judge.tells(said, role)

    def _is_aim(self, said: Sequence[str]) -> bool:
        """Whether a purpose may be what is to be reached: "so that in the end all are together"."""
        of_all = bool(said) and said[0] in UNIVERSAL and said[0] not in data()["living"]
        return of_all or "end" in said or "together" in said

    def _touch(self, said: Sequence[str]) -> bool:
        """Whether words may speak of anything of the task."""
        touched = any(self.judge.lexicon.says_something(w) for w in said)
        return not said or touched or self.judge.refers(said)

    def _is_stated(self, said: Sequence[str]) -> bool:
        """Whether a clause tells what is or has been so, not what happens meanwhile."""
        tree, _ = self.judge.trees.of(said)
        top = next((i for i, w in enumerate(tree) if w.relation == "ROOT"), 0)
        forms = {w.tag for w in (tree[top], *(w for w in tree if w.head == top)) if w is not None}
        settled = tree[top].lemma in ("be", "have") or any(
            w.head == top and w.relation in ("aux", "auxpass") for w in tree
        )
        return settled or "VBD" in forms

    def _resumed(self, end: int) -> bool:
        """Whether what comes next says what depends on these words: "..., in that case"."""
        rest = [w for w in self._words[end : end + 4] if w not in _MARKS | {"and", "but"}]
        resumes = bool(rest) and rest[0] in _RESUMING - {"if", "unless"}
        return resumes or rest[:2] in _RESUMED_BY

    def _blank(self, start: int, end: int, goes_on: int, kept: set[int]) -> _Part | None:
        """The part, if what is kept behind it does not speak of what is named in it only.

        Args:
            start: its first word.
            end: behind its last word.
            goes_on: where the rest goes on, behind "so".
            kept: the places of the words that are in no such part.
        """
        first, last = self._edges(start, end, goes_on)
        words = self.text[self.tokens[start].start : self.tokens[end - 1].end]
        named = self._named(start, end)
        said = [w for w in self._words[start:end] if w not in _BEFORE]
        if (
            _supposes(said)
            or not named
            or not self._refers(sorted(i for i in kept if i >= goes_on))
        ):
            return _Part(first, last, words)
        before = [self._words[i] for i in kept if i < start]
        topic = self._topic(start, end, named)
        if not topic or any(map(self.judge.lexicon.says_something, before)):
            return None
        instead = " ".join(("the", *self._words[topic[0] + 1 : topic[1]])) + ", "
        return _Part(first, last, words, instead) if len(instead) <= last - first else None

    def _edges(self, start: int, end: int, goes_on: int) -> tuple[int, int]:
        """Where the part begins and ends in the text, with one of the marks around it."""
        after = self._words[end] if end < len(self._words) else "."
        first, last = self.tokens[start].start, self.tokens[max(end, goes_on) - 1].end
        if self._opens(start) or self._words[start - 1] == ":":
            if goes_on == end and after in (",", ":"):
                last = self.tokens[end].end
        elif self._words[start - 1] == ",":
            if goes_on > end:
                last = self.tokens[goes_on - 1].end
            elif after == "," and self._splits(start, end + 1):
                first, last = self.tokens[start - 1].start, self.tokens[end].end
            elif after == ",":
                last = self.tokens[end].end
            elif after != ")":
                first = self.tokens[start - 1].start
        elif self._words[start - 1] == "(" and after == ")":
            first, last = self.tokens[start - 1].start, self.tokens[end].end
        elif goes_on > end:
            last = self.tokens[end - 1].end
        return first, last

    def _splits(self, start: int, at: int) -> bool:
        """Whether what goes on at a place is the rest of a clause: "..., should be closed"."""
        said = self._words[at] if at < len(self._words) else ""
        relative = self._words[start] in _RELATIVES and said not in {"", *_BEFORE}
        return said in TAILS | {"in"} or (relative and not self._orders([said]))

    def _named(self, start: int, end: int) -> list[int]:
        """Where "it" may stand for something in some words: for a thing, known or not."""
        words = self._words[start:end]
        tree, lead = self.judge.trees.of(words)
        nouns = {i - lead for i, w in enumerate(tree) if w.tag.startswith("NN")}
        return [
            start + i for i, word in enumerate(words)
            if self.judge.lexicon.names(word) or word in ("one", "ones")
            or (i in nouns and not self._is_no_thing(word))
        ]  # fmt: skip

    def _topic(self, start: int, end: int, named: Sequence[int]) -> tuple[int, int] | None:
        """The words for the only thing that is named, which "it" stands for."""
        words, lexicon = self._words, self.judge.lexicon
        at = named[0]
        if len(named) > 1 or not lexicon.names(words[at]):
            return None
        begin = at
        while begin > start and (words[begin - 1] in COLORS or words[begin - 1] in SIZE_WORDS):
            begin -= 1
        if begin == start or words[begin - 1] not in ("the", "that", "this", "my", "our"):
            return None
        return begin - 1, at + 1

    def _is_no_thing(self, word: str) -> bool:
        """Whether "it" stands for no such thing: somebody, a time, what is done ("washing")."""
        known = data()["living"] | data()["times"]
        doing = word.endswith("ing") and len(word) > _SHORTEST_GERUND
        return doing or word in known or word[:-1] in known

    def _refers(self, places: Sequence[int]) -> bool:
        """Whether words speak of what was named before they name a thing."""
        for word, after in pairwise([*(self._words[i] for i in places), ""]):
            of_known = after in COLORS or after in SIZE_WORDS or self.judge.lexicon.names(after)
            counted = (word, after) == ("one", "of") or (word in _POINTING and of_known)
            if word in REFERRING and not (counted or after in ("order", "way", "time")):
                return True
            if self.judge.lexicon.names(word):
                return False
        return False
