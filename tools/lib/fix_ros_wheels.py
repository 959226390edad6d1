"""Point the CMake files of the ROS wheels at this machine's Python.

The wheels export include folders of the machine that they were built on, which CMake then misses.
Run once, with the virtual environment's own Python, after installing them.
"""

import re
import sys
import sysconfig
from pathlib import Path

import numpy as np

PYTHON_INCLUDE = re.compile(r"/opt/python/cp\d+-cp\d+/include/python3\.\d+")
NUMPY_INCLUDE = re.compile(r"/opt/python/[^;\"]*/site-packages/numpy/[^;\"]*/include")


def fix(prefix: Path) -> int:
    """Rewrite the CMake files below `prefix`; how many were changed."""
    python_include, numpy_include = sysconfig.get_paths()["include"], np.get_include()
    changed = 0
    for path in prefix.glob("share/*/cmake/*.cmake"):
        before = path.read_text()
        after = NUMPY_INCLUDE.sub(numpy_include, PYTHON_INCLUDE.sub(python_include, before))
        if after != before:
            path.write_text(after)
            changed += 1
    return changed


if __name__ == "__main__":
    sys.stdout.write(f"{fix(Path(sys.prefix))} CMake files point at this Python now\n")
