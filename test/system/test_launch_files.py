"""The shipped launch files against the built package: executables, parameters, arguments."""

from __future__ import annotations

import dataclasses
import importlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso.ros.launch import launch_file, launch_runner
from support.node_config import config_class

LAUNCH_FILES = sorted(p.name for p in (Path(__file__).parents[2] / "launch").glob("*.xml"))
PARTS = ("perception", "interpreter", "automaton", "planner", "executor", "feedback", "recorder")


def nodes_of(name: str, **arguments: str) -> tuple[launch_file.NodeProcess, ...]:
    path = launch_runner.find_launch_file("sayso_ros", name, os.environ)
    return launch_file.read(path, arguments, os.environ)


def parameters_of(node: launch_file.NodeProcess) -> Iterator[tuple[str, object]]:
    """Every parameter that a node is given, from files and one by one."""
    words = iter(node.command)
    for word in words:
        if word == "--params-file":
            (content,) = yaml.safe_load(Path(next(words)).read_text()).values()
            yield from content["ros__parameters"].items()
        elif word == "-p":
            name, _, value = next(words).partition(":=")
            yield name, yaml.safe_load(value)


def test_demo_starts_the_world_and_all_parts() -> None:
    nodes = nodes_of("demo.launch.xml", seed="7")
    assert [node.name for node in nodes] == ["world", *PARTS]
    assert [node.name for node in nodes if node.shutdown_on_exit] == ["world"]
    assert dict(parameters_of(nodes[0]))["seed"] == 7
    assert all(dict(parameters_of(node))["use_sim_time"] is True for node in nodes[1:])


def test_a_client_that_moves_the_arm_is_started_beside_the_world() -> None:
    nodes = nodes_of("demo.launch.xml", driver="true", libfranka="127.0.0.7", speed="0.5")
    assert [node.name for node in nodes] == ["world", "driver", *PARTS]
    assert [node.name for node in nodes if node.shutdown_on_exit] == ["world", "driver"]
    world, driver = (dict(parameters_of(node)) for node in nodes[:2])
    assert (world["libfranka"], driver["address"]) == ("127.0.0.7", "127.0.0.7")
    assert (world["real_time_factor"], driver["use_sim_time"]) == (0.5, True)


def test_a_franka_is_driven_by_its_ros_drivers_or_by_a_client() -> None:
    nodes = nodes_of("franka.launch.xml")
    assert [node.name for node in nodes] == list(PARTS)
    given = {"driver": "true", "robot": "fr3_libfranka", "address": "10.0.0.2"}
    driver, *parts = nodes_of("franka.launch.xml", **given)
    assert (driver.name, driver.shutdown_on_exit) == ("driver", True)
    assert dict(parameters_of(driver))["address"] == "10.0.0.2"
    both = {n.name: dict(parameters_of(n)) for n in (driver, *parts)}
    assert [n for n in both if both[n].get("robot")] == ["driver", "perception", "executor"]
    assert all(p.get("robot", "fr3_libfranka") == "fr3_libfranka" for p in both.values())
    assert not any(p["use_sim_time"] for p in both.values() if "use_sim_time" in p)


def test_teaching_starts_a_learner_whose_library_all_that_use_one_follow() -> None:
    nodes = {n.name: n for n in nodes_of("teach.launch.xml", library="/tmp/x", speed="3.0")}
    assert set(nodes) == {"world", "learner", *PARTS}
    follow = {n for n, node in nodes.items() if dict(parameters_of(node)).get("follow") == "/tmp/x"}
    assert follow == {"perception", "interpreter", "automaton", "planner", "executor"}
    assert dict(parameters_of(nodes["learner"]))["library"] == "/tmp/x"
    assert {dict(parameters_of(nodes[n]))["library"] for n in follow} == {"tabletop"}
    assert dict(parameters_of(nodes["world"]))["real_time_factor"] == 3.0
    taught = nodes_of("teach.launch.xml", simulated_person="true", record="false", task_seed="7")
    (person,) = (n for n in taught if n.name == "simulated_person")
    assert dict(parameters_of(person))["seed"] == 7
    assert "recorder" not in [n.name for n in taught]


@pytest.mark.parametrize("name", ["robot", "demo", "franka", "flat_robot", "flat", "spot"])
def test_a_library_of_ones_own_is_given_to_all_that_use_one(name: str) -> None:
    def used(**arguments: str) -> dict[str, object]:
        nodes = {
            n.name: dict(parameters_of(n)) for n in nodes_of(f"{name}.launch.xml", **arguments)
        }
        return {n: given["library"] for n, given in nodes.items() if "library" in given}

    flat = name in ("flat_robot", "flat", "spot")
    users = {"flat_perception" if flat else "perception", "interpreter", "automaton", "planner",
             "executor"}  # fmt: skip
    assert used() == dict.fromkeys(users, "flat" if flat else "tabletop")
    assert used(library="./mine/") == dict.fromkeys(users, "./mine/")


def test_robot_starts_the_parts_on_real_time() -> None:
    nodes = nodes_of("robot.launch.xml")
    assert [node.name for node in nodes] == list(PARTS)
    assert not any(dict(parameters_of(node))["use_sim_time"] for node in nodes)


@pytest.mark.parametrize("name", LAUNCH_FILES)
def test_every_parameter_is_given_with_the_type_that_its_node_declares(name: str) -> None:
    root = launch_file.parse(launch_runner.find_launch_file("sayso_ros", name, os.environ))
    for node, given in typed_parameters(root):
        types = {"use_sim_time": "bool"}
        if node != "rviz2":
            fields = dataclasses.fields(config_class(node))
            types |= {f.name: type(f.default).__name__ for f in fields}
        for parameter, kind in given.items():
            # Of lists `ros2 launch` takes a type only where no substitution is.
            assert kind == (None if types[parameter] == "tuple" else types[parameter]), parameter


def typed_parameters(element: launch_file.Element) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Of each node in a launch file: the executable, and the types of the parameters given."""
    for child in element.children:
        if child.tag == "node":
            given = [p.attributes for p in child.children if p.tag == "param"]
            yield child.attributes["exec"], {p["name"]: p.get("type") for p in given if "name" in p}
        yield from typed_parameters(child)


def test_numbers_take_the_type_of_what_they_are_given_for() -> None:
    nodes = {n.name: n for n in nodes_of("flat.launch.xml", speed="2", scene="2", noise="0")}
    world = dict(parameters_of(nodes["flat_world"]))
    assert (world["real_time_factor"], world["scene"], world["noise"]) == (2.0, "2", False)
    assert isinstance(world["real_time_factor"], float)


def test_the_page_is_started_on_demand() -> None:
    nodes = [n.name for n in nodes_of("demo.launch.xml", console="true")]
    assert nodes == ["world", *PARTS, "console"]


def test_mapping_starts_the_mapper_and_records_what_a_map_is_made_of() -> None:
    mapper, recorder = nodes_of("mapping.launch.xml", world="false", record="true")
    assert [mapper.name, recorder.name] == ["mapper", "recorder"]
    assert not dict(parameters_of(mapper))["use_sim_time"]
    topics = dict(parameters_of(recorder))["topics"]
    for needed in ("tf", "tf_static", "camera/*/depth/image_raw", "camera/*/camera_info"):
        assert needed in topics
    assert [n.name for n in nodes_of("mapping.launch.xml")] == ["flat_world", "mapper"]


def names_of(name: str) -> set[str]:
    """Of a launch file's arguments."""
    path = launch_runner.find_launch_file("sayso_ros", name, os.environ)
    return {a.name for a in launch_file.declared_arguments(launch_file.parse(path))}


def test_every_argument_of_the_robot_can_be_given_to_the_demo() -> None:
    taught = {"follow", "record"}
    given = names_of("demo.launch.xml") | {"use_sim_time"}
    assert names_of("robot.launch.xml") - given == taught
    assert taught - names_of("teach.launch.xml") == {"follow"}


FLAT_PARTS = ("mapper", "flat_perception", "interpreter", "automaton", "planner", "executor")


def test_a_flat_gives_its_parts_what_finds_things_and_what_places_mean() -> None:
    given = {
        "finder": "owlvit_sam", "detector": "/models/owl", "segmenter": "hub/sam",
        "segmenter_revision": "abc", "device": "cuda", "threshold": 0.3, "error_seed": 4,
        "miss_rate": 0.1, "false_rate": 0.2, "mislabel_rate": 0.3,
        "frame_of_reference": "speaker", "speaker": [1.0, 2.0, 0.5],
    }  # fmt: skip
    nodes = nodes_of("flat.launch.xml", **{k: str(v) for k, v in given.items()})
    assert [n.name for n in nodes][: len(FLAT_PARTS)] == list(FLAT_PARTS)
    assert [n.name for n in nodes if n.shutdown_on_exit] == ["flat_world"]
    parameters = {n.name: dict(parameters_of(n)) for n in nodes}
    assert given.items() <= parameters["flat_perception"].items()
    for name in ("frame_of_reference", "speaker"):
        assert parameters["interpreter"][name] == given[name]


def test_rviz_shows_the_flat_on_demand(tmp_path: Path) -> None:
    marker = tmp_path / "share/ament_index/resource_index/packages/rviz2"
    program = tmp_path / "lib/rviz2/rviz2"
    for file in (marker, program):
        file.parent.mkdir(parents=True)
        file.touch()
    path = launch_runner.find_launch_file("sayso_ros", "flat_robot.launch.xml", os.environ)
    prefixes = f"{os.environ['AMENT_PREFIX_PATH']}:{tmp_path}"
    environment = {**os.environ, "AMENT_PREFIX_PATH": prefixes}
    # Before the others: where it is not installed, nothing has been started yet.
    rviz, *_ = launch_file.read(path, {"rviz": "true"}, environment)
    where, config, option, frame = rviz.command[1:5]
    assert (where, option, frame) == ("-d", "-f", "map")
    assert yaml.safe_load(Path(config).read_text())["Visualization Manager"]
    assert dict(parameters_of(rviz))["use_sim_time"] is False
    assert "rviz2" not in [n.name for n in nodes_of("flat_robot.launch.xml")]


def test_every_argument_of_the_flats_robot_can_be_given_with_its_world() -> None:
    robot, world = map(names_of, ("flat_robot.launch.xml", "flat.launch.xml"))
    assert robot - world == {"laser", "use_sim_time"}


def test_every_executable_is_a_function() -> None:
    scripts = distribution("sayso").entry_points
    for node in nodes_of("demo.launch.xml", console="true"):
        (script,) = scripts.select(group="console_scripts", name=Path(node.command[0]).name)
        module, _, function = script.value.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.skipif(shutil.which("ros2") is None, reason="there is no ros2 launch on this machine")
@pytest.mark.parametrize("name", LAUNCH_FILES)
def test_ros2_launch_reads_the_same_arguments(name: str) -> None:
    shown = subprocess.run(
        ["ros2", "launch", "sayso_ros", name, "--show-args"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    path = launch_runner.find_launch_file("sayso_ros", name, os.environ)
    for argument in launch_file.declared_arguments(launch_file.parse(path)):
        assert f"'{argument.name}':" in shown
