"""A demonstration out of a bag, such as of an arm that was guided by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rclpy.serialization import deserialize_message
from rosbags.highlevel import AnyReaderError
from sayso_ros.msg import Scene as SceneMsg
from sensor_msgs.msg import JointState

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame, Sample
from sayso.learning.demonstrations.moments import KeyScenes
from sayso.robots.loading import load_robot
from sayso.ros.bags.rosbag import names_within, opened, unreadable
from sayso.ros.messages.conversions import scene_from_msg
from sayso.ros.messages.joints import JointReadings, robot_state

JOINTS, SCENE = "/joint_states", "/scene"
_TYPES = {JOINTS: JointState, SCENE: SceneMsg}


def shown_in(
    bag: Path, words: str, things: Mapping[str, str], robot: str = "panda", namespace: str = ""
) -> Demonstration:
    """The arm's motion in a bag; the first and the last scene are key frames, and those where one
    contact primitive ends and another begins.

    Args:
        words: what it shows.
        things: the scene's names by parameter of the skill.
        robot: a profile's name, or its file.

    Raises:
        SaySoError: CORRUPT if it is no bag; INVALID if it holds no joints or scenes.
    """
    profile = load_robot(robot)
    kinematics = registry.create("kinematics", "mujoco", robot=profile)
    readings, samples, key = JointReadings(profile), list[Sample](), KeyScenes()
    kept, newest, seen = list[Scene](), None, 0
    for message in _messages(bag, namespace):
        if isinstance(message, SceneMsg):
            newest, seen = scene_from_msg(message), seen + 1
            if not kept:
                kept.append(newest)
                key.begin(newest)
            else:
                kept += filter(None, (key.scene(newest),))
        elif (reading := readings.take(message)) is not None:
            state = robot_state(reading, kinematics, profile)
            if not samples or state.stamp_s > samples[-1].stamp_s:
                width_m, joints = state.gripper_width_m, state.joint_positions
                samples.append(Sample(state.stamp_s, state.gripper, width_m, joints))
                kept += filter(None, (key.width(state.stamp_s, width_m),))
    if not samples or newest is None:
        raise SaySoError(
            Code.INVALID,
            f"{bag} shows no motion among things: it has {len(samples)} whole readings of the "
            f"joints of {profile.name} and {seen} scenes.",
            hint=f"record {JOINTS} and {SCENE}.",
        )
    last = () if newest is kept[-1] else (newest,)
    frames = tuple(map(KeyFrame, (*kept, *last)))
    return Demonstration(words, dict(things), tuple(samples), frames, robot=profile.name)


def _messages(bag: Path, namespace: str) -> Iterator[Any]:
    """Joints and scenes in the order of their reception.

    ROS 2 itself reads them: rosbags takes joint states without velocities or efforts to be damaged.
    """
    try:
        with opened(bag) as reader:
            names = names_within(reader.connections, namespace)
            chosen = [c for c in reader.connections if names.get(c.topic) in _TYPES]
            for connection, _, data in reader.messages(connections=chosen) if chosen else ():
                yield deserialize_message(bytes(data), _TYPES[names[connection.topic]])
    except (AnyReaderError, OSError) as error:
        raise unreadable(bag, error) from error
