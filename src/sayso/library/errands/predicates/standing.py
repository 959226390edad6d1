"""The legs are stretched: it can walk, and reach what stands on furniture."""


def standing(scene):
    return any(
        scene.observes(x, "standing") and scene.attribute(x, "standing") for x in scene.objects()
    )
