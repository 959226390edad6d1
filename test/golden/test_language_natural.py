"""Sentences as people type them mean what their gold readings say, or are not accepted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import pytest

from sayso.adapters import registry
from sayso.logic.formula import propositions
from support.natural_sentences import (
    FOLDER,
    WINDING_WORDS,
    Verdict,
    effort,
    fulfillable,
    is_winding,
    judge,
    sentences,
)

KNOWN = FOLDER / "natural_known.json"
"""What is known to be misread, and how many are read rightly: one may only shrink, one grow."""


@pytest.fixture(scope="module")
def verdicts() -> Sequence[Verdict]:
    return tuple(map(judge, sentences()))


def test_they_are_in_their_halves_and_forty_are_for_both_worlds() -> None:
    everything = list(sentences())
    keys = {s.key.split()[0]: s.split for s in everything}
    assert Counter(keys.values()) == {"tuning": 1070, "held_out": 310}
    assert len(everything) == 1420


def test_every_gold_speaks_of_things_of_its_scene_and_can_be_fulfilled() -> None:
    for sentence in sentences():
        for gold in sentence.golds:
            assert fulfillable(gold), sentence.key
            names = {t.name for t in sentence.things}
            assert {a for p in propositions(gold) for a in p.args} <= names, sentence.key


def test_none_is_misread_but_those_that_are_known(
    verdicts: Sequence[Verdict], capsys: pytest.CaptureFixture[str]
) -> None:
    known = json.loads(KNOWN.read_text())
    misread = [v.sentence for v in verdicts if v.outcome == "misread"]
    with capsys.disabled():
        print(f"\n{_table(verdicts)}")  # noqa: T201
    assert {s.key for s in misread if s.split == "tuning"} <= set(known["misread_tuning"])
    assert sum(s.split == "held_out" for s in misread) <= known["misread_held_out"]


def test_as_many_are_read_rightly_as_ever(verdicts: Sequence[Verdict]) -> None:
    known = json.loads(KNOWN.read_text())
    assert sum(v.outcome == "right" for v in verdicts) >= known["right"]


def test_few_offers_are_wrong_and_each_names_what_it_leaves_out(
    verdicts: Sequence[Verdict],
) -> None:
    wrong = [v for v in verdicts if v.outcome == "offered wrong"]
    assert len(wrong) <= 0.04 * len(verdicts)
    assert all("did not understand '" in v.said for v in wrong)


def test_of_long_ones_most_are_read_with_a_few_answers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of some of them, with the parser that people have; each part that is not understood is one
    answer. `benchmarks/natural_sentences.py` counts all.
    """
    known = json.loads(KNOWN.read_text())
    parser = registry.create("dependency_parser", "spacy")
    winding = [s for s in sentences() if s.key in known["winding"]]
    assert len(winding) == len(known["winding"])
    assert all(is_winding(s) and s.golds and s.split == "tuning" for s in winding)
    counts = Counter(effort(s, parser) for s in winding)
    with capsys.disabled():
        told = ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
        print(f"\nof {len(winding)} long natural sentences: {told}")  # noqa: T201
    assert counts["misread"] <= known["winding_misread"]
    assert counts["wrong"] <= known["winding_wrong"]
    assert counts["outright"] + counts["1"] + counts["2"] >= known["winding_in_two_answers"]


def _table(verdicts: Sequence[Verdict]) -> str:
    lines = []
    for world in ("table", "flat"):
        for split in ("tuning", "held_out"):
            mine = [v for v in verdicts if (v.sentence.world, v.sentence.split) == (world, split)]
            sayable = [v for v in mine if v.sentence.golds]
            right = sum(v.outcome == "right" for v in sayable)
            counts = Counter(v.outcome for v in mine)
            lines.append(
                f"natural sentences, {world}, {split}: {right} of {len(sayable)} read rightly, "
                f"{counts['misread']} of {len(mine)} misread, {counts['asked']} asked, "
                f"{counts['offered']} offered, {counts['offered wrong']} offered wrong"
            )
    winding = [v for v in verdicts if is_winding(v.sentence) and v.sentence.golds]
    right = sum(v.outcome == "right" for v in winding)
    lines.append(f"of them of {WINDING_WORDS} words and more: {right} of {len(winding)}")
    return "\n".join(lines)
