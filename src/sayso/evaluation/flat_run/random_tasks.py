"""Random instructions with things to avoid, in generated flats, from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import RobotState, Scene
from sayso.evaluation.flat_run.known_boxes import true_floor
from sayso.evaluation.limp.scenes import true_objects
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression
from sayso.mission.tour_planning import TourTask
from sayso.mission.understanding import TaskInterpreter
from sayso.planning.navigation.tour import plan_tour
from sayso.robots.loading import MOBILE, load_robot
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.kinds import KINDS, WALKING
from sayso.worlds.flat.scene import FlatScene

_SLOW_M_S = (0.15, 0.5)
_SOME = ("cat", "person", "dog")
_TRIES = 60
_ANYHOW = 0.1
"""Share of the tasks without a tour that are asked for all the same."""


@dataclass(frozen=True)
class RandomTask:
    """An instruction and the flat to carry it out in."""

    seed: int
    instruction: str
    scene: FlatScene


def random_task(seed: int) -> RandomTask:
    """A flat with 1 or 2 who stand or walk, and an instruction about some of its things.

    Most can be done as the flat is at first; some cannot, which the robot must find out.
    """
    rng = np.random.default_rng((seed, 8))
    for _ in range(_TRIES):
        try:
            scene = _flat(rng, seed)
        except SaySoError:  # no such flat was found: another one
            continue
        words = _instruction(scene, rng)
        if words and (feasible(words, scene) or rng.random() < _ANYHOW):
            return RandomTask(seed, words, scene)
    raise AssertionError(f"no flat for seed {seed}")


def feasible(instruction: str, scene: FlatScene) -> bool:
    """Whether a tour fulfils an instruction in a flat as it is at first, with all known."""
    x, y, _ = scene.start
    things, library = true_objects(scene), load(builtin_path("flat"))
    seen = Scene(0.0, things, RobotState(base=Pose((x, y, 0.0))), frame="map")
    try:
        understood = TaskInterpreter(library, lambda _: seen).interpret(instruction)
        monitor = Monitor(Progression.of(understood.specification.formula), library.predicates)
        monitor.follow(symbolic_state(seen, library.predicates))
        task = TourTask(monitor, library, load_robot(MOBILE).require_base().footprint_m)
        task.plan(seen, true_floor(scene), lambda outset, _: plan_tour(outset))
    except SaySoError:
        return False
    return understood.trouble is None


def _flat(rng: np.random.Generator, seed: int) -> FlatScene:
    living = [str(k) for k in rng.permutation([k for k in _SOME if k in WALKING])]
    wanted = [Wanted(k, k) for k in living[: int(rng.integers(0, 3))]]
    number = int(rng.integers(2**31))
    scene = generate(number, wanted, usual=int(rng.integers(6, 12)), name=f"random_{seed}")
    walkers = tuple(
        replace(w, walking=bool(rng.random() < 0.5), speed=float(rng.uniform(*_SLOW_M_S)))
        for w in scene.walkers
    )
    doors = tuple(replace(d, opening=0.0 if rng.random() < 0.1 else d.opening) for d in scene.doors)
    return replace(scene, walkers=walkers, doors=doors).check()


def _instruction(scene: FlatScene, rng: np.random.Generator) -> str:
    """Words about the scene's things; each kind is there once, so its noun names one thing."""
    large = [i.category for i in scene.items if not KINDS[i.kind].movable]
    small = [i.category for i in scene.items if KINDS[i.kind].movable]
    tops = [i.category for i in scene.items if KINDS[i.kind].tops and not KINDS[i.kind].movable]
    if len(set(large)) < 4:
        return ""
    places = [str(p) for p in rng.permutation(large)]
    goals = places[: int(rng.integers(1, 4))]
    left = [p for p in places if p not in goals] + 2 * [w.kind for w in scene.walkers]
    avoided = list(dict.fromkeys(str(p) for p in rng.permutation(left)))
    parts = [_visits(goals, rng)]
    if small and tops and rng.random() < 0.25:
        thing, place = str(rng.choice(small)), str(rng.choice(tops))
        parts.append(f"Bring the {_said(thing)} to the {_said(place)}.")
        avoided = [a for a in avoided if a != place]
    count = int(rng.integers(1, 3))
    parts += [f"Never go near the {_said(name)}." for name in avoided[:count]]
    later = [a for a in avoided[count:] if a not in (w.kind for w in scene.walkers)]
    if later and rng.random() < 0.3:
        until = f"until you have visited the {_said(goals[0])}"
        parts.append(f"Do not go near the {_said(later[0])} {until}.")
    return " ".join(parts)


def _visits(goals: Sequence[str], rng: np.random.Generator) -> str:
    names = [f"the {_said(g)}" for g in goals]
    if rng.random() < 0.5:
        return "Go to " + ", then ".join(names) + "."
    if len(names) == 1:
        return f"Go to {names[0]}."
    return f"Go to {', '.join(names[:-1])} and {names[-1]} in any order."


def _said(category: str) -> str:
    return category.replace("_", " ")
