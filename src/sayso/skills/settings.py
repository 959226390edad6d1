"""How the skills move: clearances, speeds and the hand's dimensions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SkillSettings:
    """Lengths in metres; the hand's dimensions are those of the Franka hand.

    Attributes:
        margin_m: clearance from things and furniture.
        avoid_margins_m: clearance from what must not be touched; each is tried in turn.
        table_margin_m: clearance from the table.
        approach_m: length of straight approaches, lifts and retreats from above.
        handle_approach_m: the same at a handle.
        release_gap_m: height above its support at which a thing is let go.
        open_width_m: of the fully open hand.
        fingertip_m: how far the fingertips reach beyond the tool centre point.
        palm_m: from the tool centre point to what the fingers do not get a thing into.
        hand_m: half the hand's breadth, across the direction in which it closes.
        jaw_m: from the tool centre point to the inner face of a jaw that does not move, on its
            negative y axis; 0 where both fingers move.
        empty_width_m: below this width the closed hand holds nothing.
        grip_force_n: of each finger on a thing.
        speed, slow_speed: share of the joints' limits in free and in straight motions.
        held_share: of that speed, in free motions with something in the hand.
        drawer_opening_m: how far a drawer is opened.
        handle_standoff_m: from a drawer's front face to the middle of its handle bar.
        plan_timeout_s: for one free motion.
        scene_timeout_s: how long to wait for a fresh scene.
        stale_patience_s: how long the arm rests for observations to become fresh again before
            the skill fails.
    """

    margin_m: float = 0.015
    avoid_margins_m: tuple[float, ...] = (0.05, 0.035, 0.02)
    table_margin_m: float = 0.003
    approach_m: float = 0.10
    handle_approach_m: float = 0.08
    release_gap_m: float = 0.004
    open_width_m: float = 0.08
    fingertip_m: float = 0.009
    palm_m: float = 0.037
    hand_m: float = 0.034
    jaw_m: float = 0.0
    empty_width_m: float = 0.003
    grip_force_n: float = 25.0
    speed: float = 0.6
    slow_speed: float = 0.3
    held_share: float = 1.0
    drawer_opening_m: float = 0.15
    handle_standoff_m: float = 0.045
    plan_timeout_s: float = 2.0
    scene_timeout_s: float = 10.0
    stale_patience_s: float = 2.0


DEFAULTS = SkillSettings()
