"""The launch file for teaching end to end: cameras, physics, words, code, operators, and a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import LearningEvent

from sayso.core import library
from sayso.ros.task.table_trials import run_trial, teaching_nodes
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


def test_two_lessons_teach_what_a_new_task_needs(tmp_path: Path, monkeypatch) -> None:
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
    known = library.load(folder)
    assert {"on", "holding"} <= set(known.predicates) and known.operators
    assert {LearningEvent.HEARD, LearningEvent.PREDICATE} <= {e.kind for e in events}


def _ended(trial: Trial) -> bool:
    return trial.code == "OK"
