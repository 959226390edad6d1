"""Formats of other projects that demonstrations are exported to and imported from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sayso.learning.demonstrations.demonstration import Demonstration

Recording: TypeAlias = Callable[[], Demonstration]
"""Reads one of a dataset; raises CORRUPT, naming the file, for what is damaged."""
