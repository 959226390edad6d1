"""What the node `driver` is asked to do, while the robot may not answer."""

from __future__ import annotations

from collections.abc import Callable

from sayso.core.errors import Code, SaySoError
from sayso.ros.nodes.driver_node import ask


def test_what_nobody_waits_for_any_more_is_not_done() -> None:
    waiting: list[Callable[[], None]] = []
    done: list[str] = []
    told = ask(lambda: done.append("stood up"), waiting.append, 0.0)
    assert "does not answer" in told
    waiting[0]()
    assert not done


def test_what_is_done_in_time_or_refused_is_told() -> None:
    def refuse() -> None:
        raise SaySoError(Code.STOPPED, "the e-stop is pressed.")

    assert ask(lambda: None, lambda work: work(), 1.0) == ""
    assert "the e-stop is pressed" in ask(refuse, lambda work: work(), 1.0)
