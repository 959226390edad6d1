"""Makes scripted disturbances happen to the simulated world while a task goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable

from geometry_msgs.msg import Point
from rclpy.qos import qos_profile_sensor_data
from rich.console import Console
from rosgraph_msgs.msg import Clock
from sayso_ros.srv import PerturbWorld
from std_srvs.srv import SetBool

from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.reporting.events import Event
from sayso.ros.messages.conversions import raise_unless_ok, time_from_msg
from sayso.ros.runtime.calls import call
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.flat.disturbances import Disturbance, Kind

_SWITCHED = {
    Kind.DOOR: ("world/doors/{}", "open"),
    Kind.WALKER: ("world/walkers/{}", "walk"),
    Kind.SWITCH: ("world/{}", "on"),
}
"""Service that opens, starts or turns on (true) or the contrary, and what true is called."""


class Disturber:
    """Asks the simulator for each disturbance when it is due, once, in the order of the script.

    Pass `listen` every event of the task.
    """

    def __init__(
        self, client: TaskClient, disturbances: Iterable[Disturbance], console: Console
    ) -> None:
        self._client = client
        self._console = console
        self._lock = threading.Lock()
        self._left = list(disturbances)
        self._done: list[str] = []
        self._now_s: float | None = None
        self._begun_s: float | None = None
        self._due: queue.SimpleQueue[Disturbance] = queue.SimpleQueue()
        if self._left:
            client.node.create_subscription(
                Clock, "clock", self._take_time, qos_profile_sensor_data
            )
            # Not in the client's own thread: that is the one in which the answers come.
            threading.Thread(target=self._work, daemon=True).start()

    @property
    def now_s(self) -> float | None:
        """The simulated time that was heard last."""
        with self._lock:
            return self._now_s

    def listen(self, event: Event) -> None:
        """Count the steps that were done."""
        if event.skill is None:
            return
        with self._lock:
            if self._begun_s is None:
                self._begun_s = self._now_s
            if event.skill.finished and event.skill.code in SUCCESS_CODES:
                self._done.append(event.skill.action.skill)
        self._release()

    def tell_rest(self) -> None:
        """Say what did not happen since the task ended before."""
        with self._lock:
            left, self._left = self._left, []
        for each in left:
            self._say(f"The task ended before this was due ({each.when}): {each.words}.")

    def _take_time(self, message: Clock) -> None:
        with self._lock:
            self._now_s = time_from_msg(message.clock)
        self._release()

    def _release(self) -> None:
        with self._lock:
            since_s = None
            if self._begun_s is not None and self._now_s is not None:
                since_s = self._now_s - self._begun_s
            due = [d for d in self._left if d.is_due(self._done, since_s)]
            self._left = [d for d in self._left if d not in due]
        for disturbance in due:
            self._due.put(disturbance)

    def _work(self) -> None:
        while True:
            disturbance = self._due.get()
            self._say(f"DISTURBANCE by the simulator ({disturbance.when}): {disturbance.words}.")
            try:
                self._make(disturbance)
            except SaySoError as error:
                self._say(f"  That did not happen: {error.message}")

    def _make(self, disturbance: Disturbance) -> None:
        to = disturbance.to
        if disturbance.kind in _SWITCHED and isinstance(to, str):
            name, true = _SWITCHED[disturbance.kind]
            client = self._client.node.create_client(SetBool, name.format(disturbance.what))
            answer = call(client, SetBool.Request(data=to == true))
            if not answer.success:
                raise SaySoError(Code.INVALID, answer.message)
            return
        request = PerturbWorld.Request(kind=PerturbWorld.Request.REMOVE, target=disturbance.what)
        if not isinstance(to, str):
            request.kind = PerturbWorld.Request.MOVE
            x, y, z = (*to, 0.0)[:3]
            request.position = Point(x=x, y=y, z=z)
        client = self._client.node.create_client(PerturbWorld, "world/perturb")
        raise_unless_ok(call(client, request).status)

    def _say(self, text: str) -> None:
        self._console.print(f"  {text}", style="magenta", markup=False, highlight=False)
