"""The flat's library with something added, by data alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sayso.core.library import Library, builtin_path, load


def with_additions(
    folder: Path, added: Mapping[str, Any], predicates: Mapping[str, str]
) -> Library:
    """A copy of the flat's library in a new folder, with entries and predicates added to it."""
    shutil.copytree(builtin_path("flat"), folder)
    for name, source in predicates.items():
        (folder / "predicates" / f"{name}.py").write_text(source)
    index = json.loads((folder / "library.json").read_text())
    for key in ("predicates", "operators"):
        index[key] += added[key]
    for key, more in added["english"].items():
        index["english"][key] += more
    (folder / "library.json").write_text(json.dumps(index))
    return load(folder)
