"""The launch file for teaching end to end: cameras, physics, words, code, operators, and plans.

What was taught is told, forbidden and, after a restart, told again.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.action import PerformTask
from sayso_ros.msg import Feedback, LearningEvent

from sayso.core import library
from sayso.core.errors import Code
from sayso.reporting.events import Event, EventKind
from sayso.ros.task.table_trials import Teaching, run_trial, teaching_nodes
from sayso.worlds.table.tasks import TableTask
from sayso.worlds.table.trial import Trial
from support.ros_graph import free_domain

ABSENT = ("mug", "bowl", "plate")
LESSONS = (
    TableTask("lesson_1", "store", "training", "Put the green block on the coaster.",
              ("on(green_block, coaster)",), 11, ABSENT, ()),
    TableTask("lesson_2", "store", "training", "Put the green block on the red block.",
              ("on(green_block, red_block)",), 12, ABSENT, ()),
)  # fmt: skip
# The words are those of a task of the simulated person's seed: that is how it knows its goal.
TEST = TableTask("test", "store", "canonical", "Put the blue block on the green block.",
                 ("on(blue_block, green_block)",), 13, ABSENT, ())  # fmt: skip


FORBIDDEN = "Never put the red block on the coaster."
FOLLOWING = 5
"""Nodes that take over what is learned."""


def test_what_two_lessons_teach_can_be_told_and_forbidden_also_after_a_restart(
    tmp_path: Path, monkeypatch
) -> None:
    events: list[LearningEvent] = []
    folder = tmp_path / "learned"
    arguments = {"library": str(folder), "simulated_person": "true", "record": "false",
                 "speed": "10.0"}  # fmt: skip
    with free_domain() as domain:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
        log = tmp_path / "nodes.log"
        with teaching_nodes(arguments, log, events.append) as teaching:
            lessons = [run_trial(teaching.trials, task, 0) for task in LESSONS]
            tested = run_trial(teaching.trials, TEST, 0)
            assert all(_ended(t) and t.reached for t in lessons), (lessons, log.read_text()[-3000:])
            assert _ended(tested) and tested.reached, (tested, log.read_text()[-3000:])
            assert tested.actions >= 2 and not tested.said
            _wait_until_taken_over(folder, log)
            _tell_and_forbid(teaching, folder, log)
            _forbid_and_disturb(teaching, log)
        again = tmp_path / "again.log"
        left = {**arguments, "namespace": "left"}
        with teaching_nodes(left, again, events.append) as teaching:
            _wait_until_taken_over(folder, again)
            _tell_and_forbid(teaching, folder, again)
    known = library.load(folder)
    assert {"on", "holding"} <= set(known.predicates) and known.operators
    assert {LearningEvent.HEARD, LearningEvent.PREDICATE} <= {e.kind for e in events}


def _ended(trial: Trial) -> bool:
    return trial.code == "OK"


def _wait_until_taken_over(folder: Path, log: Path) -> None:
    """Each node says so in its log."""
    number = int((folder / "versions/current").read_text())
    looked = threading.Event()
    for _ in range(600):
        if log.read_text(errors="replace").count(f"version {number} of the library") >= FOLLOWING:
            return
        looked.wait(0.1)
    raise AssertionError(log.read_text(errors="replace")[-3000:])


def _tell_and_forbid(teaching: Teaching, folder: Path, log: Path) -> None:
    known = library.load(folder).operators
    teaching.trials.stage(TEST)
    result, events = _told(teaching, TEST.words)
    assert result.status.code == Code.OK, (result.status, log.read_text()[-3000:])
    assert teaching.trials.reached(TEST)
    (plan, *_) = (e.plan for e in events if e.plan is not None)
    assert len(plan.actions) >= 2 and {a.name for a in plan.actions} <= set(known)
    assert all(a.skill == known[a.name].skill for a in plan.actions)

    teaching.trials.stage(TEST)
    result, events = _told(teaching, f"{TEST.words} Never pick up the blue block.")
    assert result.status.code in (Code.NO_PLAN, Code.CONTRADICTION), result.status
    assert not [e for e in events if e.skill is not None]


def _forbid_and_disturb(teaching: Teaching, log: Path) -> None:
    teaching.trials.stage(TEST)
    result, _ = _told(
        teaching,
        f"{TEST.words} {FORBIDDEN}",
        lambda: teaching.trials.stack("red_block", "coaster"),
    )
    assert result.status.code == Code.VIOLATED, (result.status, log.read_text()[-3000:])


def _told(
    teaching: Teaching, words: str, disturb=lambda: None
) -> tuple[PerformTask.Result, list[Event]]:
    """Tell a task; `disturb` is called once its first skill has begun."""
    events: list[Event] = []
    threads: list[threading.Thread] = []

    def listen(event: Event) -> None:
        events.append(event)
        if event.kind is EventKind.SKILL and not threads:
            threads.append(threading.Thread(target=disturb))
            threads[0].start()

    result = teaching.client.perform(
        words,
        confirm=PerformTask.Goal.AUTO,
        listener=listen,
        answer=lambda _: (Feedback.CONFIRM, ""),
        timeout_s=400.0,
    )
    for thread in threads:
        thread.join()
    return result, events
