"""The options of the demo, with help for each, and which of them count in which world."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Set
from pathlib import Path

from sayso.adapters.llm import options as model_options
from sayso.adapters.vision.finder_options import add_finder_options
from sayso.cli.shared_options import (
    add_confirm_option,
    add_namespace_option,
    add_sentences_option,
)
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.interpret.options import DOMAINS, STYLES
from sayso.perception.viewpoints import VIEWERS

DEMO_INSTRUCTIONS = {
    "table": "Put the red block on the plate, then put the blue block on the red block. "
    "Never touch the mug.",
    "flat": "Bring the red can to the white table. Never go near the cat.",
    "virtualhome": "Make coffee",
    "errands": "Put mail in storage",
}
"""What is performed where nothing is said, by world."""
ALWAYS_COUNTING = {"command", "world", "seed", "confirm", "record"}
_OF_MODELS = {
    "llm", "model", "base_url", "cassette", "llm_timeout", "temperature", "max_tokens", "attempts",
}  # fmt: skip
_OF_NODES = _OF_MODELS | {"console", "namespace", "no_noise", "segmenter", "speed"}
COUNTING: Mapping[str, Set[str]] = {
    "table": _OF_NODES
    | {"instruction", "robot", "library", "driver", "disturb", "timeout", "planner", "plans"},
    "table --teach": _OF_NODES | {"teach", "lessons", "person"},
    "table --teach-skill": {"teach_skill", "instruction"},
    "flat": _OF_NODES | {
        "instruction", "robot", "driver", "fault", "disturb", "timeout", "scene", "finder",
        "detector", "detector_revision", "segmenter_revision", "device", "threshold", "misses",
        "inventions", "mislabels", "frame_of_reference", "speaker", "library",
    },
    "play_table": {"instruction", "joined"},
    "boil_water": {"instruction"},
    "make_tea": {"instruction"},
    "virtualhome": {"instruction"},
    "errands": {"instruction"},
    "lessons": _OF_MODELS | {"instruction", "domain", "style", "person", "sentences", "lessons"},
}  # fmt: skip
"""Options of the demo that change anything there; the lessons are those of all other worlds."""


def add_demo_options(demo: argparse.ArgumentParser) -> None:
    """Adds the options of `sayso demo`."""
    demo.add_argument("instruction", nargs="?", help="what to do (default: a built-in one)")
    demo.add_argument(
        "--world",
        metavar="NAME",
        default="table",
        help="simulated world: table (default), flat, virtualhome (a house as a graph, without a "
        "robot), errands (of a legged robot, without physics), play_table, boil_water and "
        "make_tea (the arm does what it was shown in play); the robot learns from what a person "
        "says in kitchen2d, "
        "lighting, sorting, discs, tools, and the folder of a domain of your own",
    )
    _lesson_options(demo)
    _flat_options(demo)
    _robot_options(demo)
    demo.add_argument("--seed", type=int, default=1, help="of the random layout and the noise")
    add_confirm_option(demo)
    add_namespace_option(demo)
    demo.add_argument("--record", type=Path, metavar="DIR", help="run folder (default: runs/TIME)")
    demo.add_argument(
        "--console",
        action="store_true",
        help="a page in the browser for the person at the robot; without an instruction, the demo "
        "waits for those that are given there",
    )
    model_options.add(demo)
    _planner_options(demo)
    demo.add_argument(
        "--library",
        default="",
        metavar="NAME",
        help="predicates and operators, on the table and in the flat: tabletop, flat (the "
        "defaults), or the folder of a library of your own, with a slash",
    )
    demo.add_argument(
        "--segmenter",
        default="",
        metavar="NAME",
        help="table: rgbd (default: from the cameras alone), or simulator_segmentation, the "
        "simulator's own; flat, with owlvit_sam: SAM's folder or hub id, with "
        "segmentation_net: its ONNX file (default: SaySo's own)",
    )
    demo.add_argument(
        "--no-noise", action="store_true", help="perfect simulated cameras and joints"
    )
    demo.add_argument("--timeout", type=float, default=600.0, metavar="S", help="give up after")


def _robot_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--robot",
        default="",
        metavar="NAME",
        help="on the table: panda (default), fr3, ur5e; in the flat: mobile_panda (default), spot; "
        "or the file of a profile, with a slash",
    )
    demo.add_argument(
        "--driver",
        choices=("franky_sim", "spot_double"),
        default="",
        help="franky_sim, on the table: the arm is moved by a real libfranka client, over the "
        "protocol of a Franka (extra 'franka'); spot_double, in the flat: the robot is moved by "
        "Boston Dynamics' client, over the protocol of a Spot (extra 'spot')",
    )
    demo.add_argument(
        "--fault",
        choices=(
            "estop", "lease_taken", "unpowered", "fallen", "low_battery", "images_silent",
            "link_lost",
        ),
        default="",
        help="with --driver spot_double: what goes wrong with the robot in the midst of the task",
    )  # fmt: skip


def _planner_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--planner",
        default="portfolio",
        metavar="NAME",
        help="on the table: portfolio (default), search, fast_downward, or one that begins with "
        "words: retrieved[portfolio], next_action[portfolio], whole_plan[portfolio], ...",
    )
    demo.add_argument(
        "--plans",
        type=Path,
        metavar="DIR",
        help="on the table: where plans that reach their goal are kept, and retrieved from",
    )


def _lesson_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--domain",
        choices=DOMAINS,
        default="store",
        help="kitchen2d: what is learned: storing things, setting the table, cooking",
    )
    demo.add_argument(
        "--style", choices=STYLES, default="plain", help="kitchen2d: how the person talks"
    )
    demo.add_argument(
        "--teach", action="store_true", help="table: the robot learns what to do from a person"
    )
    demo.add_argument(
        "--teach-skill",
        metavar="WHAT",
        help="table, in one process: the arm asks to be taught what the task takes: hang or "
        "take, which a simulated person shows, or a folder of demonstrations",
    )
    demo.add_argument(
        "--joined",
        action="store_true",
        help="play_table: one run in which the arm asks to be taught what its plays did not show, "
        "and somebody shuts the drawer before it puts a block there; recorded for 'sayso replay'",
    )
    demo.add_argument(
        "--person",
        choices=("simulated", "typed"),
        default="simulated",
        help="who teaches: a simulated person who knows what is true (default), or you",
    )
    add_sentences_option(demo)
    demo.add_argument(
        "--lessons",
        type=int,
        metavar="N",
        help="tasks to learn from (default: 4 on the table, else 10)",
    )


def _flat_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--scene",
        default="studio",
        help="flat: studio (default), apartment, errand_kitchen, errand_lab, family_flat, home, "
        "office, lobby, or a scene file",
    )
    add_finder_options(demo, "flat: what finds things in pictures", segmenter=False)
    demo.add_argument(
        "--frame-of-reference",
        choices=VIEWERS,
        default="map",
        help="flat: from where left, right, in front and behind are meant: the map's origin along "
        "+x (default), or the speaker",
    )
    demo.add_argument(
        "--speaker",
        type=float,
        nargs=3,
        metavar=("X", "Y", "YAW"),
        help="flat: where the speaker stands [m] and faces [rad] in the map (default: 0 0 0)",
    )
    demo.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="table and flat: simulated seconds per second, at most",
    )
    demo.add_argument(
        "--disturb",
        type=Path,
        metavar="WHAT",
        help="table: drawer_shut (after the first step), and with --driver user_stop or link_lost "
        "(in the midst of it); flat: a file that says what is "
        "moved, shut or walks meanwhile, as YAML (default, with the built-in instruction: the cat "
        "comes into the way)",
    )


def require_options_that_count(options: argparse.Namespace) -> None:
    """Raises CONFIG, naming them, for options of the demo that would change nothing here."""
    here = options.world if options.world in COUNTING else "lessons"
    if options.world == "table" and (options.teach_skill or options.teach):
        here = "table --teach-skill" if options.teach_skill else "table --teach"
    fresh = argparse.ArgumentParser()
    add_demo_options(fresh)
    unchanged = vars(fresh.parse_args([]))
    given = {name for name, value in unchanged.items() if value != getattr(options, name)}
    if idle := sorted(given - COUNTING[here] - ALWAYS_COUNTING):
        raise SaySoError(
            Code.CONFIG,
            f"the demo of '{options.world}' takes no {', '.join(map(_option, idle))}"
            f"{here.removeprefix(options.world) and ' here'}.",
            choices=[w for w, counting in COUNTING.items() if {*idle} <= counting],
            hint="leave that out, or choose another world for it.",
        )


def _option(name: str) -> str:
    return name if name == "instruction" else f"--{name.replace('_', '-')}"
