"""What every `SceneSegmenter` promises, whatever it looks at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import SceneObject
from support.table_scenes import FULL, both, full_frames

BACKENDS = registry.names("segmenter")


@pytest.fixture(params=BACKENDS)
def segmenter(request):
    return registry.create("segmenter", request.param)


@pytest.fixture
def objects(segmenter) -> tuple[SceneObject, ...]:
    return tuple(segmenter.objects(full_frames()[0]))


def test_it_names_colors_and_categories(objects):
    found = {(o.color, o.category) for o in objects}
    solids = {s.label.rpartition(" ")[::2] for s in FULL}
    assert solids - found == set()
    assert all(o.name == "" for o in objects)


def test_objects_are_whole_values(objects):
    for obj in objects:
        assert np.isfinite([*obj.position, *obj.size, *obj.orientation]).all()
        assert min(obj.size) > 0
        assert np.linalg.norm(obj.orientation) == pytest.approx(1.0)
        assert 0.0 < obj.confidence <= 1.0


def test_points_are_on_the_object_in_the_scenes_frame(objects):
    for obj in objects:
        assert obj.points.ndim == 2 and obj.points.shape[1] == 3 and len(obj.points) > 0
        assert obj.points.dtype == np.float32
        near = np.abs(obj.points - obj.position) < np.max(obj.size) + 0.03
        assert near.all(axis=1).mean() > 0.95


def test_the_same_frame_gives_the_same_objects(segmenter, objects):
    again = tuple(segmenter.objects(full_frames()[0]))
    assert again == objects


def test_an_empty_table_has_no_objects(segmenter):
    assert tuple(segmenter.objects(both(())[0])) == ()


def test_the_frame_is_left_as_it_was(segmenter):
    frame = full_frames()[1]
    rgb, depth = frame.rgb.copy(), frame.depth_m.copy()
    segmenter.objects(frame)
    assert (frame.rgb == rgb).all() and (frame.depth_m == depth).all()


def test_only_the_simulators_backend_needs_the_simulators_segmentation():
    frame = replace(full_frames()[0], instances=None)
    assert registry.create("segmenter", "rgbd").objects(frame)
    with pytest.raises(SaySoError, match="no simulator segmentation") as error:
        registry.create("segmenter", "simulator_segmentation").objects(frame)
    assert error.value.code == Code.CONFIG
