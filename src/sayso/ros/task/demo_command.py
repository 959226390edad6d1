"""`sayso demo`: start all nodes with a simulated world, perform one instruction, end cleanly."""

from __future__ import annotations

import argparse
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sayso_ros.msg import Scene

from sayso.adapters import registry
from sayso.adapters.llm import options as model_options
from sayso.adapters.vision.finder_options import finder_settings
from sayso.adapters.vision.finders import create_finder
from sayso.core import library
from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.reporting.report import new_run_folder
from sayso.robots.loading import LIBFRANKA, SPOT, load_robot
from sayso.ros.launch.launching import alone, console_address, launched, raise_if_failed
from sayso.ros.runtime.libraries import load_operators
from sayso.ros.runtime.liveliness import Parts
from sayso.ros.task import run_settings
from sayso.ros.task.client_command import perform_with
from sayso.ros.task.demo_worlds import WORLDS, disturbances, map_first
from sayso.ros.task.disturbances import Disturber
from sayso.ros.task.starting import DRIVER_STILL_S, STILL_S, Patience
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.flat.disturbances import Disturbance

SCENES_TO_BE_READY = 4


def demo(options: argparse.Namespace, console: Console) -> int:
    """Launch, perform, shut down; 0 if the task was observed to succeed."""
    _check_model(options)
    _check_eyes(options)
    _check_robot(options)
    _check_library(options)
    _check_planner(options)
    happening = disturbances(options)
    with alone(options.namespace):
        folder = new_run_folder(options.record)
        run_settings.write(options, folder)
        if options.teach:
            # Imported on use: it loads what learning needs, and others would wait for it.
            from sayso.ros.task.teach_demo import teach

            return teach(options, folder, console)
        return _perform(options, happening, folder, console)


def _perform(
    options: argparse.Namespace,
    happening: Sequence[Disturbance],
    folder: Path,
    console: Console,
) -> int:
    world = WORLDS[options.world]
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TaskClient(namespace=options.namespace) as client:
            client.require_nobody()
            with _launched(options, folder, console) as launch:
                nodes = (*world.nodes, *([_DRIVER] if options.driver else []))
                _wait_until_ready(client, nodes, launch, folder, console)
                if options.console:
                    page = console_address(launch, folder / "nodes.log")
                    console.print(f"Console: {page}", highlight=False, markup=False)
                map_first(options, client, console)
                if not options.instruction:
                    return _attend(launch, folder, console)
                disturber = Disturber(client, happening, console)
                result = perform_with(client, options, console, disturber.listen)
                disturber.tell_rest()
    finally:
        rclpy.try_shutdown()
    tell_what_is_there(folder, console)
    return 0 if Code(result.status.code) in SUCCESS_CODES else 1


_CONTENTS = {
    "report.md": "report.md", "report.json": "report.json", "pictures": "*.jpg",
    "film": "film_*.gif", "bag": "bag/metadata.yaml", "nodes.log": "nodes.log",
}  # fmt: skip
"""Of a run folder: what it is called, and files that it has when it was written to its end."""
_ALWAYS = ("report.md", "report.json", "bag")


def tell_what_is_there(folder: Path, console: Console) -> None:
    """What the run folder holds, and what it lacks: on a full disk nobody else can say so."""
    there = [
        name
        for name, files in _CONTENTS.items()
        if any(f.stat().st_size for f in folder.glob(files))
    ]
    console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
    console.print(f"  {', '.join(there)}")
    if missing := [name for name in _ALWAYS if name not in there]:
        console.print(f"  [yellow]Not written, or not to its end:[/] {', '.join(missing)}")


def _attend(launch: subprocess.Popen[bytes], folder: Path, console: Console) -> int:
    """Keep the nodes for whoever is at the page. Raises NODE_UNAVAILABLE if they end."""
    console.print("Say there what to do. Ctrl-C ends the demo.")
    with suppress(KeyboardInterrupt):
        launch.wait()
        raise_if_failed(launch, folder / "nodes.log")
    console.print(f"Run folder: [bold]{folder}[/]", highlight=False)
    return 0


_NEEDED = (
    ("openai", "model"), ("record", "cassette"), ("cached", "cassette"), ("replay", "cassette"),
)  # fmt: skip
"""Language models, and the option that each cannot do without."""


def _check_model(options: argparse.Namespace) -> None:
    """Raises CONFIG for a language model that cannot be, before anything is started."""
    known = registry.names("llm")
    used = re.findall(r"[^\[\]]+", options.llm)
    for name in used:
        if name not in known:
            raise SaySoError(Code.CONFIG, f"there is no llm '{name}'.", choices=known)
    for name, option in _NEEDED:
        if name in used and not getattr(options, option):
            text = f"the llm '{name}' needs a {option}."
            raise SaySoError(Code.CONFIG, text, hint=f"give one with --{option}.")


def _check_eyes(options: argparse.Namespace) -> None:
    """Raises CONFIG, MISSING_DEPENDENCY for what cannot see, before anything is started."""
    if options.world == "flat":
        create_finder(options.finder, finder_settings(options))
        if options.speaker and options.frame_of_reference != "speaker":
            raise SaySoError(
                Code.CONFIG,
                "where the speaker stands does not count in the map's frame of reference.",
                hint="add --frame-of-reference speaker.",
            )
    elif options.segmenter and options.segmenter not in registry.names("segmenter"):
        text = f"there is no segmenter '{options.segmenter}'."
        raise SaySoError(Code.CONFIG, text, choices=registry.names("segmenter"))


_DRIVERS = {
    "franky_sim": ("table", LIBFRANKA),
    "spot_double": ("flat", SPOT),
}
"""Where each driver moves which robot, where none is named."""


def _check_robot(options: argparse.Namespace) -> None:
    """Raises CONFIG for a robot that cannot be in this world, and MISSING_DEPENDENCY for a driver
    that is not installed, before anything is started."""
    if options.driver:
        _check_driver(options)
    if options.fault and options.driver != "spot_double":
        text = f"the fault '{options.fault}' happens to a Spot alone."
        raise SaySoError(Code.CONFIG, text, hint="add --driver spot_double.")
    if not options.robot:
        return
    fits = {"table": False, "flat": True}
    drives = load_robot(options.robot).base is not None
    if fits.get(options.world) is not drives or options.teach:
        raise SaySoError(
            Code.CONFIG,
            f"robot '{options.robot}' cannot be chosen here.",
            hint="an arm that stands still is chosen for the world 'table', one on a base for "
            "'flat'; neither with --teach.",
        )


def _check_library(options: argparse.Namespace) -> None:
    """Raises CONFIG, CORRUPT or INVALID for none that can be read, before anything is started."""
    if options.library:
        load_operators(library.named(options.library))


def _library_arguments(options: argparse.Namespace) -> dict[str, str]:
    """None where the world's own is used."""
    if not options.library:
        return {}
    return {"library": str(library.named(options.library).resolve())}


def _check_planner(options: argparse.Namespace) -> None:
    """Raises CONFIG for a task planner that lacks what it begins with, before anything starts."""
    given = {"embedder"} | ({"plans"} if options.plans else set())
    given |= {"model"} if options.llm != "none" else set()
    if lacking := registry.missing("planner", options.planner, given):
        asked = {"plans": "--plans DIR", "model": "--llm NAME"}
        text = f"the planner '{options.planner}' needs {' and '.join(lacking)}."
        hint = f"add {' and '.join(asked.get(name, name) for name in lacking)}."
        raise SaySoError(Code.CONFIG, text, hint=hint)


def _check_driver(options: argparse.Namespace) -> None:
    world, robot = _DRIVERS[options.driver]
    if options.world != world or options.teach:
        text = f"the driver '{options.driver}' moves a robot of the world '{world}' alone."
        raise SaySoError(Code.CONFIG, text, hint=f"add --world {world}, and leave out --teach.")
    client = load_robot(options.robot or robot).require_client()
    registry.options("robot_client", client.kind)
    registry.options(world, options.driver)


def _arguments(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Of the world's launch file."""
    return {
        "namespace": options.namespace,
        "seed": str(options.seed),
        "noise": str(not options.no_noise).lower(),
        **WORLDS[options.world].arguments(options),
        **_library_arguments(options),
        **model_options.launch_arguments(options),
        "run_folder": str(folder),
        "console": str(options.console).lower(),
    }


@contextmanager
def _launched(
    options: argparse.Namespace, folder: Path, console: Console
) -> Iterator[subprocess.Popen[bytes]]:
    """The world's nodes; always ended, bag and report closed."""
    launch_file = WORLDS[options.world].launch_file
    with launched(launch_file, _arguments(options, folder), folder / "nodes.log") as process:
        try:
            yield process
        finally:
            console.print("[dim]Closing the recording and the nodes ...[/]")


_DRIVER, _STARTING = "driver", "Starting nodes"


def _wait_until_ready(
    client: TaskClient,
    nodes: Sequence[str],
    launch: subprocess.Popen[bytes],
    folder: Path,
    console: Console,
) -> None:
    """Show the nodes coming up, and what is waited for; raises NODE_UNAVAILABLE naming what did not
    come, with what ails it by its own words, once nothing new came for a while."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    patience = Patience(DRIVER_STILL_S if _DRIVER in nodes else STILL_S)
    parts = Parts(client.node, [n for n in nodes if n == _DRIVER])
    # The first pictures are slow; a few scenes show that perception keeps up.
    seen = threading.Semaphore(0)
    scenes = client.node.create_subscription(Scene, "scene", lambda _: seen.release(), 10, raw=True)
    came = 0
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task(_STARTING, total=len(nodes) + 2 + SCENES_TO_BE_READY)
        while True:
            _raise_if_doubled(client.node)
            while came < SCENES_TO_BE_READY and seen.acquire(blocking=False):
                came += 1
            trouble = parts.trouble([_DRIVER])
            there, missing = _up(client, nodes, came, well=not trouble)
            patience.see(there)
            progress.update(bar, completed=len(there))
            if not missing:
                progress.update(bar, description=_STARTING)
                client.forget(scenes)
                return
            waits = f"{_STARTING}: {missing[0]} is waited for, {patience.left_s:.0f} s more"
            progress.update(bar, description=waits)
            raise_if_failed(launch, folder / "nodes.log")
            if not patience.left_s:
                text, hint = patience.words(missing, trouble), f"read {folder / 'nodes.log'}."
                raise SaySoError(Code.NODE_UNAVAILABLE, f"{text}.", hint=hint)
            with suppress(subprocess.TimeoutExpired):
                launch.wait(0.1)


def _up(
    client: TaskClient, nodes: Sequence[str], scenes: int, *, well: bool
) -> tuple[list[str], list[str]]:
    """What of the whole is there, and what is missing, by name.

    Args:
        scenes: how many came.
        well: whether the driver, where there is one, says that nothing ails its robot.
    """
    beside = nodes_beside(client.node)
    state = {name: name in beside and (well or name != _DRIVER) for name in nodes}
    state["the executor's action"] = client.ready(0.2)
    state["a recorder that listens"] = recorder_reads(client.node)
    state |= {f"scene {i + 1}": i < scenes for i in range(SCENES_TO_BE_READY)}
    return [n for n, up in state.items() if up], [n for n, up in state.items() if not up]


def _raise_if_doubled(node: Node) -> None:
    """Raises BUSY where somebody else has started the same nodes."""
    namespace = node.get_namespace()
    names = [n for n, of in node.get_node_names_and_namespaces() if of == namespace]
    if names.count("executor") > 1:
        raise SaySoError(
            Code.BUSY,
            "another robot's nodes run in this ROS domain already.",
            hint="end them, or give this demo --namespace NAME or another ROS_DOMAIN_ID.",
        )


def nodes_beside(node: Node) -> set[str]:
    """The names of the nodes in this node's namespace."""
    namespace = node.get_namespace()
    return {n for n, of in node.get_node_names_and_namespaces() if of == namespace}


def recorder_reads(node: Node) -> bool:
    """Whether the recorder has found perception and executor, so that nothing of a task is lost."""
    readers = map(node.get_subscriptions_info_by_topic, ("scene", "skill_events"))
    return all(any(i.node_name == "recorder" for i in infos) for infos in readers)
