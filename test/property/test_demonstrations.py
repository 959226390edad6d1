"""Laws of demonstrations: what is written is read, and ways are seen alike from everywhere."""

from __future__ import annotations

import tempfile
from pathlib import Path as FilePath

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sayso.core.geometry import Pose
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.demonstration import (
    Annotation,
    Contact,
    Demonstration,
    Path,
    Sample,
)

numbers = st.floats(-2, 2, allow_nan=False)
quaternions = st.tuples(numbers, numbers, numbers, numbers).filter(
    lambda q: np.linalg.norm(q) > 0.1
)
poses = st.builds(
    lambda p, q: Pose(p, tuple(map(float, Rotation.from_quat(q).as_quat(canonical=True)))),
    st.tuples(numbers, numbers, numbers),
    quaternions,
)
texts = st.text(max_size=20)
samples = st.builds(
    Sample, st.floats(0, 100), poses, st.floats(0, 0.1), st.lists(numbers, max_size=3).map(tuple)
)
annotations = st.builds(
    Annotation,
    st.floats(0, 50),
    st.floats(50, 100),
    texts,
    st.dictionaries(texts, texts, max_size=2),
    texts,
)
contacts = st.builds(Contact, st.floats(0, 100), texts, texts, st.booleans())


@st.composite
def demonstrations(draw):
    def in_time(strategy):
        found = draw(st.lists(strategy, max_size=6))
        return tuple(sorted(found, key=lambda x: x.stamp_s))

    things = draw(st.dictionaries(texts, texts, max_size=2))
    return Demonstration(
        draw(texts),
        things,
        in_time(samples),
        (),
        in_time(contacts),
        draw(texts),
        draw(st.booleans()),
        tuple(draw(st.lists(annotations, max_size=2))),
        draw(texts),
    )


@settings(max_examples=30, derandomize=True, deadline=None)
@given(demonstrations())
def test_what_is_written_is_read(demonstration):
    with tempfile.TemporaryDirectory() as place:
        folder.write(demonstration, FilePath(place) / "one")
        assert folder.read(FilePath(place) / "one") == demonstration


@settings(max_examples=30, derandomize=True, deadline=None)
@given(demonstrations(), st.integers(0, 3000))
def test_what_is_cut_off_is_read_up_to_there(demonstration, length):
    with tempfile.TemporaryDirectory() as place:
        folder.write(demonstration, FilePath(place))
        file = FilePath(place) / folder.FILE
        lines = file.read_bytes().splitlines(keepends=True)
        head = len(lines[0])
        whole = b"".join(lines)
        file.write_bytes(whole[: max(head, min(length, len(whole)))])
        read = folder.read(FilePath(place))
        assert read.samples == demonstration.samples[: len(read.samples)]
        assert read.contacts == demonstration.contacts[: len(read.contacts)]


@settings(max_examples=30, derandomize=True, deadline=None)
@given(st.lists(poses, min_size=1, max_size=5), poses, poses)
def test_ways_are_seen_from_frames_and_carry_as_poses_do(tools, frame, grip):
    path = Path.of(tools).carrying(grip).seen_from(frame)
    for index, tool in enumerate(tools):
        expected = (frame.inverse() @ tool @ grip).matrix()
        assert np.allclose(path.pose(index).matrix(), expected, atol=1e-9)
