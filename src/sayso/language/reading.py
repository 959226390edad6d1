"""A language model's reading of an instruction: things first, then a formula about them.

The reply lists each thing with an id, what it is and which of its kind; the formula speaks of the
ids; what was taken for granted stands beside it. Here the reply becomes a formula with
quantifiers, by the same rules of scope as controlled English. Whatever has no clear meaning is
refused, with words that the model can mend it by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.language.lexicon import Lexicon
from sayso.language.naming import in_singular, normal_noun, standard
from sayso.language.vocabulary import check_vocabulary
from sayso.logic.formula import (
    ALL,
    COLORS,
    COMPARATORS,
    SIZES,
    SOME,
    And,
    Formula,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Relation,
    Term,
    Variable,
    children,
    map_referents,
    propositions,
    walk,
)
from sayso.logic.scope import Unbound, bound, forbidden
from sayso.logic.text import parse

MAX_THINGS = 30
MAX_NUMBER = 20
MAX_PLACES = 3
MAX_NESTING = 4
MAX_FORMULA_CHARACTERS = 4000
MAX_PROBLEM_CHARACTERS = 600
MAX_ASSUMPTIONS = 6
MAX_ASSUMPTION_CHARACTERS = 200

_ID = re.compile(r"[a-z][a-z0-9_]{0,30}")
_RESERVED = frozenset({"true", "false", "all", "some", "a", "at", "exactly", "in", "other", "than"})
_WHICH: Mapping[str, Quantity] = {
    **dict.fromkeys(("a", "an", "any", "some", "one"), SOME),
    **dict.fromkeys(("every", "all", "each", "none"), ALL),
    "both": Quantity("all", there=2),
}
_COUNTED = re.compile(r"(at least|at most|exactly)?\s*(\d{1,3})")


@dataclass(frozen=True)
class Reading:
    """What a model takes an instruction to mean.

    Attributes:
        assumptions: what it took for granted, to be read back to the person.
    """

    formula: Formula
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Thing:
    """An entry of the reply's list.

    Attributes:
        which: as it was written; `quantity` is None for "the" one.
        apart: ids of the things that it is not.
        where: relations to things by id.
    """

    id: str
    referent: Referent
    which: str
    quantity: Quantity | None
    apart: tuple[str, ...]
    where: tuple[tuple[str, tuple[str, ...]], ...]


def read(data: Mapping[str, Any], lexicon: Lexicon, seen: Iterable[str] = ()) -> Reading:
    """The reading in a reply that matches the schema of the prompt `interpret`.

    Args:
        seen: names of the things that are seen, by which plurals are told.

    Raises:
        SaySoError: INVALID or NOT_UNDERSTOOD, saying what has to be mended.
    """
    things = _things(data["things"], _kinds(seen))
    text = str(data["formula"])
    if len(text) > MAX_FORMULA_CHARACTERS:
        raise SaySoError(
            Code.INVALID, f"the formula has more than {MAX_FORMULA_CHARACTERS} characters."
        )
    formula = parse(text)
    _check_arguments(formula, things)
    formula = _bound(_with_variables(formula, things), things)
    never = check_vocabulary(formula, lexicon)
    if not propositions(formula):
        raise SaySoError(Code.INVALID, "the formula says nothing about the world.")
    return Reading(formula, assumptions((*never, *data["assumptions"])))


def _kinds(seen: Iterable[str]) -> tuple[str, ...]:
    words = (w for name in seen for w in name.split("_") if not w.isdecimal())
    return tuple(dict.fromkeys(w for w in words if w not in COLORS))


# -- things --------------------------------------------------------------------------------


def _things(entries: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> dict[str, _Thing]:
    if len(entries) > MAX_THINGS:
        raise SaySoError(Code.INVALID, f"there are more than {MAX_THINGS} things.")
    things: dict[str, _Thing] = {}
    for entry in entries:
        thing = _thing(entry, kinds)
        if thing.id in things:
            raise SaySoError(Code.INVALID, f"the id '{thing.id}' is there twice.")
        things[thing.id] = thing
    for thing in things.values():
        for other in (*thing.apart, *(o for _, others in thing.where for o in others)):
            if other not in things or other == thing.id:
                raise SaySoError(
                    Code.INVALID,
                    f"'{other}', named by '{thing.id}', is not the id of another thing.",
                    choices=(i for i in things if i != thing.id),
                )
    return things


def _thing(entry: Mapping[str, Any], kinds: Sequence[str]) -> _Thing:
    name = str(entry["id"])
    if not _ID.fullmatch(name) or name in _RESERVED:
        raise SaySoError(
            Code.INVALID,
            f"'{name}' cannot be an id.",
            hint="use small letters and digits, such as k1.",
        )
    which, quantity = _which(name, str(entry["which"]))
    attributes, noun = _noun(name, str(entry["noun"]))
    stated = (_attribute(name, str(entry[n]), known) for n, known in _ATTRIBUTES)
    referent = Referent(
        _in_number(name, noun, quantity, kinds),
        tuple(sorted({*attributes, *(a for a in stated if a)})),
    )
    if len(entry["where"]) > MAX_PLACES:
        raise SaySoError(Code.INVALID, f"'{name}' has more than {MAX_PLACES} places.")
    where = tuple((str(w["relation"]), tuple(map(str, w["of"]))) for w in entry["where"])
    return _Thing(name, referent, which, quantity, tuple(map(str, entry["different_from"])), where)


_ATTRIBUTES = (("colour", COLORS), ("size", SIZES))
_OWNED = re.compile(r"\b(?:my|mine|our|ours|your|yours|his|her|hers|their|theirs)\b")
_PART_OF = re.compile(r"(doors?|drawers?) of (.+)")
"""Of these it matters what they are, which a noun's last word tells: "bedroom door"."""
_GENITIVE = re.compile(r"['\u2019]s\b|(?<=s)['\u2019](?=\s)")


def _noun(name: str, said: str) -> tuple[tuple[str, ...], str]:
    """Colours and sizes, and the noun. Raises INVALID where it tells whose the thing is."""
    attributes, noun = normal_noun(_GENITIVE.sub("", said))
    if part := _PART_OF.fullmatch(noun):
        noun = f"{part[2]} {part[1]}"
    if _OWNED.search(noun):
        raise SaySoError(
            Code.INVALID,
            f"'{said}' of '{name}' tells whose it is, which cannot be seen.",
            hint="leave the owner out where the rest tells which one is meant, and say so in an "
            "assumption; else say in 'problem' what cannot be told.",
        )
    return attributes, noun


def _which(name: str, said: str) -> tuple[str, Quantity | None]:
    which = " ".join(said.lower().split())
    if which == "the":
        return which, None
    if which in _WHICH:
        return which, _WHICH[which]
    counted = _COUNTED.fullmatch(which)
    number = int(counted[2]) if counted else 0
    if counted is None or not 1 <= number <= MAX_NUMBER:
        raise SaySoError(
            Code.INVALID,
            f"'{said}' does not say which of '{name}' is meant.",
            choices=("the", "a", "every", "none", "2", "at least 2", "at most 2", "exactly 2"),
        )
    kind = counted[1] or "at least"
    if kind == "at least" and number == 1:
        return which, SOME
    return which, Quantity(kind, number)  # type: ignore[arg-type]


def _attribute(name: str, said: str, known: Sequence[str]) -> str:
    word = standard(said.strip().lower())
    if word and word not in known:
        raise SaySoError(
            Code.INVALID,
            f"'{said}' of '{name}' is not known.",
            choices=known,
            hint="make the word a part of the noun.",
        )
    return word


def _in_number(name: str, noun: str, quantity: Quantity | None, kinds: Sequence[str]) -> str:
    """The noun in the singular; one thing in the plural is refused."""
    one = in_singular(noun, kinds)
    if quantity is None and one != noun and one.split()[-1] in kinds:
        raise SaySoError(
            Code.INVALID,
            f"'{noun}' of '{name}' are several, but it says 'the'.",
            hint="say which: every, or a number; or list each of them.",
        )
    return noun if quantity is None else one


# -- the formula ----------------------------------------------------------------------------


def _check_arguments(formula: Formula, things: Mapping[str, _Thing]) -> None:
    """Raises INVALID unless the formula speaks of the things by id, and of each of them."""
    if any(isinstance(f, Quantified) for f in walk(formula)):
        raise SaySoError(
            Code.INVALID,
            "the formula has quantifiers of its own.",
            hint="say in the list of things which of a kind is meant.",
        )
    ids = {_as_argument(i): i for i in things}
    used: set[str] = set()
    for prop in propositions(formula):
        for argument in prop.args:
            if str(argument) not in ids:
                raise SaySoError(
                    Code.INVALID,
                    f"'{argument}' in {prop.predicate}(...) is not the id of a thing.",
                    choices=things,
                    hint="list every thing, and write only ids in the formula.",
                )
            used.add(ids[str(argument)])
    linked = {o for t in things.values() for o in (*t.apart, *(i for _, w in t.where for i in w))}
    if idle := [i for i in things if i not in used | linked]:
        raise SaySoError(
            Code.INVALID,
            f"nothing is said of {', '.join(map(repr, idle))}.",
            hint="say it in the formula, or leave the thing out.",
        )


def _as_argument(name: str) -> str:
    """An id as a parsed formula has it: one with a colour in it is a description there."""
    return str(parse(f"p({name})").args[0])  # type: ignore[union-attr]


def _with_variables(formula: Formula, things: Mapping[str, _Thing]) -> Formula:
    by_text = {_as_argument(i): i for i in things}

    def term(argument: Referent) -> Term:
        thing = things[by_text[str(argument)]]
        return _description(thing, things) if _is_definite(thing) else Variable(thing.id)

    return map_referents(formula, term)


def _is_definite(thing: _Thing) -> bool:
    return thing.quantity is None and not thing.apart


def _bound(formula: Formula, things: Mapping[str, _Thing]) -> Formula:
    used = {a for p in propositions(formula) for a in p.args}
    things = _apart_if_alike(things, used)
    for thing in things.values():
        _description(thing, things)
        _check_landmarks(thing, things, used)
    unbound = [
        Unbound(
            Variable(t.id),
            # "The other one" is some one that is not this one.
            t.quantity or SOME,
            _description(t, things),
            tuple(_left_out(t, things[other], things, used) for other in t.apart),
        )
        for t in things.values()
        if Variable(t.id) in used
    ]
    for thing in things.values():
        variable = Variable(thing.id)
        if thing.which == "none" and not forbidden(formula, variable):
            raise SaySoError(
                Code.INVALID,
                f"'{thing.id}' says 'none', but the formula asks for it.",
                hint="write '!' before what must not be, or say 'every'.",
            )
        if thing.quantity is not None and _denied_elsewhere(formula, variable):
            raise _spans_both_cases(thing)
    _check_numbers_apart(formula, things, used)
    return bound(formula, unbound)


def _denied_elsewhere(formula: Formula, variable: Variable) -> bool:
    """Whether what is asked of a free variable in one place is asked in another whether it is not.

    Such as `(c -> a) & (!c -> b)` and `(c & a) | (!c & b)`: one thing cannot be chosen for both.
    """
    asked = list(_asked_now(formula))
    return any(Not(one) in asked and variable in one.args for one in asked if isinstance(one, Prop))


def _asked_now(formula: Formula) -> Iterator[Formula]:
    """The literals by which disjunctions, "if ... then" among them, tell cases apart."""
    if isinstance(formula, Or):
        for case in formula.args:
            yield from _literals(case)
    for child in children(formula):
        yield from _asked_now(child)


def _literals(formula: Formula, *, positive: bool = True) -> Iterator[Formula]:
    match formula:
        case Prop():
            yield formula if positive else Not(formula)
        case Not(negated):
            yield from _literals(negated, positive=not positive)
        case And(args) | Or(args):
            for arg in args:
                yield from _literals(arg, positive=positive)


def _spans_both_cases(thing: _Thing) -> SaySoError:
    """The same things would be chosen for a case and for its opposite."""
    return SaySoError(
        Code.INVALID,
        f"'{thing.id}' says '{thing.which}', and the formula asks both whether something is so of "
        "it and whether it is not: what the one case means of several things is not the "
        "opposite of the other.",
        hint="list two entries of the same description, one for each case: one that says 'a' "
        "(or 'every') where some (or all) of them are so, and one that says 'none', with the '!', "
        "where none of them is; where one certain thing is meant, say 'the'.",
    )


def _check_numbers_apart(formula: Formula, things: Mapping[str, _Thing], used: set[Term]) -> None:
    """Raises INVALID for what is forbidden of things that are apart from a number of others."""
    for one in things.values():
        for other in (things[o] for o in one.apart if Variable(o) in used):
            kind = other.quantity.kind if other.quantity else "all"
            if kind in ("at least", "exactly") and forbidden(formula, Variable(one.id)):
                raise SaySoError(
                    Code.INVALID,
                    f"'{one.id}', which is forbidden, is different from '{other.id}', which says "
                    f"'{other.which}': it is not clear which ones are spared.",
                    hint=f"list each of those of '{other.id}' as an entry of its own that says "
                    f"'a', and name all of them under 'different_from' of '{one.id}'.",
                )


def _apart_if_alike(things: Mapping[str, _Thing], used: set[Term]) -> dict[str, _Thing]:
    """Things listed twice with one description are two: nobody lists one thing twice."""
    apart: dict[str, _Thing] = {}
    for thing in things.values():
        alike = (
            other.id
            for other in apart.values()
            if thing.quantity == other.quantity == SOME
            and (thing.referent, thing.where) == (other.referent, other.where)
            and {Variable(thing.id), Variable(other.id)} <= used
        )
        more = (i for i in alike if i not in thing.apart)
        apart[thing.id] = replace(thing, apart=(*thing.apart, *more))
    return apart


def _check_landmarks(thing: _Thing, things: Mapping[str, _Thing], used: set[Term]) -> None:
    """Raises INVALID where a place would be told by another thing than the one chosen."""
    for other in (o for _, others in thing.where for o in others):
        if Variable(other) in used:
            raise SaySoError(
                Code.INVALID,
                f"'{other}' tells where '{thing.id}' is, and the formula chooses it besides.",
                hint="say 'the' of it, or list it twice if another one may be meant.",
            )
        _check_landmarks(things[other], things, used)


def _left_out(thing: _Thing, other: _Thing, things: Mapping[str, _Thing], used: set[Term]) -> Term:
    """What a thing is apart from: a thing chosen elsewhere, or one or all that are described."""
    if Variable(other.id) in used and other.quantity != ALL:
        return Variable(other.id)
    description = _description(other, things)
    if other.quantity is None:
        return description
    if other.quantity == ALL and description == _description(thing, things):
        raise SaySoError(
            Code.INVALID,
            f"'{thing.id}' is every one but every one: nothing is left.",
            hint="describe what is left out more closely, or say in 'problem' what cannot be told.",
        )
    if other.quantity == ALL:
        return replace(description, quantifier="all")
    raise SaySoError(
        Code.INVALID,
        f"'{thing.id}' is different from '{other.id}', of which nothing is said.",
        hint=f"say in the formula what '{other.id}' is there for.",
    )


def _description(
    thing: _Thing, things: Mapping[str, _Thing], within: tuple[str, ...] = ()
) -> Referent:
    """A thing's description with those of the things that its place is told by."""
    if thing.id in within:
        circle = (*within[within.index(thing.id) :], thing.id)
        raise SaySoError(
            Code.INVALID,
            f"the place of '{thing.id}' is told by itself: {' by '.join(map(repr, circle))}.",
            hint="leave one of these places out.",
        )
    if len(within) > MAX_NESTING:
        raise SaySoError(
            Code.INVALID, f"the place of '{within[0]}' is told by more than {MAX_NESTING} steps."
        )
    relations = []
    for comparator, others in thing.where:
        arity = COMPARATORS.get(comparator)
        if arity is None:
            raise SaySoError(
                Code.INVALID, f"there is no relation '{comparator}'.", choices=COMPARATORS
            )
        if len(others) != arity:
            raise SaySoError(Code.INVALID, f"{comparator} is of {arity} things, got {len(others)}.")
        landmarks = tuple(_landmark(things[o], things, (*within, thing.id)) for o in others)
        relations.append(Relation(comparator, landmarks))
    return replace(thing.referent, relations=tuple(relations))


def _landmark(thing: _Thing, things: Mapping[str, _Thing], within: tuple[str, ...]) -> Referent:
    description = _description(thing, things, within)
    if _is_definite(thing):
        return description
    if thing.quantity == SOME and not thing.apart:
        return replace(description, quantifier="a")
    if thing.quantity == ALL and not thing.apart:
        return replace(description, quantifier="all")
    if thing.apart:
        raise SaySoError(
            Code.INVALID,
            f"'{thing.id}' tells where '{within[-1]}' is, and is different from "
            f"{', '.join(map(repr, thing.apart))}: only a thing by its own description tells that.",
            hint=f"leave 'different_from' of '{thing.id}' empty and describe it by its colour, "
            "size or place; or leave that place out.",
        )
    raise SaySoError(
        Code.INVALID,
        f"'{thing.id}' cannot tell a place.",
        hint="only 'the', 'a' or 'every' thing can; describe the place in another way.",
    )


def assumptions(said: Sequence[str]) -> tuple[str, ...]:
    """What a model took for granted: one line each, and not more than a person will read."""
    lines = (" ".join(str(s).split())[:MAX_ASSUMPTION_CHARACTERS] for s in said)
    return tuple(line for line in lines if line.strip(".") and line.isprintable())[:MAX_ASSUMPTIONS]


def problem(data: Mapping[str, Any]) -> str:
    """Why a model found no meaning: one line, without what a terminal would obey."""
    shown = "".join(c if c.isprintable() else " " for c in str(data["problem"]))
    line = " ".join(shown.split())[:MAX_PROBLEM_CHARACTERS]
    return line or "the language model found no meaning."
