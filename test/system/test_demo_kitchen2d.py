"""`sayso demo --world kitchen2d`: a training, and a harder task, told in a run folder."""

from __future__ import annotations

import pytest
from PIL import Image

from sayso.cli import main
from sayso.core import library


def test_it_learns_by_being_told_and_tells_the_story(tmp_path, capsys) -> None:
    folder = tmp_path / "run"
    demo = ["demo", "--world", "kitchen2d", "--domain", "store", "--seed", "2"]
    assert main([*demo, "--record", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "You cannot pick up" in shown
    assert "The goal is reached" in shown
    learned = library.load(folder / "library")
    report = (folder / "report.md").read_text()
    for name in learned.predicates:
        assert f"**{name} learned, version 1" in report
    assert learned.operators
    assert all(word in (folder / "domain.pddl").read_text() for word in learned.operators)
    for film in ("training.gif", "harder_task.gif"):
        assert Image.open(folder / film).n_frames > 3
        assert f"({film})" in report
    pictures = sorted(folder.glob("*.jpg"))
    assert len(pictures) > 5 and all(f"({picture.name})" in report for picture in pictures)
    assert len(Image.open(pictures[-1]).getcolors(1 << 24) or ()) > 5
    assert all(
        line in report
        for line in (folder / "story.txt").read_text().splitlines()
        if "person:" in line
    )


@pytest.mark.parametrize("extra", [["Put the can on the box."], ["--domain", "garden"]])
def test_what_it_cannot_do_is_refused(extra, tmp_path, capsys) -> None:
    arguments = ["demo", "--world", "kitchen2d", *extra, "--record", str(tmp_path / "run")]
    try:
        assert main(arguments) == 1
    except SystemExit as error:
        assert error.code == 2
    assert not (tmp_path / "run").exists()
    told = capsys.readouterr()
    assert "--world table or flat" in told.out + told.err or "'store'" in told.out + told.err
