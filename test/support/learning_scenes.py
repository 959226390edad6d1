"""Random scenes of things on a table, on and in each other, and in the hand."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject

SIZES = {
    "shelf": (0.24, 0.10, 0.035),
    "mat": (0.29, 0.10, 0.012),
    "plate": (0.20, 0.10, 0.016),
    "can": (0.06, 0.10, 0.07),
    "box": (0.066, 0.10, 0.055),
    "cup": (0.072, 0.10, 0.09),
    "egg": (0.05, 0.10, 0.04),
    "pot": (0.175, 0.10, 0.17),
}
CARRIED = ("can", "box", "cup", "egg")


class _Draft:
    def __init__(self, random: np.random.Generator, noise_m: float) -> None:
        self.random = random
        self.noise_m = noise_m
        self.made: list[SceneObject] = []

    def size(self, category: str) -> np.ndarray:
        return np.array(SIZES[category]) * self.random.uniform(0.9, 1.1, 3)

    def put(self, category: str, size, x: float, bottom: float, **more) -> SceneObject:
        seen = np.array([x, 0.0, bottom + size[2] / 2]) + self.random.normal(0, self.noise_m, 3)
        sensed = category in ("cup", "pot")
        attributes = {"water_l": float(self.random.choice([0.0, 0.2]))} if sensed else {}
        made = SceneObject(
            f"{category}_{len(self.made)}",
            category,
            str(self.random.choice(["red", "blue"])),
            tuple(map(float, seen)),
            tuple(map(float, size)),
            attributes=attributes,
            **more,
        )
        self.made.append(made)
        return made

    def add(self, x: float) -> None:
        """One more thing at x: on the table, on the last thing or in it."""
        category = str(self.random.choice(list(SIZES)))
        size = self.size(category)
        last = self.made[-1] if self.made else None
        choice = self.random.random()
        if last is not None and category in CARRIED and choice < 0.6 and not last.carried:
            inside = last.category == "pot"
            bottom = (
                last.position[2] - last.size[2] / 2
                if inside
                else (last.position[2] + last.size[2] / 2)
            )
            self.put(category, size, last.position[0], bottom + (0.01 if inside else 0.0))
        else:
            self.put(category, size, x, 0.0)


def random_scene(seed: int, count: int = 7, noise_m: float = 0.0005) -> Scene:
    """A table with `count` things; one of them may be in the hand."""
    random = np.random.default_rng(seed)
    draft = _Draft(random, noise_m)
    for i in range(count - 1):
        draft.add(0.4 * i)
    robot = RobotState(0.0, (), 0.08, Pose((-0.5, 0.0, 0.6)))
    if random.random() < 0.5:
        size = draft.size("can")
        draft.put("can", size, -0.5, 0.6 - size[2] + 0.02, carried=True)
        robot = RobotState(0.0, (), float(size[0]), Pose((-0.5, 0.0, 0.6)))
    return Scene(float(seed), tuple(draft.made), robot)
