"""What the executables call: a node by its name, imported once signals end its process quietly.

Importing takes seconds. Python itself answers a Ctrl-C in that time with a traceback.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec


def __getattr__(node: str) -> Callable[[], None]:
    """`start` of a node; AttributeError where there is none of that name."""
    if find_spec(_module(node)) is None:
        raise AttributeError(node)
    return partial(start, node)


def start(node: str) -> None:
    """Runs a node as a process; until `runtime.runner` takes signals nothing has to be closed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    import_module(_module(node)).main()


def _module(node: str) -> str:
    return f"{__package__}.{node}_node"
