"""What slides is at its right end."""

END = 0.8


def at_right(scene, a):
    if scene.category(a) not in ("slider", "switch"):
        return False
    return scene.attribute(a, "right_share") > END
