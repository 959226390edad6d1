"""The simulated worlds that `sayso demo` starts, and what is staged in each."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from geometry_msgs.msg import Point
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from sayso_ros.action import MapFlat
from sayso_ros.srv import PerturbWorld

from sayso.core.errors import SaySoError
from sayso.events import Event, Listener
from sayso.perception.flat_map import has_map
from sayso.ros.calls import call
from sayso.ros.conversions import raise_unless_ok
from sayso.ros.task_client import TaskClient

_SHARED = ("interpreter", "automaton", "planner", "executor", "feedback", "recorder")


@dataclass(frozen=True)
class Disturbance:
    """Something that happens to the world at the beginning of a skill.

    Attributes:
        skill: name of the first skill at whose beginning it happens.
        words: what a person is told.
    """

    skill: str
    target: str
    position: tuple[float, float, float]
    words: str


@dataclass(frozen=True)
class DemoWorld:
    """A world that can be demonstrated.

    Attributes:
        nodes: those that have to be up before anything is asked of them.
        arguments: of the launch file, from the command's options.
        staged: what happens during the built-in instruction.
    """

    launch_file: str
    nodes: tuple[str, ...]
    arguments: Callable[[argparse.Namespace], Mapping[str, str]]
    staged: tuple[Disturbance, ...] = ()


def _table_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    return {"segmenter": options.segmenter}


def _flat_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    return {
        "scene": options.scene,
        "map_folder": str(map_folder(options)),
        "finder": options.finder,
        "segmentation": str(options.finder == "simulator").lower(),
        "speed": str(float(options.speed)),
    }


WORLDS: Mapping[str, DemoWorld] = {
    "table": DemoWorld("demo.launch.xml", ("world", "perception", *_SHARED), _table_arguments),
    "flat": DemoWorld(
        "flat.launch.xml",
        ("flat_world", "mapper", "flat_perception", *_SHARED),
        _flat_arguments,
        (Disturbance("pick", "cat_1", (4.5, 4.3, 0.0), "the cat walks into the way (staged)."),),
    ),
}


def map_folder(options: argparse.Namespace) -> Path:
    """Where the map of this flat is kept between runs."""
    cache = Path(os.environ.get("SAYSO_CACHE") or "~/.cache/sayso").expanduser()
    noise = "_perfect" if options.no_noise else ""
    name = f"{Path(options.scene).stem}_{options.seed}_{options.finder}{noise}"
    return cache / "maps" / name


def map_first(options: argparse.Namespace, client: TaskClient, console: Console) -> None:
    """Let the robot drive through the flat, unless there is a map of it from an earlier run.

    Raises:
        SaySoError: as the mapping tour failed.
    """
    folder = map_folder(options)
    if options.world != "flat" or has_map(folder):
        return
    console.print("Mapping tour: the robot drives through the flat and looks around.")
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), console=console) as bar:
        task = bar.add_task("beginning")

        def told(feedback: MapFlat.Feedback) -> None:
            text = f"{feedback.views} views, {feedback.length_m:.0f} m, {feedback.area_m2:.0f} m2"
            bar.update(task, description=text)

        result = client.map_flat(str(folder), told, options.timeout)
    raise_unless_ok(result.status)
    console.print(f"The map is kept in {folder}.", markup=False, highlight=False)


def staging(
    world: DemoWorld, options: argparse.Namespace, client: TaskClient, console: Console
) -> Listener:
    """A listener that makes the staged disturbances happen; none for a person's own words."""
    left = list(world.staged if options.staged else ())

    def listen(event: Event) -> None:
        if event.skill is None or event.skill.finished:
            return
        for disturbance in [d for d in left if d.skill == event.skill.action.name]:
            left.remove(disturbance)
            console.print(f"  [yellow]Meanwhile {disturbance.words}[/]", highlight=False)
            # Not here: this is the thread that the answer comes in.
            threading.Thread(
                target=_disturb, args=(client, disturbance, console), daemon=True
            ).start()

    return listen


def _disturb(client: TaskClient, disturbance: Disturbance, console: Console) -> None:
    x, y, z = disturbance.position
    request = PerturbWorld.Request(
        kind=PerturbWorld.Request.MOVE,
        target=disturbance.target,
        position=Point(x=x, y=y, z=z),
    )
    service = client.node.create_client(PerturbWorld, "/world/perturb")
    try:
        raise_unless_ok(call(service, request).status)
    except SaySoError as error:
        console.print(f"  That did not happen: {error.message}", markup=False, highlight=False)
