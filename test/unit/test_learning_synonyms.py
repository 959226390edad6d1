"""Two names for one thing."""

from __future__ import annotations

import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import Library, compile_predicate, parse_literal
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, Operator, SymbolicState
from sayso.learning.synonyms import (
    Synonym,
    also_called,
    by_present_names,
    merged,
    synonyms,
    usable,
)
from support.learning_worlds import observed

THINGS = ("cup", "jar", "lid")
ARITIES = {"on": 2, "under": 2, "light": 1, "grey": 1, "here": 1, "there": 1}


def state(*atoms: str) -> SymbolicState:
    always = ("here(cup)", "here(jar)", "here(lid)", "there(cup)", "there(jar)", "there(lid)")
    return observed((parse_literal(a).atom for a in (*atoms, *always)), THINGS, ARITIES)


STATES = [
    state("on(cup, jar)", "under(jar, cup)", "light(cup)", "grey(cup)"),
    state("on(lid, jar)", "under(jar, lid)", "light(cup)", "grey(cup)"),
]


def predicate(name: str, text: str = "True") -> Predicate:
    source = f"def {name}(scene, a):\n    return {text}\n"
    return Predicate(name, ("a",), compile_predicate(name, source), source=source)


def test_names_that_agree_are_found_with_the_order_of_their_arguments() -> None:
    assert synonyms(STATES, ARITIES, least=2) == (
        Synonym("on", "under", (1, 0), 2, 10),
        Synonym("light", "grey", (0,), 2, 4),
    )


def test_one_difference_is_enough_and_the_unknown_is_none() -> None:
    different = state("light(cup)", "grey(jar)")
    assert not [s for s in synonyms([*STATES, different], ARITIES, 2) if s.kept == "light"]
    hidden = SymbolicState(0.0, THINGS, {**different.truths, **dict.fromkeys(
        (Atom("grey", (o,)) for o in THINGS), None)})  # fmt: skip
    assert [s for s in synonyms([*STATES, hidden], ARITIES, 2) if s.kept == "light"]


def test_a_merged_library_speaks_of_one_alone() -> None:
    flip = Operator(
        "flip",
        ("?a", "?b"),
        frozenset({Literal(Atom("under", ("?a", "?b")), False)}),
        frozenset({Atom("under", ("?b", "?a"))}),
        frozenset(),
    )
    library = Library("mine", {n: predicate(n) for n in ("on", "under")}, {"flip": flip})
    result = merged(library, Synonym("on", "under", (1, 0), 5, 5))
    assert set(result.predicates) == {"on"}
    assert result.operators["flip"].preconditions == {Literal(Atom("on", ("?b", "?a")), False)}
    assert result.operators["flip"].add == {Atom("on", ("?a", "?b"))}


def test_of_two_names_the_one_stays_that_others_ask_for() -> None:
    found = Synonym("on", "under", (1, 0), 5, 5)
    bare = predicate("bare", 'scene.holds("on", a, a)')
    clear = predicate("clear", 'scene.holds("under", a, a)')
    names = {n: predicate(n) for n in ("on", "under")}
    assert usable(found, names) == found
    assert usable(found, {**names, "bare": bare}) == found
    assert usable(found, {**names, "clear": clear}) == Synonym("under", "on", (1, 0), 5, 5)
    assert usable(found, {**names, "bare": bare, "clear": clear}) is None
    three = Synonym("a", "b", (2, 0, 1), 5, 5)
    turned = usable(three, {p: predicate(p, 'scene.holds("b", a)') for p in ("c",)})
    assert turned == Synonym("b", "a", (1, 2, 0), 5, 5)


def test_what_a_merged_predicate_was_called_is_still_known() -> None:
    on = also_called(predicate("on"), Synonym("on", "under", (1, 0), 5, 5))
    on = also_called(on, Synonym("on", "covers", (0, 1), 5, 5))
    said = [parse_literal(x) for x in ("not under(jar, cup)", "covers(cup, jar)", "far(cup)")]
    told = [parse_literal(x) for x in ("not on(cup, jar)", "on(cup, jar)", "far(cup)")]
    assert by_present_names(said, {"on": on}) == tuple(told)


def test_what_another_predicate_asks_for_is_not_merged_away() -> None:
    user = predicate("free", 'not scene.holds("grey", a)')
    library = Library("mine", {p.name: p for p in (predicate("grey"), user)}, {})
    with pytest.raises(SaySoError, match="free asks for it"):
        merged(library, Synonym("light", "grey", (0,), 5, 5))
