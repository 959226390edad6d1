"""The learner practises with a person over topics, and nothing that is said gets lost."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from rclpy.action import ActionClient
from sayso_ros.action import Practise
from sayso_ros.msg import Feedback, LearningEvent, LibraryVersion, Status

from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.learning.journal import Journal
from sayso.learning.memory import JOURNAL
from sayso.ros.messages.qos import EVENTS, LATCHED
from sayso.ros.nodes.feedback_node import FeedbackNode
from sayso.ros.nodes.learner_node import LearnerNode
from sayso.ros.nodes.planner_node import PlannerNode
from sayso.ros.nodes.simulated_person_node import SimulatedPersonNode
from sayso.ros.runtime.calls import result_of, run_on_executor
from support.practice_table import PracticeTable
from support.ros_graph import WAIT_S

TASK = "Put the red block on the coaster."
TRAINING_S = 60.0


class Rig:
    """A table, the learner, and somebody who answers."""

    def __init__(self, graph, tmp_path) -> None:
        self.graph = graph
        self.folder = tmp_path / "learned"
        self.table = PracticeTable(graph)
        self.events = graph.listen(LearningEvent, "/learning", EVENTS)
        self.versions = graph.listen(LibraryVersion, "/library", LATCHED)
        self._say = graph.tester.create_publisher(Feedback, "/feedback", 10)
        self._client = ActionClient(graph.tester, Practise, "practise")
        self._log = str(tmp_path / "feedback.jsonl")
        self.learner: LearnerNode | None = None

    def start(self, **parameters) -> LearnerNode:
        given = {"noise": 0.0, "remark_s": 0.0, "library": str(self.folder), **parameters}
        self.learner = self.graph.add(LearnerNode, **given)
        assert self._client.wait_for_server(3 * WAIT_S)
        self.graph.wait_until(lambda: self._say.get_subscription_count() > 0, "feedback is heard")
        return self.learner

    def person(self) -> None:
        """The simulated one."""
        self.graph.add(FeedbackNode, log_file=self._log)
        self.graph.add(SimulatedPersonNode)

    def answering(self, answer: Callable[[LearningEvent], str]) -> None:
        """Somebody who says this to every question; '' is a bare yes."""

        def hear(event: LearningEvent) -> None:
            if event.id:
                words = answer(event)
                kind = Feedback.EXPLANATION if words else Feedback.CONFIRM
                self._say.publish(Feedback(kind=kind, text=words, task_id=event.id))

        self.graph.tester.create_subscription(LearningEvent, "/learning", hear, EVENTS)

    def send(self, words: str, mode: int = Practise.Goal.PRACTISE, steps: int = 0):
        """The result to come."""
        goal = Practise.Goal(mode=mode, words=words, steps=steps)
        executor = self.graph.executor
        sent = run_on_executor(executor, lambda: self._client.send_goal_async(goal), "practise")
        handle = result_of(sent, WAIT_S, "practise")
        assert handle.accepted
        return run_on_executor(executor, handle.get_result_async, "practise")

    def run(self, words: str, mode: int = Practise.Goal.PRACTISE, steps: int = 0):
        return result_of(self.send(words, mode, steps), TRAINING_S, "practise").result

    def said(self) -> list[str]:
        """What the journal on disk holds."""
        entries = Journal(self.folder / JOURNAL).experience.entries
        return [e.words for e in entries if hasattr(e, "words")]

    def told(self, kind: int) -> list[LearningEvent]:
        return [e for e in self.events.messages if e.kind == kind]


@pytest.fixture
def rig(graph, tmp_path):
    return Rig(graph, tmp_path)


def test_a_person_teaches_a_task_and_the_planner_uses_what_was_learned_at_once(rig):
    rig.graph.add(PlannerNode, planner="search", follow=str(rig.folder))
    rig.start()
    rig.person()

    taught = rig.run(TASK)

    assert taught.status.code == Status.OK, taught.status
    assert taught.reached and "place_first_on_second(red_block, coaster)" in rig.table.done
    assert {"on", "holding"} <= set(library.load(rig.folder).predicates)
    assert rig.told(LearningEvent.PREDICATE)[0].after and rig.told(LearningEvent.OPERATORS)
    assert rig.versions.wait(lambda m: m.number == taught.version).folder == str(rig.folder)

    rig.table.reset()
    performed = rig.run(TASK, Practise.Goal.PERFORM)

    assert performed.status.code == Status.OK, performed.status
    assert performed.reached and not performed.failed
    assert rig.table.done == ["pick_up(red_block)", "place_first_on_second(red_block, coaster)"]


def test_what_cannot_be_begun_moves_nothing(rig):
    rig.start(answer_timeout_s=0.2)
    empty = rig.run("  ")
    unknown = rig.run("Put the red block on the elephant.")
    never_learned = rig.run(TASK, Practise.Goal.PERFORM)
    assert empty.status.code == Status.INVALID
    assert unknown.status.code == Status.NOT_UNDERSTOOD
    assert never_learned.status.code == Status.NOT_UNDERSTOOD
    assert "practise" in never_learned.status.hint
    assert rig.table.done == []
    assert rig.told(LearningEvent.NOT_UNDERSTOOD)[0].why


def test_a_task_that_is_not_understood_may_be_said_in_other_words(rig):
    rig.answering(lambda e: TASK if e.kind == LearningEvent.QUESTION else "")
    rig.start()
    result = rig.run("Wuggle the red block.", steps=1)
    assert result.status.code == Status.OK and "GOAL" in result.feedback
    assert rig.told(LearningEvent.GOAL)[0].text == TASK


def test_without_an_answer_nothing_moves(rig):
    rig.start(answer_timeout_s=0.2)
    result = rig.run(TASK)
    assert result.status.code == Status.NOT_CONFIRMED
    assert rig.table.done == [] and rig.told(LearningEvent.PROPOSAL)


@pytest.mark.parametrize(
    "words",
    ["Because the elephant is on it.", "Das geht nicht, der Block ist zu schwer.", "wuggle"],
)
def test_words_that_are_not_understood_are_kept_and_told_and_nothing_moves(rig, words):
    rig.answering(lambda e: words)
    rig.start()
    result = rig.run(TASK, steps=1)
    assert result.status.code == Status.OK and not result.reached
    assert "NOT_UNDERSTOOD" in result.feedback
    assert words in [e.text for e in rig.told(LearningEvent.NOT_UNDERSTOOD)]
    assert words in rig.said()
    assert rig.table.done == []


def test_what_contradicts_itself_is_shown_and_asked_and_both_are_kept(rig):
    said = ("You cannot do that because the hand is full.", "You cannot do that because "
            "the hand is empty.")  # fmt: skip
    turn = iter((0, 1, 0, 1, 0, 1))

    def answer(event: LearningEvent) -> str:
        return "" if event.kind == LearningEvent.QUESTION else said[next(turn)]

    rig.answering(answer)
    rig.start()
    rig.run(TASK, steps=2)

    (shown, *_) = rig.told(LearningEvent.CONTRADICTION)
    assert shown.name == "gripper_empty" and all(s in shown.text for s in said)
    assert rig.told(LearningEvent.QUESTION)
    assert set(said) <= set(rig.said())


def test_a_bare_no_is_a_refusal(rig):
    rig.start()

    def refuse(event: LearningEvent) -> None:
        if event.id:
            rig._say.publish(Feedback(kind=Feedback.REJECT, task_id=event.id))

    rig.graph.tester.create_subscription(LearningEvent, "/learning", refuse, EVENTS)
    result = rig.run(TASK, steps=2)
    assert result.feedback.count("INFEASIBLE") == 2 and rig.table.done == []


def test_a_scene_that_is_stale_ends_the_task(rig):
    rig.start(scene_timeout_s=0.3)
    rig.table.silent = True
    result = rig.run(TASK)
    assert result.status.code == Status.STALE
    assert "no new scene" in result.status.message


def test_a_learner_that_ends_in_the_middle_goes_on_from_there(rig):
    asked = threading.Event()

    def answer(event: LearningEvent) -> str:
        if event.name == "pick_up" and event.args[0] != "red_block":
            return "You cannot do that because the gripper is too small."
        asked.set()
        return "" if event.kind != LearningEvent.BELIEF else "Well done."

    rig.answering(answer)
    first = rig.start()
    pending = rig.send(TASK, steps=6)
    assert asked.wait(WAIT_S)
    first.wind_down()
    result_of(pending, WAIT_S, "practise")
    known, said = set(library.load(rig.folder).predicates), rig.said()
    rig.graph.remove(first)

    second = rig.start()

    assert said and rig.said() == said
    assert set(second._learner.library.predicates) == known != set()
    assert len(second._learner.experience.entries) >= len(said)


def test_two_learners_do_not_work_in_one_folder(rig):
    rig.start()
    with pytest.raises(SaySoError, match="another learner") as error:
        rig.graph.add(LearnerNode, library=str(rig.folder))
    assert error.value.code is Code.BUSY


def test_what_is_said_without_being_asked_is_learned_from_too(rig):
    words = "The goal is not reached because the red block is not on the coaster."
    spoken = threading.Event()

    def answer(event: LearningEvent) -> str:
        if not spoken.is_set():
            spoken.set()
            rig._say.publish(Feedback(kind=Feedback.EXPLANATION, text="go ahead", task_id=event.id))
            return words
        return ""

    rig.answering(answer)
    rig.start()
    rig.run(TASK, steps=2)
    assert words in rig.said()


def test_a_second_task_at_once_is_rejected(rig):
    rig.start(answer_timeout_s=1.0)
    pending = rig.send(TASK)
    rig.events.wait(lambda e: e.kind == LearningEvent.PROPOSAL)
    goal = Practise.Goal(words=TASK)
    executor = rig.graph.executor
    sent = run_on_executor(executor, lambda: rig._client.send_goal_async(goal), "practise")
    assert not result_of(sent, WAIT_S, "practise").accepted
    result_of(pending, WAIT_S, "practise")


def test_without_priors_a_common_predicate_means_nothing_yet(rig):
    first = rig.start()
    assert "on" in first._backends.priors.predicates
    rig.graph.remove(first)
    assert not rig.start(priors="none")._backends.priors.predicates


def test_priors_that_cannot_be_read_are_named(rig):
    with pytest.raises(SaySoError, match="cannot be read") as raised:
        rig.start(priors="/nowhere/priors.yaml")
    assert raised.value.code is Code.CONFIG
    assert raised.value.choices == ("household", "none")
