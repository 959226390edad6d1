"""The command line's options of how a language model is called."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sayso.adapters.llm.access import ModelAccess
from sayso.core import options

PARAMETERS: Mapping[str, str] = {
    "llm_timeout": "llm_timeout_s",
    "temperature": "llm_temperature",
    "max_tokens": "llm_max_tokens",
    "attempts": "llm_attempts",
}
"""Options and the node parameters and launch arguments of the same meaning."""


def add(parser: Any, timeout: str = "--llm-timeout") -> None:
    """The options, for a parser or a group of one; `timeout` is how that one is called."""
    options.add(parser, ModelAccess, timeout_s=(timeout,))


def access(given: argparse.Namespace, llm: str = "", cassette: str = "") -> ModelAccess:
    """What the options say, perhaps with another backend or cassette."""
    said = options.read(given, ModelAccess)
    return replace(said, llm=llm or said.llm, cassette=cassette or said.cassette)


def launch_arguments(given: argparse.Namespace) -> dict[str, str]:
    """All of the model's options for a launch file."""
    names = {n: n for n in ("llm", "model", "base_url", "cassette")} | dict(PARAMETERS)
    return {argument: str(getattr(given, option)) for option, argument in names.items()}
