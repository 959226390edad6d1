"""Pictures of single things, and the predicates that they decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import SaySoError
from sayso.core.library import Library, builtin_path, compile_predicate, load, save
from sayso.core.ports import RgbdFrame
from sayso.core.predicates import Predicate, SceneView, symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.perception.pictures import PictureTruths, box_of, picture_of
from support.boxed_depth import Box, frame, looking

ROOM: Box = ((0.0, 0.0, 0.0), (5.0, 4.0, 2.5))
PALE: Box = ((2.0, 1.2, 0.5), (2.2, 1.4, 0.7))
DARK: Box = ((2.0, 2.6, 0.5), (2.2, 2.8, 0.7))
PALE_ONE = """import numpy as np


def pale(scene, a):
    picture = scene.picture(a)
    return np.mean(picture.rgb[picture.mask]) > 128
"""
PALE_MANY = """import numpy as np


def pale_many(scene, a):
    shown = [scene.things.pictures[i] for i in a]
    return np.array([None if p is None else p.rgb[p.mask].mean() > 128 for p in shown], object)
"""


def thing(name: str, box: Box) -> SceneObject:
    low, high = np.array(box)
    middle, size = tuple((low + high) / 2), tuple(high - low)
    return SceneObject(name, "block", "", middle, size)


SCENE = Scene(0.0, (thing("pale", PALE), thing("dark", DARK)))


def seen(*boxes: Box) -> RgbdFrame:
    """Boxes from x = 0.5 m; where they show, the picture's left half is pale, the rest dark."""
    view = frame(looking(0.5, 2.0, 0.0, height=0.6, down=0.0), boxes, ROOM)
    rgb = np.full_like(view.rgb, 20)
    rgb[:, view.rgb.shape[1] // 2 :] = 230  # -y is to the right of who looks along x
    return replace(view, rgb=rgb)


def library(source: str) -> Library:
    function = compile_predicate("pale", source)
    return Library("test", {"pale": Predicate("pale", ("a",), function, source=source)}, {})


def test_a_picture_shows_the_thing_with_its_depth_and_which_pixels_are_of_it() -> None:
    picture = picture_of(SCENE.objects[0], seen(PALE, DARK))
    assert picture is not None
    assert picture.rgb.shape[:2] == picture.depth_m.shape == picture.mask.shape
    depth_m = picture.depth_m[picture.mask]
    assert (depth_m > 1.48).all() and (depth_m < 1.72).all()
    assert (picture.depth_m[~picture.mask] > 2.0).all()
    assert (picture.rgb[picture.mask] == 230).all()


def test_what_is_behind_the_camera_or_hidden_has_no_picture() -> None:
    behind = replace(SCENE.objects[0], position=(0.2, 2.0, 0.6))
    hiding: Box = ((1.0, 0.5, 0.0), (1.1, 3.5, 2.0))
    assert picture_of(behind, seen(PALE)) is None
    assert picture_of(SCENE.objects[0], seen(PALE, hiding)) is None


@pytest.mark.parametrize("source", [PALE_ONE, PALE_MANY])
def test_what_a_picture_decided_is_known_wherever_the_scene_goes(source: str) -> None:
    lib = library(source)
    told = PictureTruths(lib).decide(SCENE, [seen(PALE, DARK)])
    assert all(o.picture is None for o in told.objects)
    assert [o.attributes for o in told.objects] == [{"pale": True}, {"pale": False}]
    state = symbolic_state(told, lib.predicates, ["ghost"])
    truths = [state.truth(Atom("pale", (n,))) for n in ("pale", "dark", "ghost")]
    assert truths == [True, False, None]


@pytest.mark.parametrize("source", [PALE_ONE, PALE_MANY])
def test_without_a_picture_nothing_is_decided_and_what_was_decided_stays(source: str) -> None:
    pictures = PictureTruths(library(source))
    hidden = replace(SCENE, objects=tuple(replace(o, visible=False) for o in SCENE.objects))
    assert not any(o.attributes for o in pictures.decide(hidden, [seen(PALE, DARK)]).objects)
    pictures.decide(SCENE, [seen(PALE, DARK)])
    assert pictures.decide(hidden, []).by_name()["pale"].attributes == {"pale": True}
    pictures.decide(Scene(1.0, ()), [])
    assert not any(o.attributes for o in pictures.decide(hidden, []).objects)


def test_what_is_known_without_a_picture_counts() -> None:
    known = replace(SCENE.objects[0], attributes={"pale": False})
    told = PictureTruths(library(PALE_ONE)).decide(replace(SCENE, objects=(known,)), [seen(PALE)])
    assert told.objects[0].attributes == {"pale": False}


def test_pictures_cannot_be_changed_by_a_predicate() -> None:
    picture = picture_of(SCENE.objects[0], seen(PALE))
    pictured = replace(SCENE, objects=(replace(SCENE.objects[0], picture=picture),))
    for array in vars(SceneView(pictured).picture("pale")).values():
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_a_library_refuses_a_predicate_that_asks_for_pictures_of_two_things(tmp_path) -> None:
    source = "def like(scene, a, b):\n    return scene.picture(a) is scene.picture(b)\n"
    both = Predicate("like", ("a", "b"), compile_predicate("like", source), source=source)
    save(Library("test", {"like": both}, {}), tmp_path)
    with pytest.raises(SaySoError, match="takes one thing"):
        load(tmp_path)


def test_the_library_of_the_flat_sees_whether_a_lamp_shines() -> None:
    lit = load(builtin_path("flat")).predicates["lit"]
    assert lit.sees_pictures
    assert not load(builtin_path("flat")).predicates["on"].sees_pictures


def test_a_box_is_around_the_pixels_that_show_a_thing() -> None:
    view = seen(PALE, DARK)
    picture, box = picture_of(SCENE.objects[0], view), box_of(SCENE.objects[0], view)
    assert picture is not None and box is not None
    left, top, right, bottom = box
    assert picture.mask.any(axis=0).sum() == right - left
    assert picture.mask.any(axis=1).sum() == bottom - top
    far = thing("far", ((30.0, 0.0, 0.0), (30.2, 0.2, 0.2)))
    assert box_of(far, view) is None
    corner = np.argwhere(np.isclose(view.depth_m[top:bottom, left:right], 1.5, atol=0.06))
    assert len(corner) > 0.8 * (right - left) * (bottom - top), "it shows the face of the box"
