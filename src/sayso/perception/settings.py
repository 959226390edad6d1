"""What words about places mean to somebody, in one kind of scene."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.core.places import Places
from sayso.perception.viewpoints import FrameOfReference


@dataclass(frozen=True)
class GroundingSettings:
    """How descriptions are matched with things.

    Attributes:
        places: what the library declares of words about places; by default a table top's.
        frame: from where left, right, in front and behind are meant.
    """

    places: Places = field(default_factory=Places)
    frame: FrameOfReference = field(default_factory=FrameOfReference)


TABLE = GroundingSettings()
