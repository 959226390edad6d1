"""The planner node answers with validated plans, or says which kind of no it is."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sayso_ros.msg import LibraryVersion, PlanStep, Specification, Status
from sayso_ros.srv import PlanTask

from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom, Plan, SymbolicState
from sayso.logic.text import parse
from sayso.planning.plan_library import KeptPlan, PlanLibrary
from sayso.ros.messages.conversions import plan_from_msg, state_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.automaton_node import AutomatonNode
from sayso.ros.nodes.executor_node import ExecutorNode
from sayso.ros.nodes.flat_perception_node import FlatPerceptionNode
from sayso.ros.nodes.interpreter_node import InterpreterNode
from sayso.ros.nodes.perception_node import PerceptionNode
from sayso.ros.nodes.planner_node import PlannerNode
from sayso.ros.runtime.libraries import load_library
from support.chat_server import ChatServer
from support.ros_graph import WAIT_S

TASK = "F(on(red_block, plate) & F(on(blue_block, red_block))) & G(!touching(mug))"
EDGE = 0.045


def thing(name: str, x: float, y: float, size: tuple[float, float, float]) -> SceneObject:
    color, _, category = name.rpartition("_")
    return SceneObject(name, category, color, (x, y, size[2] / 2), size)


@pytest.fixture(scope="module")
def observed() -> SymbolicState:
    things = (
        thing("red_block", 0.45, 0.15, (EDGE,) * 3),
        thing("blue_block", 0.6, -0.15, (EDGE,) * 3),
        thing("plate", 0.5, 0.0, (0.2, 0.2, 0.012)),
        thing("mug", 0.35, -0.2, (0.08, 0.08, 0.09)),
    )
    return symbolic_state(Scene(10.0, things), load_library("tabletop").predicates)


def ask(graph, state: SymbolicState, formula: str = TASK, **fields) -> PlanTask.Response:
    request = PlanTask.Request(
        specification=Specification(grounded_formula=formula), state=state_to_msg(state), **fields
    )
    return graph.call(PlanTask, "/plan_task", request)


def names(response: PlanTask.Response) -> list[str]:
    return [f"{s.operator_name}({', '.join(s.args)})" for s in response.plan.steps]


def test_a_plan_for_the_whole_specification(graph, observed) -> None:
    graph.add(PlannerNode, planner="search")
    response = ask(graph, observed)
    assert response.status.code == Status.OK
    assert names(response) == [
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
        "pick_from_table(blue_block)",
        "stack(blue_block, red_block)",
    ]
    assert all(s.english and s.skill and s.why for s in response.plan.steps)
    # The categories that come with the state decide what is tried: a shelf is not carried.
    shelf = replace(observed, categories={**observed.categories, "red_block": "shelf"})
    response = ask(graph, shelf)
    assert response.status.code == Status.NO_PLAN
    assert "red_block is not" in response.status.message
    assert ask(graph, replace(observed, categories={})).status.code == Status.OK


def test_a_plan_that_was_kept_is_begun_with(graph, observed, tmp_path) -> None:
    formula = parse("F(on(blue_block, plate))", grounded=True)
    steps = tuple(Atom(n, a) for n, a in (("pick_from_table", ("blue_block",)),
                                          ("place_on", ("blue_block", "plate"))))  # fmt: skip
    PlanLibrary(tmp_path).keep(KeptPlan("Put the blue block on the plate.", formula, steps))
    graph.add(PlannerNode, planner="retrieved[search]", plans=str(tmp_path))
    request = PlanTask.Request(
        specification=Specification(
            instruction="Put the red block on the plate.",
            grounded_formula="F(on(red_block, plate))",
        ),
        state=state_to_msg(observed),
    )
    response = graph.call(PlanTask, "/plan_task", request)
    assert names(response) == ["pick_from_table(red_block)", "place_on(red_block, plate)"]
    plan = plan_from_msg(response.plan, load_library("tabletop").domain())
    assert plan.planner == "retrieved" and plan.from_words


def test_a_model_writes_a_program(graph, observed) -> None:
    code = 'pick("red_block")\nplace("red_block", get_place_position("red_block", "plate", "on"))'
    replies = [{"steps": ["Put it there."], "problem": ""}, {"code": code, "problem": ""}]
    request = PlanTask.Request(
        specification=Specification(
            instruction="Put the red block on the plate.",
            grounded_formula="F(on(red_block, plate))",
        ),
        state=state_to_msg(observed),
        timeout_s=10.0,
    )
    with ChatServer(map(json.dumps, replies)) as server:
        graph.add(PlannerNode, planner="program[search]", llm="openai", model="test",
                  base_url=server.base_url)  # fmt: skip
        response = graph.call(PlanTask, "/plan_task", request)
    plan = plan_from_msg(response.plan, load_library("tabletop").domain())
    assert [str(a) for a in plan.actions] == ["pick_from_table(red_block)",
                                              "place_on(red_block, plate)"]  # fmt: skip
    assert plan.planner == "program" and plan.from_words


def test_an_action_to_avoid_is_avoided(graph, observed) -> None:
    graph.add(PlannerNode, planner="search")
    step = PlanStep(operator_name="pick_from_table", args=["red_block"])
    response = ask(graph, observed, avoid=[step])
    assert response.status.code == Status.NO_PLAN
    assert response.status.message and not response.plan.steps


def test_the_kinds_of_no_are_told_apart(graph, observed) -> None:
    graph.add(PlannerNode, planner="search")
    impossible = ask(graph, observed, "F(in(mug, plate))")
    contradictory = ask(graph, observed, "F(holding(mug)) & G(!holding(mug))")
    unclear = ask(graph, observed, "F(on(red_block")
    ungrounded = ask(graph, observed, "")
    wrong_state = ask(graph, observed, clause_states=[999])
    no_time = ask(graph, observed, timeout_s=0.0)
    assert impossible.status.code == Status.NO_PLAN
    assert contradictory.status.code == Status.CONTRADICTION
    assert unclear.status.code == Status.NOT_UNDERSTOOD
    assert (
        ungrounded.status.code == wrong_state.status.code == no_time.status.code == Status.INVALID
    )
    assert "999" in wrong_state.status.message


def test_a_library_that_is_published_is_taken_over_unless_it_cannot_be_read(
    graph, observed, tmp_path
) -> None:
    node = graph.add(PlannerNode, planner="search", follow=str(tmp_path / "learned"))
    published = graph.publisher(LibraryVersion, "/library", LATCHED)
    known = load_library("tabletop")
    operators = {n: o for n, o in known.operators.items() if n != "stack"}
    library.save(replace(known, operators={}), tmp_path / "elsewhere")
    for folder in ("learned/nothing", "elsewhere", "learned/../elsewhere"):
        published.publish(LibraryVersion(folder=str(tmp_path / folder), number=1))
        assert ask(graph, observed).status.code == Status.OK
    library.save(replace(known, operators=operators), tmp_path / "learned")
    published.publish(LibraryVersion(folder=str(tmp_path / "learned"), number=2))
    graph.wait_until(lambda: "stack" not in node._library.operators, "it is taken over")
    assert ask(graph, observed).status.code == Status.NO_PLAN


@pytest.mark.parametrize(
    ("kind", "taken", "parameters"),
    [
        (PlannerNode, lambda node: node._library.predicates, {}),
        (InterpreterNode, lambda node: node._interpreter.library.predicates, {}),
        (AutomatonNode, lambda node: node._predicates, {}),
        (PerceptionNode, lambda node: node._scenes.library.predicates, {}),
        (FlatPerceptionNode, lambda node: node._scenes.library.predicates, {"finder": "simulator"}),
        (ExecutorNode, lambda node: node._library.predicates, {}),
    ],
)
def test_every_node_that_uses_a_library_follows_what_is_learned(
    graph, tmp_path, kind, taken, parameters
) -> None:
    node = graph.add(kind, follow=str(tmp_path), **parameters)
    known = load_library("tabletop")
    learned = replace(known.predicates["clear"], name="bare")
    source = learned.source.replace("def clear", "def bare")
    library.save(Library("learned", {"bare": replace(learned, source=source)}, {}), tmp_path)
    published = graph.publisher(LibraryVersion, "/library", LATCHED)
    published.publish(LibraryVersion(folder=str(tmp_path), number=1))
    graph.wait_until(lambda: set(taken(node)) == {"bare"}, "it is taken over")


class Lying:
    """A planner that answers with an empty plan, whatever the problem."""

    def solve(self, problem, limits):
        return Plan(())


class Crashing:
    def solve(self, problem, limits):
        raise ZeroDivisionError("a defect")


def test_a_wrong_plan_never_leaves_the_node(graph, observed, monkeypatch) -> None:
    monkeypatch.setattr("sayso.adapters.registry.create", lambda *_, **__: Lying())
    graph.add(PlannerNode)
    response = ask(graph, observed)
    assert response.status.code == Status.PLAN_INVALID


def test_a_defect_is_unknown_and_the_node_lives_on(graph, observed, monkeypatch) -> None:
    monkeypatch.setattr("sayso.adapters.registry.create", lambda *_, **__: Crashing())
    graph.add(PlannerNode)
    first, second = ask(graph, observed), ask(graph, observed)
    assert first.status.code == second.status.code == Status.UNKNOWN
    assert "ZeroDivisionError" in first.status.message


def test_an_object_that_is_gone_is_no_part_of_a_plan(graph, observed) -> None:
    graph.add(PlannerNode, planner="search")
    without = replace(
        observed,
        objects=tuple(o for o in observed.objects if o != "blue_block"),
        truths={a: t for a, t in observed.truths.items() if "blue_block" not in a.args},
    )
    response = ask(graph, without)
    assert response.status.code in (Status.NO_PLAN, Status.OBJECT_LOST)
    assert "blue_block" in response.status.message


class Endless:
    """A search that nothing but a cancellation ends."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def solve(self, problem, limits):
        self.begun.set()
        while not limits.cancelled():
            threading.Event().wait(0.01)
        raise SaySoError(Code.CANCELLED, "the search was cancelled.")


def test_a_search_under_way_is_answered_when_the_node_ends(graph, observed, monkeypatch) -> None:
    planner = Endless()
    monkeypatch.setattr("sayso.adapters.registry.create", lambda *_, **__: planner)
    node = graph.add(PlannerNode)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, graph, observed, timeout_s=60.0)
        assert planner.begun.wait(WAIT_S)
        node.wind_down()
        assert asked.result(WAIT_S).status.code == Status.CANCELLED
