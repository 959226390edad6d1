"""Show the cameras and the task in a browser page, on this machine only."""

from __future__ import annotations

import html
import threading
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import SkillEvent, TaskEvent
from sensor_msgs.msg import CompressedImage

from sayso.core.errors import Code, SaySoError
from sayso.ros.messages.qos import EVENTS, SENSOR
from sayso.ros.runtime import runner
from sayso.ros.runtime.params import declare, param

STREAM_TIMEOUT_S = 2.0
_BOUNDARY = "sayso-frame"


@dataclass(frozen=True)
class ViewConfig:
    """Parameters of the node `view`."""

    cameras: tuple[str, ...] = param(("overview", "left", "right", "wrist"), "cameras to show")
    port: int = param(8765, "of the page, on the loopback address", low=0, high=65535)


class Pictures:
    """The newest JPEG of each camera; waits for newer ones."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._jpegs: dict[str, tuple[int, bytes]] = {}

    def put(self, camera: str, jpeg: bytes) -> None:
        with self._changed:
            number, _ = self._jpegs.get(camera, (0, b""))
            self._jpegs[camera] = (number + 1, jpeg)
            self._changed.notify_all()

    def newer(self, camera: str, than: int, timeout_s: float) -> tuple[int, bytes] | None:
        """A picture with a higher number, or None if none comes in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._jpegs.get(camera, (0, b""))[0] > than, timeout_s)
            number, jpeg = self._jpegs.get(camera, (0, b""))
            return (number, jpeg) if number > than else None


class ViewNode(Node):
    """Serves the page from threads of its own; ROS callbacks only store what it shows."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("view", **kwargs)
        self._config = declare(self, ViewConfig)
        self.pictures = Pictures()
        self.lines: list[str] = []
        for camera in self._config.cameras:
            self._show(camera)
        self.create_subscription(TaskEvent, "task_events", self._note, EVENTS)
        handler = type("Handler", (_Handler,), {"node": self, "cameras": self._config.cameras})
        self._server = _server(self._config.port, handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.get_logger().info(f"live pictures: {self.url}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def _show(self, camera: str) -> None:
        def show(message: CompressedImage) -> None:
            self.pictures.put(camera, bytes(message.data))

        self.create_subscription(
            CompressedImage,
            f"camera/{camera}/color/image_raw/compressed",
            show,
            SENSOR,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def _note(self, event: TaskEvent) -> None:
        line = _line(event)
        if line:
            self.lines = [*self.lines[-60:], line]

    def destroy_node(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        super().destroy_node()


def _server(port: int, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise SaySoError(
            Code.CONFIG,
            f"no page can be served at 127.0.0.1:{port}: {error.strerror}.",
            hint="set the parameter `port` to another one, or to 0 for any that is free.",
        ) from error


def _line(event: TaskEvent) -> str:
    """One line of the page, or '' for what it does not show."""
    if event.kind == TaskEvent.SPECIFICATION:
        return f"understood: {event.specification.english}"
    if event.kind == TaskEvent.SKILL and event.skill.phase == SkillEvent.STARTED:
        return f"step {event.skill.step + 1}: {event.skill.action.english}"
    if event.kind == TaskEvent.PLAN and event.stage != "recover":
        return f"plan: {', '.join(s.english for s in event.plan.steps)}"
    return str(event.text)


class _Handler(BaseHTTPRequestHandler):
    node: ViewNode
    cameras: tuple[str, ...]

    def do_GET(self) -> None:
        name = self.path.strip("/")
        if not name:
            self._send("text/html; charset=utf-8", page(self.cameras).encode())
        elif name == "task":
            self._send("text/html; charset=utf-8", task_page(self.node.lines).encode())
        elif name in self.cameras:
            self._stream(name)
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: Any) -> None:
        """Requests are not worth a line each."""

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, camera: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
        self.end_headers()
        number = 0
        try:
            while True:
                found = self.node.pictures.newer(camera, number, STREAM_TIMEOUT_S)
                if found is None:
                    continue
                number, jpeg = found
                head = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\n\r\n"
                self.wfile.write(head.encode() + jpeg + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            return  # the browser went away


def page(cameras: tuple[str, ...]) -> str:
    """The page: one picture for each camera, and the task beside them."""
    pictures = "".join(
        f'<figure><img src="/{c}" alt="no picture of {c} yet"><figcaption>{c}</figcaption></figure>'
        for c in map(html.escape, cameras)
    )
    return (
        "<!doctype html><title>SaySo</title><style>body{font:16px sans-serif;margin:1em}"
        "main{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0}img{width:28em;max-width:95vw;"
        "background:#ddd}iframe{border:0;width:100%;height:14em}</style>"
        f'<h1>SaySo</h1><iframe src="/task" title="the task"></iframe><main>{pictures}</main>'
    )


def task_page(lines: list[str]) -> str:
    """What happened, newest first; reloads itself."""
    items = "".join(f"<li>{html.escape(line)}</li>" for line in reversed(lines))
    return (
        '<!doctype html><meta http-equiv="refresh" content="1">'
        f'<body style="font:16px sans-serif"><ol reversed>{items}</ol>'
    )


def main() -> None:
    runner.main(ViewNode, threads=2)
