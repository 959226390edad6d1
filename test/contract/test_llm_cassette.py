"""Cassettes: what is kept, what a miss says, what a damaged file does."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sayso.adapters import registry
from sayso.adapters.llm.cassette import Cached, Record, Replay, key_of
from sayso.adapters.llm.metered import Metered, Usage
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message, UnusableReplyError
from support.chat_server import Answer, ChatServer
from support.scripted_model import ScriptedModel

MESSAGES = (Message("system", "SaySo prompt test, version 7.\nBe brief."), Message("user", "hi"))


def test_the_prompt_version_is_recorded(tmp_path: Path) -> None:
    Record(tmp_path / "new" / "c.jsonl", ScriptedModel(["hello"])).complete(MESSAGES)
    entry = json.loads((tmp_path / "new" / "c.jsonl").read_text())
    assert entry["prompt"] == "SaySo prompt test, version 7."
    assert entry["key"] == key_of("scripted", MESSAGES, None)


def test_log_probabilities_are_recorded_and_replayed(tmp_path: Path) -> None:
    tokens = (("hel", -0.5), ("lo", -0.25))
    with ChatServer([Answer("hello", tokens=tokens)]) as server:
        Record(tmp_path / "c.jsonl", OpenAIChat("m", server.base_url, logprobs=True)).complete(
            MESSAGES
        )
    assert Replay(tmp_path / "c.jsonl").complete(MESSAGES).tokens == tokens


def test_a_miss_names_key_and_file(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    Record(path, ScriptedModel(["hello"])).complete(MESSAGES)
    other = (*MESSAGES[:1], Message("user", "bye"))
    with pytest.raises(SaySoError) as caught:
        Replay(path).complete(other)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert str(path) in caught.value.message
    assert key_of("scripted", other, None) in caught.value.message


def test_the_key_depends_on_model_messages_and_schema() -> None:
    base = key_of("m", MESSAGES, None)
    assert base == key_of("m", list(MESSAGES), None)
    others = {
        key_of("n", MESSAGES, None),
        key_of("m", MESSAGES[:1], None),
        key_of("m", MESSAGES, {"type": "object"}),
    }
    assert len(others | {base}) == 4


def test_of_two_replies_under_one_key_the_last_counts(tmp_path: Path) -> None:
    recorder = Record(tmp_path / "c.jsonl", ScriptedModel(["one", "two"]))
    recorder.complete(MESSAGES)
    recorder.complete(MESSAGES)
    assert Replay(tmp_path / "c.jsonl").complete(MESSAGES).text == "two"


def test_a_missing_cassette_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaySoError) as caught:
        Replay(tmp_path / "none.jsonl")
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "none.jsonl" in caught.value.message


def test_a_damaged_cassette_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    Record(path, ScriptedModel(["hello"])).complete(MESSAGES)
    path.write_text(path.read_text() + '{"key": "half')
    with pytest.raises(SaySoError) as caught:
        Replay(path)
    assert caught.value.code is Code.CORRUPT
    assert "line 2" in caught.value.message


def test_several_models_in_a_cassette_need_a_name(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    for name in ("first", "second"):
        model = ScriptedModel([f"I am {name}"])
        model.model = name
        Record(path, model).complete(MESSAGES)
    with pytest.raises(SaySoError) as caught:
        Replay(path).complete(MESSAGES)
    assert caught.value.choices == ("first", "second")
    assert Replay(path, "second").complete(MESSAGES).text == "I am second"


def test_the_registry_shares_out_the_options_of_a_wrapped_backend(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    model = ScriptedModel(["hello"])
    model.model = "big"
    Record(path, model).complete(MESSAGES)
    replay = registry.create("llm", "replay[openai]", cassette=path, model="big")
    assert replay.complete(MESSAGES).text == "hello"
    record = registry.create(
        "llm", "record[openai]", cassette=path, model="big", base_url="http://x"
    )
    assert isinstance(record, Record)
    assert isinstance(record._inner, OpenAIChat)


def test_the_registry_refuses_an_option_that_neither_takes(tmp_path: Path) -> None:
    with pytest.raises(SaySoError) as caught:
        registry.create("llm", "record[openai]", cassette=tmp_path / "c", model="m", colour="red")
    assert caught.value.code is Code.CONFIG


SCHEMA = {"type": "object", "properties": {}, "required": []}


def test_what_is_cached_is_not_asked_again(tmp_path: Path) -> None:
    model = ScriptedModel(["hello"])
    assert Cached(tmp_path / "c.jsonl", model).complete(MESSAGES).recorded is False
    for again in (Cached(tmp_path / "c.jsonl", model), Replay(tmp_path / "c.jsonl")):
        reply = again.complete(MESSAGES)
        assert (reply.text, reply.recorded) == ("hello", True)
    assert len(model.asked) == 1


def test_an_unusable_reply_is_cached_with_its_words(tmp_path: Path) -> None:
    model = ScriptedModel(["no JSON"])
    for _ in range(2):
        with pytest.raises(UnusableReplyError) as caught:
            Cached(tmp_path / "c.jsonl", model).complete(MESSAGES, schema=SCHEMA)
        assert caught.value.reply.text == "no JSON"
    assert len(model.asked) == 1


def test_a_refusal_is_replayed_as_one(tmp_path: Path) -> None:
    refusal = SaySoError(Code.MODEL_REPLY, "the language model refuses to answer: no.")
    with pytest.raises(SaySoError):
        Record(tmp_path / "c.jsonl", ScriptedModel([refusal])).complete(MESSAGES)
    with pytest.raises(SaySoError) as caught:
        Replay(tmp_path / "c.jsonl").complete(MESSAGES)
    assert not isinstance(caught.value, UnusableReplyError)
    assert caught.value.message == refusal.message


def test_a_line_that_was_cut_off_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"key": "half')
    for expected in (False, True):
        reply = Cached(path, ScriptedModel(["hello"])).complete(MESSAGES)
        assert reply.recorded is expected


ASK_CACHED = """
import sys
from sayso.adapters import registry
from sayso.core.ports import Message
options = {"cassette": sys.argv[1], "model": "m", "base_url": sys.argv[2]}
model = registry.create("llm", "cached[openai]", **options)
print(model.complete((Message("user", "hi"),)).text)
"""


def test_of_many_that_ask_the_same_one_asks_the_server(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    with ChatServer([Answer("hello", delay_s=0.5)]) as server:
        words = [sys.executable, "-c", ASK_CACHED, str(path), server.base_url]
        others = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        shared = Cached(path, OpenAIChat("m", server.base_url))
        with ThreadPoolExecutor(3) as threads:
            asking = [threads.submit(shared.complete, [Message("user", "hi")]) for _ in range(3)]
            assert {a.result().text for a in asking} == {"hello"}
        assert [other.communicate(timeout=60)[0] for other in others] == ["hello\n"] * 2
        assert len(server.requests) == 1


def test_what_was_used_and_paid_is_counted(tmp_path: Path) -> None:
    model = Metered(Cached(tmp_path / "c.jsonl", ScriptedModel(["hello", "no JSON"])))
    model.complete(MESSAGES)
    first = model.usage
    assert first.calls == 1
    assert first.paid_prompt_tokens == first.prompt_tokens > 0
    model.complete(MESSAGES)
    again = model.usage - first
    assert again == Usage(1, first.prompt_tokens, first.completion_tokens, 0, 0)
    with pytest.raises(UnusableReplyError):
        model.complete(MESSAGES, schema=SCHEMA)
    assert (model.usage - first - again).paid_completion_tokens == len("no JSON")
