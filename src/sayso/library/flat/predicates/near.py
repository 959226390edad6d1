"""The centre of the robot's base is within NEAR_M of a's footprint, seen from above.

The distance is from the edge of the footprint, 0 inside it. A thing that the robot carries is
near whatever the box says.
"""

NEAR_M = 1.0


def near(scene, a):
    return scene.carried(a) or scene.base_distance(a) <= NEAR_M
