"""The hand is closed around a."""


def holding(scene, a):
    return scene.observes(a, "grabbed") and scene.attribute(a, "grabbed")
