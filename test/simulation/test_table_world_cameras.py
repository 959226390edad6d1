import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import RgbdFrame
from sayso.worlds import cameras, renderer
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld


@pytest.fixture(scope="module")
def world():
    world = TableWorld(3)
    yield world
    world.close()


def cloud(frame: RgbdFrame) -> np.ndarray:
    """(H, W, 3) points in the world."""
    k = frame.intrinsics
    v, u = np.mgrid[0 : k.height, 0 : k.width]
    z = frame.depth_m.astype(float)
    points = np.stack([(u - k.cx) / k.fx * z, (v - k.cy) / k.fy * z, z], axis=-1)
    return frame.pose.transform(points.reshape(-1, 3)).reshape(*z.shape, 3)


@pytest.mark.parametrize("camera", cameras.SENSORS)
def test_depth_puts_the_table_at_height_zero(world, camera):
    frame = world.render(camera, instances=True)
    points = cloud(frame)
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    table = (frame.instances == 0) & (x > 0.3) & (x < 0.8) & (abs(y) < 0.5) & (abs(z) < 0.004)
    assert table.sum() > 20_000
    assert np.abs(z[table]).mean() < 3e-4


@pytest.mark.parametrize("camera", ["left", "right"])
def test_pixels_of_a_block_lie_on_its_true_surface(world, camera):
    frame = world.render(camera, instances=True)
    points = cloud(frame)
    blocks = [o for o in world.truth() if o.category == "block"]
    for block in blocks:
        (ident,) = (
            i for i, label in frame.instance_labels.items() if label == f"{block.color} block"
        )
        local = block.pose.inverse().transform(points[frame.instances == ident])
        assert len(local) > 100, block.name
        outside = np.abs(local).max(axis=1) - block.size[0] / 2
        # On a face: the largest coordinate is half the edge, to below a millimetre.
        assert np.percentile(np.abs(outside), 95) < 1e-3


def test_pixel_centres_are_whole_numbers(world):
    """Half a pixel off would shift the block's image centre by more than it may."""
    frame = world.render("left", instances=True)
    plate = next(o for o in world.truth() if o.name == "plate")
    (ident,) = (i for i, label in frame.instance_labels.items() if label == "white plate")
    k = frame.intrinsics
    rim = np.array(
        [
            (plate.position[0] + 0.1 * np.cos(a), plate.position[1] + 0.1 * np.sin(a), 0.0119)
            for a in np.linspace(0, 2 * np.pi, 720)
        ]
    )
    seen = frame.pose.inverse().transform(rim)
    u = seen[:, 0] / seen[:, 2] * k.fx + k.cx
    columns = np.flatnonzero((frame.instances == ident).any(axis=0))
    # The first and last covered pixel centres lie within one pixel inside the outline.
    assert columns[0] - u.min() == pytest.approx(0.5, abs=0.6)
    assert u.max() - columns[-1] == pytest.approx(0.5, abs=0.6)


def test_everything_is_seen_from_one_side_or_the_other():
    names = {"plate", "bowl", "mug", "coaster", "block", "cabinet", "drawer"}
    world = TableWorld(0)
    for seed in range(3):
        world.reset(seed)
        seen: dict[str, int] = {}
        for camera in ("left", "right"):
            frame = world.render(camera, instances=True)
            for i, label in frame.instance_labels.items():
                count = int((frame.instances == i).sum())
                seen[label] = max(count, seen.get(label, 0))
        assert {label.split()[1] for label in seen} == names
        assert min(seen.values()) > 250, seen
    world.close()


def test_the_inside_of_an_open_drawer_is_seen(world):
    world.slide_drawer(0.15)
    drawer = next(o for o in world.truth() if o.name == "drawer")
    frame = world.render("left")
    points = cloud(frame).reshape(-1, 3)
    x, y, _ = drawer.position
    inside = (np.abs(points[:, 0] - x) < 0.05) & (np.abs(points[:, 1] - y) < 0.08)
    floor = inside & (points[:, 2] > 0.070) & (points[:, 2] < 0.080)
    world.slide_drawer(0.0)
    assert floor.sum() > 500


def test_the_wrist_camera_looks_along_the_approach(world):
    tool = world.robot_state().gripper
    camera = world.camera_pose("wrist")
    assert camera.matrix()[:3, 2] == pytest.approx(tool.matrix()[:3, 2], abs=1e-3)


def test_noise_is_switchable_and_seeded():
    clean = TableWorld(5).render("left")
    noisy, again = (TableWorld(5, NoiseModel()).render("left") for _ in range(2))
    assert np.array_equal(noisy.rgb, again.rgb)
    assert np.array_equal(noisy.depth_m, again.depth_m)
    difference = (noisy.depth_m - clean.depth_m)[noisy.depth_m > 0]
    assert 2e-4 < np.median(np.abs(difference)) < 3e-3
    assert (noisy.depth_m == 0).mean() > (clean.depth_m == 0).mean() + 0.003


def test_a_muted_camera_is_silent_until_it_speaks_again(world):
    world.mute("right")
    with pytest.raises(SaySoError) as error:
        world.render("right")
    assert error.value.code is Code.STALE
    world.mute("right", False)
    assert world.render("right").camera == "right"


def test_an_unknown_camera_is_named_with_the_known_ones(world):
    with pytest.raises(SaySoError) as error:
        world.render("top")
    assert error.value.code is Code.INVALID
    assert "left" in error.value.choices


def test_the_picture_for_people_shows_more_than_a_blank(world):
    picture = world.picture()
    assert picture.shape == (480, 640, 3)
    assert picture.std() > 20


@pytest.mark.parametrize("camera", cameras.SENSORS)
def test_what_is_out_of_a_picture_is_not_drawn_and_not_missed(world, camera, monkeypatch):
    left_out: list[int] = []

    def counted(*arguments) -> np.ndarray:
        out = unseen(*arguments)
        left_out.append(int(out.sum()))
        return out

    unseen = renderer.unseen
    monkeypatch.setattr(renderer, "unseen", counted)
    quick = world.render(camera, instances=True)
    monkeypatch.setattr(renderer, "unseen", lambda *_: [])
    whole = world.render(camera, instances=True)
    assert min(left_out) > 30
    assert (quick.rgb == whole.rgb).all() and (quick.depth_m == whole.depth_m).all()
    assert (quick.instances == whole.instances).all()
