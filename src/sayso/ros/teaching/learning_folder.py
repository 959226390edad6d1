"""The folder of what is learned: the library with its versions, and the experience behind it."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Compiler, Library
from sayso.learning.memory import Memory

LOCK = ".lock"


class LearningFolder(Memory):
    """Opened by one learner at a time until it is closed; made where there is none.

    Args:
        compiler: makes the functions of learned predicates.

    Raises:
        SaySoError: BUSY while another learner has it open; CORRUPT or INVALID, see `Memory`.
    """

    def __init__(self, path: Path, compiler: Compiler | None = None) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._lock = locked(path)
        super().__init__(path, compiler)
        if not self.versions.current:
            self.save(Library(path.name, {}, {}), "nothing is known yet")

    def close(self) -> None:
        """Let another learner open it."""
        self._lock.close()


def locked(path: Path) -> IO[bytes]:
    """A folder's lock, which ends with the process, however that ends. Raises BUSY."""
    file = (path / LOCK).open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise SaySoError(
            Code.BUSY,
            f"another learner works in {path}.",
            hint="end it, or name another folder with the parameter library.",
        ) from error
    return file
