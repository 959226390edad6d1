"""A person at the page shows the robot how: they guide its arm, and what they do is recorded."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import numpy as np
from geometry_msgs.msg import TwistStamped, Vector3
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from sayso_ros.msg import Status
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from std_msgs.msg import Int8

from sayso.core.errors import Code, SaySoError
from sayso.learning.demonstrations import folder as recorded
from sayso.ros.console.page_server import PageAction
from sayso.ros.messages.qos import NEWEST
from sayso.ros.robot.hand_wishes import FINGERS, SERVO
from sayso.ros.task.task_client import TaskClient
from sayso.ros.teaching.recording import Shown, ShownRecorder, shown_in
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S

log = logging.getLogger(__name__)
GUIDING, RECORDING = "guiding", "recording"
"""Parts of the page: who guides, and what is being recorded."""
GONE = (
    "The page that guided the arm lost its connection, and the arm rests. Guide it again to go on."
)
Show = Callable[[str, Any], None]
_AXES = 5


@dataclass(frozen=True)
class ShowingConfig:
    """Where and how what is shown is recorded.

    Attributes:
        folder: that holds demonstrations; None: nothing can be recorded.
        robot: a profile's name, or its file.
        cameras: whose pictures go with it.
    """

    folder: Path | None
    robot: str = "panda"
    cameras: tuple[str, ...] = ()


class Guiding:
    """One page at a time has the arm go as its buttons say.

    A page tells its name over its live connection; with that connection the guiding ends.

    Args:
        show: told of what a part of the page is now.
    """

    def __init__(self, client: TaskClient, show: Show) -> None:
        self._client, self._show = client, show
        self._servo = client.node.create_publisher(TwistStamped, SERVO, NEWEST)
        self._fingers = client.node.create_publisher(Int8, FINGERS, NEWEST)
        self._lock = threading.Lock()
        self._page, self._times = "", 0
        self._guided: ClientGoalHandle | None = None
        self._holder: object | None = None
        self._names: dict[object, str] = {}
        self._still = True
        self._tell("")

    def begin(self, page: str) -> None:
        """Raises INVALID for a page without a connection; BUSY; as `TaskClient.be_guided`."""
        with self._lock:
            holder = next((c for c, name in self._names.items() if name == page), None)
            if holder is None:
                raise SaySoError(Code.INVALID, "this page is not connected.", hint="load it again.")
            if self._page:
                raise SaySoError(Code.BUSY, "the arm is being guided from a page already.")
            self._times += 1
            self._page, self._holder = page, holder
            self._tell("")
            try:
                ended = partial(self._ended, self._times)
                self._guided = self._client.be_guided(self._tell, ended)
            except SaySoError:
                self._page, self._holder = "", None
                self._tell("")
                raise

    def end(self) -> None:
        """Whoever guides; nothing where nobody does. Raises as `TaskClient.let_go`."""
        with self._lock:
            guided, self._guided = self._guided, None
            self._page, self._holder = "", None
            self._wish(np.zeros(_AXES))
            self._tell("")
            if guided is not None:
                self._client.let_go(guided)

    def heard(self, connection: object, text: str) -> None:
        """A page's name, with what its buttons say: shares from -1 to 1 of the fastest along and
        about x, y, z, about z, and of the fingers' opening. What is none of this is passed over."""
        try:
            said = json.loads(text)
            page, wish = str(said["page"]), np.array(said.get("wish", ()), dtype=float)
        except (ValueError, TypeError, KeyError, AttributeError):
            return
        self._names.setdefault(connection, page)
        if connection is self._holder and wish.shape == (_AXES,) and np.isfinite(wish).all():
            self._wish(np.clip(wish, -1.0, 1.0))

    def gone(self, connection: object) -> None:
        """Of the page that guided, the arm rests."""
        self._names.pop(connection, None)
        if connection is self._holder:
            self._wish(np.zeros(_AXES))
            threading.Thread(target=self._left, name="guiding ends", daemon=True).start()

    def _left(self) -> None:
        self.close()
        self._tell(GONE)

    def close(self) -> None:
        """As `end`; where the executor does not answer that is logged."""
        try:
            self.end()
        except SaySoError as error:
            log.warning("%s", error)

    def _wish(self, wish: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        if self._still and wish.any():
            self._tell("")  # what was told was of the wish before
        self._still = not wish.any()
        x, y, z, turn, fingers = (float(v) for v in wish)
        message = TwistStamped()
        message.header.stamp = self._client.node.get_clock().now().to_msg()
        along = (FASTEST_M_S * v for v in (x, y, z))
        message.twist.linear = Vector3(**dict(zip("xyz", along, strict=True)))
        message.twist.angular = Vector3(z=FASTEST_RAD_S * turn)
        self._servo.publish(message)
        self._fingers.publish(Int8(data=int(np.sign(fingers))))

    def _ended(self, time: int, status: Status) -> None:
        """Not by a page, if it is the time that goes on: by a stop, or something ails the robot."""
        if time != self._times or not self._page:
            return
        self._page, self._holder, self._guided = "", None, None
        self._tell("" if status.code == Status.CANCELLED else status.message)

    def _tell(self, text: str) -> None:
        self._show(GUIDING, {"page": self._page, "text": text})


@dataclass
class Showing:
    """What a person at a page does to show something; `actions` by the names the page calls.

    Args:
        node: in whose namespace the robot's are.
        show: told of what a part of the page is now.
    """

    node: Node
    guiding: Guiding
    config: ShowingConfig
    show: Show
    _one: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.show(RECORDING, None)

    @cached_property
    def _recorder(self) -> ShownRecorder:
        return ShownRecorder(
            self.node.context,
            self.node.get_namespace(),
            self._folder,
            self.config.robot,
            self.config.cameras,
        )

    @property
    def _folder(self) -> Path:
        if self.config.folder is None:
            raise SaySoError(
                Code.CONFIG,
                "the console was not told where to keep what is shown.",
                hint="launch with shown:=FOLDER, or `sayso console --shown FOLDER`.",
            )
        return self.config.folder

    def actions(self) -> Mapping[str, PageAction]:
        """What a page may ask for. Each raises SaySoError."""
        done = (self.guide, self.let_go, self.record, self.keep, self.discard)
        return {action.__name__: action for action in done}

    def guide(self, given: Mapping[str, str]) -> Mapping[str, Any]:
        self.guiding.begin(given.get("page", ""))
        return {}

    def let_go(self, _: Mapping[str, str]) -> Mapping[str, Any]:
        self.guiding.end()
        return {}

    def record(self, given: Mapping[str, str]) -> Mapping[str, Any]:
        if not (words := given.get("words", "").strip()):
            text = "say what you will show."
            raise SaySoError(Code.INVALID, text, hint="such as: hang the mug on the rack.")
        with self._one:
            about = self._recorder.begin(words)
            self.show(RECORDING, {"words": words, "about": [*about.values()]})
        return {}

    def keep(self, _: Mapping[str, str]) -> Mapping[str, Any]:
        return self._end(keep=True)

    def discard(self, _: Mapping[str, str]) -> Mapping[str, Any]:
        return self._end(keep=False)

    def _end(self, keep: bool) -> Mapping[str, Any]:
        with self._one:
            try:
                return _data(self._recorder.end(keep))
            finally:
                self.show(RECORDING, None)

    def routes(self) -> tuple[BaseRoute, ...]:
        """What was shown so far, at `shown`."""

        async def shown(_: Request) -> Response:
            return JSONResponse(await anyio.to_thread.run_sync(self.listed))

        return (Route("/shown", shown),)

    def listed(self) -> list[Mapping[str, Any]]:
        """Each demonstration; one that cannot be read is told with what is wrong."""
        folder = self.config.folder
        return [] if folder is None else [_listed(place) for place in recorded.found_in(folder)]

    def close(self) -> None:
        """What is being recorded stays as broken off."""
        if "_recorder" in vars(self):
            self._recorder.close()


def _listed(place: Path) -> Mapping[str, Any]:
    try:
        return _data(shown_in(place))
    except SaySoError as error:
        return _data(Shown(place, "", 0.0, (), (error.message,)))


def _data(shown: Shown) -> Mapping[str, Any]:
    """As JSON has it."""
    return {**asdict(shown), "folder": shown.folder.name, "duration_s": round(shown.duration_s, 1)}
