"""Options that several commands have."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sayso.adapters.llm import options as model_options


def add_sentences_option(command: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    command.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        help="what you would type, line by line (default: the terminal)",
    )


def add_confirm_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--confirm",
        choices=("ask", "auto"),
        default="auto" if not sys.stdin.isatty() else "ask",
        help="ask: a person confirms the reading before anything moves; auto: go ahead "
        "(default: ask on a terminal, else auto)",
    )


def add_namespace_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--namespace", default="", metavar="NAME", help="ROS namespace of the robot (default: none)"
    )


def add_model_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--llm",
        default="none",
        help="language model: none (controlled English), openai, replay, record[openai], "
        "cached[openai] (asks nothing twice)",
    )
    demo.add_argument("--model", default="", help="the language model's name")
    demo.add_argument("--base-url", default="", help="of an OpenAI-compatible server")
    demo.add_argument("--cassette", default="", metavar="FILE", help="of replay, record and cached")
    model_options.add(demo)
