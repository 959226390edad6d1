"""Core values survive the way through messages and their wire format."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from rclpy.serialization import deserialize_message, serialize_message
from sayso_ros.msg import SymbolicState as SymbolicStateMsg
from sayso_ros.msg import TruthTable as TruthTableMsg
from sensor_msgs.msg import JointState

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import TRUE, UNKNOWN, Atom, Plan, PlanStep, SymbolicState, Truths
from sayso.logic.formula import Eventually, Prop, Referent, Relation
from sayso.logic.specification import Asked, GroundedSpecification, Specification
from sayso.pipeline import perform
from sayso.reporting.events import Understanding
from sayso.reporting.report import RunReport
from sayso.robots.loading import load_robot
from sayso.ros.messages import conversions as c
from sayso.ros.messages.images import (
    depth_from_msg,
    depth_to_msg,
    image_from_msg,
    image_to_msg,
    intrinsics_from_msg,
    intrinsics_to_msg,
    rgb_from_msg,
)
from sayso.ros.messages.joints import JointReadings
from sayso.ros.messages.specifications import understanding_from_msg, understanding_to_msg
from sayso.ros.messages.task_events import event_from_msg, event_to_msg
from sayso.ros.runtime.libraries import load_library
from sayso.worlds.table_upsets import MeddledTable


def wire(message):
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize("mobile", [False, True])
def test_a_scene(mobile: bool) -> None:
    points = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
    objects = (
        SceneObject(
            "red_block", "block", "red", (0.5, -0.25, 0.125), (0.045, 0.046, 0.047),
            (0.0, 0.0, 0.6, 0.8), 0.75, 11.5, False, True, points=points,
        ),
        SceneObject(
            "mug", "mug", "red", (0.5, 0.2, 0.1), (0.1, 0.1, 0.1), let_go=True, off_m=0.25,
            attributes={"water_l": 0.2},
        ),
        SceneObject(
            "drawer", "drawer", "yellow", (0.7, 0.2, 0.1), (0.01, 0.2, 0.1),
            attributes={"opening_m": 0.1, "lit": True, "contents": "two red mugs"},
        ),
    )  # fmt: skip
    robot = RobotState(12.25, (0.1, -0.2, 0.3), 0.0625, Pose((0.3, 0.0, 0.5), (1.0, 0.0, 0.0, 0.0)))
    if mobile:
        robot = replace(robot, base=Pose((1.0, 2.0, 0.0), (0.0, 0.0, 0.6, 0.8)))
    scene = Scene(12.5, objects, robot, 0.25)
    message = wire(c.scene_to_msg(scene, "rgbd"))
    assert message.source == "rgbd"
    again = c.scene_from_msg(message)
    assert again == scene
    assert np.array_equal(again.objects[0].points, points)
    assert again.objects[1].points.shape == (0, 3)


def test_a_symbolic_state_with_its_three_values() -> None:
    known = {Atom("on", ("a", "b")): True, Atom("clear", ("a",)): None}
    truths = Truths(("a", "b"), {"on": 2, "clear": 1, "empty": 0}, known)
    state = SymbolicState(3.5, ("a", "b"), truths, {"b": "mug"})
    assert c.state_from_msg(wire(c.state_to_msg(state))) == state


def test_what_holds_of_many_pairs_goes_as_a_table() -> None:
    names = ("a", "b", "c")
    left = np.triu(np.ones((3, 3), np.int8), 1)
    left[2, 0], on = UNKNOWN, np.zeros((3, 3), np.int8)
    on[0, 1] = TRUE
    known = {Atom("clear", ("a",)): None}
    arities = {"left_of": 2, "on": 2, "clear": 1}
    truths = Truths(names, arities, known, {"left_of": left, "on": on})
    state = SymbolicState(3.5, names, truths)
    message = wire(c.state_to_msg(state))
    assert {a.predicate for a in message.atoms} == {"clear", "on"}
    assert [t.predicate for t in message.tables] == ["left_of"]
    again = c.state_from_msg(message)
    assert again == state
    assert again.truth(Atom("left_of", ("c", "a"))) is None
    assert again.truth(Atom("left_of", ("a", "c"))) is True
    assert again.truth(Atom("left_of", ("b", "a"))) is False


@pytest.mark.parametrize("predicate, numbers", [("on", [0] * 3), ("in", [0] * 4), ("on", [2] * 4)])
def test_a_table_that_does_not_fit_is_refused(predicate: str, numbers: list[int]) -> None:
    names, table = ("a", "b"), TruthTableMsg(predicate=predicate, truths=numbers)
    message = c.state_to_msg(SymbolicState(0.0, names, Truths(names, {"on": 2}, {})))
    message.tables = [table]
    with pytest.raises(SaySoError) as caught:
        c.state_from_msg(message)
    assert caught.value.code is Code.INVALID


def test_a_malformed_state_is_refused() -> None:
    message = c.state_to_msg(SymbolicState(0.0, ("a",), {Atom("clear", ("a",)): True}))
    message.truths = []
    with pytest.raises(SaySoError, match="1 atoms but 0 truths"):
        c.state_from_msg(message)
    message = c.state_to_msg(SymbolicState(0.0, ("a",), {}))
    message.categories = ["mug", "bowl"]
    with pytest.raises(SaySoError, match="1 objects but 2 categories"):
        c.state_from_msg(message)
    with pytest.raises(SaySoError) as caught:
        c.truth_from_msg(7)
    assert caught.value.code is Code.INVALID
    assert SymbolicStateMsg.UNKNOWN == -1


def test_a_plan_regains_its_operators_from_the_domain() -> None:
    domain = load_library("tabletop").domain()
    action = domain.operator("pick_from_table").ground("red_block")
    plan = Plan((PlanStep(action, "to have it"),), "search", 1.0, 0.25)
    message = wire(c.plan_to_msg(plan))
    assert c.plan_from_msg(message, domain) == plan
    message.steps[0].operator_name = "juggle"
    with pytest.raises(SaySoError) as caught:
        c.plan_from_msg(message, domain)
    assert "pick_from_table" in caught.value.choices


def test_an_error_and_its_status() -> None:
    error = SaySoError(
        Code.AMBIGUOUS, "which?", hint="say more", choices=("a", "b"), span=Span(4, 9)
    )
    status = wire(c.error_to_status(error, "interpret"))
    again = c.error_from_status(status)
    assert (again.code, again.message, again.hint) == (Code.AMBIGUOUS, "which?", "say more")
    assert (again.choices, again.span, again.stage) == (("a", "b"), Span(4, 9), "interpret")
    assert c.raise_unless_ok(c.ok_status(Code.ALREADY_SATISFIED)) is Code.ALREADY_SATISFIED
    with pytest.raises(SaySoError):
        c.raise_unless_ok(status)
    status.code = 250
    assert c.error_from_status(status).code is Code.UNKNOWN


def test_an_understanding_with_nested_referents() -> None:
    mug = Referent("mug")
    block = Referent("block", ("red", "small"), (Relation("isleftof", (mug,)),), "a")
    formula = Eventually(Prop("on", (block, Referent("plate"))))
    spec = Specification("put a small red block on the plate", formula, "a model", 3)
    grounded = GroundedSpecification(
        spec,
        Eventually(Prop("on", ("red_block_2", "plate"))),
        {block: ("red_block", "red_block_2"), Referent("plate"): ("plate",), mug: ("mug",)},
    )
    understanding = Understanding(grounded, "Make it so.")
    assert understanding_from_msg(wire(understanding_to_msg(understanding))) == understanding


def test_what_a_person_is_asked_goes_with_the_reading_which_is_not_grounded_until_then() -> None:
    mug = Eventually(Prop("holding", (Referent("mug"),)))
    asked = Asked(("no squeaking",), limiting=True)
    spec = Specification("Take the mug, no squeaking.", mug, assumptions=("it",), asked=asked)
    trouble = SaySoError(Code.NOT_UNDERSTOOD, "what is 'no squeaking'?")
    understanding = Understanding(GroundedSpecification(spec, mug), "Take it.", (), trouble)
    message = wire(understanding_to_msg(understanding))
    assert understanding_from_msg(message, trouble) == understanding
    message.grounded_formula = "F(holding(mug))"
    with pytest.raises(SaySoError) as caught:
        understanding_from_msg(message)
    assert caught.value.code is Code.INVALID


@pytest.mark.parametrize("stamp_s", [0.0, 0.1, 12.000000001, 1.8e9 + 0.25])
def test_stamps(stamp_s: float) -> None:
    assert c.time_from_msg(c.time_to_msg(stamp_s)) == pytest.approx(stamp_s, abs=1e-9, rel=1e-15)


# -- images --------------------------------------------------------------------------------


def test_colour_images_in_both_orders() -> None:
    rgb = np.random.default_rng(1).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    assert np.array_equal(rgb_from_msg(wire(image_to_msg(rgb, "rgb8", c.header(1.0)))), rgb)
    bgr = image_to_msg(np.ascontiguousarray(rgb[..., ::-1]), "bgr8", c.header(1.0))
    assert np.array_equal(rgb_from_msg(bgr), rgb)


def test_depth_in_both_encodings_with_missing_pixels() -> None:
    depth = np.array([[0.0, 0.5, 1.234], [np.nan, 70.0, 65.535]], np.float32)
    expected = np.array([[0.0, 0.5, 1.234], [0.0, 0.0, 65.535]], np.float32)
    millimetres = wire(depth_to_msg(depth, c.header(1.0)))
    assert millimetres.encoding == "16UC1"
    assert np.allclose(depth_from_msg(millimetres), expected, atol=5e-4)
    metres = depth_from_msg(image_to_msg(depth, "32FC1", c.header(1.0)))
    assert np.array_equal(metres, np.nan_to_num(depth))
    assert metres.dtype == np.float32


def test_padded_rows_and_foreign_byte_order() -> None:
    pixels = np.arange(6, dtype=np.uint16).reshape(2, 3) + 300
    message = image_to_msg(pixels, "16UC1", c.header(0.0))
    padded = np.zeros((2, 10), np.uint8)
    padded[:, :6] = pixels.astype(">u2").view(np.uint8).reshape(2, 6)
    message.step, message.is_bigendian, message.data = 10, 1, padded.tobytes()
    assert np.array_equal(image_from_msg(message), pixels)


def test_unusable_images_are_refused_with_the_reason() -> None:
    message = image_to_msg(np.zeros((2, 3), np.uint16), "16UC1", c.header(0.0))
    message.data = message.data[:5]
    with pytest.raises(SaySoError, match="only 5 bytes"):
        image_from_msg(message)
    message.encoding = "yuv422"
    with pytest.raises(SaySoError) as caught:
        image_from_msg(message)
    assert "rgb8" in caught.value.choices
    with pytest.raises(SaySoError, match="encoding"):
        rgb_from_msg(image_to_msg(np.zeros((2, 2), np.uint8), "mono8", c.header(0.0)))
    with pytest.raises(SaySoError, match="encoding"):
        depth_from_msg(image_to_msg(np.zeros((2, 2), np.uint8), "mono8", c.header(0.0)))
    with pytest.raises(SaySoError, match="not of encoding"):
        image_to_msg(np.zeros((2, 2)), "rgb8", c.header(0.0))


def test_calibration() -> None:
    intrinsics = Intrinsics(640, 480, 600.5, 601.5, 319.5, 239.5)
    message = wire(intrinsics_to_msg(intrinsics, c.header(0.0, "left_optical_frame")))
    assert intrinsics_from_msg(message) == intrinsics
    message.d = [0.1, 0.0, 0.0, 0.0, 0.0]
    with pytest.raises(SaySoError, match="distorted"):
        intrinsics_from_msg(message)
    message.k = [0.0] * 9
    with pytest.raises(SaySoError, match="focal"):
        intrinsics_from_msg(message)


def test_rectified_images_are_told_by_p_however_the_lens_distorts() -> None:
    """REP 104: K and D are the raw image's, the left 3 x 3 of P the rectified one's."""
    message = wire(intrinsics_to_msg(Intrinsics(640, 480, 600.0, 600.0, 320.0, 240.0), c.header(0)))
    message.d = [0.1, -0.2, 0.0, 0.0, 0.05]
    message.p = [571.0, 0.0, 311.0, -40.0, 0.0, 572.0, 236.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    rectified = intrinsics_from_msg(message, rectified=True)
    assert rectified == Intrinsics(640, 480, 571.0, 572.0, 311.0, 236.0)
    message.p = [0.0] * 12
    with pytest.raises(SaySoError, match="focal"):
        intrinsics_from_msg(message, rectified=True)


def joint_message(stamp_s: float, **positions: float) -> JointState:
    return wire(
        JointState(
            header=c.header(stamp_s), name=list(positions), position=list(positions.values())
        )
    )


PANDA = load_robot("panda")
ARM = dict(zip(PANDA.joint_names, np.arange(7) * 0.1, strict=True))


def test_arm_and_fingers_may_be_told_in_separate_messages() -> None:
    readings = JointReadings(PANDA)
    assert readings.take(joint_message(1.0, **ARM)) is None, "the fingers were never told"
    assert readings.take(joint_message(1.01, panda_finger_joint1=0.03)) is None
    whole = readings.take(joint_message(1.02, **ARM))
    assert whole is not None and whole.stamp_s == pytest.approx(1.02)
    assert whole.arm == pytest.approx(tuple(ARM.values())) and whole.finger == 0.03
    assert readings.take(joint_message(1.4, **ARM)) is None, "the fingers fell silent"


def test_one_message_of_all_joints_is_a_whole_reading_whatever_their_order() -> None:
    told = dict(reversed({**ARM, "panda_finger_joint1": 0.04, "wheel": 3.0}.items()))
    whole = JointReadings(PANDA).take(joint_message(2.0, **told))
    assert whole is not None and whole.arm == pytest.approx(tuple(ARM.values()))


def test_joints_of_one_arm_in_two_messages_have_the_older_stamp() -> None:
    names = list(ARM)
    readings = JointReadings(PANDA)
    first = {n: ARM[n] for n in names[:3]}
    second = {**{n: ARM[n] for n in names[3:]}, "panda_finger_joint1": 0.04}
    assert readings.take(joint_message(3.0, **first)) is None
    whole = readings.take(joint_message(3.1, **second))
    assert whole is not None and whole.stamp_s == pytest.approx(3.0)


def test_why_there_was_no_plan_and_what_was_looked_into_are_told_to_who_follows_the_task() -> None:
    sent, told = RunReport(), RunReport()
    table = MeddledTable("drawer_left_ajar", 3, seed=3)
    perform("Put the green block in the drawer and close it.", table, sent.add)
    for event in sent.events:
        told.add(event_from_msg(wire(event_to_msg(event, "task", 1.0))))
    (repair,), (heard,) = sent.as_data()["repairs"], told.as_data()["repairs"]
    assert (heard["failure"], heard["repairer"], heard["taken"]) == ("NO_PLAN", "look", True)
    assert {**heard, "elapsed_s": 0.0} == {**repair, "elapsed_s": 0.0}


def test_a_failure_and_its_repair_tell_the_same_to_who_follows_the_task() -> None:
    sent, told = RunReport(), RunReport()
    table = MeddledTable("drawer_shut", 2, seed=0)
    perform("Put the green block in the drawer and close it.", table, sent.add)
    for event in sent.events:
        told.add(event_from_msg(wire(event_to_msg(event, "task", 1.0))))
    assert table.upset_at is not None
    (repair,), (heard,) = sent.as_data()["repairs"], told.as_data()["repairs"]
    assert repair["failure"] == "PRECONDITION" and repair["cause"] == "not accessible(drawer)"
    assert repair["taken"] and repair["steps"]
    assert {**heard, "elapsed_s": 0.0} == {**repair, "elapsed_s": 0.0}
    failed = [e.skill for e in told.events if e.skill and e.skill.code is Code.PRECONDITION]
    checks = [(str(c.literal), c.observed) for s in failed for c in s.checks]
    assert checks == [("accessible(drawer)", False)]
