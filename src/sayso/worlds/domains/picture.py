"""Pictures of a scene from the robot's side, for people: what stands where, and its attributes."""

from __future__ import annotations

from PIL import Image, ImageDraw

from sayso.core.scene import Scene, SceneObject

_LEFT_M, _WIDTH_M, _HIGH_M, _LOW_M = 0.95, 1.9, 0.62, -0.12
_WHITE, _TABLE, _INK, _LIT = "#fbfaf7", "#c8ad88", "#33363b", "#fff3a0"


def draw(scene: Scene, width: int = 960) -> Image.Image:
    """Seen from the front, `width` pixels wide; what is farther away is drawn first."""
    scale = width / _WIDTH_M
    image = Image.new("RGB", (width, int((_HIGH_M - _LOW_M) * scale)), _WHITE)
    canvas = ImageDraw.Draw(image)
    table = _HIGH_M * scale
    canvas.rectangle((0, table, width, image.height), fill=_TABLE)
    for thing in sorted(scene.objects, key=lambda o: (-o.size[0] * o.size[2], o.name)):
        _draw_thing(canvas, thing, scale)
    return image


def _draw_thing(canvas: ImageDraw.ImageDraw, thing: SceneObject, scale: float) -> None:
    _, y, z = thing.position
    across, _, height = thing.size
    left, right = (_LEFT_M - y - across / 2) * scale, (_LEFT_M - y + across / 2) * scale
    top, bottom = (_HIGH_M - z - height / 2) * scale, (_HIGH_M - z + height / 2) * scale
    outline = _LIT if thing.attributes.get("lit") is True else _INK
    canvas.rectangle((left, top, right, max(bottom, top + 2)), fill=thing.color, outline=outline)
    facts = [f"{n} {v}" if not isinstance(v, bool) else n if v else f"not {n}"
             for n, v in thing.attributes.items()]  # fmt: skip
    if thing.position[0] > 0.65:
        facts.append("far")
    for line, text in enumerate((thing.category, *facts)):
        canvas.text((left, bottom + 2 + 11 * line), text, fill=_INK)
