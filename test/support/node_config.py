"""The dataclass of a node's parameters."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def config_class(node: str) -> Any:
    module = import_module(f"sayso.ros.nodes.{node}_node")
    return getattr(module, "".join(w.capitalize() for w in node.split("_")) + "Config")
