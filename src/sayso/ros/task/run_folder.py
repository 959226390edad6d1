"""Fills a task's run folder: report, pictures around each skill, a short film."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from sayso.core.files import replace_bytes
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.logic.analysis import forbidden
from sayso.logic.formula import propositions
from sayso.mission.tour_planning import Planned
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.picture import draw_referents, save_tour
from sayso.reporting.events import Event, EventKind, SkillReport, Understanding
from sayso.reporting.film import Caption, write_gif
from sayso.reporting.report import Picture, RunReport

log = logging.getLogger(__name__)
REFERENTS = "referents.png"

_NEAR = ("near", "near_in_room")


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

    def film_length(self) -> int:
        """Frames since `start_film`."""
        with self._lock:
            return len(self._film)

    def end_film(self) -> list[bytes]:
        """The frames since `start_film`."""
        with self._lock:
            self._filming = False
            film, self._film = self._film, []
            return film


def referent_map(understanding: Understanding, grid: OccupancyGrid, scene: Scene) -> Image.Image:
    """The map with the things that a reading is about, or those between which it cannot choose."""
    formula = understanding.specification.formula
    named, avoided = set(understanding.trouble.choices if understanding.trouble else ()), set()
    if understanding.trouble is None:
        named = {str(a) for prop in propositions(formula) for a in prop.args}
        avoided = {str(a) for p in forbidden(formula) if p.predicate in _NEAR for a in p.args}
    outlines = {o.name: Footprint.of(o) for o in scene.objects if o.name in named}
    return draw_referents(grid, outlines, sorted(avoided & outlines.keys()))


class RunFolder:
    """One task's folder; give it every event, and `close` it in every case.

    Nothing raises here: what cannot be written, on a full disk for one, is noted in `unwritten`
    and must not hide what became of the task.

    Args:
        cameras: by name, in order of preference: the first that sends pictures is shown.
        settings: whatever is needed to repeat the run.
        predicates: for their English.
    """

    def __init__(
        self,
        folder: Path,
        cameras: Mapping[str, Camera],
        settings: Mapping[str, Any],
        predicates: Mapping[str, Predicate],
    ) -> None:
        self.folder = folder
        self._cameras = cameras
        self._tours = 0
        self._captions: dict[str, list[Caption]] = {name: [] for name in cameras}
        self._report = RunReport(settings, predicates)
        self._unwritten: dict[str, str] = {}
        self._try("the run folder", lambda: folder.mkdir(parents=True, exist_ok=True))
        for camera in cameras.values():
            camera.start_film()

    @property
    def unwritten(self) -> str:
        """What could not be written, and why; '' if all was."""
        return " ".join(f"{what} was not written: {why}." for what, why in self._unwritten.items())

    def add(self, event: Event) -> None:
        self._report.add(event)
        if (skill := event.skill) is not None:
            self._try("a picture", lambda: self._picture(skill))
            self._caption(skill)
        ended = event.skill is not None and event.skill.finished
        if ended or event.kind in (EventKind.SPECIFICATION, EventKind.PLAN):
            self._write_report()  # so that something is left if the process is killed

    def add_tour(self, planned: Planned) -> None:
        """Draw a tour: its ways, and each leg's way on its progression map."""
        self._tours += 1
        self._try("a picture", lambda: self._draw_tour(planned, f"tour_{self._tours}"))

    def _draw_tour(self, planned: Planned, name: str) -> None:
        for file in save_tour(self.folder / name, planned.tour, planned.outset):
            caption = f"tour {self._tours}, {file.stem.replace('_', ' ')}"
            self._report.pictures.append(Picture(caption, f"{name}/{file.name}"))

    def add_referents(
        self, understanding: Understanding, grid: OccupancyGrid, scene: Scene
    ) -> None:
        """Draw which things a reading is about; that of an earlier reading is replaced."""
        drawing = referent_map(understanding, grid, scene)
        if not self._try("a picture", lambda: drawing.save(self.folder / REFERENTS)):
            return
        picture = Picture("what the task speaks of; what it keeps off is red", REFERENTS)
        if picture not in self._report.pictures:
            self._report.pictures.append(picture)

    def close(self) -> None:
        """Write the report, then the film and the report again with it."""
        self._write_report()
        self._try("the film", self._film)
        self._write_report()

    def _film(self) -> None:
        films = {name: camera.end_film() for name, camera in self._cameras.items()}
        name = next((name for name, film in films.items() if film), None)
        if name is not None:
            file = f"film_{name}.gif"
            write_gif(films[name], self.folder / file, self._captions[name])
            self._report.pictures.insert(0, Picture(f"the whole run, camera {name}", file))

    def _write_report(self) -> None:
        self._try("the report", lambda: self._report.write(self.folder))

    def _try(self, what: str, work: Callable[[], object]) -> bool:
        try:
            work()
        except Exception as error:  # whatever a picture or a disk fails with hides no result
            if what not in self._unwritten:
                log.warning("%s was not written: %s", what, error, exc_info=True)
            self._unwritten[what] = str(error)
            return False
        return True

    def _caption(self, skill: SkillReport) -> None:
        """What the film says from now on."""
        if skill.finished:
            return
        text = f"{skill.step + 1}. {skill.action.english or skill.action}"
        for name, camera in self._cameras.items():
            self._captions[name].append((camera.film_length(), text))

    def _picture(self, skill: SkillReport) -> None:
        number = self._report.skill_events - 1
        when = "after" if skill.finished else "before"
        for name, camera in self._cameras.items():
            jpeg = camera.newest()
            if jpeg is not None:
                file = f"{number:02d}_{when}_{name}.jpg"
                replace_bytes(self.folder / file, jpeg)
                self._report.pictures.append(Picture(when, file, number))
                return
