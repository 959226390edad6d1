"""A simulated person who plays at a table: one behaviour after another, in physics.

The person guides the arm by hand, knows where things truly are, and is never exact; who learns
gets what a robot would observe of it: the tool, the fingers, things with a millimetre of noise, and
contacts as they look from that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import JointWindow
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.learning.demonstrations.demonstration import (
    Annotation,
    Demonstration,
    KeyFrame,
    Sample,
)
from sayso.learning.demonstrations.felt import Felt
from sayso.learning.demonstrations.folder import FILE, write_whole
from sayso.robots.kinematics import ArmKinematics
from sayso.skills.poses import moved
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.demonstrator import (
    RATE_HZ,
    Manner,
    Shown,
    Truth,
    straight,
    unsteady,
    way,
)
from sayso.worlds.persons.hand_plans import OPEN_M, Touch, Via
from sayso.worlds.persons.meddler import arrange
from sayso.worlds.persons.play_behaviour import Behaviour, Things
from sayso.worlds.persons.play_file import begins, over_m
from sayso.worlds.persons.play_file import behaviours as played_in
from sayso.worlds.persons.play_sight import LOST, Sight
from sayso.worlds.table.onlooker import Onlooker
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld

_PERIOD_S = 1 / RATE_HZ
_LOOK_S = 0.5
_GRIP_N = 40.0
_FINGERS_S = (0.3, 1.2)
"""The fingers are given at least and at most so long."""
_STILL_M = 1e-3
_EMPTY_M = 0.003
_TOUCHING_M = 0.004
_SETTLES = 2
"""Periods until the arm, which lags a little, is there."""
_FAR_M = 0.05
_TURN_RAD_S = 1.2
_APART = 0.04, 0.2
"""Places that are tried on a way are at most so far from each other [m, rad]."""
_JUMP_RAD = 0.6
"""A joint that has to turn farther between two of them goes another way round."""
_LEADS = 24
"""At most so many behaviours come before one that is led up to."""
_MISSES, _REGRASPS = 0.06, 0.06
"""Chances that a grasp first goes beside, and that it is done twice."""


@dataclass(frozen=True)
class Played:
    """Play, and what the person really did.

    Attributes:
        shown: the demonstration and the primitives that were meant.
        labels: of the behaviours, as they were really shown, in order.
        failed: labels of those that came to nothing, and were not annotated.
    """

    shown: Shown
    labels: tuple[str, ...]
    failed: tuple[str, ...]


def play(
    seed: int,
    count: int = 12,
    behaviours: Collection[str] = (),
    *,
    manner: Manner = Manner(pause=0.15),
    wrong: float = 0.0,
    scene: str = "play_table",
) -> Played:
    """A person plays until so many behaviours were shown, or nothing more can be done.

    Args:
        behaviours: of those that are played in the scene; none: all. Others are shown too where
            they have to come first.
        wrong: share of annotations that tell of another behaviour.

    Raises:
        SaySoError: INVALID for a behaviour or a scene that there is not.
    """
    known = _known(scene, behaviours)
    rng = np.random.default_rng((seed, 0))
    world = _begun(seed, scene)
    hand = Hand(world, rng, manner, over_m(scene))
    said, failed = _play(world, hand, count, known, behaviours or tuple(known), rng)
    annotations = tuple(_mistaken(a, said, rng) if rng.random() < wrong else a for a in said)
    demonstration = Demonstration(
        "", {}, tuple(hand.samples), tuple(hand.frames), hand.felt.contacts(),
        "panda", annotations=annotations,
    )  # fmt: skip
    shown = Shown(demonstration, tuple(hand.truth))
    return Played(shown, tuple(a.label for a in said), tuple(failed))


def _known(scene: str, wanted: Collection[str]) -> Mapping[str, Behaviour]:
    """What is played in a scene. Raises INVALID for a scene, or something wanted, that is not."""
    known = played_in(scene)
    if strange := set(wanted) - set(known):
        text = f"nobody plays {', '.join(sorted(strange))}."
        raise SaySoError(Code.INVALID, text, choices=known)
    return known


def _begun(seed: int, scene: str) -> TableWorld:
    """A table as a play begins."""
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(scene))
    settings = begins(scene)
    arrange(world, settings[int(np.random.default_rng((seed, 1)).integers(len(settings)))])
    return world


@dataclass(frozen=True)
class Moment:
    """A table at which a behaviour can be done next, by whoever does it.

    Attributes:
        world: to be closed by who asked for it.
        things: with which it can be done, by role.
        before: what was so then.
    """

    world: TableWorld
    behaviour: Behaviour
    things: Things
    before: Sight

    def done(self) -> bool:
        """Whether it was done since, by the world's true state."""
        return self.behaviour.done(self.before, Sight.of(self.world), self.things)


def led_up_to(behaviour: str, seed: int, scene: str = "play_table") -> Moment:
    """A person plays until a behaviour could be done next, and leaves it at that.

    Raises:
        SaySoError: as `play`; LIMIT where it does not come to that.
    """
    known = _known(scene, (behaviour,))
    rng, world = np.random.default_rng((seed, 0)), _begun(seed, scene)
    hand = Hand(world, rng, Manner(pause=0.15), over_m(scene))
    done: Counter[object] = Counter()
    for _ in range(_LEADS):
        before = Sight.of(world)
        chosen = _choose(before, hand, done, known, (behaviour,), rng)
        if chosen is None or LOST in before.blocks.values():
            break
        label, things, vias = chosen
        if label == behaviour:
            return Moment(world, known[label], things, before)
        hand.do(vias)
        done.update((label, _key(label, things)))
    world.close()
    raise SaySoError(Code.LIMIT, f"'{behaviour}' could not be done from there on (seed {seed}).")


@dataclass(frozen=True)
class Order:
    """One play to be recorded in a folder; the fields as of `play`."""

    folder: Path
    seed: int
    count: int
    behaviours: tuple[str, ...]
    wrong: float
    scene: str


def record(order: Order) -> Played | None:
    """Play and keep it, whole; what lies there already is kept as it is. Raises as `play` and
    `write_whole`."""
    if (order.folder / FILE).exists():
        return None
    played = play(order.seed, order.count, order.behaviours, wrong=order.wrong, scene=order.scene)
    write_whole(played.shown.demonstration, order.folder)
    return played


def _play(
    world: TableWorld,
    hand: Hand,
    count: int,
    known: Mapping[str, Behaviour],
    wanted: Collection[str],
    rng: np.random.Generator,
) -> tuple[list[Annotation], list[str]]:
    said: list[Annotation] = []
    failed: list[str] = []
    done: Counter[object] = Counter()
    while len(said) < count and len(failed) <= count:
        before = Sight.of(world)
        if LOST in before.blocks.values():
            break
        chosen = _choose(before, hand, done, known, wanted, rng)
        if chosen is None:
            break
        label, things, vias = chosen
        start_s = world.time_s
        hand.do(vias)
        after = Sight.of(world)
        done.update((label, _key(label, things)))
        if known[label].done(before, after, things):
            words = str(rng.choice(known[label].say))
            said.append(_annotation(label, words, things, start_s, world.time_s))
        else:
            failed.append(label)
    return said, failed


def _key(label: str, things: Things) -> tuple[str, tuple[str, ...]]:
    """A behaviour with these things."""
    return label, tuple(things.values())


def _choose(
    sight: Sight,
    hand: Hand,
    done: Counter[object],
    known: Mapping[str, Behaviour],
    wanted: Collection[str],
    rng: np.random.Generator,
) -> tuple[str, Things, list[Via]] | None:
    """What was shown least among what is wanted and can be done, with the things with which it was
    shown least; else anything that can be."""
    options = [(label, t) for label, b in known.items() for t in b.options(sight)]
    order = [options[i] for i in rng.permutation(len(options))]
    order.sort(key=lambda o: (o[0] not in wanted, done[o[0]] / known[o[0]].often, done[_key(*o)]))
    for label, things in order:
        vias = known[label].ways(sight, things, rng)
        if vias is not None and hand.reaches(vias := hand.over(vias)):
            return label, things, vias
    return None


def _annotation(label: str, words: str, things: Things, start_s: float, end_s: float) -> Annotation:
    said = words.format(**{role: in_words(name) for role, name in things.items()})
    return Annotation(start_s, end_s, said, things, label)


def _mistaken(
    right: Annotation, others: Sequence[Annotation], rng: np.random.Generator
) -> Annotation:
    """What was said of another part, said of this one."""
    other = [a for a in others if a.label != right.label]
    if not other:
        return right
    wrong = other[int(rng.integers(len(other)))]
    return replace(wrong, start_s=right.start_s, end_s=right.end_s)


class Hand:
    """The arm, guided; what it does is recorded.

    Args:
        over_m: how high it is on far ways; 0: it goes straight.
    """

    def __init__(
        self, world: TableWorld, rng: np.random.Generator, manner: Manner, over_m: float = 0.0
    ) -> None:
        self.world, self.rng, self.manner = world, rng, manner
        self._over_m = over_m
        self.kinematics = ArmKinematics(world.profile)
        made = {f.name: [(b.pose, b.half) for b in f.boxes] for f in world.table.known()}
        made |= {t.name: [(b.pose, b.half) for b in t.boxes] for t in world.table.things if t.boxes}
        self.felt = Felt(made)
        self.onlooker = Onlooker(world, rng)
        self.samples: list[Sample] = []
        self.frames: list[KeyFrame] = []
        self.truth: list[Truth] = []
        self._joints = np.array(world.robot_state().joint_positions)
        self._tool = self.kinematics.forward(self._joints)
        self._width_m, self._holds = OPEN_M, False
        self._pushes = ""
        self._looked_s = -np.inf
        self._note()

    def do(self, vias: Sequence[Via]) -> None:
        """Go to each place in turn; slips and second tries are shown, too."""
        self._look()
        for via in vias:
            touch = via.touch
            takes = touch is not None and touch.primitive == "grasp"
            self._go(unsteady(via, self.rng, self.manner))
            if takes and self.rng.random() < _MISSES:
                self._slip(via)
            self._fingers(touch)
            if takes and touch is not None and self.rng.random() < _REGRASPS:
                self._fingers(Touch("place", OPEN_M, touch.thing))
                self._fingers(touch)
        self._look()

    def over(self, vias: Sequence[Via]) -> list[Via]:
        """The places, and before the first one, where it is far, a way up and over what stands
        there; with an empty hand by the arm's usual posture."""
        first, here = vias[0], self._tool
        away_m = np.hypot(*np.subtract(first.tool.position, here.position)[:2])
        if not self._over_m or away_m < _FAR_M:
            return list(vias)
        up, above = (
            Via(moved(t, max(0.0, self._over_m - t.position[2]) * np.eye(3)[2]), freedom=0.5)
            for t in (here, first.tool)
        )
        ready = self.world.profile.ready[: len(self._joints)]
        usual = Via(self.kinematics.forward(np.array(ready)), joints=tuple(ready))
        careful = replace(first, freedom=min(first.freedom, 0.2))
        return [up, *(() if self._holds else (usual,)), above, careful, *vias[1:]]

    def reaches(self, vias: Sequence[Via]) -> bool:
        """Whether the arm gets to each place from the one before, all along, without having to
        turn over on the way."""
        tool, joints = self._tool, self._joints
        for via in vias:
            if via.joints:
                joints = np.array(via.joints)
            for place in () if via.joints else straight(tool, via.tool, *_APART):
                found = self.kinematics.inverse(place, joints, anywhere=False)
                if found is None or float(np.abs(found - joints).max()) > _JUMP_RAD:
                    return False
                joints = found
            tool = via.tool
        return True

    def _slip(self, via: Via) -> None:
        """The fingers close too high, on nothing, and the hand goes down again."""
        self._go(Via(moved(via.tool, np.array([0.0, 0.0, 0.05])), freedom=0.1))
        self._fingers(Touch("close", 0.0, ""))
        self._fingers(Touch("open", OPEN_M, ""))
        self._go(replace(via, freedom=0.05))

    def _go(self, via: Via) -> None:
        self._pushes = via.pushes or self._pushes
        before = self._joints
        joints = self._turned(via) if via.joints else self._guided(via)
        touched = self._follow(before, joints)
        if self.rng.random() < self.manner.pause:
            self._wait(int(self.rng.uniform(0.2, 0.6) * RATE_HZ))
        if touched and via.pushes:
            self._moved("move-to", touched[0])
        if touched:
            self._moved("push", touched[-1])
        if not via.pushes:
            self._pushes = ""
        if not (touched and via.pushes):
            self._moved("move" if self._holds else "move-to", self.world.time_s)

    def _moved(self, primitive: str, end_s: float) -> None:
        """A motion since what was before, one with the motion of its kind before it."""
        start_s = self.truth[-1].end_s if self.truth else self.samples[0].stamp_s
        if self.truth and self.truth[-1].primitive == primitive:
            start_s = self.truth.pop().start_s
        self.truth.append(Truth(primitive, start_s, end_s))

    def _guided(self, via: Via) -> list[Array]:
        """The joints along the way to a place, one for each period."""
        tools = way(self._tool, via, self.rng, self.manner)
        self._tool = tools[-1]
        return [self._posture(tool) for tool in tools]

    def _turned(self, via: Via) -> list[Array]:
        """The joints turned straight to those of a place."""
        start, self._joints, self._tool = self._joints, np.array(via.joints), via.tool
        most = float(np.abs(self._joints - start).max())
        count = max(4, int(most / _TURN_RAD_S * RATE_HZ))
        return list(np.linspace(start, self._joints, count + 1)[1:])

    def _follow(self, before: Array, joints: Sequence[Array]) -> list[float]:
        """Let the arm follow, slower where a joint has far to turn; gives when it truly was at what
        it pushes."""
        turns = np.abs(np.diff([before, *joints], axis=0)).max(axis=1)
        times = np.cumsum(np.maximum(_PERIOD_S, turns / _TURN_RAD_S))
        self.world.stream(JointWindow(times, np.array(joints)))
        touched = []
        for _ in range(int(np.ceil(times[-1] / _PERIOD_S)) + _SETTLES):
            self._wait(1)
            if self._pushes and self.world.gap_m(self._pushes) < _TOUCHING_M:
                touched.append(self.world.time_s)
        return touched

    def _posture(self, tool: Pose) -> Array:
        found = self.kinematics.inverse(tool, self._joints, anywhere=False)
        if found is not None:
            self._joints = found
        return self._joints

    def _fingers(self, touch: Touch | None) -> None:
        """Close or open the fingers, if they are not so already."""
        if touch is None or (not touch.thing and abs(self._width_m - touch.width_m) < 0.005):
            return
        began = ended = self.world.time_s
        last = self.samples[-1].gripper_width_m
        self.world.grip(touch.width_m, _GRIP_N)
        while self.world.time_s < began + _FINGERS_S[1]:
            self._wait(1)
            width = self.samples[-1].gripper_width_m
            if abs(width - last) > _STILL_M:
                ended = self.world.time_s
            elif self.world.time_s > began + _FINGERS_S[0]:
                break
            last = width
        self._width_m = touch.width_m
        self._holds, had = touch.primitive == "grasp" and last > _EMPTY_M, self._holds
        opened = "place" if had else "open"
        closed = "grasp" if self._holds else "close"
        self.truth.append(Truth(opened if touch.width_m else closed, began, ended))
        self._look()

    def _wait(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step(_PERIOD_S)
            self._note()

    def _note(self) -> None:
        """What is observed now."""
        robot = self.world.robot_state()
        now_s = self.world.time_s
        sample = Sample(now_s, robot.gripper, robot.gripper_width_m, robot.joint_positions)
        self.samples.append(sample)
        scene = self.onlooker.look()
        self.felt.take(scene)
        if now_s - self._looked_s >= _LOOK_S:
            self._look(scene)

    def _look(self, scene: Scene | None = None) -> None:
        """A key frame, if there is none of this time."""
        if self._looked_s < self.world.time_s:
            self._looked_s = self.world.time_s
            self.frames.append(KeyFrame(scene or self.onlooker.look()))
