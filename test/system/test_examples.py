"""The examples run as a newcomer runs them, and are short."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
LONGEST = 60
SAYS = {
    "01_say_and_plan": "SUCCEEDED",
    "02_watch_a_trace": "VIOLATED",
    "03_add_a_predicate": "near_edge(",
    "04_see_the_table": "red_block",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs(example: Path) -> None:
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert SAYS.get(example.stem, "") in done.stdout
    assert len(example.read_text().splitlines()) <= LONGEST
