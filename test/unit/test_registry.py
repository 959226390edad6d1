"""Backends by name: what is known, what is not, and what is missing."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from sayso.adapters import registry
from sayso.adapters.llm.cassette import Record
from sayso.core.errors import Code, SaySoError

FROM_ROS = {
    ("motion_planner", "moveit"),
    ("navigator", "nav2"),
    ("navigator", "nav2_stamped"),
}
"""What needs packages of a ROS installation that pip does not have."""


def error_of(kind, name, **options):
    with pytest.raises(SaySoError) as error:
        registry.create(kind, name, **options)
    return error.value


@pytest.mark.parametrize("kind", registry.BACKENDS)
def test_every_name_leads_to_something_that_can_be_made(kind):
    for name in registry.names(kind):
        try:
            assert callable(registry._load(kind, name))
        except SaySoError as error:
            assert error.code is Code.MISSING_DEPENDENCY
            assert (kind, name) in registry._EXTRAS or (kind, name) in FROM_ROS


def test_unknown_kinds_names_and_options_are_named_with_what_is_valid():
    assert "planner" in error_of("planer", "search").choices
    assert "fast_downward" in error_of("planner", "slow_upward").choices
    error = error_of("segmenter", "rgbd", colour="red")
    assert error.code is Code.CONFIG and "colour" in error.message


def test_options_that_are_needed_are_named():
    error = error_of("llm", "openai")
    assert error.code is Code.CONFIG
    assert error.message == "llm 'openai' needs 'model', which is not given."
    assert error.hint == "set 'model'."
    assert "'cassette'" in error_of("llm", "record[none]").message
    assert "record[NAME]" in error_of("llm", "record", cassette="tape").hint
    assert registry.missing("llm", "record[openai]", ()) == ("cassette", "model")
    assert registry.missing("planner", "search", ()) == ()


def test_wrapped_names_compose_and_share_out_the_options(tmp_path):
    cassette = tmp_path / "tape.jsonl"
    made = registry.create(
        "llm", "record[openai]", cassette=str(cassette), model="m", base_url="http://localhost:1/v1"
    )
    assert isinstance(made, Record)


def test_an_option_that_neither_takes_is_an_error(tmp_path):
    error = error_of("llm", "record[none]", cassette=str(tmp_path / "tape"), tempo=3)
    assert error.code is Code.CONFIG and "llm 'none'" in error.message


@pytest.mark.parametrize("name", ["record[nobody]", "nobody[none]", "record[none", "record[]"])
def test_wrong_wrapped_names_are_unknown(name):
    assert error_of("llm", name).code is Code.CONFIG


def test_what_wraps_nothing_cannot_wrap():
    assert error_of("llm", "none[none]").code is Code.CONFIG


def test_a_missing_module_is_named_with_the_extra(monkeypatch):
    missing = {"embedder": {"minilm": "no_such_module:Model", "other": "no_such_module:Model"}}
    monkeypatch.setattr(registry, "BACKENDS", missing)
    error = error_of("embedder", "minilm")
    assert error.code is Code.MISSING_DEPENDENCY
    assert "no_such_module" in error.message and "sayso[embeddings]" in error.hint
    assert "no_such_module" in error_of("embedder", "other").hint


def test_entry_points_add_backends(monkeypatch):
    outside = EntryPoint("outside", "builtins:dict", "sayso.planner")

    def entry_points(group, **named):
        return [outside] if group == "sayso.planner" else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    assert registry.names("planner")[-1] == "outside"
    assert registry.create("planner", "outside", a=1) == {"a": 1}
