"""The automaton node follows a task along observed states and always gives a heartbeat."""

from __future__ import annotations

from sayso_ros.msg import SkillEvent, Specification, Status, SymbolicState, TaskProgress
from sayso_ros.srv import CompileTask

from sayso.core import symbols
from sayso.core.symbols import Atom
from sayso.ros.messages.conversions import header, state_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.automaton_node import AutomatonNode

ON_PLATE = Atom("on", ("red_block", "plate"))
STACKED = Atom("on", ("blue_block", "red_block"))
TOUCHED = Atom("touching", ("mug",))
TASK = "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"


def state(stamp_s: float, *true: Atom, unknown: tuple[Atom, ...] = ()) -> SymbolicState:
    truths = {a: a in true for a in (ON_PLATE, STACKED, TOUCHED)} | dict.fromkeys(unknown)
    objects = ("red_block", "blue_block", "plate", "mug")
    return state_to_msg(symbols.SymbolicState(stamp_s, objects, truths))


class Rig:
    def __init__(self, graph) -> None:
        self.graph = graph
        graph.add(AutomatonNode, fresh_s=60.0)
        self.progress = graph.listen(TaskProgress, "/task_progress", LATCHED)
        self.states = graph.publisher(SymbolicState, "/symbolic_state")
        self.skills = graph.publisher(SkillEvent, "/skill_events")

    def compile(self, formula: str, task_id: str = "t1") -> CompileTask.Response:
        request = CompileTask.Request(
            task_id=task_id, specification=Specification(grounded_formula=formula)
        )
        return self.graph.call(CompileTask, "/compile_task", request)

    def observe(self, stamp_s: int, *true: Atom, **more) -> TaskProgress:
        self.states.publish(state(float(stamp_s), *true, **more))
        return self.progress.wait(lambda m: m.header.stamp.sec == stamp_s)


def test_there_is_a_heartbeat_without_a_task(graph) -> None:
    rig = Rig(graph)
    told = rig.observe(5)
    assert (told.task_id, told.verdict, told.steps) == ("", TaskProgress.POSSIBLE, 0)


def test_a_task_is_followed_to_its_end(graph) -> None:
    rig = Rig(graph)
    response = rig.compile(TASK)
    assert response.status.code == Status.OK
    assert response.states == 4
    assert "the red block is on the plate" in response.english

    first = rig.observe(1)
    assert (first.task_id, first.steps, first.verdict) == ("t1", 1, TaskProgress.POSSIBLE)
    assert len(first.remaining) == 1
    same = rig.observe(2)
    assert same.steps == 1, "nothing changed, so no step"
    half = rig.observe(3, ON_PLATE)
    assert half.true_propositions == ["on(red_block, plate)"]
    assert half.clause_states != first.clause_states
    done = rig.observe(4, ON_PLATE, STACKED)
    assert (done.verdict, list(done.remaining)) == (TaskProgress.SATISFIED, [])
    broken = rig.observe(5, ON_PLATE, STACKED, TOUCHED)
    assert broken.verdict == TaskProgress.VIOLATED
    still = rig.observe(6, ON_PLATE, STACKED)
    assert still.verdict == TaskProgress.VIOLATED, "what was broken stays broken"


def test_the_state_at_hand_is_the_first_step(graph) -> None:
    rig = Rig(graph)
    rig.observe(1, ON_PLATE, STACKED)
    rig.compile(TASK, "t2")
    first = rig.progress.wait(lambda m: m.task_id == "t2")
    assert (first.steps, first.verdict) == (1, TaskProgress.SATISFIED)


def test_the_end_of_a_skill_makes_a_step(graph) -> None:
    rig = Rig(graph)
    rig.compile("X(on(red_block, plate))")
    rig.observe(1, ON_PLATE)
    assert rig.observe(2, ON_PLATE).verdict == TaskProgress.POSSIBLE
    # A task that the node does not know yet of the skill's end would miss the step: the skill
    # ended at 2.5, so the state of 3 is the one after it, whenever the news arrives.
    rig.skills.publish(SkillEvent(header=header(2.5), phase=SkillEvent.FINISHED))
    assert rig.skills.wait_for_all_acked()
    for stamp in range(3, 60):
        if (told := rig.observe(stamp, ON_PLATE)).steps == 2:
            break
    assert (told.steps, told.verdict) == (2, TaskProgress.SATISFIED)


def test_the_same_task_with_a_further_obligation_goes_on(graph) -> None:
    rig = Rig(graph)
    goals = "F(on(red_block, plate)) & F(on(blue_block, red_block))"
    rig.compile(goals)
    rig.observe(1, ON_PLATE)
    response = rig.compile(f"{goals} & G(!touching(mug))")
    assert "the robot does not touch the mug" in response.english
    assert rig.observe(2, STACKED).verdict == TaskProgress.SATISFIED, "the first goal is remembered"
    assert rig.observe(3, STACKED, TOUCHED).verdict == TaskProgress.VIOLATED


def test_what_is_unknown_is_said_and_keeps_the_verdict_open(graph) -> None:
    rig = Rig(graph)
    rig.compile("F(on(red_block, plate))")
    told = rig.observe(1, unknown=(ON_PLATE,))
    assert told.unknown_propositions == ["on(red_block, plate)"]
    assert told.verdict == TaskProgress.POSSIBLE


def test_bad_specifications_are_refused_and_the_old_task_goes_on(graph) -> None:
    rig = Rig(graph)
    rig.compile(TASK)
    contradiction = rig.compile("F(on(red_block, plate)) & G(!on(red_block, plate))")
    assert contradiction.status.code == Status.CONTRADICTION
    assert "on(red_block, plate)" in contradiction.status.message
    garbled = rig.compile("F(on(red_block, ")
    assert garbled.status.code == Status.NOT_UNDERSTOOD
    assert rig.observe(1).task_id == "t1"


def test_an_empty_formula_ends_the_watching(graph) -> None:
    rig = Rig(graph)
    rig.compile(TASK)
    assert rig.observe(1).task_id == "t1"
    assert rig.compile("").status.code == Status.OK
    assert rig.observe(2).task_id == ""
