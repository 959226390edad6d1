"""For all tests."""

from __future__ import annotations

import signal

import pytest

LONG = (
    "test_language_oracle", "test_language_natural", "test_spot_client", "test_taught_skills",
    "test_flat_tasks", "test_flat_doors", "test_worker_pools", "test_virtualhome_words",
    "test_franky_arm", "test_language_flat", "test_language_read_back", "test_task_client",
    "test_executor_node",
)  # fmt: skip
"""Files that take long: begun last, one would go on when the other cores have nothing to do."""


def pytest_configure(config: pytest.Config) -> None:
    """Let those who run tests side by side be interrupted: they, and what they start, ignore it."""
    if hasattr(config, "workerinput"):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with those that take long."""
    order = {name: i for i, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.stem, len(LONG)))
