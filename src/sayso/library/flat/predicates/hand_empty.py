"""The gripper holds nothing."""


def hand_empty(scene):
    return not any(scene.carried(a) for a in scene.objects())
