"""Who reads and writes in an evaluation, and what runs for them."""

from __future__ import annotations

import pytest

from sayso.adapters.llm.metered import Metered
from sayso.adapters.llm.none import NoModel
from sayso.evaluation.interpret.timed_backends import timed_backends
from sayso.learning.model.predicate_sandbox import PredicateSandbox


def test_the_process_for_a_models_code_ends_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[PredicateSandbox] = []
    monkeypatch.setattr(PredicateSandbox, "close", lambda self: closed.append(self))
    with timed_backends(None):
        assert not closed
    closed.clear()
    with pytest.raises(ZeroDivisionError), timed_backends(Metered(NoModel())):
        assert not closed
        raise ZeroDivisionError
    assert len(closed) == 1
