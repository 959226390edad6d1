"""The light is on: a good part of what the camera sees of it is as bright as its pictures get.

Where the building tells of its lamps, that counts and no picture is asked for. A shade that lets no
light through looks as if it were off.
"""

import numpy as np

BRIGHT = 245.0
SHARE = 0.3


def lit(scene, a):
    picture = scene.picture(a)
    brightest = np.max(picture.rgb, axis=2)[picture.mask]
    return bool(np.mean(brightest >= BRIGHT) >= SHARE)
