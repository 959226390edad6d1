"""Legs of tours to messages and back, and the service that plans them."""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, PoseStamped
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import Quaternion as QuaternionMsg
from nav_msgs.msg import Path
from rclpy.node import Node
from sayso_ros.msg import Atom as AtomMsg
from sayso_ros.msg import Specification as SpecificationMsg
from sayso_ros.msg import TourLeg
from sayso_ros.srv import PlanTour

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Atom, Domain, Literal, PlanStep
from sayso.logic.formula import And, Prop, Top, walk
from sayso.logic.text import parse, to_text
from sayso.mission.gate_conditions import with_walkers
from sayso.planning.navigation.handling import drives
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.obligations import Letter, Obligations, States, obligations_of
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.places import outset_of
from sayso.planning.navigation.planned import (
    PlannedLeg,
    costmap,
    from_costmap,
    planned,
    tour_of_legs,
)
from sayso.planning.navigation.tour import PLAN_S
from sayso.ros.messages.conversions import (
    action_to_msg,
    header,
    raise_unless_ok,
    scene_from_msg,
    scene_to_msg,
    time_from_msg,
)
from sayso.ros.messages.maps import cells_to_msg, grid_from_msg, grid_to_msg
from sayso.ros.messages.progress import stated
from sayso.ros.messages.specifications import grounded_formula
from sayso.ros.runtime import boundary

SERVICE = "plan_tour"
_COSTS = (TourLeg.BLOCKED, TourLeg.GOAL, TourLeg.NEUTRAL, TourLeg.AVOID)


@dataclass(frozen=True, eq=False)
class TourStep:
    """A leg as it is carried out.

    Attributes:
        path: (N, 2) corners x, y [m, frame `map`]; one where the base stands still.
        loop: part of the loop of a mission without end.
    """

    step: PlanStep
    path: Array
    loop: bool = False


class TourService:
    """Serves `/plan_tour` on a node.

    Args:
        library: its predicates say what is true, its operators what can be done.
        planner: of the way of each leg.
    """

    def __init__(self, node: Node, library: Library, planner: PathPlanner = GRID) -> None:
        self._library = library
        self._planner = planner
        node.create_service(PlanTour, SERVICE, self._plan)

    def _plan(self, request: PlanTour.Request, response: PlanTour.Response) -> PlanTour.Response:
        def work(out: PlanTour.Response) -> None:
            started = time.monotonic()
            if request.timeout_s <= 0:
                raise SaySoError(Code.INVALID, "timeout_s must be more than 0.")
            outset = replace(outset_from_msg(request, self._library), planner=self._planner)
            going = tuple(_leg_under_way(leg, self._library.domain()) for leg in request.under_way)
            found = planned(outset, going, request.timeout_s)
            outset = outset.for_legs(planned_leg.leg for planned_leg in found.legs)
            frame = request.scene.header.frame_id
            stamp_s = time_from_msg(request.scene.header.stamp)
            out.kept = found.kept
            out.legs = [leg_to_msg(leg, outset, stamp_s, frame) for leg in found.legs]
            if found.kept:
                out.legs = request.under_way
            out.cost_s = float(sum(leg.step.cost for leg in out.legs))
            out.time_s = time.monotonic() - started

        return boundary.answer("planner", response, work)


def outset_from_msg(request: Any, library: Library) -> Outset:
    """Where a tour that was asked for starts.

    Raises:
        SaySoError: INVALID for what is malformed, or a map in another frame than the scene;
            NOT_UNDERSTOOD for a formula or a trace that cannot be read; CONTRADICTION.
    """
    scene, grid = scene_from_msg(request.scene), grid_from_msg(request.map)
    if request.map.header.frame_id not in ("", scene.frame):
        raise SaySoError(
            Code.INVALID,
            f"the map is in frame '{request.map.header.frame_id}', the scene in '{scene.frame}'.",
        )
    task = obligations_of(grounded_formula(request.specification))
    base = (float(request.base.x), float(request.base.y))
    return replace(
        outset_of(task, scene, with_walkers(grid, scene), library, base, grid),
        states=_states(request, task),
        excluded=frozenset(request.out_of_reach),
        margin_m=round(float(request.margin_m), 6),
    )


def _states(request: Any, task: Obligations) -> States | None:
    """Where the task stands; None at its beginning."""
    states = stated(request.clause_states, task)
    if states is None and request.trace:
        return task.run([letter_from_text(t) for t in request.trace])
    return states


def letter_from_text(text: str) -> Letter:
    """The propositions of a conjunction. Raises NOT_UNDERSTOOD, INVALID for what is none."""
    formula = parse(text, grounded=True) if text.strip() else Top()
    parts = tuple(walk(formula))
    if not all(isinstance(part, (Prop, And, Top)) for part in parts):
        raise SaySoError(
            Code.INVALID,
            f"'{text}' is no step of a trace.",
            hint="write what is true, joined by '&'.",
        )
    return frozenset(part for part in parts if isinstance(part, Prop))


def request_for(outset: Outset, scene: Scene, timeout_s: float = PLAN_S) -> PlanTour.Request:
    """What asks for a tour from an outset whose places are those of a scene."""
    flat, (x, y) = outset.flat, outset.position
    states = outset.states or ()
    return PlanTour.Request(
        specification=SpecificationMsg(grounded_formula=to_text(outset.task.formula)),
        scene=scene_to_msg(replace(scene, objects=tuple(map(_bare, scene.objects))), ""),
        map=grid_to_msg(flat.bare or flat.grid, scene.stamp_s, scene.frame),
        base=Point(x=float(x), y=float(y)),
        clause_states=array("i", states),
        margin_m=float(outset.margin_m),
        out_of_reach=sorted(outset.excluded),
        timeout_s=float(timeout_s),
    )


def tour_from_msg(response: Any, outset: Outset) -> Tour:
    """The tour that was answered, checked.

    Raises:
        SaySoError: what the answer's status says; PLAN_INVALID where the tour does not hold.
    """
    raise_unless_ok(response.status)
    legs = [_leg_under_way(leg, outset.flat.domain) for leg in response.legs]
    maps = [
        np.array(leg.progression.data, np.int8).reshape(outset.flat.grid.shape)
        if len(leg.progression.data)
        else None
        for leg in response.legs
    ]
    return tour_of_legs(
        legs, outset, [None if m is None else from_costmap(m, _COSTS) for m in maps]
    )


def _bare(thing: SceneObject) -> SceneObject:
    """Without its points, which no tour needs."""
    return replace(thing, points=np.zeros((0, 3), np.float32))


def leg_to_msg(planned_leg: PlannedLeg, outset: Outset, stamp_s: float, frame: str) -> TourLeg:
    leg, action, grid = planned_leg.leg, planned_leg.step.action, outset.flat.grid
    msg = TourLeg(
        step=action_to_msg(action, planned_leg.step.why),
        needs=[_atom_to_msg(x.atom) for x in sorted(action.preconditions)],
        adds=[_atom_to_msg(a) for a in sorted(action.add)],
        deletes=[_atom_to_msg(a) for a in sorted(action.delete)],
        path=path_to_msg(leg.path, stamp_s, frame),
        loop=planned_leg.loop,
    )
    if planned_leg.progression is not None:
        cells = costmap(planned_leg.progression, outset, _COSTS)
        msg.progression = cells_to_msg(cells, grid.origin, grid.resolution_m, stamp_s, frame)
    return msg


def leg_from_msg(msg: Any) -> TourStep:
    """A leg to be carried out."""
    step = msg.step
    action = Action(
        name=step.operator_name,
        args=tuple(step.args),
        preconditions=frozenset(Literal(_atom_from_msg(a)) for a in msg.needs),
        add=frozenset(map(_atom_from_msg, msg.adds)),
        delete=frozenset(map(_atom_from_msg, msg.deletes)),
        skill=step.skill,
        cost=float(step.cost),
        english=step.english,
    )
    return TourStep(PlanStep(action, step.why), path_from_msg(msg.path), bool(msg.loop))


def path_to_msg(path: Array, stamp_s: float, frame: str) -> Path:
    """(N, 2) corners x, y [m]; headings are left open."""
    stamped = header(stamp_s, frame)
    upright = QuaternionMsg(w=1.0)
    points = (Point(x=float(x), y=float(y)) for x, y in path)
    poses = (PoseMsg(position=p, orientation=upright) for p in points)
    return Path(header=stamped, poses=[PoseStamped(header=stamped, pose=p) for p in poses])


def path_from_msg(msg: Any) -> Array:
    """(N, 2) corners x, y [m]."""
    points = [(p.pose.position.x, p.pose.position.y) for p in msg.poses]
    return np.array(points, float).reshape(-1, 2)


def _leg_under_way(msg: Any, domain: Domain) -> Leg:
    """A leg as far as its check needs it. Raises INVALID for one of no known operator."""
    found = leg_from_msg(msg)
    action = found.step.action
    operator = next((op for op in domain.operators if op.name == action.name), None)
    if (
        operator is None
        or not len(found.path)
        or not (drives(operator) or len(action.args) == len(operator.parameters))
    ):
        raise SaySoError(
            Code.INVALID,
            f"'{action}' with {len(found.path)} points is no leg of a tour.",
            hint="send legs as /plan_tour gave them.",
        )
    return Leg(operator, action.args, found.path, (), (), cost_s=action.cost)


def _atom_to_msg(atom: Atom) -> AtomMsg:
    return AtomMsg(predicate=atom.predicate, args=list(atom.args))


def _atom_from_msg(msg: Any) -> Atom:
    return Atom(msg.predicate, tuple(msg.args))
