"""a stands on the table itself."""

GAP = 0.004


def on_table(scene, a):
    return not scene.carried(a) and abs(scene.bottom(a) - scene.table_height) < GAP
