"""Finding things in the frames of a tour, and putting together what several frames show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sayso.adapters.vision.simulated_instances import SimulatorInstances
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceMask, RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.flat.looking import look_for
from sayso.perception.flat.settings import LookSettings
from support.flat_frames import cat, mug, seen, sofa, table, tour

FINDER = SimulatorInstances(least_pixels=20)
CATS_LIVE = LookSettings(living=frozenset({"cat"}))


def named(things: Sequence[SceneObject]) -> dict[str, SceneObject]:
    return {t.name: t for t in things}


class Extra:
    """A finder that takes one patch of some frames for a thing as well."""

    def __init__(self, noun: str, stamps: Sequence[float]) -> None:
        self.noun, self.stamps = noun, stamps

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        found = FINDER.find(frame, queries)
        if frame.stamp_s not in self.stamps:
            return found
        patch = np.zeros(frame.depth_m.shape, bool)
        patch[105:150, 90:150] = True
        return (*found, InstanceMask(self.noun, 0.5, patch))


def test_things_are_found_once_where_they_are() -> None:
    solids = (sofa(3.2, -1.0), table(3.2, 1.2), mug(3.0, 1.0))
    found = named(look_for(tour(solids), ["sofa", "table", "mug"], FINDER))
    assert sorted(found) == ["blue_sofa", "brown_table", "red_mug"]
    for name, solid in zip(("blue_sofa", "brown_table", "red_mug"), solids, strict=True):
        thing = found[name]
        assert np.allclose(thing.position, solid.position, atol=0.09), name
        assert np.allclose(sorted(thing.size[:2]), sorted(solid.size[:2]), atol=0.18), name
        assert 0.5 < thing.confidence <= 1.0
        assert len(thing.points) > 10
    assert found["red_mug"].category == "mug"


def test_two_sofas_side_by_side_stay_two() -> None:
    solids = (sofa(4.0, -0.92), sofa(4.0, 0.92, "blue", "couch"))
    found = look_for(tour(solids), ["sofa"], FINDER)
    assert [t.name for t in found] == ["blue_sofa", "blue_sofa_2"]
    assert sorted(round(t.position[1], 1) for t in found) == [-0.9, 0.9]


def test_what_frames_show_in_parts_is_one_thing() -> None:
    long = replace(sofa(2.6, 0.0), size=(0.9, 4.0, 0.8))
    parts = [
        seen([long], (0.6, y, 1.4), (2.6, y, 0.4), i) for i, y in enumerate((-1.6, -0.6, 0.6, 1.6))
    ]
    (found,) = look_for(parts, ["sofa"], FINDER)
    assert max(found.size) == pytest.approx(4.0, abs=0.15)
    assert found.position[1] == pytest.approx(0.0, abs=0.1)


def test_what_only_one_of_many_frames_shows_is_no_thing() -> None:
    frames = tour([sofa(4.0, 0.0)])
    assert not look_for(frames, ["mug"], Extra("mug", [2.0]))
    eager = LookSettings(in_view=100)
    assert len(look_for(frames, ["mug"], Extra("mug", [2.0]), eager)) == 1


def test_a_kind_and_a_special_kind_of_it_are_one_thing() -> None:
    solids = (table(3.4, 1.2, "brown", "coffee_table"), table(3.4, -1.2, "white"))
    found = named(look_for(tour(solids), ["table", "coffee table"], FINDER))
    assert sorted(found) == ["brown_coffee_table", "white_table"]
    assert len(look_for(tour([sofa(4, 0)]), ["couch", "sofa"], FINDER)) == 1


def test_what_was_moved_during_the_tour_is_where_it_was_seen_last() -> None:
    before = tour([table(3.4, 1.2), mug(3.2, 1.2)])
    after = tour([table(3.4, 1.2), mug(3.0, -0.6, foot=0.0)], start_s=20.0)
    (found,) = look_for((*before, *after), ["mug"], FINDER)
    assert np.allclose(found.position, (3.0, -0.6, 0.06), atol=0.05)


def test_a_cat_that_walks_is_one_cat() -> None:
    frames = [seen([cat(3.0, y)], stamp_s=3.0 * i) for i, y in enumerate((-1.2, -0.4, 0.4, 1.2))]
    (found,) = look_for(frames, ["cat"], FINDER, CATS_LIVE)
    assert found.living
    assert found.position[1] == pytest.approx(1.2, abs=0.1)
    both = [
        *frames,
        seen([cat(3.0, 1.2), replace(cat(3.0, -1.0), label="orange kitty")], stamp_s=12),
    ]
    assert len(look_for((*both, replace(both[-1], stamp_s=13.0)), ["cat"], FINDER, CATS_LIVE)) == 2


def test_names_that_are_taken_are_not_given_again() -> None:
    (found,) = look_for(tour([sofa(4, 0)]), ["sofa"], FINDER, taken=["blue_sofa"])
    assert found.name == "blue_sofa_2"


def test_a_tour_without_frames_or_depth_is_refused() -> None:
    with pytest.raises(SaySoError, match="no frame") as empty:
        look_for([], ["sofa"], FINDER)
    assert empty.value.code is Code.INVALID
    frame = seen([sofa(4, 0)])
    blind = replace(frame, depth_m=np.zeros_like(frame.depth_m))
    with pytest.raises(SaySoError, match="depth"):
        look_for([blind], ["sofa"], FINDER)
