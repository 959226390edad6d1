"""Versions of a library: undone, compared, and whole after any interruption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core import library as files
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.learning.versions import Version, Versions


@pytest.fixture
def library() -> Library:
    whole = load(builtin_path())
    predicates = {n: whole.predicates[n] for n in ("holding", "gripper_empty", "closed")}
    return Library("mine", predicates, {})


def changed(library: Library) -> Library:
    """With another text for one predicate, and another one gone."""
    holding = library.predicates["holding"]
    source = "def holding(scene, a):\n    return scene.carried(a)\n"
    function = files.compile_predicate("holding", source)
    return replace(
        library,
        predicates={
            "holding": replace(holding, source=source, function=function, version=2),
            "closed": library.predicates["closed"],
        },
    )


def contents(library: Library) -> dict[str, str]:
    return {n: p.source for n, p in library.predicates.items()}


def test_a_change_is_undone_and_done_again(tmp_path: Path, library: Library) -> None:
    versions = Versions(tmp_path)
    versions.save(library, "begun")
    versions.save(changed(library), "corrected")
    assert versions.undo() == Version(1, 0, "begun")
    assert contents(load(tmp_path)) == contents(library)
    assert versions.use(2) == Version(2, 1, "corrected")
    assert contents(Versions(tmp_path).load()) == contents(changed(library))


def test_what_comes_after_an_undo_starts_from_there(tmp_path: Path, library: Library) -> None:
    versions = Versions(tmp_path)
    versions.save(library, "begun")
    versions.save(changed(library), "corrected")
    versions.undo()
    assert versions.save(library, "again") == Version(3, 1, "again")
    assert [v.number for v in versions.all()] == [1, 2, 3]


def test_a_library_without_versions_becomes_the_first(tmp_path: Path, library: Library) -> None:
    files.save(library, tmp_path)
    versions = Versions(tmp_path)
    versions.save(changed(library), "corrected")
    versions.undo()
    assert contents(load(tmp_path)) == contents(library)
    with pytest.raises(SaySoError, match="no version before") as caught:
        versions.undo()
    assert caught.value.code == Code.INVALID


def test_what_people_change_by_hand_is_kept_too(tmp_path: Path, library: Library) -> None:
    Versions(tmp_path).save(library, "begun")
    files.save(changed(library), tmp_path)
    versions = Versions(tmp_path)
    assert versions.all()[-1] == Version(2, 1, "changed by hand")
    assert len(Versions(tmp_path).all()) == 2
    versions.undo()
    assert contents(load(tmp_path)) == contents(library)


def test_the_difference_names_files_and_lines(tmp_path: Path, library: Library) -> None:
    versions = Versions(tmp_path)
    versions.save(library, "begun")
    versions.save(changed(library), "corrected")
    text = versions.difference(1, 2)
    assert "+++ 0002/predicates/holding.py" in text
    assert "+    return scene.carried(a)" in text
    assert '-      "name": "gripper_empty",' in text
    with pytest.raises(SaySoError, match="no version 7"):
        versions.difference(1, 7)


class Killed(BaseException):
    """The process ends here: nothing after it runs."""


def test_whenever_it_is_killed_one_of_the_two_libraries_is_there_whole(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = 0
    real: Callable[[Path, Path], Path] = Path.replace

    def counted(fatal: int | None) -> Callable[[Path, Path], Path]:
        def move(self: Path, target: Path) -> Path:
            nonlocal moves
            moves += 1
            if moves == fatal:
                raise Killed
            return real(self, target)

        return move

    def run(folder: Path, fatal: int | None) -> None:
        nonlocal moves
        versions = Versions(folder)
        versions.save(library, "begun")
        moves = 0
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", counted(fatal))
            versions.save(changed(library), "corrected")

    run(tmp_path / "whole", None)
    total = moves
    assert total > 8
    seen = []
    for fatal in range(1, total + 1):
        with pytest.raises(Killed):
            run(tmp_path / str(fatal), fatal)
        found = Versions(tmp_path / str(fatal))
        seen.append(found.current)
        expected = library if found.current == 1 else changed(library)
        assert contents(found.load()) == contents(expected)
        assert not list((tmp_path / str(fatal) / "versions").glob("new-*"))
    assert set(seen) == {1, 2}
