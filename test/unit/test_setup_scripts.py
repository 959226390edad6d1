"""What setup decides on different machines, and that the commands' help is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sayso import cli

ROOT = Path(__file__).resolve().parents[2]


def shell(code: str, **environment: str) -> str:
    """What a bash with setup's functions prints."""
    sources = f". {ROOT}/tools/lib/progress.sh; . {ROOT}/tools/lib/system.sh; "
    done = subprocess.run(
        ["bash", "-c", sources + code],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture
def jazzy(tmp_path: Path) -> dict[str, str]:
    """The environment after sourcing a (fake) ROS 2 Jazzy."""
    prefix = tmp_path / "opt/ros/jazzy"
    program = prefix / "bin/ros2"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return {
        "ROS_DISTRO": "jazzy",
        "AMENT_PREFIX_PATH": str(prefix),
        "PATH": f"{program.parent}:/usr/bin:/bin",
    }


class TestWhichRos:
    def test_a_sourced_jazzy_is_used(self, jazzy: dict[str, str]) -> None:
        assert shell("ros_kind", **jazzy) == "installed\n"

    def test_without_ros_it_comes_from_wheels(self) -> None:
        assert shell("ros_kind") == "wheels\n"

    def test_another_distribution_is_not_used(self, jazzy: dict[str, str]) -> None:
        assert shell("ros_kind", **{**jazzy, "ROS_DISTRO": "humble"}) == "wheels\n"

    def test_a_left_over_variable_is_not_enough(self) -> None:
        assert shell("ros_kind", ROS_DISTRO="jazzy") == "wheels\n"

    def test_another_distribution_does_not_leak(self) -> None:
        printed = shell(
            'leave_other_ros; echo "$PATH"; echo "${LD_LIBRARY_PATH-unset}"; '
            'echo "${PYTHONPATH-unset} ${RMW_IMPLEMENTATION-unset} ${ROS_DISTRO-unset}"',
            PATH="/opt/ros/humble/bin:/usr/bin:/bin",
            LD_LIBRARY_PATH="/opt/ros/humble/lib",
            PYTHONPATH="/opt/ros/humble/lib/python3.10/site-packages",
            RMW_IMPLEMENTATION="rmw_cyclonedds_cpp",
            ROS_DISTRO="humble",
        )
        assert printed == "/usr/bin:/bin\nunset\nunset unset unset\n"


class TestSystemPackages:
    def python(self, folder: Path, body: str) -> str:
        path = folder / "python"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def test_python_that_is_too_old_is_passed_over(self, tmp_path: Path) -> None:
        old = self.python(tmp_path, "exit 1")
        found = shell("find_python", SAYSO_PYTHON=f"{old} {sys.executable}")
        assert Path(found.strip()).name == f"python3.{sys.version_info.minor}"
        assert shell("find_python", SAYSO_PYTHON=old) == ""

    def test_a_ros_package_that_is_missing_is_named(self, jazzy: dict[str, str]) -> None:
        index = Path(jazzy["AMENT_PREFIX_PATH"]) / "share/ament_index/resource_index/packages"
        index.mkdir(parents=True)
        for name in ("sensor_msgs", "rmw_fastrtps_cpp", "rosidl_default_generators"):
            (index / name).touch()
        missing = shell(f"missing_packages {sys.executable} installed", **jazzy).split()
        named = {name for name in missing if name.startswith("ros-")}
        assert named == {
            "ros-jazzy-control-msgs",
            "ros-jazzy-diagnostic-msgs",
            "ros-jazzy-nav-msgs",
            "ros-jazzy-tf2-msgs",
            "ros-jazzy-trajectory-msgs",
            "ros-jazzy-visualization-msgs",
        }

    def test_who_may_not_install_is_told_the_command(self) -> None:
        said = shell("id() { echo 1000; }; install_packages cmake libegl1; echo went on")
        assert "these system packages are missing: cmake libegl1" in said
        assert "apt-get install --no-install-recommends -y cmake libegl1" in said
        assert "went on" not in said


def test_a_cache_within_the_checkout_is_refused_before_anything_is_loaded() -> None:
    inside = ROOT / "build/../cache_within"
    done = subprocess.run(
        ["bash", ROOT / "tools/setup.sh"],
        env={"PATH": "/usr/bin:/bin", "SAYSO_CACHE": str(inside)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "SAYSO_CACHE is inside of the checkout" in done.stderr
    assert not (ROOT / "cache_within").exists()


class TestStages:
    def test_a_failing_stage_ends_setup_and_names_the_log(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        said = shell(f"LOG={log}; stage 'Doing it' sh -c 'echo cause; exit 3'; echo went on")
        assert "setup: failed: Doing it" in said
        assert f"Next: read the whole log, {log}" in said
        assert "went on" not in said
        assert "cause" in log.read_text()

    def test_a_stage_says_its_time_and_keeps_its_output_to_the_log(self, tmp_path: Path) -> None:
        said = shell(f"LOG={tmp_path / 'log'}; stage 'Doing it' echo loud; echo went on")
        assert re.search(r"Doing it: done in \d+ s\n", said)
        assert "loud" not in said
        assert "went on" in said


class TestCommands:
    def help_of(self, command: str) -> str:
        # No PATH to speak of, no HOME: help must work before any setup.
        return subprocess.run(
            [ROOT / command, "--help"],
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def test_demo_help_lists_exactly_the_options_there_are(self) -> None:
        demo = cli.parser().parse_args(["demo"])
        options = {"--" + name.replace("_", "-") for name in vars(demo)}
        options -= {"--command", "--instruction"}
        listed = set(re.findall(r"^  (--[a-z-]+)", self.help_of("demo"), re.MULTILINE))
        assert listed == options | {"--help"}
        for instruction in cli.DEMO_INSTRUCTIONS.values():
            assert instruction in " ".join(self.help_of("demo").split())

    def test_check_help_lists_the_stages(self) -> None:
        stages = re.search(r"^STAGES=\((.*)\)", (ROOT / "check").read_text(), re.MULTILINE)
        assert stages is not None
        listed = re.findall(r"^  ([a-z]+) {2,}", self.help_of("check"), re.MULTILINE)
        assert listed == [*stages[1].split(), "quick"]  # which is some of several stages

    def test_check_refuses_an_unknown_stage(self) -> None:
        done = subprocess.run([ROOT / "check", "untit"], capture_output=True, check=False)
        assert done.returncode == 2

    @pytest.mark.parametrize("script", ["demo", "check", ".ci/run", "tools/setup.sh"])
    def test_scripts_are_executable_and_parse(self, script: str) -> None:
        assert os.access(ROOT / script, os.X_OK)
        subprocess.run(["bash", "-n", ROOT / script], check=True)


def test_small_shared_memory_is_enough_for_ten_processes() -> None:
    text = (ROOT / "config/fastdds_small.xml").read_text()
    size = re.search(r"<segment_size>(\d+)<", text)
    assert size is not None
    assert 10 * int(size[1]) < 64e6
    assert int(size[1]) > 2 * 640 * 480 * (3 + 2)  # colour and depth of both fixed cameras


def pinned(name: str) -> dict[str, str]:
    lines = (ROOT / "tools/requirements" / name).read_text().splitlines()
    return {line.split("==")[0].lower(): line for line in lines if "==" in line}


@pytest.mark.parametrize("lock", ["wheels.txt", "jazzy.txt"])
def test_everything_asked_for_is_pinned(lock: str) -> None:
    asked = [
        re.split(r"[<>=; ]", line)[0].lower()
        for source in ("run.in", "check.in")
        for line in (ROOT / "tools/requirements" / source).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert set(asked) <= set(pinned(lock))
    assert all(";" in line or line.count("==") == 1 for line in pinned(lock).values())


def test_every_data_file_of_the_package_is_installed_with_it() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^sayso = \[(.*)\]$", text, re.MULTILINE)
    assert listed is not None
    package = ROOT / "src" / "sayso"
    patterns = re.findall(r'"([^"]+)"', listed[1])
    installed = {p for pattern in patterns for p in package.glob(pattern)}
    installed |= {p for pattern in patterns if "**" in pattern
                  for p in package.glob(pattern.replace("/**/*", "/*"))}  # fmt: skip
    data = (p for p in package.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc"))
    assert [str(p) for p in data if p not in installed] == []
