"""The OpenAI adapter against a real HTTP server that misbehaves in every way we know."""

from __future__ import annotations

import pytest

from sayso.adapters.fakes.llm_server import Answer, ChatServer
from sayso.adapters.llm.openai_chat import OpenAIChat
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Message

MESSAGES = (Message("user", "colour?"),)
SCHEMA = {
    "title": "colour",
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}
GOOD = '{"colour": "green"}'


def client(server: ChatServer, waits: list[float] | None = None) -> OpenAIChat:
    return OpenAIChat(
        "test-model", server.base_url, wait=(waits if waits is not None else []).append
    )


def failure(server: ChatServer, timeout_s: float = 20.0) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        client(server).complete(MESSAGES, schema=SCHEMA, timeout_s=timeout_s)
    return caught.value


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_with_growing_waits(status: int) -> None:
    waits: list[float] = []
    with ChatServer([Answer("busy", status), Answer("busy", status), GOOD]) as server:
        reply = client(server, waits).complete(MESSAGES, schema=SCHEMA)
        assert reply.data == {"colour": "green"}
        assert len(server.requests) == 3
    assert waits == [0.5, 1.0]


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    waits: list[float] = []
    with ChatServer([Answer("busy", 429, headers={"retry-after": "7"}), GOOD]) as server:
        client(server, waits).complete(MESSAGES, schema=SCHEMA)
    assert waits == [7.0]


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    with ChatServer([Answer("busy", 429, headers={"retry-after": "600"}), GOOD]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_UNAVAILABLE


def test_a_server_that_keeps_failing_is_given_up() -> None:
    with ChatServer([Answer("out of order", 500)]) as server:
        error = failure(server)
        assert len(server.requests) == 3
    assert error.code is Code.MODEL_UNAVAILABLE
    assert "500" in error.message
    assert "out of order" in error.message


def test_a_refused_key_is_not_tried_again() -> None:
    with ChatServer([Answer("bad key", 401)]) as server:
        error = failure(server)
        assert len(server.requests) == 1
    assert error.code is Code.MODEL_UNAVAILABLE
    assert "OPENAI_API_KEY" in error.hint


def test_a_silent_server_times_out() -> None:
    with ChatServer([Answer(silent=True)]) as server:
        error = failure(server, timeout_s=0.3)
    assert error.code is Code.MODEL_TIMEOUT
    assert "0.3 s" in error.message


def test_a_dropped_connection_is_tried_again() -> None:
    with ChatServer([Answer(drop=True), GOOD]) as server:
        reply = client(server).complete(MESSAGES, schema=SCHEMA)
    assert reply.data == {"colour": "green"}


def test_an_unreachable_server_is_named_as_such() -> None:
    with ChatServer([GOOD]) as server:
        url = server.base_url
    model = OpenAIChat("test-model", url, wait=lambda _: None)
    with pytest.raises(SaySoError) as caught:
        model.complete(MESSAGES)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "reached" in caught.value.message


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (Answer(raw=b"{not json"), "JSON"),
        (Answer(raw=b"{}"), "no reply"),
        (Answer(raw=b'{"choices": []}'), "no reply"),
        (Answer(GOOD[:9], finish_reason="length"), "cut short"),
        (Answer(""), "empty"),
        (Answer("It is green."), "not JSON"),
        (Answer('{"colour": 3}'), "schema"),
    ],
)
def test_unusable_replies_are_named(answer: Answer, cause: str) -> None:
    with ChatServer([answer]) as server:
        error = failure(server)
    assert error.code is Code.MODEL_REPLY
    assert cause in error.message


@pytest.mark.parametrize("formats", [("json_object", "text"), ("text",)])
def test_weaker_reply_formats_are_used_and_remembered(formats: tuple[str, ...]) -> None:
    with ChatServer([f"```json\n{GOOD}\n```"], formats) as server:
        model = client(server)
        for _ in range(2):
            assert model.complete(MESSAGES, schema=SCHEMA).data == {"colour": "green"}
        refused = 3 - len(formats)
        assert len(server.requests) == refused + 2
        assert "JSON object" in server.requests[-1]["messages"][-1]["content"]


def test_the_strict_schema_goes_over_the_wire() -> None:
    with ChatServer([GOOD]) as server:
        client(server).complete(MESSAGES, schema=SCHEMA)
    wanted = server.requests[0]["response_format"]["json_schema"]
    assert wanted["name"] == "colour"
    assert wanted["strict"] is True
    assert wanted["schema"]["required"] == ["colour"]


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SaySoError) as caught:
        OpenAIChat("test-model").complete(MESSAGES)
    assert caught.value.code is Code.MODEL_UNAVAILABLE
    assert "OPENAI_API_KEY" in caught.value.hint


def test_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer([GOOD]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert OpenAIChat("test-model").complete(MESSAGES).text == GOOD


def test_a_model_must_be_named() -> None:
    with pytest.raises(SaySoError) as caught:
        OpenAIChat("")
    assert caught.value.code is Code.CONFIG
