"""package.xml names every ROS package and every rosdep key that the code needs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
ROS = {"ament_index_python", "rclpy"}
KEYS = {
    "PIL": "python3-pil",
    "cv2": "python3-opencv",
    "jsonschema": "python3-jsonschema",
    "numpy": "python3-numpy",
    "rich": "python3-rich",
    "scipy": "python3-scipy",
    "yaml": "python3-yaml",
}
"""The imported modules for which rosdep has a key."""


def imported() -> Iterator[str]:
    """The top modules that the package imports from others."""
    for path in (ROOT / "src/sayso").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


def dependencies() -> set[str]:
    root = ElementTree.parse(ROOT / "package.xml").getroot()
    return {e.text or "" for kind in ("depend", "exec_depend") for e in root.iter(kind)}


def test_every_ros_package_that_is_imported_is_listed() -> None:
    others = set(imported()) - sys.stdlib_module_names
    ros = {m for m in others if m in ROS or m.endswith(("_msgs", "_srvs", "_interfaces"))}
    assert len(ros) > 10
    assert ros <= dependencies()


def test_every_python_package_with_a_key_is_listed() -> None:
    needed = {KEYS[module] for module in set(imported()) if module in KEYS}
    assert needed == {d for d in dependencies() if d.startswith("python3-")} == set(KEYS.values())
