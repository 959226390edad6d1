"""What the errands are carried out in: things with a place and attributes, and no physics.

A legged robot with one arm is a posture, a place and what is in the hand. Walking, reaching and
grasping always come out where they are possible; ironed, full and clean are changes of state alone.
What is possible is said here once more, apart from the library's operators, which plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject
from sayso.worlds.errands.cases import Errand
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.scene import DOOR_HEIGHT_M, FlatScene, Item, about_z

ROBOT = "robot"
_SIZE_M: Vector3 = (1.1, 0.5, 0.6)
_SWITCHED, _FABRIC = ("iron",), ("shirt", "cap")
_VESSELS: Mapping[str, bool] = {"jug": True, "bottle": False}
"""What can be poured into, and whether it is full at first."""
_Attributes: TypeAlias = "dict[str, AttributeValue]"


class ErrandWorld:
    """A scene and the robot in it, from the beginning of an errand.

    Attributes:
        done: skills that were carried out, with what they were on.
    """

    def __init__(self, errand: Errand) -> None:
        self.errand = errand
        self.done: list[tuple[str, tuple[str, ...]]] = []
        self._time_s = 0.0
        self._things = {o.name: o for o in _objects(errand)}

    # -- what is seen ----------------------------------------------------------------------

    def scene(self) -> Scene:
        """All of it: what is in a shut container was seen when it was put there."""
        self._time_s += 1.0
        return Scene(self._time_s, tuple(self._things.values()), RobotState(), frame="map")

    def attribute(self, name: str, attribute: str) -> AttributeValue | None:
        """Of a thing; None where it has no such attribute."""
        return self._things[name].attributes.get(attribute)

    def reached(self) -> bool:
        """Whether the errand is done, by the things' attributes alone."""
        ends = self.errand.ends.items()
        return all(self.attribute(n, a) == v for n, wanted in ends for a, v in wanted.items())

    # -- what is done ----------------------------------------------------------------------

    def act(self, skill: str, args: tuple[str, ...]) -> None:
        """Carry a skill out. Raises PRECONDITION where it is not possible; then nothing changed.

        Args:
            args: as many as the skill takes; context of the operator behind them is not read.
        """
        if skill != "stand_up":
            self._require(self._is(ROBOT, "standing"), "it sits")
        getattr(self, f"_{skill}")(*args)
        self.done.append((skill, args))

    def _stand_up(self) -> None:
        self._require(not self._is(ROBOT, "standing"), "it stands already")
        self._change(ROBOT, standing=True)

    def _sit(self) -> None:
        self._change(ROBOT, standing=False)

    def _walk_to(self, place: str) -> None:
        room = self.attribute(place, "room")
        self._require(room is not None, f"{place} is no place")
        self._require(self.attribute(ROBOT, "location") != place, "it is there already")
        shut = not self._is("door", "open")
        away = place != "door" and room != self.attribute(ROBOT, "room")
        self._require(not (shut and away), "the door is shut")
        for name in self._things:
            if self._is(name, "in_view"):
                self._change(name, in_view=False)
        self._change(ROBOT, location=place, **({} if place == "door" else {"room": room}))

    def _look_at(self, thing: str, *_: str) -> None:
        if self.attribute(thing, "searched") is not None:  # a place, for what may be there
            self._require_at(thing)
            self._change(thing, searched=True)
            return
        self._require_here(thing)
        self._change(thing, in_view=True)

    def _pick_up(self, thing: str, *_: str) -> None:
        self._require_empty()
        if not self._is(thing, "fallen"):  # then it is seen, and the robot goes there
            self._require_here(thing)
            self._require(self._is(thing, "in_view"), f"{thing} was not looked at")
        self._change(thing, grabbed=True, location="", inside=False, fallen=False)

    def _put(self, thing: str, place: str) -> None:
        self._require_held(thing)
        self._require_at(place)
        self._require(self._is(place, "surface"), f"nothing stands on {place}")
        self._lay(thing, place, inside=False)

    def _put_in(self, thing: str, place: str) -> None:
        self._require_held(thing)
        self._require_at(place)
        self._require(self._is(place, "container"), f"nothing goes into {place}")
        self._require(self._is(place, "open"), f"{place} is shut")
        self._lay(thing, place, inside=True)

    def _open(self, door: str) -> None:
        self._work(door, "open", True)

    def _close(self, door: str) -> None:
        self._require(door != "door", "doors between rooms stay open")
        self._work(door, "open", False)

    def _turn_on(self, thing: str, *_: str) -> None:
        self._require_here(thing)
        self._switch(thing, True)

    def _turn_off(self, thing: str, *_: str) -> None:
        self._require_here(thing)
        self._switch(thing, False)

    def _touch(self, thing: str, *context: str) -> None:
        self._require_here(thing)
        if len(context) > 1:  # with something
            tool, board = context
            self._require_held(tool)
            self._require(self._is(tool, "turned_on"), f"{tool} is off")
            self._require(self.attribute(thing, "location") == board, f"{thing} is not there")
            self._require(self._things[board].category == "ironing_board", "it is no board")
            self._change(thing, ironed=True)
        self._change(thing, touched=True)

    def _pour(self, source: str, target: str, *_: str) -> None:
        self._require_held(source)
        self._require(self._is(source, "full"), f"{source} is empty")
        self._require_here(target)
        self._change(target, full=True)

    def _wipe(self, place: str) -> None:
        self._require_empty()
        self._require_at(place)
        self._require(self._is(place, "open"), f"{place} is shut")
        self._change(place, dirty=False)

    # -- inside ----------------------------------------------------------------------------

    def _work(self, door: str, attribute: str, to: bool) -> None:
        self._require_empty()
        self._require_at(door)
        self._require(self.attribute(door, attribute) is (not to), f"{door} is so already")
        self._change(door, **{attribute: to})

    def _switch(self, thing: str, to: bool) -> None:
        self._require_empty()
        self._require(self.attribute(thing, "turned_on") is (not to), f"{thing} is so already")
        self._change(thing, turned_on=to)

    def _lay(self, thing: str, place: str, *, inside: bool) -> None:
        on = self._things[place]
        x, y, z = on.position
        height_m = 0.0 if inside else (on.size[2] + self._things[thing].size[2]) / 2
        laid = replace(self._things[thing], position=(x, y, z + height_m))
        self._things[thing] = laid
        self._change(thing, grabbed=False, location=place, inside=inside)

    def _require_here(self, thing: str) -> None:
        """At the robot's place, and not in what is shut."""
        place = str(self.attribute(thing, "location") or "")
        self._require(bool(place), f"{thing} stands nowhere")
        self._require_at(place)
        shut = self._is(thing, "inside") and not self._is(place, "open")
        self._require(not shut, f"{place} is shut")

    def _require_at(self, place: str) -> None:
        self._require(self.attribute(ROBOT, "location") == place, f"it is not at {place}")

    def _require_held(self, thing: str) -> None:
        self._require(self._is(thing, "grabbed"), f"it does not hold {thing}")

    def _require_empty(self) -> None:
        held = [n for n in self._things if self._is(n, "grabbed")]
        self._require(not held, f"its hand is full of {' '.join(held)}")

    def _require(self, so: bool, otherwise: str) -> None:
        if not so:
            raise SaySoError(Code.PRECONDITION, f"the robot cannot do that: {otherwise}.")

    def _is(self, name: str, attribute: str) -> bool:
        return bool(self.attribute(name, attribute))

    def _change(self, name: str, **attributes: Any) -> None:
        thing = self._things[name]
        self._things[name] = replace(thing, attributes={**thing.attributes, **attributes})


def _objects(errand: Errand) -> list[SceneObject]:
    scene = errand.scene
    places = [i for i in scene.items if not kind(i.kind).movable]
    found = [_place(i, errand) for i in places]
    for item in scene.items:
        if kind(item.kind).movable:
            found.append(_movable(item, _under(item, places), errand))
    for door in scene.doors:
        x, y = door.at
        way: _Attributes = {"open": door.opening > 0.5, "room": "door"}
        size = (0.04, door.width, DOOR_HEIGHT_M)
        at = (x, y, DOOR_HEIGHT_M / 2)
        found.append(_object(door.name, door.category, door.color, at, size, 0.0, way))
    x, y, yaw = scene.start
    here: _Attributes = {"standing": False, "location": "", "room": _room(scene, (x, y))}
    robot = (x, y, _SIZE_M[2] / 2)
    return [*found, _object(ROBOT, "legged_robot", "yellow", robot, _SIZE_M, yaw, here)]


def _place(item: Item, errand: Errand) -> SceneObject:
    front = item.position[:2]
    attributes: _Attributes = {
        "room": _room(errand.scene, front), "surface": not kind(item.kind).lidded,
        "container": kind(item.kind).lidded, "searched": False,
    }  # fmt: skip
    if kind(item.kind).lidded:
        attributes["open"] = item.lid > 0.5
        attributes["dirty"] = item.name in errand.beginning.dirty
    return _of(item, attributes)


def _movable(item: Item, place: Item, errand: Errand) -> SceneObject:
    attributes: _Attributes = {
        "location": place.name, "inside": kind(place.kind).lidded, "grabbed": False,
        "in_view": False, "touched": False, "fallen": False,
    }  # fmt: skip
    if item.category in _SWITCHED:
        attributes["turned_on"] = item.name in errand.beginning.turned_on
    if item.category in _FABRIC:
        attributes["ironed"] = False
    if item.category in _VESSELS:
        attributes["full"] = _VESSELS[item.category]
    return _of(item, attributes)


def _of(item: Item, attributes: Mapping[str, AttributeValue]) -> SceneObject:
    return _object(
        item.name, item.category, item.color, item.centre, item.size, item.yaw, attributes
    )


def _object(
    name: str, category: str, color: str, at: Vector3, size: Vector3, yaw: float,
    attributes: Mapping[str, AttributeValue],
) -> SceneObject:  # fmt: skip
    return SceneObject(name, category, color, at, size, about_z(yaw), attributes=attributes)


def _under(item: Item, places: list[Item]) -> Item:
    """The piece of furniture whose middle is nearest, seen from above."""
    x, y, _ = item.position

    def apart(place: Item) -> float:
        return (place.position[0] - x) ** 2 + (place.position[1] - y) ** 2

    return min(places, key=apart)


def _room(scene: FlatScene, at: tuple[float, ...]) -> str:
    x, y = at
    inside = (r for r in scene.rooms if r.low[0] <= x <= r.high[0] and r.low[1] <= y <= r.high[1])
    return next(inside).name
