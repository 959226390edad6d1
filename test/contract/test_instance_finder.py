"""What every `InstanceFinder` promises, whatever it looks at.

A backend of the registry takes part by itself; one that needs options gets them in `OPTIONS`,
and what it recognises of the frame is in `KNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.adapters.vision.detect_then_segment import DetectThenSegment
from sayso.core.ports import InstanceFinder, RgbdFrame
from support.scripted_vision import BoxSegmenter, ScriptedDetector
from support.synthetic_frames import Solid, look_at, render
from support.tiny_vision import save_kind_net, save_owlvit, save_sam

QUERIES = ("red sofa", "can", "sofa")
ABSENT = "purple elephant"
FAKE = "fake detector and segmenter"


@lru_cache(maxsize=1)
def frame() -> RgbdFrame:
    """A red sofa and a blue one on the floor of a room, and a can on a table between them."""
    solids = (
        Solid("red", (2.4, 1.3, 0.40), (0.9, 1.8, 0.8), label="red sofa"),
        Solid("blue", (3.4, -1.6, 0.40), (0.9, 1.8, 0.8), label="blue sofa"),
        Solid("brown", (2.3, -0.3, 0.35), (0.6, 0.8, 0.7), label="brown table"),
        Solid("red", (2.2, -0.3, 0.76), (0.066, 0.066, 0.12), round=True, label="red can"),
    )
    return render(solids, "front", pose=look_at((0.0, 0.0, 1.4), (2.5, 0.0, 0.5)))


def true_masks(label: str) -> list[np.ndarray]:
    shown = frame()
    return [shown.instances == i for i, name in shown.instance_labels.items() if label in name]


def _box(mask: np.ndarray) -> tuple[float, float, float, float]:
    rows, columns = np.nonzero(mask)
    return (columns.min(), rows.min(), columns.max() + 1.0, rows.max() + 1.0)


def _fake() -> InstanceFinder:
    answers = {q: [(_box(m), 0.9) for m in true_masks(q)] for q in QUERIES}
    return DetectThenSegment(ScriptedDetector(answers), BoxSegmenter())


def _tiny(folder: Path) -> Mapping[str, Any]:
    for module in ("torch", "transformers"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed (pip install 'sayso[vision]')")
    return {
        "detector": save_owlvit(folder / "owlvit"),
        "segmenter": save_sam(folder / "sam"),
        "threshold": 0.0,
        "most": 3,
    }


def _untrained(folder: Path) -> Mapping[str, Any]:
    for module in ("torch", "onnx", "onnxruntime"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed (pip install 'sayso[vision]')")
    return {"segmenter": save_kind_net(folder / "net.onnx"), "least_score": 0.0}


OPTIONS: Mapping[str, Callable[[Path], Mapping[str, Any]]] = {
    "owlvit_sam": _tiny,
    "segmentation_net": _untrained,
}
KNOWN: Mapping[str, tuple[str, ...]] = {
    FAKE: QUERIES,
    "simulator": QUERIES,
    "rgbd_namer": ("can", "red can"),
}
"""What backends recognise here; a network of random weights recognises nothing."""
COUNTS = {"red sofa": 1, "sofa": 2, "can": 1, "red can": 1}


@pytest.fixture(scope="module", params=[*registry.names("instance_finder"), FAKE])
def backend(request, tmp_path_factory) -> tuple[str, InstanceFinder]:
    name = request.param
    if name == FAKE:
        return name, _fake()
    options = OPTIONS[name](tmp_path_factory.mktemp("models")) if name in OPTIONS else {}
    return name, registry.create("instance_finder", name, **options)


@pytest.fixture(scope="module")
def found(backend):
    return backend[1].find(frame(), QUERIES)


def test_masks_fit_the_image_and_answer_what_was_asked(found):
    for instance in found:
        assert instance.mask.shape == frame().rgb.shape[:2]
        assert instance.mask.dtype == np.bool_
        assert instance.mask.any()
        assert instance.label in QUERIES
        assert 0.0 <= instance.score <= 1.0


def test_the_best_come_first(found):
    scores = [i.score for i in found]
    assert scores == sorted(scores, reverse=True)


def test_the_same_frame_gives_the_same_instances(backend, found):
    again = backend[1].find(frame(), QUERIES)
    assert [(i.label, i.score) for i in again] == [(i.label, i.score) for i in found]
    assert all((a.mask == b.mask).all() for a, b in zip(again, found, strict=True))


def test_no_question_has_no_answer(backend):
    assert tuple(backend[1].find(frame(), ())) == ()


def test_the_frame_is_left_as_it_was(backend):
    shown = frame()
    rgb, depth = shown.rgb.copy(), shown.depth_m.copy()
    backend[1].find(shown, QUERIES)
    assert (shown.rgb == rgb).all() and (shown.depth_m == depth).all()


def test_what_is_known_is_found_where_it_is_and_nothing_else(backend):
    name, finder = backend
    if name not in KNOWN:
        pytest.skip(f"'{name}' recognises nothing here")
    for query in KNOWN[name]:
        masks = [i.mask for i in finder.find(frame(), (query,))]
        assert len(masks) == COUNTS[query]
        for mask in masks:
            shares = [(mask & t).sum() / (mask | t).sum() for t in true_masks(query)]
            assert max(shares) > 0.6
    assert tuple(finder.find(frame(), (ABSENT,))) == ()
