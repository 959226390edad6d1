"""A person at the console's page, in a real browser, on the launched whole."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from rclpy.qos import qos_profile_sensor_data
from sayso_ros.msg import GroundTruth
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from sensor_msgs.msg import JointState

from sayso.learning.demonstrations import folder as recorded
from support.browser import NEEDS_BROWSER, Page, opened
from support.launched import END_S, START_S, TASK_S, Launched, launched
from support.ros_graph import WAIT_S

pytestmark = NEEDS_BROWSER
INSTRUCTION = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    with launched(tmp_path_factory.mktemp("run"), seed="1") as running:
        yield running


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown")


@pytest.fixture(scope="module")
def console(nodes: Launched, shown: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "sayso.cli", "console", "--port", "0", "--shown", str(shown)]
    process = subprocess.Popen(
        command, env={**nodes.environment, "COLUMNS": "200"}, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(END_S)


@pytest.fixture(scope="module")
def page(console: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory):
    assert console.stdout is not None
    address = next(iter(re.findall(r"^Console: (\S+)$", console.stdout.readline())), "")
    with opened(address, tmp_path_factory.mktemp("browser")) as page:
        yield page


def resting_on(truth: GroundTruth, upper: str, lower: str) -> bool:
    at = {o.name: o.pose.position for o in truth.objects}
    above, below = at[upper], at[lower]
    near = abs(above.x - below.x) < 0.03 and abs(above.y - below.y) < 0.03
    return near and 0.02 < above.z - below.z < 0.08


def test_a_task_is_said_corrected_confirmed_and_done_by_keyboard(nodes: Launched, page: Page):
    page.wait("state", "The robot is at rest", START_S)
    page.wait("seen", "red block")
    page.tab_to("What shall the robot do?")
    page.press(INSTRUCTION, Keys.ENTER)
    page.wait("question", "Is this what you mean?")
    assert "blue" in page.shown("english") and "blue block" in page.shown("things")
    page.tab_to("Or say what you meant")
    page.press("not the blue block, the green one", Keys.ENTER)
    page.wait("english", "green")
    page.wait("question", "Is this what you mean?")
    page.tab_to("Yes, do it")
    page.press(Keys.ENTER)
    page.wait("steps", "now", TASK_S)
    assert len(page.browser.find_elements(By.CSS_SELECTOR, "#cameras img[src^='blob:']")) >= 3
    page.wait("result", "Succeeded.", TASK_S)
    assert page.shown("steps").count("done") == 4 and "Still to do: nothing" in page.shown("plan")
    truth = nodes.graph.listen(GroundTruth, "/world/ground_truth").wait()
    assert resting_on(truth, "green_block", "red_block")


def test_the_robot_is_stopped_by_key_and_goes_on_only_when_released(nodes: Launched, page: Page):
    page.click("instruction")
    page.overwrite("Put the blue block in the bowl.")
    page.press(Keys.ENTER)
    page.wait("said", "Put the blue block in the bowl.", START_S)
    page.wait("question", "Is this what you mean?")
    page.click("yes")
    page.wait("steps", "now", TASK_S)
    page.click("instruction")
    page.press("while somebody types", Keys.ESCAPE)
    page.wait("held", "Stopped: nothing moves.")
    page.wait("result", "Not done (STOPPED).", TASK_S)
    page.click("release")
    WebDriverWait(page.browser, WAIT_S).until(lambda _: not page.shown("held"))


def test_the_arm_is_guided_by_keys_and_what_is_shown_is_kept(
    nodes: Launched, page: Page, shown: Path
):
    joints = nodes.graph.listen(JointState, "/joint_states", qos_profile_sensor_data)
    page.click("guide")
    page.wait("guide", "Let go of the arm")
    page.click("shows")
    page.press("put the red block on the plate", Keys.ENTER)
    page.wait("recording", "Recording: put the red block on the plate (red block, plate).")
    page.browser.find_element(By.CSS_SELECTOR, "[data-key=w]").send_keys("")  # has the focus
    begin = joints.wait().position[:7]
    page.hold("r")
    joints.wait(lambda m: np.abs(np.subtract(m.position[:7], begin)).max() > 0.05)
    page.let_go("r")
    nodes.graph.wait_until(lambda: rests(joints.messages), "the arm is at rest")
    page.click("keep")
    page.wait("told_shown", "Kept")
    page.wait("shown", "000: put the red block on the plate")
    page.click("guide")
    page.wait("guide", "Guide the arm")
    page.wait("state", "The robot is at rest")
    heights = [s.tool.position[2] for s in recorded.read(shown / "000").samples]
    assert heights[-1] - heights[0] > 0.01


def rests(messages: list[JointState]) -> bool:
    """Whether the joints stay where they are for a while, by the newest messages."""
    newest = [m.position[:7] for m in messages[-25:]]
    return len(newest) == 25 and bool(np.ptp(newest, axis=0).max() < 1e-2)


def test_everything_that_can_be_used_has_a_name(page: Page):
    used = page.browser.find_elements(By.CSS_SELECTOR, "button, input, canvas, img, summary")
    used = [e for e in used if e.is_displayed()]
    assert len(used) > 5
    assert [e.get_attribute("outerHTML") for e in used if not e.accessible_name] == []


def test_a_page_that_lost_its_console_says_so_and_comes_back(
    console: subprocess.Popen[str], page: Page
):
    assert not page.shown("lost")
    console.send_signal(signal.SIGSTOP)
    page.wait("lost", "No connection.")
    console.send_signal(signal.SIGCONT)
    WebDriverWait(page.browser, WAIT_S).until(lambda _: not page.shown("lost"))
    page.wait("state", "The robot is at rest")
    console.send_signal(signal.SIGINT)
    console.wait(END_S)
    page.wait("lost", "No connection.")
    page.click("stop")
    page.wait("trouble", "STOP HAS NOT REACHED THE ROBOT")
