"""The camera in the hand was pointed at a since the robot walked last."""


def looked_at(scene, a):
    return scene.observes(a, "in_view") and scene.attribute(a, "in_view")
