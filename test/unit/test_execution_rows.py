"""What is asked of an arm with shapes never seen, the tables drawn for it, and the judge."""

from __future__ import annotations

import string
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sayso import cli
from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.evaluation.halp import executing
from sayso.evaluation.halp.drawn_tables import drawn
from sayso.evaluation.halp.end_states import so
from sayso.evaluation.halp.executing import Execution
from sayso.evaluation.halp.execution_rows import ROWS
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.mission.programs.stages import ProgramStages
from sayso.worlds.kinematic_table import KinematicTable
from sayso.worlds.table.shapes.families import draw, seeds
from sayso.worlds.table.shapes.surface import sample

NAMES = {"a": "bowl_a", "b": "bowl_b", "m": "mug"}
OVER = (1.0, 0.0, 0.0, 0.0)


def shaped(name, family, position, seed=20, orientation=(0.0, 0.0, 0.0, 1.0)):
    """A thing of a family at a place, by its true shape."""
    shape = draw(family, seed)
    pose = Pose((position[0], position[1], position[2] + shape.size[2] / 2), orientation)
    points = pose.transform(sample(shape, 800, np.random.default_rng(0)).points)
    return SceneObject(
        name, family, "", pose.position, shape.size, orientation, points=points.astype(np.float32)
    )


def scene_of(*things, tool=(0.0, 0.0, 0.5), width_m=0.08):
    return Scene(0.0, things, RobotState(0.0, gripper=Pose(tool, OVER), gripper_width_m=width_m))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_names_its_things_and_is_understood(name):
    row = ROWS[name]
    said = {field for _, field, *_ in string.Formatter().parse(row.say) if field}
    told = {letter for words in (*row.start, *row.ends) for letter in words.split()[1:]}
    assert said | told <= set(row.things)
    interpret(drawn(row, 0).instruction, Lexicon.of(load(builtin_path()), ("bottle", "tray")))


@pytest.mark.parametrize("name", ROWS)
def test_drawn_tables_have_unseen_shapes_of_colours_of_their_own(name):
    for seed in range(6):
        table = drawn(ROWS[name], seed)
        things = table.scene.things
        assert len({t.color for t in things}) == len(things)
        assert {t.drawn[1] for t in things if t.drawn} <= set(seeds("unseen"))
        assert drawn(ROWS[name], seed) == table  # the same whenever it is drawn
        held_up = {table.names[s.split()[1]] for s in table.stacked}
        assert held_up | set(table.scene.layout.placements) == {t.name for t in things}


def test_only_what_is_about_relations_is_also_asked_without_them():
    asked = [c.group for c in Execution(list(ROWS), 1, relations=("told", "untold")).cases()]
    assert len(set(asked)) == len(asked)
    untold = [g for g in asked if g.endswith(", relations untold")]
    assert untold == [f"{name}, relations untold" for name in ROWS if ROWS[name].relations]
    assert "pick" in asked and len(untold) == 3


@pytest.mark.parametrize("told", [True, False])
def test_a_model_is_told_how_things_lie_only_where_relations_are_told(told):
    contexts = []

    class Reads:
        def program(self, context, check):
            contexts.append(context)
            return 'pick("red_block")'

    table = KinematicTable()
    stages = ProgramStages(
        table, Reads(), lambda: table.library, lambda: table.scene, CharacterNgrams(),
        relations=told,
    )  # fmt: skip
    stages.interpret("Pick up the red block.")
    text = contexts[0].scene
    assert "red_block: red block" in text
    assert ("is on the" in text or "left of" in text or "behind" in text) is told


def test_without_a_model_the_rows_are_begun(tmp_path, capsys):
    args = ["eval", "halp", "--part", "execution", "--tables", "0", "--out", str(tmp_path / "run")]
    assert cli.main(args) == 0, capsys.readouterr().out


def test_without_a_model_relations_are_not_untold(capsys):
    args = ["eval", "halp", "--part", "execution", "--relations", "untold", "--tables", "1"]
    assert cli.main(args) != 0
    assert "nothing reads the scene's text" in capsys.readouterr().out.replace("\n", " ")


def test_nothing_is_asked_that_is_so_already():
    for seed in range(40):
        table = drawn(ROWS["place left of"], seed)
        a, b = (table.scene.layout.placements[table.names[letter]] for letter in "ab")
        assert not a.y - b.y > abs(a.x - b.x)


def test_no_bowl_is_asked_for_in_one_that_is_too_small_for_it():
    """By the judge: so in the middle, a little below the rim."""
    row = ROWS["stack three bowls"]
    for seed in range(40):
        table = drawn(row, seed)
        sizes = {t.name: t for t in table.scene.things}
        for end in row.ends:
            inner, outer = (sizes[table.names[letter]] for letter in end.split()[1:])
            below = shaped(outer.name, *placed_in(outer, 0.0))
            height = outer.size[2] - 0.01
            within = shaped(inner.name, *placed_in(inner, height))
            names = dict(zip(end.split()[1:], (inner.name, outer.name), strict=True))
            assert so(end, names, scene_of(below, within))


def placed_in(thing, height_m):
    """Family, place and seed of a thing in the middle of the table."""
    return thing.drawn[0], (0.5, 0.0, height_m), thing.drawn[1]


def test_what_is_in_a_bowl_is_below_its_rim_and_between_its_sides():
    a = shaped("bowl_a", "bowl", (0.5, 0.0, 0.0))
    within = shaped("bowl_b", "bowl", (0.5, 0.0, 0.012), seed=20)
    assert so("in b a", NAMES, scene_of(a, within))
    assert not so("in b a", NAMES, scene_of(a, shaped("bowl_b", "bowl", (0.5, 0.07, 0.012))))
    assert not so("in b a", NAMES, scene_of(a, shaped("bowl_b", "bowl", (0.5, 0.0, 0.07))))


@pytest.mark.parametrize(
    ("place", "left", "right"),
    [((0.5, 0.2, 0.0), True, False), ((0.5, -0.2, 0.0), False, True),
     ((0.7, 0.15, 0.0), False, False), ((0.5, 0.2, 0.05), False, False)],
)  # fmt: skip
def test_left_is_more_to_the_left_than_before_or_behind(place, left, right):
    scene = scene_of(shaped("bowl_a", "bowl", (0.5, 0.0, 0.0)), shaped("mug", "mug", place))
    assert so("left m a", NAMES, scene) is left
    assert so("right m a", NAMES, scene) is right


def test_what_lies_on_its_side_does_not_stand_beside():
    bottle = shaped("mug", "bottle", (0.5, 0.2, -0.05), orientation=(0.7071, 0.0, 0.0, 0.7071))
    bottle = replace(bottle, points=bottle.points - [0, 0, bottle.points[:, 2].min()])
    assert not so("left m a", NAMES, scene_of(shaped("bowl_a", "bowl", (0.5, 0, 0)), bottle))


@pytest.mark.parametrize(
    ("height", "width_m", "held"),
    [(0.2, 0.05, True), (0.2, 0.08, False), (0.2, 0.0, False), (0.0, 0.05, False)],
)
def test_what_is_held_is_off_the_table_between_closed_fingers(height, width_m, held):
    mug = shaped("mug", "mug", (0.5, 0.0, height))
    rim = (0.5, mug.size[1] / 2, height + mug.size[2])
    assert so("held m", NAMES, scene_of(mug, tool=rim, width_m=width_m)) is held
    far = scene_of(mug, tool=(0.5, 0.2, height), width_m=width_m)
    assert not so("held m", NAMES, far)


@pytest.mark.parametrize(
    ("grasps", "shown"), [("geometric", set()), ("taught[geometric]", {"take", "lay"})]
)
def test_who_takes_things_as_they_were_shown_was_shown_that(monkeypatch, grasps, shown):
    class KnownError(Exception):
        pass

    def known(_, taught):
        assert taught.keys() == shown
        raise KnownError

    monkeypatch.setattr(executing, "known", known)
    monkeypatch.setattr(executing, "shown_skill", lambda task, count: (task, count))
    monkeypatch.setattr(executing, "TableWorld", lambda *_, **__: SimpleNamespace(close=print))
    execution = Execution(["pick"], 1, grasps=grasps)
    with pytest.raises(KnownError):
        execution.run(execution.cases()[0], 0)
