"""FOR EVALUATION: tasks of the simulated table, staged, practised and judged over topics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import Point
from rclpy.action import ActionClient
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from sayso_ros.action import Practise
from sayso_ros.msg import GroundTruth, LearningEvent
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.srv import PerturbWorld, ResetWorld

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.scene import Scene
from sayso.ros.launch.launching import launched, raise_if_failed
from sayso.ros.messages.conversions import object_from_msg, raise_unless_ok, time_from_msg
from sayso.ros.messages.qos import NEWEST, SENSOR
from sayso.ros.runtime.calls import call, result_of, run_on_executor
from sayso.ros.runtime.signs_of_life import SignsOfLife
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.table.tasks import TableTask
from sayso.worlds.table.trial import Trial
from sayso.worlds.table.true import holds, seen

START_S = 120.0
TASK_S = 3600.0
_FORGET_S = 2.5
"""Longer than the tracker needs to forget what is not there any more [s of the world]."""
_SEE_S = 60.0
_PLAY_M = 0.001
_CANCEL_S = 60.0
_LOOK_S = 1.0
WORLD, PERCEPTION, LEARNER = "the world", "perception", "the learner"
PATIENCE_S: Mapping[str, float] = {WORLD: 120.0, PERCEPTION: 120.0, LEARNER: 400.0}
"""How long each may be silent: the learner while it waits for a person or an action, each 300 s."""


def _nothing() -> None:
    """Nodes of which nobody knows whether they run."""


class TableTrials:
    """Stages tasks in the world and sends them to the learner; uses a client that spins.

    Args:
        on_event: called with every event of the learner, on the client's thread.
        check: called now and then while something is waited for; raises where the nodes are gone.
        patience_s: how long each part may be silent.
    """

    def __init__(
        self,
        client: TaskClient,
        on_event: Callable[[LearningEvent], None],
        check: Callable[[], None] = _nothing,
        patience_s: Mapping[str, float] = PATIENCE_S,
    ) -> None:
        self._client = client
        self._on_event = on_event
        self._check = check
        self._signs = SignsOfLife(patience_s, time.monotonic)
        self._changed = threading.Condition()
        self._truth = Scene(-1.0, ())
        self._seen_s = -1.0
        node = client.node
        self._practise = ActionClient(node, Practise, "practise")
        self._reset = node.create_client(ResetWorld, "world/reset")
        self._perturb = node.create_client(PerturbWorld, "world/perturb")
        node.create_subscription(GroundTruth, "world/ground_truth", self._take_truth, SENSOR)
        node.create_subscription(SceneMsg, "scene", self._take_scene, NEWEST)

    def wait_ready(self, timeout_s: float) -> None:
        """Until learner, executor and perception are there. Raises NODE_UNAVAILABLE."""
        end_s = time.monotonic() + timeout_s
        while not (there := self._practise.wait_for_server(timeout_sec=_LOOK_S)):
            self._check()
            if time.monotonic() > end_s:
                break
        if not (there and self._client.ready(timeout_s)):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "the learner or the executor did not come up.",
                hint="read the nodes' log.",
            )
        with self._changed:
            if not self._changed.wait_for(lambda: self._seen_s > 0.0, timeout_s):
                raise SaySoError(
                    Code.NODE_UNAVAILABLE, "perception did not come up.", hint="read its log."
                )

    def stage(self, task: TableTask) -> None:
        """Everything where the task has it, and seen so. Raises what the world answers."""
        raise_unless_ok(call(self._reset, ResetWorld.Request(seed=task.seed)).status)
        for name in task.absent:
            self._change(PerturbWorld.Request(kind=PerturbWorld.Request.REMOVE, target=name))
        for upper, lower in task.stacked:
            self.stack(upper, lower)
        with self._changed:
            begun_s = self._truth.stamp_s
            if not self._changed.wait_for(lambda: self._seen_s > begun_s + _FORGET_S, _SEE_S):
                raise SaySoError(
                    Code.STALE, "no new scene was observed.", hint="see whether perception runs."
                )

    def run(self, task: TableTask, mode: int, timeout_s: float) -> Practise.Result:
        """Practise the task, or perform it.

        Raises:
            SaySoError: NODE_UNAVAILABLE also for nodes that end or fall silent meanwhile; BUSY.
        """
        if not self._practise.wait_for_server(timeout_sec=10.0):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "no learner offers /practise.",
                hint="start the nodes first: ros2 launch sayso_ros teach.launch.xml.",
            )
        goal = Practise.Goal(mode=mode, words=task.words)
        sent = self._spun(
            lambda: self._practise.send_goal_async(goal, lambda m: self._hear(m.feedback.event))
        )
        handle = result_of(sent, 30.0, "/practise")
        if not handle.accepted:
            raise SaySoError(Code.BUSY, "the learner is busy.", hint="wait for its task to end.")
        future = self._spun(handle.get_result_async)
        if not self._ends(future, timeout_s):
            self._spun(handle.cancel_goal_async)
        return result_of(future, _CANCEL_S, "/practise").result

    def _ends(self, future: Future, timeout_s: float) -> bool:
        """Whether it ends in time. Raises NODE_UNAVAILABLE where nothing more is to be expected."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        self._signs.begin()
        end_s = time.monotonic() + timeout_s
        while not done.wait(_LOOK_S):
            self._check()
            self._signs.check()
            if time.monotonic() > end_s:
                return False
        return True

    def _hear(self, event: LearningEvent) -> None:
        self._signs.heard(LEARNER)
        self._on_event(event)

    def reached(self, task: TableTask) -> bool:
        """Whether the task's goal is true now."""
        return holds(self._look(), map(parse_literal, task.goal))

    def stack(self, upper: str, lower: str) -> None:
        """Put a thing on another, as a hand from outside would. Raises what the world answers."""
        objects = self._look().by_name()
        under, thing = objects[lower], objects[upper]
        x, y, z = under.position
        top = z + under.size[2] / 2
        place = Point(x=x, y=y, z=top + thing.size[2] / 2 + _PLAY_M)
        move = PerturbWorld.Request.MOVE
        self._change(PerturbWorld.Request(kind=move, target=upper, position=place))

    def _change(self, request: PerturbWorld.Request) -> None:
        raise_unless_ok(call(self._perturb, request).status)

    def _look(self) -> Scene:
        """The next true scene."""
        with self._changed:
            before = self._truth
            if not self._changed.wait_for(lambda: self._truth is not before, _SEE_S):
                raise SaySoError(Code.STALE, "the world is silent.", hint="read its log.")
            self._changed.wait_for(lambda: self._truth.stamp_s > before.stamp_s + 0.2, _SEE_S)
            return self._truth

    def _take_truth(self, message: GroundTruth) -> None:
        objects = [object_from_msg(o) for o in message.objects]
        stamp_s = time_from_msg(message.header.stamp)
        self._signs.heard(WORLD)
        with self._changed:
            self._truth = seen(stamp_s, objects, message.robot_contacts)
            self._changed.notify_all()

    def _take_scene(self, message: SceneMsg) -> None:
        self._signs.heard(PERCEPTION)
        with self._changed:
            self._seen_s = time_from_msg(message.header.stamp)
            self._changed.notify_all()

    def _spun(self, function: Callable[[], Any]) -> Any:
        return run_on_executor(self._client.executor, function, "/practise")


@dataclass(frozen=True)
class Teaching:
    """Nodes that run, a client that spins, and tasks for them."""

    client: TaskClient
    trials: TableTrials


@contextmanager
def teaching_nodes(
    arguments: dict[str, str], log: Path, on_event: Callable[[LearningEvent], None]
) -> Iterator[Teaching]:
    """The nodes of `teach.launch.xml`, ready.

    Raises:
        SaySoError: NODE_UNAVAILABLE if they do not come up; BUSY for others that run already.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TaskClient(namespace=arguments.get("namespace", "")) as client:
            client.require_nobody()
            with launched("teach.launch.xml", arguments, log) as nodes:
                trials = TableTrials(client, on_event, lambda: raise_if_failed(nodes, log))
                trials.wait_ready(START_S)
                yield Teaching(client, trials)
    finally:
        rclpy.try_shutdown()


def run_trial(trials: TableTrials, task: TableTask, seed: int) -> Trial:
    """Stage a task, practise or perform it, and judge it by what is true."""
    training = task.test_set == "training"
    mode = Practise.Goal.PRACTISE if training else Practise.Goal.PERFORM
    began = time.monotonic()
    try:
        trials.stage(task)
        result = trials.run(task, mode, TASK_S)
        reached = trials.reached(task)
    except SaySoError as error:
        seconds = round(time.monotonic() - began, 1)
        return Trial(task.name, task.domain, seed, task.test_set, False,
                     code=error.code.name, message=error.message, seconds=seconds)  # fmt: skip
    return Trial(
        task.name,
        task.domain,
        seed,
        task.test_set,
        reached,
        result.failed,
        Code(result.status.code).name,
        result.status.message,
        result.actions,
        result.proposals,
        tuple(result.feedback),
        round(time.monotonic() - began, 1),
    )
