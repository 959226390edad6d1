"""Parameters of nodes that use a language model."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.adapters.llm.access import ModelAccess
from sayso.ros.runtime.params import param


@dataclass(frozen=True)
class ModelConfig:
    """Which model, and how it is called."""

    llm: str = param(
        "none",
        "language model: none (controlled English only), openai, replay, record[openai], "
        "cached[openai]",
    )
    model: str = param("", "the language model's name at its server")
    base_url: str = param("", "of an OpenAI-compatible server; empty: the environment's")
    cassette: str = param("", "JSONL file of recorded replies, for replay, record and cached")
    llm_timeout_s: float = param(60.0, "for a call of the model as a whole [s]", 0.1, 600.0)
    llm_temperature: float = param(0.0, "of the model's replies", 0.0, 2.0)
    llm_max_tokens: int = param(4000, "of a reply, with the reasoning before it", 1, 1_000_000)
    llm_attempts: int = param(3, "calls for a question while the server is busy", 1, 20)

    @property
    def access(self) -> ModelAccess:
        """How the model is reached."""
        return ModelAccess(
            self.llm,
            self.model,
            self.base_url,
            self.cassette,
            self.llm_timeout_s,
            self.llm_temperature,
            self.llm_max_tokens,
            self.llm_attempts,
        )
