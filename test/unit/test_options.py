"""Options of a command line are the fields of a dataclass, and come back as one."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

import pytest

from sayso.core.options import add, option, read


@dataclass(frozen=True)
class Course:
    """How a robot is taught."""

    lessons: int = option(10, "how many", "N")
    style: str = option("plain", "of the words", choices=("plain", "varied"))
    wrong_share: float = option(0.0, "of the words", "SHARE")
    most: int | None = option(None, "at most so many")
    files: tuple[Path, ...] = option((), "to read", "FILE")
    noisy: bool = option(False, "as cameras are")
    finding: bool = option(True, "without looking", flags=("--no-finding",))
    seed: int = 3


def course(*words: str) -> Course:
    parser = ArgumentParser()
    add(parser, Course)
    return read(parser.parse_args(words), Course)


def test_what_is_not_said_is_as_by_default() -> None:
    assert course() == Course()


def test_what_is_said_is_of_the_fields_own_kind() -> None:
    said = ("--lessons", "4", "--style", "varied", "--wrong-share", "0.2", "--most", "7")
    told = course(*said, "--files", "a", "b/c", "--noisy", "--no-finding")
    assert told == Course(4, "varied", 0.2, 7, (Path("a"), Path("b/c")), True, False)


@pytest.mark.parametrize(
    "words",
    [("--lessons", "x"), ("--style", "odd"), ("--seed", "1"), ("--finding",), ("--files",)],
)
def test_what_does_not_fit_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        course(*words)
