"""Tasks sent to a learner end, also where the learner or its world never answers again."""

from __future__ import annotations

import argparse
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from rclpy.action import ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rich.console import Console
from sayso_ros.action import Practise

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.interpret import arm_study
from sayso.evaluation.interpret.arm import StudyFolder
from sayso.ros.task.table_trials import LEARNER, PERCEPTION, WORLD, TableTrials
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.table.tasks import table_tasks
from sayso.worlds.table.trial import Trial
from support.ros_graph import WAIT_S

TASK = table_tasks("store", "canonical", 0, 1)[0]


@pytest.fixture
def silent(graph):
    """A client of a learner that takes every task and is never heard of again."""
    stopped = threading.Event()

    def never(goal):
        stopped.wait(WAIT_S)
        goal.abort()
        return Practise.Result()

    group = ReentrantCallbackGroup()
    server = ActionServer(graph.tester, Practise, "practise", never, callback_group=group)
    with TaskClient(graph.context) as client:
        yield client
        stopped.set()
    server.destroy()


@pytest.mark.parametrize("part", [WORLD, LEARNER])
def test_a_part_that_falls_silent_ends_the_task(silent, part):
    patience_s = {WORLD: WAIT_S, PERCEPTION: WAIT_S, LEARNER: WAIT_S, part: 0.1}
    trials = TableTrials(silent, lambda _: None, patience_s=patience_s)
    with pytest.raises(SaySoError, match=f"heard of {part}") as error:
        trials.run(TASK, Practise.Goal.PERFORM, WAIT_S)
    assert error.value.code is Code.NODE_UNAVAILABLE


def test_nodes_that_have_died_end_the_task(silent):
    def died() -> None:
        raise SaySoError(Code.NODE_UNAVAILABLE, "the node world has failed.")

    trials = TableTrials(silent, lambda _: None, died)
    with pytest.raises(SaySoError, match="world has failed"):
        trials.run(TASK, Practise.Goal.PERFORM, WAIT_S)


def test_a_study_marks_what_broke_off_and_goes_on_with_fresh_nodes(tmp_path, monkeypatch):
    launches: list[str] = []

    @contextmanager
    def nodes(arguments, log, told):
        log.touch()
        launches.append(log.name)
        yield SimpleNamespace(trials=len(launches))

    def run(launch, task, seed):
        code = "NODE_UNAVAILABLE" if launch == 1 else "OK"
        return Trial(task.name, task.domain, seed, task.test_set, code == "OK", code=code)

    monkeypatch.setattr(arm_study, "teaching_nodes", nodes)
    monkeypatch.setattr(arm_study, "run_trial", run)
    options = argparse.Namespace(
        domains=["store"], seed=0, seeds=1, style="plain", wrong=0.0, training=2, testing=1,
        out=tmp_path, speed=1.0,
    )  # fmt: skip
    assert arm_study.study(options, Console(quiet=True)) == 1
    rows = StudyFolder(tmp_path, arm_study.study_of(options)).rows()
    assert [t.code for t in rows.values()] == ["NODE_UNAVAILABLE", *["OK"] * 5]
    assert launches == ["nodes.log", "nodes_2.log"]
    assert arm_study.study(options, Console(quiet=True)) == 0
    assert len(launches) == 3


def test_what_only_the_kitchen_knows_is_not_passed_over():
    options = argparse.Namespace(domains=["store"], noise=0.1, strategy="random")
    with pytest.raises(SaySoError, match="--noise, --strategy") as error:
        arm_study.study_of(options)
    assert error.value.code is Code.UNSUPPORTED
