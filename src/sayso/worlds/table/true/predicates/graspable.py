"""The open hand goes around a."""

PLAY = 0.004


def graspable(scene, a):
    return min(scene.size(a)[:2]) <= scene.gripper_max_width + PLAY
