"""English with the words of a library: its verbs in all their forms, its states, its places.

From one wording, "put {0} on {1}", follow "putting", "put" as in "should be put on", and from a
predicate's clause, "{0} is on {1}", what may follow "keep", "must stay" and "should end up".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any, TypeAlias

from sayso.core.vocabulary import SpokenAction, Vocabulary
from sayso.language import clause_makers, exact, makers, meaning, rule_makers, thing_makers
from sayso.language.grammar import NUMERAL, OTHER, Grammar
from sayso.language.inflection import gerund, participle, third
from sayso.language.meaning import WISHED
from sayso.language.nouns import ALWAYS_CLOSED, SIZE_WORDS, words_of
from sayso.language.rule_parts import Maker, Slot, Value
from sayso.logic.english import ORDINALS as EXACT_ORDINALS
from sayso.logic.formula import COLORS

States: TypeAlias = "tuple[tuple[str, str, bool], ...]"
"""(clause, predicate, whether it says that it holds)."""

NUMBERS: Mapping[str, int] = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
ORDINALS: Mapping[str, int] = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1,
}  # fmt: skip
COMPARATORS: Mapping[str, str] = {
    **dict.fromkeys(
        ("left of", "to the left of", "on the left of", "on the left side of",
         "to the left side of", "at the left side of", "from the left side of"), "isleftof"),
    **dict.fromkeys(
        ("right of", "to the right of", "on the right of", "on the right side of",
         "to the right side of", "at the right side of", "from the right side of"), "isrightof"),
    **dict.fromkeys(("next to", "beside", "near", "close to", "by", "adjacent to"), "isnextto"),
    **dict.fromkeys(("behind", "in back of"), "isbehind"),
    **dict.fromkeys(("in front of", "infront of"), "isinfrontof"),
    **dict.fromkeys(("above", "over", "on", "on top of", "upon"), "isabove"),
    **dict.fromkeys(("below", "under", "underneath", "beneath"), "isbelow"),
    **dict.fromkeys(("in", "inside", "inside of", "within"), "isin"),
    **dict.fromkeys(("bigger than", "larger than"), "isbiggerthan"),
    "smaller than": "issmallerthan",
    **dict.fromkeys(("nearest to", "closest to", "nearest", "closer to", "nearer to"), "isnearest"),
    **dict.fromkeys(("farthest from", "furthest from", "farthest away from",
                     "furthest away from", "farther from", "further from", "farther away from",
                     "further away from"), "isfarthest"),
}  # fmt: skip
PLACING = "put"
"""The verb that is meant where a thing "should go" somewhere."""
BRINGING = "bring"
"""The verb that is meant where things are listed with their places."""
THERE = "there"
IN_THERE = "in there"
"""What follows a thing that goes where something was done before."""

_NOT_CLOSED = frozenset({
    "back", "bar", "bin", "bump", "can", "check", "correction", "drink", "end", "front", "hand",
    "hit",
    "item", "items", "left", "lift", "light", "object", "place", "right", "run", "scratch", "set",
    "side", "spots", "stand", "start", "store", "thing", "things", "top", "trash", "turn", "used",
    # of asides
    "boss", "brother", "children", "clean", "colleagues", "cook", "daughter", "demo",
    "experiment", "family", "father", "film", "friends", "grandfather", "grandmother", "guests",
    "husband", "idea", "kids", "list", "meeting", "mother", "neighbor", "neighbors", "parents",
    "party", "photo", "photograph", "picture", "plan", "play", "practice", "record", "short",
    "sister", "situation", "son", "test", "visitors", "wife", "work",
})  # fmt: skip
"""Words of the grammar or of verbs that may as well be part of a noun."""


_PLAIN = frozenset({
    "on", "off", "in", "out", "inside", "near", "next", "top", "under", "by", "has", "have",
    "nothing", "there", "hand", "robot", "does", "do", "can", "cannot", "something",
    "still", "room",
})  # fmt: skip
"""Words of states that say little by themselves."""
_COMPARED = {w: size for w, size in SIZE_WORDS.items() if not w.endswith("est")}
"""Sizes that several things may have; "the biggest" is one only."""
_OPEN_SLOTS = ("noun", "known_noun", "kind", "name", "report", "own_aim", "premise", "statement",
               "reason", "heading", "aim", "mishap", "trail", "concession", "since",
               "describing", "vague_order")  # fmt: skip


@dataclass(frozen=True)
class Verb:
    """What a verb asks for, by the words that follow the thing it is done to ("" for none)."""

    with_thing: Mapping[str, tuple[SpokenAction, ...]]
    alone: tuple[SpokenAction, ...] = ()


@dataclass(frozen=True, eq=False)
class Extension:
    """Further rules of English, with what fills their slots and makes their meanings."""

    text: str
    slots: Mapping[str, Slot]
    makers: Mapping[str, Maker]


@lru_cache(maxsize=32)
def wordings(
    vocabulary: Vocabulary, states: States, literals: States, extension: Extension | None = None
) -> Wordings:
    """The grammar of a library; the same for the same words."""
    return Wordings(vocabulary, states, literals, extension)


class Wordings:
    """A library's words in English grammar.

    Args:
        literals: the clauses with which propositions are read back.

    Attributes:
        verbs: by their imperatives.
        grammar: `english.grammar` with them.
        closed: words that no noun is made of.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        states: States,
        literals: States,
        extension: Extension | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._states = states
        self._literals = literals
        self._extension = extension or Extension("", {}, {})
        self.verbs = _verbs(vocabulary)
        self.grammar = self._grammar()
        self.closed = (self.grammar.words | self._said()) - _NOT_CLOSED

    def _grammar(self) -> Grammar:
        closed: dict[str, tuple[Slot | None, frozenset[str] | None]] = {
            "verb": _phrases({v: v for v in self.verbs}),
            "doing": _phrases({gerund(v): v for v in self.verbs}),
            "done": _phrases({participle(v): v for v in self.verbs}),
            "does": _phrases({third(v): v for v in self.verbs}),
            "comparator": _phrases(COMPARATORS),
            "adjective": _phrases({**{c: c for c in COLORS}, **_COMPARED}),
            "ordinal": _phrases(ORDINALS),
            "nth": (_nth, frozenset({*EXACT_ORDINALS, OTHER})),
            "purpose": _phrases(dict(self._vocabulary.purposes)),
            "number": (_number, frozenset({*NUMBERS, "one", NUMERAL})),
            "rest": (_rest, None),
            **dict.fromkeys(_OPEN_SLOTS, (None, None)),
            **{name: (slot, None) for name, slot in self._extension.slots.items()},
        }
        known: dict[str, Maker] = {
            **makers.MAKERS,
            **exact.MAKERS,
            "Do": self._do,
            "Placed": self._placed,
            "NothingPut": self._nothing_put,
            "IsEmpty": self._is_empty,
            "Visited": self._visited,
            "Been": self._been,
            "Chosen": self._chosen,
            "NonePut": self._none_put,
            "NotPut": self._not_put,
            "Assigned": self._assigned,
            "Received": self._received,
            "NotReceived": self._not_received,
            "Needed": self._needed,
            "StayNear": self._stay_near,
            "AvoidInRoom": self._avoid_in_room,
            "InHand": self._in_hand,
            "PutIn": self._put_in,
            "OnTheWayTo": self._on_the_way_to,
            "Give": self._given,
            "EmptyInto": self._empty_into,
            "BesideBoth": self._beside_both,
            "EachOther": self._each_other,
            "NeverEachOther": self._never_each_other,
            "KeptThere": self._kept_there,
            "StateThere": self._state_there,
            "Done": self._done,
            **self._extension.makers,
        }
        return Grammar((_english(), *self._generated(), self._extension.text), closed, known)

    def _said(self) -> frozenset[str]:
        forms = (f(v) for v in self.verbs for f in (str, gerund, participle))
        return words_of((*forms, *COMPARATORS, *NUMBERS, *COLORS, *SIZE_WORDS))

    @cached_property
    def content(self) -> frozenset[str]:
        """What says something by itself: the verbs, each by its first word, colors and sizes."""
        forms = (f(v) for v in self.verbs for f in (str, gerund, participle, third))
        return frozenset((*(f.split()[0] for f in forms), *COLORS, *SIZE_WORDS))

    @cached_property
    def state_words(self) -> frozenset[str]:
        """Words that tell how a thing is, such as "open"."""
        words = words_of(re.sub(r"[^\w ]", "", text.lower()) for text, _, _ in self._states)
        return frozenset(w for w in words if w.isalpha()) - ALWAYS_CLOSED - _PLAIN

    # -- makers that depend on the library ---------------------------------------------------

    def _do(self, at: meaning.At, **parts: Any) -> meaning.Do | None:
        """A verb with its things, if the library has such a wording."""
        do = clause_makers.do(at, **parts)
        known = self.verbs[do.verb]
        if do.things is None:
            return do if known.alone else None
        if not do.tails and thing_makers.to_clean(do.things):
            return do
        if do.things.led and do.verb.split()[-1] != do.things.led:
            return None  # "pass the dog, or to the bed"
        if thing_makers.is_compared(do):
            return None
        tails = [t.text for t in do.tails] or [""]
        if THERE in tails or IN_THERE in tails:
            return do if any("{1}" in t for t in known.with_thing) else None
        return do if all(t in known.with_thing for t in tails) else None

    def _placed(self, at: meaning.At, **parts: Any) -> meaning.Act | None:
        """ "the mug should go on the plate": as if it had been said with "put"."""
        if PLACING not in self.verbs or thing_makers.names_none(parts["things"]):
            return None
        return self._done(at, verb=PLACING, **parts)

    def _not_put(
        self, at: meaning.At, things: meaning.Things, tails: tuple[meaning.Tail, ...],
        limit: meaning.Bound | None = None,
    ) -> meaning.Never | None:  # fmt: skip
        """ "the red block must not go in the bowl"."""
        if PLACING not in self.verbs:
            return None
        do = self._do(at, verb=PLACING, things=things, tails=tails)
        if do is None:
            return None
        return meaning.Never(meaning.Several((replace(do, form="done"),)), limit, at)

    def _none_put(self, at: meaning.At, **parts: Any) -> meaning.Never | None:
        """ "none of the blocks may go in the bowl"."""
        placed = {name: part for name, part in parts.items() if name != "limit"}
        if PLACING not in self.verbs or self._do(at, verb=PLACING, **placed) is None:
            return None
        return rule_makers.none_done(at, verb=PLACING, **parts)

    def _kept_there(
        self, at: meaning.At, things: meaning.Things, limit: meaning.Bound | None = None
    ) -> meaning.Keep | None:  # fmt: skip
        """ "put the mug on the plate and keep it there"."""
        there = (meaning.Tail(THERE),)
        do = PLACING in self.verbs and self._do(at, verb=PLACING, things=things, tails=there)
        if not do:
            return None
        return meaning.Keep(meaning.Condition((meaning.ActState(do),), "", at), limit, at)

    def _state_there(self, at: meaning.At, **parts: Any) -> meaning.ActState | None:
        """ "put the mug on the plate, and when it is there, ..."."""
        positive = parts.pop("not", None) != "yes"
        there = (meaning.Tail(parts.pop("where", THERE)),)
        do = PLACING in self.verbs and self._do(at, verb=PLACING, tails=there, **parts)
        return meaning.ActState(do, positive) if do else None

    def _given(
        self, at: meaning.At, verb: str, recipient: meaning.Things, things: meaning.Things
    ) -> meaning.Do | None:  # fmt: skip
        """ "bring the person a can": to the person."""
        return self._do(at, verb=verb, things=things, tails=(meaning.Tail("to {1}", recipient),))

    def _in_hand(
        self, at: meaning.At, verb: str, things: meaning.Things
    ) -> meaning.Do | None:  # fmt: skip
        """ "while you have the mug in your hand"."""
        held = any(
            a.goal[-1][0].predicate == "holding" for a in self.verbs[verb].with_thing.get("", ())
        )
        return self._do(at, verb=verb, things=things) if held else None

    def _put_in(
        self, at: meaning.At, verb: str, things: meaning.Things
    ) -> meaning.Do | None:  # fmt: skip
        """ "open the drawer and put in the mug"; "put in the bowl" lacks what is put there."""
        named = [getattr(t, "noun", "") for t in things.members]
        places = [a.arguments[1] for a in self.verbs[verb].with_thing.get("in {1}", ())]
        if any(self._vocabulary.fits(n, types) for n in named for types in places):
            return None
        return self._do(at, verb=verb, things=things, tails=(clause_makers.inside(at),))

    def _beside_both(
        self, at: meaning.At, verb: str, things: meaning.Things, first: meaning.Things,
        second: meaning.Things,
    ) -> meaning.Goal | None:  # fmt: skip
        """ "put the mug next to the bowl and the plate": both at one time."""
        facts = [self._beside(at, verb, things, place) for place in (first, second)]
        states = tuple(f for f in facts if f is not None)
        one_by_one = meaning.Condition(states, "and", at)
        return meaning.Goal(one_by_one, at=at) if len(states) == len(facts) else None

    def _each_other(
        self, at: meaning.At, things: meaning.Things, verb: str = PLACING
    ) -> meaning.Goal | None:
        """ "put the mug and the can next to each other"."""
        fact = self._beside_each_other(at, verb, things)
        return meaning.Goal(meaning.Condition((fact,), "", at), at=at) if fact else None

    def _never_each_other(
        self, at: meaning.At, things: meaning.Things, verb: str
    ) -> meaning.NeverState | None:
        fact = self._beside_each_other(at, verb, things)
        return meaning.NeverState(fact, None, at) if fact else None

    def _beside_each_other(
        self, at: meaning.At, verb: str, things: meaning.Things
    ) -> meaning.Fact | None:
        named = things.members
        if len(named) != 2 or things.joiner != "and" or not all(map(thing_makers.is_one, named)):
            return None
        one, other = (replace(things, members=(t,), joiner="", marker="") for t in named)
        return self._beside(at, verb, one, other)

    def _beside(
        self, at: meaning.At, verb: str, things: meaning.Things, place: meaning.Things
    ) -> meaning.Fact | None:
        """The state of being next to something, if a verb leads to that alone."""
        known = self.verbs[verb].with_thing.get("next to {1}", ()) if verb in self.verbs else ()
        wanted = [w for a in known for step in a.goal for w in step]
        if len(wanted) != 1 or len(known[0].arguments) != 2 or thing_makers.names_none(things):
            return None
        return meaning.Fact(wanted[0].predicate, wanted[0].positive, (things, place), at)

    def _empty_into(
        self, at: meaning.At, thing: meaning.Things, tails: tuple[meaning.Tail, ...]
    ) -> meaning.Act | None:  # fmt: skip
        """ "empty the bowl onto the tray": put all that is in it there."""
        (place,) = thing.members
        if not isinstance(place, meaning.Thing) or PLACING not in self.verbs:
            return None
        if any(not t.text.startswith("on") for t in tails):
            return None  # "into the bin" may be poured: a skill that is asked for where it lacks
        kind = "isin" if self._vocabulary.takes_in(place.noun) else "isabove"
        there = (meaning.Relation(kind, (place,)),)
        all_there = meaning.Thing("all", (), "thing", True, there, at=thing.at)
        do = self._do(at, verb=PLACING, things=meaning.Things((all_there,), at=at), tails=tails)
        return meaning.Act(do, at=at) if do else None

    def _on_the_way_to(
        self, at: meaning.At, what: meaning.Do, then: meaning.Things
    ) -> meaning.Act | None:  # fmt: skip
        """ "drop by the plant on your way to the sofa": one place, then the other."""
        actions = self.verbs[what.verb].with_thing.get("", ())
        if what.things is None or what.tails or not any(a.unordered == "visit" for a in actions):
            return None
        return meaning.Act(meaning.FromTo(what.things, then), at=at)

    def _visited(
        self, at: meaning.At, things: meaning.Things, marker: str = "", order: str = "",
        every: str = "", until: meaning.Remark | None = None,
    ) -> meaning.Act | None:  # fmt: skip
        """ "starting with the sofa", "your goal is the sofa": a place to go to, where the robot
        goes anywhere."""
        visit = self._vocabulary.visit
        if visit is None or thing_makers.names_none(things):
            return None
        act = self._done(at, verb=visit.wordings[0].verb, things=things, every=every)
        return act and replace(act, marker=marker, order=order, until=until)

    def _chosen(self, at: meaning.At, choosing: str, **parts: Any) -> meaning.Do | None:
        """ "choose two blocks and put them in the bowl": put two there; what is found or looked
        at by a robot that goes places is a step of its own."""
        return None if choosing in self.verbs else self._do(at, **parts)

    def _been(self, at: meaning.At, things: meaning.Things) -> meaning.Do | None:
        """ "after you have been to the sofa"."""
        visit = self._vocabulary.visit
        do = self._do(at, verb=visit.wordings[0].verb, things=things) if visit else None
        return replace(do, form="perfect") if do else None

    def _assigned(
        self, at: meaning.At, things: meaning.Things, place: meaning.Things,
        rest: tuple[meaning.Things, ...] = (), form: str = "",
    ) -> meaning.Act | None:  # fmt: skip
        """ "red block: plate", "red block: plate or tray": each is brought there."""
        if BRINGING not in self.verbs:
            return None
        tails = tuple(meaning.Tail("to {1}", to) for to in (place, *rest))
        return self._done(at, verb=BRINGING, things=things, tails=tails, form=form)

    def _received(
        self, at: meaning.At, place: meaning.Things, things: meaning.Things, on: str = "",
        form: str = "",
    ) -> meaning.Act | None:  # fmt: skip
        """ "each plate should have a block on it", "the person gets the mug"."""
        (to,) = place.members
        if isinstance(to, meaning.Thing) and to.noun == "robot":
            return None
        if thing_makers.is_any(to) and any(map(thing_makers.is_each, things.members)):
            return None  # "some plate should have every block": one plate for all of them
        if not on:
            return self._assigned(at, things, place, form=form)
        tails = (meaning.Tail(f"{on} {{1}}", place),)
        return self._placed(at, things=things, tails=tails, form=form)

    def _not_received(
        self, at: meaning.At, place: meaning.Things, on: str, **parts: Any
    ) -> meaning.Never | None:
        """ "the plate must never have the red block on it"."""
        return self._not_put(at, tails=(meaning.Tail(f"{on} {{1}}", place),), **parts)

    def _stay_near(self, at: meaning.At, **parts: Any) -> meaning.Keep | None:
        return rule_makers.stay_near(at, **parts) if "be near" in self.verbs else None

    def _avoid_in_room(
        self, at: meaning.At, things: meaning.Things, limit: meaning.Bound | None = None
    ) -> meaning.Never | None:  # fmt: skip
        """ "keep away from the cat in the same room", where the library knows walls."""
        tails = (meaning.Tail("in the same room"),)
        known = "be near" in self.verbs
        do = self._do(at, verb="be near", things=things, tails=tails) if known else None
        return meaning.Never(meaning.Several((do,)), limit, at) if do else None

    def _nothing_put(self, at: meaning.At, **parts: Any) -> meaning.NothingBut | None:
        """ "only the mug may go on the plate": nothing else may be put there."""
        if PLACING not in self.verbs or self._do(at, verb=PLACING, **parts) is None:
            return None
        return meaning.NothingBut(PLACING, "", at=at, **parts)

    def _is_empty(
        self, at: meaning.At, things: meaning.Things, **parts: str
    ) -> meaning.Fact | meaning.NotState | None:
        """ "the bowl is empty": nothing is in it, or on what nothing can be put into; not of what
        nobody knows which."""
        thing = things.members[0]
        if len(things.members) > 1 or not isinstance(thing, meaning.Thing):
            return None
        if not self._vocabulary.types_of(thing.noun):
            return None
        predicate = "in" if self._vocabulary.takes_in(thing.noun) else "on"
        nothing = meaning.Things((meaning.Thing("none", (), "thing", at=at),), at=at)
        fact = meaning.Fact(predicate, True, (nothing, things), at)
        return meaning.NotState(fact) if parts.get("not") == "yes" else fact

    def _done(
        self, at: meaning.At, things: meaning.Things, only: str = "", form: str = "",
        every: str = "", **parts: Any,
    ) -> meaning.Act | None:  # fmt: skip
        """ "the mug should be put on the plate", "only the mug goes on the plate"."""
        named = thing_makers.of_each(things, every) if every else things
        if named is None:
            return None
        do = self._do(at, things=named, **parts)
        if do is None or (do.verb == "leave" and do.things and thing_makers.names_none(do.things)):
            return None
        do = replace(do, form=form or WISHED)
        return clause_makers.only_these(do) if only else meaning.Act(do, at=at)

    def _needed(self, at: meaning.At, **parts: Any) -> meaning.Act | None:
        """ "the drawer needs opening"; what none of them needs is not forbidden."""
        return None if thing_makers.names_none(parts["things"]) else self._done(at, **parts)

    # -- rules made from words ---------------------------------------------------------------

    def _generated(self) -> Iterable[str]:
        tails = sorted({t for w in self.verbs.values() for t in w.with_thing if t})
        yield _rule("tail", [
            f"{_pattern(t, {1: 'to:<one>'})} -> Tail text={t.replace(' ', '_')}" for t in tails
        ])  # fmt: skip
        particles = (t for t in tails if "{" not in t)
        yield _rule("particle", [f"{p} -> Word kind={p.replace(' ', '_')}" for p in particles])
        being: dict[str, list[str]] = {"so": [], "not_so": []}
        left: list[str] = []
        kept: list[str] = []
        owned: list[str] = []
        fact: list[str] = []
        for text, predicate, holds in self._states:
            words = re.findall(r"\{\d+\}|[\w']+", text.lower())
            made = f"predicate={predicate} holds={'yes' if holds else 'no'}"
            if words[:2] == ["{0}", "is"] and len(words) > 2:
                said = _pattern(" ".join(words[2:]), {1: "to:<one>"})
                being["not_so" if words[2] == "not" else "so"].append(f"{said} -> Being {made}")
                if words[2] == "on" and "{1}" not in words:
                    left.append(f"{' '.join(words[3:])} [surface] -> Being {made}")
            else:
                if words[:1] == ["the"] and words[2:3] == ["is"] and "{" not in text:
                    own = " ".join((words[1], *words[3:]))
                    kept.append(f"( the | your ) {own} -> Clause {made}")
                    rest = " ".join(words[3:])
                    owned.append(f"( the | your ) {words[1]} <must> be {rest} -> Clause {made}")
                fact += [f"{said} -> Clause {made}" for said in _clauses(words)]
        for name, alternatives in being.items():
            yield _rule(name, alternatives)
        yield _rule("fact", fact)
        yield _rule("kept", kept)  # what "keep ..." may name without a thing
        yield _rule("owned", owned)  # what is wished without a thing
        yield _rule("left", left)  # what "must not leave ..." may name
        yield _rule("literal", [
            f"{_literal(text)} -> Literal predicate={predicate} holds={'yes' if holds else 'no'}"
            for text, predicate, holds in self._literals
        ])  # fmt: skip


def _verbs(vocabulary: Vocabulary) -> Mapping[str, Verb]:
    found: dict[str, tuple[dict[str, list[SpokenAction]], list[SpokenAction]]] = {}
    for action in vocabulary.actions:
        for wording in action.wordings:
            tails, alone = found.setdefault(wording.verb, ({}, []))
            actions = tails.setdefault(wording.tail, []) if wording.things else alone
            if action not in actions:
                actions.append(action)
    return {
        verb: Verb({t: tuple(a) for t, a in tails.items()}, tuple(alone))
        for verb, (tails, alone) in found.items()
    }


def _rule(name: str, alternatives: Iterable[str]) -> str:
    """Alternatives of a rule; one that derives nothing where there are none."""
    return f"{name} += " + (" | ".join(dict.fromkeys(alternatives)) or '"(none)"')


_CLAUSE_SLOTS = {0: "about:<things>", 1: "to:<one>", 2: "third:<one>"}


def _clauses(words: Sequence[str]) -> list[str]:
    """A predicate's clause as a rule; what "you" do, "the robot" does too."""
    text = " ".join(words)
    texts = [text, re.sub("^you have", "the robot has", re.sub("^you are", "the robot is", text))]
    return [_pattern(t, _CLAUSE_SLOTS) for t in dict.fromkeys(texts)]


def _pattern(text: str, slots: Mapping[int, str]) -> str:
    """A wording as a part of a rule: "on {1}" with {1} as a rule."""
    words = []
    for word in text.split():
        if match := re.fullmatch(r"\{(\d+)\}", word):
            words.append(slots[int(match[1])])
        else:
            words.append(
                {
                    "is": "( is | are ) [<still>]",
                    "are": "are [<still>]",
                    "cannot": "( cannot | can not )",
                }.get(word, word)
            )
    return " ".join(words)


def _literal(text: str) -> str:
    """A clause, or a predicate's text such as "near({0})", about the things of a proposition."""
    words = re.findall(r"\{\d+\}|[a-z0-9']+|[(),]", text.lower())
    slots = {i: f"a{i}:<literal_thing>" for i in range(len(words))}
    return _pattern(
        " ".join(w if w[0].isalnum() or w[0] == "{" else f'"{w}"' for w in words), slots
    )


def _english() -> str:
    return (resources.files("sayso.language") / "english.grammar").read_text(encoding="utf-8")


def _phrases(meanings: Mapping[str, Value]) -> tuple[Slot, frozenset[str] | None]:
    """A slot for phrases, each with its meaning; all lengths that fit are found."""
    index: dict[str, list[tuple[tuple[str, ...], Value]]] = {}
    for phrase, value in meanings.items():
        words = tuple(phrase.split())
        index.setdefault(words[0], []).append((words, value))

    def slot(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        for phrase, value in index.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield at + len(phrase), value

    return slot, frozenset(index)


def _number(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    word = words[at]
    if word in NUMBERS:
        yield at + 1, NUMBERS[word]
    elif word == "one" or (word.isdecimal() and len(word) < 5):
        yield at + 1, 1 if word == "one" else int(word)


def _nth(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """Which of several things of one description, from 2."""
    if words[at] in EXACT_ORDINALS:
        yield at + 1, EXACT_ORDINALS.index(words[at]) + 2
    elif match := re.fullmatch(r"(\d{2})th", words[at]):
        yield at + 1, int(match[1])


def _rest(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """All that is left."""
    if len(words) - 1 > at:
        yield len(words) - 1, "rest"
