"""What is there for Docker, as far as it can be read: nothing here builds or runs a container."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICES = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())["services"]


def test_hadolint_finds_nothing_wrong_with_the_dockerfile() -> None:
    hadolint = shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed: ./check extras")
    done = subprocess.run(
        [hadolint, "--no-color", ROOT / "docker/Dockerfile"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_the_robots_launch_file_takes_what_it_is_given() -> None:
    _, _, package, name, *given = SERVICES["robot"]["command"]
    assert package == "sayso_ros"
    root = ElementTree.parse(ROOT / "launch" / name).getroot()
    declared = {arg.get("name") for arg in root.iter("arg")}
    assert {word.partition(":=")[0] for word in given} <= declared


def test_both_are_one_image_of_the_dockerfile_on_the_hosts_network() -> None:
    for service in SERVICES.values():
        build = service["build"]
        assert (ROOT / "docker" / build["context"] / build["dockerfile"]).is_file()
        assert (service["image"], service["network_mode"]) == ("sayso", "host")
        profile = service["environment"]["FASTRTPS_DEFAULT_PROFILES_FILE"]
        assert (ROOT / "config" / profile.rpartition(":-")[2].rstrip("}")).is_file()


def test_a_task_under_way_has_the_time_to_end() -> None:
    robot = SERVICES["robot"]
    assert (robot["stop_signal"], robot["init"]) == ("SIGINT", True)
    assert robot["stop_grace_period"] == "60s"
