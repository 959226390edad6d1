"""The graph says that the actor is on a; it stays so until another world begins."""


def seated_on(scene, a):
    return scene.attribute(a, "seated_on")
