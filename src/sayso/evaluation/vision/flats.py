"""Flats to learn seeing in: furnished at random from a seed, painted and lit in many ways.

Seeds of training, validation and unseen flats lie apart (`SPLITS`). Flats of the split `beyond`
are painted and lit outside of what is trained with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.worlds.flat.colors import PALETTE
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.kinds import KINDS, WALKING
from sayso.worlds.flat.scene import FlatScene, Item

Range = tuple[float, float]
DOOR = "door"
NOTHING = "nothing"
"""Floor, walls, the robot itself: what is no thing of a kind."""
CLASSES: tuple[str, ...] = (NOTHING, DOOR, *KINDS)
"""What a pixel can be of, in the order of the network's outputs."""
_LARGE = tuple(k.name for k in KINDS.values() if not k.movable and k.name not in WALKING)
_SMALL = tuple(k.name for k in KINDS.values() if k.movable)
_PAINTS = tuple(c for c in PALETTE if c != "glass")
_COLORS_OF: Mapping[str, tuple[str, ...]] = {
    "apple": ("red", "green"),
    "lemon": ("yellow",),
    "fruit": ("orange",),
    "banana": ("yellow",),
}
"""Kinds that are told from one another by their colours alone: a blue lemon would be no lemon."""
_TRIES = 12


@dataclass(frozen=True)
class Looks:
    """How flats are painted and lit: each a range to draw from.

    Attributes:
        light: factor on all lamps.
        ambient: brightness of the light from everywhere.
        tint: how far each colour channel of a lamp is off white, plus or minus.
        paint: how far each colour channel of a part is off its palette's, plus or minus.
        wall, floor: brightness of what rooms are painted with.
        texture: amplitude of the pattern on things, as a share of their brightness.
        size: factor on the size of what carries nothing.
    """

    light: Range = (0.6, 1.5)
    ambient: Range = (0.28, 0.55)
    tint: float = 0.10
    paint: float = 0.07
    wall: Range = (0.55, 0.95)
    floor: Range = (0.30, 0.90)
    texture: Range = (0.0, 0.16)
    size: Range = (0.93, 1.06)


TRAINED = Looks()
BEYOND = Looks(
    light=(1.6, 1.9),
    ambient=(0.20, 0.26),
    tint=0.16,
    paint=0.11,
    wall=(0.40, 0.52),
    floor=(0.18, 0.28),
    texture=(0.18, 0.25),
    size=(0.88, 0.92),
)


@dataclass(frozen=True)
class Split:
    """A range of seeds, and what flats of it look like."""

    first: int
    count: int
    looks: Looks


SPLITS: Mapping[str, Split] = {
    "train": Split(1_000_000, 100_000, TRAINED),
    "validation": Split(2_000_000, 1_000, TRAINED),
    "unseen": Split(3_000_000, 10_000, TRAINED),
    "beyond": Split(4_000_000, 10_000, BEYOND),
}


def seeds(split: str, count: int, skip: int = 0) -> range:
    """The seeds of some flats. Raises INVALID for a split that there is not, or has too few."""
    if split not in SPLITS:
        raise SaySoError(Code.INVALID, f"there is no split '{split}'.", choices=SPLITS)
    known = SPLITS[split]
    if not 0 <= skip <= skip + count <= known.count:
        raise SaySoError(Code.INVALID, f"split '{split}' has {known.count} flats.")
    return range(known.first + skip, known.first + skip + count)


def looks_of(seed: int) -> Looks:
    """What flats of a seed's split look like. Raises INVALID for a seed of none."""
    for split in SPLITS.values():
        if split.first <= seed < split.first + split.count:
            return split.looks
    raise SaySoError(Code.INVALID, f"seed {seed} is of no split.")


def draw_flat(seed: int) -> FlatScene:
    """A flat with furniture, small things and people of any kinds. Raises NO_PLAN if none fits."""
    rng = np.random.default_rng(seed)
    for _ in range(_TRIES):
        try:
            scene = generate(int(rng.integers(2**31)), _wanted(rng), usual=3)
        except SaySoError as error:
            if error.code is not Code.NO_PLAN:
                raise
            continue  # what was drawn does not fit into a flat together
        return _varied(scene, looks_of(seed), rng)
    raise SaySoError(Code.NO_PLAN, f"no flat was found for seed {seed}.")


def _wanted(rng: np.random.Generator) -> list[Wanted]:
    large = rng.choice(_LARGE, int(rng.integers(5, 10)), False)
    small = rng.choice(_SMALL, int(rng.integers(4, 8)))
    living = rng.choice(WALKING, int(rng.integers(0, 2)))
    kinds = [*large, *small, *living]
    return [Wanted(f"w{i}", _painted(str(kind), rng)) for i, kind in enumerate(kinds)]


def _painted(kind: str, rng: np.random.Generator) -> str:
    """A kind in its own colour, or in any that it can have."""
    color = rng.choice(_COLORS_OF.get(kind, _PAINTS))
    return kind if rng.random() < 0.5 else f"{color}_{kind}"


def _varied(scene: FlatScene, looks: Looks, rng: np.random.Generator) -> FlatScene:
    """The flat with doors anyhow open, and things of other sizes where nothing lies on them."""
    doors = tuple(replace(d, opening=_opening(rng)) for d in scene.doors)
    items = tuple(i if KINDS[i.kind].tops else _scaled(i, looks, rng) for i in scene.items)
    return replace(scene, doors=doors, items=items)


def _opening(rng: np.random.Generator) -> float:
    return float(np.clip(rng.uniform(-0.5, 1.5), 0.0, 1.0))


def _scaled(item: Item, looks: Looks, rng: np.random.Generator) -> Item:
    depth, width, height = item.size
    wide, high = rng.uniform(*looks.size, 2)
    return replace(item, size=(float(depth * wide), float(width * wide), float(height * high)))


def repaint(model: mujoco.MjModel, looks: Looks, rng: np.random.Generator) -> None:
    """Other light, floor, walls and shades of colour, in place; before anything is rendered."""
    lamp = rng.uniform(*looks.light) * _tints(rng, looks.tint, model.nlight)
    model.light_diffuse[:] = np.clip(model.light_diffuse * lamp, 0.0, 1.0)
    model.light_dir[:, :2] = rng.uniform(-0.7, 0.7, (model.nlight, 2))
    model.vis.headlight.ambient[:] = rng.uniform(*looks.ambient) * _tints(rng, looks.tint, 1)[0]
    model.vis.headlight.diffuse[:] = rng.uniform(0.10, 0.35)
    _repaint_floor(model, looks, rng)
    walls = model.geom_bodyid == model.body("walls").id
    for geoms, change in ((walls, rng.uniform(*looks.wall)), (~walls, None)):
        rgb = model.geom_rgba[geoms, :3]
        if change is not None:  # walls and skirting keep how they differ
            rgb = rgb / rgb.max() * change * _tints(rng, looks.tint, 1)
        rgb = rgb + rng.uniform(-looks.paint, looks.paint, rgb.shape)
        model.geom_rgba[geoms, :3] = np.clip(rgb, 0.0, 1.0)


def _repaint_floor(model: mujoco.MjModel, looks: Looks, rng: np.random.Generator) -> None:
    """Tiles, boards or speckles, in two shades."""
    texture = model.texture("floor")
    side = int(texture.width[0])
    start, size = int(texture.adr[0]), side * side * 3
    shade = rng.uniform(*looks.floor) * _tints(rng, 0.25, 1)[0]
    across, along = np.meshgrid(np.arange(side), np.arange(side))
    cell = int(rng.choice((16, 32, 64, 128)))
    pattern = (
        (across // cell + along // cell) % 2,
        (along // cell) % 2,
        rng.random((side, side)),
    )[int(rng.integers(3))]
    pixels = shade * (1.0 - rng.uniform(0.02, 0.25) * pattern[..., None])
    model.tex_data[start : start + size] = (255 * np.clip(pixels, 0, 1)).astype(np.uint8).ravel()


def _tints(rng: np.random.Generator, most: float, count: int) -> Array:
    """(count, 3) factors around 1."""
    return np.asarray(rng.uniform(1 - most, 1 + most, (count, 3)))
