"""A sliding door stands before a, so that no hand gets there."""

HAND = 0.075


def behind_door(scene, a):
    if scene.category(a) != "block":
        return False
    inside = any(scene.holds("in", a, b) for b in scene.objects() if b != a)
    return inside and any(_covers(scene, door, a) for door in scene.objects())


def _covers(scene, door, a):
    if scene.category(door) != "slider":
        return False
    off, half = scene.position(a) - scene.position(door), scene.size(door)[0] / 2
    return 0 < off[1] < 0.2 and abs(off[0]) < half + HAND
