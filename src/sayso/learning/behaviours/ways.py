"""What may stand in the way of a behaviour, learned from how far its thing went when shown.

A door that slides, or a drawer that opens, needs the room that it goes through. From the ends of
its way a predicate `in_way_of_...(a, b)` is made: thing a is where b would go. It is a need "in the
now" (Kaelbling and Lozano-Perez, ICRA 2011): looked at right before the behaviour is done, when all
places are known, and not planned ahead with. Whatever takes a thing away ends it, as far as is
known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import SceneObject
from sayso.core.symbols import Atom, Literal, Operator
from sayso.learning.behaviours.pieces import Piece
from sayso.learning.predicate_code import compile_learned

_MOVED_M = 0.05
"""A thing that went so far was moved."""
_SAME_END_M = 0.04
"""A thing that always comes to the same place goes on a way of its own, as a door does."""
_LEAST = 3
"""Pieces from which a way is believed."""
_BLOCKED = 0.1
"""Share of pieces that may have gone well though something seemed to be in the way."""

_SOURCE = '''"""Thing a stands where b goes in "{words}": in the room between here and its end."""

END = {end}
MARGIN = 0.005
MOVABLE = {movable}
MOVED = {moved}


def {name}(scene, a, b):
    if scene.category(a) not in MOVABLE or scene.category(b) not in MOVED or scene.carried(a):
        return False
    low, high, place = scene.low(b), scene.high(b), scene.position(b)
    if _overlaps(scene, a, low, high):
        return False  # it goes along
    way = [END[i] - place[i] for i in (0, 1, 2)]
    return _overlaps(
        scene,
        a,
        [low[i] + min(way[i], 0.0) for i in (0, 1, 2)],
        [high[i] + max(way[i], 0.0) for i in (0, 1, 2)],
    )


def _overlaps(scene, a, low, high):
    """Whether a's box reaches into another."""
    mine, top = scene.low(a), scene.high(a)
    return all(mine[i] < high[i] - MARGIN and top[i] > low[i] + MARGIN for i in (0, 1, 2))
'''


def way_of(name: str, pieces: Sequence[Piece], movable: Collection[str]) -> Predicate | None:
    """What stands in the way of the first thing of a behaviour; None if it has no way of its own.

    Args:
        movable: categories of things that can be taken away.
    """
    moves = list(_moves(pieces))
    if len(moves) < _LEAST or pieces[0].types[0] in movable or not movable:
        return None
    ends = np.array([after for _, after in moves])
    went = np.linalg.norm(ends - [before for before, _ in moves], axis=1)
    if np.median(went) < _MOVED_M or np.median(np.abs(ends - np.median(ends, 0))) > _SAME_END_M:
        return None
    predicate = _predicate(name, pieces, np.median(ends, axis=0), movable)
    predicates = {predicate.name: predicate}
    hit = [_blocked(SceneView(p.before, predicates), predicate.name, p) for p in pieces]
    return predicate if np.mean(hit) <= _BLOCKED else None


def _moves(pieces: Sequence[Piece]) -> Iterator[tuple[Array, Array]]:
    """Where the first thing was before and after."""
    for piece in pieces:
        things = [
            scene.by_name().get(piece.said.things[0]) for scene in (piece.before, piece.after)
        ]
        if all(t is not None for t in things):
            before, after = (np.asarray(t.position) for t in things if t is not None)
            yield before, after


def _predicate(
    name: str, pieces: Sequence[Piece], end: Array, movable: Collection[str]
) -> Predicate:
    words = pieces[0].said.wording.replace("{0}", pieces[0].types[0])
    source = _SOURCE.format(
        words=words,
        end=tuple(round(float(v), 4) for v in end),
        movable=_tuple(movable),
        moved=_tuple({pieces[0].types[0]}),
        name=f"in_way_of_{name}",
    )
    called = f"in_way_of_{name}"
    return Predicate(
        called, ("a", "b"), compile_learned(called, source, 2),
        "{0} is in the way of {1}", "{0} is not in the way of {1}", source,
        provenance={"origin": "learned", "by": "ways", "shown": len(pieces)},
    )  # fmt: skip


def _tuple(names: Collection[str]) -> str:
    return "(" + "".join(f'"{n}", ' for n in sorted(names)).strip() + ")"


def _blocked(view: SceneView, name: str, piece: Piece) -> bool:
    first = piece.said.things[0]
    return any(view.truth(Atom(name, (o, first))) for o in view.objects() if o != first)


def with_way(operator: Operator, way: Predicate) -> Operator:
    """The operator, needing in the now that nothing is in its first thing's way."""
    needed = Literal(Atom(way.name, ("?x", operator.parameters[0])), False)
    return replace(operator, in_the_now=operator.in_the_now | {needed})


def taking_away(operator: Operator, ways: Mapping[str, Predicate], number: int) -> Operator:
    """The operator, ending that the thing of this parameter is in the way of anything."""
    thing = operator.parameters[number]
    ended = frozenset(Atom(name, (thing, "?x")) for name in ways)
    return replace(operator, delete=operator.delete | ended)


def moved_parameters(pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Which of a behaviour's things it takes or moves, mostly."""
    counts = np.zeros(len(pieces[0].types))
    for piece in pieces:
        for primitive, thing in set(piece.deeds):
            if primitive in ("grasp", "move", "push") and thing in piece.said.things:
                counts[piece.said.things.index(thing)] += primitive != "push" or _went(piece, thing)
    return tuple(int(i) for i in np.flatnonzero(counts > len(pieces) / 2))


def _went(piece: Piece, name: str) -> bool:
    before, after = (s.by_name().get(name) for s in (piece.before, piece.after))
    return before is not None and after is not None and _apart_m(before, after) > _MOVED_M


def _apart_m(one: SceneObject, two: SceneObject) -> float:
    return float(np.linalg.norm(np.subtract(one.position, two.position)))
