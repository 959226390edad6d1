"""How a language model is reached, by the options that people give."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sayso.adapters import registry
from sayso.core.options import option
from sayso.core.ports import LanguageModel

_HOW_TO_CALL = frozenset({"timeout_s", "temperature", "max_tokens", "attempts", "logprobs"})
"""Options that only a backend that calls a server takes; others have no use for them."""


@dataclass(frozen=True)
class ModelAccess:
    """A backend by name, and its options; see `registry` and `OpenAIChat`.

    Attributes:
        timeout_s: for a call as a whole.
        logprobs: ask for the log probabilities of a reply's tokens.
    """

    llm: str = option(
        "none",
        "language model: none (default: controlled English), openai, replay, record[openai], "
        "cached[openai] (asks nothing twice)",
        "NAME",
    )
    model: str = option("", "the language model's name", "NAME")
    base_url: str = option("", "of an OpenAI-compatible server", "URL")
    cassette: str = option("", "recorded replies, of replay, record and cached", "FILE")
    timeout_s: float = option(
        60.0,
        "for a call of the model as a whole (default 60 s)",
        "S",
        flags=("--llm-timeout",),
        dest="llm_timeout",
    )
    temperature: float = option(0.0, "of the model, 0 to 2 (default 0)")
    max_tokens: int = option(4000, "of a reply, with the reasoning before it (default 4000)", "N")
    attempts: int = option(3, "calls for a question while the server is busy (default 3)", "N")
    logprobs: bool = False

    @property
    def given(self) -> dict[str, object]:
        """The options that the backend is given: none that is empty or of no use to it."""
        options = asdict(self)
        del options["llm"]
        of_no_use = _HOW_TO_CALL - registry.options("llm", self.llm)
        return {n: v for n, v in options.items() if v != "" and n not in of_no_use}

    def connect(self, **further: object) -> LanguageModel:
        """The model. Raises CONFIG for what the backend lacks or does not take."""
        model: LanguageModel = registry.create("llm", self.llm, **self.given, **further)
        return model
