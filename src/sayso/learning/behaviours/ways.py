"""What may stand in the way of a behaviour, learned from how far its thing went when shown.

A door that slides or swings, or a drawer that opens, needs the room that it goes through. From
where each stood at the end a predicate `in_way_of_...(a, b)` is made: thing a is where b would go,
in the upright box around where it is and where it will be. What is put down on something always at
the same place of it needs the room that it then takes: thing a is where something is put on b. Both
are needs "in the now" (Kaelbling and Lozano-Perez, ICRA 2011): looked at right before the behaviour
is done, when all places are known, and not planned ahead with. Whatever takes a thing away ends it,
as far as is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array, rotation_matrix
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Literal, Operator, SymbolicState
from sayso.learning.behaviours.pieces import Piece
from sayso.learning.predicate_code import compile_learned
from sayso.learning.transitions import variable

_MOVED_M = 0.05
"""A thing that went so far was moved."""
_SAME_END_M = 0.04
"""A thing that always comes to the same place goes on a way of its own, as each door does."""
_SAME_PLACE_M = 0.02
"""What is put down always so near to the same place of a thing takes the same room each time."""
_LEAST = 3
"""Pieces from which a way is believed."""
_BLOCKED = 0.1
"""Share of pieces that may have gone well though something seemed to be in the way."""

_SOURCE = '''"""Thing a stands where b goes in "{words}": in the room between here and its end."""

ENDS = {ends}
MARGIN = 0.005
MOVABLE = {movable}


def {name}(scene, a, b):
    if scene.category(a) not in MOVABLE or b not in ENDS or scene.carried(a):
        return False
    low, high = scene.low(b), scene.high(b)
    if _overlaps(scene, a, low, high):
        return False  # it goes along
    end_low, end_high = ENDS[b]
    return _overlaps(
        scene,
        a,
        [min(low[i], end_low[i]) for i in (0, 1, 2)],
        [max(high[i], end_high[i]) for i in (0, 1, 2)],
    )


def _overlaps(scene, a, low, high):
    """Whether a's box reaches into another."""
    mine, top = scene.low(a), scene.high(a)
    return all(mine[i] < high[i] - MARGIN and top[i] > low[i] + MARGIN for i in (0, 1, 2))
'''

_ROOM_SOURCE = '''"""Thing a stands on or in b where something is put in "{words}"."""

LOW = {low}
HIGH = {high}
MARGIN = 0.005
MOVABLE = {movable}
HOLDERS = {holders}


def {name}(scene, a, b):
    if scene.category(a) not in MOVABLE or scene.category(b) not in HOLDERS or scene.carried(a):
        return False
    place, mine, top = scene.position(b), scene.low(a), scene.high(a)
    return all(
        mine[i] < place[i] + HIGH[i] - MARGIN and top[i] > place[i] + LOW[i] + MARGIN
        for i in (0, 1, 2)
    )
'''


def room_of(name: str, pieces: Sequence[Piece], movable: Collection[str]) -> Predicate | None:
    """What stands where the first thing of a behaviour is put on or in the second, which stands
    fixed; None if it is put at no one place of it.

    Args:
        movable: categories of things that can be taken away.
    """
    rooms = np.array(list(_rooms(pieces)))
    first, second = pieces[0].types[:2]
    if len(rooms) < _LEAST or first not in movable or second in movable:
        return None
    if np.median(np.abs(rooms - np.median(rooms, axis=0)), axis=0).max() > _SAME_PLACE_M:
        return None
    low, high = np.median(rooms, axis=0)
    called = f"in_way_of_{name}"
    words = pieces[0].said.wording.replace("{0}", first).replace("{1}", second)
    source = _ROOM_SOURCE.format(
        words=words, low=_rounded(low), high=_rounded(high), movable=_tuple(movable),
        holders=_tuple({second}), name=called,
    )  # fmt: skip
    return _believed(called, source, pieces, 1)


def _rooms(pieces: Sequence[Piece]) -> Iterator[Array]:
    """(2, 3) the lowest and the highest corner of the first thing's box as it stands afterwards,
    from the second's middle."""
    for piece in pieces:
        seen = piece.after.by_name()
        one, other = (seen.get(n) for n in piece.said.things[:2])
        if one is not None and other is not None and not one.carried:
            yield _box(one) - np.array(other.position)


def _rounded(place: Array) -> tuple[float, ...]:
    return tuple(round(float(v), 4) for v in place)


def places_left(
    pieces: Sequence[Piece],
    plays: Iterable[Piece],
    relations: Collection[str],
    movable: Collection[str],
    state_of: Callable[[Scene], SymbolicState],
) -> frozenset[Literal]:
    """What a behaviour needs in the now of a loose thing into or onto which it puts another: to be
    in none of these relations to furniture, if it never was, though such things are at times.

    Args:
        plays: all pieces, which tell where such things are otherwise.
        movable: categories of things that can be taken away.
    """
    if len(pieces) < _LEAST or len(pieces[0].types) < 2 or pieces[0].types[1] not in movable:
        return frozenset()
    category = pieces[0].types[1]
    met = _relations_met(plays, category, movable, state_of)
    own = {
        r
        for p in pieces
        for r, name in _relations_met([p], category, movable, state_of)
        if name == p.said.things[1]
    }
    left = {r for r, _ in met if r in relations} - own
    return frozenset(Literal(Atom(r, (variable(1), "?x")), False) for r in left)


def _relations_met(
    pieces: Iterable[Piece],
    category: str,
    movable: Collection[str],
    state_of: Callable[[Scene], SymbolicState],
) -> set[tuple[str, str]]:
    """In which relations to furniture things of a category were before pieces, with their names."""
    met: set[tuple[str, str]] = set()
    for piece in pieces:
        kinds = {o.name: o.category for o in piece.before.objects}
        for atom in state_of(piece.before).true_atoms():
            names = [a for a in atom.args if a in kinds]
            if len(names) == 2 and kinds[names[0]] == category and kinds[names[1]] not in movable:
                met.add((atom.predicate, names[0]))
    return met


def way_of(name: str, pieces: Sequence[Piece], movable: Collection[str]) -> Predicate | None:
    """What stands in the way of the first thing of a behaviour; None if it has no way of its own.

    Args:
        movable: categories of things that can be taken away.
    """
    if pieces[0].types[0] in movable or not movable:
        return None
    moves: dict[str, list[tuple[SceneObject, SceneObject]]] = {}
    for thing, before, after in _moves(pieces):
        moves.setdefault(thing, []).append((before, after))
    ends = {n: end for n, some in sorted(moves.items()) if (end := _end(some)) is not None}
    if not ends:
        return None
    called = f"in_way_of_{name}"
    source = _SOURCE.format(
        words=pieces[0].said.wording.replace("{0}", pieces[0].types[0]),
        ends="{" + ", ".join(f'"{n}": {end}' for n, end in ends.items()) + "}",
        movable=_tuple(movable),
        name=called,
    )
    return _believed(called, source, pieces, 0)


def _moves(pieces: Sequence[Piece]) -> Iterator[tuple[str, SceneObject, SceneObject]]:
    """The first thing's name, and it before and after."""
    for piece in pieces:
        name = piece.said.things[0]
        before, after = (s.by_name().get(name) for s in (piece.before, piece.after))
        if before is not None and after is not None:
            yield name, before, after


def _end(
    moves: Sequence[tuple[SceneObject, SceneObject]],
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """The lowest and the highest corner of where one thing comes to stand; None if it comes to no
    one place."""
    boxes = np.array([_box(after) for _, after in moves])
    if len(moves) < _LEAST or np.median([_apart_m(*move) for move in moves]) < _MOVED_M:
        return None
    low, high = np.median(boxes, axis=0)
    if np.median(np.abs(boxes - [low, high])) > _SAME_END_M:
        return None
    return _rounded(low), _rounded(high)


def _box(thing: SceneObject) -> Array:
    """(2, 3) the lowest and the highest corner of its upright box."""
    half = np.abs(rotation_matrix(thing.orientation)) @ np.array(thing.size) / 2
    return np.array([thing.position - half, thing.position + half])


def _believed(called: str, source: str, pieces: Sequence[Piece], number: int) -> Predicate | None:
    """The predicate, if hardly any piece went well though it held of the thing of that number."""
    predicate = Predicate(
        called, ("a", "b"), compile_learned(called, source, 2),
        "{0} is in the way of {1}", "{0} is not in the way of {1}", source,
        provenance={"origin": "learned", "by": "ways", "shown": len(pieces)},
    )  # fmt: skip
    predicates = {called: predicate}
    hit = [_blocked(SceneView(p.before, predicates), called, p, number) for p in pieces]
    return predicate if np.mean(hit) <= _BLOCKED else None


def _tuple(names: Collection[str]) -> str:
    return "(" + "".join(f'"{n}", ' for n in sorted(names)).strip() + ")"


def _blocked(view: SceneView, name: str, piece: Piece, number: int) -> bool:
    own = piece.said.things[number]
    return any(view.truth(Atom(name, (o, own))) for o in view.objects() if o != own)


def with_way(operator: Operator, way: Predicate, number: int) -> Operator:
    """The operator, needing in the now that nothing is in the way at its thing of that number."""
    needed = Literal(Atom(way.name, ("?x", operator.parameters[number])), False)
    return replace(operator, in_the_now=operator.in_the_now | {needed})


def taking_away(operator: Operator, ways: Mapping[str, Predicate], number: int) -> Operator:
    """The operator, ending that the thing of this parameter is in the way of anything."""
    thing = operator.parameters[number]
    ended = frozenset(Atom(name, (thing, "?x")) for name in ways)
    return replace(operator, delete=operator.delete | ended)


def filling(operator: Operator, rooms: Collection[str]) -> Operator:
    """The operator, whose first thing then takes these rooms of its second."""
    taken = frozenset(Atom(name, operator.parameters[:2]) for name in rooms)
    return replace(operator, add=operator.add | taken)


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
