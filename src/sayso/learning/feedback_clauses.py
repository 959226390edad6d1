"""Clauses that people say of a scene, as literals: which predicate, of what, true or not.

The grammar is that of instructions (`language/english.grammar`) with `feedback.grammar`, in which
things stand as @NAME. A clause that names no other predicate has one of its own: "X is fragile" is
`fragile(X)`, "X is not a lid" is `not lid(X)`, "X is left of Y" is `left_of(X, Y)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from itertools import product

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal
from sayso.core.vocabulary import Vocabulary
from sayso.language.chart import Chart, TooMuchError
from sayso.language.controlled_english import MAX_PARTS
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import At, Fact, NotState, Thing, Things
from sayso.language.nouns import Noun
from sayso.language.rule_parts import Slot, Value
from sayso.language.wordings import Extension, States, wordings
from sayso.learning.feedback_words import COMPARATIVE, plain
from sayso.learning.priors import Priors
from sayso.learning.synthesis.labels import Concept


@dataclass(frozen=True)
class Clause:
    """What one clause says.

    Attributes:
        literals: that hold, as the person says.
        concepts: the predicates in them, with what the clause tells of their meaning.
    """

    literals: tuple[Literal, ...]
    concepts: tuple[Concept, ...]


_CLOSED_TEXT = (
    "a an and any as at because but by can do for from go here him her how i if in into it its me "
    "my no none not of off on one or out so some stop than that the them then there they this to "
    "up us wait we what when where which who why with you your anything everything nothing "
    "something wrong right fine ok okay good bad better possible impossible feasible infeasible "
    "true false done reached finished enough inside outside above below behind beside near over "
    "under beneath underneath between against either"
)
_CLOSED = frozenset(_CLOSED_TEXT.split())
"""Words that are no quality of things."""


def concept_of(
    name: str, arity: int, priors: Priors, known: Mapping[str, Predicate] | None = None
) -> Concept:
    """What is known of any predicate, were it only its name."""
    known = known or {}
    if predicate := known.get(name):
        return Concept(name, predicate.parameters, predicate.english, predicate.english_not)
    if name in priors.predicates:
        return priors.predicates[name]
    return _new_concept(name, False, False, arity)


def read_clause(text: str, known: Lexicon, priors: Priors) -> Clause | None:
    """What a clause says, or None if it has none of the forms.

    Args:
        text: words with single spaces; an object NAME is `@NAME`.
        known: predicates whose English is understood besides, and a library's words for them.
        priors: common predicates, whose English is understood, too.
    """
    return clause_of(readings(text, "said_state", known, priors), known, priors)


def readings(text: str, rule: str, known: Lexicon, priors: Priors) -> Sequence[object]:
    """What words may mean by a rule of the grammar, as far as that is equally near."""
    grammar = wordings(Vocabulary(), _states(known, priors), (), _extension(priors)).grammar
    try:
        found = Chart(grammar, text.split(), _THINGS, MAX_PARTS).readings(rule)
    except TooMuchError:
        return ()
    least = min(found.values(), default=0)
    return tuple(reading for reading, cost in found.items() if cost == least)


def clause_of(states: Iterable[object], known: Lexicon, priors: Priors) -> Clause | None:
    """The first of some states with a meaning, those of predicates that are known before others."""
    clauses = [c for state in states if (c := _clause(state, known, priors))]
    of_known = [c for c in clauses if all(x.name in known.predicates for x in c.concepts)]
    return next(iter(of_known or clauses), None)


def _states(known: Lexicon, priors: Priors) -> States:
    """The clauses of the predicates that are known, and of the common ones besides."""
    said = [(p.english, p.english_not, p.name) for p in known.predicates.values()]
    said += [(c.english, c.english_not, c.name) for c in priors.predicates.values()]
    # What a thing is known to have or not may be said to be on it: a cap, a lid.
    parts = [n.removeprefix("has_") for n, p in known.predicates.items() if _part(n, p)]
    said += [(f"the {n} is on {{0}}", f"the {n} is not on {{0}}", f"has_{n}") for n in parts]
    states = [(yes, name, True) for yes, _, name in said]
    states += [(no, name, False) for _, no, name in said]
    states += [s for s in known.vocabulary.states if s[1] in known.predicates]
    return tuple((plain(english), name, truth) for english, name, truth in states if english)


def _part(name: str, predicate: Predicate) -> bool:
    """Whether a predicate tells that a thing has some part."""
    return predicate.arity == 1 and bool(re.fullmatch("has_[a-z]+", name)) and name != "has_water"


def _clause(state: object, known: Lexicon, priors: Priors) -> Clause | None:
    """The literals of a state; None where it is not about things that are named."""
    match state:
        case NotState(inner):
            clause = _clause(inner, known, priors)
            return clause and _denied(clause)
        case Own(state=inner) | (Fact() as inner):
            if isinstance(state, Own):
                return _literals(inner, state.concept)
            about = concept_of(inner.predicate, len(inner.things), priors, known.predicates)
            return _literals(inner, about)
        case Neither(one, other):
            clauses = [_clause(one, known, priors), _clause(other, known, priors)]
            return _joined([c for c in clauses if c]) if all(clauses) else None
    return None


def _literals(fact: Fact, about: Concept | None) -> Clause | None:
    groups = [names(things) for things in fact.things]
    if any(g is None for g in groups):
        return None
    truth = fact.positive and all(t.marker != "neither" for t in fact.things)
    if not fact.positive and any(t.marker == "neither" for t in fact.things):
        return None
    combinations = list(product(*(g or () for g in groups)))
    if any(len(set(c)) < len(c) for c in combinations):
        return None
    if about is None or len(about.parameters) != len(groups):
        return None
    return Clause(tuple(Literal(Atom(about.name, c), truth) for c in combinations), (about,))


_CALLED: tuple[object, ...] = ("", "a", "the", "that", "another")


def names(things: Things) -> tuple[str, ...] | None:
    """The names of things that are all meant, each as it is called."""
    found: list[str] = []
    for thing in things.members:
        if not isinstance(thing, Thing) or thing.determiner not in _CALLED:
            return None
        if thing.attributes or thing.relations or thing.apart or thing.superlative:
            return None
        found.append(thing.noun.removeprefix("@"))
    joined = ("", "and", "or") if things.marker == "neither" else ("", "and")
    return tuple(found) if things.joiner in joined else None


def _denied(clause: Clause) -> Clause | None:
    if len(clause.literals) != 1:
        return None
    (literal,) = clause.literals
    return Clause((Literal(literal.atom, not literal.positive),), clause.concepts)


def _joined(clauses: Sequence[Clause]) -> Clause:
    concepts = {x.name: x for c in clauses for x in c.concepts}
    return Clause(tuple(x for c in clauses for x in c.literals), tuple(concepts.values()))


# -- what the arrows of `feedback.grammar` name ----------------------------------------------


@dataclass(frozen=True)
class Own:
    """A state of a predicate that is named by the words of its clause."""

    state: Fact
    concept: Concept | None


@dataclass(frozen=True)
class Neither:
    """Two states of one thing, both denied."""

    one: Own
    other: Own


@dataclass(frozen=True)
class Again:
    """Things with which the same is to be done as with those before."""

    about: Things


@dataclass(frozen=True)
class Made:
    """A state that a verb brings about: "open the box"."""

    state: str
    about: Things


@dataclass(frozen=True)
class Stacked:
    """A stack of things from the bottom up, the first of them on `base`."""

    base: Things
    things: tuple[Things, ...]


def _stays(priors: Priors, at: At, about: Things) -> Own | None:
    return _own(priors, at, about, "moved", denied="not", form="able")


def _again(_at: At, about: Things) -> Again:
    return Again(about)


def _made(_at: At, state: str, about: Things) -> Made:
    return Made(state, about)


def _stacked(_at: At, base: Things, first: Things, rest: tuple[Things, ...] = ()) -> Stacked:
    return Stacked(base, (first, *rest))


def _own(
    priors: Priors, at: At, about: Things, name: str, to: Things | None = None,
    third: Things | None = None, denied: str = "", form: str = "",
) -> Own | None:  # fmt: skip
    things = tuple(t for t in (about, to, third) if t is not None)
    if form == "excess" and (to is None or names(to) is None):
        return None  # "too heavy for that" names no other thing
    if form in _FORMED:
        concept = _formed(name, form)
    else:
        common = priors.predicates.get(name)
        concept = common or _new_concept(name, form == "verb", form == "noun", len(things))
    return Own(Fact(concept.name, denied != "not", things, at), concept)


def _neither(priors: Priors, at: At, about: Things, first: str, second: str) -> Neither | None:
    one, other = (_own(priors, at, about, name, denied="not") for name in (first, second))
    return Neither(one, other) if one and other else None


_FORMED = {
    "likeness": ("same_{}", "{{0}} has the same {} as {{1}}", "{{0}} has another {} than {{1}}"),
    "able": ("can_be_{}", "{{0}} can be {}", "{{0}} cannot be {}"),
    "use": ("for_{}", "{{0}} is for {}", "{{0}} is not for {}"),
    "owner": ("belongs_to_{}", "{{0}} belongs to {}", "{{0}} does not belong to {}"),
    "excess": ("too_{}_for", "{{0}} is too {} for {{1}}", "{{0}} is not too {} for {{1}}"),
    "stock": ("has_{}", "{{0}} has {}", "{{0}} has no {}"),
}
"""Form -> name and English of a predicate, with the word that the clause has for it."""


def _formed(word: str, form: str) -> Concept:
    name, english, denied = (text.format(word) for text in _FORMED[form])
    parameters = ("a", "b") if "{1}" in english else ("a",)
    return Concept(name, parameters, english, denied)


def _at(_at: At, predicate: str, to: Things | None = None) -> tuple[str, Things | None]:
    return predicate, to


def _there(at: At, about: Things, holds: str, **parts: tuple[str, Things | None]) -> Fact:
    predicate, to = parts["at_place"]
    return Fact(predicate, holds == "yes", (about, to) if to is not None else (about,), at)


def _mention(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    if words[at].startswith("@"):
        yield at + 1, Noun(words[at])


def _is_word(text: str) -> bool:
    return text.isascii() and text.isalpha()


def _word(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    if _is_word(words[at]):
        yield at + 1, words[at]


def _body(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """What may stand on a thing: no room, and nothing that is a part of its surface."""
    if _is_word(words[at]) and singular(words[at]) not in _OF_SURFACES:
        yield at + 1, words[at]


_SURFACE_TEXT = (
    "room space place way side label sticker scratch crack dent stain mark spot hole handle hair "
    "dust dirt name number price tag logo picture print text sign rim edge corner pattern stripe"
)
_OF_SURFACES = frozenset(_SURFACE_TEXT.split())


def _words(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    end = at
    while _is_word(words[end]):
        end += 1
        yield end, "words"


def _quality(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """A word that may be a quality by itself: "smaller" than what?"""
    word = words[at]
    if _is_word(word) and word not in _CLOSED and not re.fullmatch(COMPARATIVE, word):
        yield at + 1, word


def _too(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    if _is_word(words[at]):
        yield at + 1, f"too {words[at]}"


def _likeness(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """What two things may have the same of: "color", "owners"."""
    word = words[at]
    if _is_word(word) and word not in _CLOSED:
        yield at + 1, singular(word).replace("colour", "color")


def _done(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """A participle: "moved", "lit"; what can also be said as a state is said so."""
    word = words[at]
    if word in _STATES or re.fullmatch(r"[a-z]{2,}ed", word):
        yield at + 1, _STATES.get(word, word)


def _stuff(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """What a thing may have some of: "beans", "coffee"."""
    word = words[at]
    if _is_word(word) and word not in _CLOSED | _MEASURING and words[at + 1 : at + 2] != ["of"]:
        yield at + 1, word


_MEASURING = frozenset(("been", "to", "room", "space", "time", "too", "few", "little", "enough"))
_PARTICIPLE = "(?:[a-z]{2,}ed|stuck|caught|hung|hidden|bound|shut|built|wound|held|kept|frozen)"
_PLACED = (
    "placed stacked stored moved pushed dropped covered occupied blocked loaded centered used "
    "supposed allowed needed filled grasped gripped carried picked poured turned switched"
)
_OF_PLACING = frozenset(_PLACED.split())
"""Participles that have forms of their own."""
_AWAY = ("in", "up", "down", "out", "away", "off", "shut", "open")
_WHERE = ("in", "inside", "into", "under", "underneath", "beneath", "below", "behind", "against",
          "around", "over", "between", "with")  # fmt: skip


def _settled(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """ "plugged in", "folded up": a participle with its particle."""
    particle = tuple(words[at + 1 : at + 2])
    if _fastening(words[at]) and particle and particle[0] in _AWAY:
        yield at + 2, f"{words[at]} {particle[0]}"


def _fastened(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """ "clamped in", "buried under": how a thing is where it is."""
    place = tuple(words[at + 1 : at + 2])
    if _fastening(words[at]) and place and place[0] in _WHERE:
        yield at + 2, f"{words[at]} {place[0]}"


def _fixed(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """ "screwed" of what is screwed to the wall, which is no thing that has a name."""
    if _fastening(words[at]):
        yield at + 1, words[at]


def _fastening(word: str) -> bool:
    return bool(re.fullmatch(_PARTICIPLE, word)) and word not in _OF_PLACING


_STATES = {"opened": "open", "lit": "lit", "shut": "shut", "hidden": "hidden", "cut": "cut"}


def _owner(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """Who something belongs to: a name, or "me"."""
    if _is_word(words[at]) and words[at] not in _NO_OWNER:
        yield at + 1, words[at]


def _owners(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """ "mine", and "anna is": so a name is read whose "'s" is left alone at the end."""
    if owner := _MINE.get(words[at]):
        yield at + 1, owner
    elif words[at + 1 : at + 2] == ("is",) and words[at + 2 :] in ((), ("",)):
        yield from ((at + 2, owner) for _, owner in _owner(words, at))


def _measured(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """What a thing may be too much of for another: "wide"."""
    if _is_word(words[at]) and words[at] not in _CLOSED:
        yield at + 1, words[at]


_NO_OWNER = _CLOSED - {"me", "you", "us", "him", "her", "them"} | {
    "nobody", "somebody", "someone", "everybody", "everyone", "anybody", "anyone", "he", "she",
}  # fmt: skip
_MINE = {"mine": "me", "yours": "you", "ours": "us", "theirs": "them", "hers": "her"}


def _made_of(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    if tuple(words[at : at + 2]) in (("made", "of"), ("full", "of")) and _is_word(words[at + 2]):
        yield at + 3, " ".join(words[at : at + 3])


def _comparison(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """ "wider than", "as wide as", "more fragile than"."""
    if re.fullmatch(r"[a-z]+er", words[at]) and words[at + 1] == "than":
        yield at + 2, f"{words[at]} than"
    end = {"as": "as", "more": "than", "less": "than"}.get(words[at])
    if end and tuple(words[at + 2 : at + 3]) == (end,):
        yield at + 3, " ".join(words[at : at + 3])


_THINGS: Mapping[str, Slot] = {
    "noun": _mention, "known_noun": _mention, "kind": lambda _words, _at: (),
}  # fmt: skip


@cache
def _extension(priors: Priors) -> Extension:
    """What people say while they teach, for those who know so much."""
    return Extension(
        (resources.files("sayso.learning") / "feedback.grammar").read_text(encoding="utf-8"),
        {"word": _word, "words": _words, "body": _body, "quality": _quality, "too": _too,
         "made_of": _made_of, "comparison": _comparison, "likeness": _likeness, "done": _done,
         "stuff": _stuff, "owner": _owner, "owners": _owners, "measured": _measured,
         "settled": _settled, "fastened": _fastened, "fixed": _fixed},
        {"Own": partial(_own, priors), "Neither": partial(_neither, priors), "At": _at,
         "Stays": partial(_stays, priors),
         # Where things are taught, "under" may be a predicate of its own.
         "Beneath": lambda _at, **_parts: None,
         "There": _there, "Again": _again, "Made": _made, "Stacked": _stacked},
    )  # fmt: skip


def _new_concept(word: str, verb: bool, noun: bool, arity: int) -> Concept:
    name = re.sub(r"\W+", "_", word.removeprefix("to the ")).strip("_")
    article = ("an " if word[0] in "aeiou" else "a ") if noun else ""
    said = article + word.replace("_", " ")
    if not arity:
        return Concept(name, (), f"the robot is {said}", f"the robot is not {said}")
    others = ("", " {1}", " {1} and {2}")[arity - 1]
    denied = f"does not {singular(said)}" if verb else f"is not {said}"
    return Concept(
        name,
        ("a", "b", "c")[:arity],
        f"{{0}} {'' if verb else 'is '}{said}{others}",
        f"{{0}} {denied}{others}",
    )


def singular(noun: str) -> str:
    if noun.endswith("oes") or noun.endswith(("ses", "xes", "shes", "ches")):
        return noun[:-2]
    if noun.endswith("ves"):
        return noun[:-3] + "f"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
