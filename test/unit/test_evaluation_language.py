"""The gold formulas and the two language evaluations on small files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from sayso.adapters.llm.none import NoModel
from sayso.cli import main
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.evaluation import lang2ltl, limp_language
from sayso.evaluation.backends import Stages, interpreter
from sayso.language.lexicon import Lexicon
from sayso.language.vocabulary import check_vocabulary
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import Formula
from sayso.logic.text import parse, to_text

GOLD = limp_language.read_gold(limp_language.bundled_gold())
INTERPRET = interpreter(NoModel(), Stages())


def test_every_instruction_of_four_sets_has_a_gold_formula() -> None:
    assert Counter(s for s, _ in GOLD) == {"NLMD": 24, "NLMC": 25, "OKRB": 25, "CT": 37}
    contradictions = {k for k, g in GOLD.items() if g.status == "contradiction"}
    assert contradictions == {("CT", n) for n in (13, 14, 15, 35, 36)}


@pytest.mark.parametrize("key", GOLD, ids="{0[0]}{0[1]}".format)
def test_gold_formulas_use_the_flat_and_can_be_fulfilled(key: tuple[str, int]) -> None:
    gold = GOLD[key]
    assert gold.note or gold.status in ("ok", "contradiction")
    assert (gold.code is Code.CONTRADICTION) == (gold.status == "contradiction")
    for formula in gold.readings:
        check_vocabulary(formula, Lexicon.of(load(builtin_path("flat"))))
        assert parse(to_text(formula)) == formula
        assert automaton_of(formula).satisfiable == (gold.status != "contradiction")


def write_case(folder: Path, text: str, formula: str, **more: str) -> tuple[Path, Path]:
    instructions, gold = folder / "instructions.json", folder / "gold.jsonl"
    instructions.write_text(json.dumps([{"set": "CT", "n": 1, "text": text}]))
    gold.write_text(json.dumps({"set": "CT", "n": 1, "formula": formula, **more}) + "\n")
    return instructions, gold


def rows(folder: Path, text: str, formula: str, **more: str) -> limp_language.Row:
    instructions, gold = write_case(folder, text, formula, **more)
    read = limp_language.read_instructions(instructions, limp_language.read_gold(gold))
    return limp_language.evaluate_one(read[0], INTERPRET)


def test_a_right_answer(tmp_path: Path) -> None:
    row = rows(tmp_path, "go to the sofa then the bed", "F(near(sofa) & F(near(bed)))")
    assert row.right
    assert row.closeness is not None
    assert row.closeness.referents.errors == 0


def test_a_wrong_answer_and_a_refusal_are_told_apart(tmp_path: Path) -> None:
    wrong = rows(tmp_path, "go to the sofa", "F(near(bed))")
    refused = rows(tmp_path, "juggle the sofa", "F(near(bed))")
    assert limp_language.shares([wrong, refused]) == limp_language.Shares(2, 1, 0, 1, 1)
    assert refused.code is Code.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("go to the sofa, but never visit the sofa", True),
        ("do not go to the bed until sofa and do not go to the sofa until bed", True),
        ("go to the sofa", False),
        ("juggle the sofa", False),
    ],
)
def test_a_contradiction_has_to_be_found(tmp_path: Path, text: str, right: bool) -> None:
    row = rows(tmp_path, text, "F(near(sofa)) & G(!near(sofa))", code="CONTRADICTION")
    assert row.right is right
    assert row.closeness is None


def test_any_of_several_readings_is_right(tmp_path: Path) -> None:
    instructions, gold = write_case(tmp_path, "go to the bed", "F(near(sofa))")
    entry = {**json.loads(gold.read_text()), "also": ["F(near(bed))"]}
    gold.write_text(json.dumps(entry))
    read = limp_language.read_instructions(instructions, limp_language.read_gold(gold))
    assert limp_language.evaluate_one(read[0], INTERPRET).right


def test_the_command_prints_the_paper_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instructions, gold = write_case(tmp_path, "go to the bed", "F(near(bed))")
    saved = tmp_path / "run"
    arguments = ["eval", "limp-language", str(instructions), "--gold", str(gold)]
    assert main([*arguments, "--out", str(saved)]) == 0
    printed = capsys.readouterr().out
    assert "| CT | 1 | 100% (1) | 100% (1) | 0 |" in printed
    assert "| LIMP, two stages, similar examples (paper, 150) | 0.07 | 0.04 | 0.03 |" in printed
    assert json.loads((saved / "rows.jsonl").read_text())["measures"]["formula"] == "F(near(bed))"


@pytest.mark.parametrize(
    ("content", "says"),
    [("{", "line 1"), ('{"set": "CT", "n": 1, "formula": "F("}', "line 1"), ("[]", "line 1")],
)
def test_a_broken_gold_file_is_named(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(content)
    with pytest.raises(SaySoError) as caught:
        limp_language.read_gold(path)
    assert caught.value.code is Code.CORRUPT
    assert says in caught.value.message


def test_missing_files_are_named(tmp_path: Path) -> None:
    for read in (limp_language.read_gold, lang2ltl.read_pairs):
        with pytest.raises(SaySoError) as caught:
            read(tmp_path / "none")
        assert caught.value.code is Code.CONFIG


@pytest.mark.parametrize(
    ("prefix", "infix"),
    [
        ("& F a F b", "F(near(desk)) & F(near(sofa))"),
        ("& U ! b a F b", "(!near(sofa) U near(desk)) & F(near(sofa))"),
        ("G i a X b", "G(!near(desk) | WX(near(sofa)))"),
        ("M a b", "near(sofa) U (near(desk) & near(sofa))"),
    ],
)
def test_prefix_notation(prefix: str, infix: str) -> None:
    assert lang2ltl.parse_prefix(prefix) == parse(infix)


@pytest.mark.parametrize("text", ["", "& a", "a b", "F z", "U"])
def test_malformed_prefix_notation_is_refused(text: str) -> None:
    with pytest.raises(SaySoError) as caught:
        lang2ltl.parse_prefix(text)
    assert caught.value.code is Code.NOT_UNDERSTOOD


def test_lifted_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data.csv"
    data.write_text(
        "pattern_type,props,utterance,ltl_formula\n"
        "visit,['a'],go to a,F a\n"
        "visit,['a'],juggle a,F a\n"
        "future,\"['a', 'b']\",never go to b once you go to a,G i a X G ! b\n"
        "visit,['b'],visit b,F a\n"
    )
    found = [lang2ltl.evaluate_one(p, INTERPRET) for p in lang2ltl.read_pairs(data)]
    assert [(r.formula is not None, r.right, r.right_apart) for r in found] == [
        (True, True, True), (False, False, False), (True, False, True), (True, False, False)
    ]  # fmt: skip
    assert main(["eval", "lang2ltl", str(data), "--out", str(tmp_path / "run")]) == 0
    assert "| all | 4 | 3 | 1 | 2 | 1 |" in capsys.readouterr().out


def test_another_interpreter_can_be_evaluated() -> None:
    def always(_: str) -> Formula:
        return parse("F(near(desk))")

    pair = lang2ltl.Pair("visit", "whatever", parse("F(near(desk))"))
    assert lang2ltl.evaluate_one(pair, always).right
