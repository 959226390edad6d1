"""Something can be poured into a."""


def pour_target(scene, a):
    return scene.attribute(a, "pour_target")
