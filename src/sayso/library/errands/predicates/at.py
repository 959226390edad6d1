"""The robot stands or sits right in front of a."""


def at(scene, a):
    return any(
        scene.observes(x, "standing") and scene.attribute(x, "location") == a
        for x in scene.objects()
    )
