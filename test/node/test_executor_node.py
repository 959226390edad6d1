"""The executor's manners: one task at a time, questions, stops, and nothing moved without need."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient, GoalResponse
from rclpy.node import Node
from rclpy.parameter import Parameter
from sayso_ros.action import ExecutePrimitive, ExecuteSkill, PerformTask
from sayso_ros.msg import (
    Atom,
    Feedback,
    GateState,
    LibraryVersion,
    PlanStep,
    Scene,
    Status,
    SymbolicState,
    TaskEvent,
)
from sayso_ros.srv import PlanTask, Stop
from sensor_msgs.msg import JointState, Joy
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from sayso.core import scene as core
from sayso.core import symbols
from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.predicates import symbolic_state
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.demonstration import KeyFrame
from sayso.learning.skills import store
from sayso.logic.formula import Top
from sayso.logic.specification import GroundedSpecification, Specification
from sayso.mission.model_repair import AskModel
from sayso.mission.stages import PlanRequest
from sayso.planning.search import SearchPlanner
from sayso.reporting.events import EventKind, Understanding
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import header, scene_to_msg, state_to_msg
from sayso.ros.messages.qos import EVENTS, LATCHED, NEWEST, SENSOR
from sayso.ros.nodes.automaton_node import AutomatonNode
from sayso.ros.nodes.executor_node import ExecutorNode
from sayso.ros.nodes.feedback_node import FeedbackNode
from sayso.ros.nodes.interpreter_node import InterpreterNode
from sayso.ros.runtime.calls import result_of, run_on_executor
from sayso.ros.runtime.libraries import load_library
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.task import task_stages
from sayso.ros.task.task_client import TaskClient
from sayso.ros.task.task_stages import ArmStages, TaskContext
from support.chat_server import Answer, ChatServer
from support.demonstrations import put_block_on_plate
from support.planning_cases import tabletop
from support.ros_graph import WAIT_S
from support.scripted_model import ScriptedModel

PREDICATES = load_library("tabletop").predicates
TRUE_ALREADY = "Put the red block on the plate."
WANTED = "Put the blue block on the plate."
EDGE = 0.045
LOOK_S = 0.1

PANDA = load_robot("panda")
HOME = PANDA.home


def thing(name, x, y, bottom=0.0, size=(EDGE,) * 3):
    color, _, category = name.rpartition("_")
    return core.SceneObject(name, category, color, (x, y, bottom + size[2] / 2), size)


TABLE = (
    thing("red_block", 0.5, 0.0, 0.012),
    thing("blue_block", 0.6, -0.15),
    thing("plate", 0.5, 0.0, size=(0.2, 0.2, 0.012)),
)


class World:
    """A still arm over a table, told again and again, as cameras and joints would."""

    def __init__(self, graph) -> None:
        self._node = graph.tester
        self._robot = core.RobotState(0.0, HOME, 0.08, ArmKinematics().forward(np.array(HOME)))
        self._joints = self._node.create_publisher(JointState, "/joint_states", 10)
        self._scenes = self._node.create_publisher(Scene, "/scene", NEWEST)
        self._states = self._node.create_publisher(SymbolicState, "/symbolic_state", 10)
        self._predicates = PREDICATES
        self._node.create_subscription(LibraryVersion, "/library", self._take_over, LATCHED)
        self._node.create_timer(LOOK_S, self._tell)

    def _take_over(self, version) -> None:
        self._predicates = load_library(version.folder).predicates

    def _tell(self) -> None:
        now_s = self._node.get_clock().now().nanoseconds * 1e-9
        scene = core.Scene(now_s, TABLE, self._robot)
        self._scenes.publish(scene_to_msg(scene, "test"))
        self._states.publish(state_to_msg(symbolic_state(scene, self._predicates)))
        names = [*PANDA.joint_names, PANDA.finger_names[0]]
        self._joints.publish(JointState(header=header(now_s), name=names, position=[*HOME, 0.04]))


class Ailing(Node):
    """A node that can say what ails it."""

    def __init__(self, **kwargs) -> None:
        super().__init__("perception", **kwargs)
        self.life = SignOfLife(self)


class Rig:
    """The nodes of a task, and a person at a client."""

    def __init__(self, graph, client: TaskClient, nodes=None) -> None:
        self.graph = graph
        self.nodes = nodes
        self.client = client
        self.gate = graph.listen(GateState, "/gate_state", NEWEST)
        self.events = graph.listen(TaskEvent, "/task_events", EVENTS)
        self.moves = graph.listen(JointTrajectory, "/arm/joint_trajectory")
        self.questions: list[str] = []
        self._pool = ThreadPoolExecutor(2)

    def perform(self, words, *answers, confirm=PerformTask.Goal.ASK, timeout_s=WAIT_S):
        """The result; the person gives these answers, one a question, then none."""
        left = iter(answers)

        def answer(question):
            self.questions.append(question)
            return next(left)

        return self.client.perform(
            words,
            confirm=confirm,
            listener=lambda _: None,
            answer=answer,
            timeout_s=timeout_s,
        )

    @contextmanager
    def question(self, words):
        """A task that waits for its answer while the block runs; gives the result to come."""
        asked, going_on = threading.Event(), threading.Event()

        def answer(_):
            asked.set()
            assert going_on.wait(WAIT_S)
            return Feedback.REJECT, "never mind"

        task: Future[PerformTask.Result] = self._pool.submit(
            self.client.perform,
            words,
            confirm=PerformTask.Goal.ASK,
            listener=lambda _: None,
            answer=answer,
            timeout_s=WAIT_S,
        )
        assert asked.wait(WAIT_S)
        yield task
        going_on.set()
        task.exception(WAIT_S)

    def stop(self, reason):
        return self.graph.call(Stop, "/stop", Stop.Request(reason=reason))

    def skill(self, name, *args):
        """The result of a single skill."""
        goal = ExecuteSkill.Goal(step=PlanStep(operator_name=name, args=args))
        return self._run(ExecuteSkill, "execute_skill", goal, name)

    def primitive(self, name, *args):
        """The result of an action of the body."""
        goal = ExecutePrimitive.Goal(primitive=name, args=args)
        return self._run(ExecutePrimitive, "execute_primitive", goal, name)

    def _run(self, kind, action, goal, name):
        actions = ActionClient(self.client.node, kind, action)
        assert actions.wait_for_server(WAIT_S)
        executor = self.client.executor
        sent = run_on_executor(executor, lambda: actions.send_goal_async(goal), name)
        handle = result_of(sent, WAIT_S, name)
        assert handle.accepted
        result = run_on_executor(executor, handle.get_result_async, name)
        return result_of(result, WAIT_S, name).result

    def close(self) -> None:
        self._pool.shutdown()


@pytest.fixture
def start(graph, tmp_path):
    with TaskClient(graph.context, "person") as client:
        rigs = []

        def start(interpreter=None, **parameters):
            taught = str(tmp_path / "taught")
            nodes = {
                InterpreterNode: graph.add(InterpreterNode, follow=taught, **(interpreter or {}))
            }
            nodes[AutomatonNode] = graph.add(AutomatonNode, follow=taught)
            graph.add(FeedbackNode, log_file=str(tmp_path / "feedback.jsonl"))
            nodes[ExecutorNode] = executor = graph.add(ExecutorNode, **parameters)
            World(graph)
            rigs.append(Rig(graph, client, nodes))
            assert client.ready(3 * WAIT_S)  # discovery is slow on a busy machine
            parts = executor._senses.parts
            graph.wait_until(
                lambda: parts.seen("automaton") and parts.seen("interpreter"),
                "the executor knows the nodes that live",
            )
            return rigs[-1]

        yield start
        for rig in rigs:
            rig.close()


@pytest.fixture
def rig(start):
    return start()


def test_a_confirmed_task_that_is_true_already_moves_nothing(rig):
    result = rig.perform(TRUE_ALREADY, (Feedback.CONFIRM, "yes"))
    assert result.status.code == Status.ALREADY_SATISFIED, result.status
    assert rig.questions and not rig.moves.messages


def test_a_primitive_that_the_body_cannot_do_is_felt_and_moves_nothing(rig):
    loaded = rig.primitive("pick_up", "plate").status
    empty_handed = rig.primitive("place_on_table", "blue_block").status
    assert loaded.code == Status.UNREACHABLE and "red_block" in loaded.message
    assert empty_handed.code == Status.EXECUTION
    assert rig.primitive("pick_up", "elephant").status.code == Status.OBJECT_LOST
    unknown = rig.primitive("stack", "blue_block").status
    assert unknown.code == Status.INVALID and "pick_up" in unknown.choices
    assert not any(m.points for m in rig.moves.messages)


@pytest.fixture
def guided(rig):
    """An arm that is being guided: why that ended."""
    ended = []
    handle = rig.client.be_guided(lambda _: None, ended.append)
    rig.graph.wait_until(
        lambda: any(m.open for m in rig.gate.messages), "the arm waits to be guided"
    )

    def end():
        rig.client.let_go(handle)
        rig.graph.wait_until(lambda: bool(ended), "it is guided no more")
        return ended[0]

    return end


@contextmanager
def held(rig, kind, topic, **fields):
    """A button that a person holds for as long as the block runs."""
    publisher = rig.graph.publisher(kind, topic, SENSOR)
    timer = rig.graph.tester.create_timer(0.05, lambda: publisher.publish(kind(**fields)))
    try:
        yield
    finally:
        timer.cancel()


def moves_away(message) -> bool:
    """Whether a command leads anywhere but to where the arm is."""
    return bool(message.points) and not np.allclose(message.points[-1].positions, HOME, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "topic", "fields"),
    [
        (TwistStamped, "/servo", {"twist": Twist(linear=Vector3(x=0.1))}),
        (Joy, "/joy", {"axes": [0.0, 1.0, 0.0, 0.0], "buttons": [0] * 9 + [1]}),
        (Joy, "/joy", {"axes": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], "buttons": [0, 0]}),
    ],
)
def test_a_guided_arm_goes_while_a_button_is_held_and_rests_after_it(
    rig, guided, kind, topic, fields
):
    assert not rig.moves.messages
    with held(rig, kind, topic, **fields):
        rig.moves.wait(moves_away)
    assert guided().code == Status.CANCELLED
    rig.gate.clear()
    rig.gate.wait(lambda m: not m.open)


@pytest.mark.parametrize(
    ("kind", "topic", "fields"),
    [
        (Joy, "/joy", {"axes": [1.0, 1.0, 1.0, 1.0], "buttons": [0] * 10}),
        (Joy, "/joy", {"axes": [1.0], "buttons": [1]}),
        (TwistStamped, "/servo", {"twist": Twist(linear=Vector3(x=float("nan")))}),
        (
            TwistStamped,
            "/servo",
            {"header": header(0.0, "moon"), "twist": Twist(linear=Vector3(x=0.1))},
        ),
    ],
)
def test_what_is_no_wish_moves_nothing(rig, guided, kind, topic, fields):
    heard = rig.graph.listen(kind, topic, SENSOR)
    with held(rig, kind, topic, **fields):
        rig.graph.wait_until(lambda: len(heard.messages) > 5, "it was told")
    assert guided().code == Status.CANCELLED
    assert not any(map(moves_away, rig.moves.messages))


def test_nobody_guides_an_arm_that_has_a_task(rig):
    ahead = {"twist": Twist(linear=Vector3(x=0.1))}
    with rig.question(WANTED), held(rig, TwistStamped, "/servo", **ahead):
        with pytest.raises(SaySoError) as error:
            rig.client.be_guided(print, print)
        assert error.value.code is Code.BUSY
        assert not rig.moves.messages


def test_a_rejected_reading_ends_the_task(rig):
    result = rig.perform(WANTED, (Feedback.REJECT, "no"))
    assert result.status.code == Status.NOT_CONFIRMED
    assert "nothing was moved" in result.status.message and not rig.moves.messages


def test_a_corrected_reading_is_asked_about_again(rig):
    correction = (Feedback.CORRECTION, "I meant the red block, not the blue block.")
    result = rig.perform(WANTED, correction, (Feedback.CONFIRM, ""))
    assert len(rig.questions) == 2
    assert result.status.code == Status.ALREADY_SATISFIED, result.status


def test_what_is_not_clear_is_asked_until_it_is_said(rig):
    answers = [
        (Feedback.CONFIRM, "yes"),
        (Feedback.CORRECTION, "the red one"),
        (Feedback.CONFIRM, "yes"),
    ]
    result = rig.perform("Put the block on the plate.", *answers)
    assert result.status.code == Status.ALREADY_SATISFIED, result.status
    assert [q.count("could be any of 2 things") for q in rig.questions] == [1, 1, 0]


def test_what_is_not_clear_fails_where_nobody_can_be_asked(rig):
    result = rig.perform("Put the block on the plate.", confirm=PerformTask.Goal.AUTO)
    assert result.status.code == Status.AMBIGUOUS
    assert set(result.status.choices) == {"red_block", "blue_block"}


def balanced(block, plate):
    """A demonstration with what is seen before and after."""
    shown = put_block_on_plate(block, plate)
    before = shown.key_frames[0].scene
    put, dish = before.objects
    after = replace(
        before,
        stamp_s=shown.samples[-1].stamp_s,
        objects=(replace(put, position=(*dish.position[:2], 0.03)), dish),
    )
    frames = (*shown.key_frames, KeyFrame(after))
    return replace(shown, words="balance the block on the plate", key_frames=frames)


@pytest.mark.parametrize("more", ["", " Never touch the blue block."])
def test_what_nobody_taught_is_asked_for_learned_and_told_to_all_nodes(start, tmp_path, more):
    for number, plate in enumerate([(0.5, -0.2, 0.0), (0.6, 0.1, 0.4)]):
        folder.write(balanced((0.4, 0.15, 0.3 * number), plate), tmp_path / "shown" / str(number))
    taught = tmp_path / "taught"
    rig = start(shown=str(tmp_path / "shown"), taught=str(taught))
    versions = rig.graph.listen(LibraryVersion, "/library", LATCHED)
    yes = (Feedback.CONFIRM, "yes")
    result = rig.perform(f"Balance the red block on the plate.{more}", yes, yes, yes)
    asked, learned, _ = rig.questions
    assert "Nobody taught me yet to balance the red block on the plate." in asked
    assert "From 2 demonstrations: I can balance the block on the plate when" in learned
    assert result.status.code == Status.ALREADY_SATISFIED, result.status
    assert versions.wait().folder == str(taught) and store.kept(taught) == ("balance_block_plate",)
    assert not rig.moves.messages


def test_a_question_that_nobody_answers_ends_the_task(start):
    rig = start()
    shorter = Parameter("confirm_timeout_s", value=1.0).to_parameter_msg()
    request = SetParameters.Request(parameters=[shorter])
    assert rig.graph.call(SetParameters, "/executor/set_parameters", request).results[0].successful
    with rig.question(WANTED) as task:
        told = rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    assert told.status.code == task.result().status.code == Status.NOT_CONFIRMED
    assert "in time" in told.status.message


def test_a_second_task_is_refused_until_the_first_has_ended(rig, graph):
    with TaskClient(graph.context, "another") as other:
        with rig.question(WANTED) as task:
            with pytest.raises(SaySoError) as error:
                Rig(graph, other).perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO)
            assert error.value.code is Code.BUSY
            rig.client.cancel()
            rig.events.wait(lambda e: e.kind == EventKind.RESULT)
        assert task.result().status.code == Status.CANCELLED
        result = Rig(graph, other).perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO)
    assert result.status.code == Status.ALREADY_SATISFIED


def test_a_goal_is_told_to_have_ended_only_when_the_next_one_would_be_taken(rig):
    executor, taken = rig.nodes[ExecutorNode], []
    goal = SimpleNamespace(
        is_cancel_requested=False,
        succeed=lambda: taken.append(executor._accept_one(ExecuteSkill.Goal())),
    )
    assert executor._accept_one(ExecuteSkill.Goal()) is GoalResponse.ACCEPT
    for _ in range(2):
        executor._run("test", goal, ExecuteSkill.Result(), lambda _: None)
    assert taken == [GoalResponse.ACCEPT] * 2
    executor._running.release()


def test_a_stop_ends_a_task_that_waits_for_an_answer(rig):
    with rig.question(WANTED) as task:
        assert rig.stop("a child runs in").status.code == Status.OK
        rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    status = task.result().status
    assert status.code == Status.STOPPED and "a child runs in" in status.message


def test_a_stop_holds_until_it_is_released_and_not_until_the_next_task(rig):
    ana = rig.client.stop("just in case", "Ana")
    ben = rig.client.stop("lunch", "Ben")
    state = rig.gate.wait(lambda m: len(m.reasons) == 2)
    assert not state.open and state.reasons[0] == "stopped by Ana: just in case"
    status = rig.perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO).status
    assert status.code == Status.STOPPED and "Ana: just in case" in status.message
    assert "sayso release" in status.hint
    with pytest.raises(SaySoError, match="guessed"):
        rig.client.release("guessed")
    assert rig.client.release(ana) == ("Ana: just in case",)
    status = rig.perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO).status
    assert status.code == Status.STOPPED and "Ana" not in status.message
    assert ben != ana and rig.client.release("") == ("Ben: lunch",)
    result = rig.perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO)
    assert result.status.code == Status.ALREADY_SATISFIED


@pytest.mark.parametrize("words", ["Stop!", "please HALT", "cancel that."])
def test_the_word_stop_stops_a_task_that_runs(rig, graph, words):
    with TaskClient(graph.context, "another") as other:
        with rig.question(WANTED) as task:
            said = Rig(graph, other).perform(words, confirm=PerformTask.Goal.AUTO)
            rig.events.wait(lambda e: e.kind == EventKind.RESULT and e.status.code)
        assert said.status.code == Status.OK and "sayso release" in said.status.message
        assert task.result().status.code == Status.STOPPED
    rig.gate.wait(lambda m: any(words in r for r in m.reasons))


def test_a_confirmation_counts_only_for_the_task_that_it_names(start):
    rig = start(confirm_timeout_s=2.0)
    says = rig.graph.publisher(Feedback, "/feedback")
    with rig.question(TRUE_ALREADY) as task:
        for name in ("", "another"):
            says.publish(Feedback(kind=Feedback.CONFIRM, task_id=name))
        told = rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    assert told.status.code == task.result().status.code == Status.NOT_CONFIRMED


def test_the_gate_tells_its_last_refusal(rig):
    assert rig.gate.wait().last_refusal.code == Status.OK
    rig.primitive("pick_up", "blue_block")  # the arm of this test does not follow
    # On a busy machine it may have refused to move by what was not heard in time before.
    told = rig.gate.wait(lambda m: m.last_refusal.code == Status.EXECUTION)
    assert told.last_refusal.message
    assert told.refused_at.sec > 0


def test_a_node_that_ends_is_named_at_once(rig, graph):
    with rig.question(WANTED) as task:
        graph.remove(rig.nodes[AutomatonNode])
        told = rig.events.wait(lambda e: e.kind == EventKind.MESSAGE and "automaton" in e.text)
        assert "has ended" in told.text
        says = (Feedback.CONFIRM, "yes")
        rig.client.give_feedback(*says, told.task_id)
        rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    status = task.result().status
    assert status.code == Status.NODE_UNAVAILABLE and "automaton" in status.message


def test_what_ails_a_node_is_told_at_once_and_when_it_is_over(rig, graph):
    life = graph.add(Ailing).life
    with rig.question(TRUE_ALREADY) as task:
        life.tell("camera 'left' is silent: no depth")
        told = rig.events.wait(lambda e: e.kind == EventKind.MESSAGE and "perception" in e.text)
        assert told.text == "The node 'perception' says: camera 'left' is silent: no depth."
        life.tell("")
        rig.events.wait(lambda e: e.kind == EventKind.MESSAGE and "is well again" in e.text)
        rig.client.give_feedback(Feedback.CONFIRM, "yes", told.task_id)
        rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    assert task.result().status.code == Status.ALREADY_SATISFIED


def test_a_task_goes_on_without_a_node_that_it_does_not_need(rig, graph):
    with rig.question(TRUE_ALREADY) as task:
        graph.remove(rig.nodes[InterpreterNode])
        told = rig.events.wait(lambda e: e.kind == EventKind.MESSAGE and "interpreter" in e.text)
        assert "goes on" in told.text
        rig.client.give_feedback(Feedback.CONFIRM, "yes", told.task_id)
        rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    assert task.result().status.code == Status.ALREADY_SATISFIED


def test_who_cancels_while_a_language_model_thinks_is_answered_at_once(start, graph):
    words, asked = "Kindly see to it that all is as cosy as can be.", threading.Event()
    with ChatServer([Answer(silent=True)]) as server:
        server.on_request = asked.set
        rig = start(interpreter={"llm": "openai", "model": "m", "base_url": server.base_url})
        given_up = graph.listen(String, "/interpret/cancel")
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(rig.perform, words)
            assert asked.wait(WAIT_S)
            rig.client.cancel()
            assert given_up.wait().data == words
            assert task.result(WAIT_S).status.code == Status.CANCELLED


def test_a_client_that_gives_up_cancels_its_task(rig):
    with pytest.raises(SaySoError) as error:
        rig.perform(WANTED, (Feedback.OTHER, "hm"), timeout_s=2.0)
    assert error.value.code is Code.CANCELLED
    told = rig.events.wait(lambda e: e.kind == EventKind.RESULT)
    assert told.status.code == Status.CANCELLED


@pytest.mark.parametrize(
    ("step", "code", "said"),
    [
        (("juggle", "red_block"), Status.INVALID, "juggle"),
        (("pick_from_table",), Status.INVALID, "takes 1"),
        (("place_on", "blue_block", "plate"), Status.PLAN_INVALID, "holding"),
        (("pick_from_table", "green_block"), Status.PLAN_INVALID, "green_block"),
    ],
)
def test_a_skill_that_cannot_be_moves_nothing(rig, step, code, said):
    status = rig.skill(*step).status
    assert status.code == code, status
    assert said in status.message and not rig.moves.messages


def test_words_that_are_not_understood_are_pointed_at(rig):
    status = rig.perform("Juggle the red block.").status
    assert status.code == Status.NOT_UNDERSTOOD
    assert "^" in status.message and not rig.questions


def test_a_malformed_message_ends_no_node(rig):
    broken = SymbolicState(atoms=[Atom(predicate="clear", args=["plate"])], truths=[99])
    states = rig.graph.publisher(SymbolicState, "/symbolic_state", peers=2)
    for _ in range(3):
        states.publish(broken)
    result = rig.perform(TRUE_ALREADY, confirm=PerformTask.Goal.AUTO)
    assert result.status.code == Status.ALREADY_SATISFIED


@pytest.mark.parametrize("asked", [[], ["ask model"]])
def test_a_model_is_asked_before_a_skill_is_said_to_be_lacking(asked):
    model = AskModel(ScriptedModel([]), WANTED) if asked else None
    nothing = dict.fromkeys(("services", "senses", "runner", "confirm", "phase", "cancelled"))
    context = TaskContext("1", library=load_library("tabletop"), asks_model=model, **nothing)
    stages = ArmStages(SimpleNamespace(use=lambda _: None), context)
    names = [r.name for r in stages.repairers(SearchPlanner().solve, keep_plan=True)]
    assert names == ["leave out", "reorder", "bridge", "replan", *asked, "learn skill"]


@pytest.mark.parametrize(("teaching", "error"), [(object(), SkillLackingError), (None, SaySoError)])
def test_a_lack_that_the_planner_tells_of_is_one_for_who_can_be_taught(
    monkeypatch, teaching, error
):
    told = Status(code=Status.NO_PLAN, message="there is no plan.")
    monkeypatch.setattr(task_stages, "call", lambda *_: PlanTask.Response(status=told))
    services = SimpleNamespace(plan_task=None, plan_timeout_s=lambda: 1.0)
    senses = SimpleNamespace(requiring=lambda _: None)
    nothing = dict.fromkeys(("runner", "confirm", "phase"))
    context = TaskContext(
        "1", services, senses, load_library("tabletop"), cancelled=lambda: False,
        teaching=teaching, **nothing,
    )  # fmt: skip
    stages = ArmStages(SimpleNamespace(use=lambda _: None), context)
    monkeypatch.setattr(stages, "_problem", lambda *_: tabletop("F(flying(red_block))"))
    wish = GroundedSpecification(Specification("Let it fly.", Top(), "test"), Top())
    state = symbols.SymbolicState(0.0, (), {})
    with pytest.raises(SaySoError) as raised:
        stages.plan(Understanding(wish, ""), PlanRequest(state, SimpleNamespace(states=[])))
    assert type(raised.value) is error and raised.value.code is Code.NO_PLAN
