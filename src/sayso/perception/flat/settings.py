"""How things are found in frames, put together over frames, and followed."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError

WALKERS = frozenset({"cat", "dog", "person", "man", "woman", "child", "people", "human", "pet"})


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
            are taken for false positives,
        in_view: if at least so many frames had it in view.
        gone_after: frames after the last sighting that look through an instance's place, from
            which on it is not there any more.
        beyond_m: how much farther than a thing a camera must see to look through its place.
        walkers: kinds of things that walk: found where they were seen last.
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
    in_view: int = 3
    gone_after: int = 2
    beyond_m: float = 0.12
    walkers: frozenset[str] = WALKERS

    def __post_init__(self) -> None:
        if not (0 <= self.near_m < self.reach_m and self.voxel_m > 0 and self.points > 0):
            raise SaySoError(
                Code.CONFIG,
                "looking for things needs 0 <= near_m < reach_m, voxel_m > 0 and points > 0.",
                hint="correct the settings of perception.",
            )
