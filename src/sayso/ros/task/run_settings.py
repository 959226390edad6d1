"""What a run was started with: a file in its folder, for the report and for doing it again."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sayso.adapters.llm.access import ModelAccess

FILE = "settings.json"

PACKAGES = (
    "mujoco",
    "numpy",
    "ompl",
    "openai",
    "opencv-python-headless",
    "scipy",
    "unified-planning",
    "up-fast-downward",
)
"""Those whose version can change what a run does."""
_DEFAULTS: Mapping[str, object] = {
    "world": "table",
    "scene": "studio",
    "finder": "simulator",
    "device": "cpu",
    "threshold": 0.1,
    "frame_of_reference": "map",
    "llm": "none",
    "llm_timeout": ModelAccess().timeout_s,
    "temperature": ModelAccess().temperature,
    "max_tokens": ModelAccess().max_tokens,
    "attempts": ModelAccess().attempts,
}
"""Options that decide what happens, with what they are if nothing is said."""
_OTHERS = (
    "robot",
    "library",
    "segmenter",
    "detector",
    "detector_revision",
    "segmenter_revision",
    "misses",
    "inventions",
    "mislabels",
    "speaker",
    "disturb",
    "model",
    "base_url",
    "cassette",
)
"""More of them, with nothing as their default."""


def write(options: argparse.Namespace, folder: Path) -> None:
    """Note in the run folder what `sayso demo` was given, and on what it runs."""
    (folder / FILE).write_text(json.dumps(settings(options), indent=2) + "\n")


def read(folder: Path) -> Mapping[str, Any]:
    """What `write` wrote; empty if the nodes were not started by `sayso demo`."""
    try:
        started: Mapping[str, Any] = json.loads((folder / FILE).read_text())
    except (OSError, ValueError):  # the report must be written whatever lies there
        return {}
    return started


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """As plain JSON values; `options` are the words that ./demo needs to do the same."""
    return {
        "options": demo_options(options),
        "python": platform.python_version(),
        "system": platform.platform(),
        "commit": _commit(),
        "packages": {name: v for name in PACKAGES if (v := _version(name))},
    }


def demo_options(options: argparse.Namespace) -> list[str]:
    """The options that decide what happens, without those that say what becomes of it."""
    words = ["--seed", str(options.seed)]
    words += ["--no-noise"] if options.no_noise else []
    for name in (*_DEFAULTS, *_OTHERS):
        value = getattr(options, name)
        if value != _DEFAULTS.get(name) and (value or name in _DEFAULTS):
            values = value if isinstance(value, list) else [value]
            words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return words


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _commit() -> str:
    """Of the checkout that this file is in, '+' if it has changes; '' if it is in none."""
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, check=True, timeout=5.0)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
