"""Fills a task's run folder: report, pictures around each skill, a short film."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from sayso.events import Event, EventKind
from sayso.film import write_gif
from sayso.report import RunReport


class Camera:
    """Keeps the newest JPEG of one camera, and all of them while filming."""

    def __init__(self, node: Node, topic: str) -> None:
        self._lock = threading.Lock()
        self._newest: bytes | None = None
        self._film: list[bytes] = []
        self._filming = False
        node.create_subscription(
            CompressedImage,
            topic,
            self._take,
            qos_profile_sensor_data,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def _take(self, message: CompressedImage) -> None:
        with self._lock:
            self._newest = bytes(message.data)
            if self._filming:
                self._film.append(self._newest)

    def newest(self) -> bytes | None:
        with self._lock:
            return self._newest

    def start_film(self) -> None:
        with self._lock:
            self._film, self._filming = [], True

    def end_film(self) -> list[bytes]:
        """The frames since `start_film`."""
        with self._lock:
            self._filming = False
            film, self._film = self._film, []
            return film


class RunFolder:
    """One task's folder; give it every event, and `close` it in every case."""

    def __init__(self, folder: Path, cameras: Mapping[str, Camera], settings: Mapping[str, Any]):
        self.folder = folder
        self._cameras = cameras
        self._report = RunReport(settings)
        folder.mkdir(parents=True, exist_ok=True)
        for camera in cameras.values():
            camera.start_film()

    def add(self, event: Event) -> None:
        self._report.add(event)
        if event.kind is EventKind.SKILL and event.skill is not None:
            when = "after" if event.skill.finished else "before"
            number = len(self._report.pictures)
            self._picture(f"{when} {event.skill.action}", f"{number:02d}_{when}")

    def close(self) -> None:
        """Write the film and the report."""
        for name, camera in self._cameras.items():
            file = f"film_{name}.gif"
            if write_gif(camera.end_film(), self.folder / file):
                self._report.pictures.insert(0, (f"The whole run, camera {name}", file))
        self._report.write(self.folder)

    def _picture(self, caption: str, stem: str) -> None:
        for name, camera in self._cameras.items():
            jpeg = camera.newest()
            if jpeg is not None:
                file = f"{stem}_{name}.jpg"
                (self.folder / file).write_bytes(jpeg)
                self._report.pictures.append((f"{caption}, camera {name}", file))
