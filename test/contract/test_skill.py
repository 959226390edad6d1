"""What every `Skill` does: each entry of the registry, on the robot that it is for."""

from __future__ import annotations

from functools import partial

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation.table_run.robot import build
from sayso.robots.loading import DEFAULT, MOBILE, load_robot
from sayso.skills.skill import Repertoire, Terms
from sayso.worlds.table.table_world import TableWorld

ROBOTS = {"arm_skill": (DEFAULT, "tabletop"), "mobile_skill": (MOBILE, "flat")}
ENTRIES = [(kind, name) for kind in ROBOTS for name in registry.names(kind)]
THINGS = {
    "movable": "red_block",
    "surface": "plate",
    "container": "bowl",
    "openable": "drawer",
    "thing": "red_block",
}
HELD = frozenset({
    "place_on", "stack", "place_in", "place_on_table", "place_first_on_second", "place_left_of",
    "place_right_of", "place_in_front_of", "place_behind",
    "place_next_to",
})  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), ENTRIES)
def test_says_what_it_works_on_and_needs_in_words_that_library_and_robot_know(kind, name):
    robot, library = ROBOTS[kind]
    offered = load_robot(robot).capabilities
    skill = Repertoire(partial(registry.create, kind), None, offered).skill(name)
    words = load(builtin_path(library)).vocabulary
    assert all(words.is_a(t, "thing") for t in skill.parameters)
    assert set(skill.needs) <= offered


@pytest.fixture(scope="module")
def rig():
    world = TableWorld(1)
    yield world, *build(world)
    world.close()


@pytest.fixture
def commands(rig, monkeypatch):
    """What reaches the driver, but for orders to rest."""
    sent = []
    for command in ("stream", "grip"):
        monkeypatch.setattr(rig[0], command, lambda *_, command=command: sent.append(command))
    return sent


def run(rig, name, **terms):
    work = rig[3]._work
    skill = registry.create("arm_skill", name, work=work)
    skill.run(work.job(Terms(**terms)), tuple(THINGS[t] for t in skill.parameters))


@pytest.mark.parametrize("name", registry.names("arm_skill"))
def test_moves_nothing_while_the_gate_is_closed(rig, commands, name):
    with pytest.raises(SaySoError) as error:
        run(rig, name)
    wanted = Code.EXECUTION if name in HELD else Code.GATE_CLOSED  # the hand is empty
    assert error.value.code is wanted
    assert not commands


@pytest.mark.parametrize("name", sorted(set(registry.names("arm_skill")) - HELD))
def test_moves_nothing_while_a_stop_is_held_or_once_it_is_cancelled(rig, commands, name):
    gate = rig[2]
    with gate.authorised(()), pytest.raises(SaySoError) as error:
        run(rig, name, cancelled=lambda: True)
    assert error.value.code is Code.CANCELLED
    token = gate.stop("somebody said so")
    with pytest.raises(SaySoError) as error:
        run(rig, name)
    gate.release(token)
    assert error.value.code is Code.STOPPED
    assert not commands


@pytest.mark.parametrize("name", sorted(set(registry.names("arm_skill")) - HELD))
def test_what_must_not_be_touched_is_refused_by_the_skill_itself(rig, commands, name):
    avoid = frozenset(THINGS.values())
    with rig[2].authorised(()), pytest.raises(SaySoError) as error:
        run(rig, name, avoid=avoid)
    assert error.value.code is Code.VETO
    assert not commands
