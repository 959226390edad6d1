"""A person's client with an executor that answers at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from rclpy.action import ActionServer
from rclpy.node import Node
from rclpy.task import Future
from sayso_ros.action import PerformTask
from sayso_ros.msg import Status
from sayso_ros.srv import DescribeScene
from std_msgs.msg import String

from sayso.core.errors import Code, SaySoError
from sayso.ros.runtime.calls import ThreadSafeActionClient, result_of
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.task.task_client import TaskClient
from support.ros_graph import WAIT_S, SlowToGather

LATE_S, WORK_S = 1.0, 0.2


class TellsLate:
    """The middleware's side of an action client: of one kind of request it returns only once the
    answer is here."""

    def __init__(self, inner, request_of: str, has_answer) -> None:
        self._inner, self._late, self._has_answer = inner, request_of, has_answer

    def __getattr__(self, name):
        send = getattr(self._inner, name)
        if name != self._late:
            return send

        def late(request):
            number = send(request)
            self._has_answer()
            return number

        return late


def test_a_client_is_told_when_the_executor_ends(graph):
    class Executor(Node):
        """Takes a task and never ends it."""

        def __init__(self, **kwargs) -> None:
            super().__init__("executor", **kwargs)
            self.life = SignOfLife(self)
            ActionServer(self, PerformTask, "perform_task", self.perform)

        async def perform(self, handle):
            begun.set()
            await Future()

    begun = threading.Event()
    executor = graph.add(Executor)
    with TaskClient(graph.context, "person") as client, ThreadPoolExecutor(1) as pool:
        assert client.ready(WAIT_S)
        task = pool.submit(
            client.perform,
            "anything",
            confirm=0,
            listener=lambda _: None,
            answer=lambda _: (0, ""),
            timeout_s=WAIT_S,
        )
        assert begun.wait(WAIT_S)
        graph.remove(executor)
        error = task.exception(WAIT_S)
    assert isinstance(error, SaySoError) and error.code is Code.NODE_UNAVAILABLE
    assert "executor has ended" in error.message


@pytest.fixture
def client(graph):
    def perform(handle):
        handle.succeed()
        return PerformTask.Result(status=Status(code=Code.OK.value))

    server = ActionServer(graph.tester, PerformTask, "perform_task", perform)
    with TaskClient(graph.context, "person") as client:
        yield client
    server.destroy()


def test_an_answer_quicker_than_the_sender_is_not_lost(client, graph):
    actions, taken = client._perform, threading.Event()
    execute = actions.execute

    async def executed(data):
        await execute(data)
        taken.set()

    actions.execute = executed
    # The answer can only be taken in this time if another thread than the sender's spins.
    late = TellsLate(actions._client_handle, "send_goal_request", lambda: taken.wait(LATE_S))
    actions._client_handle = late
    assert client.ready(WAIT_S)
    result = client.perform(
        "anything", confirm=0, listener=lambda _: None, answer=lambda _: (0, ""), timeout_s=WAIT_S
    )
    assert result.status.code == Code.OK.value


@pytest.mark.parametrize("request_of", ["send_goal_request", "send_result_request"])
def test_neither_is_it_where_several_threads_spin(client, graph, request_of):
    assert client.ready(WAIT_S)  # the action is there
    actions = ThreadSafeActionClient(graph.tester, PerformTask, "perform_task")
    begun, done = threading.Event(), threading.Event()
    execute = actions.execute

    async def executed(data):
        begun.set()
        await execute(data)
        done.set()

    def has_answer():
        begun.clear(), done.clear()
        begun.wait(WAIT_S)
        done.wait(WORK_S)

    assert actions.wait_for_server(WAIT_S)
    actions.execute = executed
    actions._client_handle = TellsLate(actions._client_handle, request_of, has_answer)
    handle = result_of(actions.send_goal_async(PerformTask.Goal()), WAIT_S, "the goal")
    assert result_of(handle.get_result_async(), WAIT_S, "the result").result.status.code == Code.OK


def test_where_a_robot_is_already_no_other_is_started(client, graph):
    with pytest.raises(SaySoError, match="run in this ROS domain already") as refused:
        client.require_nobody()
    assert refused.value.code is Code.BUSY and "--namespace" in refused.value.hint
    with TaskClient(graph.context, "person", "left") as beside:
        beside.require_nobody()


def test_a_client_is_off_the_graph_once_it_ends(graph):
    names = graph.tester.get_node_names
    with TaskClient(graph.context, "passer_by") as client:
        graph.wait_until(lambda: "passer_by" in names(), "the client is there")
    graph.wait_until(lambda: "passer_by" not in names(), "the client is gone")
    del client


def test_what_the_robot_sees_is_told_and_a_stale_scene_refused(graph):
    class Perception(Node):
        """Sees two things, then nothing any more."""

        def __init__(self, **kwargs) -> None:
            super().__init__("perception", **kwargs)
            self.create_service(DescribeScene, "describe_scene", self.describe)
            self.status = Status(code=Status.OK)

        def describe(self, _, response):
            response.text, response.status = "The bowl is left of the mug.", self.status
            return response

    seeing = graph.add(Perception)
    with TaskClient(graph.context, "person") as client:
        assert client.describe() == "The bowl is left of the mug."
        seeing.status = Status(code=Status.STALE, message="no camera.")
        with pytest.raises(SaySoError, match="no camera") as refused:
            client.describe()
    assert refused.value.code is Code.STALE


def test_a_subscription_that_a_client_forgets_does_not_end_the_thread_that_spins(graph):
    with TaskClient(graph.context, "person") as client:
        subscription = client.node.create_subscription(String, "words", print, 1)
        forgotten, later = threading.Event(), threading.Event()
        slow = SlowToGather(forgotten)
        client.node.add_waitable(slow)
        client.executor.wake()
        assert slow.gathering.wait(WAIT_S)
        client.forget(subscription)
        forgotten.set()
        client.executor.create_task(later.set)
        assert later.wait(WAIT_S)
