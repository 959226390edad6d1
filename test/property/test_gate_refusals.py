"""Whatever happens, nothing but `hold` reaches the driver after a refusal or a stop."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaySoError
from sayso.skills.conditions import Condition
from sayso.skills.gate import MotionGate
from sayso.skills.trajectory import MotionLimits, timed
from support.still_arm import StillArm, StillKinematics

LIMITS = MotionLimits(np.full(3, 0.5), np.full(3, 2.0))
POINTS = st.tuples(st.floats(-0.2, 0.8), st.floats(-0.7, 0.7), st.floats(0.05, 0.95))
TROUBLE = st.sampled_from(["stop", "close", "refuse", "cancel", "silent", "blocked"])


@settings(derandomize=True, deadline=None, max_examples=80)
@given(goal=POINTS, trouble=TROUBLE, ticks=st.integers(0, 25))
def test_only_hold_after_trouble(goal, trouble, ticks):
    arm = StillArm()
    gate = MotionGate(arm, StillKinematics())
    state = {"ticks": 0, "on": False}

    def disturb(time_s):
        state["ticks"] += 1
        if state["ticks"] != ticks:
            return
        state["on"] = True
        if trouble == "stop":
            gate.stop("test")
        elif trouble == "close":
            gate.close()
        elif trouble in ("silent", "blocked"):
            setattr(arm, trouble, True)

    arm.at_step = disturb
    gate.authorise(
        [Condition("c", lambda r: "no" if state["on"] and trouble == "refuse" else None)]
    )
    path = np.array([StillKinematics.home, goal])
    try:
        gate.follow(timed(path, LIMITS), arm, cancelled=lambda: state["on"] and trouble == "cancel")
        gate.grip(0.03, 10.0, arm)
    except SaySoError:
        first = arm.log.index("hold")
        assert set(arm.log[first:]) <= {"hold", "hold_grip"}
        resting = arm.robot().joint_positions
        arm.wait(1.0)
        assert arm.robot().joint_positions == resting


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["follow", "grip", "stop", "release", "open", "close"]), max_size=8)
)
def test_commands_pass_exactly_while_open_and_not_stopped(calls):
    arm = StillArm()
    gate = MotionGate(arm, StillKinematics())
    is_open = stopped = False
    for call in calls:
        before = len(arm.log)
        here = np.array(arm.robot().joint_positions)
        goal = np.clip(here + 0.1, 0.0, 0.7)
        try:
            if call == "follow":
                gate.follow(timed(np.array([here, goal]), LIMITS), arm)
            elif call == "grip":
                gate.grip(0.05, 10.0, arm)
            elif call == "stop":
                gate.stop("test")
                stopped, is_open = True, False
            elif call == "release":
                gate.release()
                stopped = False
            elif call == "open":
                gate.authorise(())
                is_open = True
            else:
                gate.close()
                is_open = False
        except SaySoError:
            assert stopped or not is_open
        moved = set(arm.log[before:]) - {"hold", "hold_grip"}
        assert bool(moved) <= (is_open and not stopped and call in ("follow", "grip"))
        assert (gate.reasons == ()) == (is_open and not stopped)
