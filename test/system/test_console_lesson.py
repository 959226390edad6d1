"""A person at the console's page shows the arm how to hang a mug, and has it hang one."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import GroundTruth
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support.browser import NEEDS_BROWSER, Page, opened
from support.guiding_at_page import Guide
from support.launched import END_S, START_S, TASK_S, Launched, launched

pytestmark = NEEDS_BROWSER
WORDS, TIMES = "hang the blue mug on the rack", 2
SCENE = """
things:
  - {name: rack, family: rack, seed: 27, color: brown, x: 0.508, y: -0.034, yaw: 1.49}
  - {name: blue_mug, family: mug, seed: 36, color: blue, x: 0.455, y: -0.291, yaw: 2.4}
cabinet: false
"""
LEAST_PACE = 0.5
"""Seconds of the robot in one of the clock."""
CONFIG = Path(__file__).parents[2] / "config"
Note = Callable[[str, object], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lesson")


@pytest.fixture(scope="module")
def nodes(folder: Path) -> Iterator[Launched]:
    (folder / "scene.yaml").write_text(SCENE)
    config = shutil.copytree(CONFIG, folder / "config")
    perception = config / "perception.yaml"
    seen = perception.read_text().replace('appearances: ""', "appearances: shapes")
    perception.write_text(seen)
    given = {
        "scene": str(folder / "scene.yaml"),
        "config_dir": str(config),
        "segmenter": "simulator_segmentation",
        "shown": str(folder / "shown"),
        "taught": str(folder / "taught"),
    }
    (folder / "run").mkdir()
    with launched(folder / "run", seed="1", **given) as running:
        yield running


@pytest.fixture(scope="module")
def page(nodes: Launched, folder: Path) -> Iterator[Page]:
    command = [sys.executable, "-m", "sayso.cli", "console", "--port", "0"]
    command += ["--shown", str(folder / "shown"), "--taught", str(folder / "taught")]
    process = subprocess.Popen(
        command, env={**nodes.environment, "COLUMNS": "200"}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = next(iter(re.findall(r"^Console: (\S+)$", process.stdout.readline())), "")
        with opened(address, folder / "browser") as page:
            yield page
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(END_S)


@pytest.fixture(scope="module")
def guide(page: Page) -> Guide:
    """A person, where the robot goes about as fast as the clock: a key that is held for a moment
    is held for none else."""
    page.wait("state", "The robot is at rest", START_S)
    page.wait("seen", "blue mug", START_S)
    guide = Guide(page)
    if (pace := guide.pace()) < LEAST_PACE:
        pytest.skip(f"the simulated robot does {pace:.2f} s in a second: too slow to be guided")
    return guide


def hangs(nodes: Launched) -> bool:
    """By the simulator's truth."""
    truth = nodes.graph.listen(GroundTruth, "/world/ground_truth").wait()
    at = {o.name: o.pose.position for o in truth.objects}
    mug, rack = at["blue_mug"], at["rack"]
    return bool(mug.z > 0.12 and np.hypot(mug.x - rack.x, mug.y - rack.y) < 0.12)


@pytest.mark.parametrize("time", range(TIMES))
def test_a_mug_is_hung_by_keys_and_what_was_shown_is_kept(
    nodes: Launched, page: Page, guide: Guide, record_property: Note, time: int
) -> None:
    page.wait("state", "The robot is at rest", START_S)
    before = guide.presses
    page.click("guide")
    page.wait("guide", "Let go of the arm")
    page.click("shows")
    page.overwrite(WORDS)
    page.press(Keys.ENTER)
    page.wait("recording", f"Recording: {WORDS} (blue mug, brown rack).")
    guide.hang("blue_mug", "brown_rack")
    page.click("keep")
    page.wait("told_shown", "Nothing is wrong with it.")
    record_property("shown", page.shown("told_shown"))
    record_property("presses", guide.presses - before)
    page.click("guide")
    page.wait("guide", "Guide the arm")
    assert hangs(nodes)
    nodes.reset(2 + time)


@pytest.mark.usefixtures("guide")
def test_what_was_shown_is_learned_read_back_and_done(nodes: Launched, page: Page) -> None:
    page.wait("learn", f"shown {TIMES} times")
    page.browser.find_element(By.CSS_SELECTOR, "#learn button").click()
    page.wait("question", "Will you show me?", TASK_S)
    page.click("yes")
    page.wait("question", "Is this right?", TASK_S)
    assert f"From {TIMES} demonstrations: I can hang the mug on the rack" in page.shown("question")
    assert "in thought with things of other shapes" in page.shown("question")
    tried, asked = (page.browser.find_element(By.ID, i).rect for i in ("tried", "ask"))
    assert 100 < tried["width"] <= asked["width"]
    page.click("yes")
    page.wait("question", "Is this what you mean?", TASK_S)
    assert not hangs(nodes)
    page.click("yes")
    page.wait("result", "Succeeded.", TASK_S)
    assert hangs(nodes)
