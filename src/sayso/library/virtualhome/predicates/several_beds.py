"""More than one person can lie on a."""


def several_beds(scene, a):
    return scene.attribute(a, "several_beds")
