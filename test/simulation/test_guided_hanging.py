"""A person who holds buttons hangs a mug on a rack, in physics, by what the page shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.halp.taught import known, robot
from sayso.evaluation.table_run.robot import TableArm
from sayso.perception.appearance import SHAPES, appearances_of
from sayso.ros.console.page_state import scene_data
from sayso.skills.guiding import FASTEST_M_S, FASTEST_RAD_S, STILL, Wish
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.guiding_person import (
    Goal,
    Presses,
    giving,
    gripper_of,
    left_to,
    points_of,
    taking,
)
from sayso.worlds.table.table_scene import load_scene
from sayso.worlds.table.table_world import TableWorld

SCENE = """
things:
  - {name: rack, family: rack, seed: 27, color: brown, x: 0.508, y: -0.034, yaw: 1.49}
  - {name: blue_mug, family: mug, seed: 36, color: blue, x: 0.455, y: -0.291, yaw: 2.4}
cabinet: false
"""
SLOW, FASTEST = 0.25, np.array([FASTEST_M_S] * 3 + [FASTEST_RAD_S])
CLOSES_S, LOOKS_S, MOST_S = 1.5, 0.6, 100.0


class Person:
    """Guides an arm as at the page: holds buttons, lets go, looks, and corrects."""

    def __init__(self, arm: TableArm) -> None:
        self.arm, self.done = arm, False
        self._wishes = self._guided()

    def wish(self) -> Wish:
        """What is wished for now."""
        found = next(self._wishes, None)
        self.done = found is None
        return found or STILL

    def _shown(self) -> dict:
        return scene_data(self.arm.senses.scene())

    def _guided(self) -> Iterator[Wish]:
        shown = self._shown()
        place = gripper_of(shown).place
        take = taking(points_of(shown, "mug"), points_of(shown, "rack"), place)
        speeds = Presses(SLOW * FASTEST)
        for goal in take.goals:
            yield from self._to(goal, speeds)
        held = self._shown()
        for goal in giving(points_of(held, "mug"), take, gripper_of(held).place):
            yield from self._to(goal, speeds)

    def _to(self, goal: Goal, slow: Presses) -> Iterator[Wish]:
        while True:
            yield from self._looking()
            place = gripper_of(self._shown()).place
            far = np.abs(left_to(goal.place, place)).max() > 0.04
            held_s = slow.towards(goal, place) * (SLOW if far else 1.0)
            if not held_s.any():
                break
            begun_s = self.arm.senses.now_s()
            while (passed_s := self.arm.senses.now_s() - begun_s) < np.abs(held_s).max():
                share = (1.0 if far else SLOW) * np.sign(held_s) * (passed_s < np.abs(held_s))
                x, y, z, turn = (float(v) for v in share * FASTEST)
                yield Wish((x, y, z), (0.0, 0.0, turn))
        begun_s = self.arm.senses.now_s()
        while goal.fingers and not self._gripped(goal, begun_s):
            yield Wish(fingers=goal.fingers)

    def _looking(self) -> Iterator[Wish]:
        """Nothing is held, until a scene shows where that led."""
        until_s = self.arm.senses.now_s() + LOOKS_S
        while self.arm.senses.scene().stamp_s < until_s:
            yield STILL

    def _gripped(self, goal: Goal, begun_s: float) -> bool:
        if goal.fingers > 0:
            return gripper_of(self._shown()).width_m >= goal.width_m
        return self.arm.senses.now_s() - begun_s > CLOSES_S


def test_a_mug_is_hung_on_a_rack_by_held_buttons(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(SCENE)
    world = TableWorld(3, NoiseModel(), scene=load_scene(tmp_path / "scene.yaml"))
    try:
        knows = replace(known(load(builtin_path()), {}), looks=appearances_of(SHAPES))
        arm = robot(world, knows)
        person, told, begun_s = Person(arm), [], world.time_s

        def over() -> bool:
            return person.done or world.time_s - begun_s > MOST_S

        with arm.gate.authorised(()):
            try:
                arm.executor.be_guided(person.wish, told.append, over)
            except SaySoError as error:
                assert error.code is Code.CANCELLED
        assert person.done, told
        arm.senses.wait(1.0)
        things = world.true_scene().by_name()
        rack, mug = things["rack"], things["blue_mug"]
        assert mug.position[2] > 0.12, told
        assert np.linalg.norm(np.subtract(mug.position, rack.position)[:2]) < 0.12
    finally:
        world.close()
