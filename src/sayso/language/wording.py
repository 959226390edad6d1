"""Clauses of free English in the words of controlled English.

Each clause is worded in a few ways, the nearest to what was said first. A wording names the words
that it stands for; whoever takes it has to account for all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.ports import ParsedWord
from sayso.language.controls import FORBID, Ask, is_auxiliary, verb_classes
from sayso.language.frames import PERSONS, Agent, Clause, below, children
from sayso.language.inflection import gerund, participle
from sayso.language.limiting import LASTING, LIMITING, WARNING

THROWN_IN = frozenset({
    "please", "kindly", "okay", "ok", "oh", "hey", "hello", "hi", "thanks", "yes", "well", "great",
    "anyway", "and", "but", "so",
})  # fmt: skip
"""A clause means the same without them, wherever they stand."""
FILLING = frozenset({"just", "simply", "really", "basically", "obviously"})
"""The same right before the verb of an order; elsewhere they may limit."""
IN_ORDER = frozenset({"then", "next", "finally", "lastly", "afterwards", "afterward"})
"""Said of a step that comes after what was said before it."""
FIRST = frozenset({"first", "firstly"})
_BLOCKING = LIMITING - LASTING - WARNING | {
    "may", "might", "even", "just", "now", "no", "not", "one", "ones",
}  # fmt: skip
"""No clause is worded without one of these: what is left of it may mean the contrary."""
_INTO_PLACE = frozenset({
    "on", "onto", "in", "into", "inside", "to", "at", "by", "near", "beside", "upon", "next",
    "off", "from", "out", "under",
})  # fmt: skip
_AWAY = frozenset({"off", "from", "out"})
_TOWARDS = frozenset({
    "to", "into", "by", "near", "at", "beside", "towards", "toward", "over", "in", "inside",
    "next", "up",
})  # fmt: skip
_APART = frozenset({"out", "away", "off", "from", "clear", "of"})
_AGAINST = frozenset({"with", "at", "into", "against", "on"})
PARTICLES = frozenset({
    "over", "up", "down", "off", "out", "along", "away", "back", "round", "around", "on",
    "straight", "right",
})  # fmt: skip
_LEADING: Mapping[str, frozenset[str]] = {
    "goal": _TOWARDS, "contact": _AGAINST, "distance": _APART,
}  # fmt: skip
"""Prepositions before what a verb is done to or leads to, by what its class needs."""
_ME = frozenset({"me", "us"})
_DUTIES = frozenset({"should", "must", "shall", "has", "have", "need", "needs", "ought", "'s"})
_LEAVE = frozenset({"may", "can", "could", "might"})
_WISHES = frozenset({"want", "like", "need", "love", "prefer", "wish"})
_PRONOUNS = frozenset({"it", "them", "that", "this", "one"})


@dataclass(frozen=True)
class Wording:
    """Words of controlled English, and the places of the words that they stand for."""

    text: str
    covered: frozenset[int]

    def joined(self, text: str, other: Wording) -> Wording:
        """Another text for both."""
        return Wording(text, self.covered | other.covered)


class Worder:
    """Words the clauses of one sentence.

    Args:
        begin: place of the first word that was said; those before it only help the parser.
    """

    def __init__(self, tree: Sequence[ParsedWord], begin: int) -> None:
        self._tree = tree
        self._said = [w.text.lower() if i >= begin else "" for i, w in enumerate(tree)]
        self._said[-1] = ""  # the full stop

    def main(self, ask: Ask, first: bool) -> Iterator[Wording]:
        """What a main clause asks for; `first` if nothing was asked for before it."""
        stays = self._tree[ask.clause.head].lemma in verb_classes().staying
        if not ask.sense or (stays and ask.sense == FORBID):
            return  # "must not stay": it is not clear whether it may be there at first
        silent = self._silent(ask.clause) | self._fillers(ask, first)
        seen = set()
        for wording in self._main(ask, silent):
            if wording.text not in seen and not self._loses(ask.clause, wording):
                seen.add(wording.text)
                yield wording

    def _loses(self, clause: Clause, wording: Wording) -> bool:
        """Whether a word is left out without which a clause may mean the contrary, or who does it:
        "help Anna stash" has her name as a part of the verb."""
        left = [i for i in clause.words if i not in wording.covered]
        actors = (self._tree[i] for i in left if self._tree[i].relation == "compound")
        return any(w.head == clause.head for w in actors) or any(
            self._said[i] in _BLOCKING for i in left
        )

    def _main(self, ask: Ask, silent: frozenset[int]) -> Iterator[Wording]:
        clause = ask.clause
        if ask.said == frozenset(clause.negations):
            kept = [i for i in clause.words if i not in silent]
            yield Wording(self._text(kept), frozenset(kept) | silent)
        if clause.agent is Agent.OTHER:
            yield from self._wished_state(ask, silent)
        elif clause.agent is Agent.SPEAKER:
            yield from self._wish(clause, silent)
        elif self._tree[clause.head].tag not in ("VBD", "VBZ") or clause.agent is Agent.NOBODY:
            yield from self._kept(ask, silent)
            lead = "never " if ask.sense == FORBID else ""
            for verb, rest, covered in self._actions(clause, silent):
                if lead and verb == "avoid":
                    continue
                yield Wording(f"{lead}{_phrase(verb, rest)}", covered | ask.said)

    def _silent(self, clause: Clause) -> frozenset[int]:
        """Courtesies, marks and what joins clauses."""
        found = set()
        for i in clause.words:
            said, relation = self._said[i], self._tree[i].relation
            free = relation in ("advmod", "npadvmod", "intj", "dep") or self._joins(clause, i)
            if free and said in THROWN_IN | {"", ".", ","}:
                found.add(i)
            for_me = relation in ("prep", "dative") and said == "for"
            if for_me and any(self._said[j] in _ME for j in children(self._tree, i)):
                found |= set(below(self._tree, i, clause.words))
        return frozenset(found)

    def _fillers(self, ask: Ask, first: bool) -> frozenset[int]:
        """Adverbs that say nothing more of an order where it stands."""
        if ask.sense == FORBID:
            return frozenset()
        own = [i for i in children(self._tree, ask.clause.head) if i in ask.clause.words]
        adverbs = [i for i in own if self._tree[i].relation in ("advmod", "npadvmod", "dep")]
        return frozenset(
            i
            for i in adverbs
            if (self._said[i] in (FIRST if first else IN_ORDER) and self._said[i - 1] != "only")
            or (self._said[i] in FILLING and i + 1 == ask.clause.head)
        )

    def _joins(self, clause: Clause, at: int) -> bool:
        """Whether a word or mark joins a clause to another one, and not its own parts."""
        if self._tree[at].relation not in ("cc", "punct") or self._tree[at].head != clause.head:
            return False
        own = [i for i in clause.words if self._tree[i].relation not in ("cc", "punct")]
        return not own or not own[0] < at < own[-1]

    def _text(self, places: Iterable[int]) -> str:
        text = " ".join(filter(None, (self._said[i] for i in sorted(places))))
        return text.strip(" ,:()").replace(" ,", ",")

    # -- what the robot does --------------------------------------------------------------

    def _actions(
        self, clause: Clause, silent: frozenset[int]
    ) -> Iterator[tuple[str, str, frozenset[int]]]:
        """Verbs with what follows them, and which words that stands for."""
        tree = self._tree
        address = self._address(clause)
        skipped = silent | address | {clause.head} | {*clause.negations, *clause.link_words}
        after = [i for i in clause.words if i > clause.head and i not in skipped]
        while after and self._said[after[0]] == ",":
            after = after[1:]
        before = [
            j
            for i in children(tree, clause.head)
            if i < clause.head and i not in skipped and tree[i].relation in ("prep", "dobj")
            for j in below(tree, i, clause.words)
        ]
        said = silent | address | {clause.head, *clause.negations, *clause.link_words}
        rest = " ".join(filter(None, (self._text(after), self._text(before))))
        yield tree[clause.head].lemma, rest, frozenset((*after, *before)) | said
        for verb, text, used in self._in_plain_verbs(clause, (*before, *after)):
            yield verb, text, used | said

    def _kept(self, ask: Ask, silent: frozenset[int]) -> Iterator[Wording]:
        """What shall stay as it is, or must not: "leave the drawer open"."""
        clause = ask.clause
        parts = _Parts(self._tree, self._said, clause, clause.words)
        if self._tree[clause.head].lemma not in verb_classes().keeping or not parts.state:
            return
        verb = "must not be" if ask.sense == FORBID else "must stay"
        said = silent | ask.said | self._address(clause) | {clause.head}
        text = f"{self._text(parts.thing)} {verb} {self._text(parts.state)}"
        yield Wording(text, said | parts.thing | parts.state)

    def _address(self, clause: Clause) -> frozenset[int]:
        """The robot as the subject, and auxiliary verbs."""
        auxiliary = (
            i
            for i in clause.words
            if is_auxiliary(self._tree[i]) and self._tree[i].head == clause.head
        )
        subject = (i for i in clause.subject if self._said[i] in PERSONS)
        return frozenset((*auxiliary, *subject))

    def _in_plain_verbs(
        self, clause: Clause, places: Sequence[int]
    ) -> Iterator[tuple[str, str, frozenset[int]]]:
        """The same with verbs of controlled English that ask for it."""
        parts = _Parts(self._tree, self._said, clause, places)
        lemma = self._tree[clause.head].lemma
        for kind in verb_classes().classes:
            if lemma in kind.verbs and not (kind.needs == "object" and parts.leads_off):
                for used in parts.arguments(kind.needs):
                    kept = used - parts.implied(kind.needs, used)
                    if any(
                        self._said[i] == "," and {i - 1, i + 1} <= kept - {i} for i in clause.words
                    ):
                        continue  # a list of several things with their places
                    for verb in kind.say:
                        yield verb, self._text(kept), used | parts.particles

    # -- what shall be so -----------------------------------------------------------------

    def _rest(self, clause: Clause, silent: frozenset[int]) -> list[int]:
        """The words of a clause after its subject and verbs."""
        skipped = silent | {clause.head, *clause.subject, *clause.link_words, *clause.negations}
        return [
            i
            for i in clause.words
            if i not in skipped and self._tree[i].relation not in ("aux", "auxpass")
        ]

    def _where(self, clause: Clause, rest: Sequence[int]) -> list[int]:
        """Of the words after a verb, those that say where or how something is."""
        tops = [
            i
            for i in children(self._tree, clause.head)
            if i in rest
            and (self._said[i] in _INTO_PLACE or self._tree[i].relation in ("acomp", "attr"))
        ]
        return sorted({j for i in tops for j in below(self._tree, i, rest)})

    def _wished_state(self, ask: Ask, silent: frozenset[int]) -> Iterator[Wording]:
        """A thing that shall be, stay or go somewhere."""
        clause, tree, known = ask.clause, self._tree, verb_classes()
        lemma, tag = tree[clause.head].lemma, tree[clause.head].tag
        modal = {self._said[i] for i in clause.words if tree[i].relation == "aux"}
        no = ask.sense == FORBID
        wished = bool(modal & _DUTIES) or bool(ask.said - {*clause.negations})
        present = tag in ("VBZ", "VBP", "VB") and lemma in ("go", "belong", "come")
        subject, rest = self._text(clause.subject), self._text(self._rest(clause, silent))
        covered = frozenset(clause.words) | ask.said
        must = "must not" if no else "should"
        if lemma in known.staying and (wished or tag in ("VBZ", "VBP", "VB")) and not no:
            yield Wording(f"{subject} must stay {rest}", covered)
        if not (wished or present) and not (no and modal & _LEAVE):
            return
        if modal & _LEAVE and not no:
            return
        if any(tree[i].relation == "auxpass" for i in clause.words) or tag == "VBN":
            yield Wording(f"{subject} {must} be {participle(lemma)} {rest}", covered)
        if lemma in known.states:
            yield Wording(f"{subject} {must} be {rest}", covered)

    def _wish(self, clause: Clause, silent: frozenset[int]) -> Iterator[Wording]:
        """ "I need the mug on the tray"."""
        if self._tree[clause.head].lemma not in _WISHES:
            return
        rest = self._text(i for i in clause.words if i > clause.head and i not in silent)
        wish = "i do not want" if clause.negations else "i want"
        covered = {i for i in clause.words if i >= clause.head or self._tree[i].relation == "aux"}
        said = frozenset(covered) | silent | self._address(clause) | {*clause.negations}
        yield Wording(f"{wish} {rest}", said)

    # -- conditions, times ----------------------------------------------------------------

    def subordinate(self, clause: Clause) -> Iterator[Wording]:
        """What may stand after the link of a clause: "before", "until", "if"."""
        if len(clause.negations) > 1 or self._tells_what_can_be(clause):
            return
        silent = self._silent(clause) - {*clause.negations}
        said = silent | {*clause.link_words}
        kept = [i for i in clause.words if i not in said]
        seen = set()
        verbatim = Wording(self._text(kept), frozenset(kept) | said)
        for wording in (verbatim, *self._in_other_words(clause, silent, said)):
            if wording.text not in seen and not self._loses(clause, wording):
                seen.add(wording.text)
                yield wording

    def _tells_what_can_be(self, clause: Clause) -> bool:
        """Whether a condition is about what somebody is able to do: "if you can't open it"."""
        return any(
            self._said[i] in ("can", "could") and self._tree[i].relation == "aux"
            for i in clause.words
        )

    def _in_other_words(
        self, clause: Clause, silent: frozenset[int], said: frozenset[int]
    ) -> Iterator[Wording]:
        head = self._tree[clause.head]
        no = "not " if clause.negations else ""
        if clause.agent is Agent.OTHER and head.lemma in verb_classes().states:
            said_of_it = self._rest(clause, silent)
            for kept in (said_of_it, self._where(clause, said_of_it)):
                covered = frozenset(clause.words) - (frozenset(said_of_it) - frozenset(kept))
                yield Wording(f"{self._text(clause.subject)} is {no}{self._text(kept)}", covered)
        if clause.agent is not Agent.ROBOT and (clause.subject or head.tag != "VBG"):
            return
        aux = {self._said[i] for i in clause.words if self._tree[i].relation == "aux"}
        done = not aux.isdisjoint({"have", "has"})
        for verb, rest, covered in self._actions(clause, silent):
            told = covered | said | {*clause.negations}
            if not clause.subject and not no:
                yield Wording(f"{_phrase(gerund(verb), rest)}", told)
            elif clause.subject and done and not no:
                yield Wording(f"you have {_phrase(participle(verb), rest)}", told)
            elif clause.subject:
                yield Wording(f"you {'do not ' if no else ''}{_phrase(verb, rest)}", told)


def _phrase(verb: str, rest: str) -> str:
    """A verb with what follows it: "pick it up", not "pick up it"."""
    first, _, particle = verb.partition(" ")
    if particle == "up" and rest in _PRONOUNS:
        return f"{first} {rest} {particle}"
    return f"{verb} {rest}".strip()


class _Parts:
    """The arguments of a verb: what it is done to, where, for whom."""

    def __init__(
        self, tree: Sequence[ParsedWord], said: Sequence[str], clause: Clause, places: Sequence[int]
    ) -> None:
        self._tree, self._said, self._places = tree, said, places
        direct = [i for i in children(tree, clause.head) if i in places]
        prepositions = [i for i in direct if tree[i].relation in ("prep", "dative")]
        self._receivers = [
            i
            for i in direct
            if (tree[i].relation == "dative" and said[i] in _ME)
            or (said[i] == "to" and any(said[j] in _ME for j in children(tree, i)))
        ]
        self._prepositions = [i for i in prepositions if i not in self._receivers]
        objects = [i for i in direct if tree[i].relation == "dobj"]
        self.thing = frozenset(self._span(objects[0])) if objects else frozenset[int]()
        self._there = [
            i
            for i in direct
            if (said[i] in ("there", "inside") and not children(tree, i))
            or any(said[j] == "where" for j in children(tree, i))
        ]
        states = (
            i
            for i in direct
            if tree[i].relation in ("oprd", "acomp") or said[i] in ("open", "closed", "shut")
        )
        self.state = frozenset[int]().union(*map(self._span, states))
        adverbs = (i for i in direct if tree[i].relation in ("prt", "advmod"))
        self.particles = frozenset(i for i in adverbs if said[i] in PARTICLES)
        self.leads_off = any(said[i] != "up" for i in self.particles)

    def _span(self, top: int) -> tuple[int, ...]:
        return below(self._tree, top, self._places)

    def arguments(self, needs: str) -> Iterator[frozenset[int]]:
        """Words that stand for all that verbs of a class need."""
        if needs in ("object", "source") and self.thing:
            spans = [self._span(p) for p in self._prepositions if self._said[p] in _AWAY]
            if spans:
                yield self.thing.union(*spans)
        if needs in ("object", "contact") and self.thing:
            yield self.thing
        if needs == "receiver" and self.thing and self._receivers:
            yield self.thing.union(*map(self._span, self._receivers))
        if needs == "place" and self.thing:
            spans = [self._span(p) for p in self._prepositions if self._said[p] in _INTO_PLACE]
            if spans or self._there:
                yield self.thing.union(*spans, *map(self._span, self._there))
        towards = _LEADING.get(needs, frozenset())
        for preposition in self._prepositions:
            if self._said[preposition] in towards:
                yield frozenset(self._span(preposition))

    def implied(self, needs: str, used: frozenset[int]) -> frozenset[int]:
        """What of the arguments the verb says itself: "bring me", "go to"."""
        if needs == "receiver":
            return frozenset(i for r in self._receivers for i in self._span(r))
        if needs in _LEADING and not used & self.thing:
            return frozenset(i for i in used if self._leads(i))
        return frozenset()

    def _leads(self, at: int) -> bool:
        """Whether a word says no more than where the verb leads."""
        known = self._said[at] in _TOWARDS | _AGAINST | _APART | PARTICLES
        return known and self._tree[at].relation in ("prep", "advmod")
