"""The `sayso` command: every option, help for everything, errors for people."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sayso import cli
from sayso.cli import demo_options
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path
from sayso.evaluation.catalogue import SUITES
from sayso.ros.teaching.learning_folder import LearningFolder


def subcommands():
    (action,) = (a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction))
    for command in action.choices.values():
        command.complete()
    return action.choices


def options_of(*arguments):
    return vars(cli.parser().parse_args(arguments))


@pytest.mark.parametrize("command", ["", *subcommands()])
def test_help_tells_of_every_argument(command, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([*filter(None, [command]), "--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: sayso")
    if not command:
        assert all(name in shown for name in subcommands())
        return
    for action in subcommands()[command]._actions:
        assert action.help, f"{command}: {action.dest} has no help"
        assert all(name in shown for name in action.option_strings)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_s_help_tells_of_its_own_options_and_the_shared_ones(suite, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["eval", suite, "--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    own = [f for kind in SUITES[suite].settings() for f in fields(kind) if "text" in f.metadata]
    names = [f.metadata["flags"][0] if f.metadata["flags"] else f.name for f in own]
    assert all(name.replace("_", "-") in shown for name in names)
    assert all(name in shown for name in ("--llm", "--timeout", "--seed", "--out"))


@pytest.mark.parametrize("said", [["eval", "cape"], ["library"], ["stop"]])
def test_what_a_command_does_not_need_is_not_loaded_to_read_its_options(said):
    code = (
        f"from sayso import cli; import sys; cli.parser().parse_args({said}); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {
        "mujoco",
        "rclpy",
        "sayso.language.controlled_english",
        "sayso.worlds.things",
    }


def test_the_demo_has_an_instruction_and_settings_of_its_own():
    options = options_of("demo")
    assert options["instruction"] is None  # the world's own
    assert (options["seed"], options["llm"], options["segmenter"]) == (1, "none", "")
    assert not options["console"] and not options["no_noise"] and options["record"] is None


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        (["Open the drawer."], "instruction", "Open the drawer."),
        (["--seed", "7"], "seed", 7),
        (["--confirm", "ask"], "confirm", "ask"),
        (["--confirm", "auto"], "confirm", "auto"),
        (["--record", "run"], "record", Path("run")),
        (["--console"], "console", True),
        (["--llm", "record[openai]"], "llm", "record[openai]"),
        (["--model", "m"], "model", "m"),
        (["--base-url", "http://localhost:1/v1"], "base_url", "http://localhost:1/v1"),
        (["--cassette", "tape"], "cassette", "tape"),
        (["--segmenter", "simulator_segmentation"], "segmenter", "simulator_segmentation"),
        (["--no-noise"], "no_noise", True),
        (["--library", "./mine/"], "library", "./mine/"),
        (["--detector", "owl"], "detector", "owl"),
        (["--misses", "0.1"], "misses", 0.1),
        (["--frame-of-reference", "speaker"], "frame_of_reference", "speaker"),
        (["--speaker", "1", "-2", "0.5"], "speaker", [1.0, -2.0, 0.5]),
        (["--timeout", "30"], "timeout", 30.0),
        (["--llm-timeout", "30"], "llm_timeout", 30.0),
        (["--temperature", "0.5"], "temperature", 0.5),
        (["--max-tokens", "99"], "max_tokens", 99),
        (["--attempts", "2"], "attempts", 2),
    ],
)
def test_every_option_of_the_demo(given, name, value):
    assert options_of("demo", *given)[name] == value


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        (["perform", "Go."], "instruction", "Go."),
        (["perform", "Go.", "--confirm", "auto"], "confirm", "auto"),
        (["perform", "Go.", "--timeout", "5"], "timeout", 5.0),
        (["stop"], "reason", "stopped from the command line"),
        (["stop", "a child"], "reason", "a child"),
        (["describe", "--namespace", "left"], "namespace", "left"),
        (["replay", "bag"], "bag", Path("bag")),
        (["replay", "bag", "--publish", "--rate", "2"], "rate", 2.0),
        (["replay", "bag", "--library", "mine"], "library", Path("mine")),
        (["scene", "home", "--sdf", "home.sdf"], "sdf", Path("home.sdf")),
        (["scene", "--seed", "7", "--yaml", "mine.yaml"], "seed", 7),
        (["library", "mine"], "path", Path("mine")),
        (["library", "--pddl"], "pddl", True),
        (["library", "mine", "--versions"], "versions", True),
        (["library", "mine", "--undo"], "undo", True),
    ],
)
def test_every_option_of_the_other_commands(given, name, value):
    assert options_of(*given)[name] == value


@pytest.mark.parametrize(("terminal", "expected"), [(True, "ask"), (False, "auto")])
def test_a_person_at_a_terminal_is_asked(monkeypatch, terminal, expected):
    monkeypatch.setattr(sys.stdin, "isatty", lambda: terminal, raising=False)
    assert options_of("perform", "Go.")["confirm"] == expected


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["dance"],
        ["perform"],
        ["replay"],
        ["scene"],
        ["scene", "home", "--seed", "7"],
        ["demo", "--seed", "one"],
        ["demo", "--confirm", "maybe"],
        ["demo", "--finder", "eyes"],
        ["demo", "--speaker", "1", "2"],
        ["demo", "--colour"],
    ],
)
def test_wrong_usage_is_told_with_the_usage(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(wrong)
    assert end.value.code == 2
    assert "usage: sayso" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--segmenter", "eyes"], "Valid: rgbd, open3d, simulator_segmentation"),
        (["--world", "flat", "--detector", "x"], "'simulator' has no use for 'detector'"),
        (["--world", "flat", "--misses", "1.5"], "rates of a simulator's errors"),
        (["--world", "flat", "--speaker", "1", "2", "0"], "--frame-of-reference speaker"),
        pytest.param(
            ["--world", "flat", "--finder", "owlvit_sam"],
            "pip install 'sayso[vision]'",
            marks=pytest.mark.skipif(find_spec("transformers") is not None, reason="is installed"),
        ),
    ],
)
def test_what_cannot_see_is_refused_before_anything_starts(given, says, tmp_path, capsys):
    pytest.importorskip("sayso_ros", reason="the interfaces are not built")
    assert cli.main(["demo", *given, "--record", str(tmp_path / "run")]) == 1
    assert says in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


def test_what_is_read_is_shown_and_what_is_asked_or_refused_makes_it_fail(capsys):
    assert cli.main(["read", "Put the mug on the plate. Never touch the bowl."]) == 0
    assert "F(on(mug, plate)) & G(!touching(bowl))" in capsys.readouterr().out
    assert cli.main(["read", "Touch the mug.", "Touch the block.", "Xyz the mug."]) == 1
    shown = capsys.readouterr().out
    assert "AMBIGUOUS" in shown and "red_block" in shown and "NOT_UNDERSTOOD" in shown


def test_instructions_are_read_with_a_library_of_ones_own(capsys, tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(builtin_path(), mine)
    index = json.loads((mine / "library.json").read_text())
    index["predicates"].append(
        {
            "name": "far",
            "parameters": ["a"],
            "english": "{0} is far off",
            "english_not": "{0} is near",
        }
    )
    (mine / "library.json").write_text(json.dumps(index))
    (mine / "predicates/far.py").write_text(
        '"""Far from the foot."""\n\n\ndef far(scene, a):\n    return scene.position(a)[0] > 0.5\n'
    )
    words = "If the mug is far off, put it on the plate."
    assert cli.main(["read", words]) == 1
    assert cli.main(["read", words, "--library", f"{mine}/"]) == 0
    assert "!far(mug) | F(on(mug, plate))" in capsys.readouterr().out


def test_instructions_for_a_flat_are_read_from_a_pipe(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Go to the sofa.\nGo to the wall of fire.\n"))
    assert cli.main(["read", "--world", "flat", "--scene", "home"]) == 1
    assert "F(near(sofa))" in capsys.readouterr().out
    assert cli.main(["read", "Touch the mug.", "--scene", "home"]) == 1
    assert "INVALID" in capsys.readouterr().out


def test_the_library_is_shown_with_where_it_comes_from(capsys):
    assert cli.main(["library"]) == 0
    shown = capsys.readouterr().out
    assert "on(a, b)" in shown and "built-in" in shown
    assert "put|place" in shown and "plate" in shown.split("Words")[1]
    assert "pick_from_table(?o)" in shown and "not holding(?o)" not in shown.split("needs")[0]


def test_the_domain_is_printed_as_pddl(capsys):
    assert cli.main(["library", "--pddl"]) == 0
    shown = capsys.readouterr().out
    assert "(define (domain" in shown and "(:action pick_from_table" in shown
    assert shown.count("(") == shown.count(")") > 100


@pytest.mark.parametrize("name", ["errands", "flat", "virtualhome"])
def test_a_domain_whose_actions_are_called_like_its_predicates_is_printed(name, capsys):
    assert cli.main(["library", str(builtin_path().parent / name), "--pddl"]) == 0
    shown = capsys.readouterr().out
    assert "(:action open-action" in shown and "(open ?a0" in shown
    names = re.findall(r"^ *\(:action (\S+)", shown, re.MULTILINE)
    assert len(names) == len(set(names)) > 10


def test_a_library_of_ones_own_is_shown(tmp_path, capsys):
    mine = shutil.copytree(builtin_path(), tmp_path / "mine")
    index = json.loads((mine / "library.json").read_text())
    index["name"] = "mine [draft]"
    index["operators"][0]["provenance"] = {"origin": "learned", "tries": 9, "successes": 8.0}
    (mine / "library.json").write_text(json.dumps(index))
    assert cli.main(["library", str(mine)]) == 0
    shown = capsys.readouterr().out
    assert "mine [draft]" in shown
    assert shown.count("as predicted in 8 of 9 tries") == 1


def test_a_version_is_undone_unless_somebody_learns(tmp_path, capsys):
    folder = LearningFolder(tmp_path)
    folder.save(folder.library(), "You cannot [/x] because the cup is hot.")
    assert cli.main(["library", str(tmp_path), "--undo"]) == 1
    assert "BUSY" in capsys.readouterr().out
    folder.close()
    assert cli.main(["library", str(tmp_path), "--undo"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("> 1 (after 0): nothing is known") and second.startswith(
        "  2 (after 1)"
    )
    assert cli.main(["library", str(tmp_path), "--undo"]) == 1
    capsys.readouterr()
    assert cli.main(["library", str(tmp_path), "--use", "0"]) == 1
    assert "has no version 0" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit):
        cli.main(["library", str(tmp_path), "--undo", "--use", "2"])
    assert cli.main(["library", str(builtin_path()), "--versions"]) == 1
    assert "nothing was learned there" in capsys.readouterr().out


def test_a_scene_is_written_for_gazebo_and_as_a_file_to_change(tmp_path, capsys):
    sdf, copy, again = tmp_path / "studio.sdf", tmp_path / "studio.yaml", tmp_path / "again.sdf"
    assert cli.main(["scene", "studio", "--sdf", str(sdf), "--yaml", str(copy)]) == 0
    assert "red_sofa" in capsys.readouterr().out
    assert ElementTree.parse(sdf).getroot().find("world").get("name") == "studio"
    assert cli.main(["scene", str(copy), "--sdf", str(again)]) == 0
    assert again.read_text() == sdf.read_text()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["castle"], "Valid: apartment, errand_kitchen, errand_lab"),
        (["none.yaml"], "cannot be read"),
        (["studio", "--sdf", "no/such/folder/studio.sdf"], "cannot be written"),
    ],
)
def test_a_scene_that_cannot_be_is_refused(given, says, capsys):
    assert cli.main(["scene", *given]) == 1
    assert says in capsys.readouterr().out


def test_an_error_is_told_with_its_code_and_the_next_step(tmp_path, capsys):
    assert cli.main(["library", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "CORRUPT" in shown and "library.json" in shown and "Next: " in shown


def test_square_brackets_in_an_error_are_shown_and_harmless(monkeypatch, capsys):
    def fail(options: object, console: Console) -> int:
        raise SaySoError(
            Code.CONFIG, "no [/x] here.", choices=["record[openai]"], hint="see [bold]."
        )

    monkeypatch.setattr(cli, "_run", fail)
    assert cli.main(["library"]) == 1
    shown = capsys.readouterr().out
    for text in ("no [/x] here.", "record[openai]", "see [bold]."):
        assert text in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_a_command_end_what_it_started(monkeypatch, capsys, number):
    ended = []

    def busy(options: object, console: Console) -> int:
        try:
            os.kill(os.getpid(), number)
            signal.pause()
        finally:
            ended.append(number)

    monkeypatch.setattr(cli, "_run", busy)
    usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
    outer = signal.signal(number, usual)  # whoever runs the tests may ignore it
    try:
        assert cli.main(["library"]) == 130
        assert ended == [number]
        assert "Interrupted" in capsys.readouterr().out
        assert signal.getsignal(number) is usual
    finally:
        signal.signal(number, outer)


@pytest.mark.parametrize("world", ["kitchen2d", "virtualhome"])
def test_a_console_needs_a_robot(world, capsys):
    assert cli.main(["demo", "--world", world, "--console"]) == 1
    shown = capsys.readouterr().out
    assert "CONFIG" in shown and world in shown and "table" in shown


@pytest.mark.parametrize(
    ("given", "idle"),
    [
        (["--world", "play_table", "--robot", "fr3", "--disturb", "x"], "--disturb, --robot"),
        (["--teach-skill", "hang", "--driver", "franky_sim"], "--driver here"),
        (["--teach", "--teach-skill", "hang"], "--teach here"),
        (["--teach", "Open the drawer."], "instruction here"),
        (["--world", "flat", "--teach-skill", "hang"], "--teach-skill"),
        (["--world", "virtualhome", "--speed", "2"], "--speed"),
        (["--scene", "home"], "--scene"),
        (["--joined"], "--joined"),
        (["--teach", "--library", "./mine/"], "--library here"),
        (["--world", "flat", "--planner", "search", "--plans", "x"], "--planner, --plans"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused_by_name(given, idle, tmp_path, capsys):
    assert cli.main(["demo", *given, "--record", str(tmp_path / "run")]) == 1
    assert f"takes no {idle}." in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("library", "says"),
    [("none", "CONFIG: there is no library 'none'."), ("./none/", "CORRUPT: none/library.json")],
)
def test_a_library_that_cannot_be_read_is_named_before_anything_is_started(
    library, says, tmp_path, capsys
):
    pytest.importorskip("sayso_ros", reason="the interfaces are not built")
    assert cli.main(["demo", "--library", library, "--record", str(tmp_path / "run")]) == 1
    assert says in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


def test_a_console_is_given_its_address():
    options = options_of("console", "--address", "192.168.0.7", "--port", "0")
    assert (options["address"], options["port"], options["certificate"]) == ("192.168.0.7", 0, "")


def test_every_option_of_the_demo_changes_something_somewhere():
    counting = set().union(*demo_options.COUNTING.values()) | demo_options.ALWAYS_COUNTING
    assert options_of("demo").keys() == counting
