"""Task progression semantic maps: what standing at each place would do to the task.

After LIMP (Quartey et al. 2024), Algorithm 2, which asks the automaton about every point around
every referent. Here all cells of one class (see `nearness`) have one value.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.int8]

GOAL, NEUTRAL, AVOID = 1, 0, -1
