"""What truly comes about when a plan is carried out in a flat, as a trace.

The base follows each path exactly; there is no physics. What the hand takes goes along with it,
and what is put down lies on, in or, where nothing can lie, beside its receptacle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import IDENTITY, Array, Pose, Vector3
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Operator
from sayso.evaluation.limp.scenes import Stage, flat_library
from sayso.logic.formula import Prop
from sayso.logic.monitor import prop_atom
from sayso.planning.navigation.handling import drives, handling
from sayso.planning.navigation.itinerary import Leg

STEP_M = 0.05
"""Between the positions at which the trace is read."""
REACH_M = 1.2
"""From the base's centre to the edge of what the hand can take or put something on."""
BESIDE_M = 0.1

_CARRY: Vector3 = (0.5, 0.0, 0.8)

Letter = frozenset[Prop]


@dataclass(frozen=True)
class Deed:
    """One step of a plan as it is carried out.

    Attributes:
        args: what is handled; none for driving alone.
        path: (N, 2) corners that the base's centre passes [m]; the last is where it acts.
    """

    operator: Operator
    args: tuple[str, ...]
    path: Array


def deeds_of(legs: Iterable[Leg], names: Mapping[str, str] | None = None) -> tuple[Deed, ...]:
    """The legs of a tour as deeds; `names` says what the tour's things truly are."""
    known = names or {}
    return tuple(
        Deed(leg.operator, () if leg.drives else tuple(known.get(n, n) for n in leg.args), leg.path)
        for leg in legs
    )


@dataclass
class Actor:
    """The robot in a flat; writes down what is true of some propositions as it goes.

    Attributes:
        trace: a letter for each moment in which something changed.
        way_m: how far the base has gone.
    """

    stage: Stage
    propositions: tuple[Prop, ...]
    trace: list[Letter] = field(default_factory=list)
    way_m: float = 0.0

    def __post_init__(self) -> None:
        self._objects = {o.name: o for o in self.stage.objects}
        self._place: Array = np.array(self.stage.start, float)
        self._held = ""
        self._look()

    def carry_out(self, deeds: Sequence[Deed]) -> None:
        """Do one after the other.

        Raises:
            SaySoError: EXECUTION at a deed that cannot be done, such as taking what is not there.
        """
        for deed in deeds:
            self._drive(deed.path)
            if drives(deed.operator):
                continue
            done = handling(deed.operator, deed.args)
            if done.takes:
                self._take(done.takes)
            elif done.leaves:
                self._leave(done.place)
            else:
                raise _cannot(f"nothing here can {deed.operator.english.format(*deed.args)}.")

    def _drive(self, path: Array) -> None:
        for corner in path:
            way = np.asarray(corner, float) - self._place
            length = float(np.linalg.norm(way))
            count = max(1, int(np.ceil(length / STEP_M)))
            begin = self._place
            for share in (np.arange(count) + 1) / count if length else ():
                self._place = begin + way * share
                self._look()
            self.way_m += length

    def _take(self, name: str) -> None:
        thing = self._within_reach(name)
        if self._held:
            raise _cannot(f"{name} cannot be taken: the hand holds {self._held}.")
        self._held = name
        self._objects[name] = replace(thing, carried=True, orientation=IDENTITY)
        self._look()

    def _leave(self, name: str) -> None:
        receptacle = self._within_reach(name)
        if not self._held:
            raise _cannot(f"nothing is held that could be put down at {name}.")
        thing = self._objects[self._held]
        position = put_down(thing, receptacle, self.stage, self._place)
        self._objects[self._held] = replace(thing, carried=False, position=position)
        self._held = ""
        self._look()

    def _within_reach(self, name: str) -> SceneObject:
        thing = self._objects.get(name)
        if thing is None:
            raise _cannot("there is nothing where the hand reaches.")
        x, y = self._place
        if thing.distance_to(np.array([x, y, thing.position[2]])) > REACH_M:
            raise _cannot(f"{name} is out of reach.")
        return thing

    def _look(self) -> None:
        """Read the trace's next letter, if it differs from the last."""
        x, y = (float(v) for v in self._place)
        if self._held:
            held = self._objects[self._held]
            carried = (x + _CARRY[0], y + _CARRY[1], _CARRY[2])
            self._objects[self._held] = replace(held, position=carried)
        robot = RobotState(base=Pose((x, y, 0.0)))
        view = SceneView(
            Scene(0.0, tuple(self._objects.values()), robot, frame="map"), flat_library().predicates
        )
        letter = frozenset(p for p in self.propositions if view.truth(prop_atom(p)))
        if not self.trace or letter != self.trace[-1]:
            self.trace.append(letter)


def put_down(thing: SceneObject, receptacle: SceneObject, stage: Stage, hand: Array) -> Vector3:
    """The centre of a thing that was put down: on or in a receptacle, or beside it."""
    half = thing.size[2] / 2
    x, y, z = receptacle.position
    foot = z - receptacle.size[2] / 2
    top = stage.tops.get(receptacle.name)
    if top is not None:
        return (x, y, foot + top + half)
    # Beside: on the side of the robot, on the floor or on whatever the receptacle stands on.
    low, high = receptacle.corners()[:, :2].min(axis=0), receptacle.corners()[:, :2].max(axis=0)
    nearest = np.clip(hand, low, high)
    way = hand - nearest
    length = float(np.linalg.norm(way))
    out = way / length if length > 0 else np.array([1.0, 0.0])
    spot = nearest + out * (BESIDE_M + max(thing.size[:2]) / 2)
    return (float(spot[0]), float(spot[1]), foot + half)


def _cannot(message: str) -> SaySoError:
    return SaySoError(Code.EXECUTION, message[0].upper() + message[1:])
