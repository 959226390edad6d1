"""What is decided of all pairs of things at once is what the words for it mean of each pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.geometry import rotation_matrix
from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView, symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom

LIBRARIES = {name: load(builtin_path(name)).predicates for name in ("tabletop", "flat")}
KINDS = ("block", "plate", "tray", "bowl", "drawer", "coaster", "trash bin", "table", "sofa")
"""Of both libraries; blocks and plates are carried, bowls and bins enclose."""


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """A few things crowded on a grid, some of them turned, one of them carried."""
    things = []
    for number in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(KINDS))
        x, y, z = (draw(st.integers(0, n)) * step for n, step in ((4, 0.05), (4, 0.05), (3, 0.021)))
        sizes = st.sampled_from((0.02, 0.043, 0.11, 0.23))
        opening = {"opening_m": draw(st.sampled_from((0.0, 0.1)))} if kind == "drawer" else {}
        turned = draw(st.sampled_from(((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.38268343, 0.92387953))))
        size = (draw(sizes), draw(sizes), draw(sizes))
        things.append(
            SceneObject(f"{number}", kind, "red", (x, y, z), size, turned, attributes=opening)
        )
    if draw(st.booleans()):
        things[0] = replace(things[0], carried=True)
    scene = Scene(0.0, tuple(things))
    return replace(scene, robot=replace(scene.robot, gripper_width_m=0.04))


def on_a_table(view: SceneView, a: str, b: str) -> bool:
    kind, size = view.category(b), view.size(b)
    if kind not in ("block", "plate", "coaster", "tray") or view.holds("holding", a):
        return False
    tops = [view.top(b)] if kind != "block" else [view.top(b), view.bottom(b) + min(size[:2])]
    level = any(abs(view.bottom(a) - top) <= 0.018 for top in tops) and view.top(a) > view.top(b)
    lies = kind == "tray" and view.bottom(b) - 0.018 <= view.bottom(a) < view.top(b)
    return bool((level or lies) and all(abs(view.offset(a, b)[:2]) < size[:2] / 2))


def in_on_a_table(view: SceneView, a: str, b: str) -> bool:
    if view.category(b) not in ("bowl", "drawer", "tray") or view.category(a) == "drawer":
        return False
    x, y, _ = view.offset(a, b)
    length, width, _ = view.size(b)
    back = 0.2 - length / 2 if view.opens(b) else length / 2
    below = view.bottom(a) <= view.top(b) - 0.005
    above = view.opens(b) or (
        view.bottom(a) >= view.bottom(b) - 0.015 and view.top(a) > view.bottom(b) + 0.005
    )
    loose = not view.holds("holding", a)
    return bool(loose and below and above and -length / 2 < x < back and abs(y) < width / 2)


def in_a_flat(view: SceneView, a: str, b: str) -> bool:
    offset, size = view.offset(a, b), view.size(b)
    encloses = view.category(b) in ("bowl", "drawer", "trash bin")
    return bool(encloses and not view.carried(a) and all(abs(offset) < size / 2))


def on_in_a_flat(view: SceneView, a: str, b: str) -> bool:
    if view.carried(a) or view.carried(b):
        return False
    offset = rotation_matrix(view.object(b).orientation).T @ (view.position(a) - view.position(b))
    rise, height = view.bottom(a) - view.bottom(b), view.size(b)[2]
    over = all(abs(offset[:2]) <= view.size(b)[:2] / 2)
    shelf = (
        view.category(b) not in ("bowl", "drawer", "trash bin") and 0.15 * height < rise < height
    )
    return bool(over and (abs(rise - height) <= 0.05 or shelf))


def placed(view: SceneView, a: str, b: str) -> bool:
    if view.carried(a) or view.carried(b):
        return False
    beside = view.horizontal_gap(a, b) <= 0.3 and view.bottom(a) <= view.top(b)
    return on_in_a_flat(view, a, b) or in_a_flat(view, a, b) or beside


def next_to(view: SceneView, a: str, b: str) -> bool:
    gap = view.horizontal_gap(a, b)
    return 0 < gap <= 0.12 and not view.holds("holding", a) and not view.holds("holding", b)


MEANINGS = {
    ("tabletop", "on"): on_a_table,
    ("tabletop", "next_to"): next_to,
    ("tabletop", "in"): in_on_a_table,
    ("flat", "in"): in_a_flat,
    ("flat", "on"): on_in_a_flat,
    ("flat", "placed"): placed,
}


@pytest.mark.parametrize(("library", "name"), MEANINGS)
@given(scenes())
@settings(max_examples=40)
def test_each_pair_is_as_it_would_be_alone(library: str, name: str, scene: Scene) -> None:
    state = symbolic_state(scene, LIBRARIES[library])
    view = SceneView(scene, LIBRARIES[library])
    for a, b in permutations(view.objects(), 2):
        meant = MEANINGS[library, name](view, a, b)
        assert state.truth(Atom(name, (a, b))) is meant
        assert view.holds(name, a, b) is meant


@given(scenes())
@settings(max_examples=40)
def test_what_rests_nowhere_else_rests_on_the_table_and_what_bears_nothing_is_clear(
    scene: Scene,
) -> None:
    view = SceneView(scene, LIBRARIES["tabletop"])
    for a in view.objects():
        others = [b for b in view.objects() if b != a]
        elsewhere = any(view.holds(p, a, b) for p in ("in", "on") for b in others)
        low = view.bottom(a) <= 0.015 and view.category(a) != "drawer"
        assert view.holds("on_table", a) is (low and not elsewhere and not view.holds("holding", a))
        loads = [b for b in others if view.holds("on", b, a)]
        used = sum(view.size(b)[0] * view.size(b)[1] for b in loads)
        free = bool(used < 0.5 * view.size(a)[0] * view.size(a)[1])
        assert view.holds("clear", a) is (free if view.holds("surface", a) else not loads)
