"""The thing is of a kind that the arm may carry."""


def movable(scene, a):
    return scene.category(a) in ("block", "kettle", "pot", "teabag")
