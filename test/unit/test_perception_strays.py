from __future__ import annotations

import numpy as np

from sayso.core.scene import SceneObject
from sayso.perception.appearance import tabletop_appearances
from sayso.perception.strays import without_strays

APPEARANCES = tabletop_appearances()


def thing(color, category, centre, size, points=1000):
    cloud = np.random.default_rng(0).uniform(-0.5, 0.5, (points, 3)) * size + centre
    return SceneObject("", category, color, centre, size, points=cloud.astype(np.float32))


CABINET = thing("brown", "cabinet", (0.68, 0.38, 0.068), (0.24, 0.24, 0.136))
SHADE = thing("black", "object", (0.6, 0.27, 0.05), (0.1, 0.01, 0.05), 80)
CORNER = thing("brown", "bowl", (0.65, 0.30, 0.05), (0.12, 0.08, 0.06), 120)
SPECKLE = thing("red", "block", (0.62, 0.30, 0.05), (0.03, 0.02, 0.03), 15)
PLATE = thing("white", "plate", (0.4, 0.0, 0.006), (0.2, 0.2, 0.012))
RIM = thing("grey", "object", (0.4, 0.09, 0.005), (0.1, 0.017, 0.01), 60)


def kept(*objects, known=()):
    return without_strays(objects, APPEARANCES, known)


def test_pieces_of_a_fixture_are_no_things():
    for piece in (SHADE, CORNER, SPECKLE):
        assert kept(CABINET, piece) == (CABINET,)


def test_the_remembered_fixture_counts_while_little_of_it_is_seen():
    part = thing("brown", "cabinet", (0.68, 0.45, 0.068), (0.24, 0.1, 0.136), 300)
    assert kept(part, SHADE) == (part, SHADE)
    assert kept(part, SHADE, known=(CABINET,)) == (part,)


def test_what_stands_on_or_before_a_fixture_stays():
    above = thing("red", "block", (0.68, 0.38, 0.16), (0.045,) * 3, 200)
    flat = thing("black", "coaster", (0.68, 0.38, 0.1395), (0.1, 0.1, 0.006), 200)
    flat.points[:, 2] = 0.1425  # its upper side is all that is seen
    before = thing("red", "block", (0.45, 0.38, 0.02), (0.045,) * 3, 200)
    assert kept(CABINET, above, flat, before) == (CABINET, above, flat, before)


def test_a_glint_on_a_plate_is_no_thing_but_a_block_on_it_is():
    block = thing("red", "block", (0.4, 0.0, 0.01), (0.02,) * 3, 60)
    assert kept(PLATE, RIM, block) == (PLATE, block)


def test_an_unknown_thing_of_some_size_stays_wherever_it_is():
    toy = thing("cyan", "object", (0.4, 0.0, 0.01), (0.1, 0.03, 0.02), 300)
    assert kept(PLATE, toy) == (PLATE, toy)
