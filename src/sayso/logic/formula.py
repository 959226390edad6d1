"""Linear temporal logic over finite traces (LTLf) whose propositions are predicates.

A proposition's arguments are names of objects in the scene (grounded), `Referent`s:
descriptions in words that still have to be found in the scene (LIMP's composable referent
descriptors, section IV-A of the paper), or `Variable`s of a `Quantified` formula around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from sayso.core import symbols
from sayso.core.errors import Code, SaySoError

COLORS = (
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white",
    "grey",
)  # fmt: skip
SIZES = ("small", "big")
ATTRIBUTES = frozenset((*COLORS, *SIZES))
LIMP_COMPARATORS: Mapping[str, int] = {
    "isbetween": 2,
    "isabove": 1,
    "isbelow": 1,
    "isleftof": 1,
    "isrightof": 1,
    "isnextto": 1,
    "isinfrontof": 1,
    "isbehind": 1,
}
"""LIMP's eight comparators and how many other referents each takes."""
COMPARATORS: Mapping[str, int] = {
    **LIMP_COMPARATORS,
    "isin": 1,
    "contains": 1,
    "isbiggerthan": 1,
    "issmallerthan": 1,
    "isnearest": 1,
    "isfarthest": 1,
}
"""All of them; the last two choose one of the things that fit otherwise."""

Quantifier: TypeAlias = Literal["the", "a", "all", "no", "one", "two", "three", "four", "five"]
SO_MANY: Mapping[Quantifier, int] = {
    "no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
}  # fmt: skip
"""Quantifiers of landmarks of which exactly so many stand in the relation."""


@dataclass(frozen=True, order=True)
class Relation:
    """One comparator of a descriptor: `isleftof(mug)`."""

    comparator: str
    others: tuple[Referent, ...]

    def __str__(self) -> str:
        return f"{self.comparator}({', '.join(map(str, self.others))})"


@dataclass(frozen=True, order=True)
class Referent:
    """A thing described in words.

    Attributes:
        noun: the kind of thing, lower case, such as "block" or "plush toy".
        attributes: colour and size words, sorted.
        relations: spatial conditions that must all hold.
        quantifier: "the" one such thing, "a"ny one of them, or "all" of them; of a landmark also
            exactly "no", "one", "two" ... of them: the third block from the left is right of two.
    """

    noun: str
    attributes: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    quantifier: Quantifier = "the"

    @property
    def kind(self) -> str:
        """The noun without the number that tells different ones apart: "soda" of "a soda 2"."""
        stem, _, last = self.noun.rpartition(" ")
        return stem if stem and last.isdecimal() else self.noun

    @property
    def number(self) -> int:
        """Which of several different ones, from 1; 0 if that is not said."""
        return int(self.noun.rpartition(" ")[2]) if self.kind != self.noun else 0

    def __str__(self) -> str:
        """The descriptor as text: `red_block::isleftof(mug)`, `a red_block`, `all block`."""
        words = "_".join((*self.attributes, *self.noun.split()))
        text = "::".join((words, *map(str, self.relations)))
        return text if self.quantifier == "the" else f"{self.quantifier} {text}"


@dataclass(frozen=True, order=True)
class Variable:
    """A thing that a `Quantified` formula speaks of, by a name such as "x"."""

    name: str

    def __str__(self) -> str:
        return self.name


Term: TypeAlias = "Referent | Variable | str"

QuantityKind: TypeAlias = Literal["all", "some", "only", "at least", "at most", "exactly"]
COUNTED: tuple[QuantityKind, ...] = ("at least", "at most", "exactly")


@dataclass(frozen=True, order=True)
class Quantity:
    """How many things: "all", "some" (at least one), the "only" one, or a number of them.

    Attributes:
        there: of "all": how many of them the words speak of ("both" of 2), which is asked about
            where the scene has another number; 0 if the words do not say. What is true of a trace
            is the same, so it does not tell quantities apart.
    """

    kind: QuantityKind
    number: int = 1
    there: int = field(default=0, compare=False)

    def __str__(self) -> str:
        number = self.number if self.kind in COUNTED else self.there
        return f"{self.kind} {number}" if number else self.kind

    @property
    def is_plural(self) -> bool:
        """Whether the noun after it stands in the plural: "at least 2 blocks"."""
        return (self.kind in COUNTED and self.number != 1) or self.there > 1


ALL = Quantity("all")
SOME = Quantity("some")
ONLY = Quantity("only")


@dataclass(frozen=True)
class Top:
    """True."""


@dataclass(frozen=True)
class Bottom:
    """False."""


@dataclass(frozen=True)
class Prop:
    """A predicate applied to referents or to object names."""

    predicate: str
    args: tuple[Term, ...] = ()

    @property
    def grounded(self) -> bool:
        return all(isinstance(a, str) for a in self.args)

    @property
    def referents(self) -> tuple[Referent, ...]:
        """The descriptions among the arguments."""
        return tuple(a for a in self.args if isinstance(a, Referent))


@dataclass(frozen=True)
class Not:
    arg: Formula


@dataclass(frozen=True)
class And:
    args: tuple[Formula, ...]


@dataclass(frozen=True)
class Or:
    args: tuple[Formula, ...]


@dataclass(frozen=True)
class Next:
    """X: there is a next step and it satisfies the argument."""

    arg: Formula


@dataclass(frozen=True)
class WeakNext:
    """WX: there is no next step, or it satisfies the argument."""

    arg: Formula


@dataclass(frozen=True)
class Until:
    """left holds at every step before some step at which right holds."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Release:
    """right holds up to and including the step at which left does, or to the end."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Eventually:
    """F: at some step from now on."""

    arg: Formula


@dataclass(frozen=True)
class Always:
    """G: at every step from now on."""

    arg: Formula


@dataclass(frozen=True)
class Quantified:
    """The body holds for a quantity of the things that fit a description.

    Grounding replaces it by what it says of the things that are there.

    Attributes:
        variable: what the body calls such a thing.
        domain: the description; its quantifier is made "all" or "a" by the quantity.
        apart_from: things that are left out: variables bound outside ("another block"), names,
            "the" descriptions (one thing each), and descriptions with the quantifier "all" (all
            that fit, if any: "all but the red ones").
    """

    quantity: Quantity
    variable: Variable
    domain: Referent
    body: Formula
    apart_from: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        quantifier: Quantifier = "all" if self.quantity.kind == "all" else "a"
        object.__setattr__(self, "domain", replace(self.domain, quantifier=quantifier))


Formula: TypeAlias = (
    Top | Bottom | Prop | Not | And | Or | Next | WeakNext | Until | Release | Eventually
    | Always | Quantified
)  # fmt: skip


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct subformulas, left to right."""
    match formula:
        case Not(a) | Next(a) | WeakNext(a) | Eventually(a) | Always(a):
            return (a,)
        case And(args) | Or(args):
            return args
        case Until(left, right) | Release(left, right):
            return (left, right)
        case Quantified():
            return (formula.body,)
        case _:
            return ()


def with_children(formula: Formula, parts: Sequence[Formula]) -> Formula:
    """The formula with other direct subformulas."""
    match formula:
        case And() | Or():
            return type(formula)(tuple(parts))
        case Quantified():
            return replace(formula, body=parts[0])
        case Top() | Bottom() | Prop():
            return formula
        case _:
            return type(formula)(*parts)


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all its subformulas, outermost first."""
    yield formula
    for child in children(formula):
        yield from walk(child)


def not_grounded(formula: Quantified) -> SaySoError:
    """What is wrong where only the things of a scene can be spoken of."""
    return SaySoError(
        Code.INVALID,
        f"'{formula.quantity} {formula.variable} in {formula.domain}' has to be grounded in a "
        "scene first.",
        hint="ground the specification, then use its formula.",
    )


def propositions(formula: Formula) -> tuple[Prop, ...]:
    """The distinct propositions, in order of appearance."""
    return tuple(dict.fromkeys(f for f in walk(formula) if isinstance(f, Prop)))


def referents_of(formula: Formula, *, landmarks: bool = False) -> tuple[Referent, ...]:
    """The distinct descriptions in arguments and domains, in order of appearance.

    Args:
        landmarks: list those within a description, too, each after its description.
    """
    found: dict[Referent, None] = {}
    for part in walk(formula):
        terms: tuple[Term, ...] = ()
        if isinstance(part, Quantified):
            terms = (part.domain, *part.apart_from)
        elif isinstance(part, Prop):
            terms = part.args
        for referent in (t for t in terms if isinstance(t, Referent)):
            found.update(dict.fromkeys(nested(referent) if landmarks else (referent,)))
    return tuple(found)


def nested(referent: Referent) -> Iterator[Referent]:
    """The description and those of its landmarks, outermost first."""
    yield referent
    for relation in referent.relations:
        for other in relation.others:
            yield from nested(other)


def map_referents(formula: Formula, change: Callable[[Referent], Term]) -> Formula:
    """The formula with each description replaced, in arguments and domains alike.

    A domain stays as it is where `change` gives a term that is no description.
    """

    def changed(term: Term) -> Term:
        return change(term) if isinstance(term, Referent) else term

    match formula:
        case Prop(predicate, args):
            return Prop(predicate, tuple(map(changed, args)))
        case Quantified(domain=domain, body=body, apart_from=apart):
            new = change(domain)
            return replace(
                formula,
                domain=new if isinstance(new, Referent) else domain,
                body=map_referents(body, change),
                apart_from=tuple(map(changed, apart)),
            )
        case _:
            return with_children(formula, [map_referents(c, change) for c in children(formula)])


def clauses(formula: Formula) -> tuple[Formula, ...]:
    """The top-level conjuncts, nested ones flattened; (Top(),) for an empty conjunction."""
    if not isinstance(formula, And):
        return (formula,)
    members = tuple(c for a in formula.args for c in clauses(a))
    return members or (Top(),)


def map_propositions(formula: Formula, change: Callable[[Prop], Formula]) -> Formula:
    """The formula with each proposition replaced."""
    if isinstance(formula, Prop):
        return change(formula)
    return with_children(formula, [map_propositions(c, change) for c in children(formula)])


def of_literal(literal: symbols.Literal) -> Formula:
    """A literal as a formula."""
    prop = Prop(literal.atom.predicate, literal.atom.args)
    return prop if literal.positive else Not(prop)


def conjunction(*args: Formula) -> Formula:
    """And without nesting, duplicates or a single member."""
    return _flat(And, Top(), Bottom(), args)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The formulas that an And joins; of any other that one alone."""
    return formula.args if isinstance(formula, And) else (formula,)


def disjunction(*args: Formula) -> Formula:
    """Or without nesting, duplicates or a single member."""
    return _flat(Or, Bottom(), Top(), args)


def _flat(
    kind: type[And] | type[Or], unit: Formula, zero: Formula, args: tuple[Formula, ...]
) -> Formula:
    members: dict[Formula, None] = {}
    for arg in args:
        for member in arg.args if isinstance(arg, kind) else (arg,):
            members[member] = None
    members.pop(unit, None)
    if zero in members:
        return zero
    if not members:
        return unit
    return next(iter(members)) if len(members) == 1 else kind(tuple(members))
