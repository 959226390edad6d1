"""For all tests."""

from __future__ import annotations

import signal

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
    "test_two_robots",
    "test_language_oracle", "test_language_natural", "test_spot_client", "test_taught_skills",
    "test_flat_tasks", "test_flat_doors", "test_worker_pools", "test_virtualhome_words",
    "test_franky_arm", "test_language_flat", "test_language_read_back", "test_task_client",
    "test_executor_node", "test_cli", "test_evaluation_command", "test_learning_explanations",
    "test_behaviours", "test_everyday_predicates", "test_synthesis", "test_evaluation_limp",
    "test_learner", "test_calvin_recordings", "test_learning_journal", "test_shape_families",
)  # fmt: skip
"""Files that take more than 5 s: begun last, one would go on when the other cores have nothing to
do. `./check quick` leaves them out."""

ALONE = ("test_teach_launch",)
"""Files that need all of the machine: much runs at ten times the speed of the clock."""


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
