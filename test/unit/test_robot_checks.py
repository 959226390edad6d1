"""What a check of topics and joints says, for each thing that goes wrong with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.diagnostics import Level
from sayso.robots.checks import Arrival, Stream, check_joints, check_stream
from sayso.robots.loading import load_robot

IMAGE = "sensor_msgs/msg/Image"
NOW_S = 1_790_000_000.0


def arrivals(rate_hz: float = 10.0, late_s: float = 0.02) -> tuple[Arrival, ...]:
    times = NOW_S + np.arange(0, 5, 1 / rate_hz)
    return tuple(Arrival(t, t + late_s) for t in times.tolist())


HEALTHY = Stream("/camera/left/image", IMAGE, (IMAGE,), arrivals(), NOW_S, NOW_S + 5.0)


def check(stream: Stream, **topics: str):
    others = {f"/{name.replace('__', '/')}": [kind] for name, kind in topics.items()}
    return list(check_stream(stream, others, rate_hz=10.0, fresh_s=0.3, entry="color_topics"))


def test_a_healthy_stream_is_ok() -> None:
    (found,) = check(HEALTHY)
    assert found.level is Level.OK
    assert found.text == "9.8 Hz"  # what is due last has not come yet


def stamped(shift_s: float, factor: float = 1.0) -> tuple[Arrival, ...]:
    return tuple(replace(a, stamp_s=factor * a.stamp_s + shift_s) for a in arrivals())


@pytest.mark.parametrize(
    ("change", "level", "says", "cure"),
    [
        ({"offered": (), "arrivals": ()}, Level.ERROR, "nobody publishes", "ROS_DOMAIN_ID"),
        ({"offered": ("std_msgs/msg/String",)}, Level.ERROR, "type std_msgs", "color_topics"),
        ({"offered": (IMAGE, IMAGE)}, Level.WARN, "2 publish it", "all but one"),
        ({"arrivals": ()}, Level.ERROR, "nothing came", "network"),
        ({"arrivals": arrivals(2.0)}, Level.ERROR, "1.8 Hz, where 10.0", "resolution"),
        ({"arrivals": arrivals()[:1]}, Level.ERROR, "0.0 Hz", "resolution"),
        ({"arrivals": stamped(-0.8)}, Level.ERROR, "0.82 s old", "clocks differ"),
        ({"arrivals": stamped(2.02)}, Level.ERROR, "2.00 s in the future", "chrony"),
        ({"arrivals": stamped(0.0, 0.0)}, Level.ERROR, "not stamped", "time of exposure"),
        ({"arrivals": stamped(60.0 - NOW_S)}, Level.ERROR, "otherwise", "--sim-time"),
    ],
)
def test_what_ails_a_stream_is_told_with_its_cure(change, level, says, cure) -> None:
    found = [d for d in check(replace(HEALTHY, **change)) if d.level is not Level.OK]
    assert [(d.level, says in d.text, cure in d.cure) for d in found] == [(level, True, True)]


def test_a_stamp_that_stands_still_is_told() -> None:
    stuck = tuple(replace(a, stamp_s=NOW_S) for a in arrivals()[:3])
    assert "does not advance" in check(replace(HEALTHY, arrivals=stuck))[-1].text


def test_stamps_that_go_back_are_told() -> None:
    first, second, *more = arrivals()
    mixed = (replace(first, stamp_s=second.stamp_s), replace(second, stamp_s=first.stamp_s), *more)
    assert "go back" in check(replace(HEALTHY, arrivals=mixed))[-1].text


def test_a_topic_of_another_name_is_offered() -> None:
    absent = replace(HEALTHY, offered=(), arrivals=())
    topics = {"camera__left__image_raw": IMAGE, "camera__left__info": "other"}
    (found,) = check(absent, **topics, camera__left__image=IMAGE)  # which others ask for too
    assert "if it is /camera/left/image_raw," in found.cure
    assert "info" not in found.cure


PANDA = load_robot("panda")
LIMITS = np.array([[-2.9, 2.9]] * 7)
RESTING = dict(zip((*PANDA.joint_names, PANDA.finger_names[0]), [0.1] * 7 + [0.02], strict=True))


def joints(**change: float | None):
    told = {k: v for k, v in (RESTING | change).items() if v is not None}
    return list(check_joints(PANDA, LIMITS, [told], "/joint_states"))


def test_joints_that_are_all_told_are_ok() -> None:
    (found,) = joints()
    assert found.level is Level.OK
    assert "8 joints" in found.text


@pytest.mark.parametrize(
    ("change", "says", "cure"),
    [
        ({"panda_joint3": None}, "nothing is told of panda_joint3", "profile"),
        ({"panda_joint3": float("nan")}, "panda_joint3 is told as no number", "encoder"),
        ({"panda_joint3": 3.2}, "panda_joint3 is at 3.200, out of", "calibrated"),
        ({"panda_joint3": -90.0}, "panda_joint3 is at -90.000", "radians"),
        ({"panda_finger_joint1": 0.3}, "panda_finger_joint1 is at 0.300", "calibrated"),
    ],
)
def test_what_ails_a_joint_is_told_with_its_cure(change, says, cure) -> None:
    found = [d for d in joints(**change) if d.level is Level.ERROR]
    assert [(says in d.text, cure in d.cure) for d in found] == [(True, True)]


def test_joints_of_other_names_are_named() -> None:
    told = {name.replace("panda", "arm"): q for name, q in RESTING.items()}
    (found,) = check_joints(PANDA, LIMITS, [told], "/joint_states")
    assert "arm_joint1" in found.text
    assert found.level is Level.ERROR
