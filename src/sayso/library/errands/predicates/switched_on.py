"""An appliance that is on."""


def switched_on(scene, a):
    return scene.observes(a, "turned_on") and scene.attribute(a, "turned_on")
