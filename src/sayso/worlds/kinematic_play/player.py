"""Play on the kinematic table: behaviours one after another, annotated as by a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations
from string import Formatter

import numpy as np

from sayso.core.geometry import Pose, Vector3
from sayso.core.scene import Scene
from sayso.core.symbols import in_words
from sayso.learning.demonstrations.demonstration import (
    HAND,
    Annotation,
    Contact,
    Demonstration,
    KeyFrame,
    Sample,
)
from sayso.worlds.kinematic_play.table import BEHAVIOURS, COLORS, DOWN, FailedError, PlayTable
from sayso.worlds.persons.play_file import behaviours

_PERIOD_S = 0.05
_STEPS, _GRIP_STEPS = 12, 10
_OPEN_M, _HELD_M, _SHUT_M = 0.08, 0.04, 0.0
_NAMES: Mapping[str, tuple[str, ...]] = {
    "block": tuple(f"{c}_block" for c in COLORS),
    "other": tuple(f"{c}_block" for c in COLORS),
    "lamp": ("bulb", "led"),
}
_LAMPS: Mapping[str, str] = {"switch": "bulb", "button": "led"}


def possible(table: PlayTable) -> list[tuple[str, dict[str, str]]]:
    """Every behaviour that would work now, with the things that it would be done to."""
    found = []
    for behaviour in BEHAVIOURS:
        for things in _choices(_roles(behaviour)):
            trial = replace(table, blocks=dict(table.blocks), rng=np.random.default_rng(0))
            try:
                trial.do(behaviour, things)
            except FailedError:
                continue
            found.append((behaviour, things))
    return found


def play(
    seed: int, count: int = 12, wrong: float = 0.0, table: PlayTable | None = None
) -> Demonstration:
    """A recording of so many behaviours without a reset.

    Args:
        wrong: share of annotations that name another behaviour than was done.
        table: to play on; it is changed. None: one drawn by the seed.
    """
    table = table or PlayTable.drawn(seed)
    recording = _Recording(table, np.random.default_rng((seed, 1)))
    for _ in range(count):
        options = possible(table)
        names = sorted({name for name, _ in options})
        # What does nothing is seldom played.
        name = str(recording.rng.choice([n for n in names if not _idle(table, n)] or names))
        fitting = [things for n, things in options if n == name]
        recording.show(name, fitting[int(recording.rng.integers(len(fitting)))], wrong)
    return recording.demonstration()


def _idle(table: PlayTable, behaviour: str) -> bool:
    done = {
        "open_drawer": table.drawer > 0.5, "close_drawer": table.drawer < 0.5,
        "move_slider_left": table.slider < 0.5, "move_slider_right": table.slider > 0.5,
        "turn_on_lightbulb": table.switch > 0.5, "turn_off_lightbulb": table.switch < 0.5,
    }  # fmt: skip
    return done.get(behaviour, False)


@cache
def _roles(behaviour: str) -> tuple[str, ...]:
    """The things that are named in the longest of its wordings; a switch or button first."""
    said = [
        tuple(r for _, r, _, _ in Formatter().parse(w) if r)
        for w in behaviours("play_table")[behaviour].say
    ]
    longest: tuple[str, ...] = max(said, key=len)
    return tuple(sorted(longest, key=lambda r: r == "lamp"))


def _choices(roles: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Things for the roles, each its own; a lamp is that of its switch or button."""
    if roles[-1] == "lamp":
        yield {roles[0]: roles[0], "lamp": _LAMPS[roles[0]]}
        return
    free = [r for r in roles if r in _NAMES]
    for chosen in permutations(_NAMES["block"], len(free)):
        blocks = dict(zip(free, chosen, strict=True))
        yield {r: blocks.get(r, r) for r in roles}


@dataclass
class _Recording:
    """What the hand does, sample by sample."""

    table: PlayTable
    rng: np.random.Generator
    samples: list[Sample] = field(default_factory=list)
    frames: list[KeyFrame] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.samples.append(Sample(0.0, Pose(self.table.tool, DOWN), _OPEN_M))
        self._look()

    @property
    def now_s(self) -> float:
        return self.samples[-1].stamp_s

    def show(self, behaviour: str, things: dict[str, str], wrong: float) -> None:
        """One behaviour, with its annotation."""
        start_s, held = self.now_s, self.table.held
        touched = things.get("block", next(iter(things.values())))
        began = self._place_of(touched)
        self.table.do(behaviour, things)
        end = self.table.tool
        if held:
            self._go(self._place_of(held))
            self._grip(_OPEN_M)
            self._touch(held, False)
        elif self.table.held:
            self._go(began)
            self._touch(touched, True)
            self._grip(_HELD_M)
        else:
            self._grip(_SHUT_M)
            self._go(began)
            self._touch(touched, True)
            self._go(self._place_of(touched))
            self._touch(touched, False)
        self._look()
        self._go(end)
        if not self.table.held and not held:
            self._grip(_OPEN_M)
        self._look()
        said = behaviour if self.rng.random() >= wrong else self._another(behaviour, things)
        words = str(self.rng.choice(behaviours("play_table")[said].say))
        names = {role: in_words(name) for role, name in things.items()}
        annotation = Annotation(start_s, self.now_s, words.format(**names), things, said)
        self.annotations.append(annotation)

    def demonstration(self) -> Demonstration:
        return Demonstration(
            "", {}, tuple(self.samples), tuple(self.frames), tuple(self.contacts), "",
            True, tuple(self.annotations),
        )  # fmt: skip

    def _another(self, behaviour: str, things: Mapping[str, str]) -> str:
        """Another behaviour that is said of the same things."""
        roles = tuple(things)
        alike = [b for b in BEHAVIOURS if b != behaviour and _roles(b) == roles]
        return str(self.rng.choice(alike)) if alike else behaviour

    def _place_of(self, name: str) -> Vector3:
        """Of a thing; the side of it that is before the hand."""
        places = {o.name: o.position for o in self._scene().objects}
        return places.get(name, self.table.tool)

    def _scene(self) -> Scene:
        return replace(self.table.scene(), stamp_s=self.now_s)

    def _look(self) -> None:
        scene = self._scene()
        robot = replace(
            scene.robot, gripper=self.samples[-1].tool,
            gripper_width_m=self.samples[-1].gripper_width_m, stamp_s=self.now_s,
        )  # fmt: skip
        self.frames.append(KeyFrame(replace(scene, robot=robot)))

    def _touch(self, name: str, touching: bool) -> None:
        self.contacts.append(Contact(self.now_s, HAND, name, touching))

    def _go(self, to: Vector3) -> None:
        start = self.samples[-1]
        way = np.linspace(start.tool.position, to, _STEPS + 1)[1:]
        for place in way:
            x, y, z = (float(v) for v in place)
            at = Pose((x, y, z), DOWN)
            self.samples.append(Sample(self.now_s + _PERIOD_S, at, start.gripper_width_m))

    def _grip(self, width_m: float) -> None:
        start = self.samples[-1]
        for width in np.linspace(start.gripper_width_m, width_m, _GRIP_STEPS + 1)[1:]:
            self.samples.append(Sample(self.now_s + _PERIOD_S, start.tool, float(width)))
