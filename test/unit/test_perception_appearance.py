from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.perception.appearance import appearances_of, load_appearances, tabletop_appearances
from sayso.worlds.table.shapes.families import SEEDS, draw

ENTRY = (
    "categories:\n  jar:\n    shape: round\n    length_m: [0.05, 0.1]\n    height_m: [0.1, 0.2]\n"
)


def write(tmp_path, text):
    path = tmp_path / "appearance.yaml"
    path.write_text(text)
    return path


def test_the_table_top_has_the_categories_that_the_library_speaks_of():
    known = tabletop_appearances()
    assert set(known) == {"block", "plate", "mug", "bowl", "coaster", "cabinet", "drawer"}
    assert known["block"].named_by_color and not known["mug"].named_by_color
    assert known["drawer"].part_of == "cabinet"


def test_a_lab_adds_its_own_things(tmp_path):
    (jar,) = load_appearances(write(tmp_path, ENTRY)).values()
    assert (jar.category, jar.shape, jar.width_m) == ("jar", "round", (0.05, 0.1))
    assert jar.could_be("red")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("shape: round", "shape: star"), "star"),
        (("[0.05, 0.1]", "[0.2, 0.1]"), "length_m"),
        (("shape", "shapes"), "shapes"),
        (("shape: round", "shape: drawer"), "part_of"),
        (("    height_m: [0.1, 0.2]\n", ""), "height_m"),
        (("categories", "kinds"), "categories"),
        (("[0.05, 0.1]", "[0.05"), "appearance.yaml"),
    ],
)
def test_a_wrong_file_is_refused_with_the_entry_at_fault(tmp_path, change, word):
    with pytest.raises(SaySoError, match=word) as error:
        load_appearances(write(tmp_path, ENTRY.replace(*change)))
    assert error.value.code == Code.CONFIG


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SaySoError, match="nowhere"):
        load_appearances(tmp_path / "nowhere.yaml")


def test_tables_that_come_along_are_known_by_name():
    assert appearances_of("") is appearances_of("tabletop") is tabletop_appearances()
    assert {"rack", "mug"} <= appearances_of("shapes").keys()
    with pytest.raises(SaySoError, match="no built-in table of appearances 'shape'") as error:
        appearances_of("shape")
    assert error.value.code is Code.CONFIG


@pytest.mark.parametrize("family", sorted(appearances_of("shapes")))
def test_every_shape_of_a_family_is_as_large_as_its_table_says(family):
    looks = appearances_of("shapes")[family]
    for seed in range(SEEDS):
        x, y, z = draw(family, seed).size
        for size, (low, high) in (
            (max(x, y), looks.length_m),
            (min(x, y), looks.width_m),
            (z, looks.height_m),
        ):
            assert low <= size <= high, seed
