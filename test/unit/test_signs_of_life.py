"""A part that is silent for longer than it may be is named."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.ros.runtime.signs_of_life import SignsOfLife


def test_silence_counts_from_the_beginning_or_the_last_sign():
    now_s = [100.0]
    signs = SignsOfLife({"the world": 5.0, "the learner": 50.0}, lambda: now_s[0])
    now_s[0] = 200.0
    signs.begin()
    now_s[0] = 204.0
    signs.heard("the world")
    now_s[0] = 208.0
    signs.check()
    now_s[0] = 210.0
    with pytest.raises(SaySoError, match="nothing was heard of the world for 5 s") as error:
        signs.check()
    assert error.value.code is Code.NODE_UNAVAILABLE and error.value.hint
    signs.heard("the world")
    signs.check()
