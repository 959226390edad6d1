"""Something to walk to: furniture or a door."""


def place(scene, a):
    return scene.observes(a, "room")
