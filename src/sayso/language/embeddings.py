"""Worked examples for a language model's context, chosen by likeness to what was said."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder
from sayso.logic.text import parse

_UNARY = frozenset("!FGX")
_BINARY = {"&": "&", "|": "|", "U": "U", "R": "R", "i": "->", "e": "<->"}
_STRONG_RELEASE = "M"


@dataclass(frozen=True)
class Example:
    """An utterance and its formula, over propositions without arguments."""

    utterance: str
    formula: str


class ChooseExamples(Protocol):
    """The examples to show for an instruction, most telling last."""

    def __call__(self, instruction: str) -> tuple[Example, ...]: ...


def bundled_path() -> Path:
    """The examples that ship with SaySo."""
    return Path(
        str(resources.files("sayso") / "language" / "prompts" / "two_stage_examples.v1.csv")
    )


def read_examples(path: Path) -> tuple[Example, ...]:
    """Examples from a CSV file with the columns `utterance` and `ltl_formula`, infix or prefix.

    Raises:
        SaySoError: CONFIG if the file or a column is missing; CORRUPT naming the line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = {"utterance", "ltl_formula"} - set(reader.fieldnames or ())
            if missing:
                raise SaySoError(
                    Code.CONFIG,
                    f"{path} has no column {', '.join(sorted(missing))}.",
                    hint="give the examples the columns utterance and ltl_formula.",
                )
            rows = [(reader.line_num, row["utterance"], row["ltl_formula"]) for row in reader]
    except OSError as error:
        raise SaySoError(
            Code.CONFIG,
            f"the examples {path} cannot be read: {error.strerror}.",
            hint="name another file, or none for SaySo's own examples.",
        ) from error
    except UnicodeDecodeError as error:
        raise SaySoError(
            Code.CORRUPT, f"{path} is not UTF-8 text: {error}.", hint="save it as UTF-8 text."
        ) from error
    return tuple(_example(path, *row) for row in rows)


def _example(path: Path, line: int, utterance: str | None, formula: str | None) -> Example:
    try:
        if not utterance or not formula:
            raise SaySoError(Code.INVALID, "a field is empty.")
        text = infix(formula) if _is_prefix(formula) else formula
        parse(text)
    except SaySoError as error:
        raise SaySoError(
            Code.CORRUPT,
            f"{path}, line {line}: {error.message}",
            choices=error.choices,
            hint="mend the line, or leave it out.",
        ) from error
    return Example(utterance, text)


def _is_prefix(formula: str) -> bool:
    """Whether a formula is written operators first, as in Lang2LTL's files, without brackets."""
    first = formula.split()[0] if formula.split() else ""
    return "(" not in formula and first in {*_UNARY, *_BINARY, _STRONG_RELEASE}


def infix(prefix: str) -> str:
    """`& F a F b` as `F(a) & F(b)`. Raises INVALID for too few or too many words."""
    words = prefix.split()
    text, rest = _infix(words)
    if rest:
        raise SaySoError(Code.INVALID, f"'{' '.join(rest)}' follows the end of '{prefix}'.")
    return text


def _infix(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The first formula among the words, and the words after it."""
    if not words:
        raise SaySoError(Code.INVALID, "an operator has too few operands.")
    head, rest = words[0], words[1:]
    if head in _UNARY:
        inner, rest = _infix(rest)
        return f"{head}({inner})", rest
    if head in _BINARY or head == _STRONG_RELEASE:
        left, rest = _infix(rest)
        right, rest = _infix(rest)
        if head == _STRONG_RELEASE:
            return f"(({right}) U (({left}) & ({right})))", rest
        return f"(({left}) {_BINARY[head]} ({right}))", rest
    return head, rest


@dataclass(frozen=True)
class SimilarExamples:
    """The examples whose utterances are most like the instruction.

    Attributes:
        count: how many, at most.
    """

    examples: tuple[Example, ...]
    embedder: Embedder
    count: int = 12

    def __call__(self, instruction: str) -> tuple[Example, ...]:
        """By cosine similarity, the most similar last; equal ones in the file's order."""
        if not self.examples:
            return ()
        likeness = self._vectors @ self.embedder.embed([instruction])[0]
        order = np.argsort(-likeness, kind="stable")[: self.count]
        return tuple(self.examples[i] for i in reversed(order))

    @cached_property
    def _vectors(self) -> npt.NDArray[np.float32]:
        return self.embedder.embed([e.utterance for e in self.examples])


@dataclass(frozen=True)
class RandomExamples:
    """Examples drawn without looking at the instruction, the same for the same seed and words."""

    examples: tuple[Example, ...]
    count: int = 12
    seed: int = 0

    def __call__(self, instruction: str) -> tuple[Example, ...]:
        generator = np.random.default_rng([self.seed, *instruction.encode()])
        count = min(self.count, len(self.examples))
        chosen = generator.choice(len(self.examples), count, replace=False)
        return tuple(self.examples[i] for i in chosen)
