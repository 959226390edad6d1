"""The play table's state, what is seen of it, and what each behaviour does to it.

Figures are those of CALVIN's table at 0.8 of its size (Mees et al., RA-L 2022), seen from the
robot's base: "left" is towards -x and the front faces -y. Nothing here is a robot: things jump.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.geometry import Pose, Vector3
from sayso.core.scene import RobotState, Scene, SceneObject

TABLE_M = 0.176
BLOCK_M: Vector3 = (0.056, 0.04, 0.04)
COLORS = ("red", "blue", "pink")
_HOME: Vector3 = (0.45, 0.2, 0.5)
DOWN = (1.0, 0.0, 0.0, 0.0)
_DRAWER, _DRAWER_SIZE, _DRAWER_WAY_M = (0.45, 0.45, 0.09), (0.42, 0.24, 0.1), 0.22
_CABINET, _CABINET_SIZE = (0.45, 0.58, 0.29), (0.56, 0.14, 0.2)
_DOOR, _DOOR_SIZE, _DOOR_WAY_M = (0.31, 0.49, 0.29), (0.28, 0.02, 0.24), 0.28
_OPEN, _SHUT = 0.95, 0.02
_AT_END = 0.18
"""Within 5 cm of a door's way of 28 cm, as the paper judges."""
_HIDDEN_BELOW = 0.3
"""Of a drawer that is less open nothing is seen."""
_PUSH_M = 0.1
_NOISE_M = 0.001


class FailedError(Exception):
    """What was tried does not work there; says why."""


@dataclass
class Block:
    """Where a block is: 'table', 'drawer', 'cabinet', 'hand' or the block that it lies on."""

    place: str
    position: Vector3


@dataclass
class PlayTable:
    """The table; all shares are 0 to 1 as in its things' attributes.

    Attributes:
        reads_wrong: chance that one attribute or place is seen grossly wrong in a scene.
    """

    rng: np.random.Generator
    blocks: dict[str, Block]
    drawer: float = 0.0
    slider: float = 0.0
    switch: float = 0.0
    led: bool = False
    tool: Vector3 = _HOME
    time_s: float = 0.0
    reads_wrong: float = 0.0
    seen: dict[str, SceneObject] = field(default_factory=dict)

    @staticmethod
    def drawn(seed: int) -> PlayTable:
        """A table as somebody left it."""
        rng = np.random.default_rng(seed)
        table = PlayTable(rng, {})
        for color in COLORS:
            name = f"{color}_block"
            table.blocks[name] = Block("table", table.free_spot())
            if rng.random() < 0.4:
                table._put(name, str(rng.choice(["drawer", "cabinet"])))
        table.drawer, table.slider, table.switch = (
            (_OPEN if on else _SHUT) for on in rng.random(3) < 0.5
        )
        table.led = bool(rng.random() < 0.5)
        return table

    def put_away(self, name: str, place: str) -> None:
        """Put a block where a task begins with it: 'table', 'drawer', 'cabinet', 'behind' the
        sliding door, or 'in the way' of it."""
        door_x = _DOOR[0] + _DOOR_WAY_M * self.slider
        if place == "behind":
            self._put(name, "cabinet")
            _, y, z = self.blocks[name].position
            self.blocks[name] = Block("cabinet", (door_x, y, z))
        elif place == "in the way":
            beside = _DOOR_SIZE[0] / 2 + float(self.rng.uniform(0.04, 0.1))
            x = door_x + (beside if self.slider < 0.5 else -beside)
            self.blocks[name] = Block("table", (x, _DOOR[1] - 0.01, TABLE_M + BLOCK_M[2] / 2))
        else:
            self._put(name, place)
        self.seen.clear()

    def shows(self, goal: Mapping[str, object]) -> bool:
        """Whether all of a task's goal is so: shares near their end, lamps, places of blocks."""
        return all(self._shows(name, value) for name, value in goal.items())

    def _shows(self, name: str, value: object) -> bool:
        if name == "blocks":
            return all(b.place == value for b in self.blocks.values())
        if name in self.blocks:
            return self.blocks[name].place == value
        if name == "led":
            return self.led == value
        return bool(abs(getattr(self, name) - float(str(value))) < _AT_END)

    # -- what is seen ----------------------------------------------------------------------

    @property
    def held(self) -> str:
        return next((n for n, b in self.blocks.items() if b.place == "hand"), "")

    def scene(self) -> Scene:
        """What is in sight now, and what was seen before where it was then."""
        self.time_s += 0.05
        for thing in self._things():
            if self._in_sight(thing.name):
                self.seen[thing.name] = self._noisy(thing)
            elif thing.name in self.seen:
                # What is shut in goes with it, as a tracker knows.
                self.seen[thing.name] = replace(
                    self.seen[thing.name], position=thing.position, visible=False
                )
        width_m = 0.04 if self.held else 0.08
        robot = RobotState(self.time_s, (), width_m, Pose(self.tool, DOWN))
        return Scene(self.time_s, tuple(self.seen.values()), robot, TABLE_M)

    def _things(self) -> list[SceneObject]:
        x, y, z = _DRAWER
        door_x, door_y, door_z = _DOOR
        fixed = [
            self._thing("drawer", (x, y - _DRAWER_WAY_M * self.drawer, z), _DRAWER_SIZE,
                        open_share=self.drawer),
            self._thing("slider", (door_x + _DOOR_WAY_M * self.slider, door_y, door_z), _DOOR_SIZE,
                        right_share=self.slider),
            self._thing("cabinet", _CABINET, _CABINET_SIZE),
            self._thing("switch", (0.72 + 0.088 * self.switch, 0.5, 0.3), (0.02, 0.03, 0.05),
                        right_share=self.switch),
            self._thing("button", (0.2, 0.5, 0.26), (0.04, 0.04, 0.02), pressed_share=0.0),
            self._thing("bulb", (0.75, 0.55, 0.45), (0.06, 0.06, 0.06), "lamp",
                        lit=self.switch > 0.5),
            self._thing("led", (0.2, 0.55, 0.42), (0.05, 0.05, 0.03), "lamp", lit=self.led),
        ]  # fmt: skip
        blocks = [
            SceneObject(n, "block", n.split("_")[0], self._position(n), BLOCK_M,
                        carried=b.place == "hand")
            for n, b in self.blocks.items()
        ]  # fmt: skip
        return fixed + blocks

    def _thing(
        self, name: str, at: Vector3, size: Vector3, category: str = "", **seen: float
    ) -> SceneObject:
        return SceneObject(name, category or name, "", at, size, attributes=seen)

    def _position(self, name: str) -> Vector3:
        block = self.blocks[name]
        if block.place == "hand":
            return self.tool
        x, y, z = block.position
        return (x, y - _DRAWER_WAY_M * self.drawer, z) if block.place == "drawer" else (x, y, z)

    def _in_sight(self, name: str) -> bool:
        place = self.blocks[name].place if name in self.blocks else ""
        if place == "drawer":
            return self.drawer > _HIDDEN_BELOW
        return place != "cabinet" or not self._behind_door(name)

    def _behind_door(self, name: str) -> bool:
        door_x = _DOOR[0] + _DOOR_WAY_M * self.slider
        return abs(self.blocks[name].position[0] - door_x) < _DOOR_SIZE[0] / 2

    def _noisy(self, thing: SceneObject) -> SceneObject:
        x, y, z = (float(v) for v in np.add(thing.position, self.rng.normal(0, _NOISE_M, 3)))
        values = dict(thing.attributes)
        if self.reads_wrong and self.rng.random() < self.reads_wrong:
            values = {
                n: not v if isinstance(v, bool) else 1.0 - float(v) for n, v in values.items()
            }
            if thing.category == "block":
                z += float(self.rng.choice([-0.06, 0.06]))
        return replace(thing, position=(x, y, z), attributes=values, last_seen_s=self.time_s)

    # -- what is done ----------------------------------------------------------------------

    def do(self, behaviour: str, things: Mapping[str, str]) -> None:
        """Carry out a behaviour of `BEHAVIOURS`. Raises FailedError where it does not work."""
        self.time_s += 1.0
        BEHAVIOURS[behaviour](self, dict(things))

    def move_drawer(self, share: float) -> None:
        self._need(not self.held, "the hand is full")
        self.tool, self.drawer = (0.45, 0.3 - _DRAWER_WAY_M * share, 0.12), share

    def move_slider(self, share: float) -> None:
        self._need(not self.held, "the hand is full")
        way = sorted((_DOOR[0] + _DOOR_WAY_M * self.slider, _DOOR[0] + _DOOR_WAY_M * share))
        for name, block in self.blocks.items():
            x, y, _ = block.position
            aside = abs(y - _DOOR[1]) > (BLOCK_M[1] + _DOOR_SIZE[1]) / 2
            within = way[0] - _DOOR_SIZE[0] / 2 < x < way[1] + _DOOR_SIZE[0] / 2
            self._need(block.place != "table" or aside or not within, f"{name} is in the way")
        self.tool, self.slider = (_DOOR[0] + _DOOR_WAY_M * share, 0.46, 0.29), share

    def turn_switch(self, share: float) -> None:
        self._need(not self.held, "the hand is full")
        self.tool, self.switch = (0.72 + 0.088 * share, 0.48, 0.3), share

    def press_button(self, lit: bool) -> None:
        self._need(not self.held, "the hand is full")
        self._need(self.led != lit, "pressing it does the opposite")
        self.tool, self.led = (0.2, 0.5, 0.28), lit

    def lift(self, name: str, place: str) -> None:
        self._need(not self.held, "the hand is full")
        self._need(self.blocks[name].place == place, f"{name} is not there")
        self._need(self._in_sight(name), f"{name} cannot be got at")
        self._need(self._clear(name), "something is on it")
        x, y, z = self._position(name)
        self.blocks[name] = Block("hand", (x, y, z))
        self.tool = (x, y - (0.12 if place == "cabinet" else 0.0), max(z, TABLE_M) + 0.15)

    def put(self, name: str, place: str) -> None:
        self._need(self.held == name, f"{name} is not in the hand")
        self._need(place != "drawer" or self.drawer > 0.5, "the drawer is shut")
        if place in self.blocks:
            below = self.blocks[place]
            self._need(below.place == "table" and self._clear(place), f"{place} cannot carry it")
        self._put(name, place)
        x, y, z = self._position(name)
        self.tool = (x, y, z + 0.1)

    def push(self, name: str, by_m: float) -> None:
        self._need(not self.held, "the hand is full")
        block = self.blocks[name]
        x, y, z = block.position
        self._need(block.place == "table" and self._clear(name), f"{name} is not on the table")
        self._need(0.2 < x + by_m < 0.75, "it would fall")
        self.blocks[name] = Block("table", (x + by_m, y, z))
        self.tool = (x + by_m, y, z)

    def push_in(self, name: str) -> None:
        self._need(not self.held, "the hand is full")
        self._need(self.drawer > 0.5, "the drawer is shut")
        self._need(self.blocks[name].place == "table" and self._clear(name), f"{name} is not there")
        self._put(name, "drawer")
        self.tool = (0.45, 0.3, TABLE_M + 0.05)

    def free_spot(self) -> Vector3:
        """Somewhere on the table before the sliding door, off other blocks."""
        for _ in range(200):
            x, y = self.rng.uniform(0.25, 0.7), self.rng.uniform(0.36, 0.44)
            others = [b.position for b in self.blocks.values()]
            if all(np.hypot(x - o[0], y - o[1]) > 0.08 for o in others):
                break
        return (float(x), float(y), TABLE_M + BLOCK_M[2] / 2)

    def _put(self, name: str, place: str) -> None:
        if place == "table":
            at = self.free_spot()
        elif place == "drawer":
            x, y, z = _DRAWER
            number = sum(b.place == "drawer" for b in self.blocks.values())
            dx = (number - 1) * 0.1 + float(self.rng.uniform(-0.01, 0.01))
            at = (x + dx, y + float(self.rng.uniform(-0.03, 0.03)), z - 0.02)
        elif place == "cabinet":
            # Where the door is not; later it may stand before it.
            free = 0.59 if self.slider < 0.5 else 0.31
            x = free + float(self.rng.uniform(-0.08, 0.08))
            at = (x, _CABINET[1], _CABINET[2] - _CABINET_SIZE[2] / 2 + 0.03)
        else:
            x, y, z = self.blocks[place].position
            at = (x, y, z + BLOCK_M[2])
        self.blocks[name] = Block(place, at)

    def _clear(self, name: str) -> bool:
        return all(b.place != name for b in self.blocks.values())

    def _need(self, so: bool, otherwise: str) -> None:
        if not so:
            raise FailedError(otherwise)


Things = Mapping[str, str]
BEHAVIOURS: Mapping[str, Callable[[PlayTable, Things], None]] = {
    "open_drawer": lambda t, _: t.move_drawer(_OPEN),
    "close_drawer": lambda t, _: t.move_drawer(_SHUT),
    "move_slider_left": lambda t, _: t.move_slider(_SHUT),
    "move_slider_right": lambda t, _: t.move_slider(_OPEN),
    "turn_on_lightbulb": lambda t, _: t.turn_switch(_OPEN),
    "turn_off_lightbulb": lambda t, _: t.turn_switch(_SHUT),
    "turn_on_led": lambda t, _: t.press_button(True),
    "turn_off_led": lambda t, _: t.press_button(False),
    "lift_block_table": lambda t, a: t.lift(a["block"], "table"),
    "lift_block_slider": lambda t, a: t.lift(a["block"], "cabinet"),
    "lift_block_drawer": lambda t, a: t.lift(a["block"], "drawer"),
    "place_in_drawer": lambda t, a: t.put(a["block"], "drawer"),
    "place_in_slider": lambda t, a: t.put(a["block"], "cabinet"),
    "place_on_table": lambda t, a: t.put(a["block"], "table"),
    "stack_block": lambda t, a: t.put(a["block"], a["other"]),
    "unstack_block": lambda t, a: t.lift(a["block"], a["other"]),
    "push_block_left": lambda t, a: t.push(a["block"], -_PUSH_M),
    "push_block_right": lambda t, a: t.push(a["block"], _PUSH_M),
    "push_into_drawer": lambda t, a: t.push_in(a["block"]),
}
