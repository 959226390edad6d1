"""The page with live pictures and what happens, on this machine only."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from rclpy.parameter import Parameter
from sayso_ros.msg import PlanStep, SkillEvent, Specification, TaskEvent
from sensor_msgs.msg import CompressedImage

from sayso.core.errors import Code, SaySoError
from sayso.reporting.events import EventKind
from sayso.ros.messages.qos import EVENTS
from sayso.ros.nodes.view_node import ViewNode
from support.ros_graph import WAIT_S

JPEG = b"\xff\xd8 not really a picture \xff\xd9"


@pytest.fixture
def view(graph):
    return graph.add(ViewNode, port=0, cameras=["left", "wrist"])


def get(view, path=""):
    with urllib.request.urlopen(view.url + path, timeout=WAIT_S) as reply:
        return reply.read().decode()


def test_the_page_shows_every_camera_and_the_task(view):
    assert view.url.startswith("http://127.0.0.1:")
    page = get(view)
    assert 'src="/left"' in page and 'src="/wrist"' in page and 'src="/task"' in page


def test_what_happens_is_told_newest_first_and_harmless(view, graph):
    events = graph.publisher(TaskEvent, "task_events", EVENTS)
    step = PlanStep(english="pick up the red block")
    for event in (
        TaskEvent(kind=int(EventKind.INSTRUCTION), text="<b>Stack</b> them."),
        TaskEvent(
            kind=TaskEvent.SPECIFICATION, specification=Specification(english="In the end: done.")
        ),
        TaskEvent(
            kind=TaskEvent.SKILL, skill=SkillEvent(phase=SkillEvent.STARTED, step=2, action=step)
        ),
    ):
        events.publish(event)
    graph.wait_until(lambda: len(view.lines) == 3, "the events are noted")
    page = get(view, "task")
    lines = ["step 3: pick up the red block", "understood: In the end: done.", "&lt;b&gt;Stack"]
    places = [page.index(line) for line in lines]
    assert places == sorted(places) and "<b>" not in page


def test_pictures_are_streamed_as_they_come(view, graph):
    cameras = graph.publisher(CompressedImage, "camera/left/color/image_raw/compressed")
    with urllib.request.urlopen(view.url + "left", timeout=WAIT_S) as stream:
        assert "multipart/x-mixed-replace" in stream.headers["Content-Type"]
        for _ in range(2):
            cameras.publish(CompressedImage(format="jpeg", data=JPEG))
            assert stream.readline().startswith(b"--")
            assert stream.readline() == b"Content-Type: image/jpeg\r\n"
            assert stream.readline() == b"\r\n"
            assert stream.read(len(JPEG) + 2) == JPEG + b"\r\n"


def test_what_there_is_not_is_not_found(view):
    for path in ("right", "../etc/passwd", "left/.."):
        with pytest.raises(urllib.error.HTTPError) as error:
            get(view, path)
        assert error.value.code == 404


def test_a_port_that_is_taken_is_named_with_the_way_out(view, graph):
    port = int(view.url.rstrip("/").rpartition(":")[2])
    with pytest.raises(SaySoError, match=str(port)) as error:
        ViewNode(context=graph.context, parameter_overrides=[Parameter("port", value=port)])
    assert error.value.code is Code.CONFIG and "0" in error.value.hint
