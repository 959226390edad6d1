"""The simulated world's small parts: time, shapes, and what is missing on a machine."""

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.worlds import renderer
from sayso.worlds.pacing import PATIENCE_S, Pacer, SceneWait, Schedule
from sayso.worlds.table.shapes.lathe import lathe
from sayso.worlds.table.table_world import TableWorld


def test_something_is_due_once_in_each_period():
    schedule = Schedule(4.0)
    due = [t for t in np.arange(0, 101) / 100 if schedule.due(float(t))]
    assert due == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])


def test_a_gap_leaves_no_backlog():
    schedule = Schedule(10.0)
    assert schedule.due(0.0)
    assert schedule.due(5.0)
    assert not schedule.due(5.05)
    assert schedule.due(5.1)


def test_a_rate_of_zero_is_never_due():
    assert not Schedule(0.0).due(1e9)


def test_simulated_time_waits_for_wall_time():
    pacer = Pacer(2.0)
    assert pacer.delay_s(0.0, 100.0) == 0.0
    assert pacer.delay_s(1.0, 100.1) == pytest.approx(0.4)


def test_a_slow_machine_is_not_made_to_hurry_afterwards():
    pacer = Pacer(1.0)
    pacer.delay_s(0.0, 0.0)
    assert pacer.delay_s(1.0, 5.0) == 0.0
    assert pacer.delay_s(2.0, 5.1) == pytest.approx(0.9)


def test_time_waits_for_scenes_but_not_for_one_who_never_made_any_or_has_gone():
    scenes = SceneWait(0.3)
    assert not scenes.waits(9.0, 9.0)
    scenes.heard(9.0, 20.0)
    assert not scenes.waits(9.29, 20.1)
    assert scenes.waits(9.31, 20.1)
    assert not scenes.waits(9.31, 20.0 + PATIENCE_S)
    scenes.heard(9.2, 31.0)
    assert not scenes.waits(9.31, 31.0)
    scenes = SceneWait(0.0)
    scenes.heard(1.0, 1.0)
    assert not scenes.waits(9.0, 1.0)


def test_a_turned_surface_is_closed_and_faces_outward():
    profile = [(0.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0)]
    vertices, faces = lathe(profile, segments=200)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    # The divergence theorem gives the volume only of a closed surface turned outward.
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(2 * np.pi, rel=1e-3)
    edges = np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)


def test_without_opengl_the_error_says_what_to_install(monkeypatch):
    def no_platform():
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(renderer, "_platform", no_platform)
    with pytest.raises(SaySoError, match="libegl1") as error:
        TableWorld(0).warm_up()
    assert error.value.code is Code.MISSING_DEPENDENCY
