"""a is in nothing that the hand cannot reach into; unknown where it is in what may be shut."""


def in_the_open(scene, a):
    others = (b for b in scene.objects() if b != a)
    shut = {b: scene.holds("accessible", b) for b in others}
    around = [reach for b, reach in shut.items() if reach is not True and scene.holds("in", a, b)]
    return None if around and False not in around else not around
