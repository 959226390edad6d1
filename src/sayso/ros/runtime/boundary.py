"""Where exceptions end: every service and action answers with a `Status`, and the node lives on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from rclpy.action.server import ServerGoalHandle
from sayso_ros.msg import Status

from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.ros.messages.conversions import error_to_status, ok_status

log = logging.getLogger(__name__)
Response = TypeVar("Response")
Success: TypeAlias = "Code | Status | None"
"""None for OK, another success code, or a success with something to say."""


def status_of(stage: str, work: Callable[[], Success]) -> Status:
    """Run `work` and say what became of it.

    `work` returns a `Success`; it raises `SaySoError` for a named
    failure. Anything else that it raises is a defect: its traceback goes to the log and the
    status is UNKNOWN.
    """
    try:
        success = work()
        return success if isinstance(success, Status) else ok_status(success or Code.OK)
    except SaySoError as error:
        log.info("%s: %s", stage, error)
        return error_to_status(error, stage)
    except Exception as error:  # noqa: BLE001 - the boundary: one request fails, the node lives on
        log.error("%s failed unexpectedly:\n%s", stage, traceback.format_exc())
        return Status(
            code=Status.UNKNOWN,
            stage=stage,
            message=f"unexpected {type(error).__name__}: {error}",
            hint="the traceback is in the node's log; please report it.",
        )


def answer(stage: str, response: Response, work: Callable[[Response], Success]) -> Response:
    """A service's answer: `work` fills the response, its `status` is always set."""
    filled: Any = response
    filled.status = status_of(stage, lambda: work(response))
    return response


def receiving(topic: str, take: Callable[[Any], None]) -> Callable[[Any], None]:
    """A subscription's callback that passes over a message that cannot be used, and says so.

    Anybody may publish on a topic: a malformed message must not end the node. The same trouble
    is logged once, not at every message.
    """
    trouble = ""

    def guarded(message: Any) -> None:
        nonlocal trouble
        try:
            take(message)
            trouble = ""
        except SaySoError as error:
            if str(error) != trouble:
                trouble = str(error)
                log.warning("a message on %s is passed over: %s", topic, error)
        except Exception as error:  # noqa: BLE001 - the boundary: one message fails, no more
            if repr(error) != trouble:
                trouble = repr(error)
                log.error("a message on %s failed:\n%s", topic, traceback.format_exc())

    return guarded


def run_goal(
    stage: str,
    goal: ServerGoalHandle,
    result: Response,
    work: Callable[[Response], Success],
) -> Response:
    """An action's result: SUCCEEDED iff the code is a success, CANCELED iff it was cancelled."""
    answer(stage, result, work)
    filled: Any = result
    code = Code(filled.status.code)
    if code in SUCCESS_CODES:
        goal.succeed()
    elif code is Code.CANCELLED and goal.is_cancel_requested:
        goal.canceled()
    else:
        goal.abort()
    return result
