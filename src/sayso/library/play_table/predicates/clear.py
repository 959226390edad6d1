"""Nothing rests on a."""


def clear_many(scene, a):
    return ~scene.known("on").any(axis=0)[a]
