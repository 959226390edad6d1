"""Atoms, actions and failures in English, for explanations of plans and of their absence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from sayso.core.failure import Failure
from sayso.core.predicates import Predicate
from sayso.core.symbols import Action, Domain, Literal
from sayso.logic.english import clause, describe, read_back
from sayso.logic.formula import Formula, Prop


class Cause(Enum):
    """How much of a failure is told (Raman et al., "CAPE", 2024, section III-A)."""

    SUCCESS_ONLY = "success only"
    IMPLICIT = "implicit"
    EXPLICIT = "explicit"


def failure_text(failure: Failure, predicates: Mapping[str, Predicate], cause: Cause) -> str:
    """ "Task failed.", "I cannot open the drawer." or "I cannot open the drawer because ..." """
    if cause is Cause.SUCCESS_ONLY:
        return "Task failed."
    attempt = f"I cannot {failure.action.english or failure.action}"
    if cause is Cause.IMPLICIT:
        return f"{attempt}."
    return f"{attempt} because {violation(failure, predicates)}."


def violation(failure: Failure, predicates: Mapping[str, Predicate]) -> str:
    """What stood in the way: "the drawer is not open and it is not known whether ..."."""
    if not failure.checks:
        return failure.message.rstrip(".") or "it did not come out"
    return joined(
        f"it is not known whether {fact(c.literal, predicates)}"
        if c.observed is None
        else fact(Literal(c.literal.atom, not c.literal.positive), predicates)
        for c in failure.checks
    )


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
