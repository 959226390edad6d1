"""The hand holds nothing."""


def gripper_empty(scene):
    return not any(scene.carried(o) for o in scene.objects())
