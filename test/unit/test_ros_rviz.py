"""The RViz configuration shows topics that exist."""

from __future__ import annotations

from pathlib import Path

import yaml

CONFIG = Path(__file__).parents[2] / "config" / "sayso.rviz"


def test_it_shows_scene_maps_tours_frames_and_cameras() -> None:
    manager = yaml.safe_load(CONFIG.read_text())["Visualization Manager"]
    displays = manager["Displays"]
    topics = {d["Topic"]["Value"] for d in displays if "Topic" in d}
    assert manager["Global Options"]["Fixed Frame"] == "world"
    assert topics == {"/scene_markers", "/map", "/map_points", "/tpsm", "/tour_markers"} | {
        f"/camera/{camera}/color/image_raw" for camera in ("left", "right", "wrist", "front")
    }
    latched = {
        d["Topic"]["Value"]
        for d in displays
        if d.get("Topic", {}).get("Durability Policy") == "Transient Local"
    }
    assert latched == {"/map", "/map_points", "/tpsm", "/tour_markers"}
    assert "rviz_default_plugins/TF" in {d["Class"] for d in displays}
