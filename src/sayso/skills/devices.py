"""Skills that devices of the building carry out: doors with drives, lamps with switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import AttributeValue
from sayso.core.symbols import in_words
from sayso.skills.approach import Errand
from sayso.skills.conditions import DeviceOrder
from sayso.skills.contract import found_in
from sayso.skills.mobile import MobileWork

PATIENCE_S = 6.0
"""Within which a device does what it was asked for; a door takes two seconds."""
_AWAY_M = 1.2
"""So far back a robot that stood before a door is out of the way of its leaf."""
_LOOK_S = 0.2
_SEEN_S = 3.0
"""A map takes some frames to show that the floor where a leaf was is free."""
_CLOSE = 0.02


@dataclass
class OperateDevice:
    """Faces a device, has the building work it, and waits until that is observed to be done.

    Where a door stops, the robot may stand in its way: it makes room and waits again.

    Args:
        parameters: the type of the device; with `needs` as `Skill` has them.
        attribute: of the device that shall change, as the library declares it.
        wanted: its value then.
        swings: whether the device needs room to move.
    """

    work: MobileWork
    parameters: tuple[str, ...]
    attribute: str
    wanted: AttributeValue
    swings: bool = False
    needs: ClassVar[tuple[str, ...]] = ("base", "devices")

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        """Raises OBJECT_LOST, UNSUPPORTED without a building, and what gate and building raise."""
        (name,), work = args, self.work
        before = self._value(name)
        self._face(errand, name)
        errand.phase(f"have {in_words(name)} worked")
        self._order(errand, name, self.wanted)
        if not self._waited(name, self.wanted) and self.swings:
            self._make_room(errand, name, before)
            self._waited(name, self.wanted)
        if self.swings:
            work.senses.wait(_SEEN_S)

    def _make_room(self, errand: Errand, name: str, before: AttributeValue | None) -> None:
        """Back off; where something stands behind the robot, have the leaf go back and stand clear
        of it, then have the device worked anew."""
        work = self.work
        try:
            work.approach.back_off(errand, work.held, _AWAY_M)
        except SaySoError as error:
            if error.code is not Code.EXECUTION or before is None:
                raise
            errand.phase(f"have {in_words(name)} go back")
            self._order(errand, name, before)
            self._waited(name, before)
            work.senses.wait(_SEEN_S)
            x, y, _ = found_in(work.senses.scene(), name).position
            work.approach.stand_clear(errand, work.held, (x, y))
            errand.phase(f"have {in_words(name)} worked")
            self._order(errand, name, self.wanted)

    def _face(self, errand: Errand, name: str) -> None:
        """So that a camera sees what comes of it."""
        approach = self.work.approach
        x, y, _ = found_in(self.work.senses.scene(), name).position
        here = np.array([approach.base().position[:2]])
        approach.drive(errand, here, self.work.held, face=(x, y))

    def _order(self, errand: Errand, name: str, value: AttributeValue) -> None:
        building = self.work.building
        if building is None:
            raise SaySoError(
                Code.UNSUPPORTED,
                "the robot speaks to no building, and so cannot work doors or lamps.",
                hint="start what offers the service `operate_device`.",
            )
        self.work.gate.operate(
            DeviceOrder(name, self.attribute, value),
            lambda: building.operate(name, self.attribute, value),
            self.work.senses,
            errand.arm.cancelled,
        )
        building.require_taken()

    def _waited(self, name: str, value: AttributeValue) -> bool:
        """Whether the attribute was observed to have a value in time."""
        senses = self.work.senses
        end_s = senses.now_s() + PATIENCE_S
        while not self._has(name, value) and senses.now_s() < end_s:
            senses.wait(_LOOK_S)
        return self._has(name, value)

    def _has(self, name: str, wanted: AttributeValue) -> bool:
        value = self._value(name)
        if value is None or isinstance(value, str) or isinstance(wanted, str):
            return value == wanted
        return abs(value - wanted) < _CLOSE

    def _value(self, name: str) -> AttributeValue | None:
        return found_in(self.work.senses.scene(), name).attributes.get(self.attribute)


def open_door(work: MobileWork) -> OperateDevice:
    """The skill `open`."""
    return OperateDevice(work, ("door",), "open_share", 1.0, swings=True)


def close_door(work: MobileWork) -> OperateDevice:
    """The skill `close`."""
    return OperateDevice(work, ("door",), "open_share", 0.0, swings=True)


def open_lid(work: MobileWork) -> OperateDevice:
    """The skill `open_lid`."""
    return OperateDevice(work, ("lidded",), "lid_share", 1.0)


def close_lid(work: MobileWork) -> OperateDevice:
    """The skill `close_lid`."""
    return OperateDevice(work, ("lidded",), "lid_share", 0.0)


def turn_on(work: MobileWork) -> OperateDevice:
    """The skill `turn_on`."""
    return OperateDevice(work, ("light",), "lit", True)


def turn_off(work: MobileWork) -> OperateDevice:
    """The skill `turn_off`."""
    return OperateDevice(work, ("light",), "lit", False)
