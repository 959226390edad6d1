"""What every `Kinematics` must keep, on every backend."""

import itertools

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.geometry import Pose
from sayso.robots.loading import load_robot
from sayso.skills.poses import downward

ARMS = ("panda", "fr3", "ur5e")


@pytest.fixture(scope="module", params=itertools.product(registry.names("kinematics"), ARMS))
def kinematics(request):
    backend, robot = request.param
    return registry.create("kinematics", backend, robot=load_robot(robot))


def test_limits_names_and_home_fit_together(kinematics):
    joints = len(kinematics.joint_names)
    assert kinematics.limits.shape == (joints, 2)
    assert kinematics.velocity_limits.shape == kinematics.acceleration_limits.shape == (joints,)
    assert np.all(kinematics.home > kinematics.limits[:, 0])
    assert np.all(kinematics.home < kinematics.limits[:, 1])


def test_home_looks_down_from_above_the_table(kinematics):
    pose = kinematics.forward(kinematics.home)
    assert pose.position[2] > 0.3
    assert pose.matrix()[2, 2] < -0.99


def test_inverse_reaches_what_forward_says_within_limits(kinematics):
    rng = np.random.default_rng(3)
    for _ in range(40):
        radius, angle = rng.uniform(0.35, 0.65), rng.uniform(-1.0, 1.0)
        at = np.array([radius * np.cos(angle), radius * np.sin(angle), rng.uniform(0.02, 0.3)])
        target = downward(at, rng.uniform(-1.5, 1.5), rng.uniform(-0.3, 0.3))
        joints = kinematics.inverse(target, kinematics.home)
        assert joints is not None
        assert np.allclose(kinematics.forward(joints).matrix(), target.matrix(), atol=2e-3)
        assert np.all(joints >= kinematics.limits[:, 0])
        assert np.all(joints <= kinematics.limits[:, 1])


def test_inverse_of_the_seeds_own_pose_is_the_seed(kinematics):
    joints = kinematics.inverse(kinematics.forward(kinematics.home), kinematics.home)
    assert np.allclose(joints, kinematics.home, atol=1e-3)


def test_inverse_is_repeatable_and_says_none_beyond_reach(kinematics):
    target = downward(np.array([0.4, -0.3, 0.1]), 1.2)
    first, second = (kinematics.inverse(target, kinematics.home) for _ in range(2))
    assert np.array_equal(first, second)
    assert kinematics.inverse(Pose((2.0, 0.0, 0.5)), kinematics.home) is None


def test_along_a_motion_only_the_seed_is_followed(kinematics):
    """A near pose is reached nearby; one that needs another posture is not found."""
    x, y, z = kinematics.forward(kinematics.home).position
    near = Pose((x, y, z - 0.02), kinematics.forward(kinematics.home).orientation)
    joints = kinematics.inverse(near, kinematics.home, anywhere=False)
    assert joints is not None
    assert np.abs(joints - kinematics.home).max() < 0.5
    rng = np.random.default_rng(5)
    seeds = rng.uniform(
        kinematics.limits[:, 0], kinematics.limits[:, 1], (30, len(kinematics.limits))
    )
    target = downward(np.array([0.5, 0.1, 0.1]), 0.0)
    only = [kinematics.inverse(target, s, anywhere=False) is not None for s in seeds]
    assert all(kinematics.inverse(target, s) is not None for s in seeds)
    assert not all(only)


def test_the_tool_closes_along_its_y_axis(kinematics):
    """At home the hand is square to the base: the fingers close along the world's y."""
    closing = kinematics.forward(kinematics.home).matrix()[:3, 1]
    assert abs(abs(closing[1]) - 1) < 1e-3
