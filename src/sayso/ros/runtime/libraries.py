"""The library that a node's parameters name, and the one that is learned meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.node import Node
from sayso_ros.msg import LibraryVersion

from sayso.core import library
from sayso.core.files import below
from sayso.core.library import Library
from sayso.core.predicates import PredicateFunction
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.ros.messages.qos import LATCHED
from sayso.ros.runtime import boundary
from sayso.ros.runtime.params import param

_ELSEWHERE = "set the node's parameter follow to the folder whose code may run."


@dataclass(frozen=True)
class LibraryConfig:
    """Parameters of nodes that use a library."""

    library: str = param("tabletop", "library shipped with SaySo by name, or a folder with a slash")
    follow: str = param(
        "", "folder, or one below it, that /library may name to be taken over; empty: none"
    )

    def take_over(
        self, node: Node, take: Callable[[Library], None], load: Callable[[Path], Library]
    ) -> None:
        """Hand each library that is published below `follow` to `take`.

        Of another one, and where one cannot be read, that is logged, and the old one stays.
        """

        def received(message: LibraryVersion) -> None:
            take(load(below([Path(self.follow)], Path(message.folder), _ELSEWHERE)))
            node.get_logger().info(f"version {message.number} of the library: {message.why}")

        if self.follow:
            hear = boundary.receiving("/library", received)
            node.create_subscription(LibraryVersion, "library", hear, LATCHED)


def load_library(name: str) -> Library:
    """A library that ships with SaySo by its name, or a folder by its path (with a slash).

    The process that a model's predicates run in ends with the last of them.

    Raises:
        SaySoError: CORRUPT if it is missing or cannot be read, CONFIG for a name that none has.
    """
    return load_folder(library.named(name))


def load_folder(path: Path) -> Library:
    """As `load_library`, by its folder."""
    return library.load(path, compiler(PredicateSandbox()))


def load_operators(path: Path) -> Library:
    """A learned library for planning: none of its predicates' texts is run.

    Raises:
        SaySoError: CORRUPT or INVALID, see `core.library.load`.
    """
    return library.load(path, _unasked)


def _unasked(*_: str | int | Mapping[str, Any]) -> PredicateFunction:
    return lambda *_: None
