"""The page on extending SaySo, as it stands: predicate, operator, skill, robot and world."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code
from sayso.core.library import compile_predicate
from sayso.core.predicates import Predicate, symbolic_state
from sayso.core.scene import Picture, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.run import FlatRun
from sayso.evaluation.table_run.robot import build
from sayso.robots.loading import load_robot
from sayso.skills.skill import Terms
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene_file import from_yaml
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.table.table_world import TableWorld
from support.flat_additions import with_additions
from support.flat_scenes import true

PAGE = (Path(__file__).parents[2] / "docs/extend.md").read_text()


def blocks(section: str, language: str) -> list[str]:
    """The fenced texts of one language in a section."""
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S)
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


SECTIONS = (
    "A predicate", "A predicate of many things", "An operator", "A skill", "A policy", "A robot",
    "A world",
)  # fmt: skip


@pytest.mark.parametrize("section", SECTIONS)
def test_each_addition_is_short(section: str) -> None:
    lines = "".join(x for kind in ("python", "json", "toml", "yaml") for x in blocks(section, kind))
    assert 0 < lines.count("\n") < 40


def test_a_television_is_started_by_what_the_page_adds(tmp_path, monkeypatch) -> None:
    (predicate,), (running,) = blocks("A predicate", "python"), blocks("A predicate", "json")
    operator, english = map(json.loads, blocks("An operator", "json"))
    index = {"predicates": [json.loads(running)], "operators": [operator], "english": english}
    library = with_additions(tmp_path / "evening", index, {"running": predicate})
    (profile,), (scene,) = blocks("A robot", "yaml"), blocks("A world", "yaml")
    (tmp_path / "ours.yaml").write_text(profile)
    robot = load_robot(str(tmp_path / "ours.yaml"))
    world = FlatWorld(from_yaml(scene), 1, FlatNoise(), robot)
    building = ModuleType("my_building")
    building.switch = world.switch
    monkeypatch.setitem(sys.modules, "my_building", building)
    own: dict = {}
    exec(blocks("A skill", "python")[0], own)

    def skills(name, work):
        return (
            own["Start"](work)
            if name == "start"
            else registry.create("mobile_skill", name, work=work)
        )

    flat = FlatRun(world, KnownBoxes(world, 1), library=library, skills=skills)
    result = flat.perform("Go to the sofa, then start the television.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert true(world, "television").attributes["running"]
    assert robot.title == "the robot of the second floor"
    world.close()


def test_the_predicate_of_a_picture_tells_stripes() -> None:
    _, source = blocks("A predicate of many things", "python")
    striped = Predicate("striped", ("a",), compile_predicate("striped", source), source=source)
    plain = np.full((20, 40, 3), 120, np.uint8)
    stripes = np.where(np.arange(40)[:, None] // 5 % 2, plain, 230).astype(np.uint8)
    mask, depth_m = np.zeros((20, 40), bool), np.ones((20, 40), np.float32)
    mask[3:17, 4:36] = True
    things = tuple(
        SceneObject(n, "thing", "", (0, 0, 0), (0.1, 0.1, 0.1), picture=Picture(p, depth_m, mask))
        for n, p in (("plain", plain), ("striped", stripes))
    )
    state = symbolic_state(Scene(0.0, things), {"striped": striped})
    assert [state.truth(Atom("striped", (o.name,))) for o in things] == [False, True]


def test_the_predicate_of_many_things_sees_their_points() -> None:
    source, _ = blocks("A predicate of many things", "python")
    decide = compile_predicate("flat_topped", source)
    flat_topped = {"flat_topped": Predicate("flat_topped", ("a",), decide, source=source)}
    level = np.random.default_rng(0).uniform(0.0, 0.3, (50, 3)) * (1, 1, 0.05)
    points = {"tray": level, "ridge": level * (1, 0.1, 1), "glimpse": level[:5]}
    things = tuple(
        SceneObject(n, "thing", "", (0.1, 0.1, 0.0), (0.3, 0.3, 0.02), points=p.astype(np.float32))
        for n, p in points.items()
    )
    state = symbolic_state(Scene(0.0, things), flat_topped, ("elsewhere",))
    found = {n: state.truth(Atom("flat_topped", (n,))) for n in (*points, "elsewhere")}
    assert found == {"tray": True, "ridge": False, "glimpse": None, "elsewhere": None}


def test_the_policy_of_the_page_keeps_the_hand_above_a_block() -> None:
    world = TableWorld(1)
    _, gate, executor = build(world)
    own: dict = {}
    exec(blocks("A policy", "python")[0], own)
    work = executor._work
    with gate.authorised(()):
        own["KeepAbove"](work).run(work.job(Terms()), ("red_block",))
    block = {o.name: o for o in world.truth()}["red_block"]
    hand = world.robot_state().gripper
    assert hand.position[2] - block.position[2] == pytest.approx(0.25, abs=0.01)
    world.close()
