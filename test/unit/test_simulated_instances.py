"""Instances from the simulator's own segmentation, right and wrong on purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.adapters.vision.simulated_instances import SimulatorInstances, answers_to
from sayso.core.errors import Code, SaySoError
from support.flat_frames import mug, seen, sofa, table

FRAME = seen([sofa(4.0, -1.0), table(3.0, 1.0), mug(2.9, 0.8)])


@pytest.mark.parametrize(
    ("label", "query", "expected"),
    [
        ("blue sofa", "couch", True),
        ("blue sofa", "red sofa", False),
        ("blue sofa", "blue sofa", True),
        ("green plush_toy", "plush toy", True),
        ("wooden coffee_table", "table", True),
        ("wooden table", "coffee table", False),
        ("black computer", "monitor", True),
        ("red coke_can", "can", True),
        ("red coke_can", "pepsi can", False),
        ("white soup", "tea", False),
        ("blue office", "classroom", False),
        ("brown wooden_desk", "wooden desk", True),
        ("black laptop_with_yellow_stickers", "laptop with yellow stickers", True),
        ("black laptop", "laptop with yellow stickers", False),
        ("", "sofa", False),
        ("blue sofa", "spaceship", False),
    ],
)
def test_nouns_are_understood(label: str, query: str, expected: bool) -> None:
    assert answers_to(label, query) is expected


def test_every_instance_in_view_is_found() -> None:
    finder = registry.create("instance_finder", "simulator", least_pixels=20)
    found = {m.label: m.mask for m in finder.find(FRAME, ["sofa", "table", "mug", "fridge"])}
    assert sorted(found) == ["mug", "sofa", "table"]
    ids = {label: i for i, label in FRAME.instance_labels.items()}
    assert np.array_equal(found["sofa"], FRAME.instances == ids["blue sofa"])
    few = SimulatorInstances(least_pixels=1200).find(FRAME, ["mug"])
    assert few == ()


def test_errors_come_at_their_rates_and_the_same_for_the_same_frame() -> None:
    frames = [replace(FRAME, stamp_s=float(i)) for i in range(200)]
    queries = ["sofa", "table", "mug"]
    finder = SimulatorInstances(3, miss_rate=0.3, least_pixels=20)
    counts = [len(finder.find(f, queries)) for f in frames]
    assert np.mean(counts) == pytest.approx(3 * 0.7, abs=0.2)
    assert counts == [len(finder.find(f, queries)) for f in frames]
    false = SimulatorInstances(3, false_rate=0.2, least_pixels=20)
    assert np.mean([len(false.find(f, queries)) for f in frames]) == pytest.approx(3.6, abs=0.2)
    wrong = SimulatorInstances(3, mislabel_rate=0.5, least_pixels=20)
    found = [m.label for f in frames for m in wrong.find(f, ["sofa", "fridge"])]
    # Half of the sofas, and a quarter each of tables and mugs.
    assert found.count("fridge") == pytest.approx(200, abs=40)


def test_bad_settings_and_real_pictures_are_refused() -> None:
    with pytest.raises(SaySoError):
        SimulatorInstances(miss_rate=1.5)
    with pytest.raises(SaySoError) as real:
        SimulatorInstances().find(replace(FRAME, instances=None), ["sofa"])
    assert real.value.code is Code.CONFIG
