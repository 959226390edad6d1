"""Which thing works which: the switch that lights a lamp, as it was seen, pair by pair.

Words name the lamp and the hand goes to its switch. Nothing about their places tells that they
belong together, so the pairs that were shown are kept, and a behaviour is planned with those alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

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


def works(pieces: Iterable[Piece]) -> Predicate:
    """What works what, by pieces about a thing that stands still and what is done to another for
    it; of a thing, what was shown most often."""
    seen: dict[str, Counter[str]] = {}
    for piece in pieces:
        first, second = piece.said.things[:2]
        seen.setdefault(first, Counter())[second] += 1
    pairs = tuple((by.most_common(1)[0][0], thing) for thing, by in sorted(seen.items()))
    source = _SOURCE.format(shown=repr(pairs).replace("'", '"'))
    return Predicate(
        WORKS, ("a", "b"), compile_learned(WORKS, source, 2),
        "{0} works {1}", "{0} does not work {1}", source,
        provenance={"origin": "learned", "by": "pairs shown"},
    )  # fmt: skip


def with_partner(operator: Operator) -> Operator:
    """The operator, for a pair that was shown."""
    about, worker = operator.parameters[:2]
    needed = Literal(Atom(WORKS, (worker, about)))
    return replace(operator, preconditions=operator.preconditions | {needed})
