"""How much room is left to what moves, or may: one set of figures for gate, watch and yielding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MoverSettings:
    """What is kept off by more than is observed, waited for, looked at and stepped back from.

    Attributes:
        margin_m: how far off places may be: less than tours keep off, so that they pass.
        spare_m: so much farther off than the task says whoever moves is kept.
        passing_m: those who stand are stepped away from within so much more than that.
        nearer_m: a robot, or somebody, that comes nearer by less does not.
        lately_s: what was seen no longer ago than this is where it was seen.
        unseen_s: how long what went on its way unseen is taken to have gone on.
        elsewhere_s: whom no picture showed for so long may be elsewhere.
        foresight_s: whoever would be too near by then, going on as now, comes.
        arm_foresight_s: the same while the arm works, which is to be folded before a drive.
        react_s: until the robot begins to brake.
        braking_m_s: its mean speed from then until it rests.
        alert_m: what is unknown and nearer than this beyond what is near stops the robot.
        before_m: so much farther it is looked at when the robot rests before a plan.
        sweep_s: age at which a sweep of the laser is too old to move by.
        returns: fewer in the way are noise.
        small_m: what is longer or wider than this stays where it is, unless it lives.
        wider_m: by so much what is met may seem wider than it is.
        same_m: what stands so near to something that was looked at is that.
        stood_m: so near to where what is avoided was seen last, it may be that, standing.
        keep_s: for so long what was looked at is remembered when it is not met any more.
        hand_m: so near to the hand and half of what it carries, the laser meets the robot itself.
        unsure_m_s: what was only just met is taken to come straight here, so fast.
        turns_s: what is unknown and moves is kept off for so long as if it turned straight here.
        patience_s: how long the robot waits for somebody to walk by.
        room_s: so long it tries to find a way past those who are in it.
        close_m: it gives way to somebody nearer to its middle than this,
        back_m: by backing off so far.
        retreats: steps back from somebody, for each plan.
        went_m: who is so far from where they were went elsewhere.
    """

    margin_m: float = 0.08
    spare_m: float = 0.1
    passing_m: float = 0.15
    nearer_m: float = 0.02
    lately_s: float = 0.8
    unseen_s: float = 3.0
    elsewhere_s: float = 1.5
    foresight_s: float = 2.5
    arm_foresight_s: float = 5.0
    react_s: float = 0.3
    braking_m_s: float = 0.5
    alert_m: float = 0.3
    before_m: float = 0.6
    sweep_s: float = 0.6
    returns: int = 3
    small_m: float = 0.6
    wider_m: float = 0.15
    same_m: float = 0.4
    stood_m: float = 0.15
    keep_s: float = 3.0
    hand_m: float = 0.15
    unsure_m_s: float = 0.5
    turns_s: float = 1.5
    patience_s: float = 12.0
    room_s: float = 30.0
    close_m: float = 1.0
    back_m: float = 0.4
    retreats: int = 4
    went_m: float = 0.2


MOVERS = MoverSettings()
