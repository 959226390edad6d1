"""Instructions of the LIMP paper, interpreted and compared with gold formulas.

The instructions (a JSON list of `set`, `n`, `text`) and the gold formulas (JSON lines) are files
given by path; the formulas for four of the five sets come with this package. A gold line has

    set, n      which instruction
    formula     what an instructor would mean, over the predicates of the flat
    also        further formulas that are as right (may be missing)
    status      "ok", "contradiction", "cut off" (the text ends in the middle of a word) or
                "approximate" (the flat has no predicate for what is asked)
    code        the status code that is expected of a contradiction
    note        why a reading was chosen
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from statistics import mean, median
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.files import fault, text_of
from sayso.evaluation.measures import Closeness, WordErrors, closeness
from sayso.language.lexicon import Lexicon
from sayso.language.vocabulary import check_vocabulary
from sayso.logic.formula import Formula
from sayso.logic.progression import can_be_fulfilled
from sayso.logic.text import parse

Interpreter = Callable[[str], Formula]
SETS = ("NLMD", "NLMC", "OKRB", "CT", "CST")

PAPER_WORD_ERRORS: Mapping[str, tuple[float, float, float]] = {
    "NLMap-SayCan": (0.09, 0.12, 0.05),
    "Code-as-Policies": (0.22, 0.24, 0.06),
    "LIMP, one stage": (0.09, 0.11, 0.05),
    "LIMP, two stages, random examples": (0.08, 0.11, 0.03),
    "LIMP, two stages, similar examples": (0.07, 0.04, 0.03),
}
"""Table 1 of the paper: average word error rates of referents, avoidance, spatial relations."""

PAPER_ALIGNMENT: Mapping[str, tuple[float, float, float, float, float]] = {
    "NLMap-SayCan": (0.88, 0.96, 1.00, 0.32, 0.41),
    "Code-as-Policies": (0.58, 0.68, 1.00, 0.35, 0.38),
    "LIMP, one stage": (0.79, 0.64, 1.00, 0.68, 0.74),
    "LIMP, two stages, random examples": (0.83, 0.68, 1.00, 0.76, 0.85),
    "LIMP, two stages, similar examples": (0.88, 0.80, 1.00, 0.76, 0.92),
}
"""Table 2 of the paper: share of instructions that are temporally aligned, in each set."""


@dataclass(frozen=True)
class Gold:
    """What an instruction means.

    Attributes:
        readings: the formula, and further ones that are as right.
        code: what an interpreter or the automaton should answer instead, if that is an error.
    """

    readings: tuple[Formula, ...]
    status: str = "ok"
    code: Code = Code.OK
    note: str = ""


@dataclass(frozen=True)
class Instruction:
    """One instruction of a set, with its gold."""

    set: str
    n: int
    text: str
    gold: Gold


@dataclass(frozen=True)
class Row:
    """What became of an instruction.

    Attributes:
        code: OK if a formula was given, else of the refusal.
        closeness: None for a contradiction, of which no formula is right or wrong.
        right: equivalent to a gold reading; for a contradiction: found to be one.
        seconds: that the interpreter took.
    """

    set: str
    n: int
    status: str
    code: Code
    message: str
    formula: Formula | None
    closeness: Closeness | None
    right: bool
    seconds: float


def bundled_gold() -> Path:
    """The gold formulas that come with SaySo: NLMD, NLMC, OKRB and CT."""
    return Path(str(resources.files("sayso") / "evaluation" / "gold" / "limp_gold.jsonl"))


def read_gold(path: Path) -> dict[tuple[str, int], Gold]:
    """Gold formulas by set and number.

    Raises:
        SaySoError: CONFIG if there is no such file; CORRUPT with the line at fault.
    """
    lexicon = Lexicon.of(load(builtin_path("flat")))
    text = text_of(path, "the gold file", "leave --gold out for SaySo's own, or name a file.")
    found: dict[tuple[str, int], Gold] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            key, gold = _gold(json.loads(line), lexicon)
        except (ValueError, KeyError, TypeError, AttributeError, SaySoError) as error:
            raise SaySoError(
                Code.CORRUPT,
                f"{path}, line {number}, is not a gold formula: {fault(error)}.",
                choices=getattr(error, "choices", ()),
                hint="mend the line; it needs set, n and formula.",
            ) from error
        found[key] = gold
    return found


def _gold(entry: Mapping[str, Any], lexicon: Lexicon) -> tuple[tuple[str, int], Gold]:
    """An entry of a gold file. Raises what any part that is missing or wrong raises."""
    key = str(entry["set"]), int(entry["n"])
    readings = tuple(parse(f) for f in (entry["formula"], *entry.get("also", ())))
    for reading in readings:
        check_vocabulary(reading, lexicon)
    name = entry.get("code", "OK")
    if name not in Code.__members__:
        raise SaySoError(Code.INVALID, f"there is no code '{name}'.", choices=Code.__members__)
    return key, Gold(readings, entry.get("status", "ok"), Code[name], entry.get("note", ""))


def read_instructions(path: Path, gold: Mapping[tuple[str, int], Gold]) -> tuple[Instruction, ...]:
    """The instructions that have a gold formula.

    Raises:
        SaySoError: CONFIG if there is no such file; CORRUPT if it is no list of instructions;
            INVALID if none has a gold formula.
    """
    text = text_of(path, "the file of instructions", "name the JSON file of the instructions.")
    try:
        entries = [(str(e["set"]), int(e["n"]), str(e["text"])) for e in json.loads(text)]
    except (ValueError, KeyError, TypeError) as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{path} is not a list of instructions with set, n and text: {fault(error)}.",
            hint='mend it, or name another file: [{"set": "CT", "n": 1, "text": "..."}, ...].',
        ) from error
    found = tuple(
        Instruction(s, n, text, gold[s, n]) for s, n, text in entries if (s, n) in gold
    )  # fmt: skip
    if not found:
        raise SaySoError(
            Code.INVALID,
            f"no instruction of {path} has a gold formula.",
            hint="give the gold file of these instructions.",
        )
    return found


def evaluate_one(instruction: Instruction, interpreter: Interpreter) -> Row:
    """One instruction interpreted and measured."""
    started = time.perf_counter()
    formula: Formula | None = None
    code, message = Code.OK, ""
    try:
        formula = interpreter(instruction.text)
    except SaySoError as error:
        code, message = error.code, error.message
    seconds = time.perf_counter() - started
    near, right = _judged(instruction.gold, formula, code)
    return Row(
        instruction.set, instruction.n, instruction.gold.status, code, message, formula, near,
        right, seconds,
    )  # fmt: skip


def _judged(gold: Gold, formula: Formula | None, code: Code) -> tuple[Closeness | None, bool]:
    if gold.code is Code.CONTRADICTION:
        unsatisfiable = formula is not None and not can_be_fulfilled(formula)
        return None, code is Code.CONTRADICTION or unsatisfiable
    closest = min((closeness(formula, g) for g in gold.readings), key=_rank)
    return closest, closest.equivalent


def _rank(near: Closeness) -> tuple[bool, bool, float]:
    return not near.equivalent, not near.aligned, near.referents.rate


# -- what came out ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Shares:
    """Counts over the rows of one set, or of all.

    Attributes:
        aligned: rows whose task structure is right; a contradiction counts if it was found.
        wrong: rows with a formula that is not right.
    """

    rows: int
    understood: int
    right: int
    aligned: int
    wrong: int


def shares(rows: Sequence[Row]) -> Shares:
    """Counts over rows."""
    understood = [r for r in rows if r.formula is not None or (r.right and r.closeness is None)]
    return Shares(
        len(rows),
        len(understood),
        sum(r.right for r in rows),
        sum(r.closeness.aligned if r.closeness else r.right for r in rows),
        sum(not r.right for r in understood),
    )


def word_error_rates(rows: Sequence[Row]) -> tuple[float | None, float | None, float | None]:
    """Average rates of referents, avoidance and spatial relations; None where there are none."""
    near = [r.closeness for r in rows if r.closeness is not None]
    return (
        _average(c.referents for c in near),
        _average(c.avoidance for c in near),
        _average(c.spatial for c in near),
    )


def _average(errors: Iterable[WordErrors | None]) -> float | None:
    rates = [e.rate for e in errors if e is not None]
    return mean(rates) if rates else None


def report(rows: Sequence[Row], name: str) -> str:
    """Tables in Markdown: this run, beside the figures of the paper."""
    present = [s for s in SETS if any(r.set == s for r in rows)]
    understood = [r for r in rows if r.formula is not None]
    seconds = median(r.seconds for r in rows) if rows else 0.0
    return "\n".join(
        (
            f"# LIMP instructions by {name}",
            "",
            *_share_table(rows, present),
            "",
            f"Median time for an instruction: {1000 * seconds:.2f} ms.",
            "",
            "## Average word error rates (paper: Table 1)",
            "",
            "| approach | referents | avoidance | spatial relations |",
            "|---|---|---|---|",
            _rates_row(f"{name}, all ({len(rows)})", word_error_rates(rows)),
            _rates_row(f"{name}, understood ({len(understood)})", word_error_rates(understood)),
            *(_rates_row(f"{n} (paper, 150)", r) for n, r in PAPER_WORD_ERRORS.items()),
            "",
            "What was not understood counts with an error for every word.",
            "",
            "## Temporal alignment (paper: Table 2)",
            "",
            *_alignment_table(rows, present, name),
        )
    )


def _share_table(rows: Sequence[Row], present: Sequence[str]) -> list[str]:
    lines = ["| set | instructions | understood | right | wrong |", "|---|---|---|---|---|"]
    for label, members in (*((s, [r for r in rows if r.set == s]) for s in present), ("all", rows)):
        c = shares(members)
        lines.append(
            f"| {label} | {c.rows} | {_percent(c.understood, c.rows)} "
            f"| {_percent(c.right, c.rows)} | {c.wrong} |"
        )
    return lines


def _alignment_table(rows: Sequence[Row], present: Sequence[str], name: str) -> list[str]:
    own = []
    for each in present:
        c = shares([r for r in rows if r.set == each])
        own.append(_percent(c.aligned, c.rows))
    lines = [
        f"| approach | {' | '.join(present)} |",
        "|---" * (len(present) + 1) + "|",
        f"| {name} | {' | '.join(own)} |",
    ]
    for approach, figures in PAPER_ALIGNMENT.items():
        of_set = dict(zip(SETS, figures, strict=True))
        cells = " | ".join(f"{of_set[s]:.0%}" for s in present)
        lines.append(f"| {approach} (paper) | {cells} |")
    return lines


def _rates_row(label: str, rates: Iterable[float | None]) -> str:
    cells = " | ".join("-" if r is None else f"{r:.2f}" for r in rates)
    return f"| {label} | {cells} |"


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%} ({part})" if whole else "-"
