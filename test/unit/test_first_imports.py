"""Modules that others import first do so alone: no circle of imports stands in their way."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["sayso.language.lexicon", "sayso.learning.demonstrations.folder"]
)
def test_a_module_is_imported_first(module):
    command = [sys.executable, "-c", f"import {module}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
