"""Every parameter file names exactly the parameters that its node declares, with its defaults."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from support.node_config import config_class

CONFIG = Path(__file__).parents[2] / "config"
NODES = sorted(p.stem for p in CONFIG.glob("*.yaml"))
EXPECTED = {
    "automaton", "executor", "feedback", "flat_world", "interpreter", "mapper", "perception",
    "planner", "recorder", "world",
}  # fmt: skip


def parameters(node: str) -> dict[str, Any]:
    document = yaml.safe_load((CONFIG / f"{node}.yaml").read_text())
    # In whatever namespace the node is started.
    assert list(document) == ["/**"]
    assert list(document["/**"]) == ["ros__parameters"]
    return document["/**"]["ros__parameters"]


def test_every_node_has_a_file() -> None:
    assert set(NODES) >= EXPECTED


@pytest.mark.parametrize("node", NODES)
def test_keys_are_the_declared_fields(node: str) -> None:
    assert set(parameters(node)) == {f.name for f in dataclasses.fields(config_class(node))}


@pytest.mark.parametrize("node", NODES)
def test_values_are_the_defaults(node: str) -> None:
    defaults = dataclasses.asdict(config_class(node)())
    for name, value in parameters(node).items():
        default = list(defaults[name]) if isinstance(defaults[name], tuple) else defaults[name]
        assert value == default, name
        assert type(value) is type(default), name


@pytest.mark.parametrize("node", NODES)
def test_every_parameter_is_described(node: str) -> None:
    for field in dataclasses.fields(config_class(node)):
        assert field.metadata["param"].description, field.name
