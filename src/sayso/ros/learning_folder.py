"""The folder of what is learned: the library with its versions, and the experience behind it."""

from __future__ import annotations

from pathlib import Path

from sayso.core import library as files
from sayso.core.library import Compiler, Library
from sayso.learning.experience import Entry, Experience
from sayso.learning.journal import Journal
from sayso.learning.versions import Versions

JOURNAL = "experience.jsonl"


class LearningFolder:
    """Opened by one process at a time; made where there is none.

    Args:
        compiler: makes the functions of learned predicates.

    Raises:
        SaySoError: CORRUPT or INVALID, see `Versions` and `Journal`.
    """

    def __init__(self, path: Path, compiler: Compiler) -> None:
        path.mkdir(parents=True, exist_ok=True)
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

    def keep(self, entry: Entry) -> None:
        """On disk when this returns."""
        self._journal.keep(entry)
