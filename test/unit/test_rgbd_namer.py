"""Naming by geometry and colour: what is whole, free and of one kind only, and nothing else."""

from __future__ import annotations

from functools import lru_cache

import pytest

from sayso.adapters.vision.rgbd_namer import RgbdNamer
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import RgbdFrame
from sayso.perception.looks import Look, Measures, flat_looks, load_looks, name
from support.synthetic_frames import Solid, look_at, render

TABLE = Solid("brown", (2.0, 0.0, 0.35), (0.6, 1.2, 0.7), label="brown table")
EYE = look_at((0.4, 0.0, 1.4), (2.0, 0.0, 0.7))
NAMER = RgbdNamer()


def can(x: float, y: float, color: str = "red") -> Solid:
    return Solid(color, (x, y, 0.76), (0.066, 0.066, 0.12), round=True, label=f"{color} can")


def lemon(x: float, y: float) -> Solid:
    size = (0.065, 0.065, 0.06)
    return Solid("yellow", (x, y, 0.73), size, round=True, label="yellow lemon")


@lru_cache(maxsize=4)
def shown(*solids: Solid) -> RgbdFrame:
    return render((TABLE, *solids), "front", pose=EYE)


def names(*solids: Solid) -> list[str]:
    return sorted(f"{n.color} {n.category}" for n in NAMER.named(shown(*solids)))


def test_free_things_on_furniture_are_named():
    assert names(can(1.9, 0.3), lemon(1.9, -0.2)) == ["red can", "yellow lemon"]


def test_what_is_partly_hidden_is_not_named():
    before = Solid("blue", (1.78, 0.02, 0.76), (0.05, 0.05, 0.12), label="blue box")
    assert "red can" not in names(can(1.95, 0.0), before)


def test_what_touches_its_neighbour_is_not_named():
    assert "red can" not in names(can(1.9, 0.0), can(1.9, 0.066, "blue"))


def test_what_leaves_the_image_is_not_named():
    at_the_rim = look_at((0.4, 0.0, 1.4), (2.0, 0.93, 0.7))
    frame = render((TABLE, can(1.9, 0.0)), "front", pose=at_the_rim)
    assert (frame.instances[:, -1] == _id(frame, "red can")).any()
    assert not NAMER.named(frame)


def test_colours_of_a_query_must_be_seen():
    frame = shown(can(1.9, 0.3), lemon(1.9, -0.2))
    assert [m.label for m in NAMER.find(frame, ("red can", "blue can"))] == ["red can"]
    assert NAMER.find(frame, ("teapot",)) == ()
    (fruit,) = NAMER.find(frame, ("yellow lemon",))
    true = frame.instances == _id(frame, "yellow lemon")
    assert (fruit.mask & true).sum() / (fruit.mask | true).sum() > 0.6


def _id(frame: RgbdFrame, label: str) -> int:
    return next(i for i, name in frame.instance_labels.items() if name == label)


def test_what_fits_two_kinds_is_not_named():
    mug = Look("mug", (0.07, 0.10), (0.07, 0.10), (0.08, 0.11))
    cup = Look("cup", (0.06, 0.09), (0.06, 0.09), (0.07, 0.10))
    seen = Measures(0.08, 0.08, 0.09, 1.0, "white", on_floor=False)
    larger = Measures(0.10, 0.10, 0.11, 1.0, "white", on_floor=False)
    assert name(seen, {"mug": mug, "cup": cup}) is None
    assert name(larger, {"mug": mug, "cup": cup}, rivals_most=0.7) is not None
    assert name(seen, {"mug": mug}) == ("mug", 1.0)


def test_rivals_are_never_named():
    assert flat_looks()["bag"].rival
    rival = Look("bag", (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), rival=True)
    assert name(Measures(0.1, 0.1, 0.1, 1.0, "red", on_floor=True), {"bag": rival}) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("looks: {can: {length_m: [1, 0], width_m: [0, 1], height_m: [0, 1]}}", "length_m"),
        ("looks: {can: {length_m: [0, 1], width_m: [0, 1]}}", "not a table of looks"),
        ("looks: {can: {size: 3}}", "unknown fields"),
        (
            "looks: {can: {length_m: [0, 1], width_m: [0, 1], height_m: [0, 1], stands: moon}}",
            "'moon'",
        ),
        ("looks: {}", "no looks"),
        ("nothing", "not a table of looks"),
    ],
)
def test_a_wrong_table_of_looks_is_refused(tmp_path, text, words):
    file = tmp_path / "looks.yaml"
    file.write_text(text)
    with pytest.raises(SaySoError, match=words) as caught:
        load_looks(file)
    assert caught.value.code is Code.CONFIG
