"""`sayso replay`: judge a recorded run again, offline, or publish it again."""

from __future__ import annotations

import argparse
from contextlib import closing

import rclpy
from rclpy.node import Node
from rich.console import Console
from rich.markup import escape

from sayso.core import library
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.ros.bags.replay import ReplayReport, TaskReplay, recorded_library, reevaluate, republish


def replay(options: argparse.Namespace, console: Console) -> int:
    """0 if the predicates and every observed verdict come out as recorded."""
    path = options.library or library.builtin_path(recorded_library(options.bag, options.namespace))
    with closing(PredicateSandbox()) as process:
        known = library.load(path, compiler(process))
        report = reevaluate(options.bag, known, options.namespace)
    show(report, console)
    if options.publish:
        rclpy.init()
        try:
            node = Node("sayso_replay")
            count = republish(options.bag, node, speed=options.rate)
            console.print(f"Published {count} messages again.")
        finally:
            rclpy.try_shutdown()
    return 0 if report.same else 1


def show(report: ReplayReport, console: Console) -> None:
    """The report as lines."""
    console.print(
        f"{report.messages} messages over {report.duration_s:.1f} s, {report.scenes} scenes"
    )
    differing = sum(report.differing_truths.values())
    console.print(f"Predicates: {report.truths} truths judged again, {differing} differ")
    for atom, times in sorted(report.differing_truths.items(), key=lambda x: -x[1])[:20]:
        console.print(f"  {atom}: {times} times")
    for task in report.tasks:
        recorded, replayed = (
            v.name if v is not None else "none" for v in (task.recorded, task.replayed)
        )
        word = "[green]same[/]" if task.same else "[red]DIFFERENT[/]"
        console.print(f'\nTask {task.task_id}: "{escape(task.instruction)}"')
        console.print(f"  formula   {escape(task.formula)}")
        console.print(f"  states    {task.states}, of which {task.differing} differ")
        console.print(f"  verdict   recorded {recorded}, replayed {replayed}: {word}")
        console.print(f"  truth     {_truth(task)}")


def _truth(task: TaskReplay) -> str:
    """The verdict over the simulator's true states, beside the one over what was observed."""
    truly = task.truly
    if truly.verdict is None:
        return f"[dim]not judged: {escape(truly.why)}[/]"
    same = truly.verdict is task.recorded
    word = "[green]as observed[/]" if same else "[red]NOT AS OBSERVED[/]"
    names = "; ".join(f"{r} is {', '.join(n)}" for r, n in (truly.grounding or {}).items())
    name = truly.verdict.name
    return f"{name} by the simulator's {truly.states} true states: {word} [dim]({escape(names)})[/]"
