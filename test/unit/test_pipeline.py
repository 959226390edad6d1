"""The main flow on the kinematic table: what is said, done, refused and recovered."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.predicates import SceneView
from sayso.core.scene import SceneObject
from sayso.core.symbols import PlanStep
from sayso.logic.formula import Prop, conjunction, propositions
from sayso.logic.progression import Verdict
from sayso.logic.text import parse
from sayso.mission.confirmation import question
from sayso.mission.recovery import TaskLimits
from sayso.mission.stages import Answer, Decision
from sayso.pipeline import perform
from sayso.reporting.events import EventKind
from sayso.reporting.report import RunReport
from sayso.worlds.kinematic_table import KinematicTable, example_objects, moved
from sayso.worlds.table_upsets import MeddledTable

DEMO = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)


def run(instruction, table=None, **options):
    report = RunReport({"seed": 1})
    table = table or KinematicTable()
    return perform(instruction, table, report.add, **options), table, report


def done(table):
    return [str(a) for a in table.done]


def fail(times, code=Code.POSTCONDITION, action="place_on"):
    """A failure of the first `times` actions of a name."""
    left = [times]

    def fails(candidate):
        if candidate.name != action or left[0] == 0:
            return None
        left[0] -= 1
        return SaySoError(code, f"{candidate} slipped.", hint="dry it.")

    return fails


def test_demo_instruction_is_done_in_order():
    outcome, table, _ = run(DEMO)
    assert outcome.code is Code.OK
    assert outcome.verdict is Verdict.SATISFIED
    assert done(table) == [
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
        "pick_from_table(blue_block)",
        "stack(blue_block, red_block)",
    ]


def test_events_come_in_the_order_a_person_needs():
    _, _, report = run(DEMO)
    kinds = [e.kind for e in report.events]
    first = [kinds.index(k) for k in (
        EventKind.INSTRUCTION, EventKind.SPECIFICATION, EventKind.PROGRESS, EventKind.PLAN,
        EventKind.SKILL, EventKind.RESULT,
    )]  # fmt: skip
    assert first == sorted(first)
    assert kinds[-1] is EventKind.RESULT


def test_what_is_true_already_moves_nothing():
    outcome, table, _ = run("Put the red block on the table.")
    assert outcome.code is Code.ALREADY_SATISFIED
    assert table.done == []


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ("Put the yellow block on the plate.", Code.UNKNOWN_OBJECT),
        ("Frobnicate the red block.", Code.NOT_UNDERSTOOD),
        ("Put the red block in the mug.", Code.UNSUPPORTED),
        ("Put the red block on the plate. Never touch the red block.", Code.NO_PLAN),
        ("Open the drawer. Never open the drawer.", Code.CONTRADICTION),
        ("Pick up the block.", Code.AMBIGUOUS),
    ],
)
def test_bad_instructions_are_named_and_move_nothing(instruction, code):
    outcome, table, report = run(instruction)
    assert outcome.code is code
    assert outcome.message
    assert outcome.hint or outcome.choices
    assert table.done == []
    assert report.events[-1].code is code


def test_misunderstood_words_are_pointed_at():
    outcome, _, _ = run("Put the red block near-ish the plate.")
    assert outcome.code is Code.NOT_UNDERSTOOD
    assert "^" in outcome.message


def test_a_failed_skill_is_tried_again_from_what_is_observed():
    table = KinematicTable(fails=fail(1))
    outcome, table, report = run(DEMO, table)
    assert outcome.code is Code.OK
    failed = [e.skill for e in report.events if e.skill and e.skill.code is Code.POSTCONDITION]
    assert len(failed) == 1
    assert [e.skill.attempt for e in report.events if e.skill][-1] == 1


def test_a_condition_that_failed_is_told_as_data_with_what_was_done_about_it(tmp_path):
    class Meddled(KinematicTable):
        """Somebody puts the held block back on the table once, before it is placed."""

        meddled = False

        def execute(self, action, step, attempt, started):
            if action.name == "place_on" and not self.meddled:
                self.meddled = True
                back = self.library.domain().operator("place_on_table").ground("red_block")
                self._scene = moved(self._scene, back)
            return super().execute(action, step, attempt, started)

    outcome, _, report = run("Put the red block on the plate.", Meddled())
    assert outcome.code is Code.OK
    failed = next(e.skill for e in report.events if e.skill and e.skill.code is Code.PRECONDITION)
    assert [(str(c.literal), c.observed) for c in failed.checks] == [("holding(red_block)", False)]
    report.write(tmp_path)
    (repair,) = json.loads((tmp_path / "report.json").read_text())["repairs"]
    assert repair["action"] == "place_on(red_block, plate)" and repair["taken"]
    assert repair["repairer"] == "replan"
    assert repair["steps"] == ["pick_from_table(red_block)", "place_on(red_block, plate)"]
    assert "## Failures and repairs" in (tmp_path / "report.md").read_text()


def test_a_plan_from_words_is_mended_and_not_replaced():
    class Spoken(MeddledTable):
        """Its plan opens the drawer first, for which the one who said it had reasons."""

        def plan(self, understanding, request):
            first = self.library.domain().operator("open_drawer").ground("drawer")
            plan = super().plan(understanding, request)
            steps = (PlanStep(first), *plan.steps)
            return replace(plan, steps=steps, cost=plan.cost + first.cost, from_words=True)

    table = Spoken("hand_emptied", 2, seed=0)
    outcome, table, report = run("Put the red block on the plate.", table)
    assert outcome.code is Code.OK
    assert done(table) == [
        "open_drawer(drawer)",
        "pick_from_table(red_block)",
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
    ]
    taken = [r["repairer"] for r in report.as_data()["repairs"] if r["taken"]]
    assert taken == ["bridge"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer(Decision.CORRECTION, "Again."), Code.OK),
        (Answer(Decision.CORRECTION, "hm"), Code.NO_PLAN),
        (Answer(Decision.NO), Code.NO_PLAN),
        (Answer(Decision.YES), Code.NO_PLAN),
    ],
)
def test_where_no_repairer_knows_how_to_go_on_the_person_is_asked(answer, code):
    class Helped(MeddledTable):
        """The block that somebody took away is brought back by who is asked."""

        asked = ()

        def confirm(self, understanding):
            if understanding.trouble is None:
                return Answer(Decision.YES)
            self.asked = (*self.asked, question(understanding))
            if answer.words == "Again.":
                self._scene = replace(self._scene, objects=example_objects())
            return answer

    table = Helped("thing_taken_away", 0, seed=0)
    outcome, table, _ = run("Put the red block on the plate.", table)
    assert outcome.code is code
    assert "I cannot pick up the red block from the table because" in table.asked[0]
    assert "say 'again'" in table.asked[0]
    assert len(table.asked) == (3 if answer.words == "hm" else 1)


def test_an_action_that_keeps_failing_is_avoided_where_another_way_exists():
    table = KinematicTable(fails=fail(99, action="place_on"))
    outcome, table, _ = run(
        "Either put the red block on the plate or put the red block in the bowl.", table
    )
    assert outcome.code is Code.OK
    assert "place_in(red_block, bowl)" in done(table)


class Emptied(KinematicTable):
    """Somebody takes the block out of the hand so often before it can be placed."""

    times = 3

    def execute(self, action, step, attempt, started):
        if action.name == "place_on" and self.times:
            self.times -= 1
            back = self.library.domain().operator("place_on_table").ground("red_block")
            self._scene = moved(self._scene, back)
        return super().execute(action, step, attempt, started)


def test_an_action_that_lacks_what_it_needs_did_not_fail_of_itself():
    """What slips out of the hand again and again is picked up again: skills may fail so often."""
    outcome, table, _ = run("Put the red block on the plate.", Emptied())
    assert outcome.code is Code.OK, outcome.message
    assert done(table).count("pick_from_table(red_block)") == 4
    bounded, _, _ = run("Put the red block on the plate.", Emptied(), limits=TaskLimits(failures=2))
    assert bounded.code is Code.PRECONDITION and "given up" in bounded.message


def test_an_action_that_was_done_may_fail_again():
    class Slippery(Emptied):
        """Every other grasp fails, too."""

        grasps = 0

        def execute(self, action, step, attempt, started):
            if action.name == "pick_from_table":
                self.grasps += 1
                if self.grasps % 2:
                    raise SaySoError(Code.EXECUTION, "slipped.")
            return super().execute(action, step, attempt, started)

    limits = TaskLimits(failures=20)
    outcome, _, _ = run("Put the red block on the plate.", Slippery(), limits=limits)
    assert outcome.code is Code.OK, outcome.message


def test_without_another_way_the_failure_is_explained():
    table = KinematicTable(fails=fail(99, action="place_on"))
    outcome, _, _ = run("Put the red block on the plate.", table)
    assert outcome.code is Code.NO_PLAN
    assert "slipped" in outcome.message
    assert outcome.hint == "dry it."


def test_the_number_of_failures_is_bounded():
    table = KinematicTable(fails=lambda action: SaySoError(Code.EXECUTION, "stuck."))
    outcome, _, report = run(DEMO, table, limits=TaskLimits(failures=3, attempts=99))
    assert outcome.code is Code.EXECUTION
    assert sum(1 for e in report.events if e.skill and e.skill.finished) == 4


@pytest.mark.parametrize("code", [Code.STOPPED, Code.STALE, Code.VIOLATED, Code.GATE_CLOSED])
def test_what_cannot_be_recovered_ends_the_task_at_once(code):
    table = KinematicTable(fails=lambda action: SaySoError(code, "so."))
    outcome, _, report = run(DEMO, table)
    assert outcome.code is code
    assert sum(1 for e in report.events if e.skill and e.skill.finished) == 1


def test_a_no_moves_nothing():
    table = KinematicTable(confirm=lambda _: Answer(Decision.NO))
    outcome, table, _ = run(DEMO, table)
    assert outcome.code is Code.NOT_CONFIRMED
    assert table.done == []


def test_a_correction_makes_a_new_version_that_is_confirmed_again():
    answers = [
        Answer(Decision.CORRECTION, "Put the green block on the plate."),
        Answer(Decision.YES),
    ]
    table = KinematicTable(confirm=lambda _: answers.pop(0))
    outcome, table, report = run("Put the red block on the plate.", table)
    assert outcome.code is Code.OK
    assert done(table) == ["pick_from_table(green_block)", "place_on(green_block, plate)"]
    versions = [v["version"] for v in report.as_data()["specification_versions"]]
    assert versions == [1, 2]


def test_a_correction_not_understood_changes_nothing_and_is_asked_for_again():
    answers = [Answer(Decision.CORRECTION, "Put it on the moon."), Answer(Decision.YES)]
    table = KinematicTable(confirm=lambda _: answers.pop(0))
    outcome, table, report = run("Put the red block on the plate.", table)
    assert outcome.code is Code.OK
    assert done(table) == ["pick_from_table(red_block)", "place_on(red_block, plate)"]
    told = next(e.text for e in report.events if "moon" in e.text and "^" in e.text)
    assert told.splitlines()[1] == "Put it on the moon."


def test_corrections_are_bounded():
    again = Answer(Decision.CORRECTION, "Put the green block on the plate.")
    outcome, table, _ = run(
        DEMO, KinematicTable(confirm=lambda _: again), limits=TaskLimits(corrections=2)
    )
    assert outcome.code is Code.NOT_CONFIRMED
    assert table.done == []


def test_what_is_not_clear_is_asked_and_answered_in_words():
    answers = [Answer(Decision.CORRECTION, "the one left of the red block"), Answer(Decision.YES)]
    asked = []
    table = KinematicTable(confirm=lambda u: (asked.append(question(u)), answers.pop(0))[1])
    outcome, table, _ = run("Pick up the block.", table)
    assert outcome.code is Code.OK
    assert done(table) == ["pick_from_table(green_block)"]
    assert asked[0].startswith("Pick up the block.\n'the block' could be any of 3 things")
    assert asked[1] == "Is this what you mean?"


def test_who_cannot_be_asked_gets_the_question_as_a_failure():
    outcome, table, _ = run("Pick up the block.")
    assert outcome.code is Code.AMBIGUOUS
    assert {"red_block", "green_block", "blue_block"} <= set(outcome.choices)
    assert table.done == []


def test_what_the_gate_saw_broken_is_the_verdict_too():
    class Gated(KinematicTable):
        """Comes to touch the mug, and its gate refuses to go on."""

        def execute(self, action, step, attempt, started):
            mug = self._scene.by_name()["mug"]
            robot = replace(self._scene.robot, gripper=Pose(mug.position))
            self._scene = replace(self._scene, robot=robot)
            raise SaySoError(Code.VIOLATED, "the automaton node saw the specification broken.")

    outcome, _, report = run(DEMO, Gated())
    assert (outcome.code, outcome.verdict) == (Code.VIOLATED, Verdict.VIOLATED)
    assert outcome.message == "the automaton node saw the specification broken."
    last = [e.progress.verdict for e in report.events if e.progress][-1]
    assert last is Verdict.VIOLATED


def test_a_broken_never_ends_the_task():
    class Clumsy(KinematicTable):
        """Touches the mug while it picks, which no plan does."""

        def execute(self, action, step, attempt, started):
            checks = super().execute(action, step, attempt, started)
            mug = self._scene.by_name()["mug"]
            robot = replace(self._scene.robot, gripper=Pose(mug.position))
            self._scene = replace(self._scene, robot=robot)
            return checks

    outcome, table, _ = run(DEMO, Clumsy())
    assert outcome.code is Code.VIOLATED
    assert outcome.verdict is Verdict.VIOLATED
    assert len(table.done) == 1


class SamePlanAgain(KinematicTable):
    """Its first plan is carried out again and again; a skill fails once in each round."""

    rounds = tried = 0
    seen = planned = None

    def observe(self):
        self.seen = self.seen or super().observe()
        return self.seen

    def plan(self, understanding, request):
        self.planned = self.planned or super().plan(self.said, request)
        return self.planned

    def execute(self, action, step, attempt, started):
        self.tried += 1
        if self.tried % (1 + len(self.planned.steps)) == 1:
            raise SaySoError(Code.EXECUTION, "slipped.")
        self.rounds += step == len(self.planned.steps) - 1
        return ()

    def cancelled(self):
        return self.rounds == 5

    def interpret(self, instruction):
        self.said = super().interpret(instruction)
        return self.said

    def watch(self, understanding):
        return super().watch(self.said)


def test_each_round_of_what_has_no_end_may_fail_anew():
    class Patrol(SamePlanAgain):
        def interpret(self, instruction):
            said = super().interpret(instruction)
            formula = conjunction(said.specification.formula, parse("G(F(holding(red_block)))"))
            return replace(said, specification=replace(said.specification, formula=formula))

        def observe(self):
            state, progress = super().observe()
            return state, replace(progress, rounds=self.rounds)

    outcome, table, _ = run(DEMO, Patrol(), limits=TaskLimits(failures=1, attempts=2))
    assert outcome.code is Code.CANCELLED
    assert table.rounds == 5


def test_what_has_an_end_is_given_up_however_much_was_done_in_between():
    outcome, table, _ = run(DEMO, SamePlanAgain(), limits=TaskLimits(failures=1, attempts=9))
    assert outcome.code is Code.EXECUTION
    assert table.rounds == 1


def test_who_hears_that_it_is_done_hears_what_is_not_certain():
    class Doubtful(KinematicTable):
        def possible_violations(self):
            return ("something was near", "something else was, too")

    outcome, _, report = run(DEMO, Doubtful())
    assert outcome.code is Code.OK
    said = "to be true. But something was near; and something else was, too."
    assert outcome.message.endswith(said)
    assert report.as_data()["result"]["message"].endswith(said)


def test_cancelling_ends_between_skills():
    class Cancelled(KinematicTable):
        def cancelled(self):
            return len(self.done) == 2

    outcome, table, _ = run(DEMO, Cancelled())
    assert outcome.code is Code.CANCELLED
    assert len(table.done) == 2


def test_hidden_things_in_a_shut_drawer_are_still_in_it():
    outcome, table, _ = run("Put the green block in the drawer and close it.")
    assert outcome.code is Code.OK
    assert done(table)[-1] == "close_drawer(drawer)"


def test_report_holds_what_happened(tmp_path):
    outcome, _, report = run(DEMO)
    report.write(tmp_path)
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["instruction"] == DEMO
    assert data["result"]["succeeded"] is outcome.succeeded is True
    assert data["verdict"] == "SATISFIED"
    assert data["specification"]["formula"].startswith("F(on(red_block, plate)")
    assert data["specification"]["grounding"]["the mug"] == ["mug"]
    assert [s["action"] for s in data["plans"][0]["steps"]] == [
        str(s["action"]) for s in data["skills"] if s["phase"] == "started"
    ]
    assert data["trace"][-1]["verdict"] == "SATISFIED"
    assert data["settings"] == {"seed": 1}
    assert data["first_motion_s"] <= data["result"]["elapsed_s"]
    text = (tmp_path / "report.md").read_text()
    assert DEMO in text
    assert "stack(blue_block, red_block)" in text


def test_every_example_object_is_an_object_of_its_scene():
    names = [o.name for o in example_objects()]
    assert len(set(names)) == len(names) == 7


def test_what_is_forbidden_holds_for_what_turns_up_while_the_robot_is_at_it():
    table = KinematicTable()
    late = SceneObject("yellow_block", "block", "yellow", (0.3, -0.3, 0.022), (0.045,) * 3)
    put_there = []

    def comes(action):
        if action.name == "place_on" and not put_there:
            put_there.append(late)
            table.add(late)
            return SaySoError(Code.EXECUTION, "somebody came by.", hint="go on.")
        return None

    table._fails = comes
    outcome, _, report = run("Put the mug on the plate. Never touch the blocks.", table)
    assert outcome.code is Code.OK
    told = [e.text for e in report.events if e.kind is EventKind.MESSAGE]
    assert any("the robot does not touch the yellow block" in text for text in told), told
    assert Prop("touching", ("yellow_block",)) in propositions(
        outcome.understanding.specification.formula
    )


def test_what_turns_up_is_no_part_of_a_goal_and_that_is_told():
    table = KinematicTable()
    late = SceneObject("yellow_block", "block", "yellow", (0.3, -0.3, 0.022), (0.045,) * 3)
    table._fails = lambda action: table.add(late) if len(table.done) == 1 else None
    outcome, _, report = run("Put all the blocks in the bowl.", table)
    assert outcome.code is Code.OK
    assert not any("yellow_block" in action.args for action in table.done)
    assert any("The yellow block turned up" in e.text for e in report.events)


@pytest.mark.parametrize("y", [-0.3, -0.2, -0.05, 0.1])
def test_a_thing_is_put_where_it_breaks_nothing(y):
    """The plan does not know where on the table it will come to stand."""
    plate = SceneObject("plate", "plate", "white", (0.6, -0.3, 0.006), (0.2, 0.2, 0.012))
    block = SceneObject("red_block", "block", "red", (0.6, -0.3, 0.0345), (0.045,) * 3)
    mug = SceneObject("mug", "mug", "purple", (0.45, y, 0.045), (0.08, 0.08, 0.09))
    words = "Put the red block on the table, but never put it left of the mug."
    outcome, table, _ = run(words, KinematicTable((block, plate, mug)))
    assert outcome.code is Code.OK
    x, beside, _ = np.subtract(table.scene.by_name()["red_block"].position, mug.position)
    assert beside <= abs(x)


def test_what_is_put_in_a_tray_is_in_it():
    tray = SceneObject("tray", "tray", "grey", (0.5, -0.1, 0.015), (0.28, 0.2, 0.03))
    block = SceneObject("red_block", "block", "red", (0.5, 0.2, 0.0225), (0.045,) * 3)
    outcome, _, _ = run("Put the red block in the tray.", KinematicTable((block, tray)))
    assert outcome.code is Code.OK


def test_a_thin_thing_under_a_bowl_is_not_in_it():
    plate = SceneObject("plate", "plate", "white", (0.5, 0.0, 0.006), (0.2, 0.2, 0.012))
    bowl = SceneObject("bowl", "bowl", "orange", (0.5, 0.0, 0.037), (0.15, 0.15, 0.05))
    table = KinematicTable((plate, bowl))
    view = SceneView(table.scene, table.library.predicates)
    assert view.holds("on", "bowl", "plate")
    assert not view.holds("in", "plate", "bowl")
