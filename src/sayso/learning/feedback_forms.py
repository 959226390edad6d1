"""The forms of what people say, read from `feedback_forms.txt`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sayso.core.errors import Code, SaySoError

FILE = "feedback_forms.txt"
_BEFORE_REASONS = r"(?= ?,? ?(?:because|since|as |for |while |:|,|\.)|$)"


@dataclass(frozen=True)
class Opening:
    """How feedback of a kind begins."""

    kind: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Forms:
    """All forms, in the order in which they are tried.

    Attributes:
        skipped: what an explanation may hold that tells nothing by itself.
    """

    openings: tuple[Opening, ...]
    skipped: tuple[re.Pattern[str], ...]

    def skips(self, clause: str) -> bool:
        """Whether a clause tells nothing by itself."""
        return any(pattern.fullmatch(clause) for pattern in self.skipped)


@cache
def forms() -> Forms:
    """The forms that SaySo comes with."""
    return read_forms((resources.files("sayso.learning") / FILE).read_text(encoding="utf-8"))


def read_forms(text: str) -> Forms:
    """The forms of a text. Raises CORRUPT, naming the line that is none."""
    parts: dict[str, str] = {}
    openings: list[Opening] = []
    skipped: list[re.Pattern[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            word, rest = line.split(" ", 1)
            if word == "let":
                name, pattern = rest.split(" = ", 1)
                parts[name] = _filled(pattern, parts)
            elif word == "skip":
                skipped.append(re.compile(_filled(rest, parts)))
            else:
                openings.append(_opening(word, rest, parts))
        except (ValueError, KeyError, re.error) as error:
            raise SaySoError(
                Code.CORRUPT, f"line {number} of {FILE} is no form: {error}.", hint="see its head."
            ) from error
    return Forms(tuple(openings), tuple(skipped))


def _opening(word: str, rest: str, parts: Mapping[str, str]) -> Opening:
    if word != "open":
        raise ValueError(f"'{word}' begins no line")
    kind, pattern = rest.split(" ", 1)
    explained = kind in ("UNSATISFIED", "INFEASIBLE", "NO")
    end = _BEFORE_REASONS if explained else "$"
    return Opening(kind, re.compile(f"(?:{_filled(pattern, parts)}){end}"))


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda m: parts[m[1]], pattern)
