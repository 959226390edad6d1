"""Tours, patrols, their explanations and their independent check."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.logic.text import parse
from sayso.planning.navigation.check import check_tour, replay
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.nearness import Footprint, near_mask
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.patrol import check_patrol, plan_patrol
from sayso.planning.navigation.picture import save_tour
from sayso.planning.navigation.planned import planned
from sayso.planning.navigation.smoothing import spread
from sayso.planning.navigation.tour import plan_tour
from sayso.planning.navigation.tpsm import AVOID
from support.flats import DOMAIN, lying

HOME = (1.0, 1.0)
PLACES = (
    Place("sofa", Footprint.box(1.0, 6.5, 1.0, 0.5), receives="on"),
    Place("table", Footprint.box(5.0, 3.5, 0.6, 0.6), receives="on"),
    Place("bin", Footprint.box(9.0, 6.5, 0.4, 0.4), receives="in"),
    Place("toy", Footprint.box(9.0, 1.0, 0.2, 0.2)),
    Place("mug", Footprint.box(5.0, 6.8, 0.1, 0.1)),
)


def grid_with(*walls: tuple[slice, slice]) -> OccupancyGrid:
    cells = np.full((80, 100), FREE, np.int8)  # 10 m x 8 m in cells of 10 cm
    for wall in walls:
        cells[wall] = OCCUPIED
    return OccupancyGrid(cells, (0.0, 0.0), 0.1)


ACROSS = Footprint.box(3.5, 4.88, 1.2, 0.6)
"""1.03 m in front of a robot at (3.5, 3.5), as wide as the corridor it stands in."""
OPEN = Flat.of(grid_with(), PLACES, DOMAIN)


def outset(text: str, flat: Flat = OPEN, **extra) -> Outset:
    extra.setdefault("situation", lying())
    return Outset(flat, obligations_of(parse(text, grounded=True)), HOME, **extra)


def deeds(tour: Tour) -> list[str]:
    return [leg.operator.name if leg.drives else str(leg) for leg in tour.legs]


def test_an_order_close_to_the_cheapest_is_found() -> None:
    names = ["sofa", "table", "bin", "toy"]
    tour = plan_tour(outset(" & ".join(f"F(near({n}))" for n in names)))
    orders = [_shortest_through(order) for order in permutations(names)]
    # The order is the cheapest for one stand at each place; stands are chosen after it.
    assert tour.length_m <= min(orders) * 1.05
    assert min(orders) < np.median(orders) * 0.9


def _shortest_through(order) -> float:
    """The least length over the grid through the regions of some places in an order."""
    grid = OPEN.grid
    floor = Floor(grid.standable())
    cells, costs = np.array([grid.cell_at(HOME)]), np.ones(1)
    for name in order:
        field = floor.from_cells(cells, costs)
        inside = near_mask(grid, OPEN.place(name).footprint, 0.85) & floor.free
        cells, costs = np.argwhere(inside), field.cells[inside]
    return float(costs.min() - 1) * grid.resolution_m


def test_the_nearest_of_two_instances_is_chosen() -> None:
    tour = plan_tour(outset("F(near(toy) | near(bin))"))
    assert tour.legs[-1].args == ("toy",)


def test_a_wall_makes_the_farther_instance_the_nearer_one() -> None:
    # From the start the table is 3 m away as the crow flies, but all around the wall.
    flat = Flat.of(grid_with((slice(0, 66), slice(26, 28))), PLACES, DOMAIN)
    assert plan_tour(outset("F(near(table) | near(sofa))", flat)).legs[-1].args == ("sofa",)
    assert plan_tour(outset("F(near(table) | near(sofa))")).legs[-1].args == ("table",)


def test_a_thing_is_fetched_and_kept_away_from_what_is_forbidden_while_held() -> None:
    task = outset("F(holding(toy) & F(placed(toy, sofa))) & G(holding(toy) -> !near(table))")
    tour = plan_tour(task)
    assert deeds(tour) == ["go", "pick up toy", "go", "put toy down on sofa"]
    table = near_mask(OPEN.grid, OPEN.place("table").footprint)
    assert (tour.progression(2)[table] == AVOID).all()
    assert not (tour.progression(0)[table] == AVOID).any()
    free = plan_tour(outset("F(holding(toy) & F(placed(toy, sofa)))"))
    assert tour.length_m > free.length_m + 0.1


def test_the_hand_is_emptied_for_the_next_thing() -> None:
    tour = plan_tour(outset("F(holding(toy)) & F(holding(mug))"))
    assert [d.split()[0] for d in deeds(tour) if d != "go"] == ["pick", "put", "pick"]


def test_a_receptacle_decides_between_on_and_in() -> None:
    assert deeds(plan_tour(outset("F(in(mug, bin))")))[-1] == "put mug down into bin"
    with pytest.raises(SaySoError) as caught:
        plan_tour(outset("F(on(mug, bin))"))
    assert caught.value.code == Code.NO_PLAN


def test_an_order_that_is_demanded_is_kept() -> None:
    task = outset("!near(toy) U near(sofa) & F(near(toy))")
    tour = plan_tour(task)
    assert [leg.args for leg in tour.legs] == [("sofa",), ("toy",)]


def test_a_fulfilled_task_needs_no_legs_and_a_broken_one_is_refused() -> None:
    assert plan_tour(outset("F(!near(sofa))")).legs == ()
    here = replace(outset("G(!near(sofa)) & F(near(toy))"), position=(1.0, 5.5))
    with pytest.raises(SaySoError, match="is broken where the robot stands") as caught:
        plan_tour(here)
    assert caught.value.code == Code.VIOLATED


def test_the_clause_in_the_way_is_named() -> None:
    wall = (slice(0, 80), slice(60, 62)), (slice(20, 50), slice(60, 62))
    cells = grid_with(wall[0]).cells.copy()
    cells[wall[1]] = FREE  # a door, with the table before it
    flat = Flat.of(OccupancyGrid(cells, (0.0, 0.0), 0.1), PLACES, DOMAIN).moved_to(
        "table", Footprint.box(5.6, 3.5, 0.6, 2.4)
    )
    with pytest.raises(SaySoError) as caught:
        plan_tour(outset("F(near(toy)) & F(near(sofa)) & G(!near(table))", flat))
    assert caught.value.code == Code.NO_PLAN
    assert "without 'G(!near(table))' there is a tour of" in caught.value.message
    assert "without 'F(near(toy))' there is a tour of" in caught.value.message
    assert "near(sofa)" not in caught.value.message


def test_what_stands_in_the_way_is_told_in_english() -> None:
    cells = grid_with((slice(0, 80), slice(60, 62))).cells.copy()
    cells[20:50, 60:62] = FREE
    flat = Flat.of(OccupancyGrid(cells, (0.0, 0.0), 0.1), PLACES, DOMAIN).moved_to(
        "table", Footprint.box(5.6, 3.5, 0.6, 2.4)
    )
    predicates = load(builtin_path("flat")).predicates
    with pytest.raises(SaySoError) as caught:
        plan_tour(outset("F(near(toy)) & G(!near(table))", flat, predicates=predicates))
    said = 'without "At all times: the robot is not near the table" there is a tour of'
    assert said in caught.value.message
    assert caught.value.hint == "give up one of these, or move the table out of the way."


def test_a_tour_that_only_the_margin_excludes_is_told_of() -> None:
    cells = grid_with((slice(0, 80), slice(60, 62))).cells.copy()
    cells[20:35, 60:62] = FREE  # passed up to 1.2 m off the table
    flat = Flat.of(OccupancyGrid(cells, (0.0, 0.0), 0.1), PLACES, DOMAIN).moved_to(
        "table", Footprint.box(6.1, 1.75, 0.2, 0.2)
    )
    text = "F(near(toy)) & G(!near(table))"
    with pytest.raises(SaySoError, match=r"with a margin of 0.05 m there is a tour of"):
        plan_tour(outset(text, flat, margin_m=0.6))
    plan_tour(outset(text, flat, margin_m=0.05))


def test_rules_that_only_together_exclude_a_tour_are_named_together() -> None:
    cells = grid_with((slice(0, 80), slice(60, 62))).cells.copy()
    cells[20:50, 60:62] = FREE  # a door, with two things before it
    places = [p for p in PLACES if p.name not in ("table", "mug")]
    one, other = Footprint.box(5.4, 3.5, 0.3, 2.4), Footprint.box(5.8, 3.5, 0.3, 2.4)
    places += [Place("plant", one), Place("cat", other)]
    flat = Flat.of(OccupancyGrid(cells, (0.0, 0.0), 0.1), places, DOMAIN)
    with pytest.raises(SaySoError) as caught:
        plan_tour(outset("F(near(toy)) & F(near(sofa)) & G(!near(plant)) & G(!near(cat))", flat))
    assert "without 'G(!near(plant))' and 'G(!near(cat))' there is" in caught.value.message
    assert "without 'G(!near(plant))' there is" not in caught.value.message
    assert caught.value.hint.endswith("or move the plant or the cat out of the way.")


def test_a_place_behind_walls_is_named() -> None:
    flat = Flat.of(grid_with((slice(0, 80), slice(60, 62))), PLACES, DOMAIN)
    with pytest.raises(SaySoError, match="leads from the robot to the bin and the toy") as caught:
        plan_tour(outset("F(near(toy)) & F(near(bin)) & F(near(sofa))", flat))
    assert caught.value.code == Code.UNREACHABLE


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("F(clean(bin))", Code.UNSUPPORTED, "clean"),
        ("F(near(lamp))", Code.UNKNOWN_OBJECT, "lamp"),
        ("F(near(toy)) & G(!near(toy))", Code.NO_PLAN, "without 'F"),
    ],
)
def test_what_cannot_be_planned_is_named(text: str, code: Code, says: str) -> None:
    with pytest.raises(SaySoError, match=says) as caught:
        plan_tour(outset(text))
    assert caught.value.code == code


def test_a_start_too_close_to_something_is_refused() -> None:
    flat = Flat.of(grid_with((slice(8, 12), slice(6, 9))), PLACES, DOMAIN)
    with pytest.raises(SaySoError) as caught:
        plan_tour(outset("F(near(toy))", flat))
    assert caught.value.code == Code.PRECONDITION


def test_a_referent_that_is_not_found_yet_is_refused() -> None:
    with pytest.raises(SaySoError, match="was not found in the scene yet") as caught:
        obligations_of(parse("F(near(red_sofa))"))
    assert caught.value.code == Code.INVALID


# -- margins ---------------------------------------------------------------------------------


def distances(tour: Tour, name: str, flat: Flat = OPEN) -> np.ndarray:
    """From one thing, all along a tour."""
    points = np.concatenate([spread(leg.path, 200) for leg in tour.legs])
    return flat.place(name).footprint.distance_m(points[:, 0], points[:, 1])


def test_what_is_forbidden_is_kept_farther_off_and_what_is_wanted_is_gone_nearer_to() -> None:
    text = "F(near(bin)) & G(!near(table))"
    tour, exact = plan_tour(outset(text)), plan_tour(outset(text, margin_m=0.0))
    half = OPEN.grid.resolution_m * 0.75
    assert distances(tour, "table").min() >= 1.15 - half
    assert distances(tour, "bin")[-1] <= 0.85 + half
    assert distances(exact, "table").min() < 1.1
    assert distances(exact, "bin")[-1] > 0.9


@pytest.mark.parametrize(
    "text",
    [
        "F(near(table) & F(near(bin))) & G(near(bin) -> G(!near(table)))",
        "!near(table) U near(bin) & F(near(table)) & G(near(table) -> G(!near(bin)))",
    ],
)
def test_one_thing_is_wanted_first_and_kept_off_later(text: str) -> None:
    task = outset(text)
    tour = plan_tour(task)
    check_tour(tour, task)
    first, later = ("table", "bin") if text.startswith("F") else ("bin", "table")
    assert [leg.args for leg in tour.legs] == [(first,), (later,)]


def test_about_the_distance_that_is_near_the_robot_first_goes_where_there_is_no_doubt() -> None:
    # The table's edge is at x = 4.7 and the robot stands 1.05 m before it.
    task = outset("F(near(bin)) & G(!near(table))")
    start = replace(task, position=(3.65, 3.5))
    tour = plan_tour(start)
    away = OPEN.place("table").footprint
    first = spread(tour.legs[0].path, 50)
    assert away.distance_m(first[:, 0], first[:, 1]).min() >= 1.05 - OPEN.grid.resolution_m
    assert len(tour.legs) == 2
    later = Tour(tour.legs[1:], tour.near, tour.start)
    assert distances(later, "table").min() >= 1.15 - 0.075


def test_what_moved_close_is_left_before_it_is_seen_to_be_near() -> None:
    task = outset("F(near(bin)) & G(!near(table))")
    states = task.begin(frozenset())
    close = replace(task, position=(3.75, 3.5), states=states)
    tour = plan_tour(close)
    assert distances(tour, "table").min() >= 0.95 - OPEN.grid.resolution_m
    check_tour(tour, close)
    with pytest.raises(SaySoError, match="is broken where the robot stands"):
        plan_tour(replace(close, states=None))


def test_a_robot_that_is_shut_in_by_what_it_must_keep_off_says_so() -> None:
    sides = (slice(0, 80), slice(28, 30)), (slice(0, 80), slice(40, 42))
    flat = Flat.of(grid_with(*sides, (slice(28, 30), slice(30, 40))), PLACES, DOMAIN)
    task = outset("F(near(bin)) & G(!near(table))", flat.moved_to("table", ACROSS))
    with pytest.raises(SaySoError, match="too close to the table, and no way leads away") as caught:
        plan_tour(replace(task, position=(3.5, 3.5)))
    assert caught.value.code == Code.UNREACHABLE


def test_a_thing_far_back_on_furniture_is_near_where_the_robot_comes_nearest() -> None:
    flat = Flat.of(grid_with((slice(60, 80), slice(40, 60))), PLACES, DOMAIN)  # a table up to 6.0
    task = outset("F(near(mug))", flat.moved_to("mug", Footprint.box(5.0, 6.45, 0.1, 0.1)))
    assert 0.85 < distances(plan_tour(task), "mug", task.flat)[-1] <= 1.0


# -- changes ---------------------------------------------------------------------------------


def test_after_a_change_the_rest_is_kept_or_planned_anew_with_its_obligations() -> None:
    task = outset("F(near(toy) & F(near(sofa))) & G(!near(table))")
    tour = plan_tour(task)
    first = Tour(tour.legs[:1], tour.near, tour.start)
    walker = replay(first, task)
    x, y = OPEN.grid.centres([walker.cell])[0]
    now = replace(task, position=(float(x), float(y)), states=walker.states)
    assert planned(now, tour.legs[1:]).kept
    path = tour.legs[1].path
    middle = path[0] + (path[-1] - path[0]) * 0.6
    moved = replace(now, flat=OPEN.moved_to("table", Footprint.box(*middle, 0.4, 0.4)))
    again = planned(moved, tour.legs[1:])
    assert not again.kept
    assert [planned_leg.leg.args for planned_leg in again.legs] == [("sofa",)]
    legs = tuple(planned_leg.leg for planned_leg in again.legs)
    check_tour(replace(tour, legs=legs, start=walker.cell), moved)
    with pytest.raises(SaySoError):
        check_tour(Tour(tour.legs[1:], tour.near, walker.cell), moved)


# -- the check -------------------------------------------------------------------------------


def _cut_short(tour: Tour) -> tuple:
    return tour.legs[:-1]


def _without_picking(tour: Tour) -> tuple:
    return (tour.legs[0], *tour.legs[2:])


def _straight_through(tour: Tour) -> tuple:
    leg = tour.legs[2]
    return (*tour.legs[:2], replace(leg, path=leg.path[[0, -1]]), tour.legs[3])


def _from_elsewhere(tour: Tour) -> tuple:
    return (replace(tour.legs[0], path=tour.legs[0].path + 0.5), *tour.legs[1:])


def _from_afar(tour: Tour) -> tuple:
    here = np.array([HOME])
    return tuple(replace(leg, path=here) if not leg.drives else leg for leg in tour.legs[1:])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_cut_short, "still to be done"),
        (_without_picking, "needs that holding"),
        (_straight_through, "breaks 'G"),
        (_from_elsewhere, "does not begin where the robot is"),
        (_from_afar, "out of reach"),
    ],
)
def test_a_tour_that_was_tampered_with_is_refused(spoil, says: str) -> None:
    task = outset("F(holding(toy) & F(placed(toy, sofa))) & G(holding(toy) -> !near(table))")
    tour = plan_tour(task)
    with pytest.raises(SaySoError, match=says) as caught:
        check_tour(Tour(spoil(tour), tour.near, tour.start), task)
    assert caught.value.code == Code.PLAN_INVALID


def test_a_path_too_close_to_a_wall_is_refused() -> None:
    tour = plan_tour(outset("F(near(toy))"))
    walled = outset(
        "F(near(toy))", Flat.of(grid_with((slice(5, 14), slice(50, 52))), PLACES, DOMAIN)
    )
    with pytest.raises(SaySoError, match="passes too close to something"):
        check_tour(tour, walled)


# -- pictures ---------------------------------------------------------------------------------


def test_each_way_becomes_a_picture(tmp_path) -> None:
    task = outset("F(near(toy) & F(near(sofa))) & G(!near(table))")
    files = save_tour(tmp_path, plan_tour(task), task)
    assert [f.name for f in files] == ["tour.png", "leg_1.png", "leg_2.png"]
    assert all(f.stat().st_size > 500 for f in files)


# -- patrols ---------------------------------------------------------------------------------


def test_a_patrol_has_a_way_there_and_a_loop_that_closes() -> None:
    task = outset("G(F(near(sofa))) & G(F(near(bin))) & G(!near(table)) & F(near(toy))")
    patrol = plan_patrol(task)
    assert any("toy" in leg.args for leg in patrol.there.legs)
    assert not any("toy" in leg.args for leg in patrol.loop.legs)
    ends = patrol.loop.legs[0].path[0], patrol.loop.legs[-1].path[-1]
    assert OPEN.grid.cell_at(tuple(ends[0])) == OPEN.grid.cell_at(tuple(ends[1]))


def test_a_patrol_under_way_does_not_do_again_what_was_done_once() -> None:
    task = outset("G(F(near(sofa))) & G(F(near(bin))) & F(near(toy))")
    toy = next(p for p in task.task.propositions if p.args == ("toy",))
    states = task.task.run([frozenset(), frozenset({toy}), frozenset()])
    again = plan_patrol(replace(task, states=states))
    assert not any("toy" in leg.args for leg in (*again.there.legs, *again.loop.legs))


def test_a_patrol_that_leaves_a_place_out_is_refused() -> None:
    patrol = plan_patrol(outset("G(F(near(sofa))) & G(F(near(bin)))"))
    with pytest.raises(SaySoError, match=r"round leaves out 'near\(toy\)'") as caught:
        check_patrol(patrol, outset("G(F(near(sofa)) & F(near(toy)))"))
    assert caught.value.code == Code.PLAN_INVALID


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("F(near(sofa))", "nothing again and again"),
        ("G(F(near(sofa))) & F(G(!near(sofa)))", "does not keep"),
        ("G(F(near(sofa))) & G(near(sofa) -> F(G(near(bin))))", "does not keep"),
    ],
)
def test_a_mission_that_no_loop_is_known_for_is_refused(text: str, says: str) -> None:
    with pytest.raises(SaySoError, match=says) as caught:
        plan_patrol(outset(text))
    assert caught.value.code == Code.UNSUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "G(F(near(sofa))) & G(F(near(bin))) & G(!near(table)) & F(near(toy))",
        "G(F(near(sofa))) & G(near(sofa) -> F(near(bin))) & F(near(toy))",
    ],
)
def test_the_loop_satisfies_the_formula_as_spot_reads_it(text: str) -> None:
    spot = pytest.importorskip("spot")
    task = outset(text)
    patrol = plan_patrol(task)
    lasso = _letters(task, patrol.there), _letters(task, patrol.there, patrol.loop)
    names = {p: f"p{p.args[0]}" for p in task.task.propositions}

    def word(letters) -> str:
        return "; ".join(
            " & ".join(n if p in x else f"!{n}" for p, n in names.items()) for x in letters
        )

    omega = spot.parse_word(
        f"{word(lasso[0])}; cycle{{{word(lasso[1][len(lasso[0]) - 1 :])}}}"
    ).as_automaton()
    formula = text
    for prop, name in names.items():
        formula = formula.replace(f"near({prop.args[0]})", name)
    assert spot.contains(spot.formula(formula), omega)
    assert not spot.contains(spot.formula(formula + " & G(F(ptoy))"), omega)


def _letters(task: Outset, *tours: Tour) -> list:
    legs = tuple(leg for tour in tours for leg in tour.legs)
    every = Tour(legs, tours[0].near, tours[0].start)
    return [reading.true for reading, _ in replay(every, task).history]


def test_things_that_lie_somewhere_count_as_placed() -> None:
    task = outset("F(placed(toy, sofa))", situation=lying(("toy", "sofa")))
    assert plan_tour(task).legs == ()


ONCE = "!F(near({0}) & F(!near({0}) & F(near({0}))))"


def test_what_is_counted_is_come_near_to_across_its_border_and_no_more_often() -> None:
    """A doubt about the border that lasted would allow no visit that must be the only one."""
    task = "F(near(table) & F(near(toy)))"
    start = outset(f"{task} & {ONCE.format('table')}")
    assert start.counted == {"table"}
    tour = plan_tour(start)
    check_tour(tour, start)
    free = plan_tour(outset(task))
    assert tour.length_m <= free.length_m * 1.2


def test_only_what_comes_about_once_at_most_is_counted() -> None:
    for text in ("G(!near(table))", "F(near(table) & F(!near(table) & F(near(table))))"):
        assert not outset(text).counted


def test_things_are_put_down_elsewhere_only_where_the_task_leaves_no_other_way() -> None:
    asked = outset("F(holding(toy) & F(placed(toy, bin)))").putting_down_as_asked()
    assert asked is not None
    assert [n for n, p in asked.flat.places.items() if p.receives] == ["bin"]
    both = outset("F(holding(toy)) & F(holding(mug))")
    assert both.putting_down_as_asked() is None
    assert any(leg.operator.skill == "release" for leg in plan_tour(both).legs)
