"""Maps for people: what a task speaks of can be told apart and read, also on black cells."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.logic.text import parse
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.picture import draw_map, draw_referents
from sayso.reporting.events import Understanding

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from sayso.ros.task.run_folder import referent_map

RED_ZONE, HALO = (240, 160, 150), (255, 255, 255)
CELL_M = 0.05


def grid(value: int = FREE) -> OccupancyGrid:
    return OccupancyGrid(np.full((80, 120), value, np.int8), (0.0, 0.0), CELL_M)


def thing(name: str, x: float, y: float) -> SceneObject:
    return SceneObject(name, name, "grey", (x, y, 0.2), (0.4, 0.4, 0.4))


SCENE = Scene(0.0, (thing("cat", 1.0, 1.0), thing("sofa", 4.0, 2.0), thing("bin", 5.0, 3.0)))


def count(picture, color) -> int:
    return int((np.asarray(picture) == color).all(axis=2).sum())


def understood(text: str, trouble: SaySoError | None = None) -> Understanding:
    formula = parse(text, grounded=True)
    spec = GroundedSpecification(Specification("words", formula, "test"), formula)
    return Understanding(spec, "", trouble=trouble)


def test_names_are_readable_on_black_cells() -> None:
    black = grid(OCCUPIED)
    named = draw_map(black, footprints={"a_long_name": Footprint.box(3.0, 2.0, 1.0, 1.0)})
    outlined = draw_map(black, footprints={"": Footprint.box(3.0, 2.0, 1.0, 1.0)})
    assert count(draw_map(black), HALO) == 0
    assert count(named, HALO) > count(outlined, HALO) + 200


def test_a_small_thing_is_not_written_over() -> None:
    can = Footprint.box(3.0, 2.0, 0.1, 0.1)
    alone = np.asarray(draw_map(grid(), footprints={"": can}))
    named = np.asarray(draw_map(grid(), footprints={"can": can, "table": can}))
    y, x = 80 * 5 - round(2.0 / CELL_M) * 5, round(3.0 / CELL_M) * 5
    assert (named[y - 4 : y + 4, x - 4 : x + 4] == alone[y - 4 : y + 4, x - 4 : x + 4]).all()


def test_where_the_avoided_is_too_near_is_red() -> None:
    things = {"cat": Footprint.box(1.0, 1.0, 0.4, 0.4), "sofa": Footprint.box(4.0, 2.0, 1.0, 1.0)}
    red = np.asarray(draw_referents(grid(), things, ["cat"])) == RED_ZONE
    columns = np.flatnonzero(red.all(axis=2).any(axis=0)) / 5 * CELL_M
    assert columns.min() < 0.2 and 2.0 < columns.max() < 2.3


def test_a_reading_shows_what_it_is_about_or_what_it_cannot_choose_between() -> None:
    clear = referent_map(understood("F(near(sofa)) & G(!near(cat))"), grid(), SCENE)
    assert count(clear, RED_ZONE) > 1000
    which = SaySoError(Code.AMBIGUOUS, "which?", choices=("sofa", "bin"))
    asked = referent_map(understood("F(near(sofa)) & G(!near(cat))", which), grid(), SCENE)
    choices = {
        n: Footprint.of(next(o for o in SCENE.objects if o.name == n)) for n in which.choices
    }
    chosen = draw_map(grid(), footprints=choices)
    outlines = np.asarray(asked) != np.asarray(chosen)
    assert count(asked, RED_ZONE) == 0 and not outlines.any()
