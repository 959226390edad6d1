"""Scenes as data: YAML, checks, walls with gaps, the catalogue of kinds, SDF."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat import scene_file
from sayso.worlds.flat.colors import PALETTE, rgba
from sayso.worlds.flat.kinds import KINDS, NOUNS, understand
from sayso.worlds.flat.parts import Part
from sayso.worlds.flat.scene import Door, FlatScene, Walker, wall_pieces
from sayso.worlds.flat.sdf import to_sdf
from support.flat_scenes import item, room

DOOR = Door("door_1", "door", "wooden", (3.0, 4.0), 0.0, width=1.2)


def full() -> FlatScene:
    return room(
        item("table", "table", (3.0, 2.0, 0.0), 0.5),
        item("mug", "mug", (3.0, 2.0, 0.72)),
        doors=(DOOR, replace(DOOR, name="door_2", at=(0.0, 2.0), yaw=math.pi / 2, posters=4)),
        walkers=(Walker("cat_1", "cat", "grey", ((1.0, 1.0), (1.0, 3.0)), walking=True),),
    )


def test_a_scene_comes_back_from_yaml_as_it_was() -> None:
    scene = full()
    back = scene_file.from_yaml(scene_file.to_yaml(scene))
    assert back.names() == scene.names()
    for a, b in zip(back.items, scene.items, strict=True):
        assert (a.kind, a.color, a.size) == (b.kind, b.color, b.size)
        assert a.position == pytest.approx(b.position, abs=1e-4)
    assert back.doors[1] == replace(scene.doors[1], yaw=back.doors[1].yaw)
    assert back.walkers == scene.walkers
    assert back.walls == scene.walls
    assert scene_file.to_yaml(back) == scene_file.to_yaml(scene)


def test_what_is_left_out_has_the_kinds_looks() -> None:
    text = """
name: tiny
rooms: [{name: room, low: [0, 0], high: [3, 3]}]
walls: []
items: [{name: sofa_1, kind: sofa, position: [1, 1, 0]}]
"""
    (sofa,) = scene_file.from_yaml(text).items
    assert (sofa.category, sofa.color, sofa.size) == ("sofa", "blue", KINDS["sofa"].size)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("kind: table", "kind: tabel"), "no kind 'tabel'.*table"),
        (("color: wooden", "color: beige"), "no colour 'beige'"),
        (("name: mug", "name: table"), "'table' is used twice"),
        (("name: mug", "name: walls"), "'walls' is used twice or reserved"),
        (("opening: 1.0", "opening: 1.5"), "doors/0/opening"),
        (("- 3.0\n  - 4.0", "- 3.0\n  - 3.0"), "is in no wall"),
        (("kind: cat", "kind: sofa"), "cannot walk"),
        (("rooms:", "rums:"), "top level.*rooms"),
        (("name: test_room", "name: [test"), "not YAML"),
        (("name: test_room", "name: 7"), "at name"),
    ],
)
def test_a_wrong_file_is_refused_where_it_is_wrong(change: tuple[str, str], message: str) -> None:
    text = scene_file.to_yaml(full()).replace("at: [3.0, 4.0]", "at:\n  - 3.0\n  - 4.0")
    assert change[0] in text
    with pytest.raises(SaySoError) as caught:
        scene_file.from_yaml(text.replace(change[0], change[1], 1))
    assert caught.value.code is Code.INVALID
    assert re.search(message, str(caught.value), re.S)


def test_the_scenes_that_come_along_are_read() -> None:
    assert scene_file.fixed_names() == (
        "apartment", "errand_kitchen", "errand_lab", "family_flat", "home", "lobby", "office",
        "studio",
    )  # fmt: skip
    for name in scene_file.fixed_names():
        assert len(scene_file.fixed(name).items) >= {
            "studio": 4,
            "apartment": 6,
            "family_flat": 11,
        }.get(name, 15)


def test_doors_leave_gaps_in_walls() -> None:
    pieces = wall_pieces(full())
    north = sorted(p.start[0] for p in pieces if p.start[1] == p.end[1] == 4.0)
    assert len(pieces) == 6
    assert min(north) == pytest.approx(2.4)
    assert sum(math.dist(p.start, p.end) for p in pieces) == pytest.approx(20.0 - 2.4)


def test_a_hinged_leaf_turns_and_a_sliding_one_clears_the_gap() -> None:
    tip = np.array([[DOOR.width, 0.0, 0.0]])
    assert DOOR.leaf(0.0).transform(tip)[0] == pytest.approx([3.6, 4.0, 0.0])
    assert DOOR.leaf(1.0).transform(tip)[0] == pytest.approx([2.4, 5.2, 0.0])
    sliding = replace(DOOR, motion="sliding")
    assert sliding.leaf(1.0).transform(tip)[0][0] < 2.45


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_fills_its_box(name: str) -> None:
    kind = KINDS[name]
    parts = kind.build(kind.size, rgba(kind.color))
    assert any(p.seen for p in parts)
    reach = np.array([_extent(p) for p in parts])
    low, high = reach[:, 0].min(axis=0), reach[:, 1].max(axis=0)
    assert low[2] >= -0.012
    # A tap stands above its sink, as a cover hangs over a bed's edge.
    assert kind.size[2] - 0.1 <= high[2] <= kind.size[2] + (0.3 if name == "sink" else 0.1)
    assert np.all((high - low)[:2] <= np.array(kind.size[:2]) + 0.14)
    assert np.all(high - low >= 0.6 * np.array(kind.size) - 0.01)
    for top in kind.tops:
        assert any(abs(high_z - top) < 0.02 for high_z in reach[:, 1, 2])


def _extent(part: Part) -> tuple[np.ndarray, np.ndarray]:
    half = np.array(part.size) / 2
    c, s = abs(math.cos(part.pitch)), abs(math.sin(part.pitch))
    x, y, z = half
    turned = np.array([c * x + s * z, y, s * x + c * z])
    return np.array(part.at) - turned, np.array(part.at) + turned


def test_what_can_be_carried_fits_between_the_fingers() -> None:
    for kind in KINDS.values():
        if kind.movable:
            assert min(kind.size[:2]) <= 0.075 or kind.name == "plush_toy"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("yellow_cabinet", ("cabinet", "yellow", "cabinet")),
        ("couch", ("sofa", "", "couch")),
        ("brown_multigrain_chips", ("bag", "brown", "multigrain_chips")),
        ("big_red_trash_can", ("trash_bin", "red", "big_trash_can")),
        ("orange", ("fruit", "", "orange")),
        ("orange_counter", ("counter", "orange", "counter")),
        ("sofas", ("sofa", "", "sofas")),
        ("coke_2", ("can", "", "coke_2")),
        ("brown_slippers_with_holes", ("cloth", "brown", "slippers_with_holes")),
        ("apple_about_to_rot", ("apple", "", "apple_about_to_rot")),
    ],
)
def test_names_are_understood(name: str, expected: tuple[str, str, str]) -> None:
    naming = understand(name)
    assert (naming.kind, naming.color, naming.category) == expected


def test_unknown_names_are_refused_with_near_ones() -> None:
    with pytest.raises(SaySoError) as caught:
        understand("purple_cabinett")
    assert "cabinet" in caught.value.choices
    assert set(NOUNS.values()) <= set(KINDS)
    assert all(k.color in PALETTE for k in KINDS.values())


def test_sdf_has_every_thing_with_its_shapes() -> None:
    scene = full()
    world = ET.fromstring(to_sdf(scene)).find("world")
    assert world is not None
    models = {m.get("name"): m for m in world.findall("model")}
    assert set(scene.names()) <= set(models)
    assert len(models) == len(world.findall("model"))
    assert models["table"].findtext("static") == "true"
    assert models["mug"].findtext("static") == "false"
    assert float(models["mug"].findtext("link/inertial/mass") or 0) == pytest.approx(0.2)
    for entry in scene.items:
        solids = [p for p in entry.parts() if p.solid]
        assert len(models[entry.name].findall("link/collision")) == len(solids)
    assert models["door_1"].find("joint").get("type") == "revolute"
    limits = [float(models["door_1"].findtext(f"joint/axis/limit/{k}")) for k in ("lower", "upper")]
    assert limits == pytest.approx([-math.pi / 2, 0.0], abs=1e-4)
    pose = [float(v) for v in models["table"].findtext("pose").split()]
    assert pose == pytest.approx([3.0, 2.0, 0.0, 0.0, 0.0, 0.5])
    for link in world.iter("link"):
        names = [e.get("name") for e in link]
        named = [n for n in names if n]
        assert len(named) == len(set(named))
