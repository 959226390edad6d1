"""`sayso eval`: the options that all suites share, and the run with its progress."""

from __future__ import annotations

import argparse
import subprocess
from datetime import datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sayso.adapters import registry
from sayso.adapters.llm import options as model_options
from sayso.core.errors import Code, SaySoError
from sayso.core.options import CommandParser
from sayso.evaluation import runner
from sayso.evaluation.cases import Origin, Row, SuiteSpec
from sayso.evaluation.catalogue import SUITES, Entry, Options
from sayso.evaluation.report import Prices


def add_suites(command: CommandParser) -> None:
    """A parser for each suite, which gets its own options and the shared ones once it is asked."""
    suites = command.add_subparsers(
        dest="suite", required=True, metavar="SUITE", help="what to evaluate"
    )
    for name, entry in SUITES.items():
        parser = suites.add_parser(name, help=entry.help, description=entry.help)
        parser.late = partial(_add_options, entry)


def _add_options(entry: Entry, parser: CommandParser) -> None:
    entry.add(parser)
    _add_model_options(parser)
    _add_run_options(parser)


def evaluate(options: Options, console: Console) -> int:
    """Runs the suite that the options name and prints its report; 0 if every case was run."""
    entry = SUITES[options.suite]
    origin = Origin(
        seed=options.seed,
        commit=source_commit(),
        backend=_backend(options),
        revision=_revision(options, entry),
    )
    options.out = folder = options.out or _new_folder(options.suite)
    pool = _pool(options)
    rows = _with_progress(entry.spec(options), origin, options, pool, console)
    report = (folder / "report.md").read_text(encoding="utf-8")
    console.print(report, markup=False, highlight=False)
    console.print(f"Rows and report: {folder}", highlight=False)
    unfinished = sum(r.code in runner.AGAIN for r in rows)
    if unfinished:
        console.print(f"{unfinished} cases broke off; --out {folder} runs them again.")
    return 1 if unfinished else 0


def _new_folder(suite: str) -> Path:
    return Path("runs") / f"{datetime.now():%Y-%m-%d_%H-%M-%S}-eval-{suite}"


def _with_progress(
    spec: SuiteSpec, origin: Origin, options: Options, pool: Any, console: Console
) -> tuple[Row, ...]:
    prices = Prices(*options.price) if options.price else None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(spec.name, total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return runner.run(spec, origin, options.out, pool, tell, prices)


# -- shared options ------------------------------------------------------------------------


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("language model")
    model_options.add(group, "--timeout")
    group.add_argument(
        "--record",
        default="",
        metavar="FILE",
        help="keep the replies in this file, and do not ask again for those that it has (default: "
        "replies.jsonl in the run's folder)",
    )
    group.add_argument(
        "--price",
        type=float,
        nargs=2,
        metavar=("PROMPT", "COMPLETION"),
        help="for a million tokens of each, to reckon the cost",
    )


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("run")
    group.add_argument("--seed", type=int, default=0, help="of all random choices")
    group.add_argument(
        "--pool",
        choices=registry.names("worker_pool"),
        default="local",
        help="local: processes here; ray: a Ray cluster (extra sayso[ray])",
    )
    group.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    group.add_argument("--address", default="", help="of a running Ray cluster, such as auto")
    group.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="rows and report; a run that was stopped goes on there (default: a new folder)",
    )


def _pool(options: Options) -> Any:
    given = {"address": options.address} if options.address else {}
    if given and options.pool == "local":
        raise SaySoError(Code.CONFIG, "--address is an option of --pool ray.")
    return registry.create("worker_pool", options.pool, workers=options.workers, **given)


def _backend(options: Options) -> str:
    if getattr(options, "given", False):
        return "gold formulas given"
    if options.llm == "none":
        return "no model" if options.suite in ("cape", "upsets") else "controlled English"
    model = str(options.model or f"{options.llm}, no model named")
    by_both = getattr(options, "only_model", None) is False
    if by_both and getattr(options, "method", "limp") == "limp":
        return f"controlled English, then {model}"
    return model


def _revision(options: Options, entry: Entry) -> str:
    """The prompts' versions: what else decides a model's replies."""
    if options.llm == "none":
        return ""
    return " ".join(f"{name}.v{number}" for name, number in entry.prompts(options))


def source_commit() -> str:
    """The commit of SaySo's source, with `+` if files differ from it; else the release."""
    git = ("git", "-C", str(Path(__file__).parent))
    try:
        head = subprocess.run(
            (*git, "rev-parse", "--short=12", "HEAD"), capture_output=True, text=True, check=True
        ).stdout.strip()
        changes = subprocess.run(
            (*git, "status", "--porcelain", "--untracked-files=no"),
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return _release()
    return f"{head}+" if changes.strip() else head


def _release() -> str:
    try:
        return f"release {version('sayso')}"
    except PackageNotFoundError:
        return "unknown"
