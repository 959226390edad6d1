"""Examples for a model's context: reading them and choosing among them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.language.embeddings import (
    Example,
    RandomExamples,
    SimilarExamples,
    bundled_path,
    infix,
    read_examples,
)
from sayso.logic.automaton import automaton_of
from sayso.logic.text import parse

EXAMPLES = tuple(Example(t, "F(x)") for t in ("go home", "fetch a ball", "go away", "never sing"))


class Counting:
    """Two-letter vectors, and how many texts were embedded."""

    name = "counting"

    def __init__(self) -> None:
        self.seen = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.seen += len(texts)
        return CharacterNgrams(64).embed(texts)


def test_the_bundled_examples_read_and_mean_something() -> None:
    examples = read_examples(bundled_path())
    assert len(examples) >= 30
    for example in examples:
        automaton = automaton_of(parse(example.formula))
        assert automaton.satisfiable, example
        assert not automaton.is_safe_sink(automaton.initial), example


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("F a", "F(a)"),
        ("& F a F b", "F(a) & F(b)"),
        ("U ! a b", "!a U b"),
        ("i a X b", "a -> X(b)"),
        ("e a b", "a <-> b"),
        ("M a b", "b U (a & b)"),
        ("G ! | a & b c", "G(!(a | (b & c)))"),
    ],
)
def test_prefix_notation_is_read(prefix: str, expected: str) -> None:
    assert parse(infix(prefix)) == parse(expected)


@pytest.mark.parametrize("prefix", ["", "&", "& a", "F a b", "U a"])
def test_malformed_prefix_notation_is_refused(prefix: str) -> None:
    with pytest.raises(SaySoError) as caught:
        infix(prefix)
    assert caught.value.code is Code.INVALID


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("words,formula\nx,y\n", Code.CONFIG, "utterance"),
        ("", Code.CONFIG, "ltl_formula"),
        ("utterance,ltl_formula\ngo,F(\n", Code.CORRUPT, "line 2"),
        ("utterance,ltl_formula\ngo\n", Code.CORRUPT, "line 2"),
        ("utterance,ltl_formula\ngo,& F a\n", Code.CORRUPT, "line 2"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, code: Code, part: str) -> None:
    path = tmp_path / "examples.csv"
    path.write_text(text)
    with pytest.raises(SaySoError) as caught:
        read_examples(path)
    assert caught.value.code is code
    assert part in caught.value.message
    assert "examples.csv" in caught.value.message


def test_missing_and_binary_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SaySoError) as caught:
        read_examples(tmp_path / "none.csv")
    assert caught.value.code is Code.CONFIG
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00utterance")
    with pytest.raises(SaySoError) as caught:
        read_examples(tmp_path / "binary.csv")
    assert caught.value.code is Code.CORRUPT


def test_both_notations_may_be_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "examples.csv"
    path.write_text("utterance,ltl_formula\none,F a\ntwo,F(b) & G(!c)\n")
    assert [parse(e.formula) for e in read_examples(path)] == [
        parse("F(a)"),
        parse("F(b) & G(!c)"),
    ]


def test_the_most_similar_example_comes_last_and_files_are_embedded_once() -> None:
    embedder = Counting()
    choose = SimilarExamples(EXAMPLES, embedder, count=2)
    chosen = choose("go home!")
    assert len(chosen) == 2
    assert chosen[-1].utterance == "go home"
    choose("fetch")
    assert embedder.seen == len(EXAMPLES) + 2


def test_no_examples_and_few_examples() -> None:
    assert SimilarExamples((), Counting())("go") == ()
    assert set(SimilarExamples(EXAMPLES, Counting(), count=99)("go")) == set(EXAMPLES)
    assert set(RandomExamples(EXAMPLES, count=99)("go")) == set(EXAMPLES)


def test_random_examples_depend_on_seed_and_words_alone() -> None:
    many = tuple(Example(f"say {i}", "F(x)") for i in range(100))
    first = RandomExamples(many, 5, seed=1)("go")
    assert first == RandomExamples(many, 5, seed=1)("go")
    assert first != RandomExamples(many, 5, seed=2)("go")
    assert first != RandomExamples(many, 5, seed=1)("come")
    assert len(set(first)) == 5
