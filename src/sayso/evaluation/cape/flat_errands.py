"""Errands in the flat with physics and the robot's own cameras, from somebody's plans with errors.

After the tasks of CAPE's Spot (Raman et al., 2024, table II). Simulated: the scenes, the sensors
with their noise, and the finder, which is the simulator's own segmentation. Driving stands for
walking; doors and lids are worked by the building. Standing, looked at, touched, ironed, full,
clean and switched on are changes of state alone. The robot knows what is in shut chests from a tour
on which they stood open.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import rotation_matrix
from sayso.core.ports import Embedder
from sayso.core.predicates import SceneView
from sayso.core.scene import AttributeValue, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.evaluation.cape.errands import go_about
from sayso.evaluation.cases import Case, Outcome
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.run import FlatRun
from sayso.evaluation.flat_run.tour import Toured, tour
from sayso.evaluation.limp.seeing import places
from sayso.perception.categories import category_of
from sayso.robots.loading import load_robot
from sayso.worlds.errands.cases import Errand, errand, errands
from sayso.worlds.errands.world import ROBOT, ErrandWorld
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.flat.truth import LID

_SHUT, _ON_M, _LOOK_S = 0.02, 0.03, 10.0
_PLACED = ("location", "inside", "open")
PHYSICAL: Mapping[str, str] = {
    "walk_to": "Go to the {0}.",
    "pick_up": "Pick up the {0}.",
    "put": "Put the {0} on the {1}.",
    "put_in": "Put the {0} in the {1}.",
    "open": "Open the {0}.",
    "close": "Close the {0}.",
}
"""The skills that the flat's robot truly carries out, as what it is told."""


def flat_errand_cases(copies: int) -> Iterator[Case]:
    """Each errand, so often, each time with other noise."""
    for number in range(copies):
        for scene, name in errands():
            told = {"scene": scene, "errand": name, "noise": number}
            yield Case(f"{scene} {name}/{number}", scene, told)


def run_flat_errand(case: Case, embedder: Embedder, seed: int, robot: str) -> Outcome:
    """Success is that the main flow ends it, and what truly stands where says so, too."""
    given = errand(case.data["scene"], case.data["errand"])
    known = _toured(given.scene.name)
    world = FlatWorld(given.scene, seed, FlatNoise(), load_robot(robot))
    try:
        sight = CameraSight(world, None, copy.deepcopy(known.memory), copy.deepcopy(known.mapper))
        doing = FlatErrand(given, FlatRun(world, sight, seed=seed))
        outcome = go_about(doing, given.plan, embedder, lambda: reached(world, doing))
        return replace(outcome, measures={**outcome.measures, "simulated s": world.time_s})
    finally:
        world.close()


class FlatErrand(ErrandWorld):
    """An errand of which what is `PHYSICAL` is carried out in the flat.

    What stands where is what the cameras show; what they do not show stays where it was last seen
    or put. Of what was never seen it is not known where it is, of doors and lids that the building
    did not tell of not whether they are open.
    """

    def __init__(self, given: Errand, flat: FlatRun) -> None:
        super().__init__(given)
        self._flat = flat
        self._nouns = {n: category_of(o.category) for n, o in self._things.items() if n != ROBOT}
        self._opens = frozenset(n for n in self._things if self.attribute(n, "open") is not None)
        self._lost: set[str] = set()
        for name, thing in self._things.items():
            known = {a: v for a, v in thing.attributes.items() if a != "open"}
            self._things[name] = replace(thing, attributes=known)
            if name != ROBOT and self.attribute(name, "location") is not None:
                self._change(name, location="", inside=False)
        flat.sight.look_for(frozenset(self._nouns.values()))
        self._see()

    def scene(self) -> Scene:
        """Without what fell from the hand and was not seen since."""
        scene = super().scene()
        return replace(scene, objects=tuple(o for o in scene.objects if o.name not in self._lost))

    def act(self, skill: str, args: tuple[str, ...]) -> None:
        """As where there is no physics; raises what the flat's robot fails by, too."""
        before = dict(self._things)
        super().act(skill, args)
        if skill not in PHYSICAL:
            if skill == "look_at":
                self._see()
            return
        told = PHYSICAL[skill].format(*(self._called(n) for n in args))
        result = self._flat.perform(told)
        if not result.outcome.succeeded:
            self._things = before
            self.done.pop()
            if skill == "walk_to":
                self._change(ROBOT, location="")
        self._see()
        if not result.outcome.succeeded:
            raise SaySoError(
                self._code(result.outcome.code, args), f"'{told}': {result.outcome.message}"
            )

    def _code(self, code: Code, args: tuple[str, ...]) -> Code:
        """What a failure in the flat is to the errand: without a plan for one of its steps, the
        errand itself may still have one."""
        if code is Code.UNKNOWN_OBJECT and not self._lost.isdisjoint(args):
            return Code.OBJECT_LOST
        return Code.UNREACHABLE if code is Code.NO_PLAN else code

    def _called(self, name: str) -> str:
        """What the robot is told of a thing: its noun, or, where it is taken for several things,
        since it moved unseen, as the one that was seen last."""
        senses, noun = self._flat.robot.senses, self._nouns[name]
        alike = [o for o in senses.scene().objects if o.category == noun]
        newest = max(alike, key=lambda o: (o.carried, o.last_seen_s), default=None)
        return noun if newest is None or len(alike) == 1 else newest.name

    def _see(self) -> None:
        """What the cameras show now goes before what is remembered."""
        senses = self._flat.robot.senses
        scene = senses.scene_after(senses.now_s(), _LOOK_S)
        view = SceneView(scene, self._flat.library.predicates)
        seen: dict[str, str] = {}
        for thing in sorted(scene.objects, key=lambda o: (o.carried, o.last_seen_s)):
            seen.update(
                (n, thing.name) for n, noun in self._nouns.items() if noun == thing.category
            )

        def truth(predicate: str, *names: str) -> bool | None:
            return view.truth(Atom(predicate, tuple(seen[n] for n in names)))

        def true(predicate: str, *names: str) -> bool:
            return truth(predicate, *names) is True

        held = [n for n in self._nouns if self.attribute(n, "grabbed")]
        if view.truth(Atom("hand_empty", ())) is True:
            for name in held:
                fell = name in seen
                self._change(name, grabbed=False, location="", inside=False, fallen=fell)
            self._lose(name for name in held if name not in seen)
        self._found(self._lost & seen.keys())
        for name in seen:
            for predicate, is_open in (("open", True), ("closed", False)):
                if name in self._opens and true(predicate, name):
                    self._change(name, open=is_open)
            if self.attribute(name, "grabbed") is None:
                continue
            place = str(self.attribute(name, "location"))
            if place in seen and view.visible(seen[name]):
                known = [truth(predicate, name, place) for predicate in ("on", "in")]
                if known == [False, False]:  # whatever was claimed
                    self._change(name, location="", inside=False, fallen=True)
            if true("holding", name):
                self._change(name, grabbed=True, location="", inside=False, fallen=False)
            for place, predicate in product(seen, ("on", "in")):
                if self.attribute(place, "room") is not None and true(predicate, name, place):
                    inside = predicate == "in"
                    placed = {"location": place, "inside": inside, "fallen": False}
                    self._change(name, grabbed=False, **placed)

    def _found(self, names: Iterable[str]) -> None:
        """What was lost and is seen lies there, wherever that is."""
        for name in sorted(names):
            self._lost.discard(name)
            self._change(name, fallen=True)

    def _lose(self, names: Iterable[str]) -> None:
        """What fell from the hand unseen may be anywhere: each place is worth a look again."""
        for name in names:
            self._lost.add(name)
            for place in self._things:
                if self.attribute(place, "searched"):
                    self._change(place, searched=False)


def reached(world: FlatWorld, given: ErrandWorld) -> bool:
    """Whether an errand is done: by what truly stands where and is touched by the robot, without
    formulas and predicates, and by what is a change of state alone."""
    things = {o.name: o for o in world.truth()}
    touched = world.contacts()

    def so(name: str, attribute: str, value: AttributeValue) -> bool:
        if attribute == "grabbed":
            return (name in touched) is value
        if attribute in _PLACED:
            return _so(things, name, attribute, value)
        return given.attribute(name, attribute) == value

    ends = given.errand.ends.items()
    return all(so(name, a, value) for name, wanted in ends for a, value in wanted.items())


def _so(things: dict[str, SceneObject], name: str, attribute: str, value: AttributeValue) -> bool:
    thing = things[name]
    if attribute == "location":
        return any(_over(thing, things[str(value)], inside) for inside in (False, True))
    if attribute == "inside":
        return any(_over(thing, t, True) for t in things.values() if LID in t.attributes) is value
    if attribute == "open":
        return (float(thing.attributes[LID]) < _SHUT) is not value
    raise ValueError(attribute)


def _over(thing: SceneObject, place: SceneObject, inside: bool) -> bool:
    """Whether a thing's middle is over a place, and it stands on it, or below its rim in it."""
    x, y, _ = place.pose.inverse().transform(np.array([thing.position]))[0]
    over = abs(x) < place.size[0] / 2 and abs(y) < place.size[1] / 2
    top = place.position[2] + place.size[2] / 2
    if inside:
        return over and LID in place.attributes and thing.position[2] < top
    half = np.abs(rotation_matrix(thing.orientation)[2]) @ np.asarray(thing.size) / 2
    return over and abs(thing.position[2] - float(half) - top) < _ON_M


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
