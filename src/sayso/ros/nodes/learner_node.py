"""Learn predicates and operators live: practise tasks with a person, and do them with plans."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.action import ExecutePrimitive, Practise
from sayso_ros.msg import Feedback, LearningEvent, LibraryVersion
from sayso_ros.srv import PlanTask

from sayso.adapters.learning_backends import learning_backends
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.symbols import Action as GroundAction
from sayso.core.symbols import Literal, SymbolicState
from sayso.learning.events import LearningEvent as Learnt
from sayso.learning.learner import Learner, LearnerSettings
from sayso.learning.priors import HOUSEHOLD, priors_named
from sayso.learning.spoken import spoken
from sayso.learning.training import Limits, train
from sayso.learning.versions import Versions
from sayso.mission.performing import Step, perform
from sayso.ros.messages.learning_events import asking, event_to_msg
from sayso.ros.messages.qos import EVENTS, LATCHED
from sayso.ros.runtime import runner
from sayso.ros.runtime.boundary import run_goal
from sayso.ros.runtime.calls import ThreadSafeActionClient, call
from sayso.ros.runtime.model_params import ModelConfig
from sayso.ros.runtime.params import declare, on_change, param
from sayso.ros.teaching.conversation import Conversation
from sayso.ros.teaching.learning_folder import LearningFolder
from sayso.ros.teaching.plan_requests import plan_request, planned
from sayso.ros.teaching.practice import NewestScene, RosPractice
from sayso.ros.teaching.teacher import RosTeacher
from sayso.skills.primitives import PRIMITIVES


@dataclass(frozen=True)
class LearnerConfig(ModelConfig):
    """Parameters of the node `learner`."""

    library: str = param(
        "~/.local/state/sayso/learned", "folder of what is learned; made where there is none"
    )
    noise: float = param(
        0.05, "share of what is said and observed that may be wrong", low=0.0, high=0.5
    )
    strategy: str = param("doubt", "how to explore", choices=("doubt", "random"))
    priors: str = param(
        HOUSEHOLD,
        "what is known beforehand of words, kinds and tolerances: household, none, or a YAML file",
    )
    seed: int = param(1, "of what is tried", low=0, high=2**31 - 1)
    steps: int = param(40, "most actions proposed in one task", low=1, high=1000, read_only=False)
    ignored: tuple[str, ...] = param(
        ("cabinet", "drawer", "object"),
        "categories of things that are no part of any task; object: not recognised",
    )
    answer_timeout_s: float = param(
        300.0, "time in which a person must answer [s]", low=0.1, high=3600.0, read_only=False
    )
    remark_s: float = param(
        3.0,
        "time for a remark on an action that ended; silence is none [s]",
        low=0.0,
        high=600.0,
        read_only=False,
    )
    scene_timeout_s: float = param(
        10.0, "how long to wait for a fresh scene [s]", low=0.1, high=600.0
    )
    act_timeout_s: float = param(300.0, "for one action of the arm [s]", low=1.0, high=3600.0)
    plan_timeout_s: float = param(10.0, "for one plan [s]", low=0.1, high=600.0, read_only=False)


class LearnerNode(Node):
    """Serves `practise`; tells what it learns on `/learning` and `/library`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("learner", **kwargs)
        self._config = declare(self, LearnerConfig)
        self._running = threading.Lock()
        self._closing = threading.Event()
        self._talk: Conversation | None = None
        self._goal: ServerGoalHandle | None = None
        self._events = self.create_publisher(LearningEvent, "learning", EVENTS)
        self._library = self.create_publisher(LibraryVersion, "library", LATCHED)
        access = self._config.access
        model = None if access.llm == "none" else access.connect()
        self._backends = learning_backends(
            model, priors_named(self._config.priors), noise=self._config.noise
        )
        self._folder = LearningFolder(
            Path(self._config.library).expanduser(), self._backends.compiler
        )
        self._learner = self._make_learner()
        self._tell_version(self._folder.versions, "as it was found")
        self._offer_interfaces()
        on_change(self, self._config, partial(setattr, self, "_config"))

    def _make_learner(self) -> Learner:
        config = self._config
        return Learner(
            self._folder.library(),
            PRIMITIVES,
            self._backends.reader,
            self._backends.writer,
            settings=LearnerSettings(noise=config.noise, strategy=config.strategy),
            watcher=self._learnt,
            keep=self._folder.keep,
            publish=self._save,
            experience=self._folder.experience,
            priors=self._backends.priors,
            rng=random.Random(config.seed),
        )

    def _offer_interfaces(self) -> None:
        group = ReentrantCallbackGroup()
        alone = MutuallyExclusiveCallbackGroup()
        self._scenes = NewestScene(self, alone, self._config.ignored)
        self.create_subscription(Feedback, "feedback", self._hear, 100, callback_group=group)
        self._planner = self.create_client(PlanTask, "plan_task", callback_group=group)
        self._primitives = ThreadSafeActionClient(
            self, ExecutePrimitive, "execute_primitive", callback_group=group
        )
        ActionServer(
            self,
            Practise,
            "practise",
            self._practise,
            callback_group=group,
            goal_callback=self._accept_one,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    # -- the action ------------------------------------------------------------------------

    def _accept_one(self, _: Any) -> GoalResponse:
        """Reject while another task runs; `_practise` releases."""
        if self._closing.is_set() or not self._running.acquire(blocking=False):
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _practise(self, goal: ServerGoalHandle) -> Practise.Result:
        def work(result: Practise.Result) -> None:
            words = goal.request.words.strip()
            if not words:
                raise SaySoError(Code.INVALID, "there are no words.", hint="say what to do.")
            if goal.request.mode == Practise.Goal.PRACTISE:
                self._teach(words, goal, result)
            elif goal.request.mode == Practise.Goal.PERFORM:
                self._perform(words, goal, result)
            else:
                raise SaySoError(Code.INVALID, f"there is no mode {goal.request.mode}.")

        result = Practise.Result()
        self._goal = goal
        try:
            return run_goal("learner", goal, result, work)
        finally:
            result.version = self._folder.versions.current
            self._tell(LearningEvent(kind=LearningEvent.ENDED, text=_outcome_text(result)))
            self._talk = self._goal = None
            self._running.release()

    def _teach(self, words: str, goal: ServerGoalHandle, result: Practise.Result) -> None:
        config = self._config
        talk = Conversation(self._tell, self._cancelled)

        def remark(said: str) -> None:
            try:
                self._learner.said_after(said, practice.observe())
            except SaySoError as error:
                self.get_logger().info(f"a remark is kept, but not understood: {error}")

        def heard(said: str) -> None:
            self._tell(LearningEvent(kind=LearningEvent.HEARD, text=said))

        teacher = RosTeacher(words, talk, remark, heard, config.answer_timeout_s, config.remark_s)
        practice = self._practice()
        self._talk = talk
        limits = Limits(steps=int(goal.request.steps) or config.steps)
        try:
            report = train(practice, teacher, self._learner, limits)
        finally:
            teacher.take_remarks()  # those that came after the last step
        result.reached = bool(report.reached)
        result.proposals, result.actions = report.steps, report.transitions
        result.feedback = [k for k, n in sorted(report.feedback.items()) for _ in range(n)]

    def _perform(self, words: str, goal: ServerGoalHandle, result: Practise.Result) -> None:
        self._tell(LearningEvent(kind=LearningEvent.GOAL, text=words))
        most = int(goal.request.steps) or self._config.steps
        self._talk = talk = Conversation(self._tell, self._cancelled)

        def offer(question: str) -> bool:
            """Silence is no."""
            heard = talk.ask(asking(LearningEvent.QUESTION, question), self._config.remark_s)
            return heard is not None and heard.kind == Feedback.CONFIRM

        def tell(why: str) -> None:
            self._tell(LearningEvent(kind=LearningEvent.DONE, text=why))

        done = perform(words, self._practice(), self._learner, self._plan, most, offer, tell)
        result.reached, result.failed = done.reached, done.failed
        result.actions = len(done.actions)
        if done.trouble is not None:
            raise done.trouble

    def _practice(self) -> RosPractice:
        return RosPractice(
            self,
            self._scenes,
            self._primitives,
            self._acting,
            self._cancelled,
            self._config.scene_timeout_s,
            self._config.act_timeout_s,
        )

    def _plan(
        self, goal: tuple[Literal, ...], state: SymbolicState, avoid: frozenset[Step]
    ) -> Sequence[GroundAction]:
        """By the planner node, from the operators that it took over. Raises what it answers."""
        timeout_s = self._config.plan_timeout_s
        request = plan_request(goal, state, avoid, timeout_s)
        response = call(self._planner, request, timeout_s + 10.0)
        return planned(response, self._learner.library)

    def _cancelled(self) -> bool:
        goal = self._goal
        return self._closing.is_set() or (goal is not None and bool(goal.is_cancel_requested))

    # -- what is told ----------------------------------------------------------------------

    def _hear(self, message: Feedback) -> None:
        """What is said while no task is practised is in the feedback node's file."""
        if self._talk is not None:
            self._talk.hear(message)

    def _acting(self, skill: str, args: Sequence[str]) -> None:
        text = spoken(skill, args)
        self._tell(LearningEvent(kind=LearningEvent.ACTION, text=text, name=skill, args=list(args)))

    def _learnt(self, event: Learnt) -> None:
        message = event_to_msg(event)
        if message is not None:
            self._tell(message)

    def _tell(self, message: LearningEvent) -> None:
        message.stamp = self.get_clock().now().to_msg()
        self._events.publish(message)
        if self._goal is not None and self._goal.is_active:
            self._goal.publish_feedback(Practise.Feedback(event=message))

    def _save(self, library: Library, why: str) -> None:
        self._folder.save(library, why)
        self._tell_version(self._folder.versions, why)

    def _tell_version(self, versions: Versions, why: str) -> None:
        self._library.publish(
            LibraryVersion(
                stamp=self.get_clock().now().to_msg(),
                folder=str(versions.path.resolve()),
                number=versions.current,
                why=why,
            )
        )

    def wind_down(self) -> None:
        """End a task under way; what was learned is on disk already."""
        self._closing.set()
        if self._running.acquire(timeout=10.0):
            self._running.release()
        self._backends.close()

    def destroy_node(self) -> None:
        self._folder.close()
        super().destroy_node()


def _outcome_text(result: Practise.Result) -> str:
    if result.status.code:
        return f"{Code(result.status.code).name}: {result.status.message}"
    reached = "reached" if result.reached else "not reached"
    return f"{reached} after {result.actions} actions"


def main() -> None:
    runner.main(LearnerNode, wind_down=LearnerNode.wind_down)
