"""A library's predicates towards a language model: how they are told, and how replies are held
to them."""

from __future__ import annotations

from sayso.core.errors import Code, SaySoError
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Formula, propositions


def check_vocabulary(formula: Formula, lexicon: Lexicon) -> None:
    """Raises INVALID unless every proposition is a predicate of the library, rightly used."""
    for prop in propositions(formula):
        predicate = lexicon.predicates.get(prop.predicate)
        if predicate is None:
            raise SaySoError(
                Code.INVALID,
                f"there is no predicate '{prop.predicate}'.",
                choices=lexicon.predicates,
            )
        if len(prop.args) != predicate.arity:
            raise SaySoError(
                Code.INVALID,
                f"{prop.predicate} takes {predicate.arity} arguments, got {len(prop.args)}.",
            )


def predicates_in_words(lexicon: Lexicon) -> str:
    """A line for each predicate: its name, its parameters, and its English."""
    return "\n".join(
        f"- {p.name}({', '.join(p.parameters)}): {p.english.format(*p.parameters)}"
        for p in lexicon.predicates.values()
    )
