"""The gripper can close on the thing and the arm can lift something of its size.

A flat thing, such as a book, is grasped by its edge.
"""

OPEN_HAND = 0.17
LARGEST = 0.6
THIN = 0.085
LARGEST_FLAT = 0.45


def graspable(scene, a):
    size = sorted(scene.size(a))
    compact = size[1] < OPEN_HAND and size[2] < LARGEST
    flat = size[0] < THIN and size[2] < LARGEST_FLAT
    return compact or flat
