"""The library that a node's parameter names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sayso.core import library
from sayso.core.library import Library
from sayso.core.predicates import PredicateFunction
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox


def load_library(name: str) -> Library:
    """A library that ships with SaySo by its name, or a folder by its path (with a slash).

    The process that a model's predicates run in ends with the last of them.

    Raises:
        SaySoError: CORRUPT if it is missing or cannot be read.
    """
    path = Path(name).expanduser() if "/" in name else library.builtin_path(name)
    return library.load(path, compiler(PredicateSandbox()))


def load_operators(path: Path) -> Library:
    """A learned library for planning: none of its predicates' texts is run.

    Raises:
        SaySoError: CORRUPT or INVALID, see `core.library.load`.
    """
    return library.load(path, _unasked)


def _unasked(*_: str | int | Mapping[str, Any]) -> PredicateFunction:
    return lambda *_: None
