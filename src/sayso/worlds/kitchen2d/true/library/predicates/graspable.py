"""a is narrow enough for the open gripper."""


def graspable(scene, a):
    return scene.size(a)[0] <= scene.gripper_max_width
