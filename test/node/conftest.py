"""A private ROS graph for each test: its own domain, its nodes spun in the background."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.ros_graph import WAIT_S, Graph, Inbox, free_domain

__all__ = ["WAIT_S", "Graph", "Inbox"]


@pytest.fixture
def domain() -> Iterator[int]:
    with free_domain() as number:
        yield number


@pytest.fixture
def graph(domain: int) -> Iterator[Graph]:
    graph = Graph(domain)
    yield graph
    graph.close()
