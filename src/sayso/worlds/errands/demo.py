"""`sayso demo --world errands`: an errand from words with errors, as text and pictures."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console

from sayso import pipeline
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder
from sayso.mission.in_process import Confirm
from sayso.mission.recovery import TaskLimits
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
from sayso.worlds.errands.cases import Errand, errands
from sayso.worlds.errands.stages import ErrandStages, library
from sayso.worlds.errands.world import ROBOT, ErrandWorld

LIMITS = TaskLimits(failures=30)
"""A plan may have an error in each of its steps."""
_SCALE, _MARGIN, _TEXT, _HALF = 90, 60, 14, 42
"""Pixels for a metre, around the scene, of letters, and of half a place's side."""
_SHUT, _PLACE, _ROBOT, _INK = "#d9d9d9", "#f3e3c2", "#ffd84d", "#222222"


def demonstrate(
    words: str, seed: int, embedder: Embedder, folder: Path, confirm: Confirm, console: Console
) -> bool:
    """Performs an errand and writes its run folder; whether it succeeded.

    Args:
        seed: which of the scenes: even the first, odd the second.

    Raises:
        SaySoError: NOT_UNDERSTOOD for what is no errand, with those that there are.
    """
    given = _named(words, seed)
    world = ErrandWorld(given)
    stages = ErrandStages(world, given.plan, embedder, confirm)
    console.print(
        f"The scene '{given.scene.name}', without physics: walking, reaching and grasping are "
        "changes of state. The plan is somebody's words, with errors."
    )
    started = {"options": ["--world", "errands", "--seed", str(seed)]}
    report = RunReport({"started": started}, library().predicates)
    run = IllustratedRun(folder, console, report, lambda _, said: picture(world, said))
    outcome = pipeline.perform(words, stages, run.listen, LIMITS)
    run.close()
    return outcome.succeeded


def _named(words: str, seed: int) -> Errand:
    wanted = words.strip(" .!").lower()
    found = [e for e in errands().values() if e.words.lower() == wanted]
    if not found:
        choices = dict.fromkeys(e.words for e in errands().values())
        raise SaySoError(Code.NOT_UNDERSTOOD, f"'{words}' is no errand here.", choices=choices)
    return found[seed % len(found)]


def picture(world: ErrandWorld, said: str) -> bytes:
    """A JPEG of the scene from above: places, what is on or in them, and the robot."""
    scene = world.scene()
    (x0, y0), (x1, y1) = world.errand.scene.bounds
    size = (int((x1 - x0) * _SCALE) + 2 * _MARGIN, int((y1 - y0) * _SCALE) + 2 * _MARGIN)
    image = Image.new("RGB", size, "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(_TEXT)

    def at(x: float, y: float) -> tuple[float, float]:
        return _MARGIN + (x - x0) * _SCALE, _MARGIN + (y1 - y) * _SCALE

    for wall in world.errand.scene.walls:
        draw.line((at(*wall.start), at(*wall.end)), fill=_INK, width=3)
    for thing in scene.objects:
        if "room" not in thing.attributes:
            continue
        x, y = at(*thing.position[:2])
        robot = thing.name == ROBOT
        if robot and (place := str(thing.attributes["location"])):
            x, y = at(*scene.by_name()[place].position[:2])
            x += 2.1 * _HALF * (1 if x < size[0] / 2 else -1)
        fill = _ROBOT if robot else _SHUT if thing.attributes.get("open") is False else _PLACE
        draw.rectangle((x - _HALF, y - _HALF, x + _HALF, y + _HALF), fill=fill, outline=_INK)
        draw.text((x - _HALF + 2, y - _HALF), _caption(world, thing.name), fill=_INK, font=font)
    draw.text((_MARGIN, size[1] - _MARGIN / 2), said, fill=_INK, font=font)
    out = io.BytesIO()
    image.save(out, "JPEG")
    return out.getvalue()


def _caption(world: ErrandWorld, place: str) -> str:
    """What a place is, how it is, and what it has; of the robot, what it holds."""
    names = [o.name for o in world.scene().objects]
    if place == ROBOT:
        held = [n for n in names if world.attribute(n, "grabbed")]
        posture = "stands" if world.attribute(ROBOT, "standing") else "sits"
        return "\n".join((f"robot {posture}", *held))
    there = [n for n in names if n != ROBOT and world.attribute(n, "location") == place]
    shut = world.attribute(place, "open") is False
    return "\n".join((f"{place}{' (shut)' if shut else ''}", *there))
