"""The `sayso` command."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.llm import options as model_options
from sayso.adapters.vision.finder_options import add_finder_options
from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.core.vocabulary import Vocabulary
from sayso.evaluation import command as evaluation
from sayso.evaluation.backends import connect
from sayso.evaluation.interpret.options import DOMAINS, STYLES, TASKS
from sayso.mission.confirmation import answered, question
from sayso.mission.stages import Answer, Decision
from sayso.perception.viewpoints import VIEWERS
from sayso.reporting.events import Understanding
from sayso.reporting.report import new_run_folder
from sayso.reporting.terminal import TerminalView, ask

DEMO_INSTRUCTIONS = {
    "table": "Put the red block on the plate, then put the blue block on the red block. "
    "Never touch the mug.",
    "flat": "Bring the red can to the white table. Never go near the cat.",
    "virtualhome": "Make coffee",
    "errands": "Put mail in storage",
}
"""What is performed where nothing is said, by world."""
INTERRUPTED = 130
"""Exit code of what a signal ended, as shells have it."""
_ALWAYS_COUNTING = {"command", "world", "seed", "confirm", "record"}
_OF_MODELS = {
    "llm", "model", "base_url", "cassette", "llm_timeout", "temperature", "max_tokens", "attempts",
}  # fmt: skip
_OF_NODES = _OF_MODELS | {"console", "namespace", "no_noise", "segmenter", "speed"}
_COUNTING: Mapping[str, Set[str]] = {
    "table": _OF_NODES
    | {"instruction", "robot", "driver", "disturb", "timeout", "planner", "plans"},
    "table --teach": _OF_NODES | {"teach", "lessons", "person"},
    "table --teach-skill": {"teach_skill", "instruction"},
    "flat": _OF_NODES | {
        "instruction", "robot", "driver", "fault", "disturb", "timeout", "scene", "finder",
        "detector", "detector_revision", "segmenter_revision", "device", "threshold", "misses",
        "inventions", "mislabels", "frame_of_reference", "speaker",
    },
    "play_table": {"instruction"},
    "virtualhome": {"instruction"},
    "errands": {"instruction"},
    "lessons": _OF_MODELS | {"instruction", "domain", "style", "person", "sentences", "lessons"},
}  # fmt: skip
"""Options of the demo that change anything there; the lessons are those of all other worlds."""


def parser() -> argparse.ArgumentParser:
    """The command line, with help for every option."""
    top = argparse.ArgumentParser(prog="sayso", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _demo_parser(commands.add_parser("demo", help="start the simulated world and perform"))
    perform = commands.add_parser("perform", help="perform on nodes that are running already")
    perform.add_argument("instruction", help="what to do, in words")
    _confirm_option(perform)
    _namespace_option(perform)
    perform.add_argument("--timeout", type=float, default=600.0, metavar="S", help="give up after")
    _run_parser(commands.add_parser("run", help="perform a plan that is written as a program"))
    _namespace_option(commands.add_parser("describe", help="tell what the robot sees, and where"))
    _doctor_parser(
        commands.add_parser(
            "doctor", help="check what a robot and its cameras offer; moves nothing"
        )
    )
    _calibrate_parser(
        commands.add_parser("calibrate", help="where a camera is, from views of a printed board")
    )
    stop = commands.add_parser("stop", help="stop all motion now")
    stop.add_argument(
        "reason", nargs="?", default="stopped from the command line", help="shown to everybody"
    )
    _namespace_option(stop)
    release = commands.add_parser(
        "release", help="release a stop, so that the robot may move again"
    )
    release.add_argument(
        "token", nargs="?", default="", help="as `stop` told it (default: all stops)"
    )
    _namespace_option(release)
    _console_parser(
        commands.add_parser("console", help="a page in the browser, beside nodes that run already")
    )
    replay = commands.add_parser("replay", help="re-evaluate a recorded run, or publish it again")
    replay.add_argument("bag", type=Path, help="rosbag2 folder")
    replay.add_argument("--library", type=Path, metavar="DIR", help="of the predicates (built-in)")
    replay.add_argument("--publish", action="store_true", help="publish its messages again")
    replay.add_argument("--rate", type=float, default=1.0, help="speed of publishing")
    _namespace_option(replay)
    _map_parser(commands.add_parser("map", help="make a flat's map from the bag of a tour"))
    _scene_parser(commands.add_parser("scene", help="list a simulated flat, or write it to a file"))
    show = commands.add_parser("library", help="show predicates and operators")
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
    _demos_parser(
        commands.add_parser("demos", help="show, check, generate, export, import demonstrations")
    )
    _domain_parser(commands.add_parser("domain", help="a domain of your own to teach a robot in"))
    evaluation.add_suites(commands.add_parser("eval", help="run an experiment and report on it"))
    return top


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
    _namespace_option(doctor)


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
    _namespace_option(calibrate)


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
    _confirm_option(run)
    _model_options(run)


def _demos_parser(demos: argparse.ArgumentParser) -> None:
    demos.add_argument(
        "what",
        choices=("show", "check", "generate", "export", "import"),
        help="show their primitives; check for faults; have a simulated person play; write a "
        "LeRobot dataset (v3.0), or read one",
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
    bag = demos.add_argument_group("import of a rosbag2 folder")
    bag.add_argument("--words", default="", help="what it shows")
    bag.add_argument(
        "--things", nargs="+", default=[], metavar="PARAMETER=NAME", help="in the bag's scenes"
    )
    bag.add_argument("--robot", default="", help="panda (default), fr3, ur5e, or a profile's file")


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
    _sentences_option(lessons)
    lessons.add_argument(
        "--lessons", type=int, default=TASKS, metavar="N", help="tasks to learn from (default: 10)"
    )
    lessons.add_argument("--seed", type=int, default=1, help="of the tasks")
    lessons.add_argument(
        "--record", type=Path, metavar="DIR", help="run folder (default: runs/TIME)"
    )


def _sentences_option(command: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    command.add_argument(
        "--sentences",
        type=Path,
        metavar="FILE",
        help="what you would type, line by line (default: the terminal)",
    )


def _confirm_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--confirm",
        choices=("ask", "auto"),
        default="auto" if not sys.stdin.isatty() else "ask",
        help="ask: a person confirms the reading before anything moves; auto: go ahead "
        "(default: ask on a terminal, else auto)",
    )


def _namespace_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--namespace", default="", metavar="NAME", help="ROS namespace of the robot (default: none)"
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
    _namespace_option(page)


def _map_parser(tour: argparse.ArgumentParser) -> None:
    tour.add_argument(
        "--bag", type=Path, required=True, metavar="DIR", help="rosbag2 folder of the tour"
    )
    tour.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where the map and frames go"
    )
    tour.add_argument("--camera", default="front", help="RGB-D camera (default: front)")
    tour.add_argument("--frame", default="map", help="frame of the map (default: map)")
    tour.add_argument("--base", default="base_link", help="the base's frame (default: base_link)")
    _namespace_option(tour)
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


def _demo_parser(demo: argparse.ArgumentParser) -> None:
    demo.add_argument("instruction", nargs="?", help="what to do (default: a built-in one)")
    demo.add_argument(
        "--world",
        metavar="NAME",
        default="table",
        help="simulated world: table (default), flat, virtualhome (a house as a graph, without a "
        "robot), errands (of a legged robot, without physics), play_table (the arm does what it "
        "was shown in play); the robot learns from what a person says in kitchen2d, lighting, "
        "sorting, discs, tools, and the folder of a domain of your own",
    )
    _lesson_options(demo)
    _flat_options(demo)
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
    demo.add_argument("--seed", type=int, default=1, help="of the random layout and the noise")
    _confirm_option(demo)
    _namespace_option(demo)
    demo.add_argument("--record", type=Path, metavar="DIR", help="run folder (default: runs/TIME)")
    demo.add_argument(
        "--console",
        action="store_true",
        help="a page in the browser for the person at the robot; without an instruction, the demo "
        "waits for those that are given there",
    )
    _model_options(demo)
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
    demo.add_argument(
        "--segmenter",
        default="",
        metavar="NAME",
        help="table: rgbd (default: from the cameras alone), or simulator_segmentation, the "
        "simulator's own; flat, with owlvit_sam: SAM's folder or hub id",
    )
    demo.add_argument(
        "--no-noise", action="store_true", help="perfect simulated cameras and joints"
    )
    demo.add_argument("--timeout", type=float, default=600.0, metavar="S", help="give up after")


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
        "--person",
        choices=("simulated", "typed"),
        default="simulated",
        help="who teaches: a simulated person who knows what is true (default), or you",
    )
    _sentences_option(demo)
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


def _model_options(demo: argparse.ArgumentParser) -> None:
    demo.add_argument(
        "--llm",
        default="none",
        help="language model: none (controlled English), openai, replay, record[openai], "
        "cached[openai] (asks nothing twice)",
    )
    demo.add_argument("--model", default="", help="the language model's name")
    demo.add_argument("--base-url", default="", help="of an OpenAI-compatible server")
    demo.add_argument("--cassette", default="", metavar="FILE", help="of replay, record and cached")
    model_options.add(demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if it did what was asked."""
    options = parser().parse_args(arguments)
    console = Console(soft_wrap=True)
    try:
        with _ending_as_by_ctrl_c():
            return _run(options, console)
    except KeyboardInterrupt:
        console.print("Interrupted.")
        return INTERRUPTED
    except SaySoError as error:
        console.print(f"[red]{error.code.name}[/]: {escape(error.message)}", highlight=False)
        if error.choices:
            console.print(f"Valid: {escape(', '.join(error.choices))}", highlight=False)
        if error.hint:
            console.print(f"Next: {escape(error.hint)}", highlight=False)
        return 1


@contextmanager
def _ending_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM, and a terminal that closes, interrupt too: what was started is then ended."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    # One that is ignored, as under nohup, stays so.
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _run(options: argparse.Namespace, console: Console) -> int:
    # ROS is imported only by the commands that need it, so that the others work without.
    if options.command == "library" and (
        options.versions or options.undo or options.use is not None
    ):
        return _show_versions(options, console)
    if options.command == "library":
        return _show_library(options, console)
    if options.command == "run":
        return _run_program(options, console)
    if options.command == "scene":
        return _show_scene(options, console)
    if options.command == "demos":
        return _demonstrations(options, console)
    if options.command == "domain":
        return _domain(options, console)
    if options.command == "eval" and getattr(options, "world", "") == "arm":
        from sayso.evaluation.interpret.arm_study import study

        return study(options, console)
    if options.command == "eval":
        return evaluation.evaluate(options, console)
    if options.command == "replay":
        from sayso.ros.bags.replay_command import replay

        return replay(options, console)
    if options.command == "map":
        from sayso.ros.bags.map_command import make_map

        return make_map(options, console)
    if options.command == "doctor":
        from sayso.ros.nodes.doctor_node import examine

        return examine(options, console)
    if options.command == "calibrate":
        from sayso.ros.nodes.calibration_node import calibrate

        return calibrate(options, console)
    if options.command == "console":
        from sayso.ros.nodes.console_node import serve

        return serve(options, console)
    if options.command == "demo":
        _require_options_that_count(options)
        if options.teach_skill:
            return _teach_skill(options, console)
        if options.world == "play_table":
            return _play_table(options, console)
        if options.world not in DEMO_INSTRUCTIONS:
            return _teach(options, console)
        options.lessons = options.lessons or 4
        options.staged = options.instruction is None and not options.console
        if options.staged:
            options.instruction = DEMO_INSTRUCTIONS[options.world]
        if options.world == "virtualhome":
            return _keep_house(options, console)
        if options.world == "errands":
            return _run_errand(options, console)
        from sayso.ros.task.demo_command import demo

        return demo(options, console)
    from sayso.ros.task import client_command

    command = {
        "perform": client_command.perform,
        "describe": client_command.describe,
        "stop": client_command.stop,
        "release": client_command.release,
    }[options.command]
    return command(options, console)


def _require_options_that_count(options: argparse.Namespace) -> None:
    """Raises CONFIG, naming them, for options of the demo that would change nothing here."""
    here = options.world if options.world in _COUNTING else "lessons"
    if options.world == "table" and (options.teach_skill or options.teach):
        here = "table --teach-skill" if options.teach_skill else "table --teach"
    unchanged = vars(parser().parse_args(["demo"]))
    given = {name for name, value in vars(options).items() if value != unchanged[name]}
    if idle := sorted(given - _COUNTING[here] - _ALWAYS_COUNTING):
        raise SaySoError(
            Code.CONFIG,
            f"the demo of '{options.world}' takes no {', '.join(map(_option, idle))}"
            f"{here.removeprefix(options.world) and ' here'}.",
            choices=[w for w, counting in _COUNTING.items() if {*idle} <= counting],
            hint="leave that out, or choose another world for it.",
        )


def _option(name: str) -> str:
    return name if name == "instruction" else f"--{name.replace('_', '-')}"


def _teach(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.interpret.demonstration import demonstrate

    if options.instruction:
        raise SaySoError(
            Code.INVALID,
            f"the tasks of {options.world} are made from the seed; it takes no instruction.",
            hint="leave the instruction out, or choose --world table or flat.",
        )
    options.lessons = options.lessons or TASKS
    if options.world != "kitchen2d":
        from sayso.worlds.domains.choosing import domain_named

        domain_named(options.world)  # what is wrong with it is told before any folder is made
    return demonstrate(options, new_run_folder(options.record), console)


def _teach_skill(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.halp.demo import demonstrate

    if options.world != "table" or options.teach:
        raise SaySoError(
            Code.INVALID,
            "a skill is taught on the table, in one process.",
            hint="give --teach-skill with an instruction, --seed, --confirm or --record alone.",
        )
    folder, confirm = new_run_folder(options.record), _confirming(options, console)
    what, words = options.teach_skill, options.instruction
    return 0 if demonstrate(what, words, options.seed, folder, confirm, console) else 1


def _play_table(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.table_run.play import demonstrate

    folder, confirm = new_run_folder(options.record), _confirming(options, console)
    done = demonstrate(options.instruction, options.seed, folder, confirm, console)
    return 0 if done else 1


def _confirming(options: argparse.Namespace, console: Console) -> Callable[[Understanding], Answer]:
    """Asks the person at this terminal, where that is wanted."""

    def confirm(understanding: Understanding) -> Answer:
        if options.confirm != "ask":
            return Answer(Decision.YES)

        def hear() -> Answer:
            console.print(question(understanding), highlight=False)
            return ask(console)

        return answered(understanding, hear)

    return confirm


def _domain(options: argparse.Namespace, console: Console) -> int:
    from sayso.evaluation.interpret import domain_command

    if options.what == "new":
        return domain_command.new(Path(options.folder), console)
    if options.what == "check":
        return domain_command.check(options.folder, console)
    return domain_command.teach(options, console)


def _keep_house(options: argparse.Namespace, console: Console) -> int:
    from sayso.worlds.virtualhome.demo import demonstrate

    def confirm(read: Understanding) -> Answer:
        person = options.confirm == "ask"
        return answered(read, lambda: ask(console)) if person else Answer(Decision.YES)

    folder = new_run_folder(options.record)
    done = demonstrate(
        options.instruction, options.seed, CharacterNgrams(), confirm, folder, console
    )
    return 0 if done else 1


def _run_errand(options: argparse.Namespace, console: Console) -> int:
    from sayso.worlds.errands.demo import demonstrate

    folder, confirm = new_run_folder(options.record), _confirming(options, console)
    words, seed = options.instruction, options.seed
    return 0 if demonstrate(words, seed, CharacterNgrams(), folder, confirm, console) else 1


def _run_program(options: argparse.Namespace, console: Console) -> int:
    """Performs a program on the table without physics; 0 if what it is for was observed."""
    from sayso.mission.programs.functions import described
    from sayso.mission.programs.stages import words_of
    from sayso.mission.programs.writing import Given, ModelProgrammer, Programmer
    from sayso.worlds.kinematic_table import run_program

    known = library.load(options.library or library.builtin_path())
    if options.functions:
        console.print(described(known), markup=False, highlight=False)
        return 0
    if (options.program is None) == (options.task is None):
        raise SaySoError(
            Code.INVALID,
            "either a program or a task is performed.",
            hint="name a Python file, or give --task WORDS and a language model.",
        )

    def confirm(read: Understanding) -> Answer:
        person = options.confirm == "ask"
        return answered(read, lambda: ask(console)) if person else Answer(Decision.YES)

    if options.task is not None:
        words = options.task
        programmer: Programmer = ModelProgrammer(connect(model_options.access(options)))
    else:
        source = _read(options.program)
        words, programmer = words_of(source), Given(source)
    view, given = TerminalView(console), (known, confirm, CharacterNgrams())
    if options.simulated:
        from sayso.evaluation.table_run.programs import run_program as run_simulated

        done = run_simulated(programmer, words, *given, view.show, options.seed)
    else:
        console.print("A table without physics: motions are skipped, all else is real.")
        done = run_program(programmer, words, *given, view.show)
    return 0 if done.succeeded else 1


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise SaySoError(
            Code.INVALID, f"{file} cannot be read: {error}.", hint="name a text file."
        ) from error


def _demonstrations(options: argparse.Namespace, console: Console) -> int:
    """What is asked of demonstrations; 1 if they are checked and anything is wrong."""
    from sayso.adapters.datasets import lerobot
    from sayso.learning.demonstrations import folder
    from sayso.learning.demonstrations.checks import problems
    from sayso.learning.demonstrations.segments import in_words as told

    if (options.out is None) is (options.what in ("generate", "export", "import")):
        raise SaySoError(
            Code.INVALID,
            "generate, export and import write a folder, show and check none.",
            hint="give the new folder's name after the other.",
        )
    if options.what == "import":
        return _import_demonstrations(options, console)
    if options.what == "generate":
        return _generate_demonstrations(options, console)
    places = folder.folders(options.path)
    if options.what == "export":
        lerobot.export([piece for p in places for piece in folder.read(p).pieces()], options.out)
        return 0
    faulty = False
    for place, shown in ((p, piece) for p in places for piece in folder.read(p).pieces()):
        found = problems(shown)
        faulty |= bool(found)
        lines = told(shown) if options.what == "show" else found or ("all is well.",)
        console.print(f"{place.name}: {shown.words} ({shown.duration_s:.1f} s)", markup=False)
        for line in lines:
            console.print(f"  {line}", highlight=False, markup=False)
    return int(faulty and options.what == "check")


def _generate_demonstrations(options: argparse.Namespace, console: Console) -> int:
    """A folder for each play; those that are there already are passed over."""
    from sayso.adapters import registry
    from sayso.worlds.persons.player import Order, record

    orders = [
        Order(
            options.out / f"play_{seed:04d}",
            seed,
            options.count,
            tuple(options.behaviours),
            options.wrong,
            str(options.path),
        )
        for seed in range(options.seed, options.seed + options.plays)
    ]
    pool = registry.create("worker_pool", "local", workers=options.workers)
    for number, played in enumerate(pool.map(record, orders), 1):
        told = "was there already"
        if played is not None:
            told = f"{len(played.labels)} behaviours, {len(played.failed)} came to nothing"
        console.print(f"{number} of {len(orders)}: {told}", highlight=False)
    return 0


def _import_demonstrations(options: argparse.Namespace, console: Console) -> int:
    """Of a LeRobot dataset or one of CALVIN, a folder for each; of a bag, the one folder."""
    from sayso.adapters.datasets import calvin, lerobot
    from sayso.learning.demonstrations import folder

    if calvin.is_dataset(options.path):
        return _import_calvin(options, console)
    if (options.path / "meta").is_dir():
        for number, shown in enumerate(lerobot.read(options.path)):
            folder.write(shown, options.out / f"{number:03d}")
        return 0
    from sayso.ros.bags.shown_bag import shown_in

    things = dict(t.partition("=")[::2] for t in options.things)
    shown = shown_in(options.path, options.words, things, options.robot or "panda")
    folder.write(shown, options.out)
    return 0


def _import_calvin(options: argparse.Namespace, console: Console) -> int:
    """Each recording on its own: what is there already is kept; what is damaged or cannot be
    written is told and passed over, then 1."""
    from sayso.adapters.datasets import calvin
    from sayso.learning.demonstrations import folder

    failed = 0
    for name, recording in calvin.recordings(options.path):
        told = "was there already"
        if not (options.out / name).exists():
            try:
                shown = recording()
                folder.write_whole(shown, options.out / name)
                told = f"{len(shown.annotations)} behaviours"
            except SaySoError as error:
                failed += 1
                told = str(error)
        console.print(f"{name}: {told}", markup=False, highlight=False)
    return int(failed > 0)


def _show_scene(options: argparse.Namespace, console: Console) -> int:
    """What stands in a flat, after it was written where that is wanted."""
    from sayso.worlds.flat.choosing import read_scene
    from sayso.worlds.flat.scene_file import to_yaml
    from sayso.worlds.flat.sdf import to_sdf

    scene = read_scene(options.scene or "", options.seed or 0)
    for file, as_text in ((options.sdf, to_sdf), (options.yaml, to_yaml)):
        if file is not None:
            _write(file, as_text(scene))
            console.print(f"Written: {file}", markup=False, highlight=False)
    for title, things in (
        ("rooms", [r.name for r in scene.rooms]),
        ("doors", [d.name for d in scene.doors]),
        ("things", [i.name for i in scene.items]),
        ("walkers", [w.name for w in scene.walkers]),
    ):
        text = f"{title + ':':9}{', '.join(things) or 'none'}"
        console.print(text, markup=False, highlight=False)
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SaySoError(
            Code.INVALID,
            f"{file} cannot be written: {error.strerror}.",
            hint="name a file in a folder that is there and may be written to.",
        ) from error


def _show_versions(options: argparse.Namespace, console: Console) -> int:
    """All versions of a learned library, after another was put to use if that is wanted."""
    from sayso.ros.teaching.learning_folder import LearningFolder

    path = options.path
    if path is None or not (path / "versions").is_dir():
        raise SaySoError(
            Code.INVALID,
            f"{path or 'the built-in library'} has no versions: nothing was learned there.",
            hint="name the folder of a learner.",
        )
    with closing(LearningFolder(path)) as folder:
        if options.undo:
            folder.undo()
        if options.use is not None:
            folder.use(options.use)
        for version in folder.versions.all():
            mark = ">" if version.number == folder.versions.current else " "
            line = f"{mark} {version.number} (after {version.parent}): {version.why}"
            console.print(line, markup=False, highlight=False)
    return 0


def _show_library(options: argparse.Namespace, console: Console) -> int:
    shown = library.load(options.path or library.builtin_path())
    if options.pddl:
        from sayso.planning.pddl import domain_text

        console.print(domain_text(shown), markup=False, highlight=False)
        return 0
    console.print(f"[bold]Library {escape(shown.name)}[/]\n\n[bold]Predicates[/]")
    for predicate in shown.predicates.values():
        origin = escape(str(predicate.provenance.get("origin", "unknown")))
        signature = f"{predicate.name}({', '.join(predicate.parameters)})"
        words = escape(f"{signature:18} {predicate.english}")
        console.print(f"  {words}  [dim]{origin}[/]", highlight=False)
    console.print("\n[bold]Operators[/]")
    for operator in shown.operators.values():
        console.print(f"  {operator.name}({', '.join(operator.parameters)})", highlight=False)
        for label, items in (
            ("needs", operator.preconditions),
            ("makes true", operator.add),
            ("makes false", operator.delete),
            ("meanwhile", operator.during),
        ):
            if items:
                text = ", ".join(sorted(map(str, items)))
                console.print(f"    {label + ':':12} {text}", highlight=False, markup=False)
        tries = shown.operator_provenance.get(operator.name, {})
        if "tries" in tries:
            text = f"as predicted in {tries['successes']:g} of {tries['tries']} tries"
            console.print(f"    {'learned:':12} {text}", highlight=False, markup=False)
    _show_words(shown.vocabulary, console)
    return 0


def _show_words(vocabulary: Vocabulary, console: Console) -> None:
    """What can be said with a library: its verbs, and the nouns of each kind of thing."""
    console.print("\n[bold]Words[/]")
    for action in vocabulary.actions:
        console.print(f"  {'; '.join(action.say)}", highlight=False, markup=False)
    for kind in vocabulary.kinds:
        text = f"  {', '.join(sorted(kind.types)) or 'thing'}: {', '.join(kind.nouns)}"
        console.print(text, highlight=False, markup=False)


if __name__ == "__main__":
    sys.exit(main())
