"""The one hand holds nothing."""


def hand_empty(scene):
    return not any(
        scene.observes(x, "grabbed") and scene.attribute(x, "grabbed") for x in scene.objects()
    )
