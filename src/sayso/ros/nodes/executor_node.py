"""Serve the actions of tasks, skills and primitives; own the motion gate and the `stop` service."""

from __future__ import annotations

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sayso_ros.action import ExecutePrimitive, ExecuteSkill, MapFlat, PerformTask
from sayso_ros.msg import Feedback, SkillEvent, Status, TaskEvent

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.learning.skills import store
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.taught_skills import TaughtSkills
from sayso.learning.skills.tryout import Tryout, tried
from sayso.mission.confirmation import answered, question
from sayso.mission.model_repair import AskModel
from sayso.mission.plan_keeping import PlanKeeper
from sayso.mission.stages import Answer, Decision, Stages
from sayso.mission.tour_planning import Planned
from sayso.pipeline import Outcome, perform
from sayso.planning.plan_library import PlanLibrary
from sayso.reporting.events import Event, EventKind, Understanding
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import action_from_msg
from sayso.ros.messages.qos import EVENTS
from sayso.ros.messages.task_events import event_to_msg, skill_to_msg
from sayso.ros.robot.hand_wishes import HandWishes
from sayso.ros.robot.senses import MOVES_BY
from sayso.ros.robot.stopping import Stopping
from sayso.ros.runtime import runner
from sayso.ros.runtime.boundary import receiving, run_goal
from sayso.ros.runtime.calls import LOOK_S
from sayso.ros.runtime.libraries import LibraryConfig, load_folder, load_library
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.model_params import ModelConfig
from sayso.ros.runtime.params import declare, on_change, param
from sayso.ros.task import run_settings
from sayso.ros.task.primitive_goal import attempt
from sayso.ros.task.robots import RobotParts, robot_of
from sayso.ros.task.run_folder import Camera, RunFolder
from sayso.ros.task.skill_runner import Freshness, SkillRunner
from sayso.ros.task.survey import FlatSurvey
from sayso.ros.task.task_stages import Services, TaskContext
from sayso.ros.teaching.lessons import Teaching
from sayso.skills.execute import SkillExecutor
from sayso.skills.stop_words import asks_to_halt

log = logging.getLogger(__name__)
CLOSING_TIMEOUT_S = 20.0
ANSWER_S = 0.5
GONE_S = 0.5
"""A node that is missed for so long has ended, as far as people are told."""


@dataclass(frozen=True)
class ExecutorConfig(LibraryConfig, ModelConfig):
    """Parameters of the node `executor`."""

    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    kinematics: str = param("mujoco", "kinematics backend")
    motion_planner: str = param("ompl", "motion planner backend: ompl or moveit")
    grasps: str = param(
        "geometric",
        "where an arm that stands still takes things: geometric, contact_graspnet, or where it was "
        "shown, else as one of these: taught[geometric]",
    )
    path_planner: str = param("grid", "of a mobile robot's ways: grid, fmt_star or ompl_fmt")
    navigator: str = param(
        "own", "what leads a mobile robot along free legs: own, nav2 or nav2_stamped"
    )
    laser: str = param("", "topic of a mobile robot's laser; empty: it has none")
    seed: int = param(1, "of random choices in motion planning", low=0, high=2**31 - 1)
    run_folder: str = param("", "folder of reports and pictures; empty: none are written")
    plans: str = param("", "folder in which plans that reached the goal are kept; empty: none are")
    shown: str = param(
        "", "folder of demonstrations, or of a library, that show what is lacking; empty: none"
    )
    taught: str = param("", "folder of the library that has what was shown; needed with `shown`")
    picture_cameras: tuple[str, ...] = param(
        ("overview", "left"), "cameras for the report: the first that sends pictures is shown"
    )
    scene_fresh_s: float = param(
        1.5, "age at which a scene is too old to move by [s]", low=0.1, high=60.0
    )
    progress_fresh_s: float = param(
        1.5, "age at which the automaton's verdict is too old to move by [s]", low=0.1, high=60.0
    )
    scene_period_s: float = param(
        0.25,
        "at which scenes and verdicts are due; without two of them nothing moves [s]",
        0.02,
        60,
    )
    plan_timeout_s: float = param(
        10.0, "budget of the task planner [s]", low=0.1, high=600.0, read_only=False
    )
    interpret_timeout_s: float = param(
        150.0,
        "time for interpreting, a language model's included [s]",
        low=1.0,
        high=600.0,
        read_only=False,
    )
    confirm_timeout_s: float = param(
        300.0,
        "time in which a person must confirm the reading [s]",
        low=1.0,
        high=3600.0,
        read_only=False,
    )

    def parts(self, plan_timeout_s: Callable[[], float]) -> RobotParts:
        """Those of the robot."""
        return RobotParts(
            self.robot,
            self.kinematics,
            self.motion_planner,
            self.seed,
            plan_timeout_s,
            self.laser,
            self.path_planner,
            self.navigator,
            self.grasps,
        )


class ExecutorNode(Node):
    """One task at a time; everything that moves passes `MotionGate`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executor", **kwargs)
        self._config = declare(self, ExecutorConfig)
        self._library = load_library(self._config.library)
        self._arm_skills = TaughtSkills(
            partial(registry.create, "arm_skill"), partial(registry.create, "motion_learner")
        )
        self._kept: dict[Path, frozenset[str]] = {}
        parts = self._config.parts(lambda: self._config.plan_timeout_s)
        self._robot = robot_of(self, parts, self._library, self._arm_skills)
        self._senses, self._gate = self._robot.senses, self._robot.gate
        c = self._config
        self._freshness = Freshness(c.scene_fresh_s, c.progress_fresh_s, c.scene_period_s)
        self._skills = SkillRunner(self._gate, self._senses, self._freshness)
        self._stage_services = Services.of(
            self, lambda: self._config.interpret_timeout_s, lambda: self._config.plan_timeout_s
        )
        self._cameras = {
            name: Camera(self, f"camera/{name}/color/image_raw/compressed")
            for name in self._config.picture_cameras
            if self._config.run_folder
        }
        access = self._config.access
        self._model = None if access.llm == "none" else access.connect()
        self._tasks = 0
        self._task: _Task | None = None
        self._gone: frozenset[str] = frozenset()
        self._ailing: frozenset[str] = frozenset()
        self._running = threading.Lock()
        self._closing = threading.Event()
        self._answers: queue.SimpleQueue[Feedback] = queue.SimpleQueue()
        self._offer_interfaces()
        self._teaching = self._teaching_of(self._config)
        self._config.take_over(self, self._take_over, self._load)
        on_change(self, self._config, partial(setattr, self, "_config"))
        self._life = SignOfLife(self)

    def _teaching_of(self, config: ExecutorConfig) -> Teaching | None:
        """Raises CONFIG where it is not told where to keep what is shown."""
        if not config.shown:
            return None
        if not config.taught:
            text = "the parameter 'shown' takes 'taught', too: where what is learned is kept."
            raise SaySoError(Code.CONFIG, text)
        shown, taught = (Path(p).expanduser() for p in (config.shown, config.taught))
        teaching = Teaching(self, shown, taught, self._learned, self._running, self._tried)
        teaching.resume()
        return teaching

    def _tried(self, skill: KeptSkill, library: Library) -> Tryout:
        """In thought, before it is kept. Raises as `tried`."""
        if (arm := self._robot.arm) is None:
            return Tryout("I could not try it in thought: there is no arm to do it.", None, None)
        draft = self._arm_skills.draft({skill.name: skill})
        return tried(skill, library, arm.with_skills(library, draft))

    def _learned(self, folder: Path, library: Library) -> None:
        self._teach(folder)
        self._take_over(library)

    def _load(self, folder: Path) -> Library:
        """A library, with the skills that are kept beside it."""
        self._teach(folder)
        return load_folder(folder)

    def _teach(self, folder: Path) -> None:
        """The skills that are kept in a folder, and no more those that were."""
        kept = store.read_all(folder)
        self._arm_skills.teach(kept, self._kept.get(folder, frozenset()) - kept.keys())
        self._kept[folder] = frozenset(kept)

    def _take_over(self, library: Library) -> None:
        """From the next task on. Raises INVALID or UNSUPPORTED for what does not fit the robot."""
        self._robot.skills.require_fit(library)
        self._library = library

    def _offer_interfaces(self) -> None:
        self._events = self.create_publisher(TaskEvent, "task_events", EVENTS)
        self._skill_events = self.create_publisher(SkillEvent, "skill_events", EVENTS)
        group = ReentrantCallbackGroup()
        hear = receiving("feedback", self._hear)
        self.create_subscription(Feedback, "feedback", hear, 10, callback_group=group)
        self._stopping = Stopping(self, self._gate, self._senses.now_s)
        self.create_timer(
            LOOK_S,
            self._tell_parts,
            callback_group=MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        actions: list[tuple[type, str, Callable[[ServerGoalHandle], Any]]] = [
            (PerformTask, "perform_task", self._perform),
            (ExecuteSkill, "execute_skill", self._execute_skill),
        ]
        if (arm := self._robot.arm) is not None:
            self._wishes = HandWishes(self, load_robot(self._config.robot).frames.base)
            primitive = partial(self._execute_primitive, arm)
            actions.append((ExecutePrimitive, "execute_primitive", primitive))
        if (mobile := self._robot.mobile) is not None:
            self._survey = FlatSurvey(self, self._robot, mobile)
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

    def _accept_one(self, request: Any) -> GoalResponse:
        """Reject while another task runs; `_run` releases.

        The word "stop" is no task: it stops the robot here, whatever runs.
        """
        if isinstance(request, PerformTask.Goal) and asks_to_halt(request.instruction):
            self._stopping.halt(request.instruction)
            return GoalResponse.ACCEPT
        if self._closing.is_set() or not self._running.acquire(blocking=False):
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _perform(self, goal: ServerGoalHandle) -> PerformTask.Result:
        if asks_to_halt(goal.request.instruction):
            return self._halted(goal)

        def work(result: PerformTask.Result) -> Status:
            request = goal.request
            result.task_id = request.task_id or uuid.uuid4().hex[:8]

            def listen(message: TaskEvent) -> None:
                goal.publish_feedback(PerformTask.Feedback(event=message))

            task = _Task(self, goal, result.task_id, listen)
            context = self._task_context(task, request.confirm == PerformTask.Goal.ASK)
            if self._model is not None:
                context = replace(context, asks_model=AskModel(self._model, request.instruction))
            stages = self._robot.stages(context, task.planned)
            self._senses.interrupt(lambda: self._require_wanted(stages.cancelled))
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

    def _execute_primitive(
        self, arm: SkillExecutor, goal: ServerGoalHandle
    ) -> ExecutePrimitive.Result:
        def work(_: ExecutePrimitive.Result) -> None:
            attempt(
                self._robot,
                arm,
                goal.request,
                self._freshness,
                self._wishes.newest,
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
            teaching=self._teaching if ask else None,  # to learn takes a person's yes
        )

    def _run(
        self, stage: str, goal: ServerGoalHandle, result: Any, work: Callable[[Any], Status | None]
    ) -> Any:
        def running(out: Any) -> Status | None:
            self._senses.interrupt(lambda: self._require_wanted(cancelled))
            try:
                return work(out)
            finally:  # before the goal is told to have ended: then the next one is taken
                self._task = None
                self._senses.interrupt(lambda: None)
                self._skills.end()
                self._running.release()

        def cancelled() -> bool:
            return bool(goal.is_cancel_requested) or self.closing()

        return run_goal(stage, goal, result, running)

    def _require_wanted(self, cancelled: Callable[[], bool]) -> None:
        """What ends a task's waits. Raises CANCELLED or STOPPED."""
        self._gate.require_running()
        if cancelled():
            raise SaySoError(Code.CANCELLED, "the task was cancelled; the robot is at rest.")

    # -- stop and state ----------------------------------------------------------------------

    def _halted(self, goal: ServerGoalHandle) -> PerformTask.Result:
        """Tell that the robot was stopped by the word for it."""
        result = PerformTask.Result(task_id=goal.request.task_id or uuid.uuid4().hex[:8])
        text = "Stopped: nothing moves until `sayso release`."
        result.status = Status(code=Status.OK, message=text)
        for kind, said in (
            (EventKind.INSTRUCTION, goal.request.instruction),
            (EventKind.RESULT, text),
        ):
            self.publish_event(Event(kind, "stop", 0.0, said), result.task_id)
        goal.succeed()
        return result

    def _hear(self, message: Feedback) -> None:
        """An answer to a question; "stop" as a correction stops the robot at once."""
        if message.kind not in (Feedback.CONFIRM, Feedback.REJECT) and asks_to_halt(message.text):
            self._stopping.halt(message.text)
        self._answers.put(message)

    def _tell_parts(self) -> None:
        """Whoever follows the task is told at once of a node that ends, comes back, or says that
        something ails it."""
        before, self._gone = self._gone, self._senses.parts.gone(GONE_S)
        for name in sorted(before ^ self._gone):
            without = "" if name in MOVES_BY else "; the task goes on as far as it can without it"
            what = f"has ended{without}" if name in self._gone else "is back"
            self._remark(f"The node '{name}' {what}.")
        ailing = self._senses.parts.ailing(GONE_S)
        before, self._ailing = self._ailing, frozenset(ailing)
        for name in sorted(before ^ self._ailing):
            what = f"says: {ailing[name]}" if name in ailing else "is well again"
            self._remark(f"The node '{name}' {what}.")

    def _remark(self, text: str) -> None:
        log.warning("%s", text)
        if (task := self._task) is not None:
            task.remark(text)

    def wind_down(self) -> None:
        """Bring the arm to rest and let a running task end and write its report."""
        self._closing.set()
        reason = "the executor is shutting down"
        self._gate.stop(reason, "the executor")
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

    def new_keeper(self) -> PlanKeeper | None:
        """Keeps the plan of one task, if plans are kept."""
        if not self._config.plans:
            return None
        plans = PlanLibrary(self._config.plans)
        return PlanKeeper(plans, lambda: self._senses.scene().categories())

    def draw_referents(self, folder: RunFolder | None, understanding: Understanding) -> None:
        """Which things a reading is about, as a picture for the report; without a map, none."""
        try:
            if folder is not None and (around := self._robot.surroundings()) is not None:
                folder.add_referents(understanding, *around)
        except SaySoError as error:
            log.warning("there is no picture of what the task speaks of: %s", error)

    def publish_event(self, event: Event, task_id: str, run_folder: str = "") -> TaskEvent:
        now_s = self._senses.now_s()
        message = event_to_msg(event, task_id, now_s)
        if event.kind is EventKind.INSTRUCTION:
            message.run_folder = run_folder
        self._events.publish(message)
        if event.skill is not None:
            self._skill_events.publish(skill_to_msg(event.skill, task_id, now_s))
        return message

    def follow(self, task: _Task) -> None:
        """The task that runs, told of what happens beside it."""
        self._task = task

    def closing(self) -> bool:
        return self._closing.is_set()

    def why_closing(self) -> str:
        """Which node's end ended all, if one did; the robot is at rest already."""
        end_s = time.monotonic() + GONE_S
        while (ended := self._senses.parts.ended(MOVES_BY)) is None and time.monotonic() < end_s:
            threading.Event().wait(LOOK_S)
        return f"{ended}: " if ended else ""

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
                # A confirmation names its task: it must never count for another than was read.
                meant = (task_id,) if feedback.kind == Feedback.CONFIRM else ("", task_id)
                if feedback.task_id in meant and feedback.kind in _DECISIONS:
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
        self._why = ""
        self._keeper = node.new_keeper()

    def run(self, instruction: str, stages: Stages) -> Outcome:
        self._node.follow(self)
        try:
            outcome = perform(instruction, stages, self._tell)
        finally:
            if self.folder is not None:
                self.folder.close()
        unwritten = self.folder.unwritten if self.folder is not None else ""
        return replace(outcome, message=f"{self._why}{outcome.message} {unwritten}".strip())

    def cancelled(self) -> bool:
        return bool(self._goal.is_cancel_requested) or self._node.closing()

    def planned(self, tour: Planned) -> None:
        """Pictures of a tour for the report."""
        if self.folder is not None:
            self.folder.add_tour(tour)

    def remark(self, text: str) -> None:
        """What happens beside the task, for whoever watches and for the report."""
        self._tell(Event(EventKind.MESSAGE, self._last.stage, self._last.elapsed_s, text))

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
        def hear() -> Answer:
            self._node.forget_answers()
            text = question(understanding)
            self._tell(Event(EventKind.QUESTION, "confirm", self._last.elapsed_s, text))
            return self._node.next_answer(self.id, self.cancelled)

        return answered(understanding, hear)

    def _tell(self, event: Event) -> None:
        if event.kind is EventKind.RESULT and self._node.closing():
            self._why = self._node.why_closing()
            event = replace(event, text=self._why + event.text)
        self._last = event
        if self._keeper is not None:
            self._keeper.listen(event)
        if self.folder is not None:
            self.folder.add(event)
        folder = "" if self.folder is None else str(self.folder.folder.resolve())
        self._listen(self._node.publish_event(event, self.id, folder))


def _status_of(outcome: Outcome) -> Status:
    """A success, told in words; raises what went wrong, for the boundary."""
    if outcome.succeeded:
        return Status(code=int(outcome.code), message=outcome.message)
    raise SaySoError(outcome.code, outcome.message, hint=outcome.hint, choices=outcome.choices)


def main() -> None:
    runner.main(ExecutorNode, threads=8, wind_down=ExecutorNode.wind_down)
