"""What people say reaches the disk first, then everybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sayso_ros.msg import Feedback, Status
from sayso_ros.srv import GiveFeedback

from sayso.core.errors import SaySoError
from sayso.ros.nodes.feedback_node import FeedbackNode


def give(graph, **fields):
    request = GiveFeedback.Request(feedback=Feedback(**fields))
    return graph.call(GiveFeedback, "/give_feedback", request).status


def kept(path: Path) -> list[dict[str, Any]]:
    """The entries of a log, oldest first; every line must be whole."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_words_are_kept_and_passed_on_unchanged(graph, tmp_path: Path) -> None:
    path = tmp_path / "said" / "feedback.jsonl"
    graph.add(FeedbackNode, log_file=str(path))
    heard = graph.listen(Feedback, "/feedback")
    words = "Nein: the *grüne* block,\nplease"

    status = give(graph, kind=Feedback.CORRECTION, text=words, task_id="t1")

    assert status.code == Status.OK
    (entry,) = kept(path)
    assert (entry["text"], entry["kind"], entry["task_id"]) == (words, "CORRECTION", "t1")
    assert entry["stamp_s"] > 0
    assert heard.wait().text == words


def test_malformed_feedback_is_refused_with_the_reason_and_not_kept(graph, tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    graph.add(FeedbackNode, log_file=str(path))

    unknown = give(graph, kind=99, text="hello")
    silent = give(graph, kind=Feedback.EXPLANATION, text="  ")
    unnamed = give(graph, kind=Feedback.CONFIRM)
    fine = give(graph, kind=Feedback.CONFIRM, task_id="t1")

    assert unknown.code == silent.code == unnamed.code == Status.INVALID
    assert "does not name" in unnamed.message
    assert "1 (CONFIRM)" in unknown.choices
    assert "without words" in silent.message
    assert fine.code == Status.OK
    assert len(kept(path)) == 1


def test_the_log_goes_on_after_a_restart(graph, tmp_path: Path) -> None:
    path = tmp_path / "feedback.jsonl"
    node = graph.add(FeedbackNode, log_file=str(path))
    give(graph, kind=Feedback.OTHER, text="one")
    graph.remove(node)
    graph.add(FeedbackNode, log_file=str(path))
    give(graph, kind=Feedback.OTHER, text="two")
    assert [e["text"] for e in kept(path)] == ["one", "two"]


def test_a_file_that_cannot_be_written_is_a_configuration_error(graph, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SaySoError, match="cannot be written"):
        graph.add(FeedbackNode, log_file=str(tmp_path / "file" / "feedback.jsonl"))
