"""Skills for doors and lights that a building's own drives and switches work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sayso.adapters import registry
from sayso.core.scene import SceneObject
from sayso.core.symbols import in_words
from sayso.skills.approach import Errand
from sayso.skills.mobile import MobileWork, found_in
from sayso.skills.skill import Skill, Skills
from sayso.worlds.flat.flat_world import FlatWorld

PATIENCE_S = 10.0


@dataclass
class Device:
    """Faces something of the building and has it worked until that is seen to be done.

    Args:
        work: made by the executor.
        order: what the building is asked for, by the thing's name.
        done: whether a thing as it is seen is as it was asked for.
    """

    work: MobileWork
    order: Callable[[str], None]
    done: Callable[[SceneObject], bool]
    parameters = ("thing",)

    def run(self, errand: Errand, args: tuple[str, ...]) -> None:
        (name,), senses = args, self.work.senses
        x, y, _ = found_in(senses.scene(), name).position
        here = np.array([self.work.approach.base().position[:2]])
        self.work.approach.drive(errand, here, self.work.held, face=(x, y))
        errand.phase(f"have {in_words(name)} worked")
        self.work.gate.operate(lambda: self.order(name), senses, errand.arm.cancelled)
        end_s = senses.now_s() + PATIENCE_S
        while not self.done(found_in(senses.scene(), name)) and senses.now_s() < end_s:
            senses.wait(0.2)


def skills(world: FlatWorld) -> Skills:
    """What the robot can do, with the doors and lights of a world."""
    devices: dict[str, tuple[Callable[[str], None], Callable[[SceneObject], bool]]] = {
        "open": (lambda n: world.set_door(n, 1.0), lambda o: (o.opening_m or 0.0) > 1.2),
        "close": (lambda n: world.set_door(n, 0.0), lambda o: o.opening_m == 0.0),
        "turn_on": (lambda n: world.switch(n, True), lambda o: o.switched_on is True),
        "turn_off": (lambda n: world.switch(n, False), lambda o: o.switched_on is False),
    }

    def make(name: str, work: MobileWork) -> Skill[Errand]:
        if name in devices:
            return Device(work, *devices[name])
        skill: Skill[Errand] = registry.create("mobile_skill", name, work=work)
        return skill

    return make
