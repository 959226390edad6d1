"""What the node `driver` refuses before it makes a client of the robot's maker."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.ros.nodes.driver_node import DriverNode


@pytest.mark.parametrize("robot", ["spot", "fr3_libfranka"])
def test_a_simulation_never_drives_the_real_robot_of_the_profile(graph, robot: str) -> None:
    with pytest.raises(SaySoError) as refused:
        graph.add(DriverNode, robot=robot, use_sim_time=True)
    assert refused.value.code is Code.CONFIG
    assert "real robot" in refused.value.message and "spot:=" in refused.value.hint
