"""Pretrained networks as they are loaded: real loading code, tiny random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from support.tiny_vision import save_owlvit, save_sam

pytest.importorskip("torch", reason="the extra 'vision' is not installed")
pytest.importorskip("transformers", reason="the extra 'vision' is not installed")

from sayso.adapters.vision.owlvit_sam import OwlViT, OwlViTSam, SamBoxes

IMAGE = np.random.default_rng(3).integers(0, 255, (90, 120, 3), np.uint8)
QUERIES = ("red sofa", "mug", "a very long description of a thing that has no end to its words")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("models")
    return {
        "owlvit": save_owlvit(home / "owlvit"),
        "owlv2": save_owlvit(home / "owlv2", version=2),
        "sam": save_sam(home / "sam"),
        "cut off": cut_off(save_owlvit(home / "cut_off")),
    }


def cut_off(folder: str) -> str:
    """A copy whose download broke off."""
    weights = Path(folder) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])
    return folder


@pytest.mark.parametrize("version", ["owlvit", "owlv2"])
def test_detections_do_not_depend_on_the_batch(folders, version):
    at_once = OwlViT(folders[version], threshold=0.0).detect(IMAGE, QUERIES)
    one_by_one = OwlViT(folders[version], threshold=0.0, batch=1).detect(IMAGE, QUERIES)
    assert {d.label for d in at_once} <= set(QUERIES)
    assert at_once
    best = max(at_once, key=lambda d: d.score)
    same = [d for d in one_by_one if d.label == best.label]
    gaps = [np.abs(np.subtract(d.box, best.box)).max() for d in same]
    assert min(gaps) < 1e-2


def test_a_threshold_keeps_the_better_detections(folders):
    found = OwlViT(folders["owlvit"], threshold=0.0).detect(IMAGE, QUERIES)
    limit = float(np.median([d.score for d in found]))
    better = OwlViT(folders["owlvit"], threshold=limit).detect(IMAGE, QUERIES)
    assert 0 < len(better) < len(found)
    assert all(d.score >= limit for d in better)


def test_every_box_gets_its_mask_whatever_the_batch(folders):
    boxes = [(5.0, 5.0, 60.0, 50.0), (40.0, 20.0, 110.0, 85.0), (0.0, 0.0, 120.0, 90.0)]
    masks = SamBoxes(folders["sam"]).segment(IMAGE, boxes)
    again = SamBoxes(folders["sam"], batch=2).segment(IMAGE, boxes)
    assert [m.shape for m in masks] == [(90, 120)] * 3
    assert all((a == b).mean() > 0.999 for a, b in zip(masks, again, strict=True))
    assert SamBoxes(folders["sam"]).segment(IMAGE, []) == ()


def test_detections_become_masks_of_the_frame(folders):
    depth = np.ones(IMAGE.shape[:2], np.float32)
    camera = Intrinsics(120, 90, 100.0, 100.0, 59.5, 44.5)
    frame = RgbdFrame("front", 0.0, IMAGE, depth, camera, Pose())
    finder = OwlViTSam(folders["owlvit"], folders["sam"], threshold=0.0, most=2)
    found = finder.find(frame, QUERIES)
    assert found and {i.label for i in found} <= set(QUERIES)
    assert all(i.mask.shape == (90, 120) and i.mask.any() for i in found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"detector": ""}, "no folder"),
        ({"detector": "somebody/owlvit"}, "has no revision"),
        ({"detector": "sam"}, "no fitting model"),
        ({"detector": "cut off"}, "no fitting model"),
        ({"segmenter": "owlvit"}, "no fitting model"),
        ({"device": "abacus"}, "device 'abacus'"),
        ({"batch": 0}, "batch of 0"),
    ],
)
def test_what_cannot_be_loaded_is_named(folders, options, words):
    given = {"detector": folders["owlvit"], "segmenter": folders["sam"]}
    given |= {k: folders.get(v, v) if isinstance(v, str) else v for k, v in options.items()}
    with pytest.raises(SaySoError, match=words) as caught:
        OwlViTSam(**given)
    assert caught.value.code is Code.CONFIG
    assert caught.value.hint
