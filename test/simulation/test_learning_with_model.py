"""Training in the 2D kitchen with a model over HTTP that reads, writes and corrects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sayso.adapters.llm.cassette import Cached, Record, Replay
from sayso.adapters.llm.metered import Metered
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message, Reply
from sayso.core.predicates import symbolic_state
from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.timed_backends import timed_backends
from sayso.evaluation.interpret.training import Trained, trained
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.worlds.kitchen2d.domain import kitchen_domain
from sayso.worlds.kitchen2d.tasks import tasks
from sayso.worlds.kitchen2d.world import Kitchen2D
from support.scripted_mind import ScriptedMind


def training(model: LanguageModel, folder: Path | None = None) -> Trained:
    with timed_backends(Metered(model)) as backends:
        return trained(kitchen_domain("store"), 0, Course(training=1), backends, folder)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trained, ScriptedMind, Path]:
    folder = tmp_path_factory.mktemp("training")
    with ScriptedMind() as server:
        model = Record(folder / "cassette.jsonl", OpenAIChat("scripted", server.base_url))
        return training(model, folder), server, folder


def test_the_model_reads_writes_and_corrects(
    recorded: tuple[Trained, ScriptedMind, Path],
) -> None:
    learned, server, _ = recorded
    assert learned.report.reached == 1
    asked = set(server.prompts)
    assert asked == {"learning_goal", "learning_infeasible", "learning_code", "learning_correct"}
    predicates = learned.library.predicates
    assert set(predicates) >= {"on", "holding", "graspable", "clear"}
    for predicate in predicates.values():
        assert predicate.provenance["by"] == "model", predicate.name
        assert predicate.provenance["disagreeing"] == 0
    assert predicates["graspable"].provenance["corrections"] == 1
    assert predicates["clear"].provenance["utilities"] == {"over": "on"}
    assert "def over" in predicates["clear"].source
    assert learned.library.operators


def test_a_replay_learns_the_same(recorded: tuple[Trained, ScriptedMind, Path]) -> None:
    learned, server, folder = recorded
    again = training(Replay(folder / "cassette.jsonl", "scripted"))
    assert again.library.predicates == learned.library.predicates
    assert again.library.operators == learned.library.operators
    assert again.report.feedback == learned.report.feedback
    assert again.calls == learned.calls == len(server.prompts)


class BrokenOff:
    """A model that can be asked so many times, and is unreachable then."""

    model = "scripted"

    def __init__(self, inner: LanguageModel, times: int) -> None:
        self._inner, self.left = inner, times

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        if not self.left:
            raise SaySoError(Code.MODEL_UNAVAILABLE, "the line is dead.")
        self.left -= 1
        return self._inner.complete(messages, schema=schema)


def test_a_training_that_broke_off_goes_on_from_its_recording(
    recorded: tuple[Trained, ScriptedMind, Path], tmp_path: Path
) -> None:
    learned, server, folder = recorded
    all_replies = Replay(folder / "cassette.jsonl", "scripted")
    half = len(server.prompts) // 2
    with pytest.raises(SaySoError) as caught:
        training(Cached(tmp_path / "replies.jsonl", BrokenOff(all_replies, half)))
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    rest = BrokenOff(all_replies, learned.calls)
    again = training(Cached(tmp_path / "replies.jsonl", rest))
    assert again.library.predicates == learned.library.predicates
    assert learned.calls - rest.left == learned.calls - half


def test_a_replay_of_another_prompt_version_says_so(
    recorded: tuple[Trained, ScriptedMind, Path], tmp_path: Path
) -> None:
    _, _, folder = recorded
    cassette = tmp_path / "cassette.jsonl"
    text = (folder / "cassette.jsonl").read_text()
    text = text.replace("prompt learning_goal, version 1", "prompt learning_goal, version 0")
    cassette.write_text(text.replace('"key": "', '"key": "0'))
    with pytest.raises(SaySoError) as caught:
        training(Replay(cassette, "scripted"))
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "recorded with prompt learning_goal version 0; this is version 1" in caught.value.message


def test_what_was_learned_is_loaded_confined(
    recorded: tuple[Trained, ScriptedMind, Path],
) -> None:
    learned, _, folder = recorded
    task = tasks("store", "combined")[0]
    scene = Kitchen2D(task.scene, seed=task.seed).observe()
    plain = library.load(folder / "library")
    with pytest.raises(SaySoError) as caught:
        symbolic_state(scene, plain.predicates)
    assert caught.value.code is Code.UNSUPPORTED
    process = PredicateSandbox()
    confined = library.load(folder / "library", compiler(process))
    found = symbolic_state(scene, confined.predicates)
    process.close()
    assert found == symbolic_state(scene, learned.library.predicates)
    assert any(found.truths.values())
