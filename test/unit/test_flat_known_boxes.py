"""What the model of perception that stands in for the cameras says of the hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from sayso.core.geometry import Pose, Vector3
from sayso.core.scene import RobotState, SceneObject
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.worlds.flat.scene import FlatScene, Item, Wall

MUG = Item("mug", "mug", "mug", "white", (1.0, 0.0, 0.5), 0.0, (0.07, 0.07, 0.095))
SCENE = FlatScene("bare", (), (Wall((-1.0, 1.0), (2.0, 1.0)),), (), (MUG,), (0.0, 0.0, 0.0))


@dataclass
class Held:
    """A world in which a hand is around a mug."""

    robot: RobotState
    scene: FlatScene = SCENE
    time_s: float = 1.0
    mug_at: Vector3 = MUG.centre

    def truth(self) -> tuple[SceneObject, ...]:
        return (SceneObject("mug", "mug", "white", self.mug_at, MUG.size),)

    def true_base(self) -> Pose:
        return Pose()

    def openings(self) -> tuple[float, ...]:
        return ()

    def robot_state(self) -> RobotState:
        return replace(self.robot, gripper=Pose(MUG.centre), base=Pose())


@pytest.mark.parametrize(
    ("width_m", "most_m", "carried"),
    [
        (0.07, 0.08, True),
        (0.08, 0.08, False),
        (0.10, 0.11, True),  # of a hand that opens wider than the Panda's
        (0.11, 0.11, False),
        (0.0, 0.11, False),
    ],
)
def test_a_hand_holds_by_how_far_it_can_open_itself(
    width_m: float, most_m: float, carried: bool
) -> None:
    robot = RobotState(gripper_width_m=width_m, gripper_max_width_m=most_m)
    (mug,) = KnownBoxes(Held(robot)).look().objects  # type: ignore[arg-type]
    assert mug.carried is carried


def test_a_thing_is_known_to_be_gone_once_its_place_is_seen_without_it() -> None:
    world = Held(RobotState(gripper_width_m=0.0))
    sight = KnownBoxes(world)  # type: ignore[arg-type]
    assert len(sight.look().objects) == 1
    world.mug_at = (1.0, 3.0, 0.5)  # behind the wall
    assert not sight.look().objects
