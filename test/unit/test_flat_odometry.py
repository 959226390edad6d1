"""Odometry says how wrong it may be, and is about that wrong."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.worlds.flat.sensing import SILENT, DeadReckoning, FlatNoise, Odometry


def driven(noise: FlatNoise, seed: int) -> DeadReckoning:
    """After 4 m in a bow to the left."""
    reckoning = DeadReckoning(np.zeros(3), noise, np.random.default_rng(seed))
    for share in np.linspace(0.0, 1.0, 201)[1:]:
        angle = share * np.pi / 2
        radius = 8.0 / np.pi
        reckoning.moved(np.array([radius * np.sin(angle), radius * (1 - np.cos(angle)), angle]))
    return reckoning


def test_the_variance_is_that_of_many_drives() -> None:
    drives = [driven(FlatNoise(), seed) for seed in range(200)]
    spread = np.cov([d._place for d in drives], rowvar=False)
    told = drives[0].covariance
    assert np.diag(told) == pytest.approx(np.diag(spread), rel=0.4)
    assert told[0, 2] == pytest.approx(spread[0, 2], rel=0.5)


def test_perfect_odometry_is_not_told_to_be_certain() -> None:
    assert np.linalg.eigvalsh(driven(SILENT, 0).covariance).min() > 0.0


def test_the_message_carries_it() -> None:
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    from sayso.ros.simulation.base_publisher import odometry_to_msg

    reckoning = driven(FlatNoise(), 1)
    message = odometry_to_msg(Odometry(1.0, reckoning.pose, (0.3, 0.0, 0.1), reckoning.covariance))
    pose = np.reshape(message.pose.covariance, (6, 6))
    planar = np.ix_((0, 1, 5), (0, 1, 5))
    assert pose[planar] == pytest.approx(reckoning.covariance)
    assert np.all(np.diag(pose) > 0)
    assert np.all(np.diag(np.reshape(message.twist.covariance, (6, 6))) > 0)
