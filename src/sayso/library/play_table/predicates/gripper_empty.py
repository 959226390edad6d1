"""The hand holds nothing."""


def gripper_empty(scene):
    return not any(scene.holds("holding", a) for a in scene.objects())
