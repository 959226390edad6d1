"""Skills learned from five demonstrations, on shapes never seen; and the judge of them."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.geometry import Pose
from sayso.evaluation.cases import Case, Row
from sayso.evaluation.halp.judging import judge
from sayso.evaluation.halp.suite import TaughtSkills
from sayso.evaluation.halp.taught import demonstrations
from sayso.worlds.persons.demonstrator import Manner, demonstrate
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.table.placed import placed

EXACT = Manner(0.0, 0.0, 0.0, 0.0, 0.0, (0.2, 0.2))


def course_of(demonstration):
    return [(s.tool, s.gripper_width_m) for s in demonstration.samples]


@pytest.mark.parametrize("task", PLANS)
def test_what_an_exact_hand_shows_is_judged_as_done(task):
    rng = np.random.default_rng(3)
    things = placed(PLANS[task].families, 3, rng)
    shown = demonstrate(task, things, rng, EXACT).demonstration
    assert judge(task, things, course_of(shown)).done


@pytest.mark.parametrize("task", PLANS)
def test_what_is_done_a_hand_beside_is_not(task):
    rng = np.random.default_rng(3)
    things = placed(PLANS[task].families, 3, rng)
    course = course_of(demonstrate(task, things, rng, EXACT).demonstration)
    half = next(i for i, (_, w) in enumerate(course) if w < course[0][1]) + 20
    beside = [
        (Pose(tuple(np.add(t.position, (0, 0, 0.06))), t.orientation) if i > half else t, w)
        for i, (t, w) in enumerate(course)
    ]
    assert not judge(task, things, beside).done
    assert judge(task, things, course[:half]).why in ("it was never let go", "it was never taken")


def test_the_same_seeds_show_the_same():
    first = demonstrations("lay", 1)[0]
    demonstrations.cache_clear()
    assert demonstrations("lay", 1)[0] == first


@pytest.mark.parametrize("task", PLANS)
def test_it_is_done_with_shapes_never_seen(task):
    suite = TaughtSkills([task], ["mixtures"], [5], unseen=6)
    outcomes = [suite.run(case, 0) for case in suite.cases()]
    assert sum(o.success for o in outcomes) >= 5, [o.detail for o in outcomes]


def test_the_report_tells_why_attempts_failed():
    case = Case("lay mixtures 5 20", "lay, mixtures, 5 demonstrations")
    row = Row("halp", case.key, case.group, False, "OK", {}, "the bottle does not lie", 0, 1.0)
    suite = TaughtSkills(["lay"], ["mixtures"], [5], 1)
    assert "lay, mixtures, 5 demonstrations: the bottle does not lie (1)" in suite.summary([row])
