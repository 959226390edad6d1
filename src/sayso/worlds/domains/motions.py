"""Things on a table that move without physics: what actions of a domain can do, and what is seen.

What moves jumps there. Nothing is put on a thing that the domain's own code does not allow: only
what no table would let happen is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.sandbox.program import Granted
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject
from sayso.core.vocabulary import Attribute

TABLE, HAND = "table", "hand"
OPEN_M = 0.08
"""How far the fingers open: wider things cannot be picked up."""
_RIM_M = 0.01
"""How thick the rim is by which wider things are held."""
_HAND_M = (0.3, 0.0, 0.5)
_FLOOR_M = 0.01
"""How thick the bottom of what is hollow is."""
_BESIDE_M = 0.08
_WIDE_M = 0.2
"""On what is so wide, several things stand side by side."""


class BlockedError(Exception):
    """An action cannot come to its end, and why."""


@dataclass(frozen=True)
class Thing:
    """A thing as it is.

    Attributes:
        size_m: width, depth, height; x, y and z.
        x_m: how far from the robot it stands, when it is on the table.
        y_m: where it stands on the table, to the left.
        place: `TABLE`, `HAND`, or what it is on or in.
        attributes: those included that nobody can observe.
    """

    name: str
    kind: str
    color: str
    size_m: tuple[float, float, float]
    x_m: float
    y_m: float
    place: str = TABLE
    hollow: bool = False
    fixed: bool = False
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


class TableTop:
    """Things, and how an action changes them; `things` are as they were until it succeeds."""

    def __init__(self, things: Mapping[str, Thing], declared: Mapping[str, Attribute]) -> None:
        self.things = dict(things)
        self._declared = declared

    # -- what code is granted --------------------------------------------------------------

    def granted(self) -> dict[str, Granted]:
        """Functions for an action's code, by `GRANTED` name."""
        return {n: Granted(arity, getattr(self, n)) for n, arity in GRANTED.items()}

    def value(self, name: str, what: str) -> AttributeValue | None:
        """An attribute, or color, kind, width_m, depth_m, height_m, x_m, fixed, hollow."""
        thing = self._thing(name)
        width, depth, height = thing.size_m
        built_in: Mapping[str, AttributeValue] = {
            "color": thing.color, "kind": thing.kind, "x_m": thing.x_m, "fixed": thing.fixed,
            "hollow": thing.hollow, "width_m": width, "depth_m": depth, "height_m": height,
        }  # fmt: skip
        if what not in built_in and what not in self._declared:
            raise SaySoError(
                Code.INVALID, f"there is no attribute '{what}'",
                choices=(*self._declared, *built_in),
            )  # fmt: skip
        return built_in.get(what, thing.attributes.get(what))

    def change(self, name: str, what: str, value: AttributeValue) -> None:
        """Sets an attribute, or `x_m`."""
        thing = self._thing(name)
        if what == "x_m":
            self.things[name] = replace(thing, x_m=float(value))
            return
        if what not in self._declared:
            raise SaySoError(
                Code.INVALID, f"'{what}' cannot be changed", choices=("x_m", *self._declared)
            )
        if trouble := self._declared[what].trouble(value):
            raise SaySoError(Code.INVALID, f"'{what}' of {name} {trouble}")
        self.things[name] = replace(thing, attributes={**thing.attributes, what: value})

    def put(self, name: str, place: str) -> None:
        """Moves a thing to the table, into the hand, or onto or into another."""
        thing = self._thing(name)
        if place == HAND and self.held() not in (None, name):
            self.fail("the hand is full")
        if place not in (TABLE, HAND):
            under: str = place
            while under not in (TABLE, HAND):
                if under == name:
                    self.fail("a thing is not put on itself")
                under = self._thing(under).place
        self.things[name] = replace(thing, place=place)

    def place(self, name: str) -> str:
        """Where a thing is: "table", "hand", or the name of what it is on or in."""
        return self._thing(name).place

    def above(self, name: str) -> list[str]:
        """What is on or in a thing."""
        return [t.name for t in self.things.values() if t.place == self._thing(name).name]

    def held(self) -> str | None:
        """What is in the hand."""
        return next((t.name for t in self.things.values() if t.place == HAND), None)

    def everything(self) -> list[str]:
        """All things."""
        return list(self.things)

    def fail(self, why: str) -> None:
        """The action stops here, and nothing has changed."""
        raise BlockedError(why)

    # -- skills ----------------------------------------------------------------------------

    def pick_up(self, name: str) -> None:
        """As the arm's skill: a narrow thing on which nothing stands, with an empty hand."""
        thing = self._thing(name)
        if self.held() is not None:
            self.fail("the hand is full")
        if thing.fixed or min(thing.size_m[:2]) > OPEN_M:
            self.fail("it does not fit into the hand")
        if self.above(name):
            self.fail("something is on it")
        self.put(name, HAND)

    def place_on_table(self, name: str) -> None:
        """As the arm's skill: what is held."""
        self._require_held(name)
        self.put(name, TABLE)

    def place_first_on_second(self, name: str, other: str) -> None:
        """As the arm's skill: what is held, onto the middle of what is free."""
        self._require_held(name)
        if self.above(other):
            self.fail("something is there already")
        self.put(name, other)

    def _require_held(self, name: str) -> None:
        if self.held() != name:
            self.fail("it is not in the hand")

    def _thing(self, name: str) -> Thing:
        if name not in self.things:
            raise SaySoError(
                Code.UNKNOWN_OBJECT, f"there is no '{name}'", choices=list(self.things)
            )
        return self.things[name]

    # -- what is seen ----------------------------------------------------------------------

    def scene(self, stamp_s: float) -> Scene:
        """All things; x away from the robot, y to its left, z up, the table at 0 [m]."""
        held = self.held()
        across = min(self.things[held].size_m[:2]) if held else OPEN_M
        robot = RobotState(
            stamp_s, gripper_width_m=across if across <= OPEN_M else _RIM_M, gripper=Pose(_HAND_M),
            gripper_max_width_m=OPEN_M,
        )  # fmt: skip
        return Scene(stamp_s, tuple(map(self._seen, self.things.values())), robot)

    def _seen(self, thing: Thing) -> SceneObject:
        x, y, bottom = self.foot(thing.name)
        return SceneObject(
            thing.name, thing.kind, thing.color, (x, y, bottom + thing.size_m[2] / 2),
            thing.size_m, carried=thing.place == HAND,
            attributes={
                n: v for n, v in thing.attributes.items() if self._declared[n].observable
            },
        )  # fmt: skip

    def foot(self, name: str) -> tuple[float, float, float]:
        """The middle of its underside [m]."""
        thing = self.things[name]
        if thing.place == TABLE:
            return thing.x_m, thing.y_m, 0.0
        if thing.place == HAND:
            x, y, z = _HAND_M
            return x, y, z - thing.size_m[2]
        under = self.things[thing.place]
        x, y, bottom = self.foot(under.name)
        aside = 0.0
        if under.hollow or under.size_m[0] >= _WIDE_M:
            beside = self.above(under.name)
            aside = (beside.index(name) - (len(beside) - 1) / 2) * _BESIDE_M
        return x, y + aside, bottom + (_FLOOR_M if under.hollow else under.size_m[2])


SKILLS: Mapping[str, int] = {"pick_up": 1, "place_on_table": 1, "place_first_on_second": 2}
"""Skills of the registry that are played here, and how many things each takes."""
GRANTED: Mapping[str, int] = {
    "value": 2, "change": 3, "put": 2, "place": 1, "above": 1, "held": 0, "everything": 0,
    "fail": 1,
}  # fmt: skip
"""What an action's code may call, and with how many arguments."""


def skill(top: TableTop, name: str) -> Callable[..., None]:
    """The skill of this name on a table."""
    skills: Mapping[str, Callable[..., None]] = {
        "pick_up": top.pick_up,
        "place_on_table": top.place_on_table,
        "place_first_on_second": top.place_first_on_second,
    }
    return skills[name]
