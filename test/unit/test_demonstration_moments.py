"""Key frames where one contact primitive ends and another begins, found as it comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.demonstrations.demonstration import KeyFrame
from sayso.learning.demonstrations.moments import KeyScenes
from sayso.learning.skills.lesson import skill_of
from sayso.learning.skills.symbols import _labels
from support.demonstrations import START, block_and_plate, put_block_on_plate

BLOCK, PLATE = (0.4, 0.1, 0.3), (0.5, -0.2, 1.0)
PERIOD_S = 0.25


def key_stamps(samples, look=lambda stamp_s, tool, width_m: block_and_plate(BLOCK, PLATE, stamp_s)):
    """When the key frames were seen: the hand is read at each sample, and all is seen four times
    in a second, a little late."""
    key, found, seen = KeyScenes(), [], 0.0
    key.begin(look(0.0, samples[0].tool, samples[0].gripper_width_m))
    for sample in samples:
        now_s = sample.stamp_s
        kept = [key.width(now_s, sample.gripper_width_m)]
        if now_s >= seen + PERIOD_S:
            seen += PERIOD_S
            kept.append(key.scene(look(seen, sample.tool, sample.gripper_width_m)))
        found += [k.stamp_s for k in kept if k is not None]
    return found


def far(stamp_s, tool, width_m):
    """A look in which the hand is near nothing."""
    return replace(block_and_plate(BLOCK, PLATE, stamp_s), robot=RobotState(stamp_s, gripper=START))


@pytest.mark.parametrize("noise_m", [0.0, 0.0004])
def test_before_and_after_each_grasp_and_place(noise_m):
    rng = np.random.default_rng(1)
    shown = put_block_on_plate(BLOCK, PLATE)
    # The person waits a little once the block is let go.
    last = shown.samples[-1]
    rest = [replace(last, stamp_s=last.stamp_s + 0.05 * (i + 1)) for i in range(20)]
    samples = [
        replace(s, gripper_width_m=s.gripper_width_m + float(rng.normal(0, noise_m)))
        for s in (*shown.samples, *rest)
    ]
    widths, stamps = shown.widths_m(), shown.stamps_s()
    changing = np.flatnonzero(np.abs(np.diff(widths)) > 1e-6)
    (grasp, ungrasp) = np.split(changing, np.flatnonzero(np.diff(changing) > 1) + 1)
    found = key_stamps(samples, far)
    assert len(found) == 4 and found == sorted(found)
    for (before_s, after_s), change in zip((found[:2], found[2:]), (grasp, ungrasp), strict=True):
        begins_s, ends_s = stamps[change[0]], stamps[change[-1] + 1]
        assert begins_s - 0.5 < before_s < begins_s + 0.3
        assert ends_s < after_s < ends_s + 0.8


def test_fingers_that_rest_make_no_key_frames():
    rng = np.random.default_rng(2)
    samples = [
        replace(s, gripper_width_m=0.08 + float(rng.normal(0, 0.0005)))
        for s in put_block_on_plate(BLOCK, PLATE).samples
    ]
    assert key_stamps(samples, far) == []


def test_what_is_touched_with_closed_fingers_is_a_key_frame_as_it_begins_and_ends():
    box = SceneObject("box", "box", "red", (0.5, 0.0, 0.05), (0.1, 0.1, 0.1))
    key, found = KeyScenes(), []
    for number, x in enumerate(
        np.concatenate([np.linspace(0.3, 0.5, 21), np.linspace(0.5, 0.3, 21)])
    ):
        stamp_s = 0.25 * number
        hand = RobotState(
            stamp_s, gripper=Pose((float(x), 0.0, 0.05), START.orientation), gripper_width_m=0.0
        )
        scene = Scene(stamp_s, (box,), hand)
        if number == 0:
            key.begin(scene)
        elif kept := key.scene(scene):
            found.append((number, kept.stamp_s))
        key.width(stamp_s, 0.0)
    assert len(found) == 2
    assert 10 < found[0][0] < 20 < 24 < found[1][0]


def test_what_lies_where_it_was_just_put_is_no_example_of_what_is_not_yet_done():
    def shown(x):
        one = put_block_on_plate((x, 0.1, 0.3), PLATE)
        before = one.key_frames[0].scene
        block, plate = before.objects
        after = replace(before, objects=(replace(block, position=(*PLATE[:2], 0.03)), plate))
        (left,) = (c.stamp_s for c in one.contacts if not c.touching)
        looks = [(0.0, before), (left + 0.1, after), (left + 1.0, after)]
        return replace(one, key_frames=tuple(KeyFrame(replace(s, stamp_s=t)) for t, s in looks))

    skill = skill_of([shown(0.38), shown(0.42)])
    labels = [x for one in skill.demonstrations for x in _labels(skill, one)]
    untrue = {x.scene.stamp_s for x in labels if not x.truth and x.args == ("block", "plate")}
    (left, *_) = (c.stamp_s for c in skill.demonstrations[0].contacts if not c.touching)
    assert left + 0.1 not in untrue and 0.0 in untrue
