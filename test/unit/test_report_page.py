"""The report as a page, the film's captions, and the command that does a run again."""

from __future__ import annotations

import io
import json
import re

import pytest
from PIL import Image
from rich.console import Console

from sayso.cli import parser
from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.pipeline import perform
from sayso.reporting.film import write_gif
from sayso.reporting.report import Picture, RunReport
from sayso.ros.launch.launch_log import failed_node, page_address
from sayso.ros.task import run_settings
from sayso.worlds.kinematic_table import KinematicTable

PREDICATES = library.load(library.builtin_path()).predicates


def page(tmp_path, instruction, table=None, **settings):
    report = RunReport(settings, PREDICATES)
    perform(instruction, table or KinematicTable(), report.add)
    report.pictures += [Picture("the whole run", "film.gif"), Picture("before", "0.jpg", 0)]
    report.write(tmp_path)
    return (tmp_path / "report.md").read_text()


def tables(text):
    """Each table's rows of cells."""
    blocks = re.findall(r"(?:^\|.*\n)+", text + "\n", re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", row)[1:-1] for row in b.splitlines()] for b in blocks]


def test_every_table_has_as_many_cells_in_each_row(tmp_path):
    def slips(action):
        return SaySoError(Code.EXECUTION, "it | slipped\nagain.", hint="dry it.")

    text = page(tmp_path, "Either open the drawer or touch the mug.", KinematicTable(fails=slips))
    assert "slipped" in text
    assert len(tables(text)) >= 4
    for rows in tables(text):
        assert len({len(row) for row in rows}) == 1
        assert set("".join(rows[1])) == {"-"}


def test_it_is_in_words(tmp_path):
    text = page(tmp_path, "Put the red block on the plate. Never touch the mug.")
    assert "put the red block on the plate" in text
    assert "| the mug | `mug` |" in text
    assert "| after | the red block is on the plate | yes |" in text
    assert "the robot touches the mug" in text.split("## Automaton")[1]
    assert "stateDiagram-v2" in text
    assert text.index("film.gif") < text.index("0.jpg")


def test_words_at_fault_stay_above_their_carets(tmp_path):
    text = page(tmp_path, "Put the red block on the sofa.")
    lines = text.splitlines()
    carets = next(i for i, line in enumerate(lines) if set(line) == {" ", "^"})
    assert lines[carets - 1][lines[carets].index("^") :].startswith("sofa")
    assert "Valid: " in text


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--seed", "7", "--no-noise", "--segmenter", "simulator_segmentation"],
        ["--llm", "record[openai]", "--model", "m 1", "--base-url", "http://h/v1"],
        ["--world", "flat", "--finder", "owlvit_sam", "--detector", "d", "--threshold", "0"],
        ["--frame-of-reference", "speaker", "--speaker", "-1", "2", "0.5", "--misses", "0.1"],
    ],
)
def test_a_run_can_be_repeated_from_its_report(tmp_path, given):
    options = parser().parse_args(["demo", "Touch the mug.", *given])
    run_settings.write(options, tmp_path)
    started = run_settings.read(tmp_path)
    text = page(tmp_path, "Touch the mug.", started=started)
    assert "./demo 'Touch the mug.' --seed" in text
    again = parser().parse_args(["demo", "Touch the mug.", *started["options"]])
    assert again == options


def test_without_a_settings_file_there_is_no_command(tmp_path):
    assert run_settings.read(tmp_path) == {}
    assert "./demo" not in page(tmp_path, "Touch the mug.")
    assert json.loads((tmp_path / "report.json").read_text())["repeat"] == ""


def test_settings_name_the_versions_that_matter():
    options = parser().parse_args(["demo"])
    noted = run_settings.settings(options)
    assert noted["options"] == ["--seed", "1"]
    assert {"mujoco", "ompl", "numpy"} <= set(noted["packages"])


def jpeg(color):
    data = io.BytesIO()
    image = Image.new("RGB", (64, 48), "grey")
    image.paste(color, (0, 0, 4, 4))
    image.save(data, "JPEG", quality=95)
    return data.getvalue()


def test_a_film_keeps_small_bright_things_and_shows_captions(tmp_path):
    frames = [jpeg("red")] * 3 + [jpeg("lime")] * 3
    assert write_gif(frames, tmp_path / "f.gif", [(3, "2. put it down")])
    film = Image.open(tmp_path / "f.gif")
    shown = []
    for number in range(film.n_frames):
        film.seek(number)
        shown.append(film.convert("RGB"))
    red, green, _ = shown[0].getpixel((10, 10))
    assert red > 150 > 80 > green
    red, green, _ = shown[-1].getpixel((10, 10))
    assert green > 150 > 80 > red
    bars = [
        max(i.crop((0, i.height - 20, i.width, i.height)).convert("L").tobytes()) for i in shown
    ]
    assert bars[0] < 60 < 200 < bars[-1]


def test_no_frames_make_no_film(tmp_path):
    assert not write_gif([], tmp_path / "f.gif")
    assert not (tmp_path / "f.gif").exists()


def test_the_address_of_the_page_is_found_in_the_log():
    log = "[console-9] [INFO] [1.5] [console]: console: http://127.0.0.1:8765/xY-z_1/\n"
    assert page_address(log) == "http://127.0.0.1:8765/xY-z_1/"
    assert page_address("[launch] console started, process 1\n") == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--llm", "foo"], "no llm 'foo'"),
        (["--llm", "record[foo]", "--cassette", "c"], "no llm 'foo'"),
        (["--llm", "openai"], "needs a model"),
        (["--llm", "replay"], "needs a cassette"),
        (["--planner", "retrieved[search]"], "needs plans"),
        (["--planner", "next_action[search]"], "needs model"),
    ],
)
def test_a_model_or_planner_that_cannot_be_is_refused_before_anything_starts(given, said):
    pytest.importorskip("sayso_ros", reason="the interfaces are not built")
    from sayso.ros.task.demo_command import demo

    with pytest.raises(SaySoError, match=said) as caught:
        demo(parser().parse_args(["demo", "Touch the mug.", *given]), Console())
    assert caught.value.code is Code.CONFIG


@pytest.mark.parametrize(
    ("log", "failure"),
    [
        ("[launch] world started, process 1\n[launch] world has ended, exit code 0\n", None),
        (
            "[interpreter] [FATAL] [1.5] [sayso]: CONFIG: no llm 'foo'.\n"
            "[launch] interpreter has ended, exit code 2\n",
            ("interpreter", "CONFIG: no llm 'foo'."),
        ),
        (
            "[interpreter-3] [FATAL] [1.5] [sayso]: CONFIG: no model.\n"
            "[ERROR] [interpreter-3]: process has died [pid 9, exit code 2, cmd 'x'].\n",
            ("interpreter", "CONFIG: no model."),
        ),
        ("[launch] world has ended, exit code 139\n", ("world", "")),
        ("[launch] world has ended, signal SIGKILL\n", ("world", "")),
    ],
)
def test_a_failed_node_is_found_in_the_log(log, failure):
    assert failed_node(log) == failure
