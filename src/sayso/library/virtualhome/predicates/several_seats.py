"""More than one person can sit on a."""


def several_seats(scene, a):
    return scene.attribute(a, "several_seats")
