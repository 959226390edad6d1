"""a is to the right of b as the robot sees it, and more so than before or behind it.

The robot stands at the origin and looks along x; left is +y. What is held stands beside nothing,
nor does what overlaps it, seen from above.
"""


def right_of_many(scene, a, b):
    x, y, _ = (scene.things.position[a] - scene.things.position[b]).T
    held = scene.known("holding")
    return (-y > abs(x)) & (scene.things.gaps[a, b] > 0) & ~held[a] & ~held[b]
