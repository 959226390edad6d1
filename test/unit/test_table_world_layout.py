import itertools

import numpy as np
import pytest

from sayso.worlds.table.layout import GAP_M, REACH_M, random_layout
from sayso.worlds.things import CABINET_POSITION, MOVABLES

SEEDS = range(100)


def layout(seed: int):
    return random_layout(np.random.default_rng(seed))


def test_the_same_seed_gives_the_same_layout():
    assert layout(7) == layout(7)
    assert layout(7) != layout(8)


@pytest.mark.parametrize("seed", range(30))
def test_everything_stands_within_reach_and_apart(seed):
    placements = layout(seed).placements
    assert set(placements) == {t.name for t in MOVABLES}
    for p in placements.values():
        assert REACH_M[0] <= np.hypot(p.x, p.y) <= REACH_M[1]
    for a, b in itertools.combinations(MOVABLES, 2):
        p, q = placements[a.name], placements[b.name]
        gap = np.hypot(p.x - q.x, p.y - q.y) - a.clearance_m - b.clearance_m
        assert gap >= GAP_M, (a.name, b.name)


def test_nothing_stands_where_the_drawer_opens():
    for seed in SEEDS:
        placements = layout(seed).placements
        for thing in MOVABLES:
            p = placements[thing.name]
            assert p.y + thing.clearance_m <= 0.18 + 1e-9 or p.x + thing.clearance_m <= 0.27 + 1e-9


def test_layouts_differ_in_what_they_may():
    layouts = [layout(seed) for seed in SEEDS]
    ajar = [x.drawer_opening_m for x in layouts if x.drawer_opening_m > 0]
    assert 10 < len(ajar) < 50
    assert max(ajar) <= 0.06
    cabinets = np.array([x.cabinet for x in layouts])
    assert np.abs(cabinets - CABINET_POSITION).max() <= 0.015
    yaws = np.array([x.placements["red_block"].yaw for x in layouts])
    assert yaws.std() > 1.0
