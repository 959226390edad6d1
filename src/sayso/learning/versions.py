"""Every version of a library that learns: kept whole, so that any change can be undone.

Beside a library's own files stands a folder of versions, each a library of its own:

    library.json, predicates/     the library as it is used
    skills/                       the skills that were shown, if any, with their demonstrations
    versions/0001/                a whole library and `version.json`: its number, parent, reason
    versions/current              the number of the version in use
    versions/pending              the number of a version that is just being put to use

A version is written beside and renamed into its place, and `pending` is taken away only when all
files are written. What was killed on the way is finished when the library is next opened. Files
that people do not write, as clouds and pictures, are shared among the versions.
"""

from __future__ import annotations

import difflib
import filecmp
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sayso.core import library as files
from sayso.core.errors import Code, SaySoError
from sayso.core.files import replace_text
from sayso.core.library import Compiler, Library

BESIDE = "skills"
"""The folder that belongs to a library beside its own files; see `learning.skills.store`."""
_SHARED = frozenset({".npz", ".png"})


@dataclass(frozen=True)
class Version:
    """One state of a library.

    Attributes:
        parent: the version that it was made from; 0 for the first.
        why: what brought it about, for a person.
    """

    number: int
    parent: int
    why: str


class Versions:
    """A library folder with all its versions. One process at a time may write.

    The folder as it is found becomes the first version, and what people change in it later
    becomes one when it is next opened.

    Args:
        learned: see `library.load`.

    Raises:
        SaySoError: CORRUPT or INVALID, see `library.load`.
    """

    def __init__(self, path: Path, learned: Compiler | None = None) -> None:
        self.path = path
        self._learned = learned
        self._folder = path / "versions"
        self._folder.mkdir(parents=True, exist_ok=True)
        for left in self._folder.glob("new-*"):
            shutil.rmtree(left)
        pending = self._number("pending")
        if pending:
            self._use(pending)
        elif (path / "library.json").exists() and self._changed_by_hand():
            self.save(files.load(path, learned), "changed by hand" if self.current else "found")

    @property
    def current(self) -> int:
        """The number of the version in use; 0 where none was ever saved."""
        return self._number("current")

    def load(self) -> Library:
        """The library as it is used."""
        return files.load(self.path, self._learned)

    def save(
        self, library: Library, why: str, write: Callable[[Path], object] | None = None
    ) -> Version:
        """Put a library to use as a new version.

        Args:
            write: told of the version's folder before it is put to use, to change what is beside
                the library in it.
        """
        version = Version(max((v.number for v in self.all()), default=0) + 1, self.current, why)
        draft = Path(tempfile.mkdtemp(prefix="new-", dir=self._folder))
        _copy(self.path / BESIDE, draft / BESIDE)
        files.save(library, draft)
        if write is not None:
            write(draft)
        note = {"number": version.number, "parent": version.parent, "why": why}
        replace_text(draft / "version.json", json.dumps(note, indent=2) + "\n")
        draft.chmod(0o755)
        draft.replace(self._at(version.number))
        self._use(version.number)
        return version

    def undo(self) -> Version:
        """Put the version to use that the present one was made from. Raises INVALID at the first.

        The present one is kept and can be put to use again with `use`.
        """
        if not (version := self.in_use()).parent:
            raise SaySoError(Code.INVALID, f"{self.path} has no version before this one.")
        return self.use(version.parent)

    def in_use(self) -> Version:
        """The version in use; number 0 where none was ever saved."""
        return self._read(self.current) if self.current else Version(0, 0, "")

    def use(self, number: int) -> Version:
        """Put a version to use. Raises INVALID for a number that there is not."""
        version = self._read(number)
        self._use(number)
        return version

    def all(self) -> tuple[Version, ...]:
        """Every version, oldest first."""
        numbers = sorted(int(p.name) for p in self._folder.iterdir() if p.name.isdigit())
        return tuple(map(self._read, numbers))

    def difference(self, old: int, new: int) -> str:
        """What changed from one version to another, as a unified diff of all their files."""
        texts = [_texts(self._at(self._read(n).number)) for n in (old, new)]
        lines: list[str] = []
        for name in sorted(texts[0].keys() | texts[1].keys()):
            before, after = (t.get(name, "").splitlines(keepends=True) for t in texts)
            lines += difflib.unified_diff(before, after, f"{old:04}/{name}", f"{new:04}/{name}")
        return "".join(lines)

    def _use(self, number: int) -> None:
        library = files.load(self._at(number), self._learned)
        replace_text(self._folder / "pending", f"{number}\n")
        files.save(library, self.path)
        self._use_beside(self._at(number) / BESIDE)
        replace_text(self._folder / "current", f"{number}\n")
        (self._folder / "pending").unlink()

    def _use_beside(self, kept: Path) -> None:
        """What is there now goes, if it is that of some version; what nobody kept is set aside."""
        used = self.path / BESIDE
        if used.exists() and not _alike(kept, used):
            if any(_alike(v / BESIDE, used) for v in self._folder.iterdir() if v.name.isdigit()):
                shutil.rmtree(used)
            else:
                aside = self.path / "set_aside"
                aside.mkdir(exist_ok=True)
                used.rename(Path(tempfile.mkdtemp(prefix="not_kept_", dir=aside)) / BESIDE)
        if not used.exists():
            _copy(kept, used)

    def _changed_by_hand(self) -> bool:
        if not self.current:
            return True
        kept, found = _texts(self._at(self.current)), _texts(self.path)
        changed = any(found.get(name) != text for name, text in kept.items())
        return changed or not _alike(self._at(self.current) / BESIDE, self.path / BESIDE)

    def _at(self, number: int) -> Path:
        return self._folder / f"{number:04}"

    def _number(self, name: str) -> int:
        try:
            return int((self._folder / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return 0
        except ValueError as error:
            raise _corrupt(self._folder / name, "it holds no number") from error

    def _read(self, number: int) -> Version:
        file = self._at(number) / "version.json"
        try:
            note = json.loads(file.read_text(encoding="utf-8"))
            return Version(int(note["number"]), int(note["parent"]), str(note["why"]))
        except FileNotFoundError as error:
            choices = sorted(p.name for p in self._folder.iterdir() if p.name.isdigit())
            raise SaySoError(
                Code.INVALID, f"{self.path} has no version {number}.", choices=choices
            ) from error
        except (KeyError, TypeError, ValueError) as error:
            raise _corrupt(file, f"it is not the note of a version ({error!r})") from error


def _corrupt(file: Path, what: str) -> SaySoError:
    return SaySoError(
        Code.CORRUPT, f"{file} cannot be used: {what}.", hint="restore it, or remove that version."
    )


def _texts(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8")
        for p in (folder / "library.json", *(folder / "predicates").glob("*.py"))
    }


def _copy(folder: Path, to: Path) -> None:
    """A folder, if there is one; what people do not write is shared, where the disk can do so."""
    if folder.is_dir():
        draft = to.with_name(f"{to.name}-new")
        if draft.exists():
            shutil.rmtree(draft)
        shutil.copytree(folder, draft, copy_function=_copy_file)
        draft.replace(to)


def _copy_file(source: str, target: str) -> str:
    if Path(source).suffix in _SHARED:
        try:
            os.link(source, target)
        except OSError:  # another disk, or one without links
            shutil.copy2(source, target)
    else:
        shutil.copy2(source, target)
    return target


def _alike(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files; one that is not there holds none."""
    names = [
        sorted(p.relative_to(f).as_posix() for p in f.rglob("*") if p.is_file())
        for f in (one, other)
    ]
    return names[0] == names[1] and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in names[0]
    )
