"""Whether a robot's topics and joints are what its profile says: judged from what was heard.

Nothing here asks the robot to move, and nothing here knows ROS: who listens is in `ros`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.diagnostics import Diagnostic, ok, warn, wrong
from sayso.core.geometry import Array
from sayso.robots.profile import RobotProfile

SLACK = 0.7
"""A stream may come at this share of its stated rate: what is counted is a few seconds long."""
AHEAD_S = 0.05
_OTHER_CLOCK_S = 1e6  # no delay, but another way of counting time
_BEYOND_RAD = 0.01
_TURNS_RAD = 2.5 * np.pi  # joints turn less than this; numbers beyond are degrees
_CLOCK_CURE = (
    "let all computers keep one time (chrony or PTP), and stamp with the time of exposure."
)


@dataclass(frozen=True)
class Arrival:
    """A message: when it was stamped, and when it came, by the listener's clock [s]."""

    stamp_s: float
    heard_s: float


@dataclass(frozen=True)
class Stream:
    """A topic that is needed, and what came of it.

    Attributes:
        topic: with its namespace.
        wanted: type of its messages, such as sensor_msgs/msg/Image.
        offered: types that publishers offer, one for each publisher.
        arrivals: in the order they came.
        begun_s, ended_s: from when until when it was listened to, by the listener's clock.
    """

    topic: str
    wanted: str
    offered: tuple[str, ...]
    arrivals: tuple[Arrival, ...]
    begun_s: float
    ended_s: float


def check_stream(
    stream: Stream,
    topics: Mapping[str, Sequence[str]],
    *,
    rate_hz: float = 0.0,
    fresh_s: float = 1.0,
    entry: str = "",
) -> Iterator[Diagnostic]:
    """Whether a topic is there, is of its type, comes often enough, and is stamped rightly.

    Args:
        topics: all that are published, with their types.
        rate_hz: that is stated for it; 0: none is.
        fresh_s: age at which what it tells is too old.
        entry: where its name is set, for the cure.
    """
    part = stream.topic
    if not stream.offered:
        yield wrong(part, "nobody publishes it", _named_else(stream, topics, entry))
        return
    if stream.wanted not in stream.offered:
        types = ", ".join(sorted(set(stream.offered)))
        yield wrong(part, f"it is of type {types}, not {stream.wanted}", _set(entry))
        return
    if len(stream.offered) > 1:
        yield warn(part, f"{len(stream.offered)} publish it", "end all but one.")
    if not stream.arrivals:
        yield wrong(
            part,
            f"it is published, but nothing came in {stream.ended_s - stream.begun_s:.0f} s",
            "see whether its device delivers (`ros2 topic hz`), and whether the network lets "
            "packets of that size through.",
        )
        return
    yield from _rate(stream, rate_hz)
    yield from _stamps(stream, fresh_s)


def _named_else(stream: Stream, topics: Mapping[str, Sequence[str]], entry: str) -> str:
    same = [n for n, types in topics.items() if stream.wanted in types and n != stream.topic]
    near = difflib.get_close_matches(stream.topic, same, n=3, cutoff=0.3) or sorted(same)[:3]
    start = "start its driver, with the same ROS_DOMAIN_ID"
    if not near:
        return f"{start}."
    return f"{start}; or, if it is {' or '.join(near)}, {_set(entry)}"


def _set(entry: str) -> str:
    return f"say so in {entry}." if entry else "say so in the robot's profile."


def _rate(stream: Stream, rate_hz: float) -> Iterator[Diagnostic]:
    span_s = stream.ended_s - stream.arrivals[0].heard_s
    rate = (len(stream.arrivals) - 1) / span_s if span_s > 0 else 0.0
    if rate < SLACK * rate_hz:
        yield wrong(
            stream.topic,
            f"it comes at {rate:.1f} Hz, where {rate_hz:.1f} are stated",
            "lower the resolution, use a cable or shorter exposure, or state the rate that it has.",
        )
    else:
        yield ok(stream.topic, f"{rate:.1f} Hz")


def _stamps(stream: Stream, fresh_s: float) -> Iterator[Diagnostic]:
    part = stream.topic
    stamps = np.array([a.stamp_s for a in stream.arrivals])
    age = float(np.median([a.heard_s for a in stream.arrivals] - stamps))
    if not stamps.all():
        yield wrong(part, "it is not stamped", "have its driver stamp with the time of exposure.")
    elif abs(age) > _OTHER_CLOCK_S:
        yield wrong(
            part,
            "its stamps count time otherwise, as simulators do, or from the start of a computer",
            "with a simulator say --sim-time, and use_sim_time:=true to the nodes; else mend its "
            "driver.",
        )
    elif len(stamps) > 2 and np.ptp(stamps) == 0.0:
        yield wrong(part, "its stamp does not advance", "see whether its device is stuck.")
    elif (np.diff(stamps) < 0).any():
        yield warn(part, "its stamps go back", _CLOCK_CURE)
    elif age < -AHEAD_S:
        yield wrong(part, f"it is stamped {-age:.2f} s in the future", _CLOCK_CURE)
    elif age > fresh_s:
        yield wrong(
            part,
            f"it is {age:.2f} s old when it comes, where {fresh_s:.2f} are allowed",
            f"either it is late, and needs a faster link, or the clocks differ: {_CLOCK_CURE}",
        )


def check_joints(
    robot: RobotProfile, limits: Array, told: Sequence[Mapping[str, float]], part: str
) -> Iterator[Diagnostic]:
    """Whether every joint of the profile is told of, as a number, within its range.

    Args:
        limits: (J, 2) of the arm's joints [rad].
        told: positions by name, of each message.
        part: the topics they came on.
    """
    needed = (*robot.joint_names, robot.finger_names[0])
    known = {name for message in told for name in message}
    missing = [name for name in needed if name not in known]
    if missing:
        others = sorted(known.difference(needed))
        yield wrong(
            part,
            f"nothing is told of {', '.join(missing)}"
            + (f", but of {', '.join(others)}" if others else ""),
            "name the joints in a profile as their driver does, or switch that joint's driver on; "
            "`joint_states` of its `drivers` lists all topics that tell of joints.",
        )
    for name, (low, high) in zip(needed, (*limits, _finger_range(robot)), strict=True):
        positions = np.array([message[name] for message in told if name in message])
        if len(positions):
            yield from _position(part, name, positions, float(low), float(high))
    if not missing and known:
        yield ok(part, f"all {len(needed)} joints are told of")


def _finger_range(robot: RobotProfile) -> tuple[float, float]:
    low, high = sorted((robot.hand.open_at, robot.hand.closed_at))
    slack = 0.1 * (high - low)
    return low - slack, high + slack


def _position(
    part: str, name: str, positions: Array, low: float, high: float
) -> Iterator[Diagnostic]:
    if not np.isfinite(positions).all():
        yield wrong(part, f"{name} is told as no number", "see to its encoder or driver.")
        return
    lowest, highest = float(positions.min()), float(positions.max())
    if lowest >= low - _BEYOND_RAD and highest <= high + _BEYOND_RAD:
        return
    at = lowest if lowest < low else highest
    degrees = abs(at) > _TURNS_RAD
    yield wrong(
        part,
        f"{name} is at {at:.3f}, out of its range from {low:.3f} to {high:.3f} [rad or m]",
        "have its driver tell radians, not degrees."
        if degrees
        else "see whether the profile's description is this robot's, and its zero is calibrated.",
    )
