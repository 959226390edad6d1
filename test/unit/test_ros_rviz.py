"""The RViz configurations show topics that exist."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sayso.ros.launch import launch_file

CONFIG = Path(__file__).parents[2] / "config"
TABLE = {"/scene_markers"}
FLAT = {"/scene_markers", "/map", "/map_points", "/task_progression_map", "/tour_markers", "/scan"}
LATCHED = {"/map", "/map_points", "/task_progression_map", "/tour_markers"}


def manager(name: str) -> Mapping[str, Any]:
    return yaml.safe_load((CONFIG / name).read_text())["Visualization Manager"]


@pytest.mark.parametrize(
    ("name", "frame", "topics", "cameras"),
    [
        ("sayso.rviz", "world", TABLE, ("left", "right", "wrist")),
        ("flat.rviz", "map", FLAT, ("front", "gripper")),
    ],
)
def test_it_shows_what_there_is_in_its_world(name, frame, topics, cameras) -> None:
    shown = manager(name)
    displays = shown["Displays"]
    assert shown["Global Options"]["Fixed Frame"] == frame
    assert {d["Topic"]["Value"] for d in displays if "Topic" in d} == topics | {
        f"/camera/{camera}/color/image_raw" for camera in cameras
    }
    assert "rviz_default_plugins/TF" in {d["Class"] for d in displays}
    frames = {d["Reference Frame"] for d in displays if "Reference Frame" in d}
    assert frames == {frame} == {shown["Views"]["Current"]["Target Frame"]}


def test_what_is_sent_once_is_asked_for_again() -> None:
    displays = [d for d in manager("flat.rviz")["Displays"] if "Topic" in d]
    latched = {
        d["Topic"]["Value"]
        for d in displays
        if d["Topic"]["Durability Policy"] == "Transient Local"
    }
    assert latched == LATCHED


@pytest.mark.parametrize("name", ["sayso.rviz", "flat.rviz"])
def test_what_it_shows_is_looked_for_in_the_namespace(name: str) -> None:
    root = launch_file.parse(CONFIG.parent / "launch/rviz.launch.xml")
    (node,) = (e for e in root.children if e.tag == "node")
    remapped = {c.attributes["from"]: c.attributes["to"] for c in node.children if c.tag == "remap"}
    for display in manager(name)["Displays"]:
        if "Topic" in display:
            topic = display["Topic"]["Value"]
            assert remapped[topic] == topic.removeprefix("/")


@pytest.mark.parametrize("name", ["sayso.rviz", "flat.rviz"])
def test_it_shows_the_robot(name: str) -> None:
    (model,) = (
        d for d in manager(name)["Displays"] if d["Class"] == "rviz_default_plugins/RobotModel"
    )
    topic = model["Description Topic"]
    assert topic["Value"] == "/robot_description"
    assert topic["Durability Policy"] == "Transient Local"
