"""What is in sight: which behaviours bring things to light, and which need to see them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal, SymbolicState
from sayso.learning.behaviours.pieces import Piece
from sayso.learning.predicate_code import compile_learned
from sayso.learning.transitions import variable

IN_SIGHT = "in_sight"
_NEARLY = 0.8
_SOURCE = '''"""A camera sees the thing now."""


def in_sight(scene, a):
    return scene.visible(a)
'''


def in_sight() -> Predicate:
    """That a thing is seen now, and not remembered alone."""
    return Predicate(
        IN_SIGHT, ("a",), compile_learned(IN_SIGHT, _SOURCE, 1),
        "{0} is in sight", "{0} is out of sight", _SOURCE, provenance={"origin": "built-in"},
    )  # fmt: skip


def seen_before(pieces: Sequence[Piece], movable: Collection[str]) -> frozenset[Literal]:
    """Which of a behaviour's things that can be moved were in sight before nearly every piece."""
    needed = []
    for number, category in enumerate(pieces[0].types):
        seen = [p.before.by_name().get(p.said.things[number]) for p in pieces]
        share = sum(o is not None and o.visible for o in seen) / len(seen)
        if category in movable and share >= _NEARLY:
            needed.append(Literal(Atom(IN_SIGHT, (variable(number),))))
    return frozenset(needed)


def observed(
    pieces: Sequence[Piece],
    relations: Collection[str],
    movable: Collection[str],
    state_of: Callable[[Scene], SymbolicState],
) -> frozenset[Atom]:
    """As `Operator.observes`: where things come to be seen, in one of these relations to a thing of
    the behaviour, or to another that stands still, by its name.

    Args:
        movable: categories of things that do not stand still.
    """
    return frozenset(
        atom for p in pieces for atom in _shown(p, relations, movable, state_of(p.after))
    )


def _shown(
    piece: Piece, relations: Collection[str], movable: Collection[str], after: SymbolicState
) -> Iterator[Atom]:
    before = {o.name for o in piece.before.objects if o.visible}
    seen = piece.after.by_name()
    new = {n for n, o in seen.items() if o.visible and n not in before}
    for atom in after.true_atoms():
        if atom.predicate in relations and atom.args[0] in new and atom.args[1] not in new:
            other = atom.args[1]
            if other in piece.said.things:
                yield Atom(atom.predicate, ("?x", variable(piece.said.things.index(other))))
            elif seen[other].category not in movable:
                yield Atom(atom.predicate, ("?x", other))
