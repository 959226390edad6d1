"""Write the source of the ROS package `tf2_msgs` into the folder given as the only argument.

ROS 2 installed from wheels has no `tf2_msgs`. The message text comes from the type store of
`rosbags`, so that name, fields and type hash equal those of the real package.
"""

import sys
from pathlib import Path

from rosbags.typesys import Stores, get_typestore

MESSAGES = ("TF2Error", "TFMessage")

PACKAGE_XML = """<?xml version="1.0"?>
<package format="3">
  <name>tf2_msgs</name>
  <version>0.36.0</version>
  <description>The messages of tf2, where ROS 2 comes without them.</description>
  <maintainer email="maintainers@sayso.invalid">SaySo maintainers</maintainer>
  <license>BSD-3-Clause</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
  <depend>geometry_msgs</depend>
  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
"""

CMAKE_LISTS = """cmake_minimum_required(VERSION 3.20)
project(tf2_msgs)
find_package(ament_cmake REQUIRED)
find_package(geometry_msgs REQUIRED)
find_package(rosidl_default_generators REQUIRED)
rosidl_generate_interfaces(tf2_msgs {files} DEPENDENCIES geometry_msgs)
ament_export_dependencies(rosidl_default_runtime)
ament_package()
"""


def write_package(folder: Path) -> None:
    """Write package.xml, CMakeLists.txt and the message files below `folder`."""
    store = get_typestore(Stores.ROS2_JAZZY)
    (folder / "msg").mkdir(parents=True, exist_ok=True)
    for name in MESSAGES:
        text = store.generate_msgdef(f"tf2_msgs/msg/{name}", ros_version=2)[0]
        own_part = text.split("=" * 80)[0]  # what follows repeats the types it uses
        (folder / "msg" / f"{name}.msg").write_text(own_part)
    files = " ".join(f"msg/{name}.msg" for name in MESSAGES)
    (folder / "CMakeLists.txt").write_text(CMAKE_LISTS.format(files=files))
    (folder / "package.xml").write_text(PACKAGE_XML)


if __name__ == "__main__":
    write_package(Path(sys.argv[1]))
