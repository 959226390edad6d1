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
    rf"@(?P<X>\w+) is (?P<not>not )?(?P<name>{_PREPOSITIONS}) @(?P<Y>\w+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?P<name>\w+er than) @(?P<Y>\w+)",
    r"@(?P<X>\w+) (?P<touch>touches) @(?P<Y>\w+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?:a|an) (?P<name>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>no )(?P<name>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>not )?too (?P<too>[a-z]+)",
    r"@(?P<X>\w+) is (?P<not>not )?(?P<name>[a-z]+)(?: enough)?",
)
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
_CONCEPTS: Mapping[str, tuple[str, str, str]] = {
    "gripper_empty": ("the gripper is empty", "the gripper is occupied", ""),
    "holding": ("the gripper holds {0}", "the gripper does not hold {0}", ""),
    "graspable": ("{0} can be grasped", "{0} is too wide to be grasped", ""),
    "clear": ("nothing is on {0}", "something is on {0}", ""),
    "contained": ("{0} is in a container", "{0} is not in a container", ""),
    "on_table": ("{0} is on the table", "{0} is not on the table", ""),
    "on": ("{0} is on {1}", "{0} is not on {1}", ""),
    "in": ("{0} is in {1}", "{0} is not in {1}", ""),
    "has_water": ("{0} has water in it", "{0} has no water in it", "contains water"),
    "thin": ("{0} is thin enough", "{0} is too thick", ""),
    "roomy": ("{0} is roomy enough", "{0} is too small", "wide enough"),
    "food": ("{0} is food", "{0} is not food", "something to eat"),
}
"""Predicate -> its English, its denial's, and another saying."""
_UNITS_M = {"mm": 0.001, "mi": 0.001, "cm": 0.01, "ce": 0.01}
"""By the first two letters; anything else is metres."""


def concept(name: str) -> Concept:
    """What is known of a common predicate by its name alone. Raises KeyError for another name."""
    english, english_not, more = _CONCEPTS[name]
    count = len(set(re.findall(r"\{\d\}", english)))
    return Concept(name, ("a", "b")[:count], english, english_not, (more,) if more else ())


def read_clause(text: str, known: Mapping[str, Predicate]) -> Clause | None:
    """What a clause says, or None if it has none of the forms.

    Args:
        text: words with single spaces; an object NAME is `@NAME`.
        known: predicates whose own English is understood besides.
    """
    return _of_known(text, known) or _of_form(text) or _of_kind(text)


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
        word = found.get("name") or found.get("touch") or f"too {found.get('too')}"
        noun = bool(re.search(r" is (?:(?:not )?an?|no) ", text))
        about = concept(word) if word in _CONCEPTS else _new_concept(word, "Y" in found, noun)
        args = tuple(found[k] for k in ("X", "Y") if found.get(k))
        return Clause((Literal(Atom(about.name, args), not found.get("not")),), (about,))
    return None


def _new_concept(word: str, related: bool, noun: bool) -> Concept:
    name = re.sub(r"\W+", "_", word.removeprefix("to the ")).strip("_")
    verb = "" if word == "touches" else "is "
    article = ("an " if word[0] in "aeiou" else "a ") if noun else ""
    other = " {1}" if related else ""
    denied = "does not touch" if word == "touches" else f"is not {article}{word}"
    return Concept(
        name,
        ("a", "b") if related else ("a",),
        f"{{0}} {verb}{article}{word}{other}",
        f"{{0}} {denied}{other}",
    )


def _singular(noun: str) -> str:
    if noun.endswith("oes") or noun.endswith(("ses", "xes", "shes", "ches")):
        return noun[:-2]
    if noun.endswith("ves"):
        return noun[:-3] + "f"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun
