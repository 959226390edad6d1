"""Somebody who meddles with the things on a table while the robot is at its task.

Each upset changes the scene once, right before a step of the plan, as a person at the table might.
The robot is told nothing of it: it finds out by what it observes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sayso.core.library import Library
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Check
from sayso.mission.stages import ReportSkill
from sayso.worlds.kinematic_table import HELD_M, OPEN_M, KinematicTable, moved, with_opening

AJAR_M = (0.025, 0.06)
"""How far a drawer stands open that somebody pushed to without shutting it."""


class MeddledTable(KinematicTable):
    """A kinematic table where one upset happens.

    Args:
        upset: of `UPSETS`.
        begun: how many steps were begun before it happens; it waits for one that it can upset.
        seed: of what the upset chooses.
        objects: of the table, as `KinematicTable` has them.

    Attributes:
        upset_at: the action before which it happened; None while it has not.
    """

    def __init__(
        self, upset: str, begun: int, seed: int, objects: Iterable[SceneObject] = ()
    ) -> None:
        super().__init__(objects)
        self.upset_at: Action | None = None
        self._upset = UPSETS[upset]
        self._to_begin = begun
        self._rng = random.Random(seed)
        self._hidden: frozenset[str] = frozenset()

    @property
    def scene(self) -> Scene:
        """Without what somebody has hidden, until it is seen again."""
        seen = (o for o in self._scene.objects if o.visible or o.name not in self._hidden)
        return replace(self._scene, objects=tuple(seen))

    def look(self) -> None:
        self._hidden -= {o.name for o in self._scene.objects if o.visible}
        super().look()

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        if self.upset_at is None and self._to_begin <= 0:
            meddler = Meddler(self.scene, self.library, action, self._rng)
            after = self._upset(meddler)
            if after is not None:
                before = {o.name for o in self._scene.objects if o.visible}
                self._scene, self.upset_at = after, action
                self._hidden = frozenset(
                    o.name for o in after.objects if o.name in before and not o.visible
                )
        self._to_begin -= 1
        return super().execute(action, step, attempt, started)


class Meddler:
    """What a person at the table can do to an action that comes next: the scene after it.

    Each of them gives None where there is nothing that it could be done to.
    """

    def __init__(self, scene: Scene, library: Library, action: Action, rng: random.Random) -> None:
        self._view = SceneView(scene, library.predicates)
        self._domain = library.domain()
        self._action = action
        self._rng = rng
        self._drawer = next(n for n in self._view.objects() if self._view.holds("drawer", n))

    def empties_the_hand(self) -> Scene | None:
        held = [n for n in self._view.objects() if self._view.holds("holding", n)]
        return self._with_hand(OPEN_M, "place_on_table", *held) if held else None

    def fills_the_hand(self) -> Scene | None:
        """With a block: not all that can be grasped fits between the fingers as it stands."""
        others = [n for n in self._loose_blocks() if n not in self._action.args]
        if not self._view.holds("gripper_empty") or not others:
            return None
        return self._with_hand(HELD_M, "pick_from_table", self._rng.choice(others))

    def moves_it(self) -> Scene | None:
        thing = self._thing()
        return None if thing is None else self._does(self._view.scene, "place_on_table", thing)

    def puts_it_into_the_drawer(self) -> Scene | None:
        """Which stays open."""
        thing = self._thing("block")
        if thing is None:
            return None
        scene = self._does(self._view.scene, "open_drawer", self._drawer)
        return self._does(scene, "place_in", thing, self._drawer)

    def hides_it_in_the_drawer(self) -> Scene | None:
        """And shuts it: nothing shows where the thing is."""
        thing = self._thing("block")
        if thing is None or self._drawer in self._action.args:
            return None
        scene = self._does(self._view.scene, "open_drawer", self._drawer)
        scene = self._does(scene, "place_in", thing, self._drawer)
        return self._does(scene, "close_drawer", self._drawer)

    def shuts_the_drawer(self) -> Scene | None:
        shut = self._view.holds("closed", self._drawer)
        return None if shut else self._does(self._view.scene, "close_drawer", self._drawer)

    def leaves_the_drawer_ajar(self) -> Scene | None:
        """Too narrow to reach in, and not shut."""
        if self._view.holds("closed", self._drawer):
            return None
        after = with_opening(self._view.scene, self._drawer, self._rng.uniform(*AJAR_M))
        return replace(after, robot=self._view.scene.robot)

    def opens_the_drawer(self) -> Scene | None:
        is_open = self._view.holds("open", self._drawer)
        return None if is_open else self._does(self._view.scene, "open_drawer", self._drawer)

    def occupies_the_place(self) -> Scene | None:
        return self._stacked_on(self._action.args[1]) if len(self._action.args) > 1 else None

    def puts_something_on_it(self) -> Scene | None:
        thing = self._thing()
        return None if thing is None else self._stacked_on(thing)

    def takes_something_off(self) -> Scene | None:
        """What was put on or in another thing is put back on the table."""
        names = [n for n in self._view.objects() if n not in self._action.args]
        put = [
            n
            for n in names
            if any(self._view.holds(p, n, o) for p in ("on", "in") for o in names if o != n)
        ]
        if not put:
            return None
        return self._does(self._view.scene, "place_on_table", self._rng.choice(put))

    def takes_it_away(self) -> Scene | None:
        thing, scene = self._thing(), self._view.scene
        if thing is None:
            return None
        return replace(scene, objects=tuple(o for o in scene.objects if o.name != thing))

    def _stacked_on(self, place: str) -> Scene | None:
        blocks = [n for n in self._loose_blocks() if n not in (*self._action.args, place)]
        if not self._view.holds("stackable", place) or not blocks:
            return None
        return self._does(self._view.scene, "stack", self._rng.choice(blocks), place)

    def _thing(self, category: str = "") -> str | None:
        """What the action is about, if it lies on the table."""
        name = self._action.args[0]
        if name not in self._loose() or category not in ("", self._view.category(name)):
            return None
        return name

    def _loose(self) -> list[str]:
        """What lies on the table with nothing on it."""
        wanted = ("graspable", "on_table", "clear")
        return [n for n in self._view.objects() if all(self._view.holds(p, n) for p in wanted)]

    def _loose_blocks(self) -> list[str]:
        return [n for n in self._loose() if self._view.category(n) == "block"]

    def _does(self, scene: Scene, operator: str, *args: str) -> Scene:
        """The scene after an action that is not the robot's."""
        action = self._domain.operator(operator).ground(*args)
        return replace(moved(scene, action), robot=scene.robot)

    def _with_hand(self, width_m: float, operator: str, *args: str) -> Scene:
        scene = self._does(self._view.scene, operator, *args)
        return replace(scene, robot=replace(scene.robot, gripper_width_m=width_m))


UPSETS: Mapping[str, Callable[[Meddler], Scene | None]] = {
    "hand_emptied": Meddler.empties_the_hand,
    "hand_filled": Meddler.fills_the_hand,
    "thing_moved": Meddler.moves_it,
    "thing_put_into_the_drawer": Meddler.puts_it_into_the_drawer,
    "thing_hidden_in_the_drawer": Meddler.hides_it_in_the_drawer,
    "drawer_shut": Meddler.shuts_the_drawer,
    "drawer_left_ajar": Meddler.leaves_the_drawer_ajar,
    "drawer_opened": Meddler.opens_the_drawer,
    "place_occupied": Meddler.occupies_the_place,
    "something_put_on_it": Meddler.puts_something_on_it,
    "something_taken_off": Meddler.takes_something_off,
    "thing_taken_away": Meddler.takes_it_away,
}
"""By name. After `thing_taken_away` the task cannot be done, and that is what is to be told."""
