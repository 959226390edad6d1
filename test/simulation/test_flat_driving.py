"""Tours driven in the simulated flat: nothing is touched and nothing forbidden is come near to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.geometry import Vector3, rotation_matrix
from sayso.core.scene import SceneObject
from sayso.logic.text import parse
from sayso.planning.navigation.base_motion import BaseMotion, drive, wrapped
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.tour import plan_tour
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.scene_file import fixed
from support.flat_scenes import true
from support.flats import DOMAIN

PERIOD_S = 0.1
LIMITS = BaseLimits(speed_m_s=0.9, acceleration_m_s2=0.8, turn_rad_s=0.8)


def mapped(scene: FlatScene) -> OccupancyGrid:
    space = FreeSpace(scene)
    low = space.origin - CELL_M / 2
    cells = np.where(space.blocked.T, OCCUPIED, FREE).astype(np.int8)
    return OccupancyGrid(cells, (float(low[0]), float(low[1])), CELL_M)


def yaw_of(world: FlatWorld) -> float:
    turn = rotation_matrix(world.true_base().orientation)
    return math.atan2(turn[1, 0], turn[0, 0])


def from_above_m(place: Vector3, thing: SceneObject) -> float:
    """From a place on the floor to the edge of a thing's footprint."""
    return thing.distance_to((*place[:2], thing.position[2]))


def follow(world: FlatWorld, motion: BaseMotion, forbidden: SceneObject) -> float:
    """Drive a motion; the smallest distance from what is forbidden. Fails at the first touch."""
    nearest = math.inf
    for k in range(math.ceil(motion.duration_s / PERIOD_S) + 5):
        state = motion.at(k * PERIOD_S)
        x, y, _ = world.true_base().position
        c, s = math.cos(yaw_of(world)), math.sin(yaw_of(world))
        dx, dy = state.x - x, state.y - y
        world.drive(
            state.forward_m_s + 1.5 * (c * dx + s * dy),
            state.left_m_s + 1.5 * (c * dy - s * dx),
            state.turn_rad_s + 1.5 * wrapped(state.yaw - yaw_of(world)),
        )
        world.step(PERIOD_S)
        assert not world.contacts(), (world.contacts(), world.true_base().position)
        nearest = min(nearest, from_above_m((x, y, 0.0), forbidden))
    return nearest


def tour_in(scene: FlatScene, wanted: Sequence[str], never: str) -> None:
    world, grid = FlatWorld(scene), mapped(scene)
    things = {o.name: o for o in world.truth()}
    flat = Flat.of(grid, (Place(n, Footprint.of(o)) for n, o in things.items()), DOMAIN)
    text = " & ".join([*(f"F(near({n}))" for n in wanted), f"G(!near({never}))"])
    x, y, _ = world.true_base().position
    outset = Outset(flat, obligations_of(parse(text, grounded=True)), (x, y))
    tour = plan_tour(outset)
    reached = set()
    for leg in tour.legs:
        here = world.true_base().position[:2]
        path = np.vstack([here, leg.path[1:]])
        target = next(n for n in wanted if n in leg.args)
        face = things[target].position[:2]
        motion = drive(path, yaw_of(world), LIMITS, face=face, footing=Footing(grid, (1.10, 0.50)))
        assert follow(world, motion, things[never]) > 1.05
        place = world.true_base().position
        reached |= {n for n in wanted if from_above_m(place, things[n]) < 1.0}
        assert true(world, target).position == pytest.approx(things[target].position, abs=0.02)
    assert reached == set(wanted)
    world.close()


def test_through_doors_and_narrow_places_of_a_fixed_flat() -> None:
    tour_in(fixed("lobby"), ("white_table", "elevator"), "guitar")


def test_through_the_door_of_a_generated_flat() -> None:
    wanted = [Wanted("sofa", "sofa"), Wanted("fridge", "fridge"), Wanted("desk", "desk")]
    wanted.append(Wanted("plant", "plant"))
    scene = generate(4, wanted)
    tour_in(scene, ("sofa", "fridge", "desk"), "plant")
