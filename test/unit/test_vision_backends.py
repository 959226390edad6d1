"""Detections to instances: duplicates, thresholds, edges of the image; what is missing."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.adapters.vision.detect_then_segment import DetectThenSegment, overlaps
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from support.scripted_vision import BoxSegmenter, ScriptedDetector

WIDTH, HEIGHT = 80, 60
FRAME = RgbdFrame(
    "front",
    0.0,
    np.zeros((HEIGHT, WIDTH, 3), np.uint8),
    np.ones((HEIGHT, WIDTH), np.float32),
    Intrinsics(WIDTH, HEIGHT, 60.0, 60.0, 39.5, 29.5),
    Pose(),
)


def finder(answers, **options) -> DetectThenSegment:
    return DetectThenSegment(ScriptedDetector(answers), BoxSegmenter(), **options)


def test_of_boxes_on_one_thing_the_best_is_kept():
    boxes = [((10, 10, 30, 30), 0.5), ((11, 10, 31, 30), 0.9), ((50, 10, 70, 30), 0.4)]
    found = finder({"mug": boxes}).find(FRAME, ["mug"])
    assert [i.score for i in found] == [0.9, 0.4]
    assert found[0].mask[20, 30] and not found[0].mask[20, 10]
    assert len(finder({"mug": boxes}, overlap=1.0).find(FRAME, ["mug"])) == 3


def test_one_thing_may_answer_two_queries():
    answers = {"mug": [((10, 10, 30, 30), 0.5)], "cup": [((10, 10, 30, 30), 0.6)]}
    found = finder(answers).find(FRAME, ["mug", "cup", "mug"])
    assert [i.label for i in found] == ["cup", "mug"]


def test_weak_and_needless_detections_are_dropped():
    boxes = [((i, 0, i + 5, 20), 0.05 + i / 100) for i in range(0, 60, 6)]
    assert len(finder({"mug": boxes}, most=4).find(FRAME, ["mug"])) == 4
    found = finder({"mug": boxes}, threshold=0.4).find(FRAME, ["mug"])
    assert [round(i.score, 2) for i in found] == [0.59, 0.53, 0.47, 0.41]


def test_boxes_end_at_the_image():
    boxes = [((-20.0, -5.0, 10.0, 10.0), 0.9), ((90.0, 10.0, 120.0, 30.0), 0.9)]
    (found,) = finder({"mug": boxes}).find(FRAME, ["mug"])
    assert found.mask.sum() == 100


def test_overlap_is_the_share_of_the_union():
    shares = overlaps(np.array([0.0, 0, 10, 10]), np.array([[0.0, 0, 10, 10], [5, 0, 15, 10]]))
    np.testing.assert_allclose(shares, [1.0, 1 / 3])


@pytest.mark.parametrize("options", [{"threshold": 1.5}, {"overlap": 0.0}, {"most": 0}])
def test_senseless_options_are_refused(options):
    with pytest.raises(SaySoError) as caught:
        finder({}, **options)
    assert caught.value.code is Code.CONFIG


@pytest.mark.skipif(find_spec("transformers") is not None, reason="the extra is installed")
def test_without_the_extra_the_error_names_it():
    with pytest.raises(SaySoError) as caught:
        registry.create("instance_finder", "owlvit_sam", detector="x", segmenter="y")
    assert caught.value.code is Code.MISSING_DEPENDENCY
    assert "sayso[vision]" in caught.value.hint
