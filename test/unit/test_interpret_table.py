"""Tasks on the table can be done as they stand, and a study is kept and told task by task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.evaluation.interpret.arm import Study, StudyFolder, report
from sayso.learning.feedback import Action
from sayso.logic.formula import Eventually, Prop, conjunction
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanLimits, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.worlds.persons.teacher import Manner
from sayso.worlds.table.layout import random_layout
from sayso.worlds.table.tasks import DOMAINS, SETS, TableTask, table_tasks
from sayso.worlds.table.trial import Trial
from sayso.worlds.table.true import (
    goal_of_words,
    holds,
    person_of,
    seen,
    table_truth,
)
from sayso.worlds.things import MOVABLES


def scene_of(task: TableTask) -> Scene:
    """What stands on the table when the task begins."""
    layout = random_layout(np.random.default_rng(task.seed))
    things = {}
    for thing in MOVABLES:
        if thing.name not in task.absent:
            spot = layout.placements[thing.name]
            position = (spot.x, spot.y, thing.size[2] / 2)
            things[thing.name] = SceneObject(
                thing.name, thing.category, thing.color, position, thing.size
            )
    for upper, lower in task.stacked:
        x, y, z = things[lower].position
        height = z + (things[lower].size[2] + things[upper].size[2]) / 2
        things[upper] = replace(things[upper], position=(x, y, height))
    return seen(0.0, things.values(), ())


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("test_set", SETS)
def test_every_task_has_something_to_do_and_a_way_to_do_it(domain, test_set):
    for task in table_tasks(domain, test_set, seed=3, count=3):
        scene, goal = scene_of(task), [parse_literal(g) for g in task.goal]
        assert not holds(scene, goal), task.name
        assert goal_of_words(task.words, 3) == tuple(goal)
        state = symbolic_state(scene, table_truth().predicates)
        wanted = conjunction(*(Prop(x.atom.predicate, x.atom.args) for x in goal))
        problem = observed_problem(table_truth(), state, Progression.of(Eventually(wanted)), None)
        assert SearchPlanner().solve(problem, PlanLimits(10.0)).steps, task.name


def test_new_kinds_are_new():
    for domain in DOMAINS:
        assert all({"mug", "bowl"} <= set(t.absent) for t in table_tasks(domain, "training"))
        assert not any(t.absent for t in table_tasks(domain, "combined"))
    assert table_tasks("store", "training", 1) == table_tasks("store", "training", 1)
    with pytest.raises(SaySoError, match="no domain"):
        table_tasks("cook", "training")


def test_what_the_robot_lifts_is_in_its_hand_and_what_it_only_touches_is_not():
    scene = scene_of(table_tasks("store", "training")[3])
    block = scene.by_name()["red_block"]
    x, y, z = block.position
    lifted = replace(block, position=(x, y, z + 0.2))
    assert seen(0.0, [lifted], ["red_block"]).objects[0].carried
    assert not seen(0.0, [block], ["red_block"]).objects[0].carried
    assert not seen(0.0, [lifted], []).objects[0].carried


def test_the_person_says_what_is_wrong_on_a_table():
    task = replace(table_tasks("store", "combined")[0], stacked=(("blue_block", "green_block"),))
    scene = scene_of(task)
    person = person_of(
        task.words, [parse_literal(g) for g in task.goal], lambda: scene,
        np.random.default_rng(0), Manner(),
    )  # fmt: skip
    assert "something is on the green block" in person.about(Action("pick_up", ("green_block",)))
    assert "too wide" in person.about(Action("pick_up", ("bowl",)))
    assert "not in the gripper" in person.about(
        Action("place_first_on_second", ("red_block", "plate"))
    )
    assert "because" not in person.about(Action("pick_up", ("red_block",)))


def trial(name: str, test_set: str, reached: bool, **more) -> Trial:
    return Trial(name, "store", 0, test_set, reached, **more)


def test_a_study_goes_on_where_it_ended_and_no_other_takes_its_folder(tmp_path):
    folder = StudyFolder(tmp_path, Study())
    folder.add(trial("a", "training", True, said=("GOAL", "INFEASIBLE", "FEASIBLE")))
    with (tmp_path / "tasks.jsonl").open("a") as file:
        file.write('{"name": "cut o')
    again = StudyFolder(tmp_path, Study())
    assert again.rows()["a"].explanations == 1
    assert list(again.rows()) == ["a"]
    with pytest.raises(SaySoError) as error:
        StudyFolder(tmp_path, Study(style="varied"))
    assert error.value.code is Code.CONFIG


def test_a_task_that_broke_off_says_nothing_and_is_run_again(tmp_path):
    tasks = table_tasks("store", "canonical", 0, 2)
    folder = StudyFolder(tmp_path, Study())
    gone = trial(tasks[0].name, "canonical", False, code="NODE_UNAVAILABLE", message="world fell.")
    folder.add(gone)
    folder.add(trial(tasks[1].name, "canonical", False, code="NO_PLAN"))
    assert folder.todo(tasks) == [tasks[0]]
    assert f"- {tasks[0].name}: broke off, NODE_UNAVAILABLE, world fell." in folder.report()
    folder.add(replace(gone, code="OK", reached=True))
    assert not StudyFolder(tmp_path, Study()).todo(tasks)


def test_the_report_tells_episodes_that_never_failed_from_those_that_recovered():
    rows = [
        trial("a", "combined", True),
        trial("b", "combined", True, failed="pick_up(mug)"),
        trial("c", "combined", False, message="no plan"),
        trial("d", "combined", True),
    ]
    text = report(rows)
    assert "| store | combined | 4 | 75% | 50% | 20% | 80% |" in text
    assert "- b: reached, pick_up(mug) failed" in text
    assert "- c: not reached, no plan" in text
