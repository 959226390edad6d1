"""For all tests."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# Hypothesis also draws the numbers and texts that stand in the modules loaded so far: the cases
# of a test would depend on which tests ran before it, derandomised or not.
assert callable(providers._get_local_constants)
providers._get_local_constants = providers.Constants

settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")

LONG = (
    "test_flat_demo", "test_teach_launch", "test_flat_launch", "test_demo_launch",
    "test_two_robots", "test_flat_nav2", "test_console_lesson",
    "test_language_oracle", "test_language_natural", "test_spot_client", "test_taught_skills",
    "test_flat_tasks", "test_flat_doors", "test_worker_pools", "test_virtualhome_words",
    "test_franky_arm", "test_language_flat", "test_language_read_back", "test_task_client",
    "test_executor_node", "test_cli", "test_evaluation_command", "test_learning_explanations",
    "test_behaviours", "test_everyday_predicates", "test_synthesis", "test_evaluation_limp",
    "test_learner", "test_calvin_recordings", "test_learning_journal", "test_shape_families",
    "test_stopping_obstacles",
)  # fmt: skip
"""Files that take more than 5 s: begun last, one would go on when the other cores have nothing to
do. `./check quick` leaves them out."""

ALONE = ("test_teach_launch", "test_console_lesson")
"""Files that need all of the machine: much runs at ten times the speed of the clock, or a hand is
guided by what is seen."""


def pytest_configure(config: pytest.Config) -> None:
    """Let those who run tests side by side be interrupted: they, and what they start, ignore it."""
    if hasattr(config, "workerinput"):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with those that take long, and mark them, and those that run alone."""
    order = {name: i for i, name in enumerate(LONG)}
    for item in items:
        if item.path.stem in order:
            item.add_marker("long")
        if item.path.stem in ALONE:
            item.add_marker("alone")
    items.sort(key=lambda item: order.get(item.path.stem, len(LONG)))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Modules and tests stay: the collector need not go through them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Else libraries tell of what was not freed at the end."""
    gc.unfreeze()


GRACE_S = 60.0
"""How much longer than the limit for a test each of its phases may take."""
_STDERR = os.dup(2)
_hung: set[str] = set()


def _bounded(item: pytest.Item) -> Generator[None, Any, Any]:
    """Ends the process, and tells what it was at, where a phase of a test never comes back.

    The plugin's limit is off once a test has failed: whatever it waits for then, it waits for ever.
    """
    limit_s = float(item.config.getoption("timeout") or item.config.getini("timeout"))
    faulthandler.dump_traceback_later(limit_s + GRACE_S, exit=True, file=_STDERR)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _bounded(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _bounded(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    return (yield from _bounded(item))


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Any) -> None:
    """Where tests that fail are run once more, so is one whose process was ended."""
    if sched.config.getoption("reruns", 0) and crashitem not in _hung:
        _hung.add(crashitem)
        report.outcome = "rerun"  # type: ignore[assignment]  # as pytest-rerunfailures has it
