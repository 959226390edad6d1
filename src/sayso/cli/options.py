"""The options of every command, with help for each."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

from sayso.adapters.llm import options as model_options
from sayso.cli.demo_options import add_demo_options
from sayso.cli.shared_options import (
    add_confirm_option,
    add_namespace_option,
    add_sentences_option,
)
from sayso.core.options import CommandParser
from sayso.evaluation.interpret.options import TASKS
from sayso.evaluation.vision import options as vision_options

Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"


def _add_suites(command: CommandParser) -> None:
    from sayso.evaluation import command as evaluation

    evaluation.add_suites(command)


def parser() -> argparse.ArgumentParser:
    """The command line, with help for every option."""
    top = argparse.ArgumentParser(prog="sayso", description="The `sayso` command.")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=CommandParser
    )
    add_demo_options(commands.add_parser("demo", help="start the simulated world and perform"))
    perform = commands.add_parser("perform", help="perform on nodes that are running already")
    perform.add_argument("instruction", help="what to do, in words")
    add_confirm_option(perform)
    add_namespace_option(perform)
    perform.add_argument("--timeout", type=float, default=600.0, metavar="S", help="give up after")
    _read_parser(
        commands.add_parser("read", help="tell what instructions mean in a scene; performs nothing")
    )
    _run_parser(commands.add_parser("run", help="perform a plan that is written as a program"))
    add_namespace_option(
        commands.add_parser("describe", help="tell what the robot sees, and where")
    )
    _doctor_parser(
        commands.add_parser(
            "doctor", help="check what a robot and its cameras offer; moves nothing"
        )
    )
    _calibrate_parser(
        commands.add_parser("calibrate", help="where a camera is, from views of a printed board")
    )
    _stop_parsers(commands)
    _console_parser(
        commands.add_parser("console", help="a page in the browser, beside nodes that run already")
    )
    _replay_parser(
        commands.add_parser("replay", help="re-evaluate a recorded run, or publish it again")
    )
    _map_parser(
        commands.add_parser(
            "map", help="make a flat's map of a tour's bag or a cloud; write it as a cloud"
        )
    )
    _scene_parser(commands.add_parser("scene", help="list a simulated flat, or write it to a file"))
    _library_parser(commands.add_parser("library", help="show predicates and operators"))
    _demos_parser(
        commands.add_parser(
            "demos", help="show, check, record, generate, export, import demonstrations"
        )
    )
    _domain_parser(commands.add_parser("domain", help="a domain of your own to teach a robot in"))
    eyes = commands.add_parser("vision", help="train the flat's own eyes, and measure them")
    vision_options.add_options(eyes)
    experiment = commands.add_parser("eval", help="run an experiment and report on it")
    experiment.late = _add_suites
    return top


def _stop_parsers(commands: Commands) -> None:
    stop = commands.add_parser("stop", help="stop all motion now")
    stop.add_argument(
        "reason", nargs="?", default="stopped from the command line", help="shown to everybody"
    )
    add_namespace_option(stop)
    release = commands.add_parser(
        "release", help="release a stop, so that the robot may move again"
    )
    release.add_argument(
        "token", nargs="?", default="", help="as `stop` told it (default: all stops)"
    )
    add_namespace_option(release)


def _replay_parser(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("bag", type=Path, help="rosbag2 folder, or a run's folder that holds one")
    replay.add_argument("--library", type=Path, metavar="DIR", help="of the predicates (built-in)")
    replay.add_argument("--publish", action="store_true", help="publish its messages again")
    replay.add_argument("--rate", type=float, default=1.0, help="speed of publishing")
    add_namespace_option(replay)


def _library_parser(show: argparse.ArgumentParser) -> None:
    show.add_argument("path", type=Path, nargs="?", help="library folder (default: built-in)")
    what = show.add_mutually_exclusive_group()
    what.add_argument("--pddl", action="store_true", help="print the domain as PDDL")
    what.add_argument("--versions", action="store_true", help="what was learned from what, in turn")
    what.add_argument(
        "--undo", action="store_true", help="take back the last version and what was said for it"
    )
    what.add_argument(
        "--use", type=int, metavar="N", help="go to version N, such as one that was taken back"
    )


def _doctor_parser(doctor: argparse.ArgumentParser) -> None:
    doctor.add_argument(
        "--robot", default="panda", metavar="NAME", help="or a profile's file (default: panda)"
    )
    doctor.add_argument(
        "--cameras", nargs="+", default=[], metavar="NAME", help="(default: config)"
    )
    doctor.add_argument(
        "--seconds", type=float, default=5.0, metavar="S", help="to listen for (default: 5)"
    )
    _cameras_options(doctor)
    add_namespace_option(doctor)


def _positive(text: str) -> float:
    if (number := float(text)) <= 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return number


def _calibrate_parser(calibrate: argparse.ArgumentParser) -> None:
    calibrate.add_argument(
        "what",
        choices=("board", "camera", "solve"),
        help="draw the board; take views, and solve; solve from views that were taken",
    )
    calibrate.add_argument("path", type=Path, help="PNG of the board; folder of the views")
    calibrate.add_argument(
        "--square", type=_positive, metavar="M", help="of the board, as measured (default: 0.03)"
    )
    calibrate.add_argument(
        "--without", type=int, nargs="+", default=[], metavar="N", help="views to leave out"
    )
    views = calibrate.add_argument_group("camera")
    views.add_argument("--camera", default="left", metavar="NAME", help="(default: left)")
    views.add_argument(
        "--on-hand",
        action="store_true",
        help="the hand carries the camera (default: the hand holds the board)",
    )
    views.add_argument(
        "--robot", default="panda", metavar="NAME", help="or a profile's file (default: panda)"
    )
    _cameras_options(views)
    add_namespace_option(calibrate)


def _cameras_options(command: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    command.add_argument(
        "--config",
        type=Path,
        metavar="DIR",
        help="the config_dir that is launched (default: SaySo's)",
    )
    command.add_argument(
        "--sim-time", action="store_true", help="follow /clock, as nodes at a simulator do"
    )


def _read_parser(read: argparse.ArgumentParser) -> None:
    read.add_argument(
        "instructions", nargs="*", metavar="INSTRUCTION", help="in words (default: lines of stdin)"
    )
    read.add_argument(
        "--world", choices=("table", "flat"), default="table", help="of the things (default table)"
    )
    read.add_argument(
        "--scene", default="", help="of the flat, as `sayso scene` has it (default: studio)"
    )
    read.add_argument(
        "--library",
        default="",
        metavar="NAME",
        help="tabletop, flat (the defaults), or the folder of one of your own, with a slash",
    )
    model_options.add(read)


def _run_parser(run: argparse.ArgumentParser) -> None:
    run.add_argument("program", type=Path, nargs="?", help="Python file; see docs/programs.md")
    run.add_argument("--task", metavar="WORDS", help="what a language model writes a program for")
    run.add_argument(
        "--functions", action="store_true", help="tell what a program may call, and run none"
    )
    run.add_argument("--library", type=Path, metavar="DIR", help="of the skills (built-in)")
    run.add_argument(
        "--simulated",
        action="store_true",
        help="with the arm at the simulated table (default: a table without physics)",
    )
    run.add_argument("--seed", type=int, default=1, help="of the simulated table and its noise")
    add_confirm_option(run)
    model_options.add(run)


def _demos_parser(demos: argparse.ArgumentParser) -> None:
    demos.add_argument(
        "what",
        choices=("show", "check", "record", "generate", "export", "import"),
        help="show their primitives; check for faults; record one from a running robot; have a "
        "simulated person play; write a LeRobot dataset (v3.0), or read one",
    )
    demos.add_argument(
        "path",
        type=Path,
        help="folder of one or several; to import: a LeRobot dataset, or a bag; to generate: the "
        "scene of the table, such as play_table",
    )
    demos.add_argument(
        "out", type=Path, nargs="?", help="folder that generate, export, import write"
    )
    play = demos.add_argument_group("generate")
    play.add_argument("--plays", type=int, default=4, metavar="N", help="recordings (default 4)")
    play.add_argument("--count", type=int, default=12, metavar="N", help="behaviours in each")
    play.add_argument("--behaviours", nargs="+", default=[], metavar="NAME", help="default: all")
    play.add_argument("--wrong", type=float, default=0.0, help="share of wrong annotations")
    play.add_argument("--seed", type=int, default=0, help="of the first recording")
    play.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    shown = demos.add_argument_group("record, and import of a rosbag2 folder")
    shown.add_argument("--words", default="", help="what it shows: 'hang the mug on the rack'")
    shown.add_argument(
        "--things",
        nargs="+",
        default=[],
        metavar="NAME",
        help="in the scene, where the words do not say it; of a bag PARAMETER=NAME",
    )
    shown.add_argument(
        "--robot", default="", help="panda (default), fr3, ur5e, or a profile's file"
    )
    shown.add_argument(
        "--guided",
        action="store_true",
        help="record: the arm follows /servo, /servo_fingers and /joy meanwhile",
    )
    add_namespace_option(demos)


def _domain_parser(domain: argparse.ArgumentParser) -> None:
    domain.add_argument(
        "what",
        choices=("new", "check", "teach"),
        help="write a commented example; name what is wrong, and where; teach a robot in it",
    )
    domain.add_argument(
        "folder", help="that holds a domain.yaml, or for check and teach one that comes with SaySo"
    )
    lessons = domain.add_argument_group("teach")
    add_sentences_option(lessons)
    lessons.add_argument(
        "--lessons", type=int, default=TASKS, metavar="N", help="tasks to learn from (default: 10)"
    )
    lessons.add_argument("--seed", type=int, default=1, help="of the tasks")
    lessons.add_argument(
        "--record", type=Path, metavar="DIR", help="run folder (default: runs/TIME)"
    )


def _console_parser(page: argparse.ArgumentParser) -> None:
    page.add_argument(
        "--address",
        default="127.0.0.1",
        metavar="HOST",
        help="where it is served (default: 127.0.0.1, this machine alone); another needs TLS",
    )
    page.add_argument("--port", type=int, default=8765, help="0: any that is free (default: 8765)")
    page.add_argument("--certificate", default="", metavar="FILE", help="for TLS, as PEM")
    page.add_argument("--key", default="", metavar="FILE", help="the certificate's, as PEM")
    page.add_argument(
        "--runs", default="runs", metavar="DIR", help="folder of runs to look at (default: runs)"
    )
    page.add_argument(
        "--taught",
        default="~/.local/state/sayso/taught",
        metavar="DIR",
        help="library with what was shown, as `taught` of the launch files (default: theirs)",
    )
    page.add_argument(
        "--shown",
        default="",
        metavar="DIR",
        help="where what is shown at the page is kept, as `shown` of the launch files",
    )
    page.add_argument(
        "--robot", default="panda", help="panda (default), fr3, ur5e, or a profile's file"
    )
    add_namespace_option(page)


def _map_parser(tour: argparse.ArgumentParser) -> None:
    source = tour.add_mutually_exclusive_group(required=True)
    source.add_argument("--bag", type=Path, metavar="DIR", help="rosbag2 folder of the tour")
    source.add_argument(
        "--map", type=Path, metavar="DIR", help="folder of a map that was made before"
    )
    source.add_argument(
        "--points", type=Path, metavar="FILE", help="cloud (.ply, .pcd) to make a map of"
    )
    tour.add_argument("--out", type=Path, metavar="DIR", help="where the map and frames go")
    tour.add_argument(
        "--cloud", type=Path, metavar="FILE", help="where the map's voxels go, as .ply or .pcd"
    )
    tour.add_argument("--camera", default="front", help="RGB-D camera (default: front)")
    tour.add_argument("--frame", default="map", help="frame of the map (default: map)")
    tour.add_argument("--base", default="base_link", help="the base's frame (default: base_link)")
    add_namespace_option(tour)
    tour.add_argument("--voxel", type=float, default=0.05, metavar="M", help="side of a voxel")
    tour.add_argument(
        "--segmentation",
        action="store_true",
        help="keep the simulator's own segmentation with the frames, which is not vision",
    )


def _scene_parser(scene: argparse.ArgumentParser) -> None:
    which = scene.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "scene",
        nargs="?",
        help="studio, apartment, errand_kitchen, errand_lab, family_flat, home, office, lobby, "
        "or a scene file",
    )
    which.add_argument("--seed", type=int, metavar="N", help="of a flat that is generated")
    scene.add_argument(
        "--sdf", type=Path, metavar="FILE", help="write it for Gazebo, without the robot"
    )
    scene.add_argument("--yaml", type=Path, metavar="FILE", help="write it as a scene file")
