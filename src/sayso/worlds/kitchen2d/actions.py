"""The primitive actions: what the gripper does for each, and what must come about.

Each is a controller that looks, moves and feels. Where something is in the way it stops,
withdraws and has failed; nothing is put right by the simulator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.worlds.kitchen2d.gripper import FINGER_M, PALM_M, Gripper
from sayso.worlds.kitchen2d.kinds import FOOD, GRIPPER_MAX_M
from sayso.worlds.kitchen2d.motions import (
    BlockedError,
    free_place,
    grasp_height,
    hang,
    lower,
    move,
    rise,
    travel,
    turn,
)
from sayso.worlds.kitchen2d.scene import TABLE_HALF_M
from sayso.worlds.kitchen2d.shapes import MOUTH_M
from sayso.worlds.kitchen2d.simulation import STEP_S, TABLE_M, Thing

PORTION = 24
"""Drops that a faucet gives at a time; a cup holds little more."""

_FINGER_ROOM_M = 0.02
_ABOVE_M = 0.02
_SEARCH_M = 0.035
"""How far below a thing's highest point the hand looks for support: dishes have rims, and tilt."""
_PUSH_M_S = 0.25
_PUSH_STEPS = 800
_AHEAD_M = 0.04
"""How far beyond the middle of what it pours into the lip is: water flies on a little."""
_TILTED = math.radians(15)


@dataclass(frozen=True)
class Primitive:
    """One action: its arguments' number and its controller, which raises BlockedError."""

    arity: int
    run: Callable[..., None]


def pick_up(hand: Gripper, a: Thing) -> None:
    """Take hold of a thing from above and lift it."""
    _require(hand.held is None, "the hand is full")
    x = a.position[0]
    left, _, right, top = a.bounds()
    hand.open(min(GRIPPER_MAX_M, right - left + _FINGER_ROOM_M))
    travel(hand, x, top + _ABOVE_M)
    touched = lower(hand, grasp_height(a))
    _require(not touched, f"{touched} is in the way")
    _require(hand.grasp(a), "the fingers close on nothing")
    rise(hand)
    _require(hand.held is a, "it slipped")


def place_on_table(hand: Gripper, a: Thing) -> None:
    """Put what is held on a free place of the table."""
    _require_held(hand, a)
    reach = TABLE_HALF_M - PALM_M[0] / 2
    right = min(
        (t.bounds()[0] - 0.1 for t in hand.simulation.things.values() if t.item.kind == "faucet"),
        default=reach,
    )
    _put(hand, free_place(hand, -reach, right), TABLE_M, "table")
    _require(_rests(a, TABLE_M), "it does not stand on the table")


def place_first_on_second(hand: Gripper, a: Thing, b: Thing) -> None:
    """Put what is held on the middle of another thing."""
    _require_held(hand, a)
    left, _, right, top = b.bounds()
    _put(hand, (left + right) / 2, top, b.name)
    hand.simulation.settle()
    _require(_stands_on(a, b), "it does not stand there")


def place_first_in_second(hand: Gripper, a: Thing, b: Thing) -> None:
    """Drop food that is held into a container."""
    _require_held(hand, a)
    _require(a.item.kind in FOOD, "this motion is for food")
    x = _emptiest(hand, a, b)
    top = b.bounds()[3]
    travel(hand, x, top + _ABOVE_M + hang(hand))
    touched = lower(hand, top + hang(hand) - 0.015)
    _require(not touched, f"{touched} is in the way")
    hand.open(min(GRIPPER_MAX_M, hand.width + _FINGER_ROOM_M))
    withdraw(hand)
    hand.simulation.settle()
    _require(b.inside(*a.position), "it is not inside")


def push_plate_on_object(hand: Gripper, a: Thing, b: Thing) -> None:
    """Push a dish from within its rim until it is over another thing."""
    _require(hand.held is None, "the hand is full")
    _require(not _stands_on(a, b), "it is there already")
    x, goal = a.position[0], b.position[0]
    top = a.bounds()[3]
    hand.open(0.002)
    travel(hand, x, top + _ABOVE_M)
    touched = lower(hand, top - 0.015)
    _require(touched == a.name, f"the fingers touch {touched or 'nothing'}")
    _require(hand.position[1] < top - 0.002, "it has no rim to push against")
    _push(hand, a, goal)
    withdraw(hand)
    hand.simulation.settle()
    _require(_stands_on(a, b), "it is not on it")


def get_water_from_faucet(hand: Gripper, a: Thing) -> None:
    """Hold something under the faucet until it has given a portion."""
    _require_held(hand, a)
    faucet = next((t for t in hand.simulation.things.values() if t.item.kind == "faucet"), None)
    if faucet is None:
        raise BlockedError("there is no faucet")
    left, _, _, top = faucet.bounds()
    mouth_x, mouth_z = left + MOUTH_M, top - 0.03
    before = hand.simulation.drops_in(a)
    height = mouth_z - 0.02 - PALM_M[1] - FINGER_M
    move(hand, (hand.position[0], height))
    move(hand, (mouth_x, height))
    for i in range(2 * PORTION):
        if i % 2 == 0:
            hand.simulation.emit(mouth_x + hand.simulation.random.uniform(-0.006, 0.006), mouth_z)
        hand.hold()
    hand.hold(25)
    move(hand, (faucet.bounds()[0] - 0.2, height), 0.8)
    gained = hand.simulation.drops_in(a) - before
    _require(2 * gained >= PORTION, f"it took {gained} drops")


def pour_water_from_first_to_second(hand: Gripper, a: Thing, b: Thing) -> None:
    """Tilt what is held over another thing until its water has run out."""
    _require_held(hand, a)
    before = hand.simulation.drops_in(a)
    _require(before > 0, "there is nothing to pour")
    left, _, right, top = b.bounds()
    lip = (a.position[0] - a.item.width_m / 2, a.bounds()[3])
    offset = (hand.position[0] - lip[0], hand.position[1] - lip[1])
    pivot = ((left + right) / 2 + _AHEAD_M, top + a.item.height_m + 0.025)
    goal = (pivot[0] + offset[0], pivot[1] + offset[1])
    travel(hand, goal[0], goal[1])
    hand.hold(10)
    pivot = turn(hand, pivot, math.radians(45), 0.4)
    pivot = turn(hand, pivot, math.radians(70), 0.5, (0.0, top + 0.085 - pivot[1]))
    turn(hand, pivot, math.radians(125), 1.1)
    hand.hold(30)
    pivot = turn(hand, pivot, math.radians(45), 0.5, (0.0, 0.045))
    turn(hand, pivot, 0.0, 0.4)
    rise(hand)
    _require(hand.simulation.drops_in(a) <= 2, "some stayed behind")
    _require(2 * hand.simulation.drops_in(b) >= before, "most of it went past")


PRIMITIVES: Mapping[str, Primitive] = {
    "pick_up": Primitive(1, pick_up),
    "place_on_table": Primitive(1, place_on_table),
    "place_first_on_second": Primitive(2, place_first_on_second),
    "push_plate_on_object": Primitive(2, push_plate_on_object),
    "place_first_in_second": Primitive(2, place_first_in_second),
    "get_water_from_faucet": Primitive(1, get_water_from_faucet),
    "pour_water_from_first_to_second": Primitive(2, pour_water_from_first_to_second),
}


def primitive(name: str, arguments: tuple[str, ...]) -> Primitive:
    """The primitive of this name. Raises INVALID for another name or number of arguments."""
    found = PRIMITIVES.get(name)
    if found is None:
        raise SaySoError(Code.INVALID, f"there is no action '{name}'.", choices=PRIMITIVES)
    if len(arguments) != found.arity or len(set(arguments)) != found.arity:
        raise SaySoError(
            Code.INVALID,
            f"{name} takes {found.arity} different objects, got {', '.join(arguments) or 'none'}.",
        )
    return found


def _require(holds: bool, otherwise: str) -> None:
    """Raise BlockedError unless it holds."""
    if not holds:
        raise BlockedError(otherwise)


def _require_held(hand: Gripper, a: Thing) -> None:
    _require(hand.held is a, f"{a.name} is not in the hand")


def withdraw(hand: Gripper) -> None:
    """Go up, and open if nothing is held."""
    rise(hand)
    if hand.held is None:
        hand.open()


def _put(hand: Gripper, x: float, height: float, support: str) -> None:
    """Lower what is held at x to a height until it touches the support, and let go."""
    x += float(hand.simulation.random.normal(0.0, hand.simulation.placing_m))
    travel(hand, x, height + _ABOVE_M + hang(hand))
    touched = lower(hand, height + hang(hand) - _SEARCH_M)
    _require(touched == support, f"{touched or 'nothing'} is under it")
    hand.open(min(GRIPPER_MAX_M, hand.width + _FINGER_ROOM_M))
    withdraw(hand)


def _push(hand: Gripper, a: Thing, goal: float) -> None:
    """Drag a dish along until its middle is at `goal`, while nothing else is moved by it."""
    others = [t for t in hand.simulation.things.values() if t is not a]
    places = {t.name: t.position for t in others}
    z = hand.position[1] + 0.002
    height = a.position[1]
    side = 1.0 if goal > a.position[0] else -1.0
    for _ in range(_PUSH_STEPS):
        left = (goal - a.position[0]) * side
        if left < 0.001:
            return
        rise_m = z + a.position[1] - height - hand.position[1]
        hand.advance((side * min(_PUSH_M_S, left / STEP_S), rise_m / STEP_S))
        _require(not _moved(others, places), "something else is in the way")
        _require(abs(hand.position[0] - a.position[0]) < a.item.width_m / 2, "it is stuck")
        _require(abs(a.angle) < _TILTED, "it tips over")
    raise BlockedError("it is stuck")


def _moved(things: list[Thing], places: Mapping[str, tuple[float, float]]) -> bool:
    return any(math.dist(t.position, places[t.name]) > 0.003 for t in things)


def _rests(a: Thing, height: float) -> bool:
    return abs(a.bounds()[1] - height) < 0.006


def _stands_on(a: Thing, b: Thing) -> bool:
    """Whether a touches b from above, not tilted, its middle over b."""
    left, _, right, _ = b.bounds()
    x = a.position[0]
    touches = any(e.other == b.body and e.contact.touching for e in a.body.contacts)
    upright = abs(a.angle) < _TILTED
    return touches and upright and left < x < right and a.position[1] > b.position[1]


def _emptiest(hand: Gripper, a: Thing, b: Thing) -> float:
    """The x at which most room is left in a container."""
    middle = b.position[0]
    if b.shape.cavity is None:
        return middle
    room = b.shape.cavity[0] - a.item.width_m / 2 - _FINGER_ROOM_M
    if room <= 0:
        return middle
    inside = [t for t in hand.simulation.things.values() if t is not a and b.inside(*t.position)]

    def filled(x: float) -> float:
        low, high = x - a.item.width_m / 2, x + a.item.width_m / 2
        bounds = [t.bounds() for t in inside]
        return max(
            (top for left, _, right, top in bounds if left < high and right > low), default=0
        )

    return min((middle - room, middle + room, middle), key=filled)
