"""One set of objects from what several cameras saw, drawers put together with their cabinets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearances
from sayso.perception.colors import family
from sayso.perception.drawers import assemble_drawers
from sayso.perception.grouping import Piece, group, share_within, stack
from sayso.perception.recognition import as_category, recognise
from sayso.perception.strays import without_strays
from sayso.perception.table import TablePlane

FUSION_GAP_M = 0.018
_PLAY_M = 0.012
_MOSTLY = 0.8
_STILL_FITS = 0.5  # score that a category on which all views agree must have for the union


def fuse(
    views: Iterable[Sequence[SceneObject]],
    appearances: Appearances,
    table: TablePlane,
    *,
    known: Sequence[SceneObject] = (),
    gap_m: float = FUSION_GAP_M,
) -> tuple[SceneObject, ...]:
    """Objects of several views of one moment, each from the union of its points.

    Args:
        views: per camera, its objects with points in the scene's frame.
        known: objects already tracked, where they should be now. Pieces inside the box of one
            belong together, even if a hand parts them; and a drawer's opening is measured
            from the remembered cabinet, which more was seen of than now may be.
        gap_m: how far apart the views' points of one thing may lie.
    """
    seen = [o for view in views for o in view if len(o.points)]
    pieces = [Piece(o.points, o.color) for o in seen]
    together = [_pieces_of(o, pieces) for o in known]
    groups = group(pieces, gap_m, together)
    merged = tuple(_merge([seen[i] for i in members], appearances, table) for members in groups)
    kept = without_strays(merged, appearances, known)
    return assemble_drawers(kept, appearances, table, known)


def _pieces_of(obj: SceneObject, pieces: Sequence[Piece]) -> list[int]:
    """The pieces that lie within a known object's box and look like it."""
    return [
        i
        for i, piece in enumerate(pieces)
        if family(piece.color) == family(obj.color)
        and share_within(piece.points, obj, _PLAY_M) > _MOSTLY
    ]


def _merge(
    objects: Sequence[SceneObject], appearances: Appearances, table: TablePlane
) -> SceneObject:
    if len(objects) == 1:
        return objects[0]
    color = max(objects, key=lambda o: len(o.points)).color
    points = stack([o.points for o in objects])
    (agreed, *others) = {o.category for o in objects}
    if not others and agreed in appearances:
        merged = as_category(points, color, appearances[agreed], table)
        if merged.confidence >= _STILL_FITS:
            return merged
        if all(o.confidence >= 1.0 for o in objects):  # told, however little the hand leaves to see
            return replace(merged, confidence=1.0)
    return recognise(points, color, appearances, table)
