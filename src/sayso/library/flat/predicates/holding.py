"""The gripper carries a: the tracker infers it from the closed fingers and the thing's motion."""


def holding(scene, a):
    return scene.carried(a)
