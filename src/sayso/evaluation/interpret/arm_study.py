"""`sayso eval interpret --world arm`: training and testing over the launch file, task by task."""

from __future__ import annotations

import argparse
from datetime import datetime
from functools import partial
from pathlib import Path

from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.interpret.arm import Study, StudyFolder, tasks_of
from sayso.evaluation.interpret.options import Course
from sayso.reporting.story import Story
from sayso.ros.task.table_trials import run_trial, teaching_nodes
from sayso.ros.task.teach_story import tell_event
from sayso.worlds.table.tasks import DOMAINS, TESTING, TRAINING
from sayso.worlds.table.trial import Trial

_KITCHEN_ONLY = {
    "noise": Course.noise,
    "priors": Course.priors,
    "strategy": Course.strategy,
    "transfer_from": Course.transfer,
    "baseline": "",
    "llm": "none",
    "pool": "local",
}
"""Options that the arm knows only by default."""


def study(options: argparse.Namespace, console: Console) -> int:
    """Run what has not been run yet, and report; 0 if every task ended.

    Nodes are started anew for every seed and domain, and after a task that broke off.
    """
    plan = study_of(options)
    folder = StudyFolder(options.out or _new_folder(), plan)
    try:
        for domain in plan.domains:
            for seed in plan.seeds:
                _run(folder, plan, domain, seed, options.speed, console)
    finally:
        console.print(folder.report(), markup=False, highlight=False)
        console.print(f"Rows and report: {folder.path}", highlight=False)
    broken = sum(t.broken for t in folder.rows().values())
    if broken:
        console.print(f"{broken} tasks broke off; --out {folder.path} runs them again.")
    return 1 if broken else 0


def study_of(options: argparse.Namespace) -> Study:
    """What the options name. Raises CONFIG, and UNSUPPORTED for what only the kitchen knows."""
    other = [n for n, usual in _KITCHEN_ONLY.items() if getattr(options, n, usual) != usual]
    if other:
        names = ", ".join("--" + n.replace("_", "-") for n in other)
        raise SaySoError(
            Code.UNSUPPORTED, f"the arm cannot be evaluated with {names}.",
            hint="leave that out, or take --world kitchen2d.",
        )  # fmt: skip
    plan = Study(
        tuple(d for d in options.domains if d in DOMAINS),
        tuple(range(options.seed, options.seed + options.seeds)),
        options.style,
        options.wrong,
        TRAINING if options.training is None else options.training,
        TESTING if options.testing is None else options.testing,
    )
    if min(plan.training, plan.testing) < 1 or not plan.seeds:
        raise SaySoError(Code.CONFIG, "at least one seed and one task of each kind are needed.")
    if not plan.domains:
        raise SaySoError(Code.CONFIG, "the arm knows none of these domains.", choices=DOMAINS)
    return plan


def _new_folder() -> Path:
    return Path("runs") / f"{datetime.now():%Y-%m-%d_%H-%M-%S}-eval-interpret-arm"


def _run(
    folder: StudyFolder, plan: Study, domain: str, seed: int, speed: float, console: Console
) -> None:
    """One training and its tests, with fresh nodes after each task that broke off."""
    todo = folder.todo(tasks_of(plan, domain, seed))
    place = folder.path / f"{domain}_{seed}"
    place.mkdir(exist_ok=True)
    arguments = _arguments(plan, folder.library(domain, seed), seed, speed)
    told = partial(tell_event, Story(place))
    while todo:
        with teaching_nodes(arguments, _new_log(place), told) as teaching:
            while todo:
                trial = run_trial(teaching.trials, todo.pop(0), seed)
                folder.add(trial)
                console.print(_line(trial), markup=False, highlight=False)
                if trial.broken:
                    break


def _arguments(plan: Study, library: Path, seed: int, speed: float) -> dict[str, str]:
    """Of the launch file."""
    return {
        "library": str(library.resolve()),
        "seed": str(seed + 1),
        "task_seed": str(seed),
        "simulated_person": "true",
        "style": plan.style,
        "wrong": str(plan.wrong),
        "speed": str(float(speed)),
        "record": "false",  # rendering pictures for people takes half of the time
    }


def _new_log(place: Path) -> Path:
    """`nodes.log`, or `nodes_2.log`, ...: why earlier nodes ended stays to be read."""
    count = len(list(place.glob("nodes*.log")))
    return place / (f"nodes_{count + 1}.log" if count else "nodes.log")


def _line(trial: Trial) -> str:
    end = "reached" if trial.reached else "not reached"
    failed = f", {trial.failed} failed" if trial.failed else ""
    code = "" if trial.code == "OK" else f", {trial.code}: {trial.message}"
    return f"{trial.name}: {end}, {trial.actions} actions, {trial.seconds:.0f} s{failed}{code}"
