"""The whole of perception in one call: frames and the robot's state in, the scene out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sayso.core.ports import RgbdFrame, SceneSegmenter
from sayso.core.scene import RobotState, Scene
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.perception.camera import cloud
from sayso.perception.fusion import FUSION_GAP_M, fuse
from sayso.perception.table import TablePlane, TableSearch, combine, estimate_table
from sayso.perception.tracking import SceneTracker, TrackerConfig

SelfFilter = Callable[[RgbdFrame, RobotState], RgbdFrame]
"""Gives a frame back without depth where it shows the robot itself."""

_TABLE_STRIDE = 8


@dataclass(frozen=True)
class PerceptionConfig:
    """`fusion_gap_m`: how far apart two cameras' points of one thing may lie."""

    tracker: TrackerConfig = field(default_factory=TrackerConfig)
    table: TableSearch = field(default_factory=TableSearch)
    fusion_gap_m: float = FUSION_GAP_M


def keep_all(frame: RgbdFrame, robot: RobotState) -> RgbdFrame:
    """The self filter of a robot that no camera sees."""
    del robot
    return frame


class ScenePerception:
    """Segments each frame, fuses the views, and tracks the objects.

    Attributes:
        appearances: what things look like.
    """

    def __init__(
        self,
        segmenter: SceneSegmenter,
        self_filter: SelfFilter = keep_all,
        config: PerceptionConfig | None = None,
        appearances: Appearances | None = None,
    ) -> None:
        self._segmenter = segmenter
        self._self_filter = self_filter
        self._config = config = config or PerceptionConfig()
        self.appearances = tabletop_appearances() if appearances is None else appearances
        self._tracker = SceneTracker(config.tracker, self.appearances)
        self._table = TablePlane(config.table.prior_m)

    def know(self, appearances: Appearances, segmenter: SceneSegmenter | None) -> None:
        """From the next frames on; what was seen keeps its name, and what is held stays held.

        Without a segmenter the one that it has goes on.
        """
        self._segmenter = segmenter or self._segmenter
        self.appearances = self._tracker.appearances = appearances

    def observe(self, frames: Sequence[RgbdFrame], robot: RobotState) -> Scene:
        """The scene after frames of one moment, one a camera at most.

        With no frames the scene is the remembered one, moved with the gripper.
        """
        clean = [self._self_filter(frame, robot) for frame in frames]
        self._table = combine((self._plane(f) for f in clean), self._table)
        views = [self._segmenter.objects(frame) for frame in clean]
        seen = fuse(
            views,
            self.appearances,
            self._table,
            known=self._tracker.predict(robot),
            gap_m=self._config.fusion_gap_m,
        )
        return self._tracker.update(seen, clean, robot, self._table)

    def _plane(self, frame: RgbdFrame) -> TablePlane:
        view = cloud(frame, _TABLE_STRIDE)
        return estimate_table(view.points[view.valid], self._config.table)
