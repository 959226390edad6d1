"""a stands on b."""


def on(scene, a, b):
    return (
        scene.observes(a, "location")
        and scene.attribute(a, "location") == b
        and not scene.attribute(a, "inside")
    )
