"""A person who guides the arm at the console's page, by keys and mouse alone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from sayso.core.geometry import Array
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S
from sayso.worlds.persons.guiding_person import (
    Goal,
    Presses,
    giving,
    gripper_of,
    left_to,
    points_of,
    taking,
)
from support.browser import Page

SLOW, FASTEST = 0.25, np.array([FASTEST_M_S] * 3 + [FASTEST_RAD_S])
KEYS = ("ws", "ad", "rf", "qe")
"""Forward and back, left and right, up and down, turned left and right."""
FAR_M, LOOKS_S, CLOSES_S = 0.04, 0.8, 1.5
MOST_PRESSES, PATIENCE_S = 150, 60.0
LOOKS = 5
"""At how fast the robot goes."""
IN_HAND_M = 0.12
"""Between fingertips and the middle of what they hold by its rim; what is farther was lost, or is
shown where it stood before."""


def in_hand(shown: Mapping[str, Any], name: str) -> bool:
    """Whether the page shows a thing where the fingers are."""
    off = points_of(shown, name).mean(axis=0) - gripper_of(shown).place[:3]
    return bool(np.linalg.norm(off) < IN_HAND_M)


@dataclass
class Guide:
    """Hangs a mug on a rack: holds keys, lets go, looks at the page, and corrects.

    Attributes:
        presses: how often keys were held so far.
    """

    page: Page
    presses: int = 0
    _pace: float = 1.0  # seconds of the robot in one of the clock: they see how fast it goes

    def hang(self, mug: str, rack: str) -> None:
        """Once the page guides the arm."""
        self._at_the_pad()
        shown = self._rested()
        take = taking(points_of(shown, mug), points_of(shown, rack), gripper_of(shown).place)
        speeds = Presses(SLOW * FASTEST)
        for goal in take.goals:
            self._to(goal, speeds)
        self._wait(lambda: in_hand(self.shown(), mug), f"{mug} is shown in the hand")
        held = self._rested()
        for goal in giving(points_of(held, mug), take, gripper_of(held).place):
            self._to(goal, speeds)

    def pace(self) -> float:
        """Seconds of the robot in one of the clock, as the page shows them."""
        for _ in range(LOOKS):
            self._rested()
        return self._pace

    def _to(self, goal: Goal, slow: Presses) -> None:
        """As often as it takes, and no more often than a person has patience."""
        now = gripper_of(self._rested()).place
        for _ in range(MOST_PRESSES):
            before = now
            far = bool(np.abs(left_to(goal.place, before)).max() > FAR_M)
            held_s = slow.towards(goal, before)
            if not held_s.any():
                break
            self._slowly(not far)
            self._hold(held_s * (SLOW if far else 1.0))
            now = gripper_of(self._rested()).place
            slow.saw(before, held_s, now)
        else:
            raise AssertionError(f"the hand does not come to {goal}: {self._told()}")
        if goal.fingers > 0:
            self._fingers("o", lambda now, _: now["gripper"]["width"] >= goal.width_m)
        elif goal.fingers < 0:
            self._fingers("c", lambda now, first: now["stamp_s"] - first["stamp_s"] > CLOSES_S)

    def _hold(self, held_s: Array) -> None:
        """Each axis' key for so many seconds of the robot, all from now on."""
        self.presses += 1
        held_s = held_s / self._pace
        chosen = [
            (abs(float(s)), pair[int(s < 0)]) for s, pair in zip(held_s, KEYS, strict=True) if s
        ]
        hand, passed_s = webdriver.ActionChains(self.page.browser, duration=0), 0.0
        for _, key in chosen:
            hand.key_down(key)
        for until_s, key in sorted(chosen):
            hand.pause(until_s - passed_s).key_up(key)
            passed_s = until_s
        hand.perform()

    def _fingers(self, key: str, enough: Any) -> None:
        self.presses += 1
        first = self.shown()
        self.page.hold(key)
        self._wait(lambda: enough(self.shown(), first), f"the fingers obey {key}")
        self.page.let_go(key)

    def _slowly(self, slowly: bool) -> None:
        if self.page.browser.find_element(By.ID, "slowly").is_selected() != slowly:
            self.page.click("slowly")
            self._at_the_pad()

    def _at_the_pad(self) -> None:
        """The keys work where one of its buttons has the focus."""
        self.page.browser.find_element(By.CSS_SELECTOR, "[data-key=w]").send_keys("")

    def shown(self) -> Mapping[str, Any]:
        """What the picture of the scene is drawn from."""
        return self.page.browser.execute_script("return document.getElementById('scene').scene")

    def _rested(self) -> Mapping[str, Any]:
        """What is shown once the hand rests."""
        first, begun_s = self.shown()["stamp_s"], time.monotonic()
        self._wait(lambda: self.shown()["stamp_s"] > first + LOOKS_S, "something new is seen")
        shown = self.shown()
        pace = (shown["stamp_s"] - first) / (time.monotonic() - begun_s)
        self._pace = 0.5 * (self._pace + min(1.0, max(0.05, pace)))
        return shown

    def _wait(self, condition: Any, what: str) -> None:
        WebDriverWait(self.page.browser, PATIENCE_S, poll_frequency=0.1).until(
            lambda _: condition(), f"{what}: {self._told()}"
        )

    def _told(self) -> str:
        return self.page.shown("guided")
