"""a is in something whose lid is shut."""


def shut_away(scene, a):
    lids = (b for b in scene.objects() if b != a and scene.observes(b, "lid_share"))
    return any(scene.holds("closed", b) and scene.holds("in", a, b) for b in lids)
