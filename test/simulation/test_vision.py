"""The network that names pixels: what it is trained on, what it sees, and that training resumes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from sayso.adapters.vision.segmentation_net import SegmentationNet
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.vision.dataset import (
    Album,
    _millimetres,
    read,
    render_album,
    render_missing,
)
from sayso.evaluation.vision.flats import CLASSES, SPLITS, draw_flat, seeds
from sayso.evaluation.vision.page import write_page
from sayso.evaluation.vision.scoring import Score, least_score


def only(album: Album, index: int) -> Album:
    """One picture of an album."""
    each = ("rgb", "depth_mm", "kinds", "instances", "poses")
    return replace(album, **{name: getattr(album, name)[index : index + 1] for name in each})


def scripted(folder, monkeypatch, kinds: np.ndarray) -> SegmentationNet:
    """A finder whose network names the pixels of a picture as it is told to."""
    told = {"kinds": {k: [k] for k in CLASSES}, "width": 320, "height": 240}
    (folder / "net.yaml").write_text(yaml.safe_dump(told, sort_keys=False))
    answer = [kinds[None], np.ones((1, *kinds.shape), np.float32)]
    session = SimpleNamespace(
        get_inputs=lambda: [SimpleNamespace(name="picture")], run=lambda *_: answer
    )
    monkeypatch.setattr(SegmentationNet, "_session", session)
    return SegmentationNet(str(folder / "net.onnx"))


def drawn(count: int) -> Album:
    """Pictures of flat squares, each kind in a colour of its own, two metres away."""
    rng = np.random.default_rng(0)
    colors = rng.integers(30, 225, (7, 3))
    kinds = np.zeros((count, 240, 320), np.uint8)
    for picture in kinds:
        for kind, corner in zip(rng.permutation(6) + 1, np.ndindex(2, 3), strict=True):
            top, left = corner * np.array([120, 106]) + rng.integers(0, 40, 2)
            picture[top : top + 60, left : left + 60] = kind
    shades = colors[kinds] + rng.normal(0, 5, (*kinds.shape, 3))
    pose = np.tile(np.eye(4), (count, 1, 1))
    return Album(
        0,
        np.clip(shades, 0, 255).astype(np.uint8),
        np.full(kinds.shape, 2000, np.uint16),
        kinds,
        kinds,
        pose,
        np.array([280.0, 280.0, 160.0, 120.0]),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("unseen")


@pytest.fixture(scope="module")
def albums(folder):
    """Three flats of seeds that nothing is trained on and no other figure is taken from."""
    return [read(path) for path in render_missing(folder, seeds("unseen", 3, skip=5_000), 6)]


def test_seeds_of_splits_lie_apart():
    spans = [range(s.first, s.first + s.count) for s in SPLITS.values()]
    assert all(a[-1] < b[0] or b[-1] < a[0] for a, b in combinations(spans, 2))


@pytest.mark.parametrize("split, count", [("holiday", 1), ("validation", 1_001)])
def test_flats_that_there_are_not_are_refused(split, count):
    with pytest.raises(SaySoError) as caught:
        seeds(split, count)
    assert caught.value.code is Code.INVALID


def test_pictures_are_rendered_once_and_the_same_again(albums, folder):
    album = albums[0]
    again = render_album(album.seed, 2)
    assert (again.rgb == album.rgb[:2]).all() and (again.kinds == album.kinds[:2]).all()
    before = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert list(render_missing(folder, [a.seed for a in albums], 6)) == sorted(before)
    assert {p: p.stat().st_mtime_ns for p in folder.iterdir()} == before


def test_a_file_that_is_no_album_is_named(tmp_path):
    (tmp_path / "7.npz").write_bytes(b"no pictures")
    with pytest.raises(SaySoError, match=r"7\.npz") as caught:
        read(tmp_path / "7.npz")
    assert caught.value.code is Code.CONFIG


@pytest.mark.parametrize("whole", [b"", b"PK\x03\x04 half of one"])
def test_a_file_that_was_cut_off_is_named(tmp_path, whole):
    (tmp_path / "7.npz").write_bytes(whole)
    with pytest.raises(SaySoError, match=r"7\.npz") as caught:
        read(tmp_path / "7.npz")
    assert caught.value.code is Code.CONFIG


def test_albums_of_another_number_of_pictures_are_refused(albums, folder):
    with pytest.raises(SaySoError, match="6 pictures of its flat, not 5") as caught:
        next(render_missing(folder, [albums[0].seed], 5))
    assert caught.value.code is Code.CONFIG and "--views 6" in caught.value.hint


def test_depth_that_nothing_measures_is_missing():
    depth = np.array([[1.5, 61.0, np.inf, np.nan, 0.0]], np.float32)
    assert _millimetres(depth).tolist() == [[1500, 0, 0, 0, 0]]


def test_a_network_of_other_kinds_is_not_scored(albums, tmp_path, monkeypatch):
    finder = scripted(tmp_path, monkeypatch, albums[0].kinds[0, ::2, ::2])
    other = yaml.safe_dump(
        {"kinds": {k: [k] for k in reversed(CLASSES)}, "width": 320, "height": 240},
        sort_keys=False,
    )
    (tmp_path / "net.yaml").write_text(other)
    with pytest.raises(SaySoError, match="other kinds") as caught:
        Score().add(albums[0], SegmentationNet(finder.segmenter))
    assert caught.value.code is Code.CONFIG


def test_what_is_true_is_what_the_flat_has(albums):
    for album in albums:
        scene = draw_flat(album.seed)
        there = {i.kind for i in scene.items} | {w.kind for w in scene.walkers} | {"door"}
        assert {CLASSES[i] for i in np.unique(album.kinds)} - {"nothing"} <= there
        assert ((album.instances == 0) == (album.kinds == 0)).all()


def test_one_who_names_every_pixel_rightly_is_scored_so(albums, tmp_path, monkeypatch):
    score = Score()
    for album in albums:
        for index in range(len(album.rgb)):
            finder = scripted(tmp_path, monkeypatch, album.kinds[index, ::2, ::2])
            score.add(only(album, index), finder)
    assert score.mean_iou > 0.85 and score.named_right > 0.85 and score.found_share > 0.85
    page = write_page(tmp_path, finder, {"unseen": score}, {"unseen": albums[0]})
    assert "| unseen | 18 |" in page.read_text() and (tmp_path / "unseen.png").stat().st_size


def test_the_network_that_comes_along_sees_flats_that_it_never_saw(albums):
    pytest.importorskip("onnxruntime", reason="needs the extra sayso[vision]")
    score = Score()
    for album in albums:
        score.add(album, SegmentationNet())
    assert score.named_right > 0.85 and score.found_share > 0.3


def test_one_who_mistakes_all_is_scored_so(albums, tmp_path, monkeypatch):
    true = albums[0].kinds[0, ::2, ::2]
    other = np.where(true > 0, true % (len(CLASSES) - 1) + 1, 0).astype(np.uint8)
    score = Score()
    score.add(only(albums[0], 0), scripted(tmp_path, monkeypatch, other))
    assert score.shown.total() and score.wrong.total()
    assert score.named_right == score.found_share == 0.0
    assert not any(v for kind, v in score.iou.items() if kind != "nothing")


def test_training_goes_on_as_if_it_had_not_stopped(albums, tmp_path):
    torch = pytest.importorskip("torch", reason="needs the extra sayso[vision]")
    from sayso.evaluation.vision.training import Course, Trainer

    course = Course(steps=4, batch=2, save_every=2)
    whole = dict(Trainer(course, tmp_path / "whole.pt").train(albums))
    first = Trainer(course, tmp_path / "parted.pt").train(albums)
    for _ in range(2):
        next(first)
    second = Trainer(course, tmp_path / "parted.pt")
    rest = dict(second.train(albums))
    assert rest == pytest.approx({step: whole[step] for step in (3, 4)}, rel=1e-3)
    longer = replace(course, steps=6)
    assert Trainer(longer, tmp_path / "parted.pt").step == 4
    for other in ({"seed": 1}, {"batch": 3}, {"flats": 5}, {"views": 5}, {"steps": 3}):
        with pytest.raises(SaySoError, match=r"begun with|4 steps already") as caught:
            Trainer(replace(course, **other), tmp_path / "parted.pt")
        assert caught.value.code is Code.CONFIG
    with pytest.raises(SaySoError, match="cannot go on") as caught:
        torch.save({"classes": ["other"]}, tmp_path / "other.pt")
        Trainer(replace(course), tmp_path / "other.pt")
    assert caught.value.code is Code.CONFIG


def test_a_few_drawn_pictures_are_soon_known_by_heart(tmp_path):
    pytest.importorskip("torch", reason="needs the extra sayso[vision]")
    from sayso.evaluation.vision.exporting import export
    from sayso.evaluation.vision.training import Course, Trainer

    album = drawn(4)
    trainer = Trainer(Course(steps=70, batch=2), tmp_path / "checkpoint.pt")
    for _ in trainer.train([album]):
        pass
    export(trainer.averaged.module, tmp_path / "net.onnx", {})
    score = Score()
    score.add(album, SegmentationNet(str(tmp_path / "net.onnx")))
    assert len(score.iou) == 7 and score.mean_iou > 0.8


def test_four_rendered_pictures_are_known_by_heart(albums, tmp_path):
    pytest.importorskip("torch", reason="needs the extra sayso[vision]")
    from sayso.evaluation.vision.training import Course, Trainer, mean_iou

    pictures = [only(album, index) for album in albums for index in range(len(album.rgb))]
    four = sorted(pictures, key=lambda p: -len(np.unique(p.kinds)))[:4]
    trainer = Trainer(Course(steps=300, batch=8), tmp_path / "checkpoint.pt")
    for _ in trainer.train(four):
        pass
    assert mean_iou(trainer.averaged.module, four) > 0.95


def test_the_mean_of_the_weights_holds_none_that_were_drawn_at_first(albums, tmp_path):
    torch = pytest.importorskip("torch", reason="needs the extra sayso[vision]")
    from sayso.evaluation.vision.training import Course, Trainer

    trainer = Trainer(Course(steps=60, batch=1), tmp_path / "checkpoint.pt")
    drawn_first = trainer.network.name.weight.detach().clone()
    for _ in trainer.train(albums[:1]):
        pass
    now, mean = (n.name.weight.detach() for n in (trainer.network, trainer.averaged.module))
    assert torch.linalg.norm(mean - now) < 0.2 * torch.linalg.norm(drawn_first - now)


def test_kinds_that_colour_alone_tells_apart_keep_to_their_colours():
    allowed = {"apple": {"red", "green"}, "lemon": {"yellow"}, "fruit": {"orange"}}
    shown = set()
    for seed in seeds("train", 25):
        for item in draw_flat(seed).items:
            if item.kind in allowed:
                shown.add(item.kind)
                assert item.color in allowed[item.kind], f"seed {seed}"
    assert shown == set(allowed)


def test_labels_are_of_the_pixels_that_the_network_answers_for(tmp_path):
    pytest.importorskip("torch", reason="needs the extra sayso[vision]")
    from sayso.evaluation.vision.training import Pictures

    album = drawn(2)
    told = replace(album, depth_mm=1000 + 100 * album.kinds.astype(np.uint16))
    for index in range(8):
        inputs, kinds = Pictures([told]).batch(4, np.random.default_rng(index))
        seen = 0.5 / inputs[:, 4, ::2, ::2]  # depth says which kind a pixel is of
        assert (np.rint((seen - 1.0) * 10) == kinds).all()


def test_names_are_given_from_where_on_enough_of_them_are_right():
    sure = [(0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.5, True), (0.4, False)]
    assert least_score(sure, 0.8) == 0.5
    assert least_score(sure, 0.9) == 0.8
    assert least_score([(0.9, False)], 0.9) == 1.0
