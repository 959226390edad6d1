"""The forms of what people say, read from `feedback_forms.txt`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sayso.core.errors import Code, SaySoError

FILE = "feedback_forms.txt"
_RELATED = (
    ("yes", "{X} {RESTS} %s"),
    ("yes", "{X} (?:has|is) (?:been )?{PUT} %s"),
    ("yes", "you (?:have )?{PUT} {X} %s"),
    ("no", "{X} (?:is|has) not (?:been )?(?:{PUT} |lying |standing |resting )?%s"),
    ("no", "{X} does not (?:lie|stand|sit|rest) %s"),
    ("no", "you (?:have|did) not {PUT} {X} %s"),
    ("no", "{X} (?:should|must|has to) be %s(?: but (?:it )?is not)?"),
    ("no", "i (?:wanted|asked for|meant) {X} (?:to be )?%s"),
    ("no", "{X} (?:has|needs) to (?:go|be put|be placed) %s"),
)
"""The sayings of "X is on Y" and the like, before their ends."""
_BEFORE_REASONS = r"(?= ?,? ?(?:because|since|as |for |while |:|,|\.)|$)"


@dataclass(frozen=True)
class ClauseForm:
    """A saying of a predicate; its groups `X` and `Y` are the arguments."""

    predicate: str
    truth: bool
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Opening:
    """How feedback of a kind begins."""

    kind: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Rewording:
    """Another saying of the same."""

    pattern: re.Pattern[str]
    text: str


@dataclass(frozen=True)
class Forms:
    """All forms, in the order in which they are tried.

    Attributes:
        skipped: what an explanation may hold that tells nothing by itself.
        meanings: by common predicate its English, its denial's, and another saying or ''.
    """

    clauses: tuple[ClauseForm, ...]
    openings: tuple[Opening, ...]
    rewordings: tuple[Rewording, ...]
    skipped: tuple[re.Pattern[str], ...]
    meanings: Mapping[str, tuple[str, str, str]]

    def skips(self, clause: str) -> bool:
        """Whether a clause tells nothing by itself."""
        return any(pattern.fullmatch(clause) for pattern in self.skipped)

    def reworded(self, clause: str) -> list[str]:
        """The clauses that a clause amounts to, mostly itself."""
        for rewording in self.rewordings:
            clause = " ".join(rewording.pattern.sub(rewording.text, clause).split())
        return clause.split(" ; ")


@cache
def forms() -> Forms:
    """The forms that SaySo comes with."""
    return read_forms((resources.files("sayso.learning") / FILE).read_text(encoding="utf-8"))


def read_forms(text: str) -> Forms:
    """The forms of a text. Raises CORRUPT, naming the line that is none."""
    parts: dict[str, str] = {}
    clauses: list[ClauseForm] = []
    openings: list[Opening] = []
    rewordings: list[Rewording] = []
    skipped: list[re.Pattern[str]] = []
    meanings: dict[str, tuple[str, str, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            word, rest = line.split(" ", 1)
            if word == "let":
                name, pattern = rest.split(" = ", 1)
                parts[name] = _filled(pattern, parts)
            elif word == "say":
                predicate, truth, pattern = rest.split(" ", 2)
                clauses.append(_clause(predicate, truth, pattern, parts))
            elif word == "relate":
                predicate, end = rest.split(" ", 1)
                clauses += [_clause(predicate, t, form % end, parts) for t, form in _RELATED]
            elif word == "mean":
                name, english, denial, more = (*map(str.strip, rest.split("|")), "")[:4]
                meanings[name] = (english, denial, more)
            elif word == "skip":
                skipped.append(re.compile(_filled(rest, parts)))
            elif word == "reword":
                pattern, saying = rest.split(" ->", 1)
                rewordings.append(Rewording(re.compile(_filled(pattern, parts)), saying.strip()))
            else:
                openings.append(_opening(word, rest, parts))
        except (ValueError, KeyError, re.error) as error:
            raise SaySoError(
                Code.CORRUPT, f"line {number} of {FILE} is no form: {error}.", hint="see its head."
            ) from error
    return Forms(tuple(clauses), tuple(openings), tuple(rewordings), tuple(skipped), meanings)


def _clause(predicate: str, truth: str, pattern: str, parts: Mapping[str, str]) -> ClauseForm:
    return ClauseForm(
        predicate, {"yes": True, "no": False}[truth], re.compile(_filled(pattern, parts))
    )


def _opening(word: str, rest: str, parts: Mapping[str, str]) -> Opening:
    if word != "open":
        raise ValueError(f"'{word}' begins no line")
    kind, pattern = rest.split(" ", 1)
    explained = kind in ("UNSATISFIED", "INFEASIBLE", "NO")
    end = _BEFORE_REASONS if explained else "$"
    return Opening(kind, re.compile(f"(?:{_filled(pattern, parts)}){end}"))


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z]+)\}", lambda m: parts[m[1]], pattern)
