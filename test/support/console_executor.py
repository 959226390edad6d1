"""An executor that only tells and notes, for a console beside it."""

from __future__ import annotations

import threading
import time
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.action import ExecutePrimitive, PerformTask
from sayso_ros.msg import GateState, Status, TaskEvent
from sayso_ros.srv import GiveFeedback, Release, Stop
from std_srvs.srv import Trigger

from sayso.ros.messages.primitives import BE_GUIDED
from sayso.ros.messages.qos import EVENTS
from support.ros_graph import WAIT_S

TASK = "abc"


class Executor(Node):
    """Notes what it is asked, and tells what a test wants told."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executor", **kwargs)
        self.goals: list[PerformTask.Goal] = []
        self.feedback: list[Any] = []
        self.stops: list[str] = []
        self.busy = False
        self.written = threading.Event()  # the report of the task that runs
        self.written.set()
        self._running = threading.Lock()
        self._ticked = threading.Event()
        ActionServer(
            self,
            PerformTask,
            "perform_task",
            self._perform,
            goal_callback=self._accept,
            callback_group=ReentrantCallbackGroup(),
        )
        self.guided = threading.Event()
        ActionServer(
            self,
            ExecutePrimitive,
            "execute_primitive",
            self._be_guided,
            goal_callback=lambda _: GoalResponse.REJECT if self.busy else GoalResponse.ACCEPT,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )
        self.create_service(GiveFeedback, "give_feedback", self._give)
        self.create_service(Stop, "stop", self._stop)
        self.create_service(Release, "release", self._release)
        self.taught = ["shown: hang the mug"]
        self.create_service(Trigger, "undo_lesson", self._undo)
        self._events = self.create_publisher(TaskEvent, "task_events", EVENTS)
        self._gate = self.create_publisher(GateState, "gate_state", 1)
        self.create_timer(0.1, self._tell)

    def event(self, kind: int, task_id: str = TASK, **fields: Any) -> None:
        self._events.publish(TaskEvent(kind=kind, task_id=task_id, **fields))

    def _accept(self, goal: PerformTask.Goal) -> GoalResponse:
        self.goals.append(goal)
        free = not self.busy and self._running.acquire(blocking=False)
        return GoalResponse.ACCEPT if free else GoalResponse.REJECT

    def _perform(self, goal: Any) -> PerformTask.Result:
        assert self.written.wait(WAIT_S)
        self._running.release()
        goal.succeed()
        return PerformTask.Result()

    def _be_guided(self, goal: Any) -> ExecutePrimitive.Result:
        assert goal.request.primitive == BE_GUIDED
        goal.publish_feedback(ExecutePrimitive.Feedback(phase="a setpoint leads into the table."))
        self.guided.set()
        end_s = time.monotonic() + WAIT_S
        while not (goal.is_cancel_requested or self.stops) and time.monotonic() < end_s:
            self._ticked.wait(0.02)
        self.guided.clear()
        if goal.is_cancel_requested:
            goal.canceled()
            return ExecutePrimitive.Result(status=Status(code=Status.CANCELLED))
        goal.abort()
        return ExecutePrimitive.Result(status=Status(code=Status.STOPPED, message="stopped."))

    def _give(self, request: Any, response: Any) -> Any:
        self.feedback.append(request.feedback)
        return response

    def _stop(self, request: Any, response: Any) -> Any:
        self.stops.append(f"{request.holder}: {request.reason}")
        response.token = "1"
        return response

    def _release(self, _: Any, response: Any) -> Any:
        response.released, self.stops = list(self.stops), []
        return response

    def _undo(self, _: Any, response: Any) -> Any:
        response.success = bool(self.taught)
        response.message = self.taught.pop() if self.taught else "nothing was taught."
        return response

    def _tell(self) -> None:
        reasons = [f"stopped by {s}" for s in self.stops] or ["no motion is authorised"]
        self._gate.publish(GateState(reasons=reasons))
