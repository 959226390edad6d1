"""The comparators' own laws: opposites, symmetry, and no dependence on how the map lies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose, rotation_matrix
from sayso.core.library import builtin_path, load
from sayso.core.places import RelationThresholds
from sayso.core.scene import SceneObject
from sayso.logic.formula import COMPARATORS
from sayso.perception.relations import (
    CHOOSING,
    footprint_gap,
    holds,
)
from sayso.perception.viewpoints import FrameOfReference

steady = settings(derandomize=True, deadline=None, max_examples=150)
places = st.floats(-6.0, 6.0)
angles = st.floats(-math.pi, math.pi)
lengths = st.floats(0.05, 2.0)
FLAT = load(builtin_path("flat")).vocabulary.places
thresholds = st.sampled_from((FLAT, RelationThresholds()))
OPPOSITES = (("isleftof", "isrightof"), ("isinfrontof", "isbehind"), ("isabove", "isbelow"))


def upright(x: float, y: float, yaw: float) -> Pose:
    return Pose((x, y, 0.0), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))


@st.composite
def things(draw: st.DrawFn) -> SceneObject:
    size = (draw(lengths), draw(lengths), draw(lengths))
    pose = upright(draw(places), draw(places), draw(angles))
    x, y, _ = pose.position
    z = size[2] / 2 + draw(st.floats(0, 1))
    return SceneObject("", "box", "", (x, y, z), size, pose.orientation)


speakers = st.builds(FrameOfReference, st.just("speaker"), places, places, angles)
frames = st.one_of(st.just(FrameOfReference()), speakers)


def moved(thing: SceneObject, by: Pose) -> SceneObject:
    pose = by @ thing.pose
    return SceneObject("", "box", "", pose.position, thing.size, pose.orientation)


@steady
@given(things(), things(), frames, thresholds)
def test_opposites_are_each_others_converse_and_never_both(a, b, frame, limits):
    for one, other in OPPOSITES:
        assert holds(one, a, (b,), limits, frame) == holds(other, b, (a,), limits, frame)
        assert not (holds(one, a, (b,), limits, frame) and holds(other, a, (b,), limits, frame))


@steady
@given(st.integers(0, 2**32 - 1))
def test_turning_the_flat_with_its_speaker_changes_nothing(seed):
    """In places that rounding cannot put on the other side of a threshold: random ones."""
    rng = np.random.default_rng(seed)
    a, b, c = (_anywhere(rng) for _ in range(3))
    frame = FrameOfReference("speaker", *rng.uniform(-6, 6, 2), rng.uniform(-3, 3))
    by = upright(*rng.uniform(-6, 6, 2), rng.uniform(-3, 3))
    place = by.transform(np.array([[frame.x_m, frame.y_m, 0.0]]))[0]
    yaw = rotation_matrix(by.orientation)[:2, 0]
    turned = FrameOfReference(
        "speaker", place[0], place[1], frame.yaw_rad + math.atan2(yaw[1], yaw[0])
    )
    for comparator in sorted(COMPARATORS.keys() - CHOOSING):
        count = COMPARATORS[comparator]
        before = holds(comparator, a, (b, c)[:count], FLAT, frame)
        others = tuple(moved(o, by) for o in (b, c)[:count])
        assert holds(comparator, moved(a, by), others, FLAT, turned) == before


@pytest.mark.parametrize("comparator", sorted(CHOOSING))
def test_what_chooses_among_several_does_not_hold_of_one(comparator):
    a, b = (_anywhere(np.random.default_rng(seed)) for seed in (1, 2))
    with pytest.raises(SaySoError, match="chooses among several"):
        holds(comparator, a, (b,))


def _anywhere(rng: np.random.Generator) -> SceneObject:
    size = tuple(rng.uniform(0.05, 2.0, 3))
    pose = upright(*rng.uniform(-3, 3, 2), rng.uniform(-3, 3))
    position = (*pose.position[:2], size[2] / 2 + rng.uniform(0, 1))
    return SceneObject("", "box", "", position, size, pose.orientation)


@steady
@given(things(), things(), things(), thresholds)
def test_between_does_not_care_which_landmark_is_named_first(a, b, c, limits):
    assert holds("isbetween", a, (b, c), limits) == holds("isbetween", a, (c, b), limits)


@steady
@given(things(), things())
def test_the_gap_is_symmetric_and_less_than_between_any_corners(a, b):
    gap = footprint_gap(a, b)
    assert math.isclose(gap, footprint_gap(b, a), abs_tol=1e-9)
    nearest = min(math.dist(p[:2], q[:2]) for p in a.corners() for q in b.corners())
    assert gap <= nearest + 1e-9
    assert footprint_gap(a, a) == 0.0
