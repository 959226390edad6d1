"""Take what people say, keep it on disk before anything else, and pass it on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sayso_ros.msg import Feedback
from sayso_ros.srv import GiveFeedback

from sayso.ros.nodes.feedback_log import FeedbackLog, check_feedback
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param


@dataclass(frozen=True)
class FeedbackConfig:
    """Parameters of the node `feedback`."""

    log_file: str = param(
        "~/.local/state/sayso/feedback.jsonl", "file that everything said is appended to"
    )


class FeedbackNode(Node):
    """Serves `give_feedback`; publishes `/feedback` once the words are safely on disk."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("feedback", **kwargs)
        config = declare(self, FeedbackConfig)
        self._log = FeedbackLog(Path(config.log_file).expanduser())
        reliable = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
        self._publisher = self.create_publisher(Feedback, "feedback", reliable)
        self.create_service(GiveFeedback, "give_feedback", self._give)
        self._life = SignOfLife(self)

    def _give(
        self, request: GiveFeedback.Request, response: GiveFeedback.Response
    ) -> GiveFeedback.Response:
        return boundary.answer("feedback", response, lambda _: self._accept(request.feedback))

    def _accept(self, feedback: Feedback) -> None:
        check_feedback(feedback.kind, feedback.text, feedback.task_id)
        if feedback.stamp.sec == 0 and feedback.stamp.nanosec == 0:
            feedback.stamp = self.get_clock().now().to_msg()
        self._log.append(feedback)
        self._publisher.publish(feedback)

    def destroy_node(self) -> None:
        self._log.close()
        super().destroy_node()


def main() -> None:
    runner.main(FeedbackNode)
