"""The hand touches a: it holds a, or the fingertips are at a's surface."""

CONTACT = 0.008


def touching(scene, a):
    return scene.holds("holding", a) or scene.gripper_distance(a) < CONTACT
