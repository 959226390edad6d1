"""How smoothly a real libfranka client moves the simulated FR3 by the gate's windows.

    python benchmarks/libfranka_motion.py [--motions 20]    (needs the extra franka)

Of what it commands at 1 kHz: speed and acceleration as shares of the profile's limits, jerk beside
the profile's, how far any joint leaves the path that was planned, and how long a motion takes
beside its plan, in simulated time.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.adapters.robots.franky_arm import FrankyArm
from sayso.robots.loading import LIBFRANKA, load_robot
from sayso.skills.trajectory import MotionLimits, timed
from support.libfranka_robot import LibfrankaRobot, Smoothness, follow, libfranka_robot, smoothness

PROFILE = load_robot(LIBFRANKA)
SHARES = (0.3, 0.6)
"""Of the profile's speeds and accelerations: the skills' straight and free motions."""
FR3_JERK = 5000.0
"""What an FR3 takes of any joint [rad/s^3]: beyond it, it stops by itself."""
REACHED_RAD = 0.001
OUT_RAD = 0.5


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--motions", type=int, default=20, help="at each speed")
    motions = parser.parse_args().motions
    with libfranka_robot("127.0.66.3") as robot:
        arm = FrankyArm(PROFILE, robot.address, time.monotonic)
        arm.read()
        for share in SHARES:
            report(share, measure(robot, arm, share, motions))
        arm.close()


def measure(
    robot: LibfrankaRobot, arm: FrankyArm, share: float, motions: int
) -> list[tuple[Smoothness, float]]:
    """Each motion, and how many times as long as planned it took."""
    rng = np.random.default_rng(1)
    ready = np.array(PROFILE.ready)
    limits = MotionLimits(PROFILE.velocity_limits, PROFILE.acceleration_limits).scaled(share)
    done = []
    for _ in range(motions):
        start = arm.read().positions[:7]
        goals = ready + rng.uniform(-OUT_RAD, OUT_RAD, (2, 7))
        run = timed(np.vstack([start, goals]), limits)
        robot.watch()
        begun_s = robot.time_s
        follow(robot, arm, run)
        while np.abs(arm.read().positions[:7] - goals[-1]).max() > REACHED_RAD:
            arm.require_obeyed()
        took_s = robot.time_s - begun_s
        done.append((smoothness(robot.watched(), run), took_s / run.duration_s))
    return done


def report(share: float, done: list[tuple[Smoothness, float]]) -> None:
    """One line for a speed."""
    speed = max((m.speed / PROFILE.velocity_limits).max() for m, _ in done)
    acceleration = max((m.acceleration / PROFILE.acceleration_limits).max() for m, _ in done)
    jerk = max(m.jerk.max() for m, _ in done)
    off = sorted(m.off_path_rad for m, _ in done)
    longer = sorted(ratio for _, ratio in done)
    print(
        f"{len(done)} motions planned at {share:.0%} of the limits: speed up to {speed:.0%}, "
        f"acceleration {acceleration:.0%}, jerk {jerk:.0f} rad/s^3 (an FR3 takes "
        f"{FR3_JERK:.0f}); off the path median "
        f"{1e3 * off[len(off) // 2]:.1f}, worst {1e3 * off[-1]:.1f} mrad; duration median "
        f"{longer[len(longer) // 2]:.2f}, worst {longer[-1]:.2f} times the plan's"
    )


if __name__ == "__main__":
    main()
