"""a fell from the hand, and lies where it is seen: on no place that the robot knows of."""


def fallen(scene, a):
    return scene.observes(a, "fallen") and scene.attribute(a, "fallen")
