"""Generated flats: what is wanted is there, as wanted, and can be reached."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat import relations, scene_file
from sayso.worlds.flat.free_space import FreeSpace
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.relations import Relation
from support.flat_scenes import item, room

BETWEEN = Relation("isbetween", ("sofa", "tv"))
NEXT = Relation("isnextto", ("fridge",))
WISHES = (
    Wanted("toy", "green_plush_toy", (BETWEEN,)),
    Wanted("other_toy", "green_plush_toy", unlike=(BETWEEN,)),
    Wanted("sofa", "red_sofa"),
    Wanted("tv", "television"),
    Wanted("fridge", "fridge"),
    Wanted("cabinet", "yellow_cabinet", (NEXT,)),
    Wanted("other_cabinet", "yellow_cabinet", unlike=(NEXT,)),
    Wanted("mug", "mug", (Relation("isabove", ("table",)),)),
    Wanted("table", "brown_table"),
    Wanted("bag", "handbag", (Relation("isbelow", ("table",)),)),
    Wanted("exit", "wooden_door_with_posters"),
    Wanted("kitty", "cat"),
)


@pytest.mark.parametrize("seed", range(2))
def test_wishes_come_true_and_everything_is_reached(seed: int) -> None:
    scene = generate(seed, WISHES)
    for wish in WISHES:
        for relation in wish.relations:
            others = [scene.item(n) for n in relation.others]
            assert relations.holds(relation.comparator, scene.item(wish.name), others)
        for relation in wish.unlike:
            others = [scene.item(n) for n in relation.others]
            assert relations.broken(relation.comparator, scene.item(wish.name), others)
    assert scene.item("cabinet").color == "yellow"
    (door,) = (d for d in scene.doors if d.name == "exit")
    assert (door.category, door.color, door.posters) == ("door_with_posters", "wooden", 4)
    assert scene.walkers[0].name == "kitty"
    space = FreeSpace(scene)
    assert all(map(space.reaches, scene.items))
    kinds = [i.kind for i in scene.items]
    assert kinds.count("sofa") == kinds.count("television") == 1


def test_the_same_seed_gives_the_same_flat_and_another_another() -> None:
    once = scene_file.to_yaml(generate(4))
    assert once == scene_file.to_yaml(generate(4))
    assert once != scene_file.to_yaml(generate(5))


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ([Wanted("a", "gryphon")], "could be a 'gryphon'"),
        ([Wanted("a", "mug"), Wanted("a", "can")], "same name"),
        ([Wanted("a", "mug", (Relation("isnextto", ("b",)),))], "'b', which is not wanted"),
        ([Wanted("a", "mug", (Relation("nearby", ("a",)),))], "no relation 'nearby'"),
        ([Wanted("a", "mug", (Relation("isbetween", ("a",)),))], "needs 2 other things"),
        (
            [
                Wanted("a", "chair", (Relation("isnextto", ("b",)),)),
                Wanted("b", "chair", (Relation("isnextto", ("a",)),)),
            ],
            "depend on each other",
        ),
        ([Wanted("a", "door", (Relation("isnextto", ("a",)),))], "cannot stand in relations"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(wishes: list[Wanted], message: str) -> None:
    with pytest.raises(SaySoError, match=message) as caught:
        generate(0, wishes)
    assert caught.value.code is Code.INVALID


def test_wishes_that_cannot_be_are_named() -> None:
    left, right = Relation("isleftof", ("sofa",)), Relation("isrightof", ("sofa",))
    with pytest.raises(SaySoError, match="'chair' is placed as wanted") as caught:
        generate(0, [Wanted("sofa", "sofa"), Wanted("chair", "chair", (left, right))])
    assert caught.value.code is Code.NO_PLAN


def test_relations_are_seen_from_the_maps_origin() -> None:
    sofa, table = item("sofa", "sofa", (1.0, 2.0, 0)), item("table", "table", (4.0, 2.0, 0))
    mug = item("mug", "mug", (4.0, 2.0, 0.72))
    chair = item("chair", "chair", (2.5, 2.1, 0))
    assert relations.holds("isinfrontof", sofa, [table])
    assert relations.holds("isbehind", table, [sofa])
    assert relations.holds("isleftof", item("l", "chair", (4.0, 3.0, 0)), [table])
    assert relations.holds("isrightof", item("r", "chair", (4.0, 1.0, 0)), [table])
    assert relations.holds("isabove", mug, [table])
    assert relations.holds("isbelow", table, [mug])
    assert relations.holds("isbetween", chair, [sofa, table])
    assert relations.broken("isbetween", item("b", "chair", (5.5, 2.0, 0)), [sofa, table])
    assert relations.broken("isnextto", sofa, [table])
    assert not relations.broken("isnextto", chair, [sofa])
    assert not relations.holds("isnextto", chair, [sofa])


def test_free_space_ends_at_furniture_and_behind_shut_passages() -> None:
    assert FreeSpace(room()).reaches(item("sofa", "sofa", (5.4, 2.0, 0)))
    barrier = [item(f"c{i}", "cabinet", (3.0, 0.45 + 0.9 * i, 0)) for i in range(5)]
    cut = room(*barrier)
    assert not FreeSpace(cut).reaches(item("sofa", "sofa", (5.4, 2.0, 0)))
    assert FreeSpace(cut).reaches(barrier[2])
    stuck = room(item("table", "table", (2.0, 2.0, 0)))
    assert not FreeSpace(stuck).free.any()
