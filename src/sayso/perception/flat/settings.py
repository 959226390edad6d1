"""How things are found in frames, put together over frames, and followed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.core.errors import Code, SaySoError
from sayso.perception.carrying import GripConfig


@dataclass(frozen=True)
class LookSettings:
    """How instances are found in frames and put together.

    Attributes:
        reach_m: depths beyond are not used.
        near_m: nor are depths closer.
        erode_px: how much of a mask's rim is left out.
        edge_jump_m: a jump of depth between neighbouring pixels, per metre of depth, that counts
            as an edge of something.
        least_points: pixels with depth that a mask needs to count.
        least_score: masks with less are not used.
        points: kept of one sighting, at most.
        voxel_m: of the largest furniture's points; smaller things keep finer ones.
        link_share: the share of a sighting's points that must lie on an instance for it to be a
            sighting of that instance.
        apart_frames: frames that show two instances at once, from which on they are not one.
        least_share: instances seen in a smaller share of the frames that had their place in view
            or in only one of them, are taken for false positives,
        in_view: if at least so many frames had it in view.
        gone_after: frames after the last sighting that look through an instance's place, from
            which on it is not there any more.
        beyond_m: how much farther than a thing a camera must see to look through its place.
        living: nouns of those who walk (`Vocabulary.living`): found where they were seen last.
    """

    reach_m: float = 6.0
    near_m: float = 0.2
    erode_px: int = 1
    edge_jump_m: float = 0.04
    least_points: int = 12
    least_score: float = 0.1
    points: int = 600
    voxel_m: float = 0.03
    link_share: float = 0.3
    apart_frames: int = 1
    least_share: float = 0.25
    in_view: int = 2
    gone_after: int = 2
    beyond_m: float = 0.12
    living: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not (0 <= self.near_m < self.reach_m and self.voxel_m > 0 and self.points > 0):
            raise SaySoError(
                Code.CONFIG,
                "looking for things needs 0 <= near_m < reach_m, voxel_m > 0 and points > 0.",
                hint="correct the settings of perception.",
            )


@dataclass(frozen=True)
class LiveSettings:
    """How things are followed after they were found.

    Attributes:
        forget_after: frames that look through a thing's place before it is missing.
        believe_after: frames that must show a new thing before it counts.
        moved_after: frames that must show furniture elsewhere before it is moved.
        visible_s: how long after its last sighting a thing counts as visible.
        inside_share: share of a sighting's points that must lie in a known box to agree with it.
        play_m: margin of that box; it grows with distance.
        memory: how many views of the same quality an average rests on.
        elsewhere_m: what is seen this far from where the gripper should have it was lost.
        near_grip_m: how near the closed fingers a thing must have been to be what they hold, if
            its place is seen empty.
        expire: frames after which a thing that was not seen again before it counted is dropped.
    """

    forget_after: int = 3
    believe_after: int = 3
    moved_after: int = 3
    visible_s: float = 1.0
    inside_share: float = 0.8
    play_m: float = 0.06
    memory: int = 8
    elsewhere_m: float = 0.15
    near_grip_m: float = 0.12
    expire: int = 60
    grip: GripConfig = field(default_factory=lambda: GripConfig(between_m=0.04))

    def __post_init__(self) -> None:
        counts = (self.forget_after, self.believe_after, self.moved_after, self.memory)
        if min(counts) < 1 or not 0 < self.inside_share <= 1:
            raise SaySoError(
                Code.CONFIG,
                "following things needs counts of at least 1 and an inside_share within 0 to 1.",
                hint="correct the settings of perception.",
            )
