"""The door or the lid is shut: unknown of what opens where neither is told; else it is not."""

SHUT = 0.02


def closed(scene, a):
    if scene.observes(a, "lid_share"):
        return scene.attribute(a, "lid_share") < SHUT
    if scene.observes(a, "open_share") or scene.is_a(a, "shuttable"):
        return scene.attribute(a, "open_share") < SHUT
    return False
