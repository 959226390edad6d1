"""As `near`, and no wall stands between the robot and a.

Who is round the edge of an open door within NEAR_M is not behind a wall. Unknown where no map shows
the walls.
"""

NEAR_M = 1.0


def near_in_room(scene, a):
    if scene.carried(a):
        return True
    return scene.base_distance(a) <= NEAR_M and not scene.walled_off(a, NEAR_M)
