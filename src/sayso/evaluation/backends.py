"""What is evaluated: controlled English, and a language model in one or two stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sayso.adapters import registry
from sayso.adapters.llm.access import ModelAccess
from sayso.adapters.llm.metered import Metered
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.options import option
from sayso.core.ports import LanguageModel
from sayso.language import controlled_english
from sayso.language.embeddings import (
    ChooseExamples,
    RandomExamples,
    SimilarExamples,
    bundled_path,
    read_examples,
)
from sayso.language.interpreter import Interpreter
from sayso.language.lexicon import Lexicon
from sayso.logic.formula import Formula

_FLAGS = {"model": "--model NAME", "base_url": "--base-url URL", "cassette": "--cassette FILE"}
"""How the command line calls the options of models."""

Interpret: TypeAlias = Callable[[str], Formula]


def connect(access: ModelAccess) -> Metered:
    """The model, as the command line names it; falsy for none.

    Raises:
        SaySoError: CONFIG, MODEL_UNAVAILABLE.
    """
    missing = registry.missing("llm", access.llm, access.given)
    if lacking := [_FLAGS[n] for n in missing if n in _FLAGS]:
        raise SaySoError(
            Code.CONFIG,
            f"--llm {_asked(access.llm)} needs "
            f"{' and '.join(flag.split()[0] for flag in lacking)}.",
            hint=f"add {' '.join(lacking)}.",
        )
    further: dict[str, object] = {}
    if "record_with" in registry.options("llm", access.llm):
        further["record_with"] = "--llm openai --model NAME --record FILE"
    return Metered(access.connect(**further))


def _asked(llm: str) -> str:
    """The backend that people named, without the cache around it."""
    return llm.removeprefix("cached[").removesuffix("]") if llm.startswith("cached[") else llm


@dataclass(frozen=True)
class Stages:
    """How a model translates.

    Attributes:
        stages: 1, or 2: first the order as plain LTL, then states and descriptions.
        examples: how the first stage's examples are chosen.
        examples_file: a CSV file of examples; SaySo's own if empty.
        embedder: the backend that tells which sentences are alike.
        count: how many examples.
        only_model: ask the model also for what controlled English covers, which is not how people
            use SaySo.
    """

    stages: int = option(
        1,
        "2: plain LTL first, with examples chosen for the instruction (default: 1)",
        choices=(1, 2),
    )
    examples: str = option("similar", "how they are chosen", choices=("similar", "random"))
    examples_file: str = option("", "default: SaySo's own", "CSV")
    embedder: str = option(
        "character_ngrams",
        "which sentences are alike (minilm: extra sayso[embeddings])",
        choices=registry.names("embedder"),
    )
    count: int = option(12, "of examples")
    seed: int = 0
    only_model: bool = option(
        False,
        "ask the model for every instruction (default: for those that controlled English does "
        "not cover)",
    )

    def choose(self) -> ChooseExamples | None:
        """What picks the examples."""
        if self.stages == 1:
            return None
        path = Path(self.examples_file) if self.examples_file else bundled_path()
        known = read_examples(path)
        if self.examples == "random":
            return RandomExamples(known, self.count, self.seed)
        return SimilarExamples(known, registry.create("embedder", self.embedder), self.count)


def interpreter(model: LanguageModel, stages: Stages) -> Interpret:
    """Instructions for a flat to formulas: by controlled English, and the rest by the model."""
    lexicon = Lexicon.of(load(builtin_path("flat")))
    if not model:
        return lambda words: controlled_english.interpret(words, lexicon).formula
    both = Interpreter(lexicon, model, stages.choose())
    if stages.only_model:
        return lambda words: both.by_model(model, words).formula
    return lambda words: both.interpret(words).formula
