"""A Spot behind its own services on the loopback network, in a flat that runs in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sayso.robots.loading import load_robot
from sayso.worlds.flat.choosing import read_scene
from sayso.worlds.flat.spot.services import PASSWORD, USER
from sayso.worlds.flat.spot.world import SpotFlat

PROFILE = load_robot("spot")
TICK_S = 0.01
LOGIN = {"BOSDYN_CLIENT_USERNAME": USER, "BOSDYN_CLIENT_PASSWORD": PASSWORD}
FAULTS = (
    "estop",
    "lease_taken",
    "unpowered",
    "fallen",
    "low_battery",
    "images_silent",
    "link_lost",
)


class SpotRobot:
    """The world, asked and meddled with from outside its thread."""

    def __init__(self, address: str, certificate: Path) -> None:
        self.address, self.certificate = address, str(certificate)
        self.world = SpotFlat(read_scene("studio", 1), 1, None, PROFILE, address, self.certificate)
        self._ended = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def now_s(self) -> float:
        """Simulated."""
        return self.world.snapshot.time_s

    def turn(self, switch: str, on: bool) -> None:
        """One of its switches."""
        self.world.ask(lambda: self.world.switches()[switch](on))

    def mend(self) -> None:
        """Nothing ails it any more, and it stands where it stood at first."""
        for fault in FAULTS:
            self.turn(fault, False)
        self.world.ask(lambda: self.world.reset(1))

    def speed(self) -> float:
        """True, of the fastest of base [m/s, rad/s] and joints [rad/s]."""
        base, arm = self.world._own_velocity, self.world.true_joint_velocities
        return float(np.abs(self.world.ask(lambda: [*base(), *arm()])).max())

    def place(self) -> np.ndarray:
        """True, of the base (2,) [m]."""
        return np.array(self.world.ask(self.world.true_base).position[:2])

    def wait(self, seconds: float) -> None:
        """Simulated."""
        until_s = self.now_s() + seconds
        while self.now_s() < until_s:
            self._ended.wait(TICK_S)

    def _run(self) -> None:
        self.world.warm_up()
        self._ready.set()
        while not self._ended.is_set():
            begun_s = time.perf_counter()
            self.world.step(TICK_S)
            self._ended.wait(max(0.0, TICK_S - (time.perf_counter() - begun_s)))
        self.world.close()


@contextmanager
def spot_robot(address: str, folder: Path) -> Iterator[SpotRobot]:
    robot = SpotRobot(address, folder / "authority.pem")
    robot._thread.start()
    try:
        assert robot._ready.wait(60.0)
        yield robot
    finally:
        robot._ended.set()
        robot._thread.join(10.0)


def until(robot: SpotRobot, there: Callable[[], bool], patience_s: float = 20.0) -> None:
    """Wait for it, by the wall clock."""
    latest_s = time.monotonic() + patience_s
    while not there():
        assert time.monotonic() < latest_s
        robot.wait(TICK_S)
