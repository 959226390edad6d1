"""a is in nothing that the hand cannot reach into; unknown where it is in what may be shut."""

import numpy as np


def in_the_open_many(scene, a):
    inside, reach = scene.known("in")[a], scene.of_all("accessible")
    truths = np.full(len(a), True, object)
    truths[(inside & (reach < 0)).any(axis=1)] = None
    truths[(inside & (reach == 0)).any(axis=1)] = False
    return truths
