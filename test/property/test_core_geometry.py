"""Poses compose and invert as their matrices do."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sayso.core.geometry import (
    Pose,
    quaternion_from_matrix,
    roll_pitch_yaw,
    rotation_matrix,
    turn_from_z,
)
from sayso.learning.skills.mirror import mirrored

number = st.floats(-5.0, 5.0)


@st.composite
def poses(draw) -> Pose:
    orientation = draw(st.tuples(number, number, number, number))
    assume(np.linalg.norm(orientation) > 1e-3)
    return Pose(draw(st.tuples(number, number, number)), orientation)


@given(poses(), poses())
def test_composed_poses_are_multiplied_matrices(a, b):
    both = a @ b
    assert np.allclose(both.matrix(), a.matrix() @ b.matrix(), atol=1e-9)
    assert both.orientation[3] >= 0
    assert abs(np.linalg.norm(both.orientation) - 1.0) < 1e-9


@given(poses())
def test_a_pose_and_its_inverse_undo_each_other(a):
    assert np.allclose((a @ a.inverse()).matrix(), np.eye(4), atol=1e-9)
    assert np.allclose((a.inverse() @ a).matrix(), np.eye(4), atol=1e-9)
    assert a.inverse().orientation[3] >= 0


@given(poses())
def test_a_quaternion_comes_back_from_its_matrix(a):
    matrix = rotation_matrix(a.orientation)
    assert np.allclose(rotation_matrix(quaternion_from_matrix(matrix)), matrix, atol=1e-9)


@given(poses(), poses())
def test_what_is_in_the_mirror_of_the_mirror_is_as_it_is_and_poses_compose_there_too(a, b):
    assert np.allclose(mirrored(mirrored(a)).matrix(), a.matrix(), atol=1e-9)
    assert np.allclose(mirrored(a @ b).matrix(), (mirrored(a) @ mirrored(b)).matrix(), atol=1e-8)


TURNS = st.floats(-np.pi, np.pi) | st.sampled_from([i * np.pi / 2 for i in range(-2, 3)])


@given(TURNS, TURNS, TURNS)
def test_roll_pitch_and_yaw_are_the_same_turn_also_straight_up_and_down(roll, pitch, yaw):
    turn = Rotation.from_euler("xyz", (roll, pitch, yaw))
    angles = roll_pitch_yaw(tuple(turn.as_quat()))
    assert np.allclose(Rotation.from_euler("xyz", angles).as_matrix(), turn.as_matrix(), atol=1e-5)
    assert abs(angles[1]) <= np.pi / 2


@given(st.tuples(*[st.integers(-3, 3)] * 3).filter(any))
def test_z_is_turned_into_any_direction_by_the_least_turn(axis):
    turn = Rotation.from_quat(turn_from_z(axis))
    along = np.array(axis) / np.linalg.norm(axis)
    assert np.allclose(turn.apply((0.0, 0.0, 1.0)), along)
    assert np.isclose(turn.magnitude(), np.arccos(along[2]))
