"""The console beside an executor that only tells and notes: over HTTP and a websocket."""

from __future__ import annotations

import http.client
import json
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from geometry_msgs.msg import TwistStamped
from rclpy.parameter import Parameter
from sayso_ros.action import PerformTask
from sayso_ros.msg import PlanStep, SkillEvent, Specification, TaskEvent
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Int8, String
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from sayso.core.errors import Code, SaySoError
from sayso.learning.demonstrations import folder as recorded
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.console_node import ConsoleNode
from sayso.skills.guiding import FASTEST_M_S
from support.console_executor import TASK, Executor
from support.moving_arm import MovingArm
from support.ros_graph import WAIT_S

JPEG = b"\xff\xd8 not really a picture \xff\xd9"


@pytest.fixture
def executor(graph):
    return graph.add(Executor)


@pytest.fixture
def console(graph, executor):
    return graph.add(ConsoleNode, port=0, cameras=["left"])


def asked(url: str, body: Any = None, **headers: str) -> Any:
    """The reply: parsed JSON, or text."""
    data = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", **headers} if data is not None else headers
    with urllib.request.urlopen(urllib.request.Request(url, data, given), timeout=WAIT_S) as reply:
        text = reply.read().decode()
    return json.loads(text) if reply.headers["content-type"] == "application/json" else text


def refused(url: str, body: Any = None, **headers: str) -> tuple[int, str]:
    with pytest.raises(urllib.error.HTTPError) as error:
        asked(url, body, **headers)
    return error.value.code, error.value.read().decode()


class Browser:
    """The websocket of one page."""

    def __init__(self, url: str, **options: Any) -> None:
        self.socket = connect(f"{url}live".replace("http", "ws", 1), **options)
        self.parts: dict[str, Any] = {}

    def until(self, part: str, fits: Callable[[Any], bool]) -> Any:
        """The first value of the part that fits; fails the test if none comes."""
        end_s = time.monotonic() + WAIT_S  # other parts may be told for ever
        while part not in self.parts or not fits(self.parts[part]):
            message = self.socket.recv(max(0.0, end_s - time.monotonic()))
            if isinstance(message, bytes):
                end = 1 + message[0]
                self.parts[message[1:end].decode()] = message[end:]
            else:
                told = json.loads(message)
                self.parts[told["part"]] = told.get("value")
        return self.parts[part]


@pytest.fixture
def browser(console):
    browser = Browser(console.url)
    with browser.socket:
        yield browser


def test_only_who_has_the_token_is_let_in(console):
    assert console.url.startswith("http://127.0.0.1:")
    assert "<title>SaySo console</title>" in asked(console.url)
    root = console.url.rstrip("/").rpartition("/")[0]
    for path in ("/", "/console.js", "/wrong/", "/wrong/do/stop", "/wrong/live"):
        assert refused(root + path)[0] == 401
    with pytest.raises(InvalidStatus) as error:
        Browser(f"{root}/wrong/")
    assert error.value.response.status_code == 401


def test_a_page_of_another_origin_is_refused_whatever_it_knows(console, executor):
    origin = "http://hostile.example"
    assert refused(f"{console.url}do/stop", {}, Origin=origin)[0] == 403
    assert refused(console.url, Origin=origin)[0] == 403
    assert refused(console.url, Host="hostile.example")[0] == 403
    with pytest.raises(InvalidStatus) as error:
        Browser(console.url, origin=origin)
    assert error.value.response.status_code == 403
    assert not executor.stops


def test_a_task_is_said_read_corrected_and_confirmed(console, executor, browser, graph):
    own = console.url.partition("/")[0] + "//" + console.url.split("/")[2]
    asked(f"{console.url}do/perform", {"instruction": " Stack them. "}, Origin=own)
    (goal,) = executor.goals
    assert (goal.instruction, goal.confirm) == ("Stack them.", PerformTask.Goal.ASK)
    executor.event(TaskEvent.INSTRUCTION, text="Stack <b>them</b>.")
    executor.event(
        TaskEvent.SPECIFICATION,
        specification=Specification(
            formula="F on(a, b)", grounded_formula="F on(a, b)", english="In the end: done."
        ),
    )
    executor.event(TaskEvent.QUESTION, text="Is this what you mean?")
    task = browser.until("task", lambda t: t["question"])
    assert task["instruction"] == "Stack <b>them</b>."
    assert task["reading"]["english"] == "In the end: done."
    answer = {"task": TASK, "answer": "correction", "words": "I meant the mug"}
    asked(f"{console.url}do/answer", answer)
    browser.until("task", lambda t: not t["question"])
    executor.event(TaskEvent.QUESTION, text="And this?")
    browser.until("task", lambda t: t["question"] == "And this?")
    asked(f"{console.url}do/answer", {"task": TASK, "answer": "yes"})
    said = [(f.kind, f.text, f.task_id) for f in executor.feedback]
    assert said == [(3, "I meant the mug", TASK), (1, "", TASK)]


def test_what_is_not_asked_is_not_answered(console, executor, browser):
    executor.event(TaskEvent.INSTRUCTION, text="Stack them.")
    browser.until("task", lambda t: t["id"] == TASK)
    code, text = refused(f"{console.url}do/answer", {"task": TASK, "answer": "yes"})
    assert code == 409 and "not asked any more" in text
    executor.event(TaskEvent.QUESTION, text="Is this what you mean?")
    browser.until("task", lambda t: t["question"])
    assert refused(f"{console.url}do/answer", {"task": "old", "answer": "yes"})[0] == 409
    assert refused(f"{console.url}do/answer", {"task": TASK, "answer": "maybe"})[0] == 409
    assert not executor.feedback


def test_a_browser_that_vanishes_leaves_the_question_asked(console, executor, browser):
    executor.event(TaskEvent.INSTRUCTION, text="Stack them.")
    executor.event(TaskEvent.QUESTION, text="Is this what you mean?")
    browser.until("task", lambda t: t["question"])
    browser.socket.close()
    second = Browser(console.url)
    with second.socket:
        assert second.until("task", lambda t: t["question"])["id"] == TASK
    assert not executor.feedback and not executor.stops


def test_two_browsers_show_the_same(console, executor, browser):
    second = Browser(console.url)
    with second.socket:
        executor.event(TaskEvent.INSTRUCTION, text="Stack them.")
        step = SkillEvent(phase=SkillEvent.FINISHED, action=PlanStep(english="pick it up"))
        step.status.code, step.status.message = 43, "it slipped"
        executor.event(TaskEvent.SKILL, stage="execute", skill=step)
        one, other = (b.until("task", lambda t: t["lines"]) for b in (browser, second))
    assert one == other
    assert one["lines"][0]["text"] == "Failed, POSTCONDITION: it slipped"


def test_anybody_s_task_is_stopped_and_the_stop_is_released(console, executor, browser):
    executor.event(TaskEvent.INSTRUCTION, task_id="of somebody else", text="Stack them.")
    browser.until("gate", lambda g: g is not None and not g["stops"])
    assert asked(f"{console.url}do/stop", {})["token"] == "1"
    (stop,) = browser.until("gate", lambda g: g["stops"])["stops"]
    assert "stopped at the console" in stop
    assert asked(f"{console.url}do/release", {})["released"] == [stop]
    browser.until("gate", lambda g: not g["stops"])


def test_what_was_shown_last_is_taken_back(console):
    assert asked(f"{console.url}do/undo_lesson", {})["undone"] == "shown: hang the mug"
    code, text = refused(f"{console.url}do/undo_lesson", {})
    assert code == 409 and "nothing was taught" in json.loads(text)["message"]


def test_pictures_come_as_they_are_taken(browser, graph):
    camera = graph.publisher(CompressedImage, "camera/left/color/image_raw/compressed")
    for jpeg in (JPEG, JPEG + b"2"):
        camera.publish(CompressedImage(format="jpeg", data=jpeg))
        assert browser.until("camera/left", lambda j, want=jpeg: j == want) == jpeg
    assert browser.until("silent", lambda parts: parts) == ["camera/left"]
    camera.publish(CompressedImage(format="jpeg", data=JPEG))
    assert browser.until("silent", lambda parts: not parts) == []


def test_an_executor_that_ends_is_told(executor, browser, graph):
    browser.until("gate", lambda g: g is not None)
    graph.remove(executor)
    assert browser.until("gate", lambda g: g is None) is None


def test_what_is_said_while_a_report_is_written_is_done_after_it(console, executor, graph):
    executor.written.clear()
    perform = f"{console.url}do/perform"
    asked(perform, {"instruction": "Stack them."})
    with ThreadPoolExecutor(1) as pool:
        task = pool.submit(asked, perform, {"instruction": "Touch the mug."})
        graph.wait_until(lambda: len(executor.goals) == 2, "the second was sent and refused")
        executor.written.set()
        assert task.result(WAIT_S)["task"]
    words = [goal.instruction for goal in executor.goals]
    assert words == ["Stack them.", "Touch the mug.", "Touch the mug."]


def test_an_executor_that_has_no_goal_to_end_is_asked_but_once(console, executor):
    executor.busy = True
    code, text = refused(f"{console.url}do/perform", {"instruction": "Stack them."})
    assert code == 409 and json.loads(text)["code"] == "BUSY"
    assert len(executor.goals) == 1


def test_a_refusal_is_told_with_the_next_step(console, executor, browser):
    executor.busy = True
    executor.event(TaskEvent.INSTRUCTION, text="Something else.")
    browser.until("task", lambda t: t["id"] == TASK)
    code, text = refused(f"{console.url}do/perform", {"instruction": "Stack them."})
    assert code == 409 and json.loads(text)["code"] == "BUSY" and json.loads(text)["hint"]
    for words in ("  ", "x" * 2001, "x" * 30_000):
        assert refused(f"{console.url}do/perform", {"instruction": words})[0] == 409
    assert refused(f"{console.url}do/perform", ["no object"])[0] == 409
    assert refused(f"{console.url}do/dance", {})[0] == 404
    # A form of another page cannot send JSON.
    plain = {"Content-Type": "text/plain"}
    assert refused(f"{console.url}do/stop", {}, **plain)[0] == 409
    assert not executor.stops


def test_no_file_but_the_page_s_own_is_served(console):
    for path in ("nothing", "../page_server.py", "%2e%2e/page_server.py", "..%2fdeeds.py"):
        assert refused(console.url + path)[0] in (401, 404)


def test_a_port_that_is_taken_is_named_with_the_way_out(console, graph):
    port = int(console.url.split("/")[2].rpartition(":")[2])
    with pytest.raises(SaySoError, match=str(port)) as error:
        ConsoleNode(context=graph.context, parameter_overrides=[Parameter("port", value=port)])
    assert error.value.code is Code.CONFIG and "0" in error.value.hint


def test_the_runs_of_before_are_listed_and_read_but_nothing_beside_them(graph, tmp_path):
    run = tmp_path / "runs" / "one"
    run.mkdir(parents=True)
    (run / "report.json").write_text('{"instruction": "Stack them.", "result": null}')
    (tmp_path / "secret.json").write_text("{}")
    skill = tmp_path / "taught" / "skills" / "hang"
    skill.mkdir(parents=True)
    (skill / "skill.json").write_text('{"words": "hang the mug"}')
    tried = tmp_path / "taught" / "tried_out"
    tried.mkdir()
    (tried / "hang.png").write_bytes(b"PNG")
    folders = {name: str(tmp_path / name) for name in ("runs", "taught")}
    console = graph.add(ConsoleNode, port=0, **folders)
    assert [s["words"] for s in asked(f"{console.url}taught")] == ["hang the mug"]
    assert asked(f"{console.url}taught/hang/skill.json")["words"] == "hang the mug"
    assert asked(f"{console.url}tried_out/hang.png") == "PNG"
    for path in ("taught/../../secret.json", "tried_out/..%2f..%2fsecret.json"):
        assert refused(f"{console.url}{path}")[0] in (401, 404)
    (told,) = asked(f"{console.url}runs")
    assert (told["folder"], told["instruction"], told["good"]) == ("one", "Stack them.", False)
    assert asked(f"{console.url}runs/one/report.json")["instruction"] == "Stack them."
    for path in ("../secret.json", "one/..%2f..%2fsecret.json", "%2e%2e/secret.json", "one"):
        assert refused(f"{console.url}runs/{path}")[0] in (401, 404)


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make a certificate with")
def test_with_a_certificate_it_speaks_tls_alone(graph, tmp_path):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", *made, *files, *subject], check=True, capture_output=True)
    given = {"address": "localhost", "certificate": str(certificate), "key": str(key)}
    console = graph.add(ConsoleNode, port=0, **given)
    trusted = ssl.create_default_context(cafile=certificate)
    with urllib.request.urlopen(console.url, timeout=WAIT_S, context=trusted) as reply:
        assert reply.status == 200 and console.url.startswith("https://localhost:")
    browser = Browser(console.url, ssl=trusted)
    with browser.socket:
        assert browser.until("task", lambda t: True)["id"] == ""
    with pytest.raises((urllib.error.URLError, ConnectionError, http.client.HTTPException)):
        asked(console.url.replace("https", "http"))


def test_a_key_that_is_none_is_named(graph, tmp_path):
    (tmp_path / "bad.pem").write_text("no key")
    bad = Parameter("key", value=str(tmp_path / "bad.pem"))
    certificate = Parameter("certificate", value=str(tmp_path / "nothing.pem"))
    port = Parameter("port", value=0)
    with pytest.raises(SaySoError) as error:
        ConsoleNode(context=graph.context, parameter_overrides=[bad, certificate, port])
    assert error.value.code is Code.CONFIG and "PEM" in error.value.hint


def guide(console: ConsoleNode, browser: Browser, page: str = "a page") -> None:
    """The page begins to guide the arm."""
    browser.socket.send(json.dumps({"page": page}))
    browser.until("guiding", lambda _: True)
    while True:  # what it says live and what it asks for travel separately
        try:
            asked(f"{console.url}do/guide", {"page": page})
            break
        except urllib.error.HTTPError as error:
            assert error.code == 409 and "not connected" in error.read().decode()
    browser.until("guiding", lambda g: g["page"] == page)


def test_a_page_guides_the_arm_and_lets_go_of_it(console, executor, browser, graph):
    servo = graph.listen(TwistStamped, "/servo")
    fingers = graph.listen(Int8, "/servo_fingers")
    guide(console, browser)
    assert executor.guided.wait(WAIT_S)
    browser.until("guiding", lambda g: g["text"] == "a setpoint leads into the table.")
    browser.socket.send(json.dumps({"page": "a page", "wish": [0, 0, 1, 0, 0]}))
    browser.until("guiding", lambda g: g["page"] and not g["text"])  # it was of another wish
    browser.socket.send(json.dumps({"page": "a page", "wish": [5, 0, 0, 0, -1]}))
    servo.wait(lambda m: m.twist.linear.x == pytest.approx(FASTEST_M_S))
    fingers.wait(lambda m: m.data == -1)
    servo.clear()
    asked(f"{console.url}do/let_go", {})
    servo.wait(lambda m: m.twist.linear.x == 0.0)
    browser.until("guiding", lambda g: not g["page"])
    graph.wait_until(lambda: not executor.guided.is_set(), "the arm is guided no more")


def test_how_things_lie_is_told(console, browser, graph):
    said = graph.publisher(String, "/scene_graph", LATCHED)
    said.publish(String(data="tray(mug)"))
    browser.until("graph", lambda text: text == "tray(mug)")


def test_a_page_that_vanishes_guides_no_more(console, executor, browser, graph):
    servo = graph.listen(TwistStamped, "/servo")
    guiding = Browser(console.url)
    with guiding.socket:
        guide(console, guiding, "vanishes")
        assert executor.guided.wait(WAIT_S)
        guiding.socket.send(json.dumps({"page": "vanishes", "wish": [1, 0, 0, 0, 0]}))
        servo.wait(lambda m: m.twist.linear.x > 0.0)
        servo.clear()
    servo.wait(lambda m: m.twist.linear.x == 0.0)
    browser.until("guiding", lambda g: not g["page"])
    graph.wait_until(lambda: not executor.guided.is_set(), "the arm is guided no more")


def test_a_console_that_ends_lets_go_of_the_arm(console, executor, browser, graph):
    guide(console, browser)
    assert executor.guided.wait(WAIT_S)
    graph.remove(console)
    graph.wait_until(lambda: not executor.guided.is_set(), "the arm is guided no more")


def test_only_the_page_that_guides_is_followed(console, executor, browser, graph):
    servo = graph.listen(TwistStamped, "/servo")
    code, text = refused(f"{console.url}do/guide", {"page": "nobody"})
    assert code == 409 and "not connected" in text
    guide(console, browser)
    other = Browser(console.url)
    with other.socket:
        for said in (
            "{", "[]", "7", "null",
            json.dumps({"page": "other", "wish": [1, 0, 0, 0, 0]}),
            json.dumps({"page": "a page", "wish": [0, 1, 0, 0]}),
            json.dumps({"page": "a page", "wish": ["x", 1, 0, 0, 0]}),
            json.dumps({"page": "a page", "wish": [float("nan"), 1, 0, 0, 0]}),
        ):  # fmt: skip
            other.socket.send(said)
        code, text = refused(f"{console.url}do/guide", {"page": "other"})
        assert code == 409 and "already" in text
    browser.socket.send(json.dumps({"page": "a page", "wish": [0, 0, 1, 0, 0]}))
    servo.wait(lambda m: m.twist.linear.z > 0.0)
    assert not any(m.twist.linear.x or m.twist.linear.y for m in servo.messages)


def test_a_stop_ends_the_guiding_and_is_told(console, executor, browser):
    guide(console, browser)
    assert executor.guided.wait(WAIT_S)
    asked(f"{console.url}do/stop", {})
    browser.until("guiding", lambda g: not g["page"] and g["text"] == "stopped.")
    executor.stops = []
    executor.busy = True
    assert refused(f"{console.url}do/guide", {"page": "a page"})[0] == 409


def test_what_is_shown_at_the_page_is_recorded_and_listed(graph, executor, tmp_path):
    MovingArm(graph)
    console = graph.add(ConsoleNode, port=0, cameras=["left"], shown=str(tmp_path / "shown"))
    browser = Browser(console.url)
    with browser.socket:
        assert asked(f"{console.url}shown") == []
        assert "wave" in refused(f"{console.url}do/record", {"words": "wave"})[1]
        assert refused(f"{console.url}do/keep", {})[0] == 409
        asked(f"{console.url}do/record", {"words": "put the block on the plate"})
        begun = browser.until("recording", bool)
        assert begun["about"] == ["block", "plate"]
        kept = asked(f"{console.url}do/keep", {})
        assert kept["folder"] == "000" and kept["problems"]
        browser.until("recording", lambda r: r is None)
        asked(f"{console.url}do/record", {"words": "put the block on the plate"})
        asked(f"{console.url}do/discard", {})
        (one,) = asked(f"{console.url}shown")
        assert one["words"] == "put the block on the plate"
    assert recorded.read(tmp_path / "shown" / "000").complete


def test_a_console_without_a_folder_records_nothing(console, executor):
    code, text = refused(f"{console.url}do/record", {"words": "put the block on the plate"})
    assert code == 409 and "shown:=FOLDER" in text
    assert asked(f"{console.url}shown") == []
