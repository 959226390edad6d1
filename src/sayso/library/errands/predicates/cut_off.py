"""A shut door is between the robot and the room of a."""


def cut_off(scene, a):
    robots = [x for x in scene.objects() if scene.observes(x, "standing")]
    doors = [x for x in scene.objects() if scene.holds("door", x)]
    shut = any(scene.observes(x, "open") and not scene.attribute(x, "open") for x in doors)
    if not shut or a in doors or not scene.observes(a, "room"):
        return False
    return any(scene.attribute(x, "room") != scene.attribute(a, "room") for x in robots)
