"""Scripted disturbances are asked of the world's services when they are due, once."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rosgraph_msgs.msg import Clock
from sayso_ros.srv import PerturbWorld
from std_srvs.srv import SetBool

from sayso.core.errors import Code
from sayso.reporting.events import Event, EventKind, SkillReport
from sayso.ros.messages.conversions import time_to_msg
from sayso.ros.task.disturbances import Disturber
from sayso.ros.task.task_client import TaskClient
from sayso.worlds.flat import scene_file
from sayso.worlds.flat.disturbances import from_yaml
from support.flats import go

SCRIPT = """
- {when: after step 1, what: mug, to: [1, 2, 0.5], say: somebody takes the mug}
- {when: 4, what: door_1, to: shut}
- {when: after step 2, what: cat_1, to: walk}
- {when: after step 9, what: mug, to: away}
"""


def skill(finished: bool, code: Code = Code.OK) -> Event:
    report = SkillReport(go("mug"), 0, 1, finished, code=code)
    return Event(EventKind.SKILL, "execute", 0.0, skill=report)


@pytest.fixture
def asked(graph) -> list[tuple[object, ...]]:
    """What the services of a world were asked, in order; nobody walks there."""
    calls: list[tuple[object, ...]] = []

    def perturb(request, response):
        p = request.position
        calls.append((request.kind, request.target, (p.x, p.y, p.z)))
        return response

    def shut(request, response):
        calls.append(("door_1", request.data))
        response.success = True
        return response

    def walk(request, response):
        calls.append(("cat_1", request.data))
        response.message = "the cat is asleep"
        return response

    graph.tester.create_service(PerturbWorld, "/world/perturb", perturb)
    graph.tester.create_service(SetBool, "/world/doors/door_1", shut)
    graph.tester.create_service(SetBool, "/world/walkers/cat_1", walk)
    return calls


def test_each_happens_in_its_time_and_what_does_not_is_told(graph, asked) -> None:
    clock = graph.tester.create_publisher(Clock, "/clock", 10)
    shown = StringIO()
    with TaskClient(graph.context, "person") as client:
        script = from_yaml(SCRIPT, scene_file.fixed("home"))
        disturber = Disturber(client, script, Console(file=shown, width=200))
        graph.wait_until(lambda: clock.get_subscription_count() > 0, "the clock is heard")

        def tick(stamp_s: float) -> None:
            clock.publish(Clock(clock=time_to_msg(stamp_s)))

        def heard(stamp_s: float) -> None:
            graph.wait_until(lambda: disturber.now_s == stamp_s, "the time is heard")

        tick(100.0)
        heard(100.0)
        disturber.listen(skill(finished=False))
        disturber.listen(skill(finished=True, code=Code.UNREACHABLE))
        tick(103.0)
        heard(103.0)
        assert asked == []
        disturber.listen(skill(finished=True))
        graph.wait_until(lambda: len(asked) == 1, "the mug is moved")
        tick(104.0)
        graph.wait_until(lambda: len(asked) == 2, "the door is shut")
        disturber.listen(skill(finished=True))
        graph.wait_until(lambda: "asleep" in shown.getvalue(), "what did not happen is told")
        disturber.tell_rest()
    move = PerturbWorld.Request.MOVE
    assert asked == [(move, "mug", (1.0, 2.0, 0.5)), ("door_1", False), ("cat_1", True)]
    text = shown.getvalue()
    assert "DISTURBANCE by the simulator (after step 1): somebody takes the mug." in text
    assert "DISTURBANCE by the simulator (at 4 s): door_1 shuts." in text
    assert "did not happen: the cat is asleep" in text
    assert "ended before this was due (after step 9): mug is taken away." in text
