"""a is a person."""


def person(scene, a):
    return scene.attribute(a, "person")
