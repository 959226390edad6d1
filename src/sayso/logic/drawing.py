"""An automaton as a picture (SVG), with the way that was taken through it.

States stand in columns, those in the same column equally far from the end; the one from which
nothing helps any more stands below. Steps that stay where they are, and those over several
columns for which there is a step to the next one, are not drawn. Of a large automaton only the
states that were visited, and those on the easiest way from there, are shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from sayso.core.predicates import Predicate
from sayso.logic.analysis import prices
from sayso.logic.automaton import Automaton, Guard
from sayso.logic.english import clause
from sayso.logic.formula import Prop
from sayso.logic.joint import States
from sayso.logic.progression import Progression
from sayso.logic.shown import MOST_ALONE, shown
from sayso.logic.structure import stages_of

MOST_DRAWN, MOST_PICTURES = 16, 24
_COLUMN, _ROW, _RADIUS, _LEFT, _TOP, _LINE = 190, 110, 24, 70, 70, 20
_MOST_CUBES = 2
_AT = 0.38
"""Where on its edge a label stands: not in the middle, where edges cross."""
_SIZE = re.compile(r'(?:width|height)="(\d+)"')
_NOT = "\u00ac"
_STYLE = """
text { font: 13px sans-serif; fill: #222; text-anchor: middle; }
.legend { text-anchor: start; }
circle, path { fill: none; stroke: #777; stroke-width: 1.5; }
.taken { stroke: #0a6ebd; stroke-width: 4; }
.here { fill: #cfe6f7; }
.trap { stroke: #c33; stroke-dasharray: 4 3; }
.label { font-size: 12px; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
""".strip()


@dataclass(frozen=True)
class _Layout:
    """Where states stand, and how propositions are called.

    `columns` has no traps.
    """

    columns: Mapping[int, int]
    places: Mapping[int, tuple[float, float]]
    symbols: Mapping[Prop, str]
    width: float
    height: float


def to_svg(
    automaton: Automaton,
    taken: Sequence[int] = (),
    predicates: Mapping[str, Predicate] | None = None,
) -> str:
    """The picture.

    Args:
        taken: the states that the observed trace visited, in order; the last one is now.
        predicates: for the English of the legend.
    """
    shown = _shown(automaton, taken)
    layout = _layout(automaton, shown)
    steps = {(a, b) for a, b in pairwise((automaton.initial, *taken)) if a != b}
    body = [
        _edge(automaton, a, b, layout, (a, b) in steps)
        for a in shown
        for b in _targets(automaton, a, layout, steps)
    ]
    now = taken[-1] if taken else None
    visited = {automaton.initial, *taken} if taken else set()
    body += [_state(automaton, s, layout, s in visited, s == now) for s in shown]
    body += _legend(automaton, layout, len(shown), predicates or {})
    size = f'width="{layout.width:.0f}" height="{layout.height:.0f}"'
    box = f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
            'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
            '<path d="M 0 0 L 10 5 L 0 10 z" style="fill:#555;stroke:none"/></marker></defs>',
            '<rect width="100%" height="100%" fill="#fff"/>',
            *body,
            "</svg>",
            "",
        )
    )


def picture_of(
    task: Progression,
    taken: Sequence[States] = (),
    predicates: Mapping[str, Predicate] | None = None,
) -> str:
    """The picture of a task: of one automaton, or of several one below the other.

    Args:
        taken: where the task's parts stood along the observed trace, in order.
    """
    automata = shown(task)[:MOST_PICTURES]
    return _stacked(
        [to_svg(a.automaton, [a.state(states) for states in taken], predicates) for a in automata]
    )


def _stacked(pictures: Sequence[str]) -> str:
    if len(pictures) == 1:
        return pictures[0]
    sizes = [tuple(map(int, _SIZE.findall(picture)[:2])) for picture in pictures]
    width, height = max((w for w, _ in sizes), default=0), sum(h for _, h in sizes)
    body, top = [], 0
    for picture, (_, own) in zip(pictures, sizes, strict=True):
        body.append(picture.replace("<svg ", f'<svg y="{top}" ', 1).rstrip())
        top += own
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join((f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *body, "</svg>", ""))


def _shown(automaton: Automaton, taken: Sequence[int]) -> list[int]:
    """All states, or those on the way where there are too many for a picture."""
    if automaton.states <= MOST_DRAWN:
        return list(range(automaton.states))
    states = dict.fromkeys((automaton.initial, *taken))
    here = taken[-1] if taken else automaton.initial
    if automaton.states <= MOST_ALONE and not automaton.is_trap(here):
        states.update(dict.fromkeys(s.target for s in stages_of(automaton, here)))
    return list(states)


def _layout(automaton: Automaton, shown: Sequence[int]) -> _Layout:
    columns = _columns(automaton, shown)
    rows: dict[int, list[int]] = {}
    places: dict[int, tuple[float, float]] = {}
    for state, column in columns.items():
        rows.setdefault(column, []).append(state)
    tallest = max(map(len, rows.values()), default=0)
    for column, states in rows.items():
        for row, state in enumerate(states):
            down = row + (tallest - len(states)) / 2
            places[state] = (_LEFT + _COLUMN * column, _TOP + _ROW * down)
    lost = [s for s in shown if s not in columns]
    middle = _LEFT + _COLUMN * max(rows, default=0) / 2
    for i, state in enumerate(lost):
        places[state] = (middle + _COLUMN * i, _TOP + _ROW * tallest)
    symbols = {p: _symbol(i) for i, p in enumerate(automaton.propositions)}
    height = _TOP + _ROW * (tallest + bool(lost)) + _LINE * (len(symbols) + 3)
    width = max(2 * _LEFT + _COLUMN * max(rows, default=0), 640)
    return _Layout(columns, places, symbols, width, height)


def _columns(automaton: Automaton, shown: Sequence[int]) -> dict[int, int]:
    """The rank of each state from which the end can be reached, by how far away that is."""
    if automaton.states > MOST_ALONE:
        return {s: i for i, s in enumerate(shown) if not automaton.is_trap(s)}
    _, costs = prices(automaton, automaton.initial)
    # The start stands by itself: no step may have led back to it, however near the end it is.
    far = {s: costs[s] for s in shown if s in costs and s != automaton.initial}
    ranks = sorted(set(far.values()), reverse=True)
    columns = {s: 1 + ranks.index(cost) for s, cost in far.items()}
    return {automaton.initial: 0, **columns} if automaton.initial in costs else columns


def _targets(
    automaton: Automaton, state: int, layout: _Layout, taken: Collection[tuple[int, int]]
) -> list[int]:
    """The states to which steps are drawn."""
    others = [t for t in automaton.successors(state) if t in layout.places and t != state]
    columns = layout.columns
    ahead = [columns[t] for t in others if columns.get(t, -1) > columns.get(state, 0)]
    nearest = min(ahead, default=0)
    return [
        t
        for t in others
        if columns.get(t, -1) <= max(nearest, columns.get(state, 0)) or (state, t) in taken
    ]


def _symbol(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"p{index}"


def _state(automaton: Automaton, state: int, layout: _Layout, visited: bool, now: bool) -> str:
    x, y = layout.places[state]
    kinds = {"taken": visited, "here": now, "trap": automaton.is_trap(state)}
    kind = " ".join(k for k, there in kinds.items() if there)
    rings = [_RADIUS, _RADIUS - 5] if automaton.is_accepting(state) else [_RADIUS]
    drawn = "".join(f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="{r}"/>' for r in rings)
    start = ""
    if state == automaton.initial:
        tail = f"M {x - 2 * _RADIUS:.0f} {y:.0f} L {x - _RADIUS:.0f} {y:.0f}"
        start = f'<path d="{tail}" marker-end="url(#tip)"/>'
    return f'{start}{drawn}<text x="{x:.0f}" y="{y + 5:.0f}">{state}</text>'


def _edge(automaton: Automaton, a: int, b: int, layout: _Layout, taken: bool) -> str:
    """A bowed arrow, so that two states that lead to each other have two of them."""
    (x0, y0), (x1, y1) = layout.places[a], layout.places[b]
    length = math.hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    bow = 0.12 * length + 12
    cx, cy = (x0 + x1) / 2 + uy * bow, (y0 + y1) / 2 - ux * bow
    start = _towards((x0, y0), (cx, cy))
    end = _towards((x1, y1), (cx, cy))
    kind = "taken" if taken else "trap" if automaton.is_trap(b) else ""
    lx, ly = (
        (1 - _AT) ** 2 * p + 2 * _AT * (1 - _AT) * q + _AT**2 * r
        for p, q, r in ((x0, cx, x1), (y0, cy, y1))
    )
    further = [
        s for s in automaton.successors(a) if layout.columns.get(s, -1) > layout.columns.get(b, -1)
    ]
    guards = automaton.guards(a, b, () if automaton.is_trap(b) else further)
    label = escape(_label(guards, layout.symbols))
    return (
        f'<path class="{kind}" d="M {start} Q {cx:.0f} {cy:.0f} {end}" marker-end="url(#tip)"/>'
        f'<text class="label" x="{lx:.0f}" y="{ly:.0f}">{label}</text>'
    )


def _towards(center: tuple[float, float], point: tuple[float, float]) -> str:
    """The point of a state's rim that faces another point."""
    dx, dy = point[0] - center[0], point[1] - center[1]
    length = math.hypot(dx, dy)
    x, y = center[0] + dx / length * _RADIUS, center[1] + dy / length * _RADIUS
    return f"{x:.0f} {y:.0f}"


def _label(guards: Sequence[Guard], symbols: Mapping[Prop, str]) -> str:
    texts = [
        " ".join(("" if positive else _NOT) + symbols[p] for p, positive in guard) or "always"
        for guard in guards[:_MOST_CUBES]
    ]
    more = [" \u2026"] if len(guards) > _MOST_CUBES else []
    return " or ".join((*texts, *more))


def _legend(
    automaton: Automaton, layout: _Layout, shown: int, predicates: Mapping[str, Predicate]
) -> list[str]:
    lines = [f"{s}: {clause(p, predicates)}" for p, s in layout.symbols.items()]
    if len(set(layout.columns.values())) > 2:
        lines.append("Where several things come true at once, a step leads further than is drawn.")
    if shown < automaton.states:
        lines.append(f"{automaton.states - shown} more states are not shown.")
    top = layout.height - _LINE * len(lines)
    return [
        f'<text class="legend" x="20" y="{top + _LINE * i:.0f}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
