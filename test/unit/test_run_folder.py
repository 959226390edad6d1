"""What cannot be written never hides what became of a task."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from rich.console import Console
from sayso_ros.action import PerformTask
from sayso_ros.msg import Status
from std_msgs.msg import Header

from sayso.core.errors import Code
from sayso.core.symbols import Action
from sayso.reporting.events import Event, EventKind, SkillReport
from sayso.reporting.report import RunReport
from sayso.ros.robot.rgbd_publisher import jpeg
from sayso.ros.task.client_command import perform_with
from sayso.ros.task.demo_command import tell_what_is_there
from sayso.ros.task.run_folder import RunFolder

BEGUN = Event(EventKind.INSTRUCTION, "interpret", 0.0, "Open the drawer.")
PICTURE = bytes(jpeg(np.zeros((48, 64, 3), np.uint8), 90, Header()).data)
ENDED = Event(EventKind.RESULT, "execute", 1.0, "Done.", code=Code.OK)


def told(folder: Path) -> RunFolder:
    run = RunFolder(folder, {}, {}, {})
    for event in (BEGUN, ENDED):
        run.add(event)
    run.close()
    return run


def test_all_is_well(tmp_path: Path) -> None:
    assert told(tmp_path / "run").unwritten == ""
    assert json.loads((tmp_path / "run/report.json").read_text())["result"]["code"] == "OK"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    unwritten = told(tmp_path / "file" / "run").unwritten
    assert "the run folder was not written" in unwritten
    assert "the report was not written" in unwritten


def test_a_film_that_fails_leaves_the_report(tmp_path: Path) -> None:
    class Broken:
        def start_film(self) -> None: ...

        def end_film(self) -> list[bytes]:
            return [b"no picture"]

    run = RunFolder(tmp_path, {"left": Broken()}, {}, {})
    run.add(BEGUN)
    run.add(ENDED)
    run.close()
    assert run.unwritten.startswith("the film was not written")
    assert json.loads((tmp_path / "report.json").read_text())["result"]["succeeded"]


def test_no_half_picture_is_left_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Showing:
        def start_film(self) -> None: ...

        def film_length(self) -> int:
            return 1

        def newest(self) -> bytes:
            return PICTURE

        def end_film(self) -> list[bytes]:
            return [PICTURE]

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    run = RunFolder(tmp_path, {"left": Showing()}, {}, {})
    run.add(BEGUN)
    monkeypatch.setattr("os.fsync", full)
    action = Action("open", ("drawer",), frozenset(), frozenset(), frozenset())
    run.add(Event(EventKind.SKILL, "execute", 0.5, skill=SkillReport(action, 0, 1, False)))
    run.close()
    assert all(what in run.unwritten for what in ("a picture", "the film", "the report"))
    assert not list(tmp_path.iterdir())


def test_a_report_is_replaced_whole_or_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = RunReport()
    report.add(BEGUN)
    report.write(tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    report.add(ENDED)
    with pytest.raises(OSError, match="No space left"):
        report.write(tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_the_person_is_told_what_could_not_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    class Client:
        def perform(self, *_, listener, **__) -> PerformTask.Result:
            listener(ENDED)
            message = "Done. the report was not written: [Errno 28] No space left on device."
            return PerformTask.Result(status=Status(message=message))

    options = argparse.Namespace(instruction="Open the drawer.", confirm="auto", timeout=1.0)
    perform_with(Client(), options, Console(width=200))
    shown = capsys.readouterr().out
    assert shown.count("Done.") == 1
    assert "the report was not written: [Errno 28] No space left on device." in shown


def test_what_a_run_folder_lacks_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.md").write_text("# Done")
    (tmp_path / "report.json").touch()
    (tmp_path / "nodes.log").write_text("started")
    tell_what_is_there(tmp_path, Console(width=200))
    there, lacking = capsys.readouterr().out.splitlines()[-2:]
    assert there.strip() == "report.md, nodes.log"
    assert lacking.strip() == "Not written, or not to its end: report.json, bag"
