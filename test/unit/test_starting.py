"""Who started something waits as long as it gets on."""

from __future__ import annotations

from sayso.ros.task.starting import Patience


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_what_gets_on_slowly_is_waited_for() -> None:
    clock = Clock()
    patience = Patience(60.0, clock)
    there = []
    for name in ("mapper", "world", "driver", "executor"):
        clock.now_s += 50.0
        assert patience.left_s == 10.0
        there.append(name)
        patience.see(there)
        assert patience.left_s == 60.0


def test_what_does_not_get_on_is_given_up_and_named() -> None:
    clock = Clock()
    patience = Patience(60.0, clock)
    clock.now_s += 20.0
    patience.see(["mapper"])
    clock.now_s += 61.0
    assert patience.left_s == 0.0
    words = patience.words(["driver", "a recorder"], "driver says: its motors have no power")
    assert words == (
        "not there after 81 s: driver, a recorder (nothing new for 61 s); "
        "driver says: its motors have no power"
    )


def test_what_goes_and_comes_again_is_nothing_new() -> None:
    clock = Clock()
    patience = Patience(60.0, clock)
    patience.see(["mapper"])
    for _ in range(4):
        clock.now_s += 10.0
        patience.see([])
        clock.now_s += 10.0
        patience.see(["mapper"])
    assert patience.left_s == 0.0
