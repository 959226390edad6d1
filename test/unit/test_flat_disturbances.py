"""Scripts of what happens to a flat: read, checked against the scene, due in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat import scene_file
from sayso.worlds.flat.disturbances import Disturbance, Kind, from_yaml, load, staged

HOME = scene_file.fixed("home")
EXAMPLES = Path(__file__).parents[2] / "examples"


def one(text: str) -> Disturbance:
    (found,) = from_yaml(f"[{{{text}}}]", HOME)
    return found


def test_things_doors_and_who_walks_each_become_what_is_written() -> None:
    moved = one("when: after step 2, what: mug, to: [1, 2, 0.5], say: somebody takes the mug")
    assert (moved.kind, moved.to, moved.words) == (
        Kind.ITEM,
        (1.0, 2.0, 0.5),
        "somebody takes the mug",
    )
    shut = one("when: 2.5, what: door_3, to: shut")
    assert (shut.kind, shut.to, shut.words) == (Kind.DOOR, "shut", "door_3 shuts")
    assert one("when: 0, what: cat_1, to: [1, 2]").kind is Kind.WALKER
    assert one("when: 0, what: mug, to: away").words == "mug is taken away"


def test_each_is_due_after_its_steps_or_at_its_time() -> None:
    whens = ("after step 2", "after pick", "3")
    stepped, picked, timed = (one(f"when: {when}, what: mug, to: away") for when in whens)
    done = ("go", "go", "pick", "go")
    assert [stepped.is_due(done[:n], 99.0) for n in range(4)] == [False, False, True, True]
    assert [picked.is_due(done[:n], 99.0) for n in range(5)] == [False] * 3 + [True] * 2
    assert [timed.is_due(done, t) for t in (None, 2.9, 3.0)] == [False, False, True]
    assert [d.when for d in (stepped, picked, timed)] == ["after step 2", "after pick", "at 3 s"]


def test_every_skill_of_the_library_can_be_waited_for() -> None:
    operators = library.load(library.builtin_path("flat")).operators.values()
    for skill in {operator.skill for operator in operators}:
        assert one(f"when: after {skill}, what: mug, to: away").after == skill
    with pytest.raises(SaySoError) as caught:
        one("when: after put_on, what: mug, to: away")
    assert {f"after {operator.skill}" for operator in operators} <= set(caught.value.choices)


@pytest.mark.parametrize(
    ("text", "words", "choice"),
    [
        ("when: after step 1, what: mugg, to: away", "has no 'mugg'", "mug"),
        ("when: after step 0, what: mug, to: away", "'after step 0' is no time", "after step 1"),
        ("when: after picking, what: mug, to: away", "'after picking' is no time", "after pick"),
        ("when: before, what: mug, to: away", "'before' is no time", "a number of seconds"),
        ("when: 1, what: mug, to: shut", "'shut' is nothing", "away"),
        ("when: 1, what: mug, to: [1, 2]", "item", "[x, y, z]"),
        ("when: 1, what: mug, to: [1, .nan, 0]", "item", "[x, y, z]"),
        ("when: 1, what: door_1, to: [1, 2]", "door", "shut"),
        ("when: 1, what: cat_1, to: [1, 2, 3]", "walker", "walk"),
        ("when: -1, what: mug, to: away", "-1", None),
        ("when: 1, what: mug", "'to' is a required", None),
        ("when: 1, what: mug, to: away, how: fast", "how", None),
    ],
)
def test_what_cannot_be_is_named_with_its_entry(text, words, choice) -> None:
    good = "{when: 1, what: mug, to: away}"
    with pytest.raises(SaySoError) as caught:
        from_yaml(f"[{good}, {{{text}}}]", HOME, "script.yaml")
    error = caught.value
    assert error.code is Code.INVALID
    assert "script.yaml, entry 2" in error.message and words in error.message
    assert choice is None or choice in error.choices


@pytest.mark.parametrize("text", ["{", "mug: away", "3"])
def test_what_is_no_list_of_entries_is_refused(text) -> None:
    with pytest.raises(SaySoError, match=r"script\.yaml"):
        from_yaml(text, HOME, "script.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(SaySoError, match=r"none\.yaml"):
        load(tmp_path / "none.yaml", HOME)


def test_the_example_and_what_is_staged_fit_their_scenes() -> None:
    shown = {d.kind for d in load(EXAMPLES / "disturbances.yaml", HOME)}
    assert shown == {Kind.ITEM, Kind.DOOR, Kind.WALKER}
    studio = scene_file.fixed("studio")
    assert [d.what for d in staged(studio)] == ["cat_1"]
    assert [d.what for d in load(EXAMPLES / "moved_can.yaml", studio)] == ["can", "cat_1"]
    assert staged(HOME) == ()
