"""a rests on the table itself, not on or in another thing."""

GAP = 0.015
TRAY_DEPTH = 0.2


def on_table(scene, a):
    if scene.category(a) in ("cabinet", "drawer"):
        return False
    if scene.bottom(a) - scene.table_height > GAP or scene.holds("holding", a):
        return False
    return not any(
        scene.holds("in", a, b) or scene.holds("on", a, b) for b in scene.around(a, TRAY_DEPTH)
    )
