"""`/stop`, `/release` and `/gate_state` of a motion gate."""

from __future__ import annotations

import logging
from collections.abc import Callable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sayso_ros.msg import GateState
from sayso_ros.srv import Release, Stop

from sayso.core.errors import SaySoError
from sayso.ros.messages.conversions import error_to_status, header, time_to_msg
from sayso.ros.messages.qos import NEWEST
from sayso.ros.runtime.boundary import answer
from sayso.ros.runtime.calls import LOOK_S
from sayso.skills.gate import MotionGate

log = logging.getLogger(__name__)


class Stopping:
    """Stops and releases a gate for whoever asks, and tells how it is.

    Args:
        now_s: of stamps.
    """

    def __init__(self, node: Node, gate: MotionGate, now_s: Callable[[], float]) -> None:
        self._gate = gate
        self._now_s = now_s
        self._refused: tuple[SaySoError | None, float] = (None, 0.0)
        self._state = node.create_publisher(GateState, "gate_state", NEWEST)
        alone = MutuallyExclusiveCallbackGroup()
        node.create_service(Stop, "stop", self._stop, callback_group=alone)
        node.create_service(Release, "release", self._release, callback_group=alone)
        own, steady = MutuallyExclusiveCallbackGroup(), Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(LOOK_S, self._tell, callback_group=own, clock=steady)

    def halt(self, words: str) -> None:
        """Stop, since the words for it were said."""
        self._gate.stop(f'"{words.strip()}" was said', "whoever gives instructions")

    def _stop(self, request: Stop.Request, response: Stop.Response) -> Stop.Response:
        def work(out: Stop.Response) -> None:
            reason = request.reason or "the stop service was called"
            out.token = self._gate.stop(reason, request.holder or "somebody")

        return answer("stop", response, work)

    def _release(self, request: Release.Request, response: Release.Response) -> Release.Response:
        def work(out: Release.Response) -> None:
            out.released = [str(stop) for stop in self._gate.release(request.token)]
            log.warning("%s released: %s", request.holder or "somebody", "; ".join(out.released))

        return answer("release", response, work)

    def _tell(self) -> None:
        reasons, refusal, now_s = self._gate.reasons, self._gate.last_refusal, self._now_s()
        if refusal is not self._refused[0]:
            self._refused = (refusal, now_s)
        state = GateState(header=header(now_s), open=not reasons, reasons=list(reasons))
        if refusal is not None:
            state.last_refusal = error_to_status(refusal, "gate")
            state.refused_at = time_to_msg(self._refused[1])
        self._state.publish(state)
