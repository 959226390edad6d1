"""What killed Fast DDS processes left in shared memory is removed, and nothing else."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from sayso.ros.runtime.shared_memory import remove_abandoned

GONE, ALIVE, NEW = (f"fastrtps_{digit * 16}" for digit in "abc")
PORT, HEARD = "fastrtps_port7412", "fastrtps_port7413"


def lay(folder: Path, *names: str, old: bool = True) -> None:
    for name in names:
        (folder / name).write_bytes(b"x")
        if old:
            os.utime(folder / name, (0, 0))


def test_only_what_has_no_owner_is_removed(tmp_path: Path) -> None:
    lay(tmp_path, GONE, f"{GONE}_el", ALIVE, f"{ALIVE}_el", "sem.other", "fastrtps_notes")
    lay(tmp_path, PORT, f"{PORT}_el", f"sem.{PORT}_mutex", HEARD, f"{HEARD}_el", f"{HEARD}_sl")
    lay(tmp_path, NEW, f"{NEW}_el", old=False)
    before = {p.name for p in tmp_path.iterdir()}
    with (tmp_path / f"{ALIVE}_el").open() as owner, (tmp_path / f"{HEARD}_sl").open() as reader:
        fcntl.flock(owner, fcntl.LOCK_EX)
        fcntl.flock(reader, fcntl.LOCK_SH)
        assert set(remove_abandoned(tmp_path)) == {GONE, PORT}
    left = {p.name for p in tmp_path.iterdir()}
    assert before - left == {GONE, f"{GONE}_el", PORT, f"{PORT}_el", f"sem.{PORT}_mutex"}


def test_nothing_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert remove_abandoned(tmp_path) == ()
