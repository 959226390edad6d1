"""The scene that somebody names: a fixed one, a file, or one that is generated."""

from __future__ import annotations

from pathlib import Path

from sayso.worlds.flat import scene_file
from sayso.worlds.flat.generate import generate
from sayso.worlds.flat.scene import FlatScene


def read_scene(name: str, seed: int) -> FlatScene:
    """A generated flat for '', a scene file for a path, else a fixed scene. Raises INVALID."""
    if not name:
        return generate(seed)
    if name.endswith((".yaml", ".yml")):
        return scene_file.load(Path(name))
    return scene_file.fixed(name)
