"""The thing is of a kind that can be held and the hand can close on some part of it."""

OPEN_HAND = 0.075
GRASPED_BY_THE_RIM = ("mug", "bowl")


def graspable(scene, a):
    if not scene.holds("movable", a):
        return False
    if scene.category(a) in GRASPED_BY_THE_RIM:
        return True
    size = scene.size(a)
    return min(size[0], size[1]) < OPEN_HAND and size[2] > 0.02
