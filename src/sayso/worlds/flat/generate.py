"""Furnished flats from a seed, with the things and relations that somebody wants in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat import relations
from sayso.worlds.flat.colors import PALETTE
from sayso.worlds.flat.free_space import FreeSpace
from sayso.worlds.flat.kinds import KINDS, WALKING, Naming, understand
from sayso.worlds.flat.layouts import empty_flat
from sayso.worlds.flat.placing import Placer
from sayso.worlds.flat.relations import Relation
from sayso.worlds.flat.scene import FlatScene, Item, Walker

_ATTEMPTS = 40
_MANY = 9
"""So many pieces of furniture and more ask for four rooms."""
_USUAL = (
    "table", "sofa", "counter", "desk", "cabinet", "bookshelf", "plant", "chair", "nightstand",
    "trash_bin", "shelf", "lamp",
)  # fmt: skip
_USUAL_SMALL = ("mug", "can", "book", "apple", "bottle")


@dataclass(frozen=True)
class Wanted:
    """One thing that the flat must hold.

    Attributes:
        name: unique; how the scene will call it.
        what: what it is, such as `cabinet` or `yellow_cabinet` (see `kinds.understand`); a
            `..._door` or `door_...` is one of the flat's doors, which stand in no relation.
        relations: to others that are wanted, which it clearly stands in.
        unlike: relations that it clearly does not stand in: a distractor.
    """

    name: str
    what: str
    relations: tuple[Relation, ...] = ()
    unlike: tuple[Relation, ...] = ()

    @property
    def is_door(self) -> bool:
        words = self.what.split("_")
        return "door" in words or "doorway" in words


def generate(
    seed: int, wanted: Sequence[Wanted] = (), *, usual: int = 6, name: str = ""
) -> FlatScene:
    """A flat in which everything can be reached.

    Args:
        seed: the same seed and wishes give the same flat.
        wanted: what it must hold.
        usual: how many pieces of other furniture and things it gets besides, where they fit;
            none of them is of a kind that is wanted.
        name: of the scene.

    Raises:
        SaySoError: INVALID for an unknown thing or relation, names used twice or wishes that
            depend on each other; NO_PLAN if no flat was found, naming what did not fit.
    """
    order = _in_order(wanted)
    rng = np.random.default_rng(seed)
    failures: Counter[str] = Counter()
    for _ in range(_ATTEMPTS):
        scene, failed = _furnish(rng, order, usual, name or f"flat_{seed}")
        if scene is not None:
            return scene.check()
        failures[failed] += 1
    worst = failures.most_common(1)[0][0]
    raise SaySoError(
        Code.NO_PLAN,
        f"no flat was found in which '{worst}' is placed as wanted.",
        hint="want fewer things, or relations that leave more room.",
    )


def _in_order(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Others before those placed relative to them; supports and large things first."""
    by_name = {w.name: w for w in wanted}
    if len(by_name) < len(wanted):
        raise SaySoError(Code.INVALID, "two wanted things have the same name.")
    for w in wanted:
        _check(w, by_name)
    order: list[Wanted] = []
    pending = sorted(wanted, key=_small_last)
    while pending:
        done = {w.name for w in order}
        ready = next((w for w in pending if _needs(w) <= done), None)
        if ready is None:
            names = ", ".join(w.name for w in pending)
            raise SaySoError(Code.INVALID, f"the relations of {names} depend on each other.")
        order.append(ready)
        pending.remove(ready)
    return order


def _check(w: Wanted, known: dict[str, Wanted]) -> None:
    if w.is_door:
        if w.relations or w.unlike:
            raise SaySoError(Code.INVALID, f"the door '{w.name}' cannot stand in relations.")
        return
    understand(w.what)
    for relation in (*w.relations, *w.unlike):
        relations.arity(relation.comparator, len(relation.others))
        for other in relation.others:
            if other not in known or known[other].is_door:
                choices = (n for n, k in known.items() if not k.is_door)
                raise SaySoError(
                    Code.INVALID,
                    f"'{w.name}' is placed relative to '{other}', which is not wanted.",
                    choices=choices,
                )


def _needs(w: Wanted) -> set[str]:
    return {o for r in (*w.relations, *w.unlike) for o in r.others}


def _small_last(w: Wanted) -> tuple[int, float]:
    if w.is_door:
        return (0, 0.0)
    kind = KINDS[understand(w.what).kind]
    return ({"wall": 1, "free": 2, "hung": 3, "on": 4}[kind.stand], -kind.size[0] * kind.size[1])


def _furnish(
    rng: np.random.Generator, order: Sequence[Wanted], usual: int, name: str
) -> tuple[FlatScene | None, str]:
    """A flat that suits, or the name of what did not fit."""
    scene = _with_doors(_empty(rng, order, usual, name), order)
    if scene is None:
        return None, next(w.name for w in order if w.is_door)
    for w in order:
        if w.is_door:
            continue
        grown = _with(scene, w, rng)
        if grown is None:
            return None, w.name
        scene = grown
    scene = _with_usual(scene, order, usual, rng)
    space = FreeSpace(scene)
    for item in scene.items:
        if not space.reaches(item):
            return None, item.name
    return scene, ""


def _empty(rng: np.random.Generator, order: Sequence[Wanted], usual: int, name: str) -> FlatScene:
    large = [w for w in order if not w.is_door and KINDS[understand(w.what).kind].stand != "on"]
    doors = sum(w.is_door for w in order)
    many = len(large) + usual // 2 >= _MANY or doors > 1
    return empty_flat(rng, 4 if many else 2, name)


def _with_doors(scene: FlatScene, order: Sequence[Wanted]) -> FlatScene | None:
    """The scene with its first doors made those that are wanted."""
    doors = list(scene.doors)
    wanted = [w for w in order if w.is_door]
    if len(wanted) > len(doors):
        return None
    for i, w in enumerate(wanted):
        words = w.what.split("_")
        color = next((c for c in words if c in PALETTE), doors[i].color)
        color = "metal" if "steel" in words else color
        posters = 4 if "posters" in words else 0
        # A name such as `wooden_door_with_posters` keeps all but its colour.
        category = "_".join(c for c in words if c != color or c == "glass")
        doors[i] = replace(doors[i], name=w.name, category=category, color=color, posters=posters)
    return replace(scene, doors=tuple(doors))


def _with(scene: FlatScene, w: Wanted, rng: np.random.Generator) -> FlatScene | None:
    naming = understand(w.what)
    if naming.kind in WALKING:
        return _with_walker(scene, w, naming, rng)
    kind = KINDS[naming.kind]
    item = Item(
        w.name, kind.name, naming.category, naming.color or kind.color, (0, 0, 0), 0.0, kind.size
    )
    placed = Placer(scene, rng).place(item, w.relations, w.unlike)
    if placed is None and kind.stand == "on" and not any(KINDS[i.kind].tops for i in scene.items):
        # Small things need something to stand on, even if nobody asked for it.
        grown = _with(scene, Wanted(f"{w.name}_table", "small_table"), rng)
        return None if grown is None else _with(grown, w, rng)
    return None if placed is None else replace(scene, items=(*scene.items, placed))


def _with_walker(
    scene: FlatScene, w: Wanted, naming: Naming, rng: np.random.Generator
) -> FlatScene | None:
    """Somebody who stands in a room and would walk across it."""
    kind = KINDS[naming.kind]
    stand = Item(w.name, kind.name, kind.name, kind.color, (0, 0, 0), 0.0, kind.size)
    spots = [Placer(scene, rng).place(stand, w.relations, w.unlike) for _ in range(2)]
    path = tuple((round(s.position[0], 3), round(s.position[1], 3)) for s in spots if s)
    if len(path) < 2:
        return None
    walker = Walker(w.name, kind.name, naming.color or kind.color, path)
    return replace(scene, walkers=(*scene.walkers, walker))


def _with_usual(
    scene: FlatScene, order: Sequence[Wanted], usual: int, rng: np.random.Generator
) -> FlatScene:
    """Other furniture and things where they leave the flat as reachable as it was."""
    taken = {understand(w.what).kind for w in order if not w.is_door}
    large = [k for k in _USUAL if k not in taken]
    small = [k for k in _USUAL_SMALL if k not in taken]
    picked = [*rng.permutation(large)[: usual - usual // 3], *rng.permutation(small)[: usual // 3]]
    for what in map(str, picked):
        grown = _with(scene, Wanted(_free_name(scene, what), what), rng)
        if grown is not None and all(map(FreeSpace(grown).reaches, grown.items)):
            scene = grown
    return scene


def _free_name(scene: FlatScene, what: str) -> str:
    used = set(scene.names())
    return next(n for n in (f"{what}_{i}" for i in range(1, 99)) if n not in used)
