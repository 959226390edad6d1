"""`sayso eval limp-language` and `sayso eval lang2ltl`: how well words become formulas."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation import lang2ltl, limp_language
from sayso.language.controlled_english import SOURCE, interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Formula
from sayso.logic.text import to_text


def add_parsers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The two evaluations as subcommands of `sayso eval`."""
    limp = commands.add_parser(
        "limp-language", help="instructions of the LIMP paper against gold formulas"
    )
    limp.add_argument("instructions", type=Path, help="JSON list of set, n and text")
    limp.add_argument(
        "--gold",
        type=Path,
        metavar="FILE",
        help="gold formulas, as JSON lines (default: ours for NLMD, NLMC, OKRB and CT)",
    )
    lifted = commands.add_parser("lang2ltl", help="lifted instructions against their formulas")
    lifted.add_argument("data", type=Path, help="CSV: pattern_type, props, utterance, ltl_formula")
    for command in (limp, lifted):
        command.add_argument("--rows", type=Path, metavar="FILE", help="write a JSON line for each")


def run(options: argparse.Namespace, console: Console) -> int:
    """Evaluate controlled English and print the report; 0 when done."""
    evaluations = {"limp-language": _limp, "lang2ltl": _lang2ltl}
    report, rows = evaluations[options.evaluation](options, controlled_english())
    if options.rows is not None:
        _write(options.rows, rows)
    console.print(report, markup=False, highlight=False)
    return 0


def controlled_english() -> Callable[[str], Formula]:
    """Controlled English of the flat, as an interpreter to evaluate."""
    lexicon = Lexicon.of(load(builtin_path("flat")))
    return lambda text: interpret(text, lexicon).formula


_Result = tuple[str, Iterable[Mapping[str, object]]]


def _limp(options: argparse.Namespace, interpreter: Callable[[str], Formula]) -> _Result:
    gold = limp_language.read_gold(options.gold or limp_language.bundled_gold())
    instructions = limp_language.read_instructions(options.instructions, gold)
    rows = limp_language.evaluate(instructions, interpreter)
    return limp_language.report(rows, SOURCE), [r.as_json() for r in rows]


def _lang2ltl(options: argparse.Namespace, interpreter: Callable[[str], Formula]) -> _Result:
    rows = lang2ltl.evaluate(lang2ltl.read_pairs(options.data), interpreter)
    entries = (
        {
            "pattern": r.pattern,
            "utterance": r.utterance,
            "code": r.code.name,
            "formula": None if r.formula is None else to_text(r.formula),
            "right": r.right,
            "right_apart": r.right_apart,
        }
        for r in rows
    )
    return lang2ltl.report(rows, SOURCE), entries


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    try:
        path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"{path} cannot be written: {error}.", hint="name another file."
        ) from error
