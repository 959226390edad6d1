"""Perception before the simulated cameras, all noise on."""

from __future__ import annotations

import pytest

from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.perception.camera import cloud
from support.watcher import watch


@pytest.mark.parametrize("seed", [11, 12])
def test_a_random_table_is_seen_whole_in_one_look(seed):
    watcher = watch(seed)
    watcher.check()
    assert watcher.holds("gripper_empty") is True
    watcher.world.close()


def test_the_self_filter_covers_the_arm_that_the_cameras_see():
    watcher = watch(0)
    world = watcher.world
    for camera in ("left", "right"):
        frame = world.render(camera)
        clean = RobotSelfFilter()(frame, world.robot_state())
        # Nothing but the arm is taller than the cabinet; noise leaves some of its outline.
        assert tall(frame) > 1000
        assert tall(clean) < 0.05 * tall(frame)
    world.close()


def tall(frame) -> int:
    view = cloud(frame)
    return int((view.valid & (view.points[..., 2] > 0.2)).sum())
