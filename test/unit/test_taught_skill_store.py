"""Taught skills on disk, and scenes of the simulated table as data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load, parse_literal, save
from sayso.core.symbols import Operator
from sayso.learning.demonstrations.folder import folders, read
from sayso.learning.skills import page, store
from sayso.learning.skills.shapes import TaughtShape
from sayso.learning.skills.store import KeptSkill
from sayso.worlds.table.table_scene import builtin_scene, load_scene
from support.demonstrations import put_block_on_plate, turned

SHAPE = TaughtShape(np.arange(30.0).reshape(10, 3) / 64, {"rim": turned((0.1, 0.2, 0.3), 0.5)})
SKILL = KeptSkill(
    "lay_down",
    "put the block on the plate",
    {"block": "block", "plate": "plate"},
    parse_literal("laid_on(?a, ?b)").atom,
    (put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 0.0)),),
    {"block": (SHAPE, replace(SHAPE, frames={}))},
    when="the plate is free",
    learner="nearest",
    mirrored=True,
)


def test_what_is_kept_of_a_skill_is_read_again(tmp_path):
    store.keep(tmp_path, SKILL)
    assert store.kept(tmp_path) == ("lay_down",)
    (again,) = store.read_all(tmp_path).values()
    assert replace(again, shapes={}, demonstrations=()) == replace(
        SKILL, shapes={}, demonstrations=()
    )
    assert again.demonstrations[0].samples == SKILL.demonstrations[0].samples
    first, second = again.shapes["block"]
    assert first.points == pytest.approx(SHAPE.points) and first.frames == SHAPE.frames
    assert second.frames == {}


def test_what_was_shown_and_failed_since_is_kept_beside_it(tmp_path):
    store.keep(tmp_path, SKILL)
    (first,) = SKILL.demonstrations
    failed = replace(first, samples=first.samples[:1], contacts=())
    second = replace(first, samples=first.samples[:-1])
    store.keep_more(tmp_path, replace(SKILL, demonstrations=(second,), failed=(failed,)))
    store.keep_more(tmp_path, replace(SKILL, demonstrations=(first, second)))
    again = store.read(tmp_path, "lay_down")
    assert [d.samples for d in again.demonstrations] == [first.samples, second.samples]
    assert [d.samples for d in again.failed] == [failed.samples]


def test_the_page_of_a_skill_tells_what_it_needs_and_shows_each_demonstration(tmp_path):
    store.keep(tmp_path, SKILL)
    operator = Operator(
        "lay_down",
        ("?a", "?b"),
        frozenset({parse_literal("block(?a)")}),
        frozenset({SKILL.effect}),
        frozenset(),
    )
    text = page.write(tmp_path, SKILL, operator, "I can put the block on the plate.").read_text()
    assert text.startswith("# Put the block on the plate\n\nI can put")
    assert "| needs | `block(?a)` |" in text and "| shown | 1 times |" in text
    assert "![Demonstration 0](demonstration_00.png)" in text
    with Image.open(tmp_path / "skills" / "lay_down" / "demonstration_00.png") as picture:
        colors = {color for _, color in picture.convert("RGB").getcolors(1 << 16)}
    assert len(colors) > 50, "the way is not there"


def test_a_skill_is_not_written_over_another(tmp_path):
    store.keep(tmp_path, SKILL)
    with pytest.raises(SaySoError, match="a skill 'lay_down' already") as error:
        store.keep(tmp_path, SKILL)
    assert error.value.choices == ("lay_down",)


def test_a_skill_that_is_not_there_or_damaged_is_told(tmp_path):
    with pytest.raises(SaySoError, match="holds no taught skill 'hang'"):
        store.read(tmp_path, "hang")
    store.keep(tmp_path, SKILL)
    (tmp_path / "skills" / "lay_down" / "shapes.npz").write_bytes(b"no archive")
    with pytest.raises(SaySoError) as error:
        store.read(tmp_path, "lay_down")
    assert error.value.code is Code.CORRUPT and "lay_down" in error.value.message


def test_a_skill_whose_writing_broke_off_is_not_there(tmp_path):
    folder = tmp_path / "skills" / "lay_down"
    store.keep(tmp_path, SKILL)
    (folder / "skill.json").unlink()
    assert store.kept(tmp_path) == ()


def test_a_skill_that_was_shown_anew_after_its_writing_broke_off_is_of_the_new_showing(tmp_path):
    folder = tmp_path / "skills" / "lay_down"
    store.keep(tmp_path, SKILL)
    (folder / "skill.json").unlink()
    (first,) = SKILL.demonstrations
    again = replace(first, samples=first.samples[:-1])
    store.keep(tmp_path, replace(SKILL, demonstrations=(again,)))
    assert [d.samples for d in store.read(tmp_path, "lay_down").demonstrations] == [again.samples]
    (before,) = folders(tmp_path / "set_aside" / "lay_down_00" / "demonstrations")
    assert read(before).samples == first.samples, "nothing that was shown is lost"


def test_what_is_broken_is_set_aside_and_told_and_the_rest_stays(tmp_path):
    save(load(builtin_path()), tmp_path)
    for name in ("hang", "lay_down", "push", "turn"):
        store.keep(tmp_path, replace(SKILL, name=name))
    (tmp_path / "skills" / "hang" / "skill.json").unlink()
    (tmp_path / "skills" / "push" / "shapes.npz").write_bytes(b"no archive")
    matters = store.set_aside_broken(tmp_path)
    assert matters.keys() == {"hang", "push"}
    assert "not written to its end" in matters["hang"] and "cannot be read" in matters["push"]
    assert all(str(tmp_path / "set_aside" / f"{n}_00") in why for n, why in matters.items())
    assert store.kept(tmp_path) == ("lay_down", "turn") and not store.set_aside_broken(tmp_path)


# -- scenes of the table -------------------------------------------------------------------------


def test_a_scene_names_things_of_families():
    scene = builtin_scene("mugs")
    assert [t.category for t in scene.things] == ["rack", "mug", "mug", "bowl"]
    assert scene.layout is not None and set(scene.layout.placements) == {
        t.name for t in scene.things
    }
    assert scene.instance_labels()[2] == "blue mug" and not scene.cabinet
    with pytest.raises(SaySoError, match="no scene 'moon'") as error:
        builtin_scene("moon")
    assert "mugs" in error.value.choices


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("things: [{name: a, family: mug, seed: 1, color: red, size: 2}]", "no size"),
        ("things: [{name: a, family: mug, seed: 1}]", "'color'"),
        ("things: [{name: a, family: mug, seed: 1, color: red, x: 0, y: 0}, {name: b, family: mug, "
         "seed: 2, color: red}]", "'x'"),
        ("things: [{name: a, family: ship, seed: 1, color: red}]", "no family"),
        ("things: [{name: a, family: mug, seed: 1, color: plaid}]", "'plaid'"),
        ("things: [", "is no scene"),
    ],
)  # fmt: skip
def test_a_scene_that_is_none_is_told(tmp_path, text, said):
    file = tmp_path / "scene.yaml"
    file.write_text(text)
    with pytest.raises(SaySoError, match=said):
        load_scene(file)
