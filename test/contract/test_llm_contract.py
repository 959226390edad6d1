"""Every language-model backend, fakes included, behaves as the port says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sayso.adapters.llm.cassette import Cached, Record, Replay
from sayso.adapters.llm.interruptible import Interruptible
from sayso.adapters.llm.metered import Metered
from sayso.adapters.llm.none import NoModel
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from support.chat_server import Answer, ChatServer
from support.scripted_model import ScriptedModel

MESSAGES = (Message("system", "Prompt test, version 1.\nBe brief."), Message("user", "colour?"))
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}
BACKENDS = (
    "openai",
    "scripted",
    "record[openai]",
    "cached[openai]",
    "metered",
    "interruptible",
    "replay[openai]",
    "replay[scripted]",
)
Make = Callable[[str], LanguageModel]


@pytest.fixture(params=BACKENDS)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """A backend whose model replies with the given text."""
    with ExitStack() as stack:

        def openai(text: str) -> OpenAIChat:
            server = stack.enter_context(ChatServer([text]))
            return OpenAIChat("test-model", server.base_url)

        def replayed(inner: OpenAIChat | ScriptedModel) -> Replay:
            recorder = Record(tmp_path / "cassette.jsonl", inner)
            for schema in (None, SCHEMA):
                try:
                    recorder.complete(MESSAGES, schema=schema)
                except SaySoError as error:
                    assert error.code is Code.MODEL_REPLY
            (tmp_path / "cassette.jsonl").touch()
            return Replay(tmp_path / "cassette.jsonl", inner=inner)

        makers: dict[str, Make] = {
            "openai": openai,
            "scripted": lambda text: ScriptedModel([text]),
            "record[openai]": lambda text: Record(tmp_path / "cassette.jsonl", openai(text)),
            "cached[openai]": lambda text: Cached(tmp_path / "cassette.jsonl", openai(text)),
            "interruptible": lambda text: Interruptible(ScriptedModel([text]), lambda: False),
            "metered": lambda text: Metered(ScriptedModel([text])),
            "replay[openai]": lambda text: replayed(openai(text)),
            "replay[scripted]": lambda text: replayed(ScriptedModel([text, text])),
        }
        yield makers[request.param]


def test_returns_text_as_it_came(make: Make) -> None:
    reply = make("Green, I think.").complete(MESSAGES)
    assert reply.text == "Green, I think."
    assert reply.data is None


def test_returns_checked_data_for_a_schema(make: Make) -> None:
    reply = make('{"colour": "green"}').complete(MESSAGES, schema=SCHEMA)
    assert reply.data == {"colour": "green"}


def test_counts_tokens_and_names_the_model(make: Make) -> None:
    reply = make('{"colour": "green"}').complete(MESSAGES, schema=SCHEMA)
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0
    assert reply.model in ("test-model", "scripted")


@pytest.mark.parametrize("text", ['{"color": "green"}', "green", '["green"]', '{"colour": "gr'])
def test_refuses_a_reply_that_does_not_match(make: Make, text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        make(text).complete(MESSAGES, schema=SCHEMA)
    # Failures are not recorded, so a replay has no such reply.
    assert caught.value.code in (Code.MODEL_REPLY, Code.MODEL_UNAVAILABLE)


def test_a_reply_that_nobody_wants_is_not_waited_for() -> None:
    given_up = threading.Event()
    with ChatServer([Answer(silent=True)]) as server:
        asked = Interruptible(OpenAIChat("m", server.base_url), given_up.is_set)
        server.on_request = given_up.set
        with pytest.raises(SaySoError) as caught:
            asked.complete(MESSAGES)
    assert caught.value.code is Code.CANCELLED


def test_no_model_refuses_and_is_falsy() -> None:
    model = NoModel()
    assert not model
    with pytest.raises(SaySoError) as caught:
        model.complete(MESSAGES)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert caught.value.hint
