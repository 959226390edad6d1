"""The robot looked at a for things that it does not know the place of."""


def searched(scene, a):
    return scene.observes(a, "searched") and scene.attribute(a, "searched")
