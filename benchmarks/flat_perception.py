"""How well things are found in the flat from the frames of a tour.

    python benchmarks/flat_perception.py [SCENE ...] [--errors] [--generated N]

Prints recall, precision, errors of place and footprint, and colours, by scene, with the noise of
the senses on. `--errors` adds a row for a finder that misses, invents and mislabels.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.errors import SaySoError
from sayso.core.ports import RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.categories import category_of, is_a
from sayso.perception.flat.boxes import UprightBox
from sayso.perception.flat.looking import look_for
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.generate import generate
from sayso.worlds.flat.kinds import KINDS, understand
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sensing import FlatNoise

SPACING_M = 1.3
HEADINGS = 6
LEAST_PIXELS = 150
"""What no frame shows more of cannot be found, and is not counted as missed."""


@dataclass
class Score:
    """What was found of a scene."""

    name: str
    seconds: float = 0.0
    frames: int = 0
    wanted: int = 0
    found: int = 0
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    small_m: list[float] = field(default_factory=list)
    edges_m: list[float] = field(default_factory=list)
    heights_m: list[float] = field(default_factory=list)
    worst: list[tuple[float, str]] = field(default_factory=list)
    colors: list[tuple[str, str]] = field(default_factory=list)


def main() -> None:
    """Measure the fixed scenes and some generated ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", default=["home", "office", "lobby"])
    parser.add_argument("--generated", type=int, default=5)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    scenes = [fixed(n) for n in options.scenes]
    scenes += [generate(s, usual=10) for s in range(options.generated)]
    print(f"{'scene':24} frames  recall        precision     small [cm]  "
          "edges [cm]    < 8 cm  colour  seconds")  # fmt: skip
    totals: dict[str, list[Score]] = {}
    for scene in scenes:
        frames, truth = tour(scene)
        finders = {"": SimulatorInstances()}
        if options.errors:
            finders[" +errors"] = SimulatorInstances(1, 0.2, 0.1, 0.05)
        for label, finder in finders.items():
            score = judge(scene.name + label, frames, truth, finder)
            totals.setdefault(label, []).append(score)
            show(score, options.verbose)
    for label, scores in totals.items():
        show(together("all" + label, scores), False)


def tour(scene: FlatScene) -> tuple[list[RgbdFrame], list[SceneObject]]:
    """Frames from places all over a flat, and the true things that they show enough of."""
    world = FlatWorld(scene, 0, FlatNoise())
    frames, most = [], dict.fromkeys(range(1, len(scene.names()) + 1), 0)
    for number, start in enumerate(places(scene)):
        world.scene = replace(scene, start=start)
        world.reset(number)
        frames.append(world.render("front", instances=True))
        ids = frames[-1].instances
        assert ids is not None
        for i, n in enumerate(np.bincount(ids.ravel(), minlength=len(most) + 1)[1:], 1):
            most[i] = max(most.get(i, 0), int(n))
    truth = [t for i, t in enumerate(world.truth(), 1) if most[i] >= LEAST_PIXELS]
    world.close()
    return frames, truth


def places(scene: FlatScene) -> Iterator[tuple[float, float, float]]:
    """Places on the free floor, evenly spread, each in several headings."""
    space = FreeSpace(scene)
    cells = np.argwhere(space.free)
    chosen: list[npt.NDArray[np.float64]] = []
    far = np.full(len(cells), np.inf)
    point = np.array(scene.start[:2])
    while True:
        chosen.append(point)
        at = cells * CELL_M + space.origin
        far = np.minimum(far, np.linalg.norm(at - point, axis=1))
        if far.max() < SPACING_M:
            break
        point = at[far.argmax()]
    for i, (x, y) in enumerate(chosen):
        for k in range(HEADINGS):
            yield float(x), float(y), 2 * np.pi * (k + (i % 2) / 2) / HEADINGS


def judge(
    name: str, frames: Sequence[RgbdFrame], truth: Sequence[SceneObject], finder: SimulatorInstances
) -> Score:
    """Find every kind that the scene has, and compare."""
    nouns = sorted({category_of(t.category) for t in truth})
    start = time.process_time()
    found = look_for(frames, nouns, finder)
    score = Score(name, time.process_time() - start, len(frames), len(truth))
    free = list(found)
    for true in truth:
        near = [
            f for f in free
            if is_a(true.category, f.category) and distance(f, true) < 0.35 + 0.3 * max(true.size)
        ]  # fmt: skip
        if not near:
            score.missed.append(true.name)
            continue
        best = min(near, key=lambda f: distance(f, true))
        free.remove(best)
        compare(score, best, true)
    score.found = len(truth) - len(score.missed)
    score.false = [f"{f.name} {np.round(f.position, 2)} {np.round(f.size, 2)}" for f in free]
    return score


def compare(score: Score, found: SceneObject, true: SceneObject) -> None:
    """Add the errors of one found thing."""
    if kind_is_small(true):
        score.small_m.append(distance(found, true))
        score.worst.append((score.small_m[-1], true.name))
    elif true.category not in ("cat", "person"):
        edges = edge_errors(found, true)
        score.edges_m.extend(edges)
        score.worst.append((max(edges), f"{true.name} {np.round(edges, 3)}"))
    score.heights_m.append(abs(top(found) - top(true)))
    score.colors.append((true.color, found.color))


def kind_is_small(thing: SceneObject) -> bool:
    """Whether it can be carried."""
    try:
        return KINDS[understand(thing.category).kind].movable
    except (SaySoError, KeyError):
        return False


def edge_errors(found: SceneObject, true: SceneObject) -> list[float]:
    """How far the four edges of the footprint are off, along the true thing's axes [m]."""
    box = UprightBox.of(true)
    c = box.local(found.corners())
    half = np.array(true.size[:2]) / 2
    return [
        *(float(v) for v in np.abs(c[:, :2].max(axis=0) - half)),
        *(float(v) for v in np.abs(c[:, :2].min(axis=0) + half)),
    ]


def distance(a: SceneObject, b: SceneObject) -> float:
    """Between the centres seen from above [m]."""
    return float(np.linalg.norm(np.subtract(a.position[:2], b.position[:2])))


def top(thing: SceneObject) -> float:
    """Height of the upper side [m]."""
    return thing.position[2] + thing.size[2] / 2


def together(name: str, scores: Sequence[Score]) -> Score:
    """All scenes in one."""
    total = Score(name)
    for s in scores:
        for key, value in vars(s).items():
            if key != "name":
                setattr(total, key, getattr(total, key) + value)
    return total


def show(score: Score, verbose: bool) -> None:
    """One row."""
    given = score.found + len(score.false)
    edges, small = np.array(score.edges_m or [0]) * 100, np.array(score.small_m or [0]) * 100
    named = [t == f for t, f in score.colors if t not in ("wooden", "metal", "glass")]
    print(
        f"{score.name:24} {score.frames:6}  {score.found}/{score.wanted} "
        f"{score.found / max(score.wanted, 1):.3f}  {score.found}/{given} "
        f"{score.found / max(given, 1):.3f}  {np.median(small):4.1f} {small.max():5.1f}  "
        f"{np.median(edges):4.1f} {np.percentile(edges, 95):5.1f} {edges.max():5.1f}  "
        f"{(edges < 8).mean():6.3f}  {np.mean(named or [1]):6.3f}  {score.seconds:6.1f}",
        flush=True,
    )
    if verbose:
        print("   missed:", score.missed, "\n   false:", score.false)
        print("   worst:", [(round(e, 3), n) for e, n in sorted(score.worst, reverse=True)[:8]])
        print("   colours:", sorted({c for c in score.colors if c[0] != c[1]}))


if __name__ == "__main__":
    main()
