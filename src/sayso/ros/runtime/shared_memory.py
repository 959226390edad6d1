"""Shared memory that Fast DDS left behind: a process that is killed cannot remove its own."""

from __future__ import annotations

import fcntl
import logging
import re
import time
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)
FOLDER = Path("/dev/shm")
SETTLED_S = 5.0
_LOCK = re.compile(r"(fastrtps_(?:[0-9a-f]{16}|port\d+))_[es]l")


def remove_abandoned(folder: Path = FOLDER) -> tuple[str, ...]:
    """Remove the segments whose owner is gone, and name them.

    Fast DDS holds a lock on a file beside each segment while its owner lives. Locks younger than
    `SETTLED_S` are left alone: between making the file and locking it an owner looks gone.
    """
    locks: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("fastrtps_*")):
        if match := _LOCK.fullmatch(path.name):
            locks.setdefault(match[1], []).append(path)
    removed = tuple(name for name, paths in locks.items() if _remove(folder, name, paths))
    if removed:
        log.info("removed %d segments of shared memory that killed processes left", len(removed))
    return removed


def _remove(folder: Path, name: str, locks: list[Path]) -> bool:
    if not all(map(_is_free, locks)):
        return False
    # The locks last: who finds a segment without one cannot tell whose it is.
    for path in (folder / name, folder / f"sem.{name}_mutex", *locks):
        with suppress(OSError):
            path.unlink()
    return not (folder / name).exists()


def _is_free(lock: Path) -> bool:
    try:
        with lock.open("rb") as file:
            if time.time() - lock.stat().st_mtime < SETTLED_S:
                return False
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by its owner, of another user, or just removed
        return False
    return True
