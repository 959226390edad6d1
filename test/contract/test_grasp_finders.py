"""Every grasp finder: its candidates hold on to the thing, and the open hand is not in it."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from functools import cache, partial
from importlib.util import find_spec
from types import ModuleType

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.adapters.grasping.checkpoint import weights
from sayso.adapters.grasping.contact_graspnet import ContactGraspNet, farthest
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.evaluation.halp.taught import shown_skill
from sayso.learning.skills.taught_skills import TaughtSkills
from sayso.skills.settings import SkillSettings
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.pieces import Capsule
from sayso.worlds.table.shapes.surface import sample

SETTINGS = SkillSettings()
PACKAGED = pytest.mark.skipif(
    find_spec("cgn_pytorch") is None, reason="pip install --no-deps cgn-pytorch==0.4.3"
)
FINDERS = [
    "geometric",
    pytest.param("contact_graspnet", marks=PACKAGED),
    "taught[geometric]",
]


def finder_of(name):
    if "taught" not in registry.options("grasp_finder", name):
        return registry.create("grasp_finder", name)
    return registry.create("grasp_finder", name, taught=shown())


@cache
def shown():
    """A mug was shown to be taken by its handle, and a box to be opened by its lid."""
    own, learners = (partial(registry.create, k) for k in ("arm_skill", "motion_learner"))
    return TaughtSkills(own, learners, {task: shown_skill(task, 2) for task in ("take", "open")})


def seen(family, seed):
    shape = draw(family, seed)
    pose = Pose((0.5, 0.1, shape.size[2] / 2))
    cloud = pose.transform(sample(shape, 1500, np.random.default_rng(0)).points)
    thing = SceneObject("it", family, "", pose.position, shape.size, points=cloud.astype("f4"))
    return Scene(0.0, (thing,), RobotState(0.0))


@pytest.mark.parametrize("name", FINDERS)
@pytest.mark.parametrize(("family", "seed"), [("mug", 20), ("bottle", 23), ("bowl", 30)])
def test_the_hand_gets_around_what_it_takes(name, family, seed):
    scene = seen(family, seed)
    (thing,) = scene.objects
    found = finder_of(name).grasps(thing, scene, SETTINGS)
    assert found == finder_of(name).grasps(thing, scene, SETTINGS)
    around = 0
    for grasp in found:
        local = grasp.tool.inverse().transform(thing.points.astype(float))
        between = (np.abs(local[:, 0]) < 0.01) & (np.abs(local[:, 2]) < 0.02)
        around += bool((np.abs(local[between, 1]) < SETTINGS.open_width_m / 2).sum())
        over = (np.abs(local[:, 0]) < SETTINGS.hand_m) & (np.abs(local[:, 1]) < 0.1)
        assert (local[over, 2] < -SETTINGS.palm_m).sum() <= 3
    assert around == len(found) > 0


@pytest.mark.parametrize("name", FINDERS)
def test_a_tray_is_not_taken_by_its_middle(name):
    scene = seen("tray", 20)
    finder = finder_of(name)
    try:
        found = finder.grasps(scene.objects[0], scene, SETTINGS)
    except SaySoError as error:
        assert error.code is Code.UNSUPPORTED
    else:
        assert all(
            np.hypot(g.tool.position[0] - 0.5, g.tool.position[1] - 0.1) > 0.05 for g in found
        )


@pytest.mark.parametrize("seed", [21, 27, 34])
def test_a_mug_is_taken_by_the_part_that_was_shown(seed):
    scene = seen("mug", seed)
    (thing,) = scene.objects
    rods = [p for p in draw("mug", seed).pieces if isinstance(p, Capsule)]
    found = finder_of("taught[geometric]").grasps(thing, scene, SETTINGS)
    assert found
    for grasp in found:
        pad = thing.pose.inverse().transform(np.array([grasp.tool.position]))
        assert min(float(_away_m(rod, pad)) for rod in rods) < 0.012


def _away_m(rod, point):
    along = np.linspace(rod.start, rod.end, 20)
    return np.linalg.norm(along - point, axis=1).min()


def test_a_part_that_moves_by_itself_is_no_way_to_take_the_whole():
    scene = seen("box", 22)
    (thing,) = scene.objects
    taught, otherwise = (finder_of(n) for n in ("taught[geometric]", "geometric"))
    asked = [_candidates(finder, thing, scene) for finder in (taught, otherwise)]
    assert asked[0] == asked[1]


def _candidates(finder, thing, scene):
    try:
        return finder.grasps(thing, scene, SETTINGS)
    except SaySoError as error:
        return error.message


def test_without_weights_it_is_said_how_to_get_them(monkeypatch):
    name = "sayso.adapters.grasping.contact_graspnet.find_spec"
    monkeypatch.setattr(name, lambda _: None)
    scene = seen("mug", 20)
    with pytest.raises(SaySoError) as error:
        ContactGraspNet().grasps(scene.objects[0], scene, SETTINGS)
    assert error.value.code is Code.MISSING_DEPENDENCY and "cgn-pytorch" in error.value.hint


def test_points_are_chosen_far_from_each_other():
    line = np.column_stack([np.linspace(0, 1, 11), np.zeros(11), np.zeros(11)]).astype("f4")
    assert farthest(line, 3).tolist() == [0, 10, 5]


# -- checkpoints ---------------------------------------------------------------------------------


class FloatStorage:
    """As PyTorch names it."""


def _rebuild_tensor_v2(*_):
    """As PyTorch names it."""


class Tensor:
    def __init__(self, values, offset=0, size=None, stride=None):
        self.values = np.asarray(values, "<f4")
        steps = tuple(s // 4 for s in self.values.strides)
        self.shown = offset, size or self.values.shape, stride or steps

    def __reduce__(self):
        return _rebuild_tensor_v2, (self, *self.shown, False, {})


def saved(path, content):
    """Writes a file as torch.save does."""

    class Pickler(pickle.Pickler):
        def __init__(self, out):
            super().__init__(out, protocol=2)
            self.stored = {}

        def persistent_id(self, obj):
            if not isinstance(obj, Tensor) or obj not in self.inside:
                return None
            self.stored[str(len(self.stored))] = obj.values.tobytes()
            return ("storage", FloatStorage, str(len(self.stored) - 1), "cpu", obj.values.size)

        inside: tuple = ()

        def reducer_override(self, obj):
            if isinstance(obj, Tensor):
                self.inside = (*self.inside, obj)
            return NotImplemented

    out = io.BytesIO()
    pickler = Pickler(out)
    pickler.dump(content)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", out.getvalue())
        for key, data in pickler.stored.items():
            archive.writestr(f"archive/data/{key}", data)


@pytest.fixture
def as_torch(monkeypatch):
    for name, what, where in (("torch", FloatStorage, "torch"),
                              ("torch._utils", _rebuild_tensor_v2, "torch._utils")):  # fmt: skip
        module = ModuleType(name)
        setattr(module, what.__name__, what)
        monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setattr(what, "__module__", where)


def test_weights_are_read_without_pytorch(tmp_path, as_torch):
    path = tmp_path / "weights.pth"
    saved(path, {"state_dict": {"a.weight": Tensor([[1, 2, 3], [4, 5, 6]])}, "epoch": 3})
    read = weights(path)
    assert read["a.weight"].tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_what_holds_no_weights_is_named(tmp_path, content):
    path = tmp_path / "weights.pth"
    path.write_bytes(content)
    with pytest.raises(SaySoError, match=r"weights\.pth") as error:
        weights(path)
    assert error.value.code is Code.CORRUPT


@pytest.mark.parametrize(
    "shown",
    [{"offset": 2}, {"size": (2, 4)}, {"stride": (4, 1)}, {"stride": (-3, 1)}, {"offset": -1}],
)
def test_a_tensor_shows_nothing_but_what_is_stored(tmp_path, as_torch, shown):
    path = tmp_path / "weights.pth"
    saved(path, {"state_dict": {"a.weight": Tensor([[1, 2, 3], [4, 5, 6]], **shown)}})
    with pytest.raises(SaySoError, match="beyond what is stored") as error:
        weights(path)
    assert error.value.code is Code.CORRUPT


@pytest.mark.parametrize("index", [b"", pickle.dumps(3), b"\x80\x02cos"])
def test_an_index_that_is_none_is_named(tmp_path, index):
    path = tmp_path / "weights.pth"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", index)
    with pytest.raises(SaySoError) as error:
        weights(path)
    assert error.value.code is Code.CORRUPT


def test_a_checkpoint_runs_nothing(tmp_path):
    path = tmp_path / "weights.pth"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"state_dict": print}))
    with pytest.raises(SaySoError, match="print") as error:
        weights(path)
    assert error.value.code is Code.CORRUPT
