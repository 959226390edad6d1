"""Furniture on which clothes are ironed."""


def ironing_board(scene, a):
    return scene.category(a) == "ironing_board"
