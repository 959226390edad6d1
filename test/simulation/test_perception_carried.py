"""A whole pick and place by true poses, watched by perception with all noise on."""

from __future__ import annotations

import numpy as np

from support.scripted_arm import ScriptedArm, flat_yaw, tool
from support.watcher import watch


def test_a_block_is_followed_from_the_table_into_the_hand_and_onto_the_plate():
    watcher = watch(3)
    world, arm = watcher.world, ScriptedArm(watcher.world)
    arm.wait = watcher.wait
    truth = {o.name: o for o in world.truth()}
    arm.pick(truth["red_block"])
    assert watcher.holds("holding", "red_block") is True
    assert watcher.scene.by_name()["red_block"].carried
    x, y, _ = truth["plate"].position
    arm.place((x, y, 0.012 + 0.0225), flat_yaw(truth["red_block"]))
    arm.go(tool((0.32, 0.0, 0.45), -np.pi / 2))
    assert watcher.holds("on", "red_block", "plate") is True
    assert watcher.holds("holding", "red_block") is False
    world.close()
