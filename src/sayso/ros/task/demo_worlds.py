"""The simulated worlds that `sayso demo` starts, and what happens in each."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from sayso_ros.action import MapFlat

from sayso.adapters.vision.finder_options import finder_settings
from sayso.adapters.vision.finders import SIMULATOR
from sayso.core.errors import Code, SaySoError
from sayso.perception.map_files import has_map
from sayso.robots.loading import DEFAULT, LIBFRANKA, MOBILE, SPOT
from sayso.ros.messages.conversions import raise_unless_ok
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.disturbances import Disturbance, Kind, load, staged
from sayso.worlds.flat.scene_file import fixed_names

_SHARED = ("interpreter", "automaton", "planner", "executor", "feedback", "recorder")


@dataclass(frozen=True)
class DemoWorld:
    """A world that can be demonstrated.

    Attributes:
        nodes: those that have to be up before anything is asked of them.
        arguments: of the launch file, from the command's options.
    """

    launch_file: str
    nodes: tuple[str, ...]
    arguments: Callable[[argparse.Namespace], Mapping[str, str]]


SHOWN = "~/.local/state/sayso/shown"
"""Where what is shown at the console's page is kept, beside what is learned of it."""


def _table_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    arguments = {
        "segmenter": options.segmenter,
        "robot": options.robot or DEFAULT,
        "speed": str(float(options.speed)),
        "planner": options.planner,
        "plans": str(options.plans.resolve()) if options.plans else "",
        "shown": SHOWN if options.console else "",
    }
    if not options.driver:
        return arguments
    domain = int(os.environ.get("ROS_DOMAIN_ID") or "0")  # beside those of other domains
    robot = options.robot or LIBFRANKA
    return {**arguments, "robot": robot, "driver": "true", "libfranka": f"127.0.71.{domain + 1}"}


def _flat_arguments(options: argparse.Namespace) -> Mapping[str, str]:
    arguments = {
        "scene": options.scene,
        "map_folder": str(map_folder(options)),
        "finder": options.finder,
        **{name: str(value) for name, value in finder_settings(options).items()},
        "segmentation": str(options.finder == SIMULATOR).lower(),
        "frame_of_reference": options.frame_of_reference,
        "speaker": str(options.speaker or ""),
        "speed": str(float(options.speed)),
        "robot": options.robot or MOBILE,
    }
    if not options.driver:
        return arguments
    domain = int(os.environ.get("ROS_DOMAIN_ID") or "0")  # beside those of other domains
    cache = Path(os.environ.get("SAYSO_CACHE") or "~/.cache/sayso").expanduser()
    return {
        **arguments,
        "robot": options.robot or SPOT,
        "driver": "true",
        "slop_s": "0.1",
        "spot": f"127.0.72.{domain + 1}:44443",
        "certificate": str(cache / "spot_double" / f"{os.getpid()}.pem"),
    }


ON_THE_TABLE: Mapping[str, Disturbance] = {
    "drawer_shut": Disturbance(1, None, "drawer", Kind.DOOR, "shut", "somebody shuts the drawer"),
}
"""What may happen to the table, by name."""

OF_A_FRANKA: Mapping[str, Disturbance] = {
    name: Disturbance(None, 4.0, name, Kind.SWITCH, "on", words)
    for name, words in {
        "user_stop": "somebody presses the robot's user stop",
        "link_lost": "the robot's network cable is pulled out",
    }.items()
}
"""What may happen to a robot with a driver of its own, too."""

OF_A_SPOT: Mapping[str, Disturbance] = {
    name: Disturbance(None, 8.0, name, Kind.SWITCH, "on", words)
    for name, words in {
        "estop": "somebody presses the robot's e-stop",
        "lease_taken": "somebody takes the robot's lease at the tablet",
        "unpowered": "somebody switches the robot's motors off",
        "fallen": "the robot tells of a fault of its behaviour, as after a fall",
        "low_battery": "the robot's battery is nearly empty",
        "images_silent": "the robot's image services fall silent",
        "link_lost": "the connection to the robot is lost",
    }.items()
}
"""What may happen to a Spot, too: with --fault."""

WORLDS: Mapping[str, DemoWorld] = {
    "table": DemoWorld("demo.launch.xml", ("world", "perception", *_SHARED), _table_arguments),
    "flat": DemoWorld(
        "flat.launch.xml",
        ("flat_world", "mapper", "flat_perception", *_SHARED),
        _flat_arguments,
    ),
}


def map_folder(options: argparse.Namespace) -> Path:
    """Where the map of this flat is kept between runs."""
    cache = Path(os.environ.get("SAYSO_CACHE") or "~/.cache/sayso").expanduser()
    noise = "_perfect" if options.no_noise else ""
    robot = Path(options.robot or (SPOT if options.driver else MOBILE)).stem
    by = "" if robot == MOBILE else f"_{robot}"
    name = f"{Path(options.scene).stem}_{options.seed}_{options.finder}{noise}{by}"
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

        def show(feedback: MapFlat.Feedback) -> None:
            text = f"{feedback.views} views, {feedback.length_m:.0f} m, {feedback.area_m2:.0f} m2"
            bar.update(task, description=text)

        result = client.map_flat(str(folder), show, options.timeout)
    raise_unless_ok(result.status)
    console.print(f"The map is kept in {folder}.", markup=False, highlight=False)


def disturbances(options: argparse.Namespace) -> tuple[Disturbance, ...]:
    """What is to happen to the world meanwhile: by name or of a file, or staged for the built-in
    instruction.

    Raises:
        SaySoError: INVALID for a file that is none, or fits neither the world nor the scene; for a
            name that there is not.
    """
    named = {**ON_THE_TABLE, **OF_A_FRANKA} if options.driver else ON_THE_TABLE
    if options.world == "table" and str(options.disturb) in named:
        return (named[str(options.disturb)],)
    if options.world != "flat":
        if options.disturb is None:
            return ()
        raise SaySoError(
            Code.INVALID,
            f"the world '{options.world}' cannot be disturbed by '{options.disturb}'.",
            choices=named if options.world == "table" else (),
            hint="name one of these, or choose --world flat, which a file can disturb.",
        )
    if options.fault:
        return (OF_A_SPOT[options.fault],)
    scene = read_scene(options.scene, options.seed)
    if options.disturb is not None:
        return load(options.disturb, scene)
    return staged(scene) if options.staged and options.scene in fixed_names() else ()
