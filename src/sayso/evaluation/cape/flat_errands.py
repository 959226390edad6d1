"""Errands in the flat with physics and the robot's own cameras, and what truly came of them.

After the tasks of CAPE's Spot (Raman et al., 2024, table II). Simulated: the scenes, the sensors
with their noise, and the finder, which is the simulator's own segmentation. Driving stands for
walking; doors and lids are worked by the building. The robot knows what is in shut chests from a
tour on which they stood open.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sayso.core.geometry import rotation_matrix
from sayso.core.scene import AttributeValue, SceneObject
from sayso.evaluation.cape.outcomes import judged
from sayso.evaluation.cases import Case, Measure, Outcome
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.run import FlatRun, Result
from sayso.evaluation.flat_run.tour import Toured, tour
from sayso.evaluation.limp.seeing import places
from sayso.evaluation.upsets.runs import failures_of
from sayso.worlds.errands.cases import Errand, errand, errands
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.flat.truth import LID

_SHUT, _ON_M = 0.02, 0.03


def flat_errand_cases(copies: int) -> Iterator[Case]:
    """Each errand that the flat can do, so often, each time with other noise."""
    for number in range(copies):
        for (scene, name), given in errands().items():
            if given.says:
                told = {"scene": scene, "errand": name, "noise": number}
                yield Case(f"{scene} {name}/{number}", scene, told)


def run_flat_errand(case: Case, seed: int) -> Outcome:
    """Success is that the main flow ends it, and what truly stands where says so, too."""
    given = errand(case.data["scene"], case.data["errand"])
    known = _toured(given.scene.name)
    world = FlatWorld(given.scene, seed, FlatNoise())
    try:
        sight = CameraSight(world, None, copy.deepcopy(known.memory), copy.deepcopy(known.mapper))
        result = FlatRun(world, sight, seed=seed).perform(given.says)
        measures = _measures(result, reached(world, given))
    finally:
        world.close()
    said = (given.says, result.outcome.message, *failures_of(list(result.events)))
    return judged(measures, result.outcome.code, "\n".join(said))


def reached(world: FlatWorld, given: Errand) -> bool:
    """Whether an errand is done, by what truly stands where, without formulas and predicates."""
    things = {o.name: o for o in world.truth()}
    asked = given.ends.items()
    return all(_so(things, n, a, v) for n, wanted in asked for a, v in wanted.items())


def _so(things: dict[str, SceneObject], name: str, attribute: str, value: AttributeValue) -> bool:
    thing = things[name]
    if attribute == "location":
        return any(_over(thing, things[str(value)], inside) for inside in (False, True))
    if attribute == "inside":
        return any(_over(thing, t, True) for t in things.values() if LID in t.attributes) is value
    if attribute == "open":
        return (float(thing.attributes[LID]) < _SHUT) is not value
    return thing.attributes.get(attribute) == value


def _over(thing: SceneObject, place: SceneObject, inside: bool) -> bool:
    """Whether a thing's middle is over a place, and it stands on it, or below its rim in it."""
    x, y, _ = place.pose.inverse().transform(np.array([thing.position]))[0]
    over = abs(x) < place.size[0] / 2 and abs(y) < place.size[1] / 2
    top = place.position[2] + place.size[2] / 2
    if inside:
        return over and LID in place.attributes and thing.position[2] < top
    half = np.abs(rotation_matrix(thing.orientation)[2]) @ np.asarray(thing.size) / 2
    return over and abs(thing.position[2] - float(half) - top) < _ON_M


def _measures(result: Result, truly: bool) -> dict[str, Measure]:
    done = [e for e in result.events if e.skill is not None and e.skill.finished]
    refused = len(failures_of(list(result.events)))
    return {
        "executable": result.outcome.succeeded,
        "correct": result.outcome.succeeded and truly,
        "claimed wrongly": result.outcome.succeeded and not truly,
        "steps": len(done) - refused,
        "refused": refused,
        "simulated s": result.time_s,
    }


@lru_cache(maxsize=2)
def _toured(name: str) -> Toured:
    """What the robot knows of a scene: a tour on which every door and lid stood open."""
    scene = next(e.scene for e in errands().values() if e.scene.name == name)
    world = FlatWorld(_opened(scene), 0, FlatNoise())
    try:
        return tour(world, places(world.scene))
    finally:
        world.close()


def _opened(scene: FlatScene) -> FlatScene:
    lids = (replace(i, lid=float(kind(i.kind).lidded)) for i in scene.items)
    doors = (replace(d, opening=1.0) for d in scene.doors)
    return replace(scene, items=tuple(lids), doors=tuple(doors))
