"""Pictures of the graph around the actor: what is held, near or acted upon, and what that is on."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from sayso.core.symbols import Atom
from sayso.worlds.virtualhome.tasks import ACTOR

WIDTH, HEIGHT = 960, 540
MOST_DRAWN = 8
"""Things in a column."""
_BOX = (230, 46)
_COLUMNS = (20, 340, 710)
_BACK, _INK, _EDGE, _TOLD = "white", "#222222", "#888888", "#0a6ebd"
_FILL = {"actor": "#cfe6f7", "acted upon": "#ffe2b3", "held": "#d9f2d0", "other": "#f2f2f2"}
_STATES = (
    "open", "closed", "switched_on", "switched_off", "plugged_in", "unplugged", "dirty",
)  # fmt: skip
_TO_ACTOR = ("holds_right", "holds_left", "seated_on", "worn", "facing", "next_to")
"""What is drawn between the actor and a thing: the first that holds."""
_TO_THINGS = ("in", "on", "in_room")


@dataclass(frozen=True)
class Around:
    """What there is to draw.

    Attributes:
        things: by the actor, those that matter most first.
        below: what those are in or on.
        to_actor: of each thing, how it stands to the actor ("" for not at all).
        edges: thing, relation, what it is in or on.
    """

    things: tuple[str, ...]
    below: tuple[str, ...]
    to_actor: dict[str, str]
    edges: tuple[tuple[str, str, str], ...]


def around(true: frozenset[Atom], acted_upon: Sequence[str]) -> Around:
    """The part of the graph that is drawn."""
    to_actor: dict[str, str] = {}
    for relation in _TO_ACTOR:
        for atom in sorted(a for a in true if a.predicate == relation):
            to_actor.setdefault(atom.args[0], relation)
    order = [t for t in acted_upon if t != ACTOR]
    order += sorted(to_actor, key=lambda t: (_TO_ACTOR.index(to_actor[t]), t))
    things = tuple(dict.fromkeys(order))[:MOST_DRAWN]
    edges: dict[str, tuple[str, str, str]] = {}
    for relation in _TO_THINGS:
        for atom in sorted(a for a in true if a.predicate == relation and a.args[0] in things):
            edges.setdefault(atom.args[0], (atom.args[0], relation, atom.args[1]))
    below = dict.fromkeys(e[2] for e in edges.values() if e[2] not in things)
    return Around(things, tuple(below)[:MOST_DRAWN], to_actor, tuple(edges.values()))


def picture(true: frozenset[Atom], acted_upon: Sequence[str], title: str) -> bytes:
    """A JPEG file of 960 x 540 pixels.

    Args:
        true: what holds.
        acted_upon: the things of the last step.
        title: what was done.
    """
    image = Image.new("RGB", (WIDTH, HEIGHT), _BACK)
    draw = ImageDraw.Draw(image)
    draw.text((30, 16), title, _INK, ImageFont.load_default(20))
    shown = around(true, acted_upon)
    places = {ACTOR: (_COLUMNS[0], HEIGHT // 2)}
    for column, names in zip(_COLUMNS[1:], (shown.things, shown.below), strict=True):
        places |= {name: (column, y) for name, y in zip(names, _rows(len(names)), strict=True)}
    for thing, relation in shown.to_actor.items():
        if thing in places:
            _edge(draw, places[ACTOR], places[thing], relation)
    for number, (thing, relation, other) in enumerate(shown.edges):
        if other in places:
            _edge(draw, places[thing], places[other], relation, bend=24 + 14 * number)
    for name, place in places.items():
        _box(draw, place, name, _said_of(name, true), _kind(name, shown, acted_upon))
    written = io.BytesIO()
    image.save(written, "JPEG", quality=90)
    return written.getvalue()


def _rows(count: int) -> list[int]:
    """The middles of so many boxes, one under the other."""
    step = (HEIGHT - 70) / max(count, 1)
    return [int(70 + step * (i + 0.5)) for i in range(count)]


def _kind(name: str, shown: Around, acted_upon: Sequence[str]) -> str:
    if name == ACTOR:
        return "actor"
    if name in acted_upon:
        return "acted upon"
    return "held" if shown.to_actor.get(name, "").startswith("holds") else "other"


def _said_of(name: str, true: frozenset[Atom]) -> str:
    if name != ACTOR:
        return ", ".join(_words(s) for s in _STATES if Atom(s, (name,)) in true)
    rooms = (a.args[0] for a in true if a.predicate == "at")
    poses = (p for p in ("sitting", "lying") if Atom(p) in true)
    return ", ".join((*(_words(r.rpartition("_")[0]) for r in rooms), *poses))


def _box(
    draw: ImageDraw.ImageDraw, place: tuple[int, int], name: str, said: str, kind: str
) -> None:
    x, y = place
    width, height = _BOX
    corners = (x, y - height // 2, x + width, y + height // 2)
    draw.rounded_rectangle(corners, 8, _FILL[kind], _INK)
    lines: Iterable[tuple[str, int, int]] = ((name, 15, -9), (said, 13, 11))
    if not said:
        lines = ((name, 15, 0),)
    for text, size, dy in lines:
        middle = (x + width / 2, y + dy)
        draw.text(middle, text, _INK, ImageFont.load_default(size), anchor="mm")


def _edge(
    draw: ImageDraw.ImageDraw,
    start: tuple[int, int],
    end: tuple[int, int],
    relation: str,
    bend: int = 0,
) -> None:
    """Between two boxes, from side to side; in one column, around them at a distance of its own."""
    a = (start[0] + _BOX[0], start[1])
    b = end if end[0] > start[0] else (end[0] + _BOX[0], end[1])
    if end[0] == start[0]:
        out = a[0] + bend
        draw.line((a, (out, a[1]), (out, b[1]), b), _EDGE, 2)
        middle: tuple[float, float] = (out, a[1] + (20 if b[1] > a[1] else -20))
    else:
        draw.line((a, b), _EDGE, 2)
        middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    font = ImageFont.load_default(13)
    text = _words(relation)
    half = draw.textlength(text, font) / 2 + 3
    draw.rectangle((middle[0] - half, middle[1] - 9, middle[0] + half, middle[1] + 9), _BACK)
    draw.text(middle, text, _TOLD, font, anchor="mm")


def _words(name: str) -> str:
    return name.replace("_", " ")
