"""What slides is at its left end."""

END = 0.2


def at_left(scene, a):
    if scene.category(a) not in ("slider", "switch"):
        return False
    return scene.attribute(a, "right_share") < END
