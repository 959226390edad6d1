"""Which thing works which: the switch that lights a lamp, as it was seen, pair by pair.

Words name the lamp and the hand goes to its switch. Nothing about their places tells that they
belong together, so the pairs that were shown are kept, and a behaviour is planned with those alone:
also one that is about a third thing, such as a kettle that is filled by a faucet's knob.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import permutations

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, Operator
from sayso.learning.behaviours.pieces import Piece
from sayso.learning.predicate_code import compile_learned

WORKS = "works"

_SOURCE = '''"""Thing a works b: the pairs that were shown."""

SHOWN = {shown}


def works(scene, a, b):
    return scene.seen(a) and scene.seen(b) and (a, b) in SHOWN
'''


def shown_pairs(pieces: Iterable[Piece]) -> tuple[tuple[str, str], ...]:
    """What works what, by pieces about a thing that stands still and what is done to another for
    it; of a thing, what was shown most often."""
    seen: dict[str, Counter[str]] = {}
    for piece in pieces:
        first, second = piece.said.things[:2]
        seen.setdefault(first, Counter())[second] += 1
    return tuple((by.most_common(1)[0][0], thing) for thing, by in sorted(seen.items()))


def works(pairs: tuple[tuple[str, str], ...]) -> Predicate:
    """What works what, as a predicate."""
    source = _SOURCE.format(shown=repr(pairs).replace("'", '"'))
    return Predicate(
        WORKS, ("a", "b"), compile_learned(WORKS, source, 2),
        "{0} works {1}", "{0} does not work {1}", source,
        provenance={"origin": "learned", "by": "pairs shown"},
    )  # fmt: skip


def partners(
    pieces: Sequence[Piece], pairs: Collection[tuple[str, str]]
) -> frozenset[tuple[int, int]]:
    """Of a behaviour's things by number, which works which in most of its pieces."""
    shown = Counter(
        (i, j)
        for piece in pieces
        for (i, worker), (j, about) in permutations(enumerate(piece.said.things), 2)
        if (worker, about) in pairs
    )
    return frozenset(pair for pair, count in shown.items() if 2 * count > len(pieces))


def with_partners(operator: Operator, numbers: Iterable[tuple[int, int]]) -> Operator:
    """The operator, for pairs that were shown alone."""
    own = operator.parameters
    needed = {Literal(Atom(WORKS, (own[i], own[j]))) for i, j in numbers if max(i, j) < len(own)}
    return replace(operator, preconditions=operator.preconditions | needed)
