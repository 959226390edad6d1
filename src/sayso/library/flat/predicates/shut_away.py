"""a is in something whose lid does not stand open."""


def shut_away(scene, a):
    lids = (b for b in scene.objects() if b != a and scene.observes(b, "lid_share"))
    return any(not scene.holds("open", b) and scene.holds("in", a, b) for b in lids)
