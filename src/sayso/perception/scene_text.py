"""A scene graph in words: as a paragraph in the manner of HALP's template, and compact.

Both name things as the scene does, so that an answer about them can be understood: `red_block` is
"the red block".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.core.symbols import in_words
from sayso.perception.relations import apart
from sayso.perception.scene_graph import SceneGraph
from sayso.perception.viewpoints import FrameOfReference

_SAID = {
    "behind": "behind {}",
    "behind left": "diagonally behind {}, to its left",
    "left": "left of {}",
    "before left": "diagonally in front of {}, to its left",
    "before": "in front of {}",
    "before right": "diagonally in front of {}, to its right",
    "right": "right of {}",
    "behind right": "diagonally behind {}, to its right",
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def paragraph(graph: SceneGraph) -> str:
    """All things by kind, then each of them with what it holds and where it is.

    The first is the rightmost for the viewer; each further one is told from the nearest that was
    told before.
    """
    if not graph.things:
        return "There is nothing."
    sentences = [_inventory(tuple(graph.things.values()))]
    for name, near in _told_in_turn(graph):
        sentences.append(_where(graph, name, near))
        sentences += _holdings(graph, name)
    return " ".join(sentences)


def lines(graph: SceneGraph) -> str:
    """One line for each thing that nothing holds: `tray(apple, mug(spoon)): left of bowl`."""
    return "\n".join(
        _nested(graph, name) + (f": {_short(graph, name, near)}" if near else "")
        for name, near in _told_in_turn(graph)
    )


def _inventory(things: Sequence[SceneObject]) -> str:
    kinds = [t.category.replace("_", " ") for t in things]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    return (
        f"In the scene there {_are(len(things))} {_listed([_counted(*c) for c in counts.items()])}."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _counted(kind: str, count: int) -> str:
    if count == 1:
        return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {kind}{'es' if kind.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def _told_in_turn(graph: SceneGraph) -> Iterator[tuple[str, str | None]]:
    """Each root and the told one that it is nearest to: from the rightmost on (Prim's tree)."""
    if not (names := list(graph.roots)):
        return
    places = np.array([graph.things[n].position[:2] for n in names])
    told = _rightmost(places, graph.settings.frame)
    yield names[told], None
    gaps, nearest = np.full(len(names), np.inf), np.full(len(names), told)
    rest = np.arange(len(names)) != told
    for _ in names[1:]:
        away = np.linalg.norm(places - places[told], axis=1)
        nearer = away < gaps
        gaps[nearer], nearest[nearer] = away[nearer], told
        told = int(np.argmin(np.where(rest, gaps, np.inf)))
        rest[told] = False
        yield names[told], names[nearest[told]]


def _rightmost(places: Array, frame: FrameOfReference) -> int:
    """The place (N, 2) that most others are left of."""
    left, _ = apart(places[None], places[:, None], frame)
    return int(np.argmax(np.sum(left > 0, axis=1)))


def _where(graph: SceneGraph, name: str, near: str | None) -> str:
    thing = graph.things[name]
    if thing.carried:
        return _sentence(f"{in_words(name)} is in the hand.")
    if near is None:
        place = "alone" if len(graph.roots) == 1 else "farthest to the right"
        return _sentence(f"{in_words(name)} is {place}{_unseen(thing)}.")
    said = _SAID.get(graph.direction(name, near) or "", "at {}").format(in_words(near))
    return _sentence(f"{in_words(name)} is {said}{_unseen(thing)}.")


def _holdings(graph: SceneGraph, name: str) -> Iterator[str]:
    """What is in and on a thing, and in and on that."""
    held = graph.held_by(name)
    inside = [n for n in held if graph.supports.get(n) != name]
    if inside:
        yield _sentence(f"{in_words(name)} holds {_listed([_seen(graph, n) for n in inside])}.")
    upon = [n for n in held if n not in inside]
    if upon:
        named = _listed([_seen(graph, n) for n in upon])
        yield _sentence(f"{named} {_are(len(upon))} on {in_words(name)}.")
    for thing in held:
        yield from _holdings(graph, thing)


def _seen(graph: SceneGraph, name: str) -> str:
    return in_words(name) + _unseen(graph.things[name])


def _unseen(thing: SceneObject) -> str:
    return "" if thing.visible or thing.carried else " (hidden now)"


def _nested(graph: SceneGraph, name: str) -> str:
    held = ", ".join(
        ("on " if graph.supports.get(n) == name else "") + _nested(graph, n)
        for n in graph.held_by(name)
    )
    hidden = "" if graph.things[name].visible else "?"
    return f"{name}{hidden}({held})" if held else f"{name}{hidden}"


def _short(graph: SceneGraph, name: str, near: str) -> str:
    if graph.things[name].carried:
        return "in the hand"
    direction = graph.direction(name, near) or "at"
    return f"{direction} {'of ' if direction.endswith(('left', 'right')) else ''}{near}"


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
