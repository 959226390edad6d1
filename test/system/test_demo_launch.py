"""The shipped launch file end to end: cameras, physics, every node, and a person."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import Feedback, GateState, GroundTruth, Scene, TaskProgress
from sayso_ros.srv import PerturbWorld

from sayso.core import library
from sayso.core.errors import Code
from sayso.reporting.events import Event, EventKind
from sayso.ros.bags.replay import reevaluate
from sayso.ros.messages.qos import SENSOR
from support.launched import Launched, launched

DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)


class Watcher:
    """FOR TESTS: what really happened, as the simulator publishes it."""

    def __init__(self, nodes: Launched) -> None:
        self._changed = threading.Condition()
        self.all: list[GroundTruth] = []
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", self._take, SENSOR
        )

    def _take(self, message: GroundTruth) -> None:
        with self._changed:
            self.all.append(message)
            self._changed.notify_all()

    def wait(self, fits, timeout_s: float = 60.0) -> GroundTruth:
        """The next truth that fits, from now on."""
        with self._changed:
            start = len(self.all)
            if not self._changed.wait_for(lambda: any(map(fits, self.all[start:])), timeout_s):
                pytest.fail("the simulator never came to that state")
            return next(m for m in self.all[start:] if fits(m))

    def touched(self) -> set[str]:
        return {name for m in self.all for name in m.robot_contacts}


def speed(truth: GroundTruth) -> float:
    return float(np.abs(truth.joint_velocities).max())


def stamp_s(truth: GroundTruth) -> float:
    return float(truth.header.stamp.sec + truth.header.stamp.nanosec * 1e-9)


def position(truth: GroundTruth, name: str) -> np.ndarray:
    found = next(o for o in truth.objects if o.name == name).pose.position
    return np.array([found.x, found.y, found.z])


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory):
    with launched(tmp_path_factory.mktemp("run"), seed="1") as running:
        yield running


@pytest.fixture(scope="module")
def watcher(nodes: Launched) -> Watcher:
    return Watcher(nodes)


def code(result) -> Code:
    return Code(result.status.code)


def skills(events: list[Event]) -> list[str]:
    return [str(e.skill.action) for e in events if e.skill is not None and e.skill.finished]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Wobble the red block.", Code.NOT_UNDERSTOOD),
        ("Put the pink elephant on the plate.", Code.UNKNOWN_OBJECT),
        ("Pick up the block.", Code.AMBIGUOUS),
        ("Open the drawer. Never open the drawer.", Code.CONTRADICTION),
        ("Put the red block on the plate. Never touch the red block.", Code.NO_PLAN),
        ("Put the red block on the table.", Code.ALREADY_SATISFIED),
    ],
)
def test_what_cannot_or_need_not_be_done_moves_nothing(nodes, watcher, instruction, expected):
    result, events = nodes.perform(instruction)
    assert code(result) is expected
    assert result.status.message
    assert expected is Code.ALREADY_SATISFIED or result.status.hint or result.status.choices
    assert skills(events) == []
    assert events[-1].kind is EventKind.RESULT


def test_a_no_moves_nothing(nodes):
    result, events = nodes.perform(DEMO, answer=lambda _: (Feedback.REJECT, "no"), ask=True)
    assert code(result) is Code.NOT_CONFIRMED
    assert skills(events) == []
    assert any(e.kind is EventKind.QUESTION for e in events)


def test_the_demo_instruction_is_really_done(nodes, watcher):
    result, _ = nodes.perform(DEMO, ask=True)
    assert code(result) is Code.OK, result.status
    assert result.verdict == TaskProgress.SATISFIED
    truth = watcher.wait(lambda _: True)
    red, blue, plate = (position(truth, n) for n in ("red_block", "blue_block", "plate"))
    assert np.hypot(*(red - plate)[:2]) < 0.1
    assert np.hypot(*(blue - red)[:2]) < 0.03
    assert 0.03 < blue[2] - red[2] < 0.06
    assert "mug" not in watcher.touched()
    folder = Path(result.run_folder)
    data = json.loads((folder / "report.json").read_text())
    assert data["result"]["code"] == "OK"
    assert (folder / "report.md").exists()
    pictures = [p["file"] for p in data["pictures"]]
    assert any(f.endswith(".gif") for f in pictures)
    assert len([f for f in pictures if f.endswith(".jpg")]) == len(data["skills"])
    assert all((folder / f).stat().st_size > 1000 for f in pictures)


def test_stop_brings_the_arm_to_rest_within_half_a_second(nodes, watcher):
    gate = nodes.graph.listen(GateState, "/gate_state")
    stopped_at: list[float] = []

    def stop_in_motion(event: Event) -> None:
        if event.kind is EventKind.SKILL and not event.skill.finished and not stopped_at:
            threading.Thread(target=stop).start()

    def stop() -> None:
        moving = watcher.wait(lambda m: speed(m) > 0.2)
        stopped_at.append(stamp_s(moving))
        nodes.client.stop("test")
        stopped_at.append(stamp_s(watcher.all[-1]))

    result, _ = nodes.perform("Put the green block in the bowl.", on_event=stop_in_motion)
    assert code(result) is Code.STOPPED
    assert "test" in result.status.message
    rest = watcher.wait(lambda m: len(stopped_at) == 2 and stamp_s(m) >= stopped_at[1] + 0.5)
    late = [m for m in watcher.all if stopped_at[1] + 0.5 <= stamp_s(m) <= stamp_s(rest) + 1e-6]
    assert late
    assert max(map(speed, late)) < 0.02
    gate.wait(lambda m: not m.open)
    assert (Path(result.run_folder) / "report.json").exists()


def test_no_task_moves_before_the_stop_is_released(nodes, watcher):
    before = len(watcher.all)
    result, _ = nodes.perform("Put the green block in the bowl.")
    assert code(result) is Code.STOPPED
    assert max(map(speed, watcher.all[before:]), default=0.0) < 0.05


def test_released_it_moves_and_notices_an_object_that_is_taken_away(nodes, watcher):
    nodes.client.release("")
    nodes.reset(seed=4)
    taken: list[str] = []

    def take_away(event: Event) -> None:
        if event.kind is EventKind.SKILL and not event.skill.finished and not taken:
            taken.append(event.skill.action.args[0])
            threading.Thread(target=take).start()

    def take() -> None:
        watcher.wait(lambda m: speed(m) > 0.1)
        nodes.perturb(PerturbWorld.Request.REMOVE, "green_block")

    result, _ = nodes.perform("Put the green block on the plate.", on_event=take_away)
    assert taken == ["green_block"]
    assert code(result) not in (Code.OK, Code.ALREADY_SATISFIED, Code.UNKNOWN)
    assert "green_block" in result.status.message


def test_a_camera_that_falls_silent_stops_the_arm_and_is_named(nodes, watcher):
    nodes.reset(seed=5)
    muted: list[str] = []

    def mute(event: Event) -> None:
        if event.kind is EventKind.SKILL and not event.skill.finished and not muted:
            muted.append("left")
            threading.Thread(target=silence).start()

    def silence() -> None:
        nodes.perturb(PerturbWorld.Request.MUTE_CAMERA, "left")

    result, _ = nodes.perform("Put the green block on the plate.", on_event=mute)
    nodes.perturb(PerturbWorld.Request.UNMUTE_CAMERA, "left")
    assert code(result) is Code.STALE
    assert "camera 'left' is silent" in result.status.message
    assert watcher.wait(lambda m: speed(m) < 0.02)


def test_ctrl_c_in_mid_motion_leaves_all_whole_and_judged_the_same_again(nodes, watcher):
    """Last: ends the launch."""
    nodes.graph.listen(Scene, "/scene").wait()  # of the camera that is back

    def press_ctrl_c() -> None:
        watcher.wait(lambda m: speed(m) > 0.1)
        nodes.process.send_signal(signal.SIGINT)

    pressing = threading.Thread(target=press_ctrl_c)

    def on_event(event: Event) -> None:
        if event.kind is EventKind.SKILL and pressing.ident is None:
            pressing.start()

    result, _ = nodes.perform("Put the green block on the plate.", on_event=on_event)
    assert code(result) in (Code.STOPPED, Code.CANCELLED)
    assert nodes.end() == 0, nodes.log()
    data = json.loads((Path(result.run_folder) / "report.json").read_text())
    assert data["result"]["code"] in ("STOPPED", "CANCELLED")
    report = reevaluate(nodes.folder / "bag", library.load(library.builtin_path()))
    assert report.same
    assert len(report.tasks) >= 5
    assert {t.recorded for t in report.tasks} >= {TaskProgress.SATISFIED}
