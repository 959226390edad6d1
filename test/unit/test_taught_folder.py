"""What was taught over ROS before is gone on with, also after a writing that broke off."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Lock
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from rclpy.clock import Clock
from std_srvs.srv import Trigger

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load, parse_literal, save
from sayso.learning.demonstrations.demonstration import KeyFrame
from sayso.learning.skills import store
from sayso.learning.skills.lesson import SkillLesson, skill_of
from sayso.learning.skills.playing import TaughtArmSkill
from sayso.learning.skills.taught_skills import TaughtSkills
from sayso.learning.skills.tryout import Tryout
from sayso.learning.versions import Versions
from sayso.ros.nodes import executor_node
from sayso.ros.nodes.executor_node import ExecutorNode
from sayso.ros.teaching.learning_folder import LearningFolder
from sayso.ros.teaching.lessons import Teaching
from support.demonstrations import put_block_on_plate


def shown_at(x):
    """As a demonstration shows things before it and after."""
    one = put_block_on_plate((x, 0.1, 0.3), (0.5, -0.2, 0.0))
    before = one.key_frames[0].scene
    block, plate = before.objects
    lies = replace(block, position=(0.5, -0.2, 0.03))
    after = replace(before, stamp_s=9.0, objects=(lies, plate))
    return replace(one, key_frames=(KeyFrame(before), KeyFrame(after)))


SHOWN = shown_at(0.4)
NAME = "put_block_plate"


class Told:
    """A node that keeps what it is told."""

    def __init__(self):
        self.errors, self.published, self.get_clock = [], [], Clock

    def get_logger(self):
        return self

    def error(self, text):
        self.errors.append(text)

    def create_publisher(self, *_):
        return self

    def create_service(self, *_):
        return self

    def publish(self, message):
        self.published.append(message)


def teaching_in(folder, running=None):
    node, libraries = Told(), []
    take = lambda _, library: libraries.append(library)  # noqa: E731
    return Teaching(node, folder, folder, take, running or Lock()), libraries, node


def resumed(folder):
    """What the executor takes over at its start, and what it tells."""
    teaching, libraries, node = teaching_in(folder)
    teaching.resume()
    return libraries, node


@pytest.fixture
def taught(tmp_path):
    """A folder in which one skill was taught."""
    known = load(builtin_path())
    operator = replace(known.operators["place_on"], name=NAME, skill=NAME)
    save(replace(known, operators={**known.operators, NAME: operator}), tmp_path)
    store.keep(tmp_path, skill_of([SHOWN]))
    return tmp_path


def test_what_was_taught_is_gone_on_with(taught):
    (library,), node = resumed(taught)
    assert NAME in library.operators and len(node.published) == 1 and not node.errors


@pytest.mark.parametrize("missing", ["library.json", f"skills/{NAME}/skill.json"])
def test_where_the_writing_broke_off_the_rest_is_gone_on_with_and_it_is_told(taught, missing):
    (taught / missing).unlink()
    libraries, node = resumed(taught)
    assert not any(NAME in library.operators for library in libraries)
    assert f"'{NAME}' has to be taught again: it was not written to its end" in node.errors[0]
    assert (taught / "set_aside" / f"{NAME}_00" / "demonstrations" / "00").is_dir()
    assert not store.kept(taught) and not resumed(taught)[1].errors


def test_a_folder_in_which_nothing_was_taught_is_as_good(tmp_path):
    assert resumed(tmp_path)[0] == [] and not [*tmp_path.iterdir()]


class Learns:
    """A learner of predicates for a lesson whose effect the library has; it is never asked."""


def lesson(folder, skill=None, take=None):
    libraries, tried = [], []

    def in_thought(skill, library):
        tried.append(library.operators[NAME])
        return Tryout("It went well.", True, skill.demonstrations[0])

    skill = skill or replace(skill_of([SHOWN]), effect=parse_literal("on(?a, ?b)").atom)
    shown = SkillLesson(
        load(builtin_path()), lambda: skill, Learns(), folder, take or libraries.append, in_thought
    )
    words = shown.learn()
    picture = folder / "tried_out" / f"{NAME}.png"
    assert "Afterwards" in words and str(picture) not in words
    assert shown.tried == f"It went well. The hand's way is in {picture}."
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "Afterwards" in shown.correct("Afterwards the block is not on the table.")
    assert "It went well" in shown.tried
    assert len(tried) == 2  # what was corrected is tried out anew
    assert not libraries  # it was not accepted yet
    shown.keep()
    return libraries


def samples_of(folder):
    return [d.samples for d in store.read(folder, NAME).demonstrations]


def test_what_cannot_be_taken_over_is_kept_and_what_was_used_before_is_used(tmp_path):
    taken = []

    def take(library):
        taken.append(library)
        if NAME in library.operators:
            raise SaySoError(Code.STALE, "perception did not take over what was learned.")

    with pytest.raises(SaySoError, match="kept as version 2, but is not used: perception") as error:
        lesson(tmp_path, take=take)
    assert error.value.code is Code.STALE and f"{tmp_path} --use 2" in str(error.value.hint)
    assert NAME not in taken[-1].operators and NAME not in load(tmp_path).operators
    assert not store.kept(tmp_path)
    Versions(tmp_path).use(2)
    assert NAME in load(tmp_path).operators and store.kept(tmp_path) == (NAME,)


def test_a_lesson_is_taken_back_and_used_again_with_all_that_was_shown(tmp_path):
    (library,) = lesson(tmp_path)
    files = {p.relative_to(tmp_path / "skills") for p in (tmp_path / "skills").rglob("*.*")}
    assert NAME in library.operators and store.kept(tmp_path) == (NAME,) and files
    teaching, libraries, node = teaching_in(tmp_path)
    assert teaching.undo() == "shown: put the block on the plate"
    assert store.kept(tmp_path) == () and NAME not in libraries[-1].operators
    assert node.published[-1].why == "taken back: shown: put the block on the plate"
    with pytest.raises(SaySoError, match="no version before"):
        teaching.undo()
    versions = Versions(tmp_path)
    versions.use(2)
    assert {p.relative_to(tmp_path / "skills") for p in (tmp_path / "skills").rglob("*.*")} == files
    assert samples_of(tmp_path) == [SHOWN.samples]
    assert NAME in load(tmp_path).operators


def test_what_was_shown_more_is_taken_back_alone(tmp_path):
    lesson(tmp_path)
    more = shown_at(0.3)
    before = store.read(tmp_path, NAME)
    lesson(tmp_path, replace(before, demonstrations=(*before.demonstrations, more)))
    assert samples_of(tmp_path) == [SHOWN.samples, more.samples]
    teaching, libraries, _ = teaching_in(tmp_path)
    teaching.undo()
    assert samples_of(tmp_path) == [SHOWN.samples]
    assert NAME in libraries[-1].operators


def test_what_somebody_put_there_by_hand_is_a_version_of_its_own(tmp_path):
    lesson(tmp_path)
    note = tmp_path / "skills" / NAME / "note.md"
    note.write_text("by hand")
    teaching, _, _ = teaching_in(tmp_path)
    assert teaching.undo() == "changed by hand" and not note.exists()
    Versions(tmp_path).use(3)
    assert note.read_text() == "by hand"


def test_while_a_task_is_under_way_or_somebody_else_learns_nothing_is_taken_back(tmp_path):
    lesson(tmp_path)
    teaching, _, _ = teaching_in(tmp_path, running := Lock())
    with running, pytest.raises(SaySoError, match="a task is under way"):
        teaching.undo()
    with closing(LearningFolder(tmp_path)), pytest.raises(SaySoError, match="another learner"):
        teaching.undo()
    assert not running.locked() and store.kept(tmp_path) == (NAME,)


def arm_of(folder, arm=None):
    """What an executor has that took over the skills of a folder."""
    skills = TaughtSkills(partial(registry.create, "arm_skill"), None)
    parts = {"_arm_skills": skills, "_kept": {}, "_robot": SimpleNamespace(arm=arm)}
    executor = SimpleNamespace(**parts)
    ExecutorNode._teach(executor, folder)
    return executor


def test_a_lesson_that_is_taken_back_is_played_no_more(tmp_path):
    lesson(tmp_path)
    executor = arm_of(tmp_path)
    assert isinstance(executor._arm_skills(NAME, work=None), TaughtArmSkill)
    teaching_in(tmp_path)[0].undo()
    ExecutorNode._teach(executor, tmp_path)
    with pytest.raises(SaySoError, match=NAME):
        executor._arm_skills(NAME, work=None)


def test_what_is_tried_out_is_not_played_before_it_is_kept(tmp_path, monkeypatch):
    """The arm has what is tried out for the trying alone."""
    arm = SimpleNamespace(with_skills=lambda _, skills: skills)
    monkeypatch.setattr(
        executor_node, "tried", lambda skill, _, skills: skills(skill.name, work=None)
    )
    executor = arm_of(tmp_path, arm)
    assert isinstance(ExecutorNode._tried(executor, skill_of([SHOWN]), None), TaughtArmSkill)
    with pytest.raises(SaySoError, match=NAME):
        executor._arm_skills(NAME, work=None)


@pytest.mark.parametrize("trouble", ["no library", "disk", "robot"])
def test_what_cannot_be_taken_back_stays_on_disk_and_with_the_robot(tmp_path, trouble, monkeypatch):
    lesson(tmp_path)
    taken = []

    def take(_, library):
        taken.append(library)
        if trouble == "robot" and NAME not in library.operators:
            raise SaySoError(Code.INVALID, "it does not fit the robot.")

    def use_beside(versions, kept, original=Versions._use_beside):
        if kept.parent.name == "0001":
            raise OSError("no space is left on the device")
        original(versions, kept)

    if trouble == "no library":
        (tmp_path / "versions/0001/library.json").write_text("{")
    if trouble == "disk":
        monkeypatch.setattr(Versions, "_use_beside", use_beside)
    teaching = Teaching(Told(), tmp_path, tmp_path, take, Lock())
    answer = teaching._undo(Trigger.Request(), Trigger.Response())
    assert not answer.success
    assert "shown: put the block on the plate' was not taken back" in answer.message
    assert NAME in taken[-1].operators and NAME in load(tmp_path).operators
    assert Versions(tmp_path).current == 2 and store.kept(tmp_path) == (NAME,)


def test_a_defect_while_something_is_taken_back_does_not_end_the_node(tmp_path):
    (tmp_path / "file").write_text("")
    teaching, _, _ = teaching_in(tmp_path / "file" / "taught")
    answer = teaching._undo(Trigger.Request(), Trigger.Response())
    assert not answer.success and "NotADirectoryError" in answer.message
