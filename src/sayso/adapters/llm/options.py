"""The command line's options of how a language model is called."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from sayso.adapters.llm.access import ModelAccess

PARAMETERS: Mapping[str, str] = {
    "llm_timeout": "llm_timeout_s",
    "temperature": "llm_temperature",
    "max_tokens": "llm_max_tokens",
    "attempts": "llm_attempts",
}
"""Options and the node parameters and launch arguments of the same meaning."""


def add(parser: Any, timeout: str = "--llm-timeout") -> None:
    """The options, for a parser or a group of one; `timeout` is how the first is called."""
    default = ModelAccess()
    parser.add_argument(
        timeout,
        dest="llm_timeout",
        type=float,
        default=default.timeout_s,
        metavar="S",
        help=f"for a call of the model as a whole (default {default.timeout_s:g} s)",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        default=default.temperature,
        help=f"of the model, 0 to 2 (default {default.temperature:g})",
    )
    parser.add_argument(
        "--max-tokens",
        type=int,
        default=default.max_tokens,
        metavar="N",
        help=f"of a reply, with the reasoning before it (default {default.max_tokens})",
    )
    parser.add_argument(
        "--attempts",
        type=int,
        default=default.attempts,
        metavar="N",
        help=f"calls for a question while the server is busy (default {default.attempts})",
    )


def access(options: argparse.Namespace, llm: str = "", cassette: str = "") -> ModelAccess:
    """What the options say, perhaps with another backend or cassette."""
    return ModelAccess(
        llm or options.llm,
        options.model,
        options.base_url,
        cassette or options.cassette,
        options.llm_timeout,
        options.temperature,
        options.max_tokens,
        options.attempts,
    )


def launch_arguments(options: argparse.Namespace) -> dict[str, str]:
    """All of the model's options for a launch file."""
    names = {n: n for n in ("llm", "model", "base_url", "cassette")} | dict(PARAMETERS)
    return {argument: str(getattr(options, option)) for option, argument in names.items()}
