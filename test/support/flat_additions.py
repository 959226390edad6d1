"""The flat's library with doors and lights added, by data alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from sayso.core.library import Library, builtin_path, load

ADDITIONS = Path(__file__).parents[1] / "data" / "doors_and_lights"


def with_doors_and_lights(folder: Path) -> Library:
    """A library in a new folder."""
    shutil.copytree(builtin_path("flat"), folder)
    shutil.copytree(ADDITIONS / "predicates", folder / "predicates", dirs_exist_ok=True)
    index = json.loads((folder / "library.json").read_text())
    added = json.loads((ADDITIONS / "additions.json").read_text())
    for key in ("predicates", "operators"):
        index[key] += added[key]
    for key, more in added["english"].items():
        index["english"][key] += more
    (folder / "library.json").write_text(json.dumps(index))
    return load(folder)
