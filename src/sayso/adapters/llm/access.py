"""How a language model is reached, by the options that people give."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sayso.adapters import registry
from sayso.core.ports import LanguageModel

_HOW_TO_CALL = frozenset({"timeout_s", "temperature", "max_tokens", "attempts", "logprobs"})
"""Options that only a backend that calls a server takes; others have no use for them."""


@dataclass(frozen=True)
class ModelAccess:
    """A backend by name, and its options; see `registry` and `OpenAIChat`.

    Attributes:
        cassette: the file of `replay`, `record` and `cached`.
        timeout_s: for a call as a whole.
        max_tokens: limit of a reply.
        attempts: calls for one question when the server is busy.
        logprobs: ask for the log probabilities of a reply's tokens.
    """

    llm: str = "none"
    model: str = ""
    base_url: str = ""
    cassette: str = ""
    timeout_s: float = 60.0
    temperature: float = 0.0
    max_tokens: int = 4000
    attempts: int = 3
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
