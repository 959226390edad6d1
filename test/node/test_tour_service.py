"""Tours over the service: whole, kept, for ever, and the kinds of no."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import Point
from sayso_ros.msg import Specification, Status, TourLeg
from sayso_ros.srv import PlanTour

from sayso.core.errors import SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.text import parse
from sayso.planning.navigation.actions import plan_of
from sayso.planning.navigation.fmt_star import FmtStar
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.places import outset_of
from sayso.planning.navigation.tour import plan_tour
from sayso.ros.messages.conversions import scene_to_msg
from sayso.ros.messages.maps import grid_to_msg
from sayso.ros.nodes.planner_node import PlannerNode
from sayso.ros.task.tours import leg_from_msg, request_for, tour_from_msg
from support.flats import LIBRARY

BRING = "F(holding(toy) & F(placed(toy, sofa))) & G(holding(toy) -> !near(table))"


def thing(name: str, x: float, y: float, size: tuple[float, float, float]) -> SceneObject:
    return SceneObject(name, name, "", (x, y, size[2] / 2), size)


SCENE = Scene(
    10.0,
    (
        thing("sofa", 1.0, 6.5, (1.0, 0.5, 0.8)),
        thing("table", 5.0, 3.5, (0.6, 0.6, 0.7)),
        thing("toy", 9.0, 1.0, (0.12, 0.12, 0.2)),
        thing("bin", 9.0, 6.5, (0.3, 0.3, 0.5)),
    ),
    frame="map",
)


def floor(*walls: tuple[slice, slice]) -> OccupancyGrid:
    cells = np.full((80, 100), FREE, np.int8)
    for wall in walls:
        cells[wall] = OCCUPIED
    return OccupancyGrid(cells, (0.0, 0.0), 0.1)


def ask(graph, formula: str = BRING, grid: OccupancyGrid | None = None, **fields):
    request = PlanTour.Request(
        specification=Specification(grounded_formula=formula),
        scene=scene_to_msg(SCENE, "test"),
        map=grid_to_msg(grid or floor()),
        base=Point(x=1.05, y=1.05),
    )
    for name, value in fields.items():
        setattr(request, name, value)
    return graph.call(PlanTour, "/plan_tour", request)


@pytest.fixture
def flat_planner(graph):
    graph.add(PlannerNode, library="flat")
    return graph


def test_a_tour_with_its_reasons_and_maps(flat_planner) -> None:
    answer = ask(flat_planner)
    assert answer.status.code == Status.OK, answer.status.message
    assert [leg.step.english for leg in answer.legs] == [
        "drive to the toy", "pick up the toy", "drive to the sofa", "put the toy down on the sofa",
    ]  # fmt: skip
    assert all(leg.step.why for leg in answer.legs)
    carry = np.array(answer.legs[2].progression.data).reshape(80, 100)
    assert carry[35, 60] == TourLeg.AVOID
    assert carry[55, 10] == TourLeg.GOAL
    assert carry[0, 0] == TourLeg.BLOCKED
    assert not answer.legs[1].progression.data
    release = leg_from_msg(answer.legs[3])
    assert Atom("on", ("toy", "sofa")) in release.step.action.add
    assert release.step.action.args == ("toy", "sofa")
    assert answer.cost_s == pytest.approx(sum(leg.step.cost for leg in answer.legs))


def test_what_is_under_way_is_kept_until_something_stands_in_it(flat_planner) -> None:
    first = ask(flat_planner, "F(near(bin))")
    going = {"trace": [""], "under_way": first.legs}
    kept = ask(flat_planner, "F(near(bin))", **going)
    assert kept.kept
    assert kept.legs == first.legs
    walled = floor((slice(0, 70), slice(50, 52)))
    other = ask(flat_planner, "F(near(bin))", walled, **going)
    assert other.status.code == Status.OK
    assert not other.kept
    assert other.legs[0].path != first.legs[0].path


def test_what_was_done_already_is_not_asked_for_again(flat_planner) -> None:
    task = "F(near(toy) & F(near(sofa)))"
    answer = ask(flat_planner, task, trace=["", "near(toy)", ""])
    assert [leg.step.english for leg in answer.legs] == ["drive to the sofa"]


def test_a_tour_comes_back_as_it_was_planned(flat_planner) -> None:
    task = obligations_of(parse(BRING, grounded=True))
    outset = outset_of(task, SCENE, floor(), LIBRARY, (1.05, 1.05))
    outset = replace(outset, states=task.step(task.initial, frozenset()))
    answer = flat_planner.call(PlanTour, "/plan_tour", request_for(outset, SCENE))
    told, planned = tour_from_msg(answer, outset), plan_tour(outset)
    assert [str(leg) for leg in told.legs] == [str(leg) for leg in planned.legs]
    assert (told.progression(2) == planned.progression(2))[outset.standable()].all()
    one, other = (plan_of(t, outset, LIBRARY.predicates).steps for t in (told, planned))
    assert [(s.action.english, s.why) for s in one] == [(s.action.english, s.why) for s in other]


def test_what_could_not_be_picked_up_is_not_asked_for_again(flat_planner) -> None:
    task = obligations_of(parse(BRING, grounded=True))
    outset = outset_of(task, SCENE, floor(), LIBRARY, (1.0, 1.0))
    outset = replace(outset, excluded=frozenset({"pick(toy)"}))
    answer = flat_planner.call(PlanTour, "/plan_tour", request_for(outset, SCENE))
    assert answer.status.code == Status.NO_PLAN, answer.status.message


def test_a_patrol_has_a_loop(flat_planner) -> None:
    answer = ask(flat_planner, "G(F(near(sofa))) & G(F(near(bin))) & F(near(toy))")
    loops = [leg.loop for leg in answer.legs]
    assert answer.status.code == Status.OK, answer.status.message
    assert loops == sorted(loops)
    assert 0 < sum(loops) < len(loops)


def test_what_blocks_is_said_in_english(flat_planner) -> None:
    answer = ask(flat_planner, "F(near(toy)) & G(!near(toy))")
    assert answer.status.code == Status.NO_PLAN
    assert '"At all times: the robot is not near the toy"' in answer.status.message
    shut = ask(flat_planner, "F(near(toy))", floor((slice(0, 80), slice(60, 62))))
    assert shut.status.code == Status.UNREACHABLE
    assert "the toy" in shut.status.message
    assert not shut.legs


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"formula": ""}, Status.INVALID),
        ({"formula": "F(near(piano))"}, Status.UNKNOWN_OBJECT),
        ({"formula": "F(clean(bin))"}, Status.UNSUPPORTED),
        ({"formula": "F(near(toy"}, Status.NOT_UNDERSTOOD),
        ({"timeout_s": 0.0}, Status.INVALID),
        ({"margin_m": 2.0}, Status.INVALID),
        ({"trace": ["near(toy) | near(sofa)"]}, Status.INVALID),
        ({"clause_states": [0]}, Status.INVALID),
        ({"clause_states": [0, 99]}, Status.INVALID),
        ({"base": Point(x=-5.0)}, Status.INVALID),
        ({"under_way": [TourLeg()]}, Status.INVALID),
        ({"formula": "G(!near(toy))", "trace": ["near(toy)"]}, Status.VIOLATED),
    ],
)
def test_the_kinds_of_no(flat_planner, fields, code: int) -> None:
    answer = ask(flat_planner, **fields)
    assert answer.status.code == code, answer.status.message
    assert answer.status.message


def test_a_map_that_is_none_is_named(flat_planner) -> None:
    good = grid_to_msg(floor())
    short, turned, elsewhere = (grid_to_msg(floor()) for _ in range(3))
    short.data = good.data[:-1]
    turned.info.origin.orientation.z = 0.7
    elsewhere.header.frame_id = "odom"
    for bad, code in ((short, Status.INVALID), (turned, Status.UNSUPPORTED)):
        assert ask(flat_planner, map=bad).status.code == code
    assert "odom" in ask(flat_planner, map=elsewhere).status.message


def test_a_library_without_near_offers_no_tours(graph) -> None:
    node = graph.add(PlannerNode)
    assert not any(s.srv_name == "/plan_tour" for s in node.services)


def test_ways_are_made_by_the_planner_that_is_named(graph, monkeypatch) -> None:
    find, asked = FmtStar.find, []

    def noted(planner, question):
        asked.append(question)
        return find(planner, question)

    monkeypatch.setattr(FmtStar, "find", noted)
    graph.add(PlannerNode, library="flat", path_planner="fmt_star")
    answer = ask(graph)
    assert answer.status.code == Status.OK, answer.status.message
    assert len(asked) == sum(leg.step.skill == "go" for leg in answer.legs) == 2


def test_an_unknown_planner_of_ways_is_refused_with_the_known_ones(graph) -> None:
    with pytest.raises(SaySoError, match="ompl_fmt"):
        graph.add(PlannerNode, library="flat", path_planner="bee_line")
