"""a is a part of the body."""


def body_part(scene, a):
    return scene.attribute(a, "body_part")
