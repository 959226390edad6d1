"""The graph says that the actor is close to a."""


def next_to(scene, a):
    return scene.attribute(a, "next_to")
