"""The base of the simulated flat's robot as a port, for runs in one process."""

from __future__ import annotations

from sayso.worlds.flat.flat_world import FlatWorld


class SimulatedBase:
    """`core.ports.BaseDriver` of a `FlatWorld`."""

    def __init__(self, world: FlatWorld) -> None:
        self._world = world

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        self._world.drive(forward_m_s, left_m_s, turn_rad_s)

    def halt(self) -> None:
        self._world.drive(0.0, 0.0, 0.0)
