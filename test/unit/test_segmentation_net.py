"""From named pixels to things: what hangs together in depth, in colours that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from sayso.adapters.vision.segmentation_net import OWN, KnownKinds, SegmentationNet
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import RgbdFrame
from sayso.worlds.flat.kinds import KINDS as KINDS_OF_FLATS
from support.synthetic_frames import Solid, look_at, render

KINDS = {"nothing": ["nothing"], "sofa": ["sofa", "couch"], "small_table": ["coffee_table"]}
RED = Solid("red", (2.4, 1.3, 0.40), (0.9, 1.8, 0.8), label="red sofa")
BLUE = Solid("blue", (3.4, -1.6, 0.40), (0.9, 1.8, 0.8), label="blue sofa")
TABLE = Solid("brown", (2.3, -0.2, 0.25), (0.5, 0.5, 0.5), label="brown table")


@dataclass(frozen=True)
class Scripted:
    """Stands for onnxruntime's session: names the pixels of one frame as it was told to."""

    kinds: np.ndarray
    probability: float

    def get_inputs(self) -> list[Scripted]:
        return [self]

    @property
    def name(self) -> str:
        return "picture"

    def run(self, outputs: None, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        assert inputs["picture"].shape == (1, 6, 240, 320)
        return [self.kinds[None], np.full((1, *self.kinds.shape), self.probability, np.float32)]


@lru_cache(maxsize=4)
def shown(*solids: Solid) -> RgbdFrame:
    return render(solids, "front", pose=look_at((0.0, 0.0, 1.4), (2.5, 0.0, 0.5)))


@pytest.fixture
def finder(tmp_path, monkeypatch):
    """Makes a finder whose network sees the sofas and the table of a frame."""
    described = {"kinds": KINDS, "width": 320, "height": 240}
    (tmp_path / "net.yaml").write_text(yaml.safe_dump(described, sort_keys=False))

    def make(frame: RgbdFrame, probability: float = 0.9, **settings) -> SegmentationNet:
        kinds = np.zeros(max(frame.instance_labels) + 1, np.uint8)
        for i, label in frame.instance_labels.items():
            kinds[i] = 1 if "sofa" in label else 2
        named = kinds[frame.instances[::4, ::4]]
        session = Scripted(named, probability)
        monkeypatch.setattr(SegmentationNet, "_session", property(lambda self: session))
        return SegmentationNet(str(tmp_path / "net.onnx"), **settings)

    return make


def overlap(mask: np.ndarray, frame: RgbdFrame, label: str) -> float:
    wanted = [i for i, name in frame.instance_labels.items() if name == label]
    true = np.isin(frame.instances, wanted)
    return (mask & true).sum() / (mask | true).sum()


def test_things_of_one_kind_that_lie_apart_are_several(finder):
    frame = shown(RED, BLUE, TABLE)
    found = finder(frame).find(frame, ("sofa",))
    assert len(found) == 2
    for label in ("red sofa", "blue sofa"):
        assert max(overlap(m.mask, frame, label) for m in found) > 0.85


def test_one_that_stands_before_another_is_parted_from_it_by_depth(finder):
    behind = replace(RED, color="blue", position=(4.6, 0.4, 0.40), label="blue sofa")
    front = replace(RED, position=(2.4, 0.4, 0.25), size=(0.6, 1.2, 0.5))
    frame = shown(front, behind)
    assert len(finder(frame).find(frame, ("sofa",))) == 2


def test_pieces_that_something_parts_in_the_picture_are_one_thing(finder):
    pillar = Solid("black", (1.2, 0.50, 1.1), (0.05, 0.05, 2.2), label="black table")
    frame = shown(RED, pillar)
    (sofa,) = finder(frame).find(frame, ("sofa",))
    columns = np.flatnonzero(sofa.mask.any(axis=0))
    (table,) = (i for i, label in frame.instance_labels.items() if "table" in label)
    hidden = np.flatnonzero((frame.instances == table).any(axis=0))
    assert columns.min() < hidden.min() and columns.max() > hidden.max()


@pytest.mark.parametrize(
    ("query", "count"),
    [("red sofa", 1), ("couch", 2), ("green sofa", 0), ("table", 1), ("coffee table", 1)],
)
def test_colours_and_words_for_a_kind_count(finder, query, count):
    frame = shown(RED, BLUE, TABLE)
    assert len(finder(frame).find(frame, (query,))) == count


@pytest.mark.parametrize("query", ["elephant", "nothing", "office desk"])
def test_what_the_network_does_not_know_is_not_found(finder, query):
    frame = shown(RED, BLUE, TABLE)
    assert finder(frame).find(frame, (query,)) == ()


def test_what_is_named_without_conviction_is_not_found(finder):
    frame = shown(RED, BLUE, TABLE)
    assert finder(frame, 0.4).find(frame, ("sofa",)) == ()
    assert len(finder(frame, 0.4, least_score=0.3).find(frame, ("sofa",))) == 2


def test_how_sure_one_must_be_is_told_beside_the_network(finder, tmp_path):
    frame = shown(RED, BLUE, TABLE)
    told = {"kinds": KINDS, "width": 320, "height": 240, "least_score": 0.95}
    (tmp_path / "net.yaml").write_text(yaml.safe_dump(told, sort_keys=False))
    assert finder(frame, 0.9).find(frame, ("sofa",)) == ()
    assert len(finder(frame, 0.96).find(frame, ("sofa",))) == 2
    assert len(finder(frame, 0.9, least_score=0.5).find(frame, ("sofa",))) == 2


def test_a_camera_whose_pictures_do_not_fit_is_named(finder):
    frame = shown(RED, BLUE, TABLE)
    odd = replace(frame, rgb=frame.rgb[:400], depth_m=frame.depth_m[:400])
    with pytest.raises(SaySoError, match=r"camera 'front' .* 640 x 400") as caught:
        finder(frame).find(odd, ("sofa",))
    assert caught.value.code is Code.UNSUPPORTED and "640 x 480" in caught.value.hint


@pytest.mark.parametrize("text", [None, "", "kinds: 3", "{kinds: {a: [a]}, width: x, height: 2}"])
def test_a_file_that_does_not_tell_what_is_known_is_refused(tmp_path: Path, text):
    path = tmp_path / "net.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SaySoError, match="does not tell what the network") as caught:
        KnownKinds.read(path)
    assert caught.value.code is Code.CONFIG and "sayso vision train" in caught.value.hint


@pytest.mark.parametrize("settings", [{"least_score": 1.5}, {"least_pixels": 0}, {"threads": 0}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(SaySoError) as caught:
        SegmentationNet("net.onnx", **settings)
    assert caught.value.code is Code.CONFIG


def test_the_network_that_comes_along_knows_kinds_of_flats_and_where_it_comes_from():
    known = KnownKinds.read(OWN.with_suffix(".yaml"))
    assert set(known.kinds) - {"nothing", "door"} <= {k.replace("_", " ") for k in KINDS_OF_FLATS}
    assert {"sofa", "couch", "settee"} <= known.nouns["sofa"]
    told = yaml.safe_load(OWN.with_suffix(".yaml").read_text())
    assert told["trained"]["steps"] and told["trained"]["seed"] >= 0
    assert 0.5 <= known.least_score < 1.0
    assert OWN.stat().st_size <= 5e6


def test_without_what_runs_networks_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "net.yaml").write_text(yaml.safe_dump({"kinds": KINDS, "width": 4, "height": 4}))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SaySoError, match="onnxruntime") as caught:
        SegmentationNet(str(tmp_path / "net.onnx"))
    assert caught.value.code is Code.MISSING_DEPENDENCY and "sayso[vision]" in caught.value.hint


@pytest.mark.parametrize("content", [None, b"", b"no network"])
def test_a_network_that_cannot_be_loaded_is_named(tmp_path, content):
    pytest.importorskip("onnxruntime", reason="needs the extra sayso[vision]")
    (tmp_path / "net.yaml").write_text(yaml.safe_dump({"kinds": KINDS, "width": 4, "height": 4}))
    if content is not None:
        (tmp_path / "net.onnx").write_bytes(content)
    with pytest.raises(SaySoError, match=r"net\.onnx' cannot be loaded") as caught:
        SegmentationNet(str(tmp_path / "net.onnx"))
    assert caught.value.code is Code.CONFIG
