"""Clauses that people say of a scene, as literals: which predicate, of what, true or not.

The forms are in `feedback_forms.txt`, one in a line.
What no form names gets a predicate of its own: "X is fragile" is `fragile(X)`, "X is not a lid" is
`not lid(X)`, "X is left of Y" is `left_of(X, Y)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal
from sayso.learning.feedback_forms import forms
from sayso.learning.feedback_words import plain
from sayso.learning.synthesis.labels import Bound, Concept, Members


@dataclass(frozen=True)
class Clause:
    """What one clause says.

    Attributes:
        literals: that hold, as the person says.
        concepts: the predicates in them, with what the clause tells of their meaning.
    """

    literals: tuple[Literal, ...]
    concepts: tuple[Concept, ...]


_PREPOSITIONS = (
    "to the left of|left of|to the right of|right of|in front of|next to|close to|near|beside|"
    "behind|above|over|below|under|beneath|touching|against"
)
_GENERIC = (
    rf"@(?P<X>\w+) is (?P<not>not )?(?:too )?(?P<name>{_PREPOSITIONS}) @(?P<Y>\w+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?P<name>(?:as|more|less)_[a-z]+_(?:as|than)|[a-z]+er_than) "
    r"@(?P<Y>\w+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?P<name>between) @(?P<Y>\w+) and @(?P<Z>\w+)",
    r"@(?P<X>\w+) (?P<verb>touches|blocks|covers|supports|hides|surrounds) @(?P<Y>\w+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?:too )?"
    r"(?P<name>made of [a-z]+|upside down|high up|full of [a-z]+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?:a|an) (?P<name>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>no )(?P<name>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>not )?too (?P<too>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?P<name>[a-z]+)(?: enough)?",
)
_CLOSED_TEXT = (
    "a an and any as at because but by can do for from go here him her how i if in into it its me "
    "my no none not of off on one or out so some stop than that the them then there they this to "
    "up us wait we what when where which who why with you your anything everything nothing "
    "something wrong right fine ok okay good bad better possible impossible feasible infeasible "
    "true false done reached finished enough"
)
_CLOSED = frozenset(_CLOSED_TEXT.split())
"""Words that are no quality of things."""
_AMOUNT = r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>mm|cm|m|(?:milli|centi)?met(?:er|re)s?)?"
_MEASURED = re.compile(
    r"(?:its|the|@\w+ s) (?P<what>height|width|thickness|depth|size) (?:is|of it is|exceeds) ?"
    r"(?P<way>greater|larger|more|higher|bigger|smaller|less|lower|above|below|over|under)?"
    rf"(?: than)? ?{_AMOUNT}"
)
_COMPARED = re.compile(
    r"@\w+ is (?:(?P<high>higher|taller|thicker)|(?P<low>lower|shorter|flatter|thinner)|"
    rf"(?P<wide>wider|broader|larger|bigger)|(?P<narrow>narrower|slimmer|smaller)) than {_AMOUNT}"
)
_ONLY = re.compile(
    r"only (?:(?:objects|things) (?:with|of) (?:the )?(?:category|categories|kind|kinds) )?"
    r"(?P<names>(?:(?!\b(?:is|are|can)\b).)+?) (?:can be (?P<done>\w+)|"
    r"(?:are|is|counts? as) (?:a |an )?(?P<noun>\w+))"
)
COMPARATIVE = (
    "(?:wid|narrow|bigg|small|larg|tall|short|high|low|heavi|light|thick|thinn|long|deep|broad|hott|"
    "cold|old|new|hard|soft|slimm|flatt)er"
)
_UNITS_M = {"mm": 0.001, "mi": 0.001, "cm": 0.01, "ce": 0.01}
"""By the first two letters; anything else is metres."""


def concept(name: str) -> Concept:
    """What is known of a common predicate by its name alone. Raises KeyError for another name."""
    english, english_not, more = forms().meanings[name]
    count = len(set(re.findall(r"\{\d\}", english)))
    return Concept(name, ("a", "b")[:count], english, english_not, (more,) if more else ())


def concept_of(name: str, known: Mapping[str, Predicate], arity: int) -> Concept:
    """What is known of any predicate, were it only its name."""
    if predicate := known.get(name):
        return Concept(name, predicate.parameters, predicate.english, predicate.english_not)
    if name in forms().meanings:
        return concept(name)
    return _new_concept(name, False, False, arity)


def read_clause(text: str, known: Mapping[str, Predicate]) -> Clause | None:
    """What a clause says, or None if it has none of the forms.

    Args:
        text: words with single spaces; an object NAME is `@NAME`.
        known: predicates whose own English is understood besides.
    """
    if clause := _of_known(text, known):
        return clause
    found: list[Clause] = []
    for part in forms().reworded(text):
        clause = _of_known(part, known) or _of_form(part) or _of_kind(part)
        if clause is None:
            return None
        found.append(clause)
    concepts = {x.name: x for c in found for x in c.concepts}
    return Clause(tuple(x for c in found for x in c.literals), tuple(concepts.values()))


def read_definition(text: str, about: Concept) -> Concept | None:
    """The predicate with a limit or kinds that the words name for it, or None.

    "its height is greater than 2 cm" said why something does not hold sets the limit, and "only
    cups and pots are containers" lists the kinds. Numbers without a unit are metres.
    """
    if match := _ONLY.fullmatch(text):
        kinds = _kinds(match["names"])
        if match["done"] and about.name not in kinds:
            return None  # what can be done to some things says nothing of other predicates
        return _with(about, Members(len(about.parameters) - 1, kinds))
    bound = _bound(text)
    return _with(about, bound) if bound else None


def is_rule(text: str) -> bool:
    """Whether a clause is about kinds in general: "only plates can be pushed"."""
    return _ONLY.fullmatch(text) is not None


def _kinds(names: str) -> tuple[str, ...]:
    parts = re.split(r"\s*(?:,|\band\b|\bor\b)\s*", names)
    return tuple(_singular(n.split("@")[-1].split()[-1]) for n in parts if n.strip())


def _bound(text: str) -> Bound | None:
    """The limit that a clause names, as the predicate that it denies has it."""
    if match := _MEASURED.fullmatch(text):
        measure = "height" if match["what"] in ("height", "thickness") else "width"
        wrong_below = match["way"] in ("smaller", "less", "lower", "below", "under")
    elif match := _COMPARED.fullmatch(text):
        measure = "height" if match["high"] or match["low"] else "width"
        wrong_below = bool(match["low"] or match["narrow"])
    else:
        return None
    limit = float(match["number"]) * _UNITS_M.get((match["unit"] or "m")[:2], 1.0)
    return Bound(measure, 0, not wrong_below, limit)


def _with(about: Concept, definition: Bound | Members) -> Concept:
    return Concept(
        about.name,
        about.parameters,
        about.english,
        about.english_not,
        about.words,
        (*about.definitions, definition),
    )


def _of_known(text: str, known: Mapping[str, Predicate]) -> Clause | None:
    for predicate in known.values():
        for english, truth in ((predicate.english, True), (predicate.english_not, False)):
            match = _template(english).fullmatch(text) if english else None
            if match is not None:
                args = tuple(match[f"p{i}"] for i in range(predicate.arity))
                about = Concept(
                    predicate.name, predicate.parameters, predicate.english, predicate.english_not
                )
                literal = Literal(Atom(predicate.name, args), truth)
                return Clause((literal,), (about,))
    return None


@cache
def _template(english: str) -> re.Pattern[str]:
    escaped = re.escape(plain(english))
    return re.compile(re.sub(r"\\\{(\d)\\\}", r"@(?P<p\1>\\w+)", escaped))


def _of_form(text: str) -> Clause | None:
    for form in forms().clauses:
        match = form.pattern.fullmatch(text)
        if match is None:
            continue
        about = concept(form.predicate)
        groups = match.groupdict()
        args = tuple(groups[k] for k in ("X", "Y")[: len(about.parameters)])
        return Clause((Literal(Atom(about.name, args), form.truth),), (about,))
    return None


def _of_kind(text: str) -> Clause | None:
    """A predicate that gets its name from the clause itself."""
    for pattern in _GENERIC:
        match = re.fullmatch(pattern, text)
        if match is None:
            continue
        found = match.groupdict()
        verb = found.get("verb") or ""
        word = found.get("name") or verb or f"too {found.get('too')}"
        args = tuple(found[k] for k in ("X", "Y", "Z") if found.get(k))
        if (len(args) == 1 and word.split()[0] in _CLOSED) or len(set(args)) < len(args):
            return None
        if len(args) == 1 and re.fullmatch(COMPARATIVE, word):
            return None  # smaller than what?
        noun = bool(re.search(r" is (?:(?:not )?an?|no) ", text))
        if word in forms().meanings:
            about = concept(word)
        else:
            about = _new_concept(word, bool(verb), noun, len(args))
        if len(about.parameters) != len(args):
            return None
        return Clause((Literal(Atom(about.name, args), not found.get("not")),), (about,))
    return None


def _new_concept(word: str, verb: bool, noun: bool, arity: int) -> Concept:
    name = re.sub(r"\W+", "_", word.removeprefix("to the ")).strip("_")
    article = ("an " if word[0] in "aeiou" else "a ") if noun else ""
    said = article + word.replace("_", " ")
    others = ("", " {1}", " {1} and {2}")[arity - 1]
    denied = f"does not {_singular(said)}" if verb else f"is not {said}"
    return Concept(
        name,
        ("a", "b", "c")[:arity],
        f"{{0}} {'' if verb else 'is '}{said}{others}",
        f"{{0}} {denied}{others}",
    )


def _singular(noun: str) -> str:
    if noun.endswith("oes") or noun.endswith(("ses", "xes", "shes", "ches")):
        return noun[:-2]
    if noun.endswith("ves"):
        return noun[:-3] + "f"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
