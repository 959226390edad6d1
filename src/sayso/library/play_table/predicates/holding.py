"""The hand is closed on a: the fingers stand apart by some width and a is between them."""

FULLY_OPEN = 0.078
FULLY_CLOSED = 0.002
REACH = 0.03


def holding(scene, a):
    if not FULLY_CLOSED < scene.gripper_width < FULLY_OPEN:
        return False
    if not scene.holds("movable", a):
        return False
    if scene.carried(a):
        return True
    return scene.visible(a) and scene.gripper_distance(a) < REACH and _nearest(scene, a)


def _nearest(scene, a):
    others = (b for b in scene.objects() if b != a and scene.holds("movable", b))
    return all(scene.gripper_distance(a) <= scene.gripper_distance(b) for b in others)
