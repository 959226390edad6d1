"""The folder of what is learned: the library with its versions, and the experience behind it."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from sayso.core import library as files
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Compiler, Library
from sayso.learning.experience import Entry, Experience
from sayso.learning.journal import Journal
from sayso.learning.versions import Versions

JOURNAL = "experience.jsonl"
LOCK = ".lock"


class LearningFolder:
    """Opened by one learner at a time until it is closed; made where there is none.

    Args:
        compiler: makes the functions of learned predicates.

    Raises:
        SaySoError: BUSY while another learner has it open; CORRUPT or INVALID, see `Versions` and
            `Journal`.
    """

    def __init__(self, path: Path, compiler: Compiler) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(path)
        self._compiler = compiler
        self.versions = Versions(path)
        self._journal = Journal(path / JOURNAL)
        if not self.versions.current:
            self.versions.save(Library(path.name, {}, {}), "nothing is known yet")

    def library(self) -> Library:
        """What is known, for the learner to go on from."""
        return files.load(self.versions.path, self._compiler)

    @property
    def experience(self) -> Experience:
        """What was said and tried before."""
        return self._journal.experience

    def close(self) -> None:
        """Let another learner open it."""
        self._lock.close()

    def keep(self, entry: Entry) -> None:
        """On disk when this returns."""
        self._journal.keep(entry)


def _locked(path: Path) -> IO[bytes]:
    """A lock that ends with the process, however that ends."""
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
