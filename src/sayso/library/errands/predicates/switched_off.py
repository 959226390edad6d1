"""An appliance that is off."""


def switched_off(scene, a):
    return scene.observes(a, "turned_on") and not scene.attribute(a, "turned_on")
