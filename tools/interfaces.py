"""Write the sources of the ROS packages that optional parts speak to, a folder each.

The only argument is the folder to write them into. MoveIt's interfaces, Nav2's and vision_msgs, as
of ROS 2 Jazzy, are restated in `tools/interfaces/` field by field; a package has only what the
actions `MoveGroup` and `NavigateToPose`, the service `GetPlanningScene` and arrays of detections
need.
"""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent / "lib"))
from write_ros_packages import write_package

if __name__ == "__main__":
    for file in sorted(Path(__file__).with_suffix("").glob("*.yaml")):
        told = yaml.safe_load(file.read_text())
        write_package(
            Path(sys.argv[1]) / file.stem,
            file.stem,
            told["version"],
            told["interfaces"],
            tuple(told["depends"]),
        )
