"""The building's devices over ROS: what it says of them, and orders to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from sayso_ros.msg import Devices
from sayso_ros.srv import OperateDevice

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import AttributeValue, SceneObject
from sayso.core.vocabulary import Vocabulary
from sayso.ros.messages.conversions import (
    attribute_to_msg,
    object_from_msg,
    raise_unless_ok,
    time_from_msg,
)
from sayso.ros.messages.qos import LATCHED
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.calls import result_of

TOPIC, SERVICE = "devices", "operate_device"
_ANSWER_S = 5.0


class RosBuilding:
    """`core.ports.Building` over the service `operate_device`.

    Args:
        meanwhile: called while an answer is waited for; what it raises ends the waiting.
    """

    def __init__(self, node: Node, meanwhile: Callable[[], None]) -> None:
        self._client = node.create_client(OperateDevice, SERVICE)
        self._meanwhile = meanwhile
        self._answer: Future | None = None

    def is_there(self) -> bool:
        """Whether somebody offers the service."""
        return bool(self._client.service_is_ready())

    def operate(self, device: str, attribute: str, value: AttributeValue) -> None:
        if not self.is_there():
            raise SaySoError(
                Code.NODE_UNAVAILABLE,
                f"no building offers {self._client.service_name}.",
                hint="start what works its doors and lamps.",
            )
        request = OperateDevice.Request(device=device, wanted=attribute_to_msg(attribute, value))
        self._answer = self._client.call_async(request)

    def require_taken(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            done = result_of(answer, _ANSWER_S, self._client.service_name, self._meanwhile)
            raise_unless_ok(done.status)


class DeviceReports:
    """The newest that the building said, safe to ask from any thread.

    Args:
        vocabulary: says which attributes a device may have, and of what kind they are.
        fresh_s: older reports say where a device is, and no more in what state.
    """

    def __init__(self, node: Node, vocabulary: Vocabulary, fresh_s: float) -> None:
        self._vocabulary = vocabulary
        self._fresh_s = fresh_s
        self._lock = threading.Lock()
        self._stamp_s = 0.0
        self._devices: Mapping[str, SceneObject] = {}
        node.create_subscription(
            Devices,
            TOPIC,
            receiving(TOPIC, self._take),
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def take_over(self, vocabulary: Vocabulary) -> None:
        """What comes from now on is understood by this one."""
        self._vocabulary = vocabulary

    def at(self, stamp_s: float) -> tuple[SceneObject, ...]:
        """What is known at a time [s]."""
        with self._lock:
            devices, age_s = tuple(self._devices.values()), stamp_s - self._stamp_s
        if age_s <= self._fresh_s:
            return devices
        return tuple(replace(d, attributes={}) for d in devices)

    def _take(self, message: Devices) -> None:
        told = map(self._understood, map(object_from_msg, message.devices))
        devices = {d.name: d for d in told if d.attributes}
        with self._lock:
            self._stamp_s, self._devices = time_from_msg(message.header.stamp), devices

    def _understood(self, device: SceneObject) -> SceneObject:
        """Without what the library does not speak of: a building may tell more than that."""
        known = self._vocabulary.attributes_of(device.category)
        attributes = {n: v for n, v in device.attributes.items() if n in known}
        self._vocabulary.check_observed(device.category, attributes)
        return replace(device, attributes=attributes)
