"""What words refer to: one thing, each or so many of a kind, and several that are named together.

A thing that is "the ..." stands in a formula as its description. "A ...", "all ..." and numbers
become variables; where their quantifiers stand is decided by `sayso.logic.scope` and by the clause
that they are part of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sayso.core.errors import SaySoError
from sayso.logic.english import describe
from sayso.logic.formula import ALL, Formula, Quantified, Quantity, Referent, Term, Variable
from sayso.logic.scope import Unbound

Use: TypeAlias = Literal["goal", "forbidden", "condition"]
Refuse: TypeAlias = Callable[..., SaySoError]


class UnfitReadingError(SaySoError):
    """What was left out does not go with the verb before: the words are to be read otherwise."""


class UnclearRoleError(UnfitReadingError):
    """The words are clear, but not what they do to those before them; they may be read otherwise,
    but only as a whole."""


@dataclass(frozen=True)
class Entity:
    """What one description stands for.

    Attributes:
        referent: the description, without quantifier.
        quantity: how many such things; None for "the" one.
        variable: their name in formulas, if there is a quantity.
        apart: things that are left out.
    """

    referent: Referent
    quantity: Quantity | None = None
    variable: Variable | None = None
    apart: tuple[Term, ...] = ()

    @property
    def term(self) -> Term:
        return self.referent if self.variable is None else self.variable

    @property
    def unbound(self) -> Unbound | None:
        """What of it has to be bound in a formula; None for "the" one."""
        if self.variable is None or self.quantity is None:
            return None
        return Unbound(self.variable, self.quantity, self.referent, self.apart)

    @property
    def plural(self) -> bool:
        return self.quantity is not None and self.quantity.kind not in ("some", "only")

    @property
    def words(self) -> str:
        article = {None: "the", "some": "a", "only": "the other", "all": "all"}.get(
            self.quantity.kind if self.quantity else None, str(self.quantity)
        )
        return f"{article} {describe(self.referent).removeprefix('the ')}"


@dataclass(frozen=True)
class Group:
    """Things mentioned together.

    Attributes:
        joiner: "and", "or" or ''.
        none: whether "none of them" was said.
        aside: whether they only say where another thing is: "it" is rather that one.
        where: whether they stand where another thing is taken to or from.
        each: whether each of several is spoken of as one: "a block" that must not be touched.
    """

    entities: tuple[Entity, ...]
    joiner: str = ""
    none: bool = False
    aside: bool = False
    where: bool = False
    each: bool = False

    @property
    def plural(self) -> bool:
        return len(self.entities) > 1 or self.entities[0].plural


def same_thing(thing: Referent, mentioned: Iterable[Referent]) -> list[Referent]:
    """The referents that a shorter description may repeat: "the counter" the kitchen counter.

    Those of the same last word that have all the words of the description; itself, if it was
    mentioned in just these words.
    """
    known = list(dict.fromkeys(mentioned))
    if thing in known or thing.relations or thing.quantifier != "the":
        return [thing]
    said = own_words(thing)
    return [
        r
        for r in known
        if r.quantifier != "all"
        and r.noun.split()[-1] == thing.noun.split()[-1]
        and said <= own_words(r)
    ] or [thing]


def nouns_of(groups: Iterable[Group]) -> set[str]:
    """The nouns with which things were named."""
    return {e.referent.noun for g in groups for e in g.entities}


def own_words(thing: Referent) -> frozenset[str]:
    """The words that describe a thing, but for where it is."""
    return frozenset((*thing.attributes, *thing.noun.split()))


def waits(entity: Entity) -> bool:
    """Whether the quantifier is put around everything that speaks of the thing, at the end."""
    return entity.quantity is not None and entity.quantity.kind in ("some", "only", "at least")


def bound(formula: Formula, entities: Iterable[Entity]) -> Formula:
    """The formula with the quantifiers of things around it, the first outermost."""
    for entity in reversed(list(entities)):
        if entity.variable is None or entity.quantity is None:
            continue
        formula = Quantified(
            entity.quantity, entity.variable, entity.referent, formula, entity.apart
        )
    return formula


def product_of(groups: Sequence[Group]) -> Iterable[tuple[Entity, ...]]:
    """One entity of each group, in every combination."""
    if not groups:
        yield ()
        return
    for entity in groups[0].entities:
        for rest in product_of(groups[1:]):
            yield (entity, *rest)


def is_of_many(entity: Entity) -> bool:
    """Whether it is some of several things, or a number of them: other ones for each place."""
    return entity.quantity is not None and entity.quantity != ALL
