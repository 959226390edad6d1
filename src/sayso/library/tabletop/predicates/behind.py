"""a is beyond b as the robot sees it, and more so than to its left or right.

The robot stands at the origin and looks along x; left is +y. What is held stands beside nothing,
nor does what overlaps it, seen from above.
"""


def behind_many(scene, a, b):
    x, y, _ = (scene.things.position[a] - scene.things.position[b]).T
    held = scene.known("holding")
    return (x > abs(y)) & (scene.things.gaps[a, b] > 0) & ~held[a] & ~held[b]
