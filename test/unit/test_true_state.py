"""What scoring takes for the truth of a simulated world."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.geometry import rotation_matrix
from sayso.core.library import builtin_path, load, parse_literal
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, SceneObject
from sayso.worlds.true_state import stood_up, true_scene

HALF = np.sqrt(0.5)
ON_A_SIDE = (0.0, HALF, 0.0, HALF)
BLOCK = (0.045, 0.045, 0.045)

TURNS = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)
SIDES = st.floats(0.01, 0.1)


def test_a_block_is_on_one_that_fell_on_its_side():
    green = SceneObject("green_block", "block", "green", (0.38, 0.14, 0.022), BLOCK, ON_A_SIDE)
    blue = SceneObject("blue_block", "block", "blue", (0.38, 0.14, 0.067), BLOCK)
    scene = true_scene(0.0, (green, blue), RobotState())
    view = SceneView(scene, load(builtin_path()).predicates)
    assert view.truth(parse_literal("on(blue_block, green_block)").atom)
    assert not view.truth(parse_literal("on(green_block, blue_block)").atom)


@given(TURNS, st.tuples(SIDES, SIDES, SIDES))
def test_a_box_stood_up_is_the_same_box(turn, size):
    q = tuple(float(v) for v in np.asarray(turn) / np.linalg.norm(turn))
    thing = SceneObject("block", "block", "red", (0.3, 0.1, 0.5), size, q)
    upright = stood_up(thing)
    apart = np.linalg.norm(upright.corners()[:, None] - thing.corners()[None], axis=2)
    assert (apart.min(axis=0) < 1e-9).all() and (apart.min(axis=1) < 1e-9).all()
    axes = rotation_matrix(upright.orientation)
    assert axes[2, 2] > 0 or upright == thing
    assert abs(axes[2, 2]) >= abs(axes[2, :2]).max() - 1e-9
