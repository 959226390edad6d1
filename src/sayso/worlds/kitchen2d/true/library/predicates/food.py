"""a is something to cook."""


def food(scene, a):
    return scene.category(a) in ("sausage", "potato", "carrot", "tomato", "mushroom", "egg")
