"""The thing is a room behind a door."""


def compartment(scene, a):
    return scene.category(a) == "cabinet"
