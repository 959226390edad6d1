"""Every sentence embedder behaves as the port says."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder

SENTENCES = ("go to the kitchen sink", "Visit the kitchen sink!", "never touch a red mug", "")


@pytest.fixture(scope="module", params=registry.BACKENDS["embedder"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    try:
        made: Embedder = registry.create("embedder", request.param)
    except SaySoError as error:
        assert error.code is Code.MISSING_DEPENDENCY
        assert error.hint
        pytest.skip(f"{error.message} {error.hint}")
    return made


def test_a_unit_vector_for_each_text(embedder: Embedder) -> None:
    vectors = embedder.embed(SENTENCES)
    assert vectors.dtype == np.float32
    assert vectors.shape[0] == len(SENTENCES)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.embed(["x"]).shape[1])


def test_company_changes_nothing(embedder: Embedder) -> None:
    together = embedder.embed(SENTENCES)
    alone = np.concatenate([embedder.embed([s]) for s in SENTENCES])
    # int8 activations are scaled over a batch, so rounding differs between batches.
    assert np.min(np.sum(together * alone, axis=1)) > 0.99


def test_like_sentences_point_alike(embedder: Embedder) -> None:
    sink, sink_too, mug, _ = embedder.embed(SENTENCES)
    assert sink @ sink_too > sink @ mug + 0.2


def test_more_texts_than_a_batch_and_long_ones(embedder: Embedder) -> None:
    texts = [f"go to room {i}" for i in range(70)] + ["word " * 2000]
    vectors = embedder.embed(texts)
    assert vectors.shape[0] == 71
    assert np.isfinite(vectors).all()
    assert int(np.argmax(vectors[:70] @ embedder.embed(["go to room 41"])[0])) == 41


def test_the_name_is_stable(embedder: Embedder) -> None:
    assert embedder.name and embedder.name == embedder.name.strip()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sayso.adapters.embeddings.minilm", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SaySoError) as caught:
        registry.create("embedder", "minilm")
    assert caught.value.code is Code.MISSING_DEPENDENCY
    assert "onnxruntime" in caught.value.message


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra sayso[embeddings]")
    pytest.importorskip("tokenizers", reason="needs the extra sayso[embeddings]")
    broken = tmp_path / "broken.onnx"
    broken.write_text("{}")
    embedder = registry.create("embedder", "minilm", model=str(broken), tokenizer=str(broken))
    with pytest.raises(SaySoError) as caught:
        embedder.embed(["x"])
    assert caught.value.code is Code.CORRUPT
    assert "broken.onnx" in caught.value.message


def test_dimensions_are_checked() -> None:
    with pytest.raises(SaySoError) as caught:
        registry.create("embedder", "character_ngrams", dimensions=0)
    assert caught.value.code is Code.CONFIG
