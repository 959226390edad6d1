"""Buttons, keys, a gamepad and pulls on the console's page, in a real browser, without an arm."""

from __future__ import annotations

import pytest
from geometry_msgs.msg import TwistStamped
from selenium import webdriver
from selenium.webdriver.common.by import By
from std_msgs.msg import Int8

from sayso.ros.nodes.console_node import ConsoleNode
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S
from support.browser import NEEDS_BROWSER, opened
from support.console_executor import Executor
from support.moving_arm import MovingArm
from support.ros_graph import WAIT_S

pytestmark = NEEDS_BROWSER
SLOW = 0.25
GAMEPAD = """
const pressed = (on) => ({ pressed: on });
const buttons = Array(16).fill(0).map((_, i) => pressed(i === 4 && arguments[0]));
navigator.getGamepads = () => [null, { axes: [0, -1, 0, 0], buttons }];
"""


@pytest.fixture
def executor(graph):
    MovingArm(graph)
    return graph.add(Executor)


@pytest.fixture
def servo(graph):
    return graph.listen(TwistStamped, "/servo")


@pytest.fixture
def page(graph, executor, servo, tmp_path):
    console = graph.add(ConsoleNode, port=0, cameras=["left"], shown=str(tmp_path / "shown"))
    with opened(console.url, tmp_path / "browser") as page:
        page.wait("seen", "block")
        page.click("guide")
        page.wait("guide", "Let go of the arm")
        assert executor.guided.wait(WAIT_S)
        yield page


def test_the_hand_goes_while_something_is_held_and_rests_after_it(graph, page, servo):
    fingers = graph.listen(Int8, "/servo_fingers")
    button = page.browser.find_element(By.CSS_SELECTOR, "[data-key=w]")
    hand = webdriver.ActionChains(page.browser)
    hand.click_and_hold(button).perform()
    servo.wait(lambda m: m.twist.linear.x == pytest.approx(SLOW * FASTEST_M_S))
    servo.clear()
    hand.release().perform()
    servo.wait(lambda m: m.twist.linear.x == 0.0)

    page.hold("q")  # the button that was pressed has the focus
    servo.wait(lambda m: m.twist.angular.z == pytest.approx(SLOW * FASTEST_RAD_S, rel=1e-3))
    servo.clear()
    page.let_go("q")
    servo.wait(lambda m: m.twist.angular.z == 0.0)

    page.hold("c")
    fingers.wait(lambda m: m.data == -1)
    fingers.clear()
    page.browser.execute_script("window.dispatchEvent(new Event('blur'))")
    fingers.wait(lambda m: m.data == 0)
    page.let_go("c")


def test_a_gamepad_moves_it_while_its_shoulder_button_is_held(page, servo):
    page.click("slowly")
    page.browser.execute_script(GAMEPAD, True)
    servo.wait(lambda m: m.twist.linear.x == pytest.approx(FASTEST_M_S))
    servo.clear()
    page.browser.execute_script(GAMEPAD, False)
    servo.wait(lambda m: m.twist.linear.x == 0.0)


def test_the_gripper_in_the_picture_can_be_pulled(page, servo):
    scene = page.browser.find_element(By.ID, "scene")
    page.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", scene)
    left, top = map(float, scene.get_attribute("data-gripper").split())
    x, y = left - scene.size["width"] / 2, top - scene.size["height"] / 2
    hand = webdriver.ActionChains(page.browser)
    hand.move_to_element_with_offset(scene, int(x), int(y)).click_and_hold()
    hand.move_by_offset(0, 60).perform()
    servo.wait(lambda m: m.twist.linear.z < 0.0)
    servo.clear()
    hand.release().perform()
    servo.wait(lambda m: m.twist.linear.z == 0.0)


def test_what_is_typed_moves_nothing_and_a_task_lets_go_of_the_arm(page, servo, executor, graph):
    page.click("instruction")
    page.press("draw a circle")
    page.click("shows")
    page.press("was")
    assert not any(m.twist.linear.x or m.twist.linear.y or m.twist.linear.z for m in servo.messages)
    page.click("instruction")
    page.press("\ue007")
    graph.wait_until(lambda: bool(executor.goals), "it is said")
    assert not executor.guided.is_set()
