"""a is inside b: a's centre is between b's sides and a's underside is below b's rim.

A drawer's box shows only what stands out of its cabinet; its tray reaches further in.
"""

RIM = 0.005
TRAY_DEPTH = 0.2


def in_(scene, a, b):
    if not scene.holds("container", b) or scene.category(a) in ("drawer", "cabinet"):
        return False
    if scene.holds("holding", a) or scene.bottom(a) > scene.top(b) - RIM:
        return False
    x, y, _ = scene.offset(a, b)
    length, width, _ = scene.size(b)
    back = TRAY_DEPTH - length / 2 if scene.opens(b) else length / 2
    return -length / 2 < x < back and abs(y) < width / 2
