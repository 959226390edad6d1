"""What is supposed of what nobody told."""

from __future__ import annotations

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, Operator, SymbolicState
from sayso.learning.supposed import presumed

RING, DISC, LID = ("fixed", "ring"), ("fixed", "disc"), ("sticky", "lid")


def told(name: str, observable: bool = False) -> Predicate:
    provenance = {} if observable else {"observable": False}
    return Predicate(name, ("a",), lambda _scene, _a: None, provenance=provenance)


def operator(name: str, *needs: Literal) -> Operator:
    return Operator(name, ("?a",), frozenset(needs), frozenset(), frozenset())


def test_what_only_people_tell_is_taken_to_be_as_it_is_needed_where_nobody_told() -> None:
    atoms = {name: Atom(name, ("?a",)) for name in ("fixed", "sticky", "warm")}
    ring, disc, lid = (Atom(n, (thing,)) for n, thing in (RING, DISC, LID))
    warm = Atom("warm", ("ring",))
    state = SymbolicState(
        0.0, ("ring", "disc", "lid"), {ring: None, disc: True, lid: None, warm: None}
    )
    found = presumed(
        state,
        {"fixed": told("fixed"), "sticky": told("sticky"), "warm": told("warm", observable=True)},
        (
            operator("take", Literal(atoms["fixed"], False), Literal(atoms["warm"])),
            operator("peel", Literal(atoms["sticky"])),
            operator("slide", Literal(atoms["sticky"], False)),
        ),
    )
    assert found.truth(ring) is False, "nobody called it fixed"
    assert found.truth(disc) is True, "somebody did"
    assert found.truth(lid) is None, "it is needed both ways"
    assert found.truth(warm) is None, "it can be seen, and was not"
