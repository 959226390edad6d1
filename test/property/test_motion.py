"""Speeds are told from where something was met, however it goes and whenever it is looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.scene import SceneObject
from sayso.perception.motion import CAMERA, LASER, MotionTracks, PlaceTrack

CAT = SceneObject("cat", "cat", "", (3.0, 0.0, 0.15), (0.4, 0.2, 0.3), living=True)
SPEED = st.floats(-1.5, 1.5)


@given(st.sampled_from([CAMERA, LASER]), SPEED, SPEED, st.lists(st.floats(0.02, 0.3), min_size=1))
def test_what_goes_on_steadily_has_its_own_speed(settings, vx, vy, pauses_s):
    track, now_s = PlaceTrack(settings), 10.0
    track.add(now_s, np.zeros(2))
    for pause_s in pauses_s:
        now_s += pause_s
        track.add(now_s, (now_s - 10.0) * np.array([vx, vy]))
    told = track.velocity()
    if not track.long_enough:
        assert np.linalg.norm(told) <= np.hypot(vx, vy) + 1e-9  # never more than was seen
    elif np.hypot(vx, vy) > settings.slow_m_s + 1e-6:
        assert told == pytest.approx([vx, vy], abs=1e-6)
    else:
        assert np.linalg.norm(told) <= settings.slow_m_s + 1e-6


@given(st.lists(st.tuples(st.floats(-0.03, 0.03), st.floats(-0.03, 0.03)), min_size=2))
def test_what_stands_and_is_seen_with_noise_stands(places):
    tracks = MotionTracks()
    for i, (x, y) in enumerate(places):
        seen = replace(CAT, position=(3.0 + x, y, 0.15), last_seen_s=1.0 + 0.9 * i)
        (thing,) = tracks.followed([seen])
        assert thing.velocity == (0.0, 0.0, 0.0)


def test_who_is_not_seen_keeps_the_speed_of_before_and_what_is_carried_has_none():
    tracks = MotionTracks()
    for i in range(5):
        seen = replace(CAT, position=(3.0 - 0.1 * i, 0.0, 0.15), last_seen_s=0.2 * i)
        (thing,) = tracks.followed([seen])
    for _ in range(3):
        (thing,) = tracks.followed([replace(seen, visible=False)])
        assert thing.velocity == pytest.approx((-0.5, 0.0, 0.0))
    (thing,) = tracks.followed([replace(seen, carried=True)])
    assert thing.velocity == (0.0, 0.0, 0.0)
