"""The thing is of a kind that the arm may carry."""


def movable(scene, a):
    return scene.category(a) in ("block", "mug", "bowl", "bottle", "plate", "coaster")
