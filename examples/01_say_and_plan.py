"""From words to a checked plan, and through it, in one process: no robot, no ROS, no physics."""

import sys

from rich.console import Console

from sayso.pipeline import perform
from sayso.reporting.terminal import TerminalView
from sayso.worlds.kinematic_table import KinematicTable

INSTRUCTION = "Put the red block in the drawer and close it. Never touch the mug."


def main() -> int:
    instruction = " ".join(sys.argv[1:]) or INSTRUCTION
    outcome = perform(instruction, KinematicTable(), TerminalView(Console(soft_wrap=True)).show)
    return 0 if outcome.succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
