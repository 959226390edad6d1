"""Core values to messages and back.

Each pair is `NAME_to_msg` and `NAME_from_msg`. The second takes any object with the message's
fields, so that messages read offline from a bag convert as well. Stamps are seconds in the
core and `builtin_interfaces/Time` on the wire.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import Quaternion as QuaternionMsg
from sayso_ros.msg import Atom as AtomMsg
from sayso_ros.msg import Attribute as AttributeMsg
from sayso_ros.msg import Plan as PlanMsg
from sayso_ros.msg import PlanStep as PlanStepMsg
from sayso_ros.msg import RobotState as RobotStateMsg
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import SceneObject as SceneObjectMsg
from sayso_ros.msg import Status
from sayso_ros.msg import SymbolicState as SymbolicStateMsg
from sayso_ros.msg import TruthTable as TruthTableMsg
from std_msgs.msg import Header

from sayso.core.errors import Code, SaySoError, Span
from sayso.core.geometry import Pose
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject
from sayso.core.symbols import (
    FALSE,
    Action,
    Atom,
    Domain,
    Plan,
    PlanStep,
    SymbolicState,
    ThreeValued,
    Truths,
)
from sayso.planning.problem import FROM_WORDS

_LET_GO = "let_go"
"""That a thing was let go of travels among its attributes, and there only where it is so."""
_OFF_M = "place_off_m"
"""So does how far its place may be off, where that was told."""

# -- time, pose ----------------------------------------------------------------------------


def time_to_msg(stamp_s: float) -> Time:
    """Seconds as a `Time`, rounded to nanoseconds."""
    sec, nanosec = divmod(round(stamp_s * 1e9), 10**9)
    return Time(sec=sec, nanosec=nanosec)


def time_from_msg(msg: Any) -> float:
    """Seconds of a `Time`; exact to a microsecond for present-day stamps."""
    return float(msg.sec + msg.nanosec * 1e-9)


def header(stamp_s: float, frame: str = "") -> Header:
    return Header(stamp=time_to_msg(stamp_s), frame_id=frame)


def pose_to_msg(pose: Pose) -> PoseMsg:
    x, y, z = map(float, pose.position)
    qx, qy, qz, qw = map(float, pose.orientation)
    return PoseMsg(position=Point(x=x, y=y, z=z), orientation=QuaternionMsg(x=qx, y=qy, z=qz, w=qw))


def pose_from_msg(msg: Any) -> Pose:
    p, q = msg.position, msg.orientation
    return Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


# -- scene ---------------------------------------------------------------------------------


def robot_to_msg(robot: RobotState) -> RobotStateMsg:
    return RobotStateMsg(
        stamp=time_to_msg(robot.stamp_s),
        joint_positions=array("d", robot.joint_positions),
        gripper_width_m=float(robot.gripper_width_m),
        gripper=pose_to_msg(robot.gripper),
        base=[] if robot.base is None else [pose_to_msg(robot.base)],
    )


def robot_from_msg(msg: Any) -> RobotState:
    return RobotState(
        stamp_s=time_from_msg(msg.stamp),
        joint_positions=tuple(float(q) for q in msg.joint_positions),
        gripper_width_m=float(msg.gripper_width_m),
        gripper=pose_from_msg(msg.gripper),
        base=pose_from_msg(msg.base[0]) if len(msg.base) else None,
    )


def attribute_to_msg(name: str, value: AttributeValue) -> AttributeMsg:
    if isinstance(value, bool):
        return AttributeMsg(name=name, kind=AttributeMsg.TRUTH, truth=value)
    if isinstance(value, str):
        return AttributeMsg(name=name, kind=AttributeMsg.WORDS, words=value)
    return AttributeMsg(name=name, kind=AttributeMsg.NUMBER, number=float(value))


def attribute_from_msg(msg: Any) -> AttributeValue:
    """The value alone. Raises INVALID for a kind that there is not."""
    if msg.kind == AttributeMsg.TRUTH:
        return bool(msg.truth)
    if msg.kind == AttributeMsg.WORDS:
        return str(msg.words)
    if msg.kind == AttributeMsg.NUMBER:
        return float(msg.number)
    raise SaySoError(
        Code.INVALID,
        f"the attribute '{msg.name}' is of kind {msg.kind}.",
        hint="use NUMBER, TRUTH or WORDS of sayso_ros/msg/Attribute.",
    )


def object_to_msg(obj: SceneObject) -> SceneObjectMsg:
    points = array("f")
    points.frombytes(np.ascontiguousarray(obj.points, np.float32).tobytes())
    told: dict[str, AttributeValue] = {_LET_GO: True} if obj.let_go else {}
    if obj.off_m:
        told[_OFF_M] = float(obj.off_m)
    return SceneObjectMsg(
        name=obj.name,
        category=obj.category,
        color=obj.color,
        pose=pose_to_msg(obj.pose),
        size=_vector(obj.size),
        confidence=float(obj.confidence),
        last_seen=time_to_msg(obj.last_seen_s),
        visible=bool(obj.visible),
        carried=bool(obj.carried),
        living=bool(obj.living),
        velocity=_vector(obj.velocity),
        attributes=[attribute_to_msg(n, v) for n, v in {**obj.attributes, **told}.items()],
        points=points,
    )


def _vector(values: Iterable[float]) -> Vector3:
    x, y, z = map(float, values)
    return Vector3(x=x, y=y, z=z)


def object_from_msg(msg: Any) -> SceneObject:
    pose = pose_from_msg(msg.pose)
    attributes = {a.name: attribute_from_msg(a) for a in msg.attributes}
    return SceneObject(
        name=msg.name,
        category=msg.category,
        color=msg.color,
        position=pose.position,
        orientation=pose.orientation,
        size=(msg.size.x, msg.size.y, msg.size.z),
        confidence=float(msg.confidence),
        last_seen_s=time_from_msg(msg.last_seen),
        visible=bool(msg.visible),
        carried=bool(msg.carried),
        living=bool(msg.living),
        velocity=(msg.velocity.x, msg.velocity.y, msg.velocity.z),
        let_go=attributes.pop(_LET_GO, False) is True,
        off_m=float(attributes.pop(_OFF_M, 0.0)),
        attributes=attributes,
        points=np.array(msg.points, np.float32).reshape(-1, 3),
    )


def scene_to_msg(scene: Scene, source: str) -> SceneMsg:
    """`source` names the perception backend."""
    return SceneMsg(
        header=header(scene.stamp_s, scene.frame),
        objects=[object_to_msg(o) for o in scene.objects],
        robot=robot_to_msg(scene.robot),
        table_height_m=float(scene.table_height_m),
        source=source,
    )


def scene_from_msg(msg: Any) -> Scene:
    return Scene(
        stamp_s=time_from_msg(msg.header.stamp),
        objects=tuple(object_from_msg(o) for o in msg.objects),
        robot=robot_from_msg(msg.robot),
        table_height_m=float(msg.table_height_m),
        frame=msg.header.frame_id,
    )


# -- symbols -------------------------------------------------------------------------------

_TRUTH: Mapping[bool | None, int] = {
    True: SymbolicStateMsg.TRUE,
    False: SymbolicStateMsg.FALSE,
    None: SymbolicStateMsg.UNKNOWN,
}
_TRUTH_BACK = {number: truth for truth, number in _TRUTH.items()}


def truth_to_msg(truth: bool | None) -> int:
    return _TRUTH[truth]


def truth_from_msg(number: int) -> bool | None:
    """Raises INVALID for a number that is no truth value."""
    if int(number) not in _TRUTH_BACK:
        raise SaySoError(Code.INVALID, f"{number} is no truth value: use 0, 1 or -1.")
    return _TRUTH_BACK[int(number)]


def state_to_msg(state: SymbolicState, frame: str = "world") -> SymbolicStateMsg:
    arities, known = state.arities, state.truths
    if not isinstance(known, Truths):
        known = Truths(state.objects, arities, state.exceptions)
    atoms = known.sparse
    return SymbolicStateMsg(
        header=header(state.stamp_s, frame),
        objects=list(state.objects),
        categories=[state.categories.get(o, "") for o in state.objects],
        predicates=list(arities),
        arities=array("B", arities.values()),
        atoms=[AtomMsg(predicate=a.predicate, args=list(a.args)) for a in atoms],
        truths=array("b", (_TRUTH[t] for t in atoms.values())),
        tables=[
            TruthTableMsg(predicate=p, truths=array("b", table.tobytes()))
            for p, table in known.dense.items()
        ],
    )


def state_from_msg(msg: Any) -> SymbolicState:
    """Raises INVALID if what belongs together differs in number or a truth is none of the three."""
    objects = tuple(msg.objects)
    _require_as_many("predicates", msg.predicates, "arities", msg.arities)
    _require_as_many("atoms", msg.atoms, "truths", msg.truths)
    if len(msg.categories):
        _require_as_many("objects", objects, "categories", msg.categories)
    truths = {
        Atom(a.predicate, tuple(a.args)): truth_from_msg(t)
        for a, t in zip(msg.atoms, msg.truths, strict=True)
    }
    arities = {p: int(n) for p, n in zip(msg.predicates, msg.arities, strict=True)}
    tables = {t.predicate: _table_from_msg(t, len(objects), arities) for t in msg.tables}
    return SymbolicState(
        time_from_msg(msg.header.stamp),
        objects,
        Truths(objects, arities, truths, tables),
        {o: c for o, c in zip(objects, msg.categories, strict=False) if c},
    )


def _require_as_many(one: str, ones: Sized, other: str, others: Sized) -> None:
    if len(ones) != len(others):
        raise SaySoError(
            Code.INVALID,
            f"a symbolic state has {len(ones)} {one} but {len(others)} {other}.",
        )


def _table_from_msg(msg: Any, count: int, arities: Mapping[str, int]) -> ThreeValued:
    """Raises INVALID for another number of truths than there are tuples, one that is none of the
    three, or a predicate that was not evaluated."""
    truths = np.array(msg.truths, np.int8)
    shape = (count,) * arities.get(msg.predicate, 0)
    if msg.predicate not in arities or truths.size != count ** len(shape):
        raise SaySoError(
            Code.INVALID,
            f"a symbolic state of {count} objects has a table of {truths.size} truths for "
            f"'{msg.predicate}'.",
        )
    for number in np.unique(truths):
        truth_from_msg(number)
    table = truths.reshape(shape)
    if len(shape) > 1:
        np.fill_diagonal(table, FALSE)  # whoever sent it
    return table


def action_to_msg(action: Action, why: str = "") -> PlanStepMsg:
    return PlanStepMsg(
        operator_name=action.name,
        args=list(action.args),
        skill=action.skill,
        english=action.english,
        why=why,
        cost=float(action.cost),
    )


def action_from_msg(msg: Any, domain: Domain) -> Action:
    """The ground operator that a step names. Raises INVALID if the domain has no such one."""
    return domain.operator(msg.operator_name).ground(*msg.args)


def plan_to_msg(plan: Plan) -> PlanMsg:
    return PlanMsg(
        steps=[action_to_msg(s.action, s.why) for s in plan.steps],
        planner=plan.planner,
        cost=float(plan.cost),
        time_s=float(plan.time_s),
    )


def plan_from_msg(msg: Any, domain: Domain) -> Plan:
    """Raises INVALID if the domain lacks an operator of the plan."""
    steps = tuple(PlanStep(action_from_msg(s, domain), s.why) for s in msg.steps)
    from_words = msg.planner in FROM_WORDS
    return Plan(steps, msg.planner, float(msg.cost), float(msg.time_s), from_words)


# -- status --------------------------------------------------------------------------------


def ok_status(code: Code = Code.OK) -> Status:
    """A success."""
    return Status(code=int(code))


def error_to_status(error: SaySoError, stage: str = "") -> Status:
    """`stage` is used where the error names none."""
    start, end = (error.span.start, error.span.end) if error.span else (-1, -1)
    return Status(
        code=int(error.code),
        stage=error.stage or stage,
        message=error.message,
        hint=error.hint,
        choices=list(error.choices),
        span_start=start,
        span_end=end,
    )


def error_from_status(msg: Any) -> SaySoError:
    """The error that a status tells of; a code that this version does not know is UNKNOWN."""
    code = Code(msg.code) if msg.code in Code.__members__.values() else Code.UNKNOWN
    return SaySoError(
        code,
        msg.message,
        hint=msg.hint,
        choices=tuple(msg.choices),
        span=Span(msg.span_start, msg.span_end) if msg.span_start >= 0 else None,
        stage=msg.stage,
    )


def raise_unless_ok(status: Any) -> Code:
    """The success code of a status; raises its `SaySoError` otherwise."""
    if status.code in (Status.OK, Status.ALREADY_SATISFIED):
        return Code(status.code)
    raise error_from_status(status)
