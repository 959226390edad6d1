"""Atoms, literals and actions in English, for explanations of plans and of their absence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sayso.core.predicates import Predicate
from sayso.core.symbols import Action, Domain, Literal
from sayso.logic.english import clause, describe, read_back
from sayso.logic.formula import Formula, Prop


def fact(literal: Literal, predicates: Mapping[str, Predicate]) -> str:
    """ "the red block is on the plate", or the literal's text where the English is not known."""
    predicate = predicates.get(literal.atom.predicate)
    if predicate is None or not (predicate.english and predicate.english_not):
        return str(literal)
    return clause(Prop(literal.atom.predicate, literal.atom.args), predicates, literal.positive)


def quoted(formula: Formula, predicates: Mapping[str, Predicate]) -> str:
    """A part of the task as it is read back, in quotation marks."""
    return f'"{read_back(formula, predicates).rstrip(".")}"'


def imperative(action: Action, domain: Domain) -> str:
    """ "put the red block on the plate", or the action's text where the English is not known."""
    english = next((op.english for op in domain.operators if op.name == action.name), "")
    return english.format(*map(describe, action.args)) if english else str(action)


def joined(parts: Iterable[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    items = list(parts)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"
