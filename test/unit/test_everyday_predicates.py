"""Everyday predicates that no prior names: their rooms, their truth, what is learned of them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate, SceneView
from sayso.evaluation.cases import Case
from sayso.evaluation.interpret.everyday import EVERYDAY, Everyday, Truth, true_of
from sayso.evaluation.interpret.unnamed import Unnamed, agreement_in_rooms, labels_of
from sayso.learning.predicate_code import compile_learned
from sayso.learning.synthesis.labels import Concept
from sayso.learning.synthesis.limits import interval
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Either,
    Exists,
    Flag,
    Kind,
    Not,
    Program,
    truth,
)
from sayso.learning.synthesis.source import source_of
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.synthesis.tables import SceneTable
from sayso.worlds.everyday import Room, Thing, drawn_room, flat

ROOMS = tuple(drawn_room(seed) for seed in range(25))


@pytest.fixture(scope="module")
def suite() -> Unnamed:
    return Unnamed([30])


def test_rooms_are_drawn_alike_and_seen_as_they_are() -> None:
    for seed, room in enumerate(ROOMS[:5]):
        assert drawn_room(seed).things == room.things
        view = SceneView(room.scene)
        for name, thing in room.things.items():
            assert view.position(name) == pytest.approx(thing.centre, abs=0.005)
            assert view.top(name) == pytest.approx(thing.top, abs=0.01)
            assert not set(thing.hidden) & set(view.object(name).attributes)


@pytest.mark.parametrize("name", EVERYDAY)
def test_each_predicate_is_true_and_false_of_some_things(name: str) -> None:
    everyday = EVERYDAY[name]
    truths: Counter[bool | None] = Counter()
    for room in ROOMS:
        things = tuple(room.things)[:7] if everyday.arity > 1 else tuple(room.things)
        truths.update(true_of(everyday, room, a) for a in permutations(things, everyday.arity))
    assert truths[True] >= 3 and truths[False] >= 3
    assert truths[None] < 0.3 * truths.total()


def test_labels_are_right_and_of_both_truths() -> None:
    labels = labels_of(EVERYDAY["hefty"], 30, 0)
    assert [x.args for x in labels] != [x.args for x in labels_of(EVERYDAY["hefty"], 30, 1)]
    assert sum(x.truth for x in labels) == 15 == len(labels) - 15
    for label in labels:
        room = drawn_room(int(label.scene.stamp_s))
        assert true_of(EVERYDAY["hefty"], room, label.args) is label.truth


LEARNED = (
    "hefty",  # a number that is observed, and where it is not
    "housemates",  # equal words
    "stray",  # what was not observed at all
    "handiest",  # the most of all
    "gloomy",  # none of all
    "one_of_a_kind",  # no other alike
)


@pytest.mark.parametrize("name", LEARNED)
def test_what_is_observed_is_learned_from_thirty_labels(suite: Unnamed, name: str) -> None:
    outcome = suite.run(Case(name, "", {"name": name, "labels": 30}), 0)
    assert outcome.success, outcome.detail


def _some(*parts: Program, least: int = 1) -> Exists:
    return Exists(parts[0] if len(parts) == 1 else All(parts), least)


RED = Kind(OTHER, ("red",), "color")
PROGRAMS: tuple[tuple[int, Program], ...] = (
    (1, Compare("attribute charge_share", ("a",), False, 0.4)),
    (2, Compare("more attribute mass_kg", ("a", "b"), False, 0.0)),
    (2, Compare("more reach", ("a", "b"), True, 0.05)),
    (1, Flag("true lit", ("a",))),
    (1, Not(Flag("has owner", ("a",)))),
    (2, Flag("same owner", ("a", "b"))),
    (1, Flag("agree owner label", ("a",))),
    (1, Not(Flag("agree label category", ("a",)))),
    (2, Not(Flag("same color", ("a", "b")))),
    (1, Kind("a", ("ann", "ben"), "owner")),
    (1, Compare("tilt", ("a",), False, 45.0)),
    (1, Compare("skew", ("a",), False, 10.0)),
    (2, Compare("aim", ("a", "b"), True, 40.0)),
    (2, Compare("turn", ("a", "b"), True, 20.0)),
    (3, Compare("off_way", ("b", "a", "c"), True, 0.1)),
    (3, Compare("farther", ("a", "b", "c"), False, 0.0)),
    (1, _some(Compare("distance", (OTHER, "a"), True, 0.25), least=2)),
    (1, Not(_some(Compare("distance", (OTHER, "a"), True, 0.35), RED))),
    (0, _some(RED, Kind(OTHER, ("ball",)))),
    (1, Either((_some(RED, least=3), Flag("true lid_open", ("a",))))),
)  # fmt: skip


@pytest.mark.parametrize(("arity", "program"), PROGRAMS)
def test_the_python_text_of_a_program_holds_where_it_holds(arity: int, program: Program) -> None:
    parameters = ("a", "b", "c")[:arity]
    function = compile_learned("p", source_of("p", parameters, program), arity)
    for room in ROOMS[:4]:
        table, view = SceneTable(room.scene, {}), SceneView(room.scene)
        held = np.broadcast_to(truth(program, table, parameters), (table.count,) * arity)
        for places in permutations(range(min(table.count, 7)), arity):
            names = [table.names[i] for i in places]
            assert bool(function(view, *names)) == held[places], (names, program)


def _tepid(_room: Room, a: Thing) -> bool | None:
    heat = float(a.attributes["temperature_c"])
    return None if min(abs(heat - 20), abs(heat - 40)) < 1 else 20 < heat < 40


def _near_another(room: Room, a: Thing, b: Thing) -> bool | None:
    del room
    return None if abs(flat(a, b) - 0.25) < 0.01 else flat(a, b) < 0.25


@pytest.mark.parametrize(
    ("name", "truth", "arity"), [("tepid", _tepid, 1), ("neighbourly", _near_another, 2)]
)
def test_a_range_and_a_limit_far_from_the_usual_one_are_learned(
    name: str, truth: Truth, arity: int
) -> None:
    said = "{0} is tepid" if arity == 1 else "{0} is neighbourly to {1}"
    everyday = Everyday(101, name, said, said.replace("is", "is not"), truth, arity)
    concept = Concept(name, everyday.parameters, everyday.english, everyday.english_not)
    learned = Synthesizer(CharacterNgrams()).learn(concept, labels_of(everyday, 30, 7))
    assert agreement_in_rooms(learned.predicate, everyday, ROOMS[:6]) >= 0.95


def test_a_range_is_tried_only_where_it_tells_more_than_one_limit() -> None:
    values = np.arange(12.0)
    inside = (values > 3) & (values < 8)
    assert interval(values, inside, 3) == (3.5, 7.5)
    assert interval(values, values > 3, 3) is None
    assert interval(np.where(values > 7, np.inf, values), inside, 3) is None


def test_what_nothing_that_is_seen_tells_is_not_guessed_at(suite: Unnamed) -> None:
    outcome = suite.run(Case("borrowed", "", {"name": "borrowed", "labels": 30}), 0)
    assert outcome.measures["agreement"] == "told unseen"


def test_what_is_unknown_counts_half_in_rooms() -> None:
    unknown = Predicate("hefty", ("a",), lambda _scene, _a: None)
    assert agreement_in_rooms(unknown, EVERYDAY["hefty"], ROOMS[:3]) == 0.5


def test_halves_are_by_number_and_too_few_labels_are_refused() -> None:
    odd, even = (Unnamed([10, 30], half=h).cases() for h in ("odd", "even"))
    assert len(odd) == len(even) == 40
    assert {c.data["name"] for c in (*odd, *even)} == set(EVERYDAY)
    with pytest.raises(SaySoError) as refused:
        Unnamed([1])
    assert refused.value.code is Code.CONFIG
