"""What a person can do who plays: behaviours, and ways of the hand.

They are over whatever things and furniture the scene has. "Left" is -x and "right" +x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.skills.poses import moved
from sayso.worlds.persons.hand_plans import OPEN_M, Touch, Via
from sayso.worlds.persons.play_behaviour import (
    AIR_M,
    CLOSED,
    FINGERS,
    OPENED,
    Behaviour,
    Done,
    Options,
    Things,
    Ways,
    X,
    Y,
    Z,
    down,
    tilted,
)
from sayso.worlds.persons.play_fixtures import (
    anyhow,
    drag,
    fixture_options,
    moved_to,
    press,
    pressed_options,
    shove,
)
from sayso.worlds.persons.play_sight import LOST, TABLE, Sight, reach

ABOVE_M = 0.12
_TILT = np.radians(50)
"""Of the hand from straight down where it reaches beneath the cabinet's roof."""
_WIDEST_M = OPEN_M / 2 - 0.004
"""Half of what fits between the fingers."""
_WALLS_M = np.array([0.04, 0.096])
"""From the walls of what things are put in to the nearest thing, for the hand and for slips."""
_AROUND_M = 0.01
"""Free on each side of what is dropped into another thing."""
_UPRIGHT = 0.97
"""Cosine of the angle to the vertical from which a thing stands."""
_LONGEST_M = 0.1
"""Of what is let down into a drawer."""
_PUSH_M = 0.10
_MOST_YAW = np.radians(65)
_BACK_M = 0.425
"""How far back the hand may reach over the desk: there the cabinet's handle begins."""


# -- lifting and placing -----------------------------------------------------------------------


def _lift_options(place: str) -> Options:
    """Args: place: `TABLE`, or a category of what holds blocks."""

    def options(s: Sight) -> Iterator[Things]:
        for block, at in s.blocks.items() if not s.held else ():
            if s.clear(block) and (at == TABLE if place == TABLE else at in s.of_category(place)):
                if at == TABLE:
                    yield {"block": block}
                elif _accessible(s, block, at):
                    yield {"block": block, place: at}

    return options


def _accessible(s: Sight, block: str, at: str) -> bool:
    """Whether the drawer is open, or no door is before it."""
    if not _open(s, at):
        return False
    middle, half = s.things[block].position[0], 0.075
    doors = (s.things[d] for d in s.of_category("slider"))
    return all(abs(middle - d.position[0]) > d.size[0] / 2 + half for d in doors)


def _open(s: Sight, at: str) -> bool:
    """Whether what opens itself is open, and so is a door that is hinged before it; what things
    stand on is open."""
    room = s.fixtures[at]
    if room.holds == "on":
        return True
    if room.joint is not None:
        return s.share(at) > 0.9
    hinged = (s.fixtures[d] for d in s.of_category("door"))
    return all(
        s.share(d.name) > 0.9 for d in hinged if abs(d.at[0] - room.at[0]) < room.size[0] / 2
    )


def _lift(s: Sight, things: Things, _: np.random.Generator) -> list[Via] | None:
    block = things["block"]
    tilt = _TILT if s.blocks[block] in s.of_category("cabinet") else 0.0
    grasps = [g for g in _grasps(s, block, tilt) if tilt or _fits(g)]
    if not grasps:
        return None
    grasp = grasps[0]
    back = -float(ABOVE_M + 0.08 * (tilt > 0)) * grasp.matrix()[:3, 2]
    up = moved(grasp, back)
    return [
        Via(up),
        Via(grasp, Touch("grasp", 0.0, block), freedom=0.05),
        Via(up, exact=True, freedom=0.05),
    ]


def _lifted(_: Sight, after: Sight, things: Things) -> bool:
    return after.held == things["block"]


def _hand_options(s: Sight) -> Iterator[Things]:
    if s.held:
        yield {"block": s.held}


def _place_options(category: str) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        for name in s.of_category(category) if s.held else ():
            if _open(s, name):
                yield {"block": s.held, category: name}
        for name in s.called(category) if s.held else ():
            if name in s.rooms and _takes_in(s, name):
                yield {"block": s.held, category: name}

    return options


def _takes_in(s: Sight, name: str) -> bool:
    """Whether what is held fits into a loose thing that is open from above, and is empty."""
    room, at = s.rooms[name].room, s.blocks[name]
    assert room is not None  # `Sight.rooms` has no others
    fits = max(s.things[s.held].size[:2]) / 2 + _AROUND_M < min(room.half[:2])
    stands = at == TABLE or (at in s.fixtures and s.fixtures[at].holds == "on")
    return fits and stands and name not in s.blocks.values()


def _drop_into(s: Sight, name: str) -> list[Via]:
    """Let go over the middle of a thing's room, where the open fingers are above its rim."""
    room = s.rooms[name].room
    assert room is not None  # `Sight.rooms` has no others
    middle = np.array((s.things[name].pose @ room.pose).position)
    return _laid(s, middle[:2], float(middle[2]) + room.half[2], 0.0)


def _place_in(role: str) -> Ways:
    """Into an open box, or onto a plate: near its middle, as far as there is room."""

    def ways(s: Sight, things: Things, rng: np.random.Generator) -> list[Via] | None:
        name, thing = things[role], s.things[s.held]
        if name in s.rooms:
            return _drop_into(s, name)
        if s.of_category("slider") and s.fixtures[name].joint is None:
            return _place_in_cabinet(s, things, rng)
        if s.fixtures[name].joint is not None and max(thing.size) > _LONGEST_M:
            return None
        tilt = _TILT if name in s.of_category("cabinet") else 0.0
        room = s.things[name]
        x, y, z = room.position
        inside = (np.array(room.size[:2]) - max(thing.size[:2])) / 2 - _WALLS_M
        play = np.maximum(inside, 0.004)
        spots = rng.uniform((x, y) - play, np.add((x, y), play), (20, 2))
        deep = room.size[2] / 2 - 0.006 if s.fixtures[name].holds == "in" else -room.size[2] / 2
        return None if tilt and not _stands(s, tilt) else _put(s, spots, z - deep, tilt)

    return ways


def _place_in_cabinet(s: Sight, things: Things, rng: np.random.Generator) -> list[Via] | None:
    """Into the half that the door leaves open."""
    room = s.things[things["cabinet"]]
    doors = [s.things[d] for d in s.of_category("slider")]
    spots = rng.uniform(-0.5, 0.5, (60, 2)) * (room.size[0] - 0.2, 0.015) + room.position[:2]
    free = [
        p for p in spots if all(abs(p[0] - d.position[0]) > d.size[0] / 2 + 0.08 for d in doors)
    ]
    return _put(s, np.array(free), room.position[2] - room.size[2] / 2, _TILT)


def _place_on_table(s: Sight, _: Things, rng: np.random.Generator) -> list[Via] | None:
    (x0, x1), (y0, y1) = s.surface_m
    return _put(s, rng.uniform((x0, y0), (x1, y1), (40, 2)), s.scene.table_height_m, 0.0)


def _stack_options(role: str) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        for block, at in s.blocks.items() if s.held else ():
            if at == TABLE and s.clear(block):
                yield {"block": s.held, role: block}

    return options


def _stack(role: str) -> Ways:
    def ways(s: Sight, things: Things, _: np.random.Generator) -> list[Via]:
        other = s.things[things[role]]
        top = other.position[2] + float(reach(other.pose, other.size)[2])
        return _laid(s, np.array(other.position[:2]), top, 0.0)

    return ways


def _unstack_options(role: str) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        for block, at in s.blocks.items() if not s.held else ():
            if at in s.blocks and s.clear(block):
                yield {"block": block, role: at}

    return options


def _is_in(role: str) -> Done:
    return lambda _, after, things: after.blocks[things["block"]] == things[role]


def _is_on_table(_: Sight, after: Sight, things: Things) -> bool:
    return after.blocks[things["block"]] == TABLE


def _put(s: Sight, spots: Array, floor_m: float, tilt: float) -> list[Via] | None:
    """On the first of the (N, 2) spots that is free."""
    free = [p for p in spots if s.apart(float(p[0]), float(p[1]), 0.095, s.held)]
    return _laid(s, free[0], floor_m, tilt) if free else None


def _laid(s: Sight, spot: Array, floor_m: float, tilt: float) -> list[Via]:
    """What is held, put down with its own face below, or tilted where the hand has to be."""
    block, tool = s.things[s.held], s.scene.robot.gripper
    grip = tool.inverse() @ block.pose
    hand = _hand_for(grip, tilt)
    half = float(reach(hand @ grip, block.size)[2])
    middle = np.array([*spot, floor_m + half + 0.003])
    place = moved(hand, middle - np.array((hand @ grip).position))
    out = moved(place, -float(ABOVE_M + 0.08 * (tilt > 0)) * place.matrix()[:3, 2])
    return [
        Via(out, exact=True),
        Via(place, Touch("place", OPEN_M, s.held), freedom=0.03),
        Via(out, freedom=0.05),
    ]


def _stands(s: Sight, tilt: float) -> bool:
    """Whether what is held comes to stand upright where the hand has to be tilted so."""
    block, tool = s.things[s.held], s.scene.robot.gripper
    hand = _hand_for(tool.inverse() @ block.pose, tilt)
    return float((hand @ tool.inverse() @ block.pose).matrix()[2, 2]) > _UPRIGHT


def _hand_for(grip: Pose, tilt: float) -> Pose:
    """The hand at the origin: tilted so, or else as it has what it holds upright."""
    if tilt:
        return tilted(np.zeros(3), X, tilt)
    hands = (tilted(np.zeros(3), X, t) for t in (0.0, _TILT))
    return max(hands, key=lambda h: float(np.abs((h @ grip).matrix()[2, :3]).max()))


# -- turning and pushing blocks ----------------------------------------------------------------


def _table_options(s: Sight) -> Iterator[Things]:
    for block, at in s.blocks.items() if not s.held else ():
        if at == TABLE and s.clear(block):
            yield {"block": block}


def _rotate(turn: float) -> Ways:
    """Args: turn: about z [rad]."""

    def ways(s: Sight, things: Things, _: np.random.Generator) -> list[Via] | None:
        block = things["block"]
        q = np.array([0.0, 0.0, np.sin(turn / 2), np.cos(turn / 2)])
        for grasp in _grasps(s, block, 0.0):
            turned = Pose(orientation=tuple(q)) @ Pose(orientation=grasp.orientation)
            end = Pose(grasp.position, turned.orientation)
            if _fits(grasp) and _fits(end) and s.apart(*grasp.position[:2], 0.09, block):
                low = 0.03 * Z
                return [
                    Via(moved(grasp, ABOVE_M * Z)),
                    Via(grasp, Touch("grasp", 0.0, block), freedom=0.05),
                    Via(moved(grasp, low), exact=True, freedom=0.0),
                    Via(moved(end, low), exact=True, freedom=0.0),
                    Via(moved(end, 0.003 * Z), Touch("place", OPEN_M, block), freedom=0.0),
                    Via(moved(end, ABOVE_M * Z), freedom=0.05),
                ]
        return None

    return ways


def _rotated(turn: float) -> Done:
    def done(before: Sight, after: Sight, things: Things) -> bool:
        a, b = (rotation_matrix(s.things[things["block"]].orientation) for s in (before, after))
        angle = float(np.arctan2((b @ a.T)[1, 0], (b @ a.T)[0, 0]))
        return bool(np.sign(angle) == np.sign(turn) and abs(angle) > np.radians(60))

    return done


def _push(by: Array, falls_into: str = "") -> Ways:
    """Closed fingers push the block over the desk. Args: by: (3,) at least [m]."""

    def ways(s: Sight, things: Things, _: np.random.Generator) -> list[Via] | None:
        block = s.things[things["block"]]
        way = by if not falls_into else _over_the_edge(s, things[falls_into], block.position[1])
        along = way / np.linalg.norm(way)
        half = reach(block.pose, block.size)
        gap = float(np.abs(along) @ (half + np.array([*FINGERS, 0.0])))
        middle = np.array([*block.position[:2], s.scene.table_height_m + 0.022])
        start, end = down(middle - (gap + AIR_M) * along), down(middle + way - gap * along)
        x0, x1 = s.surface_m[0]
        if not all(x0 - 0.03 < v.position[0] < x1 + 0.09 for v in (start, end)):
            return None
        path = [
            middle[:2] + t * way[:2] + o * along[:2] for t, o in ((0, -gap), (0.5, 0), (1, 0.02))
        ]
        if start.position[1] > _BACK_M - 0.04 or not all(
            s.apart(float(p[0]), float(p[1]), 0.075, block.name) for p in path
        ):
            return None
        return [
            Via(moved(start, ABOVE_M * Z), CLOSED),
            Via(start, freedom=0.05),
            Via(end, exact=True, freedom=0.0, pushes=block.name),
            Via(moved(end, -0.03 * along), freedom=0.0),
            Via(moved(end, ABOVE_M * Z - 0.03 * along), OPENED, freedom=0.05),
        ]

    return ways


def _over_the_edge(s: Sight, into: str, y: float) -> Array:
    """From where a block is to where it tips over the desk's front, above the open drawer."""
    drawer = s.fixtures[into]
    edge = drawer.at[1] - drawer.size[1] / 2
    return np.array([0.0, min(edge - 0.02 - y, -0.03), 0.0])


def _edge_options(into: str) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        for things in _table_options(s):
            x = s.things[things["block"]].position[0]
            for drawer in s.of_category(into):
                room = s.things[drawer]
                if s.share(drawer) > 0.9 and abs(x - room.position[0]) < room.size[0] / 2 - 0.05:
                    yield {**things, into: drawer}

    return options


def _pushed(by: float) -> Done:
    def done(before: Sight, after: Sight, things: Things) -> bool:
        block = things["block"]
        way_m = after.things[block].position[0] - before.things[block].position[0]
        return way_m * np.sign(by) > 0.5 * _PUSH_M and after.blocks[block] != LOST

    return done


# -- the hand ----------------------------------------------------------------------------------


def _grasps(s: Sight, block: str, tilt: float) -> list[Pose]:
    """Across two faces of what a thing is taken by, the least turned from the hand's usual
    direction first."""
    thing, box = s.things[block], s.grip(block)
    axes = rotation_matrix(thing.orientation).T
    flat = [
        a for a, half in zip(axes, box.half, strict=True) if abs(a[2]) < 0.3 and half < _WIDEST_M
    ]
    closings = [np.array([a[0], a[1], 0.0]) / np.hypot(a[0], a[1]) for a in flat]
    closings = [c if c @ X >= 0 else -c for c in closings]
    closings.sort(key=lambda c: -float(c @ X))
    middle = np.array((thing.pose @ box.pose).position)
    return [tilted(middle, c, tilt) for c in closings]


def _fits(hand: Pose) -> bool:
    """Whether the wide hand, straight down, stays clear of the cabinet and is not wound up."""
    closing = hand.matrix()[:3, 1]
    yaw = abs(float(np.arctan2(closing[1], closing[0])))
    back_m = hand.position[1] + 0.102 * np.sin(yaw) + 0.033 * np.cos(yaw)
    return bool(yaw < _MOST_YAW and back_m < _BACK_M)


# -- what can be done --------------------------------------------------------------------------

HOW: Mapping[str, Callable[..., Behaviour]] = {
    "shove": lambda of, to: Behaviour(fixture_options(of, to), shove(of, to), moved_to(of, to)),
    "drag": lambda of, to: Behaviour(fixture_options(of, to), drag(of, to), moved_to(of, to)),
    "press": lambda of: Behaviour(pressed_options(of), press(of), anyhow),
    "lift": lambda of: Behaviour(_lift_options(of), _lift, _lifted),
    "put": lambda of: (
        Behaviour(_hand_options, _place_on_table, _is_on_table)
        if of == TABLE
        else Behaviour(_place_options(of), _place_in(of), _is_in(of))
    ),
    "stack": lambda of: Behaviour(_stack_options(of), _stack(of), _is_in(of)),
    "unstack": lambda of: Behaviour(_unstack_options(of), _lift, _lifted),
    "rotate": lambda of: Behaviour(
        _table_options, _rotate(np.radians(of)), _rotated(np.radians(of))
    ),
    "push": lambda of: Behaviour(_table_options, _push(of * X), _pushed(of)),
    "push_into": lambda of: Behaviour(_edge_options(of), _push(-Y, of), _is_in(of)),
}
"""By what is done; of what it is done to, in it or with it, or how far."""
