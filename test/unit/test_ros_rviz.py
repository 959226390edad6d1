"""The RViz configuration shows topics that exist."""

from __future__ import annotations

from pathlib import Path

import yaml

CONFIG = Path(__file__).parents[2] / "config" / "sayso.rviz"


def test_it_shows_scene_frames_and_cameras_in_the_world() -> None:
    manager = yaml.safe_load(CONFIG.read_text())["Visualization Manager"]
    displays = manager["Displays"]
    topics = {d["Topic"]["Value"] for d in displays if "Topic" in d}
    assert manager["Global Options"]["Fixed Frame"] == "world"
    assert topics == {"/scene_markers"} | {
        f"/camera/{camera}/color/image_raw" for camera in ("left", "right", "wrist")
    }
    assert "rviz_default_plugins/TF" in {d["Class"] for d in displays}
