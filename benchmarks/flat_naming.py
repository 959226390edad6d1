"""What the camera-only namer says of a flat, and how much of it is right.

    python benchmarks/flat_naming.py [--scenes 6] [--views 14] [--first-seed 300]

Random flats with noisy senses; the robot looks at random things from where it could stand. Each
named thing counts as right if it covers one true thing of that kind and little else. "seen" is
how often a kind is in view at all, hidden parts and image edges included. The simulator's
segmentation is read here alone, to score.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table

from sayso.adapters.vision.rgbd_namer import Named, RgbdNamer
from sayso.core.errors import SaySoError
from sayso.core.ports import RgbdFrame
from sayso.perception.categories import is_a
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.kinds import KINDS, NOUNS
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise

LARGE = (
    "sofa", "armchair", "television", "bookshelf", "bed", "trash_bin", "box", "basket", "table",
    "small_table", "chair", "desk", "plant", "robot", "lamp", "machine", "floor_sign",
)  # fmt: skip
SMALL = tuple(k.name for k in KINDS.values() if k.movable)
PIXELS = 80  # of the image, that show enough of a thing to count it as seen
OVERLAP = 0.4  # intersection over union with the true thing's pixels


def main() -> None:
    """Print a table of kinds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=6)
    parser.add_argument("--views", type=int, default=14)
    parser.add_argument("--first-seed", type=int, default=300)
    options = parser.parse_args()
    namer = RgbdNamer()
    right, wrong, seen = Counter[str](), Counter[str](), Counter[str]()
    mistakes: list[str] = []
    seconds, frames = 0.0, 0
    for frame in views(options.first_seed, options.scenes, options.views):
        start = time.process_time()
        named = namer.named(frame)
        seconds, frames = seconds + time.process_time() - start, frames + 1
        seen.update(in_view(frame))
        for thing in named:
            label, overlap = truth(frame, thing, namer.settings.stride)
            good = overlap > OVERLAP and same_kind(label, thing.category)
            (right if good else wrong)[thing.category] += 1
            if not good:
                mistakes.append(f"{thing.category}: {label or 'nothing'} ({overlap:.1f})")
    show(namer, right, wrong, seen)
    print(f"{frames} frames, {1000 * seconds / frames:.0f} ms of CPU each")
    print("\n".join(mistakes))


def views(first_seed: int, scenes: int, each: int) -> Iterator[RgbdFrame]:
    """Frames of random flats, looking at random things."""
    for seed in range(first_seed, first_seed + scenes):
        rng = np.random.default_rng(seed)
        kinds = [*rng.choice(LARGE, 5, False), *rng.choice(SMALL, 5, False)]
        try:
            scene = generate(seed, [Wanted(f"w{i}", k) for i, k in enumerate(kinds)], usual=8)
        except SaySoError:
            continue  # no flat was found that has room for all of it
        yield from looks(scene, rng, each)


def looks(scene: FlatScene, rng: np.random.Generator, count: int) -> Iterator[RgbdFrame]:
    """Frames of one flat, each from near the thing that it is about."""
    space = FreeSpace(scene)
    cells = np.argwhere(space.free) * CELL_M + space.origin
    world = FlatWorld(scene, 0, FlatNoise())
    for number in range(count):
        item = scene.items[rng.integers(len(scene.items))]
        away = np.hypot(*(cells - np.array(item.centre[:2])).T)
        near, far = (1.0, 2.2) if KINDS[item.kind].movable else (1.8, 4.5)
        fitting = cells[(away > near) & (away < far)]
        x, y = (fitting if len(fitting) else cells)[rng.integers(len(fitting) or len(cells))]
        yaw = np.arctan2(item.centre[1] - y, item.centre[0] - x) + rng.uniform(-0.3, 0.3)
        world.scene = replace(scene, start=(float(x), float(y), float(yaw)))
        world.reset(number)
        yield world.render("front", instances=True)
    world.close()


def in_view(frame: RgbdFrame) -> list[str]:
    """The category of each thing of which enough is in view."""
    assert frame.instances is not None
    pixels = np.bincount(frame.instances.ravel(), minlength=max(frame.instance_labels) + 1)
    return [
        label.split(" ", 1)[1] for i, label in frame.instance_labels.items() if pixels[i] >= PIXELS
    ]


def truth(frame: RgbdFrame, thing: Named, stride: int) -> tuple[str, float]:
    """The category that most of a named thing's pixels are of, and the overlap with it."""
    assert frame.instances is not None
    ids = frame.instances[::stride, ::stride]
    best = int(np.bincount(ids[thing.thing.pixels]).argmax())
    if best == 0:
        return "", 0.0
    mask = ids == best
    overlap = (mask & thing.thing.pixels).sum() / (mask | thing.thing.pixels).sum()
    return frame.instance_labels[best].split(" ", 1)[1], float(overlap)


def same_kind(label: str, category: str) -> bool:
    """Whether a true category is what the namer calls it."""
    kind = NOUNS.get("_".join(category.split()))
    return is_a(label, category) or (kind is not None and NOUNS.get(label) == kind)


def show(namer: RgbdNamer, right: Counter[str], wrong: Counter[str], seen: Counter[str]) -> None:
    """One row for each kind that can be named, and the sum."""
    table = Table("kind", "seen", "named rightly", "named wrongly", "recall", "precision")
    total = np.zeros(3, int)
    for look in namer.looks.values():
        if look.rival:
            continue
        kind = look.category
        counts = np.array(
            [sum(n for c, n in seen.items() if same_kind(c, kind)), right[kind], wrong[kind]]
        )
        total += counts
        table.add_row(kind, *row(counts))
    table.add_row("all", *row(total))
    Console(width=90).print(table)


def row(counts: np.ndarray) -> list[str]:
    """Counts and shares as text."""
    seen, right, wrong = (int(n) for n in counts)
    recall = f"{right / seen:.2f}" if seen else "-"
    precision = f"{right / (right + wrong):.2f}" if right + wrong else "-"
    return [str(seen), str(right), str(wrong), recall, precision]


if __name__ == "__main__":
    main()
