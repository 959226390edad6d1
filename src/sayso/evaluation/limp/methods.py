"""From an instruction to deeds: SaySo's own way, and the planners that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.evaluation.baselines.plans import OPERATORS, InstructionPlanner
from sayso.evaluation.limp.acting import Deed, deeds_of
from sayso.evaluation.limp.knowledge import Knowledge
from sayso.evaluation.limp.scenes import flat_library, flat_places
from sayso.logic.formula import Formula
from sayso.logic.progression import can_be_fulfilled, explain_contradiction
from sayso.logic.specification import Specification
from sayso.perception.grounding import ground
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.handling import drives
from sayso.planning.navigation.nearness import Footprint, near_mask
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.paths import GRID, PathPlanner, PathQuestion
from sayso.planning.navigation.patrol import mission_of, plan_patrol
from sayso.planning.navigation.tour import plan_tour

PLAN_S = 60.0
_CLOSE_M = 0.8
"""How near the compared planners' robot drives to what it was told to go to."""


@dataclass(frozen=True)
class Course:
    """What a method would do.

    Attributes:
        there: the deeds of a task, or those before a loop.
        loop: what is repeated for ever; empty for a task that ends.
        seconds: that each of the method's stages took.
    """

    there: tuple[Deed, ...]
    loop: tuple[Deed, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)


class Clock:
    """Times stages one after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def mark(self, stage: str) -> None:
        """A stage ended now."""
        now = perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


def plan_formula(
    instruction: str, formula: Formula, known: Knowledge, planner: PathPlanner = GRID
) -> Course:
    """SaySo's way: grounding, automata, the cheapest tour.

    Args:
        planner: of the way of each leg.

    Raises:
        SaySoError: CONTRADICTION, UNKNOWN_OBJECT, AMBIGUOUS, UNREACHABLE, NO_PLAN, PLAN_TIMEOUT
            and so on, as the stages say.
    """
    clock = Clock()
    grounded = ground(Specification(instruction, formula), known.scene, flat_places()).formula
    clock.mark("grounding s")
    task = obligations_of(grounded)
    clock.mark("automata s")
    outset = replace(known.outset(task), planner=planner)
    clock.mark("places s")
    if mission_of(grounded).again:
        patrol = plan_patrol(outset, PLAN_S)
        clock.mark("planning s")
        there, loop = (deeds_of(t.legs, known.truly) for t in (patrol.there, patrol.loop))
        return Course(there, loop, clock.seconds)
    try:
        tour = plan_tour(outset, PLAN_S)
    except SaySoError as error:
        # Parts that exclude each other leave no plan in any flat; that is another thing to say.
        if error.code is Code.NO_PLAN and not can_be_fulfilled(grounded):
            raise SaySoError(Code.CONTRADICTION, explain_contradiction(grounded)) from error
        raise
    clock.mark("planning s")
    return Course(deeds_of(tour.legs, known.truly), (), clock.seconds)


def plan_steps(instruction: str, planner: InstructionPlanner, known: Knowledge) -> Course:
    """The compared planners' way: a model's steps, each driven to by the shortest way.

    Raises:
        SaySoError: as `InstructionPlanner` says; UNREACHABLE where no way leads to a step's thing.
    """
    clock = Clock()
    told = {o.name: _thing_fields(o) for o in known.scene.objects}
    plan = planner.plan(instruction, told)
    clock.mark("language s")
    at = known.start
    objects, held = dict(known.scene.by_name()), ""
    deeds: list[Deed] = []
    for step in plan.steps:
        target = step.args[-1]
        path = way_to(known.grid, at, objects[target])
        at = (float(path[-1, 0]), float(path[-1, 1]))
        operator = flat_library().operators[OPERATORS[step.action]]
        args = () if drives(operator) else tuple(known.truly.get(n, n) for n in step.args)
        deeds.append(Deed(operator, args, path))
        if step.action == "pick":
            held = step.args[0]
        elif step.action == "place":
            if held != step.args[0]:
                raise SaySoError(Code.PRECONDITION, f"{step}: that is not held.")
            # Whatever was put down is now where its receptacle is.
            objects[held], held = objects[target], ""
    clock.mark("planning s")
    return Course(tuple(deeds), (), clock.seconds)


def way_to(grid: OccupancyGrid, start: tuple[float, float], thing: SceneObject) -> Array:
    """(N, 2) the shortest path [m] to where the base is close to a thing."""
    goal = near_mask(grid, Footprint.of(thing), _CLOSE_M)
    question = PathQuestion(grid.standable(), grid.cell_at(start), goal)
    path = GRID.find(question)
    metres: Array = path * grid.resolution_m + grid.origin
    return metres


def _thing_fields(thing: SceneObject) -> str:
    x, y, z = thing.position
    return f"{thing.color} {thing.category} at ({x:.1f}, {y:.1f}, {z:.1f})".strip()
