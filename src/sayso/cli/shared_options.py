"""Options that several commands have."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


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
