"""Frames of a robot that looks around over real topics; maps out, saved, loaded and replayed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from nav_msgs.msg import OccupancyGrid
from rclpy.serialization import serialize_message
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.msg import Status
from sayso_ros.srv import MapFolder
from sensor_msgs.msg import CameraInfo, Image, PointCloud2
from tf2_msgs.msg import TFMessage

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.core.scene import Scene, SceneObject
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat_map import load_flat_map
from sayso.perception.map_files import FREE, OCCUPIED, FloorPlan, load_map
from sayso.ros.bags.rosbag import BagWriter
from sayso.ros.bags.tour_bag import TourTopics, read_tour
from sayso.ros.messages.conversions import header, scene_to_msg
from sayso.ros.messages.images import depth_to_msg, image_to_msg, intrinsics_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.mapper_node import MapperNode
from sayso.ros.robot.transforms import transforms
from support.boxed_depth import Box, frame, looking

ROOM: Box = ((0.0, 0.0, 0.0), (5.0, 4.0, 2.5))
TABLE: Box = ((2.0, 1.5, 0.0), (3.0, 2.5, 0.7))
CAMERA = Intrinsics(320, 240, 200.0, 200.0, 159.5, 119.5)
BASE = Pose((1.0, 1.0, 0.0))
PERIOD_S = 0.1
NO_ARM = {"self_filter": ""}
Message = tuple[str, object]


class Robot:
    """A robot with a front camera that stands at a place and turns on the spot."""

    def __init__(self, *boxes: Box, depth: bool = True) -> None:
        self.boxes, self.depth, self.stamp_s = boxes, depth, 100.0

    def turn(self) -> list[list[Message]]:
        """What it publishes at each of 16 headings; the camera's calibration comes first."""
        return [self.look(float(yaw)) for yaw in np.arange(16) * np.pi / 8]

    def look(self, yaw: float) -> list[Message]:
        self.stamp_s += PERIOD_S
        pose = looking(1.0, 1.0, yaw)
        seen = frame(pose, self.boxes, ROOM, CAMERA)
        placed = [("map", "base_link", BASE), ("map", "front_optical_frame", pose)]
        tf = ("/tf", transforms(self.stamp_s, placed))
        return [tf, *self._pictures(seen)]

    def _pictures(self, seen: RgbdFrame) -> list[Message]:
        head = header(self.stamp_s, "front_optical_frame")
        color = "/camera/front/color"
        out: list[Message] = [
            (f"{color}/camera_info", intrinsics_to_msg(seen.intrinsics, head)),
            (f"{color}/image_raw", image_to_msg(seen.rgb, "rgb8", head)),
        ]
        if self.depth:
            out.append(("/camera/front/depth/image_raw", depth_to_msg(seen.depth_m, head)))
        return out


KINDS = {
    "/tf": TFMessage,
    "/camera/front/color/camera_info": CameraInfo,
    "/camera/front/color/image_raw": Image,
    "/camera/front/depth/image_raw": Image,
}


class Live:
    """Publishes a robot's messages for a node that listens."""

    def __init__(self, graph) -> None:
        self.graph = graph
        self.topics = {t: graph.publisher(kind, t) for t, kind in KINDS.items()}
        self.maps = graph.listen(OccupancyGrid, "/map", LATCHED)
        self._calibrate()

    def _calibrate(self) -> None:
        """Each message comes on its own: without this the first picture may overtake it."""
        info = intrinsics_to_msg(CAMERA, header(1.0, "front_optical_frame"))
        mappers = [n for n in self.graph._nodes if isinstance(n, MapperNode)]

        def known() -> bool:
            self.topics["/camera/front/color/camera_info"].publish(info)
            return all(n._cameras._intrinsics for n in mappers)

        self.graph.wait_until(known, "the calibration is known")

    def tell(self, looks: list[list[Message]]) -> None:
        """Each look once the map of the last one is there: frames that pile up are skipped."""
        for look in looks:
            stamp = next(m for t, m in look if t.endswith("image_raw")).header.stamp
            for topic, message in look:
                self.topics[topic].publish(message)
            self.maps.wait(lambda m, stamp=stamp: m.header.stamp == stamp)


def cells(message: OccupancyGrid) -> np.ndarray:
    return np.array(message.data, np.int8).reshape(message.info.height, message.info.width)


def value(message: OccupancyGrid, x: float, y: float) -> int:
    origin, size = message.info.origin.position, message.info.resolution
    return int(cells(message)[int((y - origin.y) / size), int((x - origin.x) / size)])


def record(folder: Path, looks: list[list[Message]]) -> Path:
    with BagWriter(folder) as bag:
        for number, message in enumerate(m for look in looks for m in look):
            topic, msg = message
            kind = type(msg).__module__.split(".")[0] + "/msg/" + type(msg).__name__
            bag.write(topic, kind, 10**18 + number, serialize_message(msg))
    return folder


def test_what_the_camera_sees_becomes_maps_that_are_saved_and_gone_on_with(graph, tmp_path) -> None:
    mapper = graph.add(
        MapperNode, **NO_ARM, map_period_s=0.0, points_period_s=0.0, map_root=str(tmp_path)
    )
    clouds = graph.listen(PointCloud2, "/map_points", LATCHED)
    robot, live = Robot(TABLE), Live(graph)
    live.tell(robot.turn())
    last = live.maps.messages[-1]
    assert last.header.frame_id == "map"
    assert value(last, 1.0, 1.0) == 0 and value(last, 3.5, 1.0) == 0
    assert value(last, 2.02, 2.0) == 100
    cloud = clouds.wait(lambda m: m.header.stamp == last.header.stamp)
    points = np.frombuffer(cloud.data, "<f4").reshape(-1, 4)
    assert len(points) == cloud.width > 1000
    assert (points[:, 3].view("<u4") == 0x5A5A5A).all()

    folder = tmp_path / "flat"
    saved = graph.call(MapFolder, "/save_map", MapFolder.Request(folder="flat"))
    assert saved.status.code == Status.OK and saved.frames >= 8
    assert (folder / "map.png").stat().st_size > 1000
    assert (load_map(folder)[0].cells == cells(last)).all()
    assert load_flat_map(folder).trail == [(1.0, 1.0)]

    graph.remove(mapper)
    late = graph.listen(OccupancyGrid, "/map", LATCHED)
    graph.add(MapperNode, **NO_ARM, map_folder=str(folder))
    assert (cells(late.wait()) == cells(last)).all()
    again = graph.call(MapFolder, "/save_map", MapFolder.Request())
    assert again.status.code == Status.OK and again.folder == str(folder)
    assert again.frames == saved.frames == len(FrameMemory.load(folder / "frames"))


@pytest.mark.parametrize("going", [{"living": True}, {"carried": True}])
def test_a_map_follows_what_shuts_and_leaves_out_what_goes_along(graph, going) -> None:
    mapper = graph.add(MapperNode, **NO_ARM, map_period_s=0.0)
    robot, live = Robot(), Live(graph)
    live.tell([robot.look(0.0)] * 1)
    assert value(live.maps.messages[-1], 2.5, 1.0) == 0
    cat: Box = ((2.3, 0.9, 0.0), (2.6, 1.1, 0.3))
    scenes = graph.publisher(SceneMsg, "/scene")
    walker = SceneObject("cat", "cat", "orange", (2.45, 1.0, 0.15), (0.3, 0.2, 0.3), **going)
    scenes.publish(scene_to_msg(Scene(robot.stamp_s, (walker,), frame="map"), "test"))
    graph.wait_until(lambda: bool(mapper._moving), "the cat is known")
    robot.boxes = (cat,)
    live.tell([robot.look(0.0) for _ in range(3)])
    assert value(live.maps.messages[-1], 2.32, 1.0) == 0
    robot.boxes = (((2.0, 0.0, 0.0), (2.05, 2.0, 2.0)),)
    live.tell([robot.look(0.0) for _ in range(2)])
    assert value(live.maps.messages[-1], 2.02, 1.0) == 100


def test_bad_folders_are_named_and_the_map_stays(graph, tmp_path) -> None:
    (tmp_path / "root").mkdir()
    graph.add(MapperNode, **NO_ARM, map_period_s=0.0, map_root=str(tmp_path / "root"))
    (tmp_path / "root" / "link").symlink_to(tmp_path)

    def ask(name: str, folder: Path | str) -> Status:
        return graph.call(MapFolder, name, MapFolder.Request(folder=str(folder))).status

    assert ask("/save_map", "").code == Status.INVALID
    assert ask("/check_map_folder", "").code == Status.OK  # then none is saved
    for elsewhere in (tmp_path / "flat", "../flat", "link/flat"):
        for name in ("/save_map", "/load_map", "/check_map_folder"):
            refused = ask(name, elsewhere)
            assert refused.code == Status.INVALID and "is not below" in refused.message
            assert "map_root" in refused.hint
    tmp_path /= "root"
    (tmp_path / "file").write_text("")
    assert ask("/check_map_folder", "file/flat").code == Status.INVALID
    assert ask("/check_map_folder", "flat").code == Status.OK and not (tmp_path / "flat").exists()
    nothing = ask("/save_map", tmp_path / "flat")
    assert nothing.code == Status.INVALID and "there was no frame" in nothing.message
    robot, live = Robot(TABLE), Live(graph)
    live.tell([robot.look(0.0)])
    assert ask("/load_map", tmp_path / "none").code == Status.CONFIG
    assert ask("/save_map", tmp_path / "flat").code == Status.OK
    (tmp_path / "flat" / "map.npz").write_bytes(b"no map")
    broken = ask("/load_map", tmp_path / "flat")
    assert broken.code == Status.CORRUPT and "map.npz" in broken.message
    assert ask("/save_map", tmp_path / "again").code == Status.OK
    (tmp_path / "file").write_text("")
    assert ask("/save_map", tmp_path / "file").code == Status.CONFIG


def test_a_broken_map_to_go_on_with_keeps_the_node_from_starting(graph, tmp_path) -> None:
    (tmp_path / "map.yaml").write_text("{")
    with pytest.raises(SaySoError) as caught:
        graph.add(MapperNode, **NO_ARM, map_folder=str(tmp_path))
    assert caught.value.code is Code.CORRUPT
    with pytest.raises(SaySoError, match="no base to drive on"):
        graph.add(MapperNode, robot="panda")


def test_a_recorded_tour_gives_the_same_map(graph, tmp_path, capsys) -> None:
    graph.add(MapperNode, **NO_ARM, map_period_s=0.0)
    looks, live = Robot(TABLE).turn(), Live(graph)
    live.tell(looks)
    bag = record(tmp_path / "bag", looks)
    out = tmp_path / "flat"
    assert cli.main(["map", "--bag", str(bag), "--out", str(out)]) == 0
    assert "16 frames" in capsys.readouterr().out
    assert (load_map(out)[0].cells == cells(live.maps.messages[-1])).all()
    assert len(FrameMemory.load(out / "frames")) >= 8
    assert (out / "map.png").is_file()


@pytest.mark.parametrize("form", [".ply", ".pcd"])
def test_a_map_goes_to_other_tools_and_comes_back_as_a_cloud(tmp_path, capsys, form) -> None:
    bag = record(tmp_path / "bag", Robot(TABLE).turn())
    out, again, cloud = tmp_path / "flat", tmp_path / "again", tmp_path / f"flat{form}"
    assert cli.main(["map", "--bag", str(bag), "--out", str(out), "--cloud", str(cloud)]) == 0
    first = cloud.read_bytes()
    assert cli.main(["map", "--map", str(out), "--cloud", str(cloud)]) == 0
    assert cloud.read_bytes() == first, "the map that was written has the same voxels"
    assert cli.main(["map", "--points", str(cloud), "--out", str(again)]) == 0
    assert str(again) in capsys.readouterr().out.replace("\n", "")
    (plan, voxels), (back, same) = load_map(out), load_map(again)
    for name in ("centres", "hits", "colors", "leans"):
        assert (getattr(same, name) == getattr(voxels, name)).all()
    stands, floor = places(plan, OCCUPIED), places(plan, FREE)
    assert stands <= places(back, OCCUPIED), "what stood there is gone"
    assert set() < places(back, FREE) <= floor, "floor came about that was not seen"


def places(plan: FloorPlan, value: int) -> set[tuple[int, int]]:
    """The cells of a floor plan with a value, counted from the map's origin."""
    rows, columns = np.nonzero(plan.cells == value)
    x, y = np.rint(np.array(plan.origin) / plan.resolution_m).astype(int)
    return set(zip((columns + x).tolist(), (rows + y).tolist(), strict=True))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--map", "flat"], "give --cloud FILE"),
        (["--map", "flat", "--out", "again"], "only written as a cloud"),
        (["--points", "flat.ply"], "nothing is written"),
        (["--points", "flat.las", "--out", "again"], "no form of a cloud"),
        (["--bag", "bag", "--cloud", "flat.txt"], "no form of a cloud"),
        (["--points", "none.ply", "--out", "again"], "cannot be read"),
    ],
)
def test_what_can_not_be_written_or_read_as_a_cloud_is_named(
    tmp_path, monkeypatch, capsys, options, says
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["map", *options]) == 1
    assert says in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("left_out", "says"),
    [
        ("/camera/front/depth/image_raw", "no depth"),
        ("/camera/front/color/image_raw", "no colour"),
        ("/camera/front/color/camera_info", "no calibration"),
        ("/tf", "no transforms"),
    ],
)
def test_a_tour_that_lacks_something_is_named(tmp_path, capsys, left_out: str, says: str) -> None:
    looks = [[m for m in look if m[0] != left_out] for look in Robot().turn()[:2]]
    bag = record(tmp_path / "bag", looks)
    with pytest.raises(SaySoError, match=says) as caught:
        next(read_tour(bag, TourTopics()))
    assert caught.value.code is Code.INVALID
    assert cli.main(["map", "--bag", str(bag), "--out", str(tmp_path / "flat")]) == 1
    assert says in capsys.readouterr().out
    assert not (tmp_path / "flat").exists()


def test_a_tour_without_poses_or_whole_files_is_named(tmp_path) -> None:
    looks = Robot().turn()[:2]
    for look in looks:
        look[0][1].transforms[1].child_frame_id = "elsewhere"
    with pytest.raises(SaySoError, match="front_optical_frame"):
        list(read_tour(record(tmp_path / "bag", looks), TourTopics()))
    with pytest.raises(SaySoError) as caught:
        list(read_tour(tmp_path / "nothing", TourTopics()))
    assert caught.value.code is Code.CORRUPT


def test_blank_depth_makes_no_map(tmp_path, capsys) -> None:
    looks = Robot().turn()[:2]
    for look in looks:
        image = look[-1][1]
        image.data = bytes(len(image.data))
    bag = record(tmp_path / "bag", looks)
    assert cli.main(["map", "--bag", str(bag), "--out", str(tmp_path / "flat")]) == 1
    assert "2 frames gave no depth" in capsys.readouterr().out
    assert not (tmp_path / "flat").exists()
