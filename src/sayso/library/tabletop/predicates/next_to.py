"""a stands beside b: the gap between them, seen from above, is small, as where words say "next to".

What is held stands beside nothing, nor does what overlaps it, seen from above.
"""

NEXT_TO_M = 0.12


def next_to_many(scene, a, b):
    gaps = scene.things.gaps[a, b]
    held = scene.known("holding")
    return (gaps > 0) & (gaps <= NEXT_TO_M) & ~held[a] & ~held[b]
