"""Waits end whatever happens to the robot's clock."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.skills.timeouts import GracePeriod, Timeout
from support.clocks import ManualClock
from support.still_arm import StillArm


def test_a_timeout_is_over_after_its_time():
    senses, steady = StillArm(), ManualClock()
    timeout = Timeout(senses, 2.0, steady=steady)
    senses.time_s += 1.9
    assert not timeout.over
    senses.time_s += 0.2
    assert timeout.over


def test_a_clock_that_jumps_forth_and_back_does_not_make_it_longer():
    senses, steady = StillArm(), ManualClock()
    timeout = Timeout(senses, 2.0, steady=steady)
    senses.time_s += 1.0
    assert not timeout.over
    senses.time_s -= 1000.0
    assert not timeout.over
    senses.time_s += 1.1
    assert timeout.over


def test_a_clock_that_stands_still_ends_it_by_the_steady_one():
    senses, steady = StillArm(), ManualClock()
    timeout = Timeout(senses, 2.0, slowest=3.0, steady=steady)
    steady.advance(5.9)
    assert not timeout.over
    steady.advance(0.2)
    assert timeout.over


def test_what_may_pass_is_borne_for_a_while():
    senses, steady = StillArm(), ManualClock()
    grace, error = GracePeriod(senses, 2.0, steady), SaySoError(Code.STALE, "nothing came.")
    grace.tolerate(error)
    senses.time_s += 1.9
    grace.tolerate(error)
    grace.renew()
    senses.time_s += 1.9
    grace.tolerate(error)
    senses.time_s += 0.2
    with pytest.raises(SaySoError, match="nothing came"):
        grace.tolerate(error)


def test_a_node_that_seems_to_have_ended_has_little_time_to_be_back():
    senses, steady = StillArm(), ManualClock()
    grace = GracePeriod(senses, 2.0, steady)
    error = SaySoError(Code.NODE_UNAVAILABLE, "the node 'perception' has ended.")
    steady.advance(2.9)
    grace.tolerate(error)
    steady.advance(0.2)
    with pytest.raises(SaySoError, match="has ended"):
        grace.tolerate(error)


def test_other_errors_are_not_borne():
    with pytest.raises(SaySoError, match="VETO"):
        GracePeriod(StillArm(), 2.0, ManualClock()).tolerate(SaySoError(Code.VETO, "no."))
