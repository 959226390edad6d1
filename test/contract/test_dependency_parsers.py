"""Every dependency parser behaves as the port says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sayso.adapters import registry
from sayso.adapters.parsers import spacy_english
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import DependencyParser

WORDS = (
    "You",
    "should",
    "put",
    "the",
    "mug",
    "on",
    "the",
    "tray",
    "once",
    "it",
    "is",
    "empty",
    ".",
)


@pytest.fixture(scope="module", params=registry.BACKENDS["dependency_parser"])
def parser(request: pytest.FixtureRequest) -> DependencyParser:
    made: DependencyParser = registry.create("dependency_parser", request.param)
    return made


def test_every_word_comes_back_in_its_place_with_a_head(parser: DependencyParser) -> None:
    for words in (WORDS, ("cannot", "x1", "n't", "."), ("mug",), ()):
        tree = parser.parse(words)
        assert tuple(w.text for w in tree) == words
        assert all(0 <= w.head < len(words) for w in tree)
        assert all((w.relation == "ROOT") == (w.head == i) for i, w in enumerate(tree))


def test_a_plain_sentence_has_its_relations(parser: DependencyParser) -> None:
    tree = parser.parse(WORDS)
    relations = {w.text: (w.relation, tree[w.head].text) for w in tree}
    assert relations["mug"] == ("dobj", "put")
    assert relations["tray"] == ("pobj", "on")
    assert relations["is"] == ("advcl", "put")
    assert relations["once"][0] in ("mark", "advmod")
    assert tree[2].lemma == "put" and tree[2].tag == "VB"


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaySoError) as caught:
        registry.create("dependency_parser", "spacy", model=str(tmp_path)).parse(WORDS)
    assert caught.value.code is Code.CORRUPT and str(tmp_path) in caught.value.message


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(SaySoError) as caught:
        registry.create("dependency_parser", "spacy").parse(WORDS)
    assert caught.value.code is Code.MISSING_DEPENDENCY and "pip install spacy" in caught.value.hint


def test_spacys_trees_are_those_of_its_own_pipeline() -> None:
    spacy = pytest.importorskip("spacy")
    parser = spacy_english.SpacyEnglish()
    own = spacy.load(spacy_english.packaged(), exclude=["ner", "senter"])
    for text in (
        "You should put the mug on the tray once it is empty .",
        "Somebody 's left a mug on the white desk , so take it away before the dog comes in .",
        "mug",
        "xyzzy frobnicates qwx 17 ###",
    ):
        words = text.split()
        document = spacy.tokens.Doc(own.vocab, words=words)
        for _, component in own.pipeline:
            document = component(document)
        wanted = [(t.text, t.lemma_.lower(), t.tag_, t.dep_, t.head.i) for t in document]
        for _ in range(2):  # the second time from what is remembered
            found = [(w.text, w.lemma, w.tag, w.relation, w.head) for w in parser.parse(words)]
            assert found == wanted


def test_a_model_with_other_layers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy")
    parser = spacy_english.SpacyEnglish()

    def other(model: object) -> None:
        raise ValueError("'embed' has 3 layers instead of 5")

    monkeypatch.setattr(spacy_english, "TokenVectors", other)
    with pytest.raises(SaySoError) as caught:
        parser.parse(WORDS)
    assert caught.value.code is Code.CORRUPT and "3 layers" in caught.value.message
