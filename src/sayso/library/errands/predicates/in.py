"""a is inside b, which may be shut."""


def in_(scene, a, b):
    return (
        scene.observes(a, "location")
        and scene.attribute(a, "location") == b
        and scene.attribute(a, "inside")
    )
