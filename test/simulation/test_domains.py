"""Domains that are a file: what is wrong with them is found, and robots learn in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sayso.cli import main
from sayso.core.errors import SaySoError
from sayso.worlds.domains import SHIPPED
from sayso.worlds.domains.checks import troubles
from sayso.worlds.domains.choosing import described, domain_named
from sayso.worlds.domains.reading import FILE


@pytest.fixture
def own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["domain", "new", str(tmp_path / "own")]) == 0
    assert "is an example" in capsys.readouterr().out
    return tmp_path / "own"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_rules_of_what_is_shipped_are_what_actions_do(name: str) -> None:
    assert troubles(described(name), count=1) == ()


def test_a_new_domain_is_an_example_that_is_right(own: Path) -> None:
    assert main(["domain", "check", str(own)]) == 0
    assert main(["domain", "new", str(own)]) == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("same_color(a, b), locked(a)", "locked(a)", "did not: it does not turn"),
        ('      if not value(chest, "locked"):\n          fail("there is no lock to open")\n', "",
         "worked, and by the rules it should not"),
        ('change(chest, "locked", False)', "held()", "it is not as its rule says"),
        ('change(chest, "locked", False)', 'change(chest, "locked", 7)', "which is no bool"),
        ('change(chest, "locked", False)', "while True: pass", "used up"),
        ('if place(key) != "hand":', "if True:", "did not: the key is not held"),
        ("  - action: place_on_table\n    takes: [a]\n    needs: holding(a)\n"
         "    adds: hand_empty(), on_table(a)\n    ends: holding(a)\n", "", "no rule says"),
        ("ends: locked(a)\n", "ends: locked(a)\n  - action: unlock_first_with_second\n"
         "    takes: [a, b]\n    needs: holding(b), key(b), same_color(a, b), locked(a)\n"
         "    ends: key(b)\n", "two rules with the same needs"),
        ("goal: holding(a)", "goal: locked(a)", "cannot be done"),
        ("has: {locked: true}", "has: {locked: false}", "never succeeded"),
        ("- {kind: key}\n        - {kind: chest}", "- {kind: clip}\n        - {kind: chest}",
         "'clip' is called new here"),
        ("  - action: place_on_table\n", "  - action: pick_up\n    takes: [a]\n"
         "    needs: hand_empty(), small(a), on_table(a), key(a)\n    adds: holding(a)\n"
         "    ends: hand_empty()\n  - action: place_on_table\n", "it is not as its rule says"),
    ],
)  # fmt: skip
def test_what_rules_and_actions_disagree_on_is_named(
    own: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, told: str
) -> None:
    text = (own / FILE).read_text()
    assert old in text
    changed = text.replace(old, new)
    if "never" in told:
        changed = changed.replace("[true, false]", "false")
    (own / FILE).write_text(changed)
    assert main(["domain", "check", str(own)]) == 1
    shown = capsys.readouterr().out
    assert told in shown and ", line " in shown


def test_what_is_done_wrongly_in_a_world_moves_nothing() -> None:
    domain = domain_named("discs")
    world = domain.world(domain.tasks("training", 0, 1)[0])
    before = world.observe()
    disc = next(o.name for o in before.objects if o.category == "disc")
    for action, args in (("fly", (disc,)), ("pick_up", (disc, disc)), ("pick_up", ("moon",))):
        with pytest.raises(SaySoError):
            world.act(action, *args)
    assert not world.act("place_first_on_second", disc, before.objects[0].name).reached
    assert {o.name: o.position for o in world.observe().objects} == {
        o.name: o.position for o in before.objects
    }


@pytest.mark.parametrize(
    ("name", "lessons", "manner"),
    [("discs", 6, ()), ("sorting", 8, ("--seed", "7", "--style", "varied", "--unmet", "3"))],
)
def test_a_domain_is_learned_from_few_words(
    tmp_path: Path, name: str, lessons: int, manner: tuple[str, ...]
) -> None:
    short = ["--domains", name, "--seeds", "1", "--training", str(lessons), "--testing", "2"]
    assert main(["eval", "interpret", *short, *manner, "--out", str(tmp_path)]) == 0
    row = json.loads((tmp_path / "rows.jsonl").read_text())
    record = json.loads(row["measures"]["record"])
    assert min(t["blind"] for t in record["tested"].values()) == 1.0
    assert sum(record["feedback"].get(k, 0) for k in ("UNSATISFIED", "INFEASIBLE")) <= 30
    assert name in (tmp_path / "report.md").read_text()


def test_a_person_teaches_by_typing_in_a_domain_of_their_own(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = tmp_path / "said.txt"
    said.write_text("# the first lesson\n\nGo ahead.\n\n\n\n\n\n")
    told = ["--sentences", str(said), "--lessons", "2", "--record", str(tmp_path / "run")]
    assert main(["domain", "teach", str(own), *told]) == 1  # Eight lines do not teach chests.
    assert "you teach" in capsys.readouterr().out
    story = (tmp_path / "run" / "story.txt").read_text()
    assert "Pick up the" in story and "person: Go ahead." in story
    assert (tmp_path / "run" / "report.md").is_file()
    missing = ["domain", "teach", str(own), "--sentences", str(tmp_path / "no.txt")]
    assert main([*missing, "--record", str(tmp_path / "other")]) == 1


def test_the_demo_of_a_domain_shows_lessons_and_a_harder_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shown = ["demo", "--world", "discs", "--seed", "0", "--lessons", "6"]
    assert main([*shown, "--record", str(folder)]) == 0
    assert "The goal is reached" in capsys.readouterr().out
    report = (folder / "report.md").read_text()
    assert "stacking discs by width" in report and "(harder_task.gif)" in report
    assert main(["demo", "--world", "garden", "--record", str(tmp_path / "no")]) == 1
    assert not (tmp_path / "no").exists()
