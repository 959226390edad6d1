"""The library that a node's parameter names."""

from __future__ import annotations

from pathlib import Path

from sayso.core import library
from sayso.core.library import Library
from sayso.learning.model.code_process import CodeProcess
from sayso.learning.model.libraries import compiler


def load_library(name: str) -> Library:
    """A library that ships with SaySo by its name, or a folder by its path (with a slash).

    Raises:
        SaySoError: CORRUPT if it is missing or cannot be read.
    """
    path = Path(name).expanduser() if "/" in name else library.builtin_path(name)
    return library.load(path, compiler(CodeProcess()))
