"""Serve the actions of tasks, skills and primitives; own the motion gate and the `stop` service."""

from __future__ import annotations

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.action import ExecutePrimitive, ExecuteSkill, MapFlat, PerformTask
from sayso_ros.msg import Feedback, GateState, SkillEvent, Status, TaskEvent
from sayso_ros.srv import Stop

from sayso.core.errors import Code, SaySoError
from sayso.events import Event, EventKind, Understanding
from sayso.pipeline import Answer, Decision, Outcome, Stages, perform, question
from sayso.ros import run_settings, runner
from sayso.ros.boundary import answer, run_goal
from sayso.ros.conversions import action_from_msg, header
from sayso.ros.libraries import load_library
from sayso.ros.params import declare, param
from sayso.ros.primitive_goal import attempt
from sayso.ros.qos import EVENTS, NEWEST
from sayso.ros.robots import MobileManipulator, RobotParts, StandingArm, robot_of
from sayso.ros.run_folder import Camera, RunFolder
from sayso.ros.skill_runner import Freshness, SkillRunner
from sayso.ros.survey import FlatSurvey
from sayso.ros.task_events import event_to_msg, skill_to_msg
from sayso.ros.task_stages import Services, TaskContext
from sayso.touring import Planned

log = logging.getLogger(__name__)
CLOSING_TIMEOUT_S = 20.0
ANSWER_S = 0.5
MOST_TIMES_ASKED = 3


@dataclass(frozen=True)
class ExecutorConfig:
    """Parameters of the node `executor`."""

    library: str = param("tabletop", "library shipped with SaySo by name, or a folder with a slash")
    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    kinematics: str = param("mujoco", "kinematics backend")
    motion_planner: str = param("ompl", "motion planner backend")
    path_planner: str = param("grid", "of a mobile robot's ways: grid, fmt_star or ompl_fmt")
    laser: str = param("", "topic of a mobile robot's laser; empty: it has none")
    seed: int = param(1, "of random choices in motion planning", low=0, high=2**31 - 1)
    run_folder: str = param("", "folder of reports and pictures; empty: none are written")
    picture_cameras: tuple[str, ...] = param(
        ("overview", "left"), "cameras for the report: the first that sends pictures is shown"
    )
    scene_fresh_s: float = param(
        1.5, "age at which a scene is too old to move by [s]", low=0.1, high=60.0
    )
    progress_fresh_s: float = param(
        1.5, "age at which the automaton's verdict is too old to move by [s]", low=0.1, high=60.0
    )
    plan_timeout_s: float = param(10.0, "budget of the task planner [s]", low=0.1, high=600.0)
    interpret_timeout_s: float = param(
        150.0, "time for interpreting, a language model's included [s]", low=1.0, high=600.0
    )
    confirm_timeout_s: float = param(
        300.0, "time in which a person must confirm the reading [s]", low=1.0, high=3600.0
    )

    def parts(self) -> RobotParts:
        """Those of the robot."""
        return RobotParts(
            self.robot,
            self.kinematics,
            self.motion_planner,
            self.seed,
            self.plan_timeout_s,
            self.laser,
            self.path_planner,
        )


class ExecutorNode(Node):
    """One task at a time; everything that moves passes `MotionGate`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executor", **kwargs)
        self._config = declare(self, ExecutorConfig)
        self._library = load_library(self._config.library)
        self._robot = robot_of(self, self._config.parts(), self._library)
        self._senses, self._gate = self._robot.senses, self._robot.gate
        freshness = Freshness(self._config.scene_fresh_s, self._config.progress_fresh_s)
        self._skills = SkillRunner(self._gate, self._senses, freshness)
        self._stage_services = Services.of(
            self, self._config.interpret_timeout_s, self._config.plan_timeout_s
        )
        self._cameras = {
            name: Camera(self, f"camera/{name}/color/image_raw/compressed")
            for name in self._config.picture_cameras
            if self._config.run_folder
        }
        self._tasks = 0
        self._running = threading.Lock()
        self._closing = threading.Event()
        self._answers: queue.SimpleQueue[Feedback] = queue.SimpleQueue()
        self._offer_interfaces()

    def _offer_interfaces(self) -> None:
        self._events = self.create_publisher(TaskEvent, "task_events", EVENTS)
        self._skill_events = self.create_publisher(SkillEvent, "skill_events", EVENTS)
        self._gate_state = self.create_publisher(GateState, "gate_state", NEWEST)
        group = ReentrantCallbackGroup()
        alone = MutuallyExclusiveCallbackGroup()
        self.create_subscription(Feedback, "feedback", self._answers.put, 10, callback_group=group)
        self.create_service(Stop, "stop", self._stop, callback_group=alone)
        self.create_timer(0.1, self._tell_gate, callback_group=MutuallyExclusiveCallbackGroup())
        actions: list[tuple[type, str, Callable[[ServerGoalHandle], Any]]] = [
            (PerformTask, "perform_task", self._perform),
            (ExecuteSkill, "execute_skill", self._execute_skill),
        ]
        if isinstance(self._robot, StandingArm):
            actions.append((ExecutePrimitive, "execute_primitive", self._execute_primitive))
        if isinstance(self._robot, MobileManipulator):
            self._survey = FlatSurvey(self, self._robot)
            actions.append((MapFlat, "map_flat", self._map_flat))
        for kind, name, execute in actions:
            ActionServer(
                self,
                kind,
                name,
                execute,
                callback_group=group,
                goal_callback=self._accept_one,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )

    # -- actions -----------------------------------------------------------------------------

    def _accept_one(self, _: Any) -> GoalResponse:
        """Reject while another task runs; `_run` releases.

        Whoever sends a new goal releases an earlier stop: here, in the order of arrival, so that
        a stop which comes after the goal holds.
        """
        if self._closing.is_set() or not self._running.acquire(blocking=False):
            return GoalResponse.REJECT
        self._gate.reset()
        return GoalResponse.ACCEPT

    def _perform(self, goal: ServerGoalHandle) -> PerformTask.Result:
        def work(result: PerformTask.Result) -> Status:
            request = goal.request
            result.task_id = request.task_id or uuid.uuid4().hex[:8]

            def listen(message: TaskEvent) -> None:
                goal.publish_feedback(PerformTask.Feedback(event=message))

            task = _Task(self, goal, result.task_id, listen)
            context = self._task_context(task, request.confirm == PerformTask.Goal.ASK)
            stages = self._robot.stages(context, task.planned)
            outcome = task.run(request.instruction, stages)
            result.verdict = int(outcome.verdict)
            result.run_folder = str(task.folder.folder) if task.folder else ""
            return _status_of(outcome)

        return self._run("perform_task", goal, PerformTask.Result(), work)

    def _execute_skill(self, goal: ServerGoalHandle) -> ExecuteSkill.Result:
        def work(result: ExecuteSkill.Result) -> Status:
            action = action_from_msg(goal.request.step, self._library.domain())

            def listen(message: TaskEvent) -> None:
                if message.kind == TaskEvent.MESSAGE:
                    goal.publish_feedback(ExecuteSkill.Feedback(phase=message.text))
                if message.kind == TaskEvent.SKILL and message.skill.phase == SkillEvent.FINISHED:
                    result.effects = message.skill.checks

            task = _Task(self, goal, uuid.uuid4().hex[:8], listen)
            stages = self._robot.skill_stages(action, self._task_context(task, ask=False))
            return _status_of(task.run(str(action), stages))

        return self._run("execute_skill", goal, ExecuteSkill.Result(), work)

    def _execute_primitive(self, goal: ServerGoalHandle) -> ExecutePrimitive.Result:
        def work(_: ExecutePrimitive.Result) -> None:
            if isinstance(self._robot, StandingArm):
                attempt(
                    self._robot,
                    goal.request,
                    self._config.scene_fresh_s,
                    lambda text: goal.publish_feedback(ExecutePrimitive.Feedback(phase=text)),
                    lambda: bool(goal.is_cancel_requested) or self.closing(),
                )

        return self._run("execute_primitive", goal, ExecutePrimitive.Result(), work)

    def _map_flat(self, goal: ServerGoalHandle) -> MapFlat.Result:
        def work(result: MapFlat.Result) -> None:
            self._survey.run(
                goal.request.folder,
                result,
                goal.publish_feedback,
                lambda: bool(goal.is_cancel_requested) or self.closing(),
            )

        return self._run("map_flat", goal, MapFlat.Result(), work)

    def _task_context(self, task: _Task, ask: bool) -> TaskContext:
        return TaskContext(
            task.id,
            self._stage_services,
            self._senses,
            self._library,
            self._skills,
            confirm=task.confirmation(ask),
            phase=task.phase,
            cancelled=task.cancelled,
        )

    def _run(
        self, stage: str, goal: ServerGoalHandle, result: Any, work: Callable[[Any], Status | None]
    ) -> Any:
        try:
            return run_goal(stage, goal, result, work)
        finally:
            self._skills.end()
            self._running.release()

    # -- stop and state ----------------------------------------------------------------------

    def _stop(self, request: Stop.Request, response: Stop.Response) -> Stop.Response:
        def work(_: Stop.Response) -> None:
            self._gate.stop(request.reason or "the stop service was called")

        return answer("stop", response, work)

    def _tell_gate(self) -> None:
        reasons = self._gate.reasons
        self._gate_state.publish(
            GateState(header=header(self._senses.now_s()), open=not reasons, reasons=list(reasons))
        )

    def wind_down(self) -> None:
        """Bring the arm to rest and let a running task end and write its report."""
        self._closing.set()
        reason = "the executor is shutting down"
        self._gate.stop(reason)
        self._senses.close(reason)
        if self._running.acquire(timeout=CLOSING_TIMEOUT_S):
            self._running.release()
            # rclpy does not tell when it has answered whoever waits for the result.
            threading.Event().wait(ANSWER_S)

    # -- what a task uses --------------------------------------------------------------------

    def new_folder(self) -> RunFolder | None:
        """The first task's report lies in the run folder itself, later ones' in folders of it."""
        if not self._config.run_folder:
            return None
        self._tasks += 1
        root = Path(self._config.run_folder).expanduser()
        folder = root if self._tasks == 1 else root / f"task_{self._tasks}"
        settings = {"started": run_settings.read(root), "executor": asdict(self._config)}
        return RunFolder(folder, self._cameras, settings, self._library.predicates)

    def draw_referents(self, folder: RunFolder | None, understanding: Understanding) -> None:
        """Which things a reading is about, as a picture for the report; without a map, none."""
        try:
            if folder is not None and (around := self._robot.surroundings()) is not None:
                folder.add_referents(understanding, *around)
        except SaySoError as error:
            log.warning("there is no picture of what the task speaks of: %s", error)

    def publish_event(self, event: Event, task_id: str) -> TaskEvent:
        now_s = self._senses.now_s()
        message = event_to_msg(event, task_id, now_s)
        self._events.publish(message)
        if event.skill is not None:
            self._skill_events.publish(skill_to_msg(event.skill, task_id, now_s))
        return message

    def closing(self) -> bool:
        return self._closing.is_set()

    def next_answer(self, task_id: str, cancelled: Callable[[], bool]) -> Answer:
        """What the person says to the question just asked.

        Raises:
            SaySoError: CANCELLED, STOPPED, or NOT_CONFIRMED if they say nothing in time.
        """
        end_s = time.monotonic() + self._config.confirm_timeout_s
        while time.monotonic() < end_s:
            if cancelled():
                raise SaySoError(Code.CANCELLED, "the task was cancelled; nothing was moved.")
            self._gate.require_running()
            with suppress(queue.Empty):
                feedback = self._answers.get(timeout=0.2)
                if feedback.task_id in ("", task_id) and feedback.kind in _DECISIONS:
                    return Answer(_DECISIONS[feedback.kind], feedback.text)
        raise SaySoError(
            Code.NOT_CONFIRMED,
            "nobody confirmed the reading in time; nothing was moved.",
            hint="send the instruction again and answer the question.",
        )

    def forget_answers(self) -> None:
        """What was said before a question is no answer to it."""
        while not self._answers.empty():
            self._answers.get_nowait()


_DECISIONS: Mapping[int, Decision] = {
    Feedback.CONFIRM: Decision.YES,
    Feedback.REJECT: Decision.NO,
    Feedback.CORRECTION: Decision.CORRECTION,
}


class _Task:
    """One goal under way: its events, its report, its question to the person."""

    def __init__(
        self,
        node: ExecutorNode,
        goal: ServerGoalHandle,
        task_id: str,
        listen: Callable[[TaskEvent], None],
    ) -> None:
        self.id = task_id
        self.folder = node.new_folder()
        self._node = node
        self._goal = goal
        self._listen = listen
        self._last = Event(EventKind.MESSAGE, "", 0.0)

    def run(self, instruction: str, stages: Stages) -> Outcome:
        try:
            return perform(instruction, stages, self._tell)
        finally:
            if self.folder is not None:
                self.folder.close()

    def cancelled(self) -> bool:
        return bool(self._goal.is_cancel_requested) or self._node.closing()

    def planned(self, tour: Planned) -> None:
        """Pictures of a tour for the report."""
        if self.folder is not None:
            self.folder.add_tour(tour)

    def phase(self, text: str) -> None:
        """What a skill does now: for whoever watches, not for the report."""
        event = Event(EventKind.MESSAGE, "execute", self._last.elapsed_s, text)
        self._listen(self._node.publish_event(event, self.id))

    def confirmation(self, ask: bool) -> Callable[[Understanding], Answer]:
        def confirm(understanding: Understanding) -> Answer:
            self._node.draw_referents(self.folder, understanding)
            return self._ask(understanding) if ask else Answer(Decision.YES)

        return confirm

    def _ask(self, understanding: Understanding) -> Answer:
        for _ in range(MOST_TIMES_ASKED):
            self._node.forget_answers()
            text = question(understanding)
            self._tell(Event(EventKind.QUESTION, "confirm", self._last.elapsed_s, text))
            answer = self._node.next_answer(self.id, self.cancelled)
            if answer.decision is not Decision.YES or understanding.trouble is None:
                break  # "yes" does not tell which one is meant
        return answer

    def _tell(self, event: Event) -> None:
        self._last = event
        if self.folder is not None:
            self.folder.add(event)
        self._listen(self._node.publish_event(event, self.id))


def _status_of(outcome: Outcome) -> Status:
    """A success, told in words; raises what went wrong, for the boundary."""
    if outcome.succeeded:
        return Status(code=int(outcome.code), message=outcome.message)
    raise SaySoError(outcome.code, outcome.message, hint=outcome.hint, choices=outcome.choices)


def main() -> None:
    runner.main(ExecutorNode, threads=8, wind_down=ExecutorNode.wind_down)
