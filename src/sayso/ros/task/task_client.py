"""A person's side of a task: send an instruction, see events, answer questions, stop."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.subscription import Subscription
from sayso_ros.action import ExecutePrimitive, MapFlat, PerformTask
from sayso_ros.msg import Feedback, Status, TaskEvent
from sayso_ros.srv import DescribeScene, GiveFeedback, Release, Stop
from std_srvs.srv import Trigger

from sayso.core.errors import Code, SaySoError
from sayso.reporting.events import Event, EventKind
from sayso.ros.messages.conversions import raise_unless_ok
from sayso.ros.messages.primitives import BE_GUIDED
from sayso.ros.messages.qos import EVENTS
from sayso.ros.messages.task_events import event_from_msg
from sayso.ros.runtime.calls import call, result_of, run_on_executor
from sayso.ros.runtime.liveliness import ENDED_S, EXECUTOR, Parts, executor_ended
from sayso.ros.runtime.node_removal import end
from sayso.ros.runtime.spinning import SpinningThread

LAST_EVENT_S = 10.0
"""Events and the result travel separately: how long the last event may come after the result."""
LOOK_S = 0.5
"""How often to see whether the executor is still there."""
GONE_S = 15.0
"""How long its services must be missed where it shows no life: discovery has gaps."""
AnswerQuestion = Callable[[str], tuple[int, str]]
"""A question's text to a `Feedback` kind and words."""

NOTICED_S = 1.0
"""Within this an executor that is there has been noticed; mostly at once."""


class TaskClient:
    """Runs one node in a background thread; use it in a `with` block.

    Args:
        namespace: that of the robot's nodes.
    """

    def __init__(
        self, context: Context | None = None, name: str = "sayso_client", namespace: str = ""
    ) -> None:
        self.node = Node(name, context=context, namespace=namespace)
        self._perform = ActionClient(self.node, PerformTask, "perform_task")
        self._primitive = ActionClient(self.node, ExecutePrimitive, "execute_primitive")
        self._feedback = self.node.create_client(GiveFeedback, "give_feedback")
        self._stop = self.node.create_client(Stop, "stop")
        self._release = self.node.create_client(Release, "release")
        self._undo_lesson = self.node.create_client(Trigger, "undo_lesson")
        self._describe = self.node.create_client(DescribeScene, "describe_scene")
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self._parts = Parts(self.node, (EXECUTOR,))
        self._spinning = SpinningThread(self.executor, self.node.context)
        self._goal: ClientGoalHandle | None = None
        self._following: tuple[str, Callable[[TaskEvent], None]] | None = None
        # Not the goal's feedback: rclpy drops what of it comes later than the result.
        self.node.create_subscription(TaskEvent, "task_events", self._take_event, EVENTS)

    def __enter__(self) -> TaskClient:
        self._spinning.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._spinning.stop()
        end(self.node)

    def ready(self, timeout_s: float) -> bool:
        """Whether the executor answers within the time."""
        return bool(self._perform.wait_for_server(timeout_sec=timeout_s))

    def require_nobody(self) -> None:
        """Before nodes are started: those that run already would answer for them, and move.

        Raises:
            SaySoError: BUSY where a robot's nodes are in this ROS domain and namespace.
        """
        if self.ready(NOTICED_S):
            raise SaySoError(
                Code.BUSY,
                "a robot's nodes run in this ROS domain already: they would take the task.",
                hint="end them, or set --namespace NAME or another ROS_DOMAIN_ID; "
                "`sayso perform` tells them what to do.",
            )

    def perform(
        self,
        instruction: str,
        *,
        confirm: int,
        listener: Callable[[Event], None],
        answer: AnswerQuestion,
        timeout_s: float,
    ) -> PerformTask.Result:
        """Send an instruction and wait for its result.

        `listener` is called from the client's thread; questions are answered on the caller's.
        Raises NODE_UNAVAILABLE, BUSY (goal rejected) or CANCELLED (no result in time).
        """
        happened = _Mailbox()

        def on_event(message: TaskEvent) -> None:
            try:
                event = event_from_msg(message)
                listener(event)
            except Exception as error:  # noqa: BLE001 - must not end the thread that spins
                happened.put(("failed", error))
                return
            if event.kind is EventKind.QUESTION:
                happened.put(("question", event.text))
            elif event.kind is EventKind.RESULT:
                happened.put(("told", None))

        task_id = uuid.uuid4().hex[:8]
        self._following = (task_id, on_event)
        self._goal = handle = self.begin(instruction, confirm, task_id)
        self._spun(handle.get_result_async).add_done_callback(
            lambda future: happened.put(("result", future.result().result))
        )
        try:
            return self._converse(happened, lambda q: (*answer(q), task_id), timeout_s)
        finally:
            self._goal = self._following = None

    def begin(self, instruction: str, confirm: int, task_id: str) -> ClientGoalHandle:
        """Send an instruction, and leave what becomes of it to whoever follows `task_events`.

        Raises NODE_UNAVAILABLE or BUSY (goal rejected).
        """
        if not self.ready(10.0):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "no executor offers /perform_task.",
                hint="start the nodes first: ./demo, or ros2 launch sayso_ros demo.launch.xml.",
            )
        goal = PerformTask.Goal(instruction=instruction, confirm=confirm, task_id=task_id)
        sent = self._spun(lambda: self._perform.send_goal_async(goal))
        handle: ClientGoalHandle = result_of(sent, 30.0, "/perform_task", self._require_executor)
        if not handle.accepted:
            raise SaySoError(
                Code.BUSY, "the executor refused the goal.", hint="wait for the task to end."
            )
        return handle

    def be_guided(
        self, tell: Callable[[str], None], ended: Callable[[Status], None]
    ) -> ClientGoalHandle:
        """Have the arm follow what a person wishes, until the goal is cancelled.

        Args:
            tell: why a wish is not granted.
            ended: why it is over; CANCELLED where it was let go. Both are called from the
                client's thread.

        Raises:
            SaySoError: NODE_UNAVAILABLE or BUSY (goal rejected).
        """
        if not self._primitive.wait_for_server(timeout_sec=10.0):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "no executor offers /execute_primitive.",
                hint="start the nodes of an arm that stands still first.",
            )
        goal = ExecutePrimitive.Goal(primitive=BE_GUIDED)
        sent = self._spun(
            lambda: self._primitive.send_goal_async(goal, lambda m: tell(m.feedback.phase))
        )
        handle: ClientGoalHandle = result_of(
            sent, 30.0, "/execute_primitive", self._require_executor
        )
        if not handle.accepted:
            raise SaySoError(
                Code.BUSY,
                "the executor refused it: a task is under way, or somebody guides the arm.",
                hint="wait for it to end.",
            )
        self._spun(handle.get_result_async).add_done_callback(
            lambda future: ended(future.result().result.status)
        )
        return handle

    def let_go(self, guided: ClientGoalHandle) -> None:
        """The arm is guided no more; it comes to rest. Raises NODE_UNAVAILABLE."""
        cancelled = self._spun(guided.cancel_goal_async)
        result_of(cancelled, 10.0, "/execute_primitive", self._require_executor)

    def map_flat(
        self, folder: str, on_feedback: Callable[[MapFlat.Feedback], None], timeout_s: float
    ) -> MapFlat.Result:
        """Let the robot drive through the flat and map it; the result's status says how it went.

        `on_feedback` is called from the client's thread. Raises NODE_UNAVAILABLE or BUSY.
        """
        actions = ActionClient(self.node, MapFlat, "map_flat")
        if not actions.wait_for_server(timeout_sec=10.0):
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                "no executor offers /map_flat.",
                hint="start the nodes of a mobile robot: launch/flat.launch.xml.",
            )
        goal = MapFlat.Goal(folder=folder)
        sent = self._spun(
            lambda: actions.send_goal_async(goal, lambda message: on_feedback(message.feedback))
        )
        handle = result_of(sent, 30.0, "/map_flat", self._require_executor)
        if not handle.accepted:
            raise SaySoError(
                Code.BUSY, "the executor refused the goal.", hint="wait for the task to end."
            )
        self._goal = handle
        try:
            result = self._spun(handle.get_result_async)
            return result_of(result, timeout_s, "/map_flat", self._require_executor).result
        finally:
            self._goal = None

    def _take_event(self, message: TaskEvent) -> None:
        if self._following is not None and message.task_id == self._following[0]:
            self._following[1](message)

    def _converse(
        self,
        happened: _Mailbox,
        answer: Callable[[str], tuple[int, str, str]],
        timeout_s: float,
    ) -> PerformTask.Result:
        """Answer questions until the result is there and the event that tells it was shown."""
        result: PerformTask.Result | None = None
        told = False
        deadline_s = time.monotonic() + timeout_s
        while result is None or not told:
            kind, value = self._next(happened, deadline_s, result is not None)
            if kind == "failed":
                raise value
            if kind == "over":
                break  # a task that could not begin tells no result
            if kind == "result":
                result = value
            elif kind == "told":
                told = True
            else:
                self.give_feedback(*answer(value))
        return result

    def _next(self, happened: _Mailbox, deadline_s: float, has_result: bool) -> tuple[str, Any]:
        """What happens next. Raises CANCELLED at the deadline, NODE_UNAVAILABLE if it cannot."""
        if has_result:
            return happened.take(LAST_EVENT_S) or ("over", None)
        seen_s = time.monotonic()
        while (left_s := deadline_s - time.monotonic()) > 0:
            if (item := happened.take(min(LOOK_S, left_s))) is not None:
                return item
            self._require_executor()
            if self.ready(0.0):
                seen_s = time.monotonic()
            elif time.monotonic() - seen_s > GONE_S:
                raise executor_ended()
        self.cancel()
        raise SaySoError(
            Code.CANCELLED,
            "the task did not end in time and was asked to end.",
            hint="allow more time with --timeout.",
        )

    def _require_executor(self) -> None:
        if self._parts.ended((EXECUTOR,), ENDED_S) is not None:
            raise executor_ended()

    def give_feedback(self, kind: int, text: str, task_id: str = "") -> None:
        """Send what a person said; a confirmation names its task. Raises NODE_UNAVAILABLE."""
        stamp = self.node.get_clock().now().to_msg()
        message = Feedback(kind=kind, text=text, task_id=task_id, stamp=stamp)
        call(self._feedback, GiveFeedback.Request(feedback=message))

    def stop(self, reason: str, holder: str = "") -> str:
        """Stop all motion; the token that releases this stop. Raises NODE_UNAVAILABLE."""
        response = call(self._stop, Stop.Request(reason=reason, holder=holder))
        raise_unless_ok(response.status)
        return str(response.token)

    def release(self, token: str, holder: str = "") -> tuple[str, ...]:
        """Release the stop of a token, or all; what held. Raises INVALID, NODE_UNAVAILABLE."""
        response = call(self._release, Release.Request(token=token, holder=holder))
        raise_unless_ok(response.status)
        return tuple(response.released)

    def undo_lesson(self) -> str:
        """Take back what was shown last; which lesson that was. Raises NODE_UNAVAILABLE where no
        executor can be taught, INVALID with why it was not taken back."""
        done = call(self._undo_lesson, Trigger.Request())
        if not done.success:
            raise SaySoError(Code.INVALID, done.message)
        return str(done.message)

    def describe(self) -> str:
        """What perception sees now, in English. Raises NODE_UNAVAILABLE, STALE."""
        response = call(self._describe, DescribeScene.Request())
        raise_unless_ok(response.status)
        return str(response.text)

    def cancel(self) -> None:
        """Ask the running task to end; its result still comes."""
        if self._goal is not None:
            self.executor.create_task(self._goal.cancel_goal_async)

    def forget(self, subscription: Subscription) -> None:
        """End a subscription of the node's: from another thread it would be taken away from under
        the one that spins, which rclpy then ends."""
        self._spun(lambda: self.node.destroy_subscription(subscription))

    def _spun(self, function: Callable[[], Any]) -> Any:
        return run_on_executor(self.executor, function, "/perform_task")


class _Mailbox:
    """Hands items from the client's thread to the caller's."""

    def __init__(self) -> None:
        self._items: list[tuple[str, Any]] = []
        self._changed = threading.Condition()

    def put(self, item: tuple[str, Any]) -> None:
        with self._changed:
            self._items.append(item)
            self._changed.notify()

    def take(self, timeout_s: float) -> tuple[str, Any] | None:
        """The oldest item, or None if there is none in time."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._items), timeout_s)
            return self._items.pop(0) if self._items else None
