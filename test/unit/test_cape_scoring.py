"""How plans in words are scored: without VirtualHome's package, and without a model."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Reply
from sayso.core.symbols import Atom, SymbolicState, Truths
from sayso.evaluation.cape.scoring import (
    common_subsequence,
    fleiss_kappa,
    graph_similarity,
    read_votes,
)
from sayso.evaluation.cape.strategies import STRATEGIES, strategy
from sayso.evaluation.cape.tables import strategies_table
from sayso.evaluation.cases import Row
from sayso.language.repertoire import Repertoire, geometric, mean_log_probability, weighted
from sayso.worlds.virtualhome.tasks import Step, read_program

PHRASES = [f"{verb} {thing}" for verb in ("open", "close", "grab") for thing in ("cup", "fridge")]


def test_words_find_the_phrase_that_says_the_same():
    repertoire = Repertoire(CharacterNgrams())
    phrases = repertoire.among(PHRASES)
    found = phrases.likeness(["please grab the cup", "close fridge"]).argmax(axis=1)
    assert [PHRASES[i] for i in found] == ["grab cup", "close fridge"]
    assert phrases.likeness(["close fridge"]).max() == pytest.approx(1)


def test_phrases_are_embedded_once_whatever_they_are_searched_among():
    embedder = Counting()
    repertoire = Repertoire(embedder)
    repertoire.among(PHRASES)
    some = repertoire.among([PHRASES[4], "shut cup", PHRASES[1]])
    assert embedder.texts == [*PHRASES, "shut cup"]
    assert some.likeness(["grab cup"])[0].argmax() == 0


class Counting(CharacterNgrams):
    def __init__(self):
        super().__init__()
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


class Dense(Counting):
    def embed(self, texts):
        rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(2048, 64)))[0]
        made = super().embed(texts) @ rotation
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def test_vectors_without_zeros_are_searched_as_well():
    repertoire = Repertoire(Dense())
    repertoire.among(PHRASES[:2])
    likeness = repertoire.among(PHRASES).likeness(["grab fridge"])
    assert PHRASES[int(likeness.argmax())] == "grab fridge"


def test_scores_weigh_likeness_and_probability():
    likeness = np.array([[0.9, 0.1], [0.2, 0.8]])
    sure, unsure = np.array([0.0, 0.0]), np.array([-2.0, -0.1])
    assert weighted(likeness, sure) == pytest.approx([0.9, 0.8])
    assert weighted(likeness, unsure) == pytest.approx([0.3, 0.77])
    assert geometric(likeness, sure) == pytest.approx([0.95, 0.9])
    expected = [0.6 * math.exp(-0.1), 0.9 * math.exp(-0.1)]
    assert geometric(likeness, unsure) == pytest.approx(expected)


def test_the_probability_of_a_text_is_that_of_its_tokens():
    tokens = (('{"steps": ["', -9.0), ("grab", -1.0), (" the", -2.0), (' cup"', -3.0), ("]}", -9.0))
    reply = Reply("", tokens=tokens)
    assert mean_log_probability(reply, "grab the cup") == pytest.approx(-2)
    assert mean_log_probability(reply, "grab") == pytest.approx(-1)
    assert mean_log_probability(reply, "open") is None
    assert mean_log_probability(Reply("grab"), "grab") is None


def test_kappa_is_that_of_the_published_example():
    """Ten subjects, fourteen raters, five categories: kappa 0.210, as is widely published."""
    votes = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    kappa = fleiss_kappa([{str(i): n for i, n in enumerate(v)} for v in votes])
    assert kappa == pytest.approx(0.210, abs=5e-4)


def test_kappa_of_one_mind_is_1_and_of_one_category_or_one_person_nothing():
    assert fleiss_kappa([{"yes": 3}, {"no": 3}]) == 1
    assert fleiss_kappa([{"yes": 3}, {"yes": 3}]) is None
    assert fleiss_kappa([{"yes": 1}, {"no": 1}]) is None
    assert fleiss_kappa([]) is None


def test_programs_share_a_subsequence_whichever_things_of_a_class_they_name():
    one = read_program(["[WALK] <sofa> (1)", "[FIND] <cup> (2)", "[GRAB] <cup> (2)", "[SLEEP]"])
    other = read_program(["[WALK] <sofa> (7)", "[GRAB] <cup> (3)"])
    assert common_subsequence(one, other) == common_subsequence(other, one) == 0.5
    assert common_subsequence(one, one) == common_subsequence((), ()) == 1
    assert common_subsequence(one, [Step("eat", ("cup_2",))]) == 0


def test_graphs_are_compared_thing_by_thing():
    things = ("cup_1", "door_2")
    first = Atom("on", ("cup_1", "table_3")), Atom("open", ("door_2",))
    ignored = Atom("near", ("cup_1",)), Atom("openable", ("door_2",))

    def state(*true):
        arities = {a.predicate: len(a.args) for a in true}
        return SymbolicState(0.0, things, Truths(things, arities, dict.fromkeys(true, True)))

    assert graph_similarity(state(*first), state(*first, *ignored)) == 1
    assert graph_similarity(state(*first), state(first[0], Atom("closed", ("door_2",)))) == 0.5
    assert graph_similarity(state(*first), state(*first, Atom("clean", ("cup_1",)))) == 0.75


def test_votes_are_read_by_case_and_person(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("case,person,correct\n1_1/rules,ann,yes\n1_1/rules,bob,0\n2_1/rules,ann,1\n")
    assert read_votes(path) == {
        "1_1/rules": {"ann": True, "bob": False}, "2_1/rules": {"ann": True},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("case,person\n", Code.CONFIG, "no column correct"),
        ("case,person,correct\n1,ann,perhaps\n", Code.CORRUPT, "line 2"),
        ("case,person,correct\n1,ann,yes\n1,ann,no\n", Code.CORRUPT, "before"),
        ("case,person,correct\n1,ann\n", Code.CORRUPT, "line 2"),
    ],
)
def test_votes_that_cannot_be_read_are_named(tmp_path, text, code, words):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(SaySoError, match=words) as raised:
        read_votes(path)
    assert raised.value.code is code


def test_votes_that_are_not_there_are_named(tmp_path):
    with pytest.raises(SaySoError, match="cannot be read"):
        read_votes(tmp_path / "none.csv")


def test_a_strategy_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(SaySoError) as raised:
        strategy("hope")
    assert set(raised.value.choices) == set(STRATEGIES)


def row(case: str, name: str, correct: bool) -> Row:
    measures = {
        "strategy": name, "title": "Drink", "correct": correct, "executable": True, "steps": 4,
        "corrections": 1, "calls": 5, "prompt tokens": 90, "completion tokens": 10,
    }  # fmt: skip
    return Row("cape", case, "Drink", correct, "OK", measures, "", 0, 1.5)


def test_strategies_stand_beside_the_paper_s_figures_and_people_s_votes():
    rows = [row("1/explicit", "explicit", True), row("2/explicit", "explicit", False)]
    rows += [row("1/rules", "rules", True)]
    rows += [replace(row("3/rules", "rules", False), code="POSTCONDITION", measures={})]
    votes = {"1/explicit": {"a": True, "b": True}, "2/explicit": {"a": False, "b": False}}
    shown = strategies_table(rows, votes)
    figures = "50.0 | 100.0 | - | - | - | 4 | 1 | 5 | 100 | 1.5 | 50.0 | 1.00"
    ours = f"| CAPE, explicit cause | 2 | {figures} |"
    assert ours in shown
    assert "| CAPE, explicit cause (paper) | 700 | 42.6 | 98.3 |" in shown
    assert "| rules | 2 | 50.0 | 50.0 |" in shown, "a case that broke off is none that was solved"
    assert "| Drink | 1 of 2 | 1 of 1 |" in shown
    assert "## By title: rules" in shown
    assert "| Drink | 2 | 50.0 | 100.0 | - | - | - | 4 | 1 | 5 | 100 | 1.5 |" in shown
    assert "by likeness alone" in shown


def test_retrieval_stands_beside_the_best_other_plan_of_each_title():
    rows = [row(f"{n}/rules", "rules", correct) for n, correct in enumerate((True, False, False))]
    best = (True, True, False)
    rows = [
        replace(r, measures={**r.measures, "best other plan": b})
        for r, b in zip(rows, best, strict=True)
    ]
    shown = strategies_table([*rows, row("alone/rules", "rules", True)], {})
    assert "| Drink | 3 | 1 | 2 | 50.0 |" in shown
    assert "| all | 3 | 1 | 2 | 50.0 |" in shown
    assert "best other plan" not in strategies_table([row("1/rules", "rules", True)], {})
