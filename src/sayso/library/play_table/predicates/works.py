"""a is what turns b on and off: it cannot be seen, so it is told here."""

PAIRS = (("switch", "bulb"), ("button", "led"))


def works(scene, a, b):
    return scene.seen(a) and (a, b) in PAIRS
