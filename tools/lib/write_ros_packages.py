"""Write the sources of the ROS packages that ROS 2 from wheels lacks, a folder each.

The only argument is the folder to write them into. The texts of tf2_msgs come from the type store
of `rosbags`; those of control_msgs, as of ROS 2 Jazzy, are restated here field by field. Name,
fields, constants and so the type hashes equal those of the real packages, of which control_msgs has
only what moves an arm and a hand.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from rosbags.typesys import Stores, get_typestore

TF2_MESSAGES = ("TF2Error", "TFMessage")

_GRIPPER_STATE = """\
float64 position
float64 effort
bool stalled
bool reached_goal
"""

CONTROL_INTERFACES = {
    "msg/JointTolerance.msg": """\
string name
float64 position
float64 velocity
float64 acceleration
""",
    "msg/JointComponentTolerance.msg": """\
uint16 X_AXIS=1
uint16 Y_AXIS=2
uint16 Z_AXIS=3
uint16 TRANSLATION=4
uint16 ROTATION=5
string joint_name
uint16 component
float64 position
float64 velocity
float64 acceleration
""",
    "msg/GripperCommand.msg": """\
float64 position
float64 max_effort
""",
    "action/GripperCommand.action": f"""\
GripperCommand command
---
{_GRIPPER_STATE}---
{_GRIPPER_STATE}""",
    "action/FollowJointTrajectory.action": """\
trajectory_msgs/JointTrajectory trajectory
trajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory
JointTolerance[] path_tolerance
JointComponentTolerance[] component_path_tolerance
JointTolerance[] goal_tolerance
JointComponentTolerance[] component_goal_tolerance
builtin_interfaces/Duration goal_time_tolerance
---
int32 error_code
int32 SUCCESSFUL = 0
int32 INVALID_GOAL = -1
int32 INVALID_JOINTS = -2
int32 OLD_HEADER_TIMESTAMP = -3
int32 PATH_TOLERANCE_VIOLATED = -4
int32 GOAL_TOLERANCE_VIOLATED = -5
string error_string
---
std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
string[] multi_dof_joint_names
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_desired
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_actual
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_error
""",
}

PACKAGE_XML = """<?xml version="1.0"?>
<package format="3">
  <name>{name}</name>
  <version>{version}</version>
  <description>{name}, where ROS 2 comes without it.</description>
  <maintainer email="maintainers@sayso.invalid">SaySo maintainers</maintainer>
  <license>BSD-3-Clause</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
{depends}
  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
"""

CMAKE_LISTS = """cmake_minimum_required(VERSION 3.20)
project({name})
foreach(package ament_cmake rosidl_default_generators {depends})
  find_package(${{package}} REQUIRED)
endforeach()
rosidl_generate_interfaces({name} {files} DEPENDENCIES {depends})
ament_export_dependencies(rosidl_default_runtime)
ament_package()
"""


def tf2_interfaces() -> dict[str, str]:
    """The texts of tf2_msgs by file."""
    store = get_typestore(Stores.ROS2_JAZZY)
    texts = {}
    for name in TF2_MESSAGES:
        text = store.generate_msgdef(f"tf2_msgs/msg/{name}", ros_version=2)[0]
        texts[f"msg/{name}.msg"] = text.split("=" * 80)[0]  # then come the types that it uses
    return texts


def write_package(
    folder: Path, name: str, version: str, interfaces: Mapping[str, str], depends: tuple[str, ...]
) -> None:
    """Write package.xml, CMakeLists.txt and the interface files of a package into `folder`."""
    for file, text in interfaces.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    listed = {"files": " ".join(interfaces), "depends": " ".join(depends)}
    (folder / "CMakeLists.txt").write_text(CMAKE_LISTS.format(name=name, **listed))
    tags = "\n".join(f"  <depend>{depend}</depend>" for depend in depends)
    (folder / "package.xml").write_text(
        PACKAGE_XML.format(name=name, version=version, depends=tags)
    )


if __name__ == "__main__":
    root = Path(sys.argv[1])
    write_package(root / "tf2_msgs", "tf2_msgs", "0.36.0", tf2_interfaces(), ("geometry_msgs",))
    write_package(
        root / "control_msgs",
        "control_msgs",
        "5.8.0",
        CONTROL_INTERFACES,
        ("action_msgs", "builtin_interfaces", "std_msgs", "trajectory_msgs"),
    )
