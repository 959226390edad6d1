"""A person's client with an executor that answers at once."""

from __future__ import annotations

import threading

import pytest
from rclpy.action import ActionServer
from sayso_ros.action import PerformTask
from sayso_ros.msg import Status

from sayso.core.errors import Code
from sayso.ros.task_client import TaskClient
from support.ros_graph import WAIT_S

LATE_S = 1.0


class TellsLate:
    """The middleware's side of an action client, which returns only once the answer is here."""

    def __init__(self, inner, has_answer) -> None:
        self._inner = inner
        self._has_answer = has_answer

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def send_goal_request(self, request):
        number = self._inner.send_goal_request(request)
        self._has_answer()
        return number


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
    actions._client_handle = TellsLate(actions._client_handle, lambda: taken.wait(LATE_S))
    assert client.ready(WAIT_S)
    result = client.perform(
        "anything", confirm=0, listener=lambda _: None, answer=lambda _: (0, ""), timeout_s=WAIT_S
    )
    assert result.status.code == Code.OK.value


def test_a_client_is_off_the_graph_once_it_ends(graph):
    names = graph.tester.get_node_names
    with TaskClient(graph.context, "passer_by") as client:
        graph.wait_until(lambda: "passer_by" in names(), "the client is there")
    graph.wait_until(lambda: "passer_by" not in names(), "the client is gone")
    del client
