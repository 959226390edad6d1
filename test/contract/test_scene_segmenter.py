"""What every `SceneSegmenter` promises, whatever it looks at."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import SceneObject
from support.table_scenes import FULL, both, full_frames

NO_WHEEL = {"open3d"} if sys.version_info >= (3, 13) else set[str]()
BACKENDS = [name for name in registry.names("segmenter") if name not in NO_WHEEL]


@pytest.fixture(params=BACKENDS)
def segmenter(request):
    if request.param == "open3d":
        pytest.importorskip("open3d", reason="open3d is not installed: ./check extras")
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


def test_a_backend_that_lacks_its_extra_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "open3d", None)
    monkeypatch.delitem(sys.modules, "sayso.adapters.vision.open3d_segmenter", raising=False)
    with pytest.raises(SaySoError) as error:
        registry.create("segmenter", "open3d")
    assert error.value.code is Code.MISSING_DEPENDENCY
    assert "sayso[open3d]" in error.value.hint


def test_a_backend_whose_system_library_is_missing_names_that(monkeypatch):
    monkeypatch.delitem(sys.modules, "sayso.adapters.vision.open3d_segmenter", raising=False)
    monkeypatch.setattr(registry, "import_module", _without_a_library)
    with pytest.raises(SaySoError, match=r"libusb") as error:
        registry.create("segmenter", "open3d")
    assert error.value.code is Code.MISSING_DEPENDENCY


def _without_a_library(_: str) -> None:
    raise ImportError("libusb-1.0.so.0: cannot open shared object file")


def test_open3d_boxes_what_leans_along_itself():
    """A rod that is of no known kind and leans: an upright box around it is far larger."""
    if "open3d" in NO_WHEEL:
        return
    pytest.importorskip("open3d", reason="open3d is not installed: ./check extras")
    from sayso.adapters.vision.open3d_segmenter import smallest_box

    rng = np.random.default_rng(3)
    rod = rng.uniform(-0.5, 0.5, (800, 3)) * (0.20, 0.02, 0.02)
    lean = Rotation.from_euler("xyz", (0.0, 0.6, 0.4)).as_matrix()
    points = (rod @ lean.T + (0.5, 0.1, 0.1)).astype(np.float32)
    thing = SceneObject("", "object", "red", (0.5, 0.1, 0.1), (0.2, 0.1, 0.15), points=points)
    boxed = smallest_box(thing)
    assert sorted(boxed.size) == pytest.approx([0.02, 0.02, 0.20], abs=0.004)
    assert boxed.position == pytest.approx((0.5, 0.1, 0.1), abs=0.003)
    longest = boxed.pose.matrix()[:3, int(np.argmax(boxed.size))]
    assert abs(longest @ lean[:, 0]) > 0.99
    assert smallest_box(replace(thing, category="block")).size == thing.size
