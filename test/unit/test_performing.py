"""Tasks are done by plans that are made anew where it went otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action
from sayso.learning.controlled_english import ControlledEnglish
from sayso.learning.learner import Learner
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.logic.formula import Eventually, Prop, conjunction
from sayso.logic.progression import Progression
from sayso.mission.performing import perform
from sayso.planning.problem import PlanLimits, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.skills.primitives import PRIMITIVES
from sayso.worlds.table.true import table_truth

EDGE = 0.05
TASK = "Put the red block on the mat."


class Blocks:
    """A `Practice` without physics; the first actions of these names fail, felt or unfelt."""

    skills = PRIMITIVES

    def __init__(self, slips: Sequence[str] = (), unfelt: Sequence[str] = ()) -> None:
        mat = SceneObject("mat", "mat", "", (0.5, 0.3, 0.005), (0.12, 0.12, 0.01))
        size = (EDGE,) * 3
        red = SceneObject("red_block", "block", "red", (0.4, 0.0, EDGE / 2), size)
        self.things = {"mat": mat, "red_block": red}
        self.slips, self.unfelt = list(slips), list(unfelt)

    def observe(self) -> Scene:
        return Scene(0.0, tuple(self.things.values()))

    def act(self, skill: str, args: Sequence[str]) -> bool:
        for failing, felt in ((self.slips, False), (self.unfelt, True)):
            if skill in failing:
                failing.remove(skill)
                return felt
        thing = self.things[args[0]]
        aside = (0.6, -0.2 - 0.1 * list(self.things).index(args[0]), EDGE / 2)
        where = {
            "pick_up": (0.3, 0.0, 0.4),
            "place_first_on_second": (0.5, 0.3, 0.01 + EDGE / 2),
            "place_on_table": aside,
        }
        self.things[args[0]] = replace(thing, position=where[skill], carried=skill == "pick_up")
        return True


def learner(library: Library) -> Learner:
    return Learner(library, PRIMITIVES, ControlledEnglish(), Synthesizer(CharacterNgrams()))


def plan(goal, state, avoid) -> tuple[Action, ...]:
    wanted = conjunction(*(Prop(x.atom.predicate, x.atom.args) for x in goal))
    problem = observed_problem(
        table_truth(), state, Progression.of(Eventually(wanted)), None, avoid
    )
    return SearchPlanner().solve(problem, PlanLimits(5.0)).actions


def test_a_plan_is_carried_out_and_the_goal_is_seen():
    done = perform(TASK, Blocks(), learner(table_truth()), plan, 10)
    assert done.reached and not done.failed and done.plans == 1
    assert [s for s, _ in done.actions] == ["pick_up", "place_first_on_second"]
    assert done.actions[1][1] == ("red_block", "mat")


@pytest.mark.parametrize("how", [{"slips": ["pick_up"]}, {"unfelt": ["pick_up"]}])
def test_what_failed_is_noticed_whether_felt_or_seen_and_tried_again(how):
    done = perform(TASK, Blocks(**how), learner(table_truth()), plan, 10)
    assert done.reached and done.failed == "pick_up(red_block)"
    assert len(done.actions) == 3 and done.plans == 2


def test_what_keeps_failing_is_planned_around_and_the_trouble_is_told():
    done = perform(TASK, Blocks(slips=["pick_up"] * 9), learner(table_truth()), plan, 10)
    assert not done.reached and len(done.actions) == 2
    assert done.trouble is not None and done.trouble.code is Code.NO_PLAN


@pytest.mark.parametrize("agreed", [True, False])
def test_what_contradicts_a_learned_operator_is_offered_to_the_person(agreed):
    """The fingers closed on something, as it felt, and the block stayed where it was."""
    pupil, offered = learner(table_truth()), []

    def offer(words: str) -> bool:
        offered.append(words)
        return agreed

    perform(TASK, Blocks(unfelt=["pick_up"]), pupil, plan, 10, offer)
    (words,) = offered
    assert words == (
        "I did 'pick up the red block', and all that it is known to need held, but the red "
        "block is not in the hand. Shall I learn from that?"
    )
    tried = pupil.experience.entries
    assert [t.action.name for t in tried] == (["pick_up"] if agreed else [])


class Upset(Blocks):
    """Once the red block is lifted somebody puts another one where it was to go."""

    def act(self, skill: str, args: Sequence[str]) -> bool:
        felt = super().act(skill, args)
        if skill == "pick_up" and "blue_block" not in self.things:
            on_mat = (0.5, 0.3, 0.01 + EDGE / 2)
            size = (EDGE,) * 3
            self.things["blue_block"] = SceneObject("blue_block", "block", "blue", on_mat, size)
        return felt


def test_what_a_learned_action_lacks_is_told_in_the_learned_words_and_repaired():
    told: list[str] = []
    done = perform(TASK, Upset(), learner(table_truth()), plan, 10, tell=told.append)
    assert told[0] == ("I cannot place the red block on the mat because something is on the mat.")
    assert done.reached and done.plans == 2 and not done.failed
    assert ("pick_up", ("blue_block",)) in done.actions


def test_what_did_not_come_out_is_told_with_what_is_missing():
    told: list[str] = []
    perform(TASK, Blocks(slips=["pick_up"]), learner(table_truth()), plan, 10, tell=told.append)
    assert told == ["I cannot pick up the red block because the red block is not in the hand."]


def test_what_the_robot_felt_to_fail_contradicts_nothing():
    offered: list[str] = []
    perform(TASK, Blocks(slips=["pick_up"]), learner(table_truth()), plan, 10, offered.append)
    assert not offered


def test_words_that_need_what_was_never_learned_are_refused():
    with pytest.raises(SaySoError, match="'on' was never learned") as error:
        perform(TASK, Blocks(), learner(Library("empty", {}, {})), plan, 10)
    assert error.value.code is Code.NOT_UNDERSTOOD
