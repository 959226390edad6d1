"""Judge a recorded run again, and play it back.

The predicates are evaluated anew on the recorded scenes, the automaton is compiled anew from
the recorded specification, and every verdict is compared with the recorded one. Where the bag
is a simulator's, what truly came about is judged beside that, for scoring.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher
from rosbags.highlevel import AnyReaderError
from rosbags.interfaces import Connection, ConnectionExtRosbag2

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.occupied import Occupied
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import SymbolicState
from sayso.logic.formula import Top, conjunction
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Verdict, progression_of
from sayso.logic.specification import GroundedSpecification
from sayso.perception.grounding import new_objects
from sayso.perception.settings import GroundingSettings
from sayso.reporting.events import EventKind
from sayso.ros.bags.rosbag import BagMessage, MessageTypes, opened, read_bag, unreadable
from sayso.ros.bags.true_verdict import TrueStates, TrueVerdict
from sayso.ros.messages.conversions import scene_from_msg, state_from_msg, time_from_msg
from sayso.ros.messages.maps import grid_from_msg
from sayso.ros.messages.message_types import message_class
from sayso.ros.messages.qos import qos_from_bag
from sayso.ros.messages.specifications import grounded_formula, understanding_from_msg

SCENE, STATE, PROGRESS = "/scene", "/symbolic_state", "/task_progress"
EVENTS, SKILLS = "/task_events", "/skill_events"
TRUTH, MAP = "/world/ground_truth", "/map"
_FINISHED = 1


@dataclass(frozen=True)
class TaskReplay:
    """One task judged again.

    Attributes:
        states: symbolic states on which both verdicts exist.
        differing: of these, how many gave another verdict or other states of the task.
        recorded, replayed: the last verdicts; None if no state was judged.
        truly: the verdict over the simulator's true states, where the bag holds such.
    """

    task_id: str
    instruction: str
    formula: str
    states: int
    differing: int
    recorded: Verdict | None
    replayed: Verdict | None
    truly: TrueVerdict

    @property
    def same(self) -> bool:
        """Whether every observed verdict is the recorded one."""
        return self.differing == 0 and self.recorded == self.replayed


@dataclass(frozen=True)
class ReplayReport:
    """A whole bag judged again.

    Attributes:
        scenes: recorded scenes whose predicates were evaluated.
        truths: ground atoms compared with the recorded symbolic states.
        differing_truths: atoms whose truth differs, with how often.
    """

    messages: int
    duration_s: float
    scenes: int
    truths: int
    differing_truths: Mapping[str, int] = field(default_factory=dict)
    tasks: tuple[TaskReplay, ...] = ()

    @property
    def same(self) -> bool:
        """Whether everything came out as recorded."""
        return not self.differing_truths and all(t.same for t in self.tasks)


def reevaluate(bag: Path, library: Library, namespace: str = "") -> ReplayReport:
    """Judge a bag again with the predicates of a library.

    Args:
        namespace: of the robot whose topics are judged.

    Raises:
        SaySoError: CORRUPT if it is no whole bag; INVALID if it holds no scenes.
    """
    count, first_ns, last_ns = 0, 0, 0
    judge = _Judge(library)
    for message in read_bag(bag, namespace=namespace):
        first_ns, last_ns = (first_ns or message.stamp_ns), message.stamp_ns
        count += 1
        judge.take(message)
    if not judge.scenes:
        raise SaySoError(
            Code.INVALID,
            f"{bag} holds no scenes, so there is nothing to judge.",
            hint=f"record {SCENE}, {STATE}, {PROGRESS}, {EVENTS} and {SKILLS}.",
        )
    return judge.report(count, (last_ns - first_ns) * 1e-9)


class _Judge:
    """Collects what is needed of a bag, then follows each task as the automaton node did."""

    def __init__(self, library: Library) -> None:
        self._predicates = library.predicates
        self._settings = GroundingSettings(library.vocabulary.places)
        self._occupied: Occupied | None = None
        self.scenes: dict[int, SymbolicState] = {}
        self._seen: dict[int, Scene] = {}
        self._recorded: dict[int, SymbolicState] = {}
        self._progress: dict[str, list[Any]] = {}
        self._specifications: dict[str, Any] = {}
        self._ended: dict[str, list[float]] = {}
        self._true = TrueStates(library)

    def take(self, message: BagMessage) -> None:
        msg = message.message
        if message.topic == MAP:
            self._occupied = grid_from_msg(msg).occupied
        elif message.topic == SCENE:
            scene = replace(scene_from_msg(msg), occupied=self._occupied)
            self.scenes[_stamp_ns(msg.header.stamp)] = symbolic_state(scene, self._predicates)
            self._seen[_stamp_ns(msg.header.stamp)] = scene
            self._true.take_scene(scene)
        elif message.topic == TRUTH:
            self._true.take_truth(msg)
        elif message.topic == STATE:
            self._recorded[_stamp_ns(msg.header.stamp)] = state_from_msg(msg)
        elif message.topic == PROGRESS and msg.task_id:
            self._progress.setdefault(msg.task_id, []).append(msg)
        elif message.topic == EVENTS and msg.kind == EventKind.SPECIFICATION:
            self._specifications[msg.task_id] = msg.specification
        elif message.topic == SKILLS and msg.phase == _FINISHED:
            ended = self._ended.setdefault(msg.task_id, [])
            ended.append(time_from_msg(msg.header.stamp))

    def report(self, messages: int, duration_s: float) -> ReplayReport:
        compared, differing = self._compare_truths()
        tasks = tuple(
            self._task(task_id, specification)
            for task_id, specification in self._specifications.items()
            if task_id in self._progress  # others were refused before they were watched
        )
        return ReplayReport(messages, duration_s, len(self.scenes), compared, differing, tasks)

    def _compare_truths(self) -> tuple[int, dict[str, int]]:
        compared, differing = 0, dict[str, int]()
        for stamp_ns, recorded in self._recorded.items():
            again = self.scenes.get(stamp_ns)
            for atom, truth in recorded.truths.items() if again else ():
                known = self._predicates.get(atom.predicate)
                if known is not None and known.sees_walls:
                    continue  # the node may have had the map before this one, or the next
                compared += 1
                if again and again.truth(atom) != truth:
                    differing[str(atom)] = differing.get(str(atom), 0) + 1
        return compared, differing

    def _task(self, task_id: str, specification: Any) -> TaskReplay:
        formula = grounded_formula(specification)
        task = Monitor(progression_of(formula, self._predicates), self._predicates)
        ended = sorted(self._ended.get(task_id, ()))
        late = _TurnedUp(understanding_from_msg(specification).specification, self._settings)
        states, differing = 0, 0
        recorded: Verdict | None = None
        replayed: Verdict | None = None
        for msg in self._progress.get(task_id, ()):
            state = self.scenes.get(_stamp_ns(msg.header.stamp))
            if state is None:
                continue
            while ended and ended[0] < state.stamp_s:
                task.skill_finished(ended.pop(0))
            late.take_in(self._seen[_stamp_ns(msg.header.stamp)], task, len(msg.clause_states))
            progress = task.follow(state)
            states += 1
            recorded, replayed = Verdict(msg.verdict), progress.verdict
            differing += recorded != replayed or progress.states != tuple(msg.clause_states)
        return TaskReplay(
            task_id,
            specification.instruction,
            specification.grounded_formula,
            states,
            differing,
            recorded,
            replayed,
            self._truly(task_id, specification),
        )

    def _truly(self, task_id: str, specification: Any) -> TrueVerdict:
        stamps = [time_from_msg(msg.header.stamp) for msg in self._progress[task_id]]
        ended = self._ended.get(task_id, ())
        return self._true.judge(specification, min(stamps), max(stamps), ended)


class _TurnedUp:
    """The prohibitions of things that turned up under way, from when the run had them watched.

    Args:
        grounded: what was confirmed.
    """

    def __init__(self, grounded: GroundedSpecification, settings: GroundingSettings) -> None:
        self._grounded = grounded
        self._settings = settings
        self._present: frozenset[str] | None = None

    def take_in(self, scene: Scene, task: Monitor, parts: int) -> None:
        """Has them watched if the run did.

        Args:
            parts: of the task, as they were recorded with the scene.
        """
        names = frozenset(scene.by_name())
        self._present = names if self._present is None else self._present
        if parts <= len(task.task.parts) or names <= self._present:
            return
        late = new_objects(self._grounded, self._present, scene, self._settings)
        if late.forbidden != Top():
            task.extend(late.forbidden)
            further = conjunction(self._grounded.formula, late.forbidden)
            self._grounded = replace(self._grounded, formula=further)


def recorded_library(bag: Path, namespace: str = "") -> str:
    """The built-in library whose predicates suit the scenes of a bag: `flat` or `tabletop`.

    Raises:
        SaySoError: CORRUPT if it is no whole bag.
    """
    first = next(read_bag(bag, {SCENE}, namespace), None)
    return "flat" if first is not None and first.message.header.frame_id == "map" else "tabletop"


def republish(
    bag: Path,
    node: Node,
    *,
    speed: float = 1.0,
    wait: Callable[[float], object] | None = None,
) -> int:
    """Publish every message again with the recorded pauses; returns how many.

    What was recorded before one of SaySo's types got a field is published with that field empty.

    Args:
        speed: 2.0 is twice as fast.
        wait: how to wait, in seconds; a thread's event by default.

    Raises:
        SaySoError: CORRUPT if it is no whole bag, MISSING_DEPENDENCY for a type that is not
            installed, INVALID for a speed that is not positive.
    """
    if speed <= 0:
        raise SaySoError(Code.INVALID, f"speed must be positive, not {speed:g}.")
    pause = wait or threading.Event().wait
    types = MessageTypes()
    try:
        with opened(bag) as reader:
            publishers = _publishers(node, reader.connections)
            started_s = time.monotonic()
            count = 0
            for connection, stamp_ns, data in reader.messages():
                due_s = (stamp_ns - reader.start_time) * 1e-9 / speed
                if (left_s := due_s - (time.monotonic() - started_s)) > 0:
                    pause(left_s)
                message = types.bytes_as_now(reader, connection.msgtype, data)
                publishers[connection.topic].publish(message)
                count += 1
    except (AnyReaderError, OSError) as error:
        raise unreadable(bag, error) from error
    return count


def _publishers(node: Node, connections: Iterable[Connection]) -> dict[str, Publisher]:
    publishers: dict[str, Publisher] = {}
    for connection in connections:
        if connection.topic not in publishers:
            offered = (
                connection.ext.offered_qos_profiles
                if isinstance(connection.ext, ConnectionExtRosbag2)
                else []
            )
            kind = message_class(connection.msgtype)
            qos = qos_from_bag(offered)
            publishers[connection.topic] = node.create_publisher(kind, connection.topic, qos)
    return publishers


def _stamp_ns(stamp: Any) -> int:
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)
