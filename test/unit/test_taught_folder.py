"""What was taught over ROS before is gone on with, also after a writing that broke off."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from rclpy.clock import Clock

from sayso.core.library import builtin_path, load, save
from sayso.learning.skills import store
from sayso.learning.skills.lesson import skill_of
from sayso.ros.teaching.lessons import Teaching
from support.demonstrations import put_block_on_plate

SHOWN = put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 0.0))
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

    def publish(self, message):
        self.published.append(message)


def resumed(folder):
    """What the executor takes over at its start, and what it tells."""
    node, libraries = Told(), []
    Teaching(node, folder, folder, lambda _, library: libraries.append(library)).resume()
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
