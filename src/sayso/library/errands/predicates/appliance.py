"""Something with a switch."""


def appliance(scene, a):
    return scene.observes(a, "turned_on")
