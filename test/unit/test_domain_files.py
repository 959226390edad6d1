"""A domain of one's own: what its file may say, and what each error says."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from sayso.core.errors import SaySoError
from sayso.learning.spoken import spoken
from sayso.worlds.domains import SHIPPED
from sayso.worlds.domains.choosing import described, domain_named
from sayso.worlds.domains.domain import SETS
from sayso.worlds.domains.reading import FILE, read_description

EXAMPLE = (resources.files("sayso") / "worlds" / "domains" / "example" / FILE).read_text("utf-8")


def written(folder: Path, text: str) -> Path:
    (folder / FILE).write_text(text, encoding="utf-8")
    return folder


def test_the_example_says_what_it_holds(tmp_path: Path) -> None:
    found = read_description(written(tmp_path, EXAMPLE))
    assert set(found.deeds) == {"pick_up", "place_on_table", "unlock_first_with_second"}
    assert {o.skill for o in found.library.operators.values()} == set(found.deeds)
    assert found.sayings.reasons["same_color", False][0] == "{a} has another color than {b}"
    assert found.sayings.goals["locked", True][0] == "Lock {a}"
    assert found.sayings.goals["locked", False][0] == "Unlock {a}"
    assert spoken("unlock_first_with_second", ["red_chest", "red_key"]) == (
        "unlock the red chest with the red key"
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("locked: {is: truth}", "locked: {is: heat}", "locked: {is", "'heat' is no type"),
        ("colors: [red, green, blue]\n    fixed", "colors: [1]\n    fixed", "colors: [1]",
         "a text"),
        ("[[0.2, 0.25], 0.15, 0.12]", "[0.2, 0.15]", "size_m: [0.2, 0.15]", "three extents"),
        ("has: {locked: [true, false]}", "has: {lockd: true}", "lockd", "no attribute 'lockd'"),
        ("has: {locked: [true, false]}", "has: {locked: 3}", "locked: 3", "which is no bool"),
        ('"locked") and', '"shut") and', '"shut") and', "attribute 'shut'"),
        ("rule: scene.carried(a)", "rule: open('x')", "rule: open('x')", "there is no 'open'"),
        ("rule: scene.carried(a)", "rule: scene.__class__", "rule: scene.__", "not allowed"),
        ("scene.bottom(a) < 0.005", "scene.inside(a, b)", "rule: scene.inside",
         "a scene answers attribute, base_distance, bottom, carried"),
        ('fail("it does not turn")', 'quit("no")', "|\n      if place", "'quit' is not granted"),
        ("change(chest,", "import os; change(chest,", "|\n      if place", "Import is not allowed"),
        ("needs: holding(b), key(b)", "needs: held(b), key(b)", "needs: held", "predicate 'held'"),
        ("needs: holding(b), key", "needs: holding(b), not holding(b), key", "not holding(b), key",
         "needs holding(b) and its opposite"),
        ("adds: holding(a)\n    ends", "adds: hand_empty()\n    ends", "  - action: pick_up",
         "adds and ends hand_empty()"),
        ("ends: locked(a)", "ends: locked(c)", "ends: locked(c)", "nothing is called 'c'"),
        ("action: place_on_table", "action: place", "action: place", "no action 'place'"),
        ("goal: not locked(a)\n", "goal: not locked(a), locked(a)\n", "goal: not locked(a), l",
         "wants not locked(a) and its opposite"),
        ("kind: chest, has: {locked: true}}\n        - {kind: key, same: {color: a}}\n        - "
         "{kind: key}", "kind: cheste}", "cheste}", "there is no 'cheste'"),
        ("words: Pick up {a}.", "words: Pick up {b}.", "words: Pick up {b}.", "no thing 'b'"),
        ("skill: pick_up", "skill: fly", "skill: fly", "no skill 'fly'"),
        ("about: opening", "abuot: opening", "abuot: opening", "did you mean 'about'?"),
        ("attributes:\n", "attributes: &all\n  again: *all\n", "again: *all", "repeats another"),
    ],
)  # fmt: skip
def test_an_error_names_its_line_and_its_cure(
    tmp_path: Path, old: str, new: str, line: str, told: str
) -> None:
    assert old in EXAMPLE
    text = EXAMPLE.replace(old, new, 1)
    with pytest.raises(SaySoError) as caught:
        read_description(written(tmp_path, text))
    number = text[: text.index(line)].count("\n") + 1
    assert told in str(caught.value)
    assert f"line {number}:" in caught.value.message
    assert caught.value.hint


def test_a_file_that_would_unfold_without_end_is_refused(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    for text in (bomb, "[" * 40 + "]" * 40, "", "a: [", "name: x"):
        with pytest.raises(SaySoError, match=FILE):
            read_description(written(tmp_path, text))


@pytest.mark.parametrize("name", SHIPPED)
def test_tasks_are_drawn_alike_from_set_seed_and_number(name: str) -> None:
    domain = domain_named(name)
    for test_set in SETS:
        drawn = domain.tasks(test_set, 3, 4)
        assert drawn == domain.tasks(test_set, 3, 6)[:4]
        assert all(t.words[0].isupper() and "{" not in t.words for t in drawn)
    novel = {k for t in described(name).simple for w in t.things for k in w.new}
    shown = {t.kind for d in domain.tasks("training", 0, 12) for t in d.things.values()}
    new = {t.kind for d in domain.tasks("combined", 0, 12) for t in d.things.values()}
    assert novel and not novel & shown and novel & new


def test_a_name_that_is_no_domain_is_refused_with_those_there_are() -> None:
    with pytest.raises(SaySoError, match="no domain 'garden'"):
        domain_named("garden")
