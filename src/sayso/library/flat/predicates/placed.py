"""a rests on, in or right beside b, and the robot does not hold it.

Beside: the gap between the two boxes, seen from above, is at most BESIDE_M.
"""

BESIDE_M = 0.3


def placed(scene, a, b):
    if scene.holds("holding", a) or scene.holds("holding", b):
        return False
    if scene.holds("on", a, b) or scene.holds("in", a, b):
        return True
    return scene.horizontal_gap(a, b) <= BESIDE_M and scene.bottom(a) <= scene.top(b)
