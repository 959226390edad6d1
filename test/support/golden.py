"""Texts that are kept in files. To accept a change: SAYSO_UPDATE_GOLDEN=1 pytest test/golden"""

from __future__ import annotations

import os
from pathlib import Path


def check_golden(file: Path, text: str) -> None:
    """Asserts that a file holds just this text; writes it where changes are accepted."""
    if os.environ.get("SAYSO_UPDATE_GOLDEN"):
        file.write_text(text)
    assert text == file.read_text()
