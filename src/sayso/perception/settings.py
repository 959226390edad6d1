"""What words about places mean in one kind of scene."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

from sayso.perception.relations import FLAT_THRESHOLDS, RelationThresholds
from sayso.perception.viewpoints import FrameOfReference


@dataclass(frozen=True)
class GroundingSettings:
    """How descriptions are matched with things.

    Attributes:
        thresholds: of the comparators.
        frame: from where left, right, in front and behind are meant.
        origin: what the origin of the scene's frame is, for people.
        table_is_a_thing: False where the table is the ground that everything stands on.
        touching_m: how far measured places of things that touch may be apart.
    """

    thresholds: RelationThresholds = field(default_factory=RelationThresholds)
    frame: FrameOfReference = field(default_factory=FrameOfReference)
    origin: str = "the robot's base"
    table_is_a_thing: bool = False
    touching_m: float = 0.015

    @staticmethod
    def of(predicates: Container[str], frame: FrameOfReference | None = None) -> GroundingSettings:
        """Those that suit a library's predicates: a flat's for what drives, else a table's."""
        frame = frame or FrameOfReference()
        if "near" not in predicates:
            return GroundingSettings(frame=frame, table_is_a_thing="on_table" not in predicates)
        return replace(FLAT, frame=frame)


TABLE = GroundingSettings()
FLAT = GroundingSettings(
    FLAT_THRESHOLDS, origin="the map's origin", table_is_a_thing=True, touching_m=0.05
)
