"""What the documents say exists, exists."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sayso.adapters import registry
from sayso.cli.demo_options import add_demo_options
from sayso.core.errors import SUCCESS_CODES, Code
from sayso.ros.launch import launch_file

ROOT = Path(__file__).parents[2]
FOREIGN = {"allow_trajectory_execution"}
"""Arguments of launch files that are not SaySo's: MoveIt's."""
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def cells(text, columns):
    """The rows of all tables with so many columns."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line[:1] == "|"]
    return [[c.strip() for c in row] for row in rows if len(row) == columns]


def test_no_file_holds_marks_of_a_merge_that_was_not_ended():
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("git does not know these files")
    marks = "^(<{7}|[|]{7}|>{7}) "
    grep = ["git", "grep", "--untracked", "-nIE", marks]
    found = subprocess.run(grep, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, ""), found.stdout + found.stderr


def test_every_code_is_explained_with_a_next_step():
    rows = cells((ROOT / "docs/troubleshooting.md").read_text(), 4)[2:]
    assert {(name.strip("`"), int(number)) for number, name, _, _ in rows} == {
        (c.name, c.value) for c in Code
    }
    for _, name, meaning, step in rows:
        assert meaning
        assert bool(step) is (Code[name.strip("`")] not in SUCCESS_CODES), name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_and_named_files_exist(document):
    text = document.read_text()
    links = [x for x in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in x]
    for link in links:
        assert (document.parent / link).exists(), link
    pattern = r"`((?:src|docs|config|examples|launch|docker|tools|msg)/[\w/.-]+)`"
    for name in re.findall(pattern, text):
        if "NODE" in name:  # stands for any node's
            continue
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_python_files_that_documents_name_exist(document):
    """By their place in the repository or in the package; what changed once may be gone."""
    named = re.findall(r"`(\w+)/([\w/]+\.py)[:`]", document.read_text())
    for folder in (ROOT, ROOT / "src/sayso") if document.name != "CHANGELOG.md" else ():
        for room, name in named:
            assert not (folder / room).is_dir() or (folder / room / name).exists(), name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_arguments_that_documents_give_launch_files_are_taken(document):
    """`ros2 launch` passes over those that are not, without a word."""
    taken = {
        path.name: {a.name for a in launch_file.declared_arguments(launch_file.parse(path))}
        for path in (ROOT / "launch").glob("*.launch.xml")
    }
    text = document.read_text().replace("\\\n", " ") if document.name != "CHANGELOG.md" else ""
    for line in text.splitlines():
        files = re.findall(r"sayso_ros (\w+\.launch\.xml)", line) or taken
        known = set().union(FOREIGN, *(taken[file] for file in files))
        assert set(re.findall(r"\b(\w+):=", line)) <= known, line


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_options_that_documents_give_the_demo_are_taken(document):
    taken = argparse.ArgumentParser()
    add_demo_options(taken)
    known = {option for action in taken._actions for option in action.option_strings}
    text = document.read_text().replace("\\\n", " ")
    for command in re.findall(r"\./demo ([^`\n]*)", text):
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", command)) <= known, command


def test_architecture_names_the_kinds_that_nodes_choose_from():
    text = (ROOT / "docs/architecture.md").read_text()
    kinds = {row[2].strip("`") for row in cells(text, 4) if row[2].strip("`") in registry.BACKENDS}
    assert {"llm", "planner", "segmenter", "self_filter", "kinematics", "motion_planner"} <= kinds


def test_interfaces_that_architecture_names_are_in_the_sources():
    text = (ROOT / "docs/architecture.md").read_text()
    sources = "".join(p.read_text() for p in (ROOT / "src/sayso/ros").rglob("*.py"))
    named = set(re.findall(r"`/([a-z_]+(?:/[a-z_]+)*)`", text))
    assert len(named) > 20
    for name in named:
        assert f'"{name}"' in sources or f'"/{name}"' in sources, name
