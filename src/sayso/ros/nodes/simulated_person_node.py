"""FOR EVALUATION: a simulated person who teaches the table's tasks and knows what is true.

It sees the simulator's own state, knows the true library, and answers `/learning` through
`/give_feedback` as a person at a keyboard would. No node of the robot may know what it knows.
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import Feedback, GroundTruth, LearningEvent
from sayso_ros.srv import GiveFeedback

from sayso.core.errors import SaySoError
from sayso.core.scene import Scene
from sayso.learning.feedback import Action
from sayso.ros.messages.conversions import object_from_msg, time_from_msg
from sayso.ros.messages.qos import EVENTS, SENSOR
from sayso.ros.runtime import runner
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.calls import call
from sayso.ros.runtime.params import declare, param
from sayso.ros.runtime.streams import streams_of
from sayso.worlds.persons.sayings import STYLES
from sayso.worlds.persons.teacher import Manner, SimulatedPerson
from sayso.worlds.table.true import goal_of_words, person_of, seen


@dataclass(frozen=True)
class SimulatedPersonConfig:
    """Parameters of the node `simulated_person`."""

    seed: int = param(0, "of the tasks, and of wordings and mistakes", low=0, high=2**31 - 1)
    style: str = param("plain", "of the words", choices=STYLES)
    wrong: float = param(0.0, "share of the explanations that are wrong", low=0.0, high=1.0)
    look_s: float = param(0.5, "how old what the person sees may be [s]", low=0.05, high=60.0)


class SimulatedPersonNode(Node):
    """Answers whatever the learner asks."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("simulated_person", **kwargs)
        self._config = declare(self, SimulatedPersonConfig)
        self._manner = Manner(self._config.style, self._config.wrong)
        self._rng = random.Random(self._config.seed)
        self._changed = threading.Condition()
        self._truth = Scene(-1.0, ())
        self._person: SimulatedPerson | None = None
        asked = MutuallyExclusiveCallbackGroup()
        self._feedback = self.create_client(
            GiveFeedback, "give_feedback", callback_group=ReentrantCallbackGroup()
        )
        self.create_subscription(
            GroundTruth, "world/ground_truth", self._see, SENSOR, callback_group=streams_of(self)
        )
        hear = receiving("/learning", self._hear)
        self.create_subscription(LearningEvent, "learning", hear, EVENTS, callback_group=asked)

    def _see(self, message: GroundTruth) -> None:
        objects = [object_from_msg(o) for o in message.objects]
        stamp_s = time_from_msg(message.header.stamp)
        with self._changed:
            self._truth = seen(stamp_s, objects, message.robot_contacts)
            self._changed.notify_all()

    def _look(self) -> Scene:
        """The next thing that is seen, or the last if the world stands still."""
        with self._changed:
            before = self._truth.stamp_s
            self._changed.wait_for(lambda: self._truth.stamp_s > before, self._config.look_s)
            return self._truth

    def _hear(self, event: LearningEvent) -> None:
        if event.kind == LearningEvent.GOAL:
            goal = goal_of_words(event.text, self._config.seed)
            self._person = person_of(event.text, goal, self._look, self._rng, self._manner)
        if event.id and self._person is not None:
            self._say(self._answer(self._person, event), event.id)

    def _answer(self, person: SimulatedPerson, event: LearningEvent) -> str:
        if event.kind == LearningEvent.PROPOSAL:
            return person.about(Action(event.name, tuple(event.args)))
        if event.kind == LearningEvent.DONE:
            return person.after(Action(event.name, tuple(event.args)))
        return person.answer(event.text) if event.kind == event.QUESTION else person.after(None)

    def _say(self, words: str, question: str) -> None:
        """Nothing to say is told as a bare yes, so that nobody waits."""
        kind = Feedback.EXPLANATION if words else Feedback.CONFIRM
        message = Feedback(
            kind=kind, text=words, task_id=question, stamp=self.get_clock().now().to_msg()
        )
        try:
            call(self._feedback, GiveFeedback.Request(feedback=message))
        except SaySoError as error:
            self.get_logger().error(f"what was said did not arrive: {error}")


def main() -> None:
    runner.main(SimulatedPersonNode)
