"""Shapes of a family, fitted to clouds of shapes that were never shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.learning.skills.shapes import ShapeFamilies, TaughtShape
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.surface import sample


def taught(family, count=5):
    rng = np.random.default_rng(0)
    families = ShapeFamilies()
    shapes = [draw(family, seed) for seed in range(count)]
    families.teach(family, [TaughtShape(sample(s, 800, rng).points, s.frames) for s in shapes])
    return families


def thing(shape, pose, rng):
    points = pose.transform(sample(shape, 800, rng).points) + rng.normal(0, 0.001, (800, 3))
    return SceneObject(
        "it", shape.family, "", pose.position, shape.size, points=points.astype(np.float32)
    )


def standing(rng):
    half = rng.uniform(-np.pi, np.pi) / 2
    return Pose((0.5, float(rng.uniform(-0.2, 0.2)), 0.05), (0, 0, np.sin(half), np.cos(half)))


def test_the_handle_of_mugs_never_seen_is_found():
    families, rng = taught("mug"), np.random.default_rng(1)
    for seed in (20, 23, 27):
        shape, pose = draw("mug", seed), standing(rng)
        found = families.fit(thing(shape, pose, rng)).frames["handle"]
        true = pose @ shape.frames["handle"]
        assert found.position == pytest.approx(true.position, abs=0.008)
        turn = (
            Rotation.from_quat(found.orientation).inv() * Rotation.from_quat(true.orientation)
        ).magnitude()
        assert turn < 0.15


def test_a_grasp_goes_with_the_surface_around_it():
    families, rng = taught("mug"), np.random.default_rng(2)
    small, large = (draw("mug", s) for s in sorted((20, 23), key=lambda s: draw("mug", s).size))
    one, other = (families.fit(thing(s, Pose((0.5, 0, 0.05)), rng)) for s in (small, large))
    rim = Pose((-small.size[0] / 2, 0.0, small.size[2] / 2))
    carried = other.pose @ one.carried(one.pose.inverse() @ Pose((0.5, 0, 0.05)) @ rim, other)
    expected = (0.5 - large.size[0] / 2, 0.0, 0.05 + large.size[2] / 2)
    assert carried.position == pytest.approx(expected, abs=0.008)


def test_a_round_thing_faces_away_from_the_robot():
    families, rng = taught("bottle", 3), np.random.default_rng(3)
    found = families.fit(thing(draw("bottle", 21), standing(rng), rng))
    away = np.array(found.pose.position[:2]) / np.linalg.norm(found.pose.position[:2])
    assert found.pose.matrix()[:2, 0] @ away == pytest.approx(1.0, abs=0.02)


def test_a_tray_is_seen_the_same_from_both_ends():
    families, rng = taught("tray", 3), np.random.default_rng(4)
    shape, pose = draw("tray", 22), Pose((0.5, 0.0, 0.02))
    back = Pose(pose.position, (0.0, 0.0, 1.0, 0.0))
    axes = [families.fit(thing(shape, p, rng)).pose.matrix()[:3, 0] for p in (pose, back)]
    assert axes[0] @ axes[1] > 0.99


def test_what_was_not_taught_is_its_box():
    shape, rng = draw("bowl", 20), np.random.default_rng(5)
    seen = thing(shape, Pose((0.5, 0, 0.05)), rng)
    found = ShapeFamilies().fit(seen)
    assert (found.pose, found.frames) == (seen.pose, {})


def test_too_few_points_are_told():
    families, rng = taught("mug", 2), np.random.default_rng(6)
    seen = thing(draw("mug", 20), Pose((0.5, 0, 0.05)), rng)
    with pytest.raises(SaySoError, match="only 20 points") as raised:
        families.fit(replace(seen, points=seen.points[:20]))
    assert raised.value.code is Code.OBJECT_LOST
    with pytest.raises(SaySoError, match="mug only 20"):
        families.teach("mug", [TaughtShape(np.zeros((20, 3)), {})])
