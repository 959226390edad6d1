"""Libraries with predicates that a language model wrote, loaded so that these are confined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sayso.core.library import Compiler
from sayso.core.predicates import PredicateFunction
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.learning.predicate_code import compile_learned


def compiler(process: PredicateSandbox) -> Compiler:
    """For `core.library.load`: a model's predicates run in the process, a synthesiser's here.

    The compiler raises INVALID for a synthesiser's text that is not allowed.
    """

    def compiled(
        name: str, source: str, arity: int, provenance: Mapping[str, Any]
    ) -> PredicateFunction:
        if provenance.get("by") == "model":
            return process.function(name, source, arity)
        return compile_learned(name, source, arity)

    return compiled
