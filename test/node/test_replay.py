"""A recorded run is judged again from its scenes alone, and differences are found."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rich.console import Console
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sayso_ros.msg import (
    GroundTruth,
    SkillEvent,
    Specification,
    SymbolicState,
    TaskEvent,
    TaskProgress,
)
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import SceneObject as ObjectMsg

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Verdict, progression_of
from sayso.logic.text import parse
from sayso.mission.new_objects import NewObjectWatch
from sayso.mission.understanding import TaskInterpreter
from sayso.ros.bags.replay import reevaluate, republish
from sayso.ros.bags.replay_command import show
from sayso.ros.bags.rosbag import BagWriter
from sayso.ros.messages.conversions import (
    header,
    object_to_msg,
    scene_from_msg,
    scene_to_msg,
    state_to_msg,
)
from sayso.ros.messages.progress import progress_to_msg
from sayso.ros.messages.specifications import grounded_formula, understanding_to_msg
from sayso.ros.runtime.libraries import load_library

EDGE = 0.045
FORMULA = "F(on(red_block, plate)) & X(true)"
LIBRARY = load_library("tabletop")
PREDICATES = LIBRARY.predicates


def scene(stamp_s: float, red_z: float) -> Scene:
    red = SceneObject("red_block", "block", "red", (0.5, 0.0, red_z), (EDGE,) * 3)
    plate = SceneObject("plate", "plate", "white", (0.5, 0.0, 0.006), (0.2, 0.2, 0.012))
    return Scene(stamp_s, (red, plate), table_height_m=0.0007)


LIFTED, PLACED = 0.3, 0.012 + EDGE / 2
HEIGHTS = (LIFTED, LIFTED, LIFTED, PLACED, PLACED)


def truth(stamp_s: float, red_z: float) -> GroundTruth:
    """The simulator has names of its own for things."""
    red, plate = scene(stamp_s, red_z).objects
    objects = [object_to_msg(o) for o in (replace(red, name="block_7"), plate)]
    return GroundTruth(header=header(stamp_s), objects=objects)


class Run:
    """Writes a bag as the nodes would; `spoil` changes what is recorded of a state.

    `true_z` is where the simulator tells that the block truly was, at each scene; None: on a
    robot.
    """

    def __init__(self, folder: Path, spoil=lambda verdict: verdict, true_z=None) -> None:
        self.bag = BagWriter(folder)
        self.clock_ns = 10**18
        specification = Specification(
            instruction="Put the red block on the plate.",
            formula="F(on(red_block, plate)) & X(true)",
            grounded_formula=FORMULA,
        )
        self.put(
            "/task_events",
            TaskEvent(kind=TaskEvent.SPECIFICATION, task_id="t1", specification=specification),
        )
        task = Monitor(progression_of(parse(FORMULA, grounded=True)), PREDICATES)
        for index, height in enumerate(HEIGHTS):
            stamp_s = 10.1 + index
            seen = scene_to_msg(scene(stamp_s, height), "test")
            state = symbolic_state(scene_from_msg(seen), PREDICATES)
            self.put("/scene", seen)
            self.put("/symbolic_state", state_to_msg(state))
            if true_z is not None:
                self.put("/world/ground_truth", truth(stamp_s, true_z[index]))
            progress = task.follow(state)
            verdict = spoil(progress.verdict)
            message = progress_to_msg(replace(progress, verdict=verdict), "t1", stamp_s)
            self.put("/task_progress", message)
            if index == 2:
                task.skill_finished(stamp_s + 0.5)
                event = SkillEvent(
                    header=header(stamp_s + 0.5), task_id="t1", phase=SkillEvent.FINISHED
                )
                self.put("/skill_events", event)
        self.bag.close()

    def put(self, topic: str, message) -> None:
        self.clock_ns += 50_000_000
        package, name = type(message).__module__.partition(".")[0], type(message).__name__
        data = serialize_message(message)
        self.bag.write(topic, f"{package}/msg/{name}", self.clock_ns, data)


def test_an_honest_run_is_confirmed(tmp_path: Path) -> None:
    Run(tmp_path / "bag")
    report = reevaluate(tmp_path / "bag", LIBRARY)
    assert report.same
    assert report.scenes == len(HEIGHTS)
    assert report.truths > 100
    (task,) = report.tasks
    assert task.states == len(HEIGHTS)
    assert task.recorded is task.replayed is Verdict.SATISFIED
    assert task.instruction == "Put the red block on the plate."


def test_what_turned_up_under_way_is_watched_from_when_it_was(tmp_path: Path) -> None:
    library = load_library("tabletop")
    first = scene(10.1, LIFTED)
    late = SceneObject("blue_block", "block", "blue", (0.3, 0.2, EDGE / 2), (EDGE,) * 3)
    put = replace(late, position=(0.5, 0.0, PLACED))
    scenes = [
        first,
        replace(first, stamp_s=11.1),
        replace(first, stamp_s=12.1, objects=(*first.objects, late)),
        replace(first, stamp_s=13.1, objects=(*first.objects, late)),
        replace(first, stamp_s=14.1, objects=(*first.objects, put)),
    ]
    words = "Pick up the red block. Never put any block on the plate."
    understood = TaskInterpreter(library, lambda _: first).interpret(words)
    told = understanding_to_msg(understood)
    run = Run.__new__(Run)
    run.bag, run.clock_ns = BagWriter(tmp_path / "bag"), 10**18
    run.put("/task_events", TaskEvent(kind=TaskEvent.SPECIFICATION, task_id="t1",
                                      specification=told))  # fmt: skip
    task = Monitor(progression_of(grounded_formula(told), PREDICATES), PREDICATES)
    watch = NewObjectWatch(understood, first.by_name(), library)
    for number, seen in enumerate(scenes):
        message = scene_to_msg(seen, "test")
        state = symbolic_state(scene_from_msg(message), PREDICATES)
        run.put("/scene", message)
        run.put("/task_progress", progress_to_msg(task.follow(state), "t1", seen.stamp_s))
        if number == 2:  # the automaton is told of it after the state that has it first
            watch.take_in(seen, task.extend)
    run.bag.close()
    report = reevaluate(tmp_path / "bag", LIBRARY)
    (judged,) = report.tasks
    assert judged.recorded is Verdict.VIOLATED
    assert judged.replayed is Verdict.VIOLATED
    assert judged.differing == 0


def test_another_verdict_than_recorded_is_found(tmp_path: Path) -> None:
    Run(tmp_path / "bag", spoil=lambda _: Verdict.POSSIBLE)
    report = reevaluate(tmp_path / "bag", LIBRARY)
    (task,) = report.tasks
    assert not report.same and not task.same
    assert (task.recorded, task.replayed) == (Verdict.POSSIBLE, Verdict.SATISFIED)
    assert task.differing == 2


def test_what_truly_came_about_is_judged_beside_what_was_observed(tmp_path: Path) -> None:
    Run(tmp_path / "right", true_z=HEIGHTS)
    (task,) = reevaluate(tmp_path / "right", LIBRARY).tasks
    assert task.truly.verdict is Verdict.SATISFIED
    assert task.truly.states == len(HEIGHTS)
    assert task.truly.grounding == {"red_block": ("block_7",), "plate": ("plate",)}

    Run(tmp_path / "wrong", true_z=(LIFTED,) * len(HEIGHTS))
    report = reevaluate(tmp_path / "wrong", LIBRARY)
    assert report.same, "what was observed came out as recorded"
    assert report.tasks[0].truly.verdict is Verdict.POSSIBLE
    console = Console(file=StringIO(), width=200)
    show(report, console)
    assert "NOT AS OBSERVED" in console.file.getvalue()


def test_a_real_robots_bag_tells_no_true_verdict(tmp_path: Path) -> None:
    Run(tmp_path / "bag")
    report = reevaluate(tmp_path / "bag", LIBRARY)
    assert report.tasks[0].truly.verdict is None
    console = Console(file=StringIO(), width=200)
    show(report, console)
    assert "only a simulator tells it" in console.file.getvalue()


def test_a_changed_predicate_shows_in_the_truths(tmp_path: Path) -> None:
    Run(tmp_path / "bag")
    changed = {**PREDICATES, "on": replace(PREDICATES["on"], function=lambda *_: False)}
    report = reevaluate(tmp_path / "bag", replace(LIBRARY, predicates=changed))
    assert report.differing_truths["on(red_block, plate)"] == 2
    assert not report.same


def test_a_bag_without_scenes_cannot_be_judged(tmp_path: Path) -> None:
    with BagWriter(tmp_path / "bag") as bag:
        data = serialize_message(TaskProgress())
        bag.write("/task_progress", "sayso_ros/msg/TaskProgress", 1, data)
    with pytest.raises(SaySoError) as caught:
        reevaluate(tmp_path / "bag", LIBRARY)
    assert caught.value.code is Code.INVALID


def test_it_is_published_again_in_order_and_with_its_pauses(graph, tmp_path: Path) -> None:
    Run(tmp_path / "bag")
    states = graph.listen(SymbolicState, "/symbolic_state")
    scenes = graph.listen(SceneMsg, "/scene")
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        for topic in ("/scene", "/symbolic_state"):
            graph.wait_until(lambda t=topic: graph.tester.count_publishers(t) > 0, f"{topic} known")

    sender = graph.add(Node, "replayer")
    count = republish(tmp_path / "bag", sender, wait=wait)

    assert count == 1 + 3 * len(HEIGHTS) + 1
    assert waited and max(waited) <= 0.05 * count
    last = scenes.wait(lambda m: m.header.stamp.sec == 14)
    assert last.objects[0].name == "red_block"
    states.wait(lambda m: m.header.stamp.sec == 14)


def test_what_was_recorded_before_a_type_grew_is_published_as_the_type_is_now(
    graph, tmp_path: Path
) -> None:
    older, name = get_typestore(Stores.ROS2_JAZZY), "sayso_ros/msg/SceneObject"
    older.register(get_types_from_msg("string name\nstring category\n", name))
    data = older.serialize_cdr(older.types[name]("a", "block"), name)
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/thing", name, typestore=older)
        for stamp in (0, 1):
            writer.write(connection, stamp, data)
    things = graph.listen(ObjectMsg, "/thing")
    sender = graph.add(Node, "replayer")

    def known(seconds: float) -> None:
        graph.wait_until(lambda: sender.count_subscribers("/thing") > 0, "/thing known")

    assert republish(tmp_path / "bag", sender, speed=1e-9, wait=known) == 2
    got = things.wait(lambda m: m.name == "a")
    assert (got.category, got.living, got.attributes) == ("block", False, [])


def test_a_speed_must_be_positive(graph, tmp_path: Path) -> None:
    Run(tmp_path / "bag")
    with pytest.raises(SaySoError, match="positive"):
        republish(tmp_path / "bag", graph.tester, speed=0.0)
