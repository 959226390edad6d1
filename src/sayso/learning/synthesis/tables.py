"""A scene as arrays over its objects, so that programs are evaluated for all objects at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.thing_arrays import read_only

Bools = npt.NDArray[np.bool_]


class SceneTable:
    """What the scene API tells of each object, in the order of `names`; n objects.

    Attributes:
        position, size, low, high: (n, 3) as in `SceneView` [m].
        water: (n,) [l], 0 where none is sensed; `senses_water` says where.
        opening: (n,) [m], 0 for things that do not open; `opens` says which do.
        gripper_distance: (n,) [m].
    """

    def __init__(self, scene: Scene, predicates: Mapping[str, Predicate]) -> None:
        view = SceneView(scene, predicates)
        self._view = view
        self.names = view.objects()
        self.index = {name: i for i, name in enumerate(self.names)}
        self.categories = tuple(view.category(n) for n in self.names)
        self.colors = tuple(view.color(n) for n in self.names)
        things = view.things
        self.position, self.size = things.position, things.size
        self.low, self.high = things.low, things.high
        self.rotation = things.rotation
        self.gripper_distance = np.array([view.gripper_distance(n) for n in self.names], float)
        self.carried = np.array([view.carried(n) for n in self.names], bool)
        self.senses_water = np.array([view.senses_water(n) for n in self.names], bool)
        self.water = np.array([o.number("water_l") or 0.0 for o in scene.objects], float)
        self.opens = np.array([view.opens(n) for n in self.names], bool)
        self.opening = np.array([o.number("opening_m") or 0.0 for o in scene.objects], float)
        self.gripper_width = view.gripper_width
        self.gripper_max_width = view.gripper_max_width
        self.table_height = view.table_height
        self._objects = scene.objects
        self._numbers: dict[str, Array] = {}
        self._words: dict[str, tuple[str, ...]] = {}

    @property
    def count(self) -> int:
        return len(self.names)

    @cached_property
    def same(self) -> Bools:
        """(n, n) of whether two places are one object."""
        return np.eye(self.count, dtype=bool)

    def observes(self, attribute: str) -> Bools:
        """(n,) of which things an attribute was observed."""
        return np.array([attribute in o.attributes for o in self._objects], bool)

    def number(self, attribute: str) -> Array:
        """(n,) an attribute that is a number or a truth; 0 where it was not observed."""
        if attribute not in self._numbers:
            values = (o.attributes.get(attribute, 0.0) for o in self._objects)
            found = np.array([0.0 if isinstance(v, str) else float(v) for v in values], float)
            self._numbers[attribute] = read_only(found)
        return self._numbers[attribute]

    def words(self, attribute: str) -> tuple[str, ...]:
        """(n,) an attribute that is words, `category` or `color`; '' where it was not observed."""
        if attribute in ("category", "color"):
            return self.categories if attribute == "category" else self.colors
        if attribute not in self._words:
            found = tuple(str(o.attributes.get(attribute, "")) for o in self._objects)
            self._words[attribute] = found
        return self._words[attribute]

    @cached_property
    def attributes(self) -> dict[str, type]:
        """What was observed of any thing beside its box, with what it is: bool, float or str."""
        return {
            name: bool if isinstance(value, bool) else str if isinstance(value, str) else float
            for o in self._objects for name, value in o.attributes.items()
        }  # fmt: skip

    def holds(self, predicate: str) -> Bools:
        """(n, ..., n) of where another predicate certainly holds; one axis for each argument."""
        return self._view.known(predicate)
