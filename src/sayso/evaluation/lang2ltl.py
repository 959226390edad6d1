"""Lifted instructions with formulas, such as those of Lang2LTL, compared on finite traces.

The data is a CSV file with the columns `pattern_type`, `props`, `utterance` and `ltl_formula` (in
prefix notation), in which places are single letters. An interpreter is given the utterance with
a name for each letter, and its formula must be the one of the data for these names.

The formulas of the data are about infinite traces, SaySo's about finite ones. They are compared
as LTLf, read in this way: the operators as they stand, but X as "the next step, if there is one",
since no next step was missed when a trace ends. `M` is strong release. `G F a` then says that a
holds at the last step, whatever came before: equality there means equal formulas, not patrolling.

SaySo's own conventions differ from the data's in places, and such formulas count as different: "do
not ... until" does not ask that the end comes, and "exactly once" is about the whole task.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median
from time import perf_counter

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.files import text_of
from sayso.evaluation.measures import equivalent
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Referent,
    Top,
    Until,
    WeakNext,
    conjunction,
    propositions,
)

Interpreter = Callable[[str], Formula]
NAMES: Mapping[str, str] = {
    "a": "desk", "b": "sofa", "c": "sink", "d": "fridge", "h": "bookshelf",
}  # fmt: skip
"""The places that the letters of the data stand for."""

_UNARY: Mapping[str, Callable[[Formula], Formula]] = {
    "!": Not, "F": Eventually, "G": Always, "X": WeakNext,
}  # fmt: skip
_BINARY: Mapping[str, Callable[[Formula, Formula], Formula]] = {
    "&": lambda a, b: And((a, b)),
    "|": lambda a, b: Or((a, b)),
    "U": Until,
    "i": lambda a, b: Or((Not(a), b)),
    "e": lambda a, b: And((Or((Not(a), b)), Or((Not(b), a)))),
    "M": lambda a, b: Until(b, And((a, b))),
}
_COLUMNS = "the columns pattern_type, utterance and ltl_formula"
_LETTER = re.compile(r"\b[a-z]\b")


@dataclass(frozen=True)
class Pair:
    """An utterance with names for its letters, and its formula about the same names."""

    pattern: str
    utterance: str
    formula: Formula


@dataclass(frozen=True)
class Row:
    """What became of an utterance.

    Attributes:
        code: OK if a formula was given, else of the refusal.
        right: equivalent to the formula of the data.
        right_apart: equivalent on traces in which the robot is at one place at a time.
        message: of the refusal.
    """

    pattern: str
    utterance: str
    code: Code
    formula: Formula | None
    right: bool
    right_apart: bool
    seconds: float
    message: str = ""


def parse_prefix(text: str) -> Formula:
    """A formula in prefix notation, of places that are letters. Raises NOT_UNDERSTOOD."""
    tokens = text.split()[::-1]
    try:
        formula = _prefix(tokens)
    except (IndexError, RecursionError):
        raise _malformed(text) from None
    if tokens:
        raise _malformed(text)
    return formula


def _prefix(tokens: list[str]) -> Formula:
    token = tokens.pop()
    if unary := _UNARY.get(token):
        return unary(_prefix(tokens))
    if binary := _BINARY.get(token):
        left = _prefix(tokens)
        return binary(left, _prefix(tokens))
    if token not in NAMES:
        raise SaySoError(
            Code.NOT_UNDERSTOOD, f"'{token}' is no operator or place.",
            choices=(*_UNARY, *_BINARY, *NAMES),
        )  # fmt: skip
    return Prop("near", (Referent(NAMES[token]),))


def _malformed(text: str) -> SaySoError:
    return SaySoError(Code.NOT_UNDERSTOOD, f"'{text}' is not a formula in prefix notation.")


def named(utterance: str) -> str:
    """The utterance with "the desk" for its letter a, and so on."""
    return _LETTER.sub(lambda m: f"the {NAMES[m[0]]}" if m[0] in NAMES else m[0], utterance)


def read_pairs(path: Path) -> tuple[Pair, ...]:
    """The utterances of a file.

    Raises:
        SaySoError: CONFIG if there is no such file; CORRUPT with the line at fault.
    """
    text = text_of(path, "the file of utterances", f"name a CSV file with {_COLUMNS}.")
    try:
        rows = list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise SaySoError(
            Code.CORRUPT, f"{path} is not a CSV file: {error}.", hint=f"it needs {_COLUMNS}."
        ) from error
    return tuple(_pair(path, number, row) for number, row in enumerate(rows, 2))


def _pair(path: Path, number: int, row: Mapping[str, str | None]) -> Pair:
    pattern, utterance, formula = (row.get(k) for k in ("pattern_type", "utterance", "ltl_formula"))
    if not pattern or not utterance or not formula:
        raise SaySoError(
            Code.CORRUPT, f"{path}, line {number}, lacks a column.", hint=f"it needs {_COLUMNS}."
        )
    try:
        return Pair(pattern, named(utterance), parse_prefix(formula))
    except SaySoError as error:
        raise SaySoError(
            Code.CORRUPT, f"{path}, line {number}: {error.message}",
            choices=error.choices, hint="mend the line, or leave it out.",
        ) from error  # fmt: skip


def evaluate_one(pair: Pair, interpreter: Interpreter) -> Row:
    """One utterance interpreted and compared."""
    started = perf_counter()
    formula: Formula | None = None
    code, message = Code.OK, ""
    try:
        formula = interpreter(pair.utterance)
    except SaySoError as error:
        code, message = error.code, error.message
    seconds = perf_counter() - started
    right = apart = False
    if formula is not None:
        right = equivalent(formula, pair.formula)
        apart = right or equivalent(formula, pair.formula, _apart(formula, pair.formula))
    return Row(pair.pattern, pair.utterance, code, formula, right, apart, seconds, message)


def _apart(*formulas: Formula) -> Formula:
    """No two of the formulas' propositions hold at the same step."""
    props = dict.fromkeys(p for f in formulas for p in propositions(f))
    pairs = [Not(And(pair)) for pair in combinations(props, 2)]
    return Always(conjunction(*pairs)) if pairs else Top()


def report(rows: Sequence[Row], name: str) -> str:
    """A table in Markdown, by pattern."""
    lines = [
        f"# Lifted instructions by {name}",
        "",
        "| pattern | utterances | understood | right | right if places are apart | different |",
        "|---|---|---|---|---|---|",
    ]
    patterns = dict.fromkeys(r.pattern for r in rows)
    for label, members in (
        *((p, [r for r in rows if r.pattern == p]) for p in patterns),
        ("all", list(rows)),
    ):
        understood = sum(r.formula is not None for r in members)
        apart = sum(r.right_apart for r in members)
        lines.append(
            f"| {label} | {len(members)} | {understood} | {sum(r.right for r in members)} "
            f"| {apart} | {understood - apart} |"
        )
    if rows:
        lines += ["", f"Median time: {1000 * median(r.seconds for r in rows):.2f} ms."]
    return "\n".join(lines)
