"""Parameters of nodes that match descriptions with things: what words about places mean."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import cast

from sayso.core.errors import Code, SaySoError
from sayso.core.places import Places, RelationThresholds
from sayso.perception.settings import GroundingSettings
from sayso.perception.viewpoints import VIEWERS, FrameOfReference, Viewer
from sayso.ros.runtime.params import param

SUITED = -1.0
"""A threshold that stands for what the library declares."""


@dataclass(frozen=True)
class GroundingConfig:
    """Frame of reference and thresholds; see docs/grounding.md."""

    frame_of_reference: str = param(
        "map",
        "from where left, right, in front and behind are meant: the map's origin along +x, or"
        " as the speaker sees them",
        choices=VIEWERS,
    )
    speaker: tuple[float, ...] = param(
        (0.0, 0.0, 0.0), "where the speaker stands and faces: x [m], y [m], yaw [rad]"
    )
    side_m: float = param(
        SUITED, "left, right, in front, behind: at least so far [m]; -1: as suits", SUITED, 100.0
    )
    height_m: float = param(
        SUITED, "above, below: middles at least so far apart [m]; -1: as suits", SUITED, 100.0
    )
    hanging_m: float = param(
        SUITED, "above, below: largest gap of what hangs [m]; -1: as suits", SUITED, 100.0
    )
    next_to_m: float = param(SUITED, "next to: largest gap [m]; -1: as suits", SUITED, 100.0)
    between_m: float = param(
        SUITED, "between: at most so far from the line [m]; -1: as suits", SUITED, 100.0
    )
    between_height_share: float = param(
        SUITED, "between: what heights count in that, 0 to 1; -1: as suits", SUITED, 1.0
    )

    def settings(self, places: Places) -> GroundingSettings:
        """What words about places mean, by what the library declares and what was set here.

        Raises:
            SaySoError: CONFIG unless the speaker's pose is x, y and yaw, and every threshold
                is 0 or more, or -1.
        """
        given = {f.name: getattr(self, f.name) for f in fields(RelationThresholds)}
        for name, value in given.items():
            if SUITED < value < 0.0:
                raise SaySoError(
                    Code.CONFIG,
                    f"parameter '{name}' cannot be {value:g}.",
                    hint="give 0 or more, or -1.0 for what suits the library.",
                )
        chosen = {name: value for name, value in given.items() if value != SUITED}
        return GroundingSettings(replace(places, **chosen), self._frame())

    def _frame(self) -> FrameOfReference:
        if len(self.speaker) != 3:
            raise SaySoError(
                Code.CONFIG,
                f"parameter 'speaker' has {len(self.speaker)} numbers.",
                hint="give x [m], y [m] and yaw [rad].",
            )
        return FrameOfReference(cast(Viewer, self.frame_of_reference), *self.speaker)
