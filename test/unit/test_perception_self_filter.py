"""The robot's own pixels leave the depth image; what it holds and what is near stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core.scene import RobotState
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from support.synthetic_frames import Solid, look_at, render

READY = load_robot("panda").ready


def state(width=0.045):
    return RobotState(0.0, READY, width, ArmKinematics().forward(np.array(READY)))


@pytest.fixture(scope="module")
def view():
    """Grey fingers around a red thing, the hand above, a grey thing and a red one far off."""
    x, y, z = state().gripper.position
    solids = [
        Solid("red", (x, y, z), (0.02, 0.043, 0.03)),
        Solid("grey", (x, y + 0.035, z + 0.022), (0.02, 0.022, 0.05)),
        Solid("grey", (x, y - 0.035, z + 0.022), (0.02, 0.022, 0.05)),
        Solid("grey", (x, y, z + 0.085), (0.06, 0.2, 0.08)),
        Solid("grey", (x + 0.1, y + 0.3, 0.05), (0.1, 0.1, 0.1)),
    ]
    pose = look_at((x - 0.5, y - 0.5, z + 0.3), (x, y, z))
    labelled = [replace(s, label=str(i)) for i, s in enumerate(solids)]
    return render(labelled, pose=pose)


def share_kept(view, clean, solid):
    (label,) = (i for i, name in view.instance_labels.items() if name == str(solid))
    pixels = view.instances == label
    assert pixels.sum() > 30
    return float((clean.depth_m[pixels] > 0).mean())


def test_it_takes_the_hand_and_leaves_the_rest(view):
    clean = RobotSelfFilter()(view, state())
    for part in (1, 2, 3):
        assert share_kept(view, clean, part) < 0.03
    assert share_kept(view, clean, 0) > 0.85
    assert share_kept(view, clean, 4) == 1.0
    assert (view.depth_m > 0).all()


def test_without_joint_readings_nothing_is_taken(view):
    assert RobotSelfFilter()(view, RobotState()) is view
