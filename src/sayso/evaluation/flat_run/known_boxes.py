"""Scenes from a MODEL of perception instead of pictures, for studies of very many tasks.

NOT perception: what stands where comes from the simulator, with errors such as perception of the
flat has (`benchmarks/flat_perception.py`): each thing is off by a fixed error, and a little more
anew in every look. Only what a camera on the robot's mast would have in view, not hidden by a
wall or a lid, is seen; all else stays where it was last seen, unless a small thing is seen not to
be there. The floor plan is the true one of how things stood at first: what is moved later, only the
laser meets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.carrying import GripConfig, may_hold
from sayso.perception.motion import MotionTracks
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.skills.poses import yaw_of
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.scene import FlatScene, Item, wall_pieces
from sayso.worlds.flat.truth import LID
from sayso.worlds.true_state import named

LARGE_M, MOVED_M = 0.3, 0.03
_GRIP_M = 0.02
_GRIP = GripConfig(least_m=0.004)

PLACE_M, EDGE_M, JITTER_M = 0.02, 0.02, 0.004
"""Standard deviations of a thing's place and of its length and width, the same as long as it stands
there, and of each look."""
CLOSE_M, REACH_M, HAND_M = 1.3, 6.0, 0.3
"""What is nearer is looked at from close by, without PLACE_M and EDGE_M; what is farther is not
seen; what is nearer to the hand, its camera sees."""
HALF_VIEW_RAD = 0.65
"""Half of the cameras' field of view."""


class KnownBoxes:
    """`robot.Sight` without pictures.

    Args:
        seed: of the errors.
    """

    def __init__(self, world: FlatWorld, seed: int = 0):
        self._world = world
        self._rng = np.random.default_rng(seed)
        self._floor = TrueFloor(world)
        self._walls = np.array([[w.start, w.end] for w in wall_pieces(world.scene)], float)
        self._tops = {i.name: tops(i) for i in world.scene.items if max(i.size) >= LARGE_M}
        self._small = {i.name for i in world.scene.items if i.movable}
        self._off: dict[str, Array] = {}
        self._motion = MotionTracks()
        self._known = {o.name: self._with_errors(o, True) for o in true_things(world)}
        self._at: dict[str, Vector3] = {o.name: o.position for o in world.truth()}

    def look_for(self, nouns: frozenset[str]) -> None:
        """Everything is known already."""

    def keep(self, names: frozenset[str]) -> None:
        """Everything stays known at its last place."""

    def grid(self) -> OccupancyGrid:
        """The floor with each door as it stands."""
        return self._floor.grid()

    def look(self) -> Scene:
        robot, now_s = self._world.robot_state(), self._world.time_s
        tool, things = self._true_tool(robot), true_things(self._world)
        shut = [o for o in things if o.attributes.get(LID) == 0.0]
        for thing in things:
            if self._holds(thing, robot, tool):
                seen = replace(thing, position=robot.gripper.position, carried=True)
                self._known[thing.name] = replace(seen, last_seen_s=now_s)
            elif self._shut_in(thing, shut):
                if self._is_gone(thing):
                    del self._known[thing.name]
            elif self._in_view(thing) or thing.distance_to(tool) < HAND_M:
                moved = math.dist(thing.position, self._at[thing.name]) > MOVED_M
                self._at[thing.name] = thing.position
                seen = self._with_errors(thing, moved)
                self._known[thing.name] = replace(seen, last_seen_s=now_s)
            elif (known := self._known.get(thing.name)) is not None and (
                known.carried or (thing.name in self._small and self._is_gone(thing))
            ):  # it slipped out of the hand, or was taken, and nobody saw where to
                del self._known[thing.name]
        return Scene(now_s, self._motion.followed(self._known.values()), robot, frame="map")

    def _shut_in(self, thing: SceneObject, shut: Sequence[SceneObject]) -> bool:
        return thing.name in self._small and any(_is_in(thing, chest) for chest in shut)

    def _is_gone(self, thing: SceneObject) -> bool:
        """Whether a thing that is not in view is seen to be no more where it was known to be."""
        known = self._known.get(thing.name)
        if known is None or math.dist(self._at[thing.name], thing.position) < MOVED_M:
            return False
        return known.carried or self._in_view(known)

    def _with_errors(self, thing: SceneObject, anew: bool) -> SceneObject:
        if anew or thing.name not in self._off:
            scale = np.array([PLACE_M, PLACE_M, EDGE_M, EDGE_M])
            self._off[thing.name] = scale * self._rng.standard_normal(4)
        off = self._off[thing.name] if self._apart(thing) > CLOSE_M else np.zeros(4)
        x, y = off[:2] + JITTER_M * self._rng.standard_normal(2) + thing.position[:2]
        length, width = (max(0.01, float(s)) for s in np.array(thing.size[:2]) + off[2:])
        if thing.name in self._small:
            length, width = thing.size[:2]
        pose = Pose((float(x), float(y), thing.position[2]), thing.orientation)
        local = self._tops.get(thing.name, np.zeros((0, 3)))
        points = pose.transform(local).astype(np.float32)
        size = (length, width, thing.size[2])
        return replace(
            thing, position=pose.position, size=size, points=points, carried=False, visible=True
        )

    def _apart(self, thing: SceneObject) -> float:
        return float(np.hypot(*np.subtract(thing.position, self._world.true_base().position)[:2]))

    def _in_view(self, thing: SceneObject) -> bool:
        base = self._world.true_base()
        way = np.subtract(thing.position, base.position)[:2]
        apart = float(np.hypot(*way))
        if apart > REACH_M:
            return False
        off = np.arctan2(way[1], way[0]) - yaw_of(base)
        if apart > 0.9 and abs(np.arctan2(np.sin(off), np.cos(off))) > HALF_VIEW_RAD:
            return False
        return not self._hidden(np.asarray(base.position[:2]), np.asarray(thing.position[:2]))

    def _hidden(self, eye: Array, place: Array) -> bool:
        """Whether a wall is between; ends that only touch one do not count."""
        a, b = self._walls[:, 0], self._walls[:, 1]
        along, way = b - a, 0.97 * (place - eye)
        cross = way[0] * along[:, 1] - way[1] * along[:, 0]
        safe = np.where(np.abs(cross) < 1e-9, np.inf, cross)
        to = a - eye
        t = (to[:, 0] * along[:, 1] - to[:, 1] * along[:, 0]) / safe
        u = (to[:, 0] * way[1] - to[:, 1] * way[0]) / safe
        return bool(((t > 0) & (t < 1) & (u >= 0) & (u <= 1)).any())

    def _true_tool(self, robot: RobotState) -> Vector3:
        believed = robot.base or Pose()
        return (self._world.true_base() @ believed.inverse() @ robot.gripper).position

    def _holds(self, thing: SceneObject, robot: RobotState, tool: Vector3) -> bool:
        small, near = thing.name in self._small, thing.distance_to(tool) < _GRIP_M
        return small and near and may_hold(robot, _GRIP)


def _is_in(thing: SceneObject, chest: SceneObject) -> bool:
    """Whether a thing's middle is within a chest's box."""
    inside = chest.pose.inverse().transform(np.array([thing.position]))[0]
    return bool((np.abs(inside) < np.asarray(chest.size) / 2).all())


def true_things(world: FlatWorld) -> tuple[SceneObject, ...]:
    """What truly is there, each under the noun that people use for it."""
    return named(world.truth())


class TrueFloor:
    """The floor plan of a world in which doors move."""

    def __init__(self, world: FlatWorld) -> None:
        self._world = world
        self._grids: dict[tuple[float, ...], OccupancyGrid] = {}

    def grid(self) -> OccupancyGrid:
        """With each door as it stands, to a tenth of its opening."""
        openings = tuple(round(o, 1) for o in self._world.openings())
        if openings not in self._grids:
            scene = self._world.scene
            doors = zip(scene.doors, openings, strict=True)
            doors_now = tuple(replace(d, opening=o) for d, o in doors)
            self._grids[openings] = true_floor(replace(scene, doors=doors_now))
        return self._grids[openings]


def true_floor(scene: FlatScene) -> OccupancyGrid:
    """The floor plan that a perfect tour would have mapped; unknown beyond the walls."""
    space = FreeSpace(scene)
    cells = np.where(space.blocked.T, OCCUPIED, FREE).astype(np.int8)
    low = space.origin - CELL_M / 2
    x, y = (float(v) for v in low - CELL_M)
    return OccupancyGrid(np.pad(cells, 1, constant_values=OCCUPIED), (x, y), CELL_M)


def tops(item: Item) -> Array:
    """(N, 3) points on the upper sides of its solid parts, from the centre of its box."""
    found = [np.zeros((0, 3))]
    for part in item.parts():
        if not part.solid:
            continue
        counts = [max(2, int(s / 0.03)) for s in part.size[:2]]
        grid = np.stack(np.meshgrid(*(np.linspace(-0.49, 0.49, k) for k in counts)), axis=-1)
        places = grid.reshape(-1, 2)
        if part.shape != "box":
            places = places[np.linalg.norm(places, axis=1) < 0.5]
        height = part.at[2] + part.size[2] / 2 - item.size[2] / 2
        xy = places * part.size[:2] + np.asarray(part.at[:2])
        found.append(np.column_stack([xy, np.full(len(xy), height)]))
    return np.concatenate(found)
