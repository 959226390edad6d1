"""The parameters of perception, for who looks at cameras before perception is started."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory
from rclpy.node import Node
from rclpy.parameter import Parameter

from sayso.robots.profile import RobotProfile
from sayso.ros.nodes.flat_perception_node import FlatPerceptionConfig
from sayso.ros.nodes.perception_node import PerceptionConfig
from sayso.ros.runtime.params import declare


def perception_config(node: Node, robot: RobotProfile) -> PerceptionConfig | FlatPerceptionConfig:
    """Declare them: of the node `perception`, or of a robot that drives, `flat_perception`."""
    return declare(node, FlatPerceptionConfig) if robot.base else declare(node, PerceptionConfig)


def as_launched(
    options: argparse.Namespace, robot: RobotProfile, cameras: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Arguments of a node, so that its parameters are those of `options.config`, a config_dir."""
    share = Path(get_package_share_directory("sayso_ros")) / "config"
    name = "flat_perception.yaml" if robot.base else "perception.yaml"
    overrides = [Parameter("use_sim_time", value=options.sim_time)]
    if cameras:
        overrides.append(Parameter("cameras", value=list(cameras)))
    return {
        "namespace": options.namespace,
        "cli_args": ["--ros-args", "--params-file", str((options.config or share) / name)],
        "parameter_overrides": overrides,
    }
