"""Where "a ..." and numbers of things are bound: around everything that speaks of them."""

from __future__ import annotations

from collections.abc import Iterable

from sayso.language.references import Entity
from sayso.logic.formula import (
    And,
    Eventually,
    Formula,
    Prop,
    Quantified,
    Term,
    Until,
    Variable,
    children,
    conjunction,
    walk,
    with_children,
)


def close(formula: Formula, entities: Iterable[Entity], lasting: frozenset[str]) -> Formula:
    """The formula with each thing's quantifier around the smallest part that holds all mentions.

    A number of things that do not come about at one moment stands around the whole step: each of
    them has its own time.

    Args:
        lasting: predicates that stay true while the robot does something else.
        entities: in the order in which they were named; later ones may be "other than" earlier.
    """
    for entity in reversed(list(entities)):
        if entity.variable is not None and mentions(formula, entity.variable):
            formula = _bound(formula, entity, lasting)
    return formula


def mentions(formula: Formula, variable: Term) -> bool:
    """Whether a variable occurs in a formula."""
    match formula:
        case Prop(_, args):
            return variable in args
        case Quantified(variable=own, apart_from=apart, body=body):
            return variable in apart or (own != variable and mentions(body, variable))
    return any(mentions(c, variable) for c in children(formula))


def _bound(formula: Formula, entity: Entity, lasting: frozenset[str]) -> Formula:
    variable = entity.variable
    assert isinstance(variable, Variable) and entity.quantity is not None
    parts = children(formula)
    holding = [i for i, c in enumerate(parts) if mentions(c, variable)]
    own = isinstance(formula, Prop) or (
        isinstance(formula, Quantified) and variable in formula.apart_from
    )
    if not own and isinstance(formula, And) and len(holding) < len(parts):
        inner = conjunction(*(parts[i] for i in holding))
        before = parts[: holding[0]]
        after = [c for i, c in enumerate(parts) if i > holding[0] and i not in holding]
        return conjunction(*before, _bound(inner, entity, lasting), *after)
    counted = entity.quantity.kind != "some" and not _at_once(formula, variable, lasting)
    if not own and len(holding) == 1 and not (counted and isinstance(formula, _TIMED)):
        changed = list(parts)
        changed[holding[0]] = _bound(parts[holding[0]], entity, lasting)
        return with_children(formula, changed)
    return Quantified(entity.quantity, variable, entity.referent, formula, entity.apart)


_TIMED = (Eventually, Until)


def _at_once(formula: Formula, variable: Variable, lasting: frozenset[str]) -> bool:
    """Whether all that is said of the thing is one state that stays."""
    props = [f for f in walk(formula) if isinstance(f, Prop) and variable in f.args]
    return len(props) == 1 and props[0].predicate in lasting
