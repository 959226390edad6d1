"""A learner's folder: the library with its versions, and the experience that agrees with it."""

from __future__ import annotations

from pathlib import Path

from sayso.core.library import Compiler, Library
from sayso.learning.experience import Entry, Experience
from sayso.learning.journal import Journal
from sayso.learning.versions import Version, Versions

JOURNAL = "experience.jsonl"


class Memory:
    """What was learned, and from what. One process at a time may write.

    What was said with versions that are not in use any more is not in force.

    Args:
        compiler: makes the functions of learned predicates, see `library.load`.

    Raises:
        SaySoError: CORRUPT or INVALID, see `Versions` and `Journal`.
    """

    def __init__(self, path: Path, compiler: Compiler | None = None) -> None:
        self.versions = Versions(path, compiler)
        self._journal = Journal(path / JOURNAL)
        self._journal.use(self.versions.current)

    def library(self) -> Library:
        """What is known, for a learner to go on from."""
        return self.versions.load()

    @property
    def experience(self) -> Experience:
        """What was said and tried, as far as it is in force."""
        return self._journal.experience

    def keep(self, entry: Entry) -> None:
        """On disk when this returns."""
        self._journal.keep(entry)

    def save(self, library: Library, why: str) -> Version:
        """Put a library to use that the last entry led to."""
        version = self.versions.save(library, why)
        self._journal.saved(version.number)
        return version

    def undo(self) -> Version:
        """Go back to the version before, and to what had been said until then.

        Raises INVALID at the first. A learner that goes on from here must be made anew.
        """
        version = self.versions.undo()
        self._journal.use(version.number)
        return version

    def use(self, number: int) -> Version:
        """Go to any version, such as one that was undone; as `undo`."""
        version = self.versions.use(number)
        self._journal.use(version.number)
        return version
