"""What is written for Gazebo, by its own parser, which `./check extras` compiles."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from sayso.worlds.flat.generate import generate
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sdf import to_sdf

SCENES = ("apartment", "errand_kitchen", "errand_lab", "home", "lobby", "office", "studio")


def told(*files: Path) -> str:
    """What libsdformat says of files; "" where all is well."""
    program = os.environ.get("SAYSO_SDF_CHECK")
    if not program:
        pytest.skip("libsdformat is not asked: ./check extras")
    done = subprocess.run([program, *files], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr * done.returncode


@pytest.mark.parametrize("scene", [*map(fixed, SCENES), generate(7)], ids=lambda s: s.name)
def test_a_flat_is_sdf(scene: FlatScene, tmp_path: Path) -> None:
    file = tmp_path / "world.sdf"
    file.write_text(to_sdf(scene))
    assert told(file) == ""


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    """A door that hangs on a link which is not there: to XML that is as good as any."""
    file = tmp_path / "world.sdf"
    file.write_text(to_sdf(fixed("apartment")).replace("<child>link<", "<child>leaf<", 1))
    assert "leaf" in told(file)
