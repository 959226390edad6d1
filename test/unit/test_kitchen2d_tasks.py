"""The 2D kitchen's tasks are data, and what is true of it is out of the learner's reach."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sayso.learning
from sayso.core.errors import Code, SaySoError
from sayso.core.library import parse_literal
from sayso.worlds.domains.domain import SETS
from sayso.worlds.kitchen2d.domains import DOMAINS
from sayso.worlds.kitchen2d.scene import Item, KitchenScene
from sayso.worlds.kitchen2d.tasks import (
    COUNT,
    tasks,
)
from sayso.worlds.kitchen2d.true import true_library


def kinds(domain: str, test_set: str, seeds: range = range(5)) -> set[str]:
    return {i.kind for s in seeds for t in tasks(domain, test_set, s) for i in t.scene.items}


@pytest.mark.parametrize("domain", DOMAINS)
def test_only_two_sets_show_new_kinds(domain: str) -> None:
    known = kinds(domain, "training")
    assert kinds(domain, "canonical") <= known
    assert kinds(domain, "novel_goals") <= known
    assert kinds(domain, "more_objects") > known
    assert kinds(domain, "combined") > known


@pytest.mark.parametrize("domain", DOMAINS)
def test_tasks_differ_by_set_seed_and_number_and_by_nothing_else(domain: str) -> None:
    every = [t for s in SETS for seed in (0, 1) for t in tasks(domain, s, seed)]
    assert len({t.scene for t in every}) == len(every) == 2 * COUNT * len(SETS)
    assert tasks(domain, "combined", 3) == tasks(domain, "combined", 3)
    assert tasks(domain, "combined", 3, count=4) == tasks(domain, "combined", 3)[:4]


@pytest.mark.parametrize("domain", DOMAINS)
def test_goals_are_in_the_true_domain_and_name_things_that_are_there(domain: str) -> None:
    library = true_library(domain)
    for task in (t for s in SETS for t in tasks(domain, s)):
        for goal in task.goal:
            atom = parse_literal(goal).atom
            assert library.predicates[atom.predicate].arity == len(atom.args)
            for name in atom.args:
                assert task.scene.item(name).name.replace("_", " ") in task.words


@pytest.mark.parametrize("domain", DOMAINS)
def test_complex_goals_ask_for_more_than_simple_ones(domain: str) -> None:
    def longest(test_set: str) -> int:
        return max(len(t.goal) for t in tasks(domain, test_set))

    assert longest("novel_goals") > longest("canonical")


@pytest.mark.parametrize(("domain", "test_set"), [("shop", "training"), ("store", "hard")])
def test_an_unknown_domain_or_set_is_answered_with_the_known(domain: str, test_set: str) -> None:
    with pytest.raises(SaySoError) as caught:
        tasks(domain, test_set)
    assert caught.value.code == Code.INVALID
    assert "store" in str(caught.value) or "training" in str(caught.value)


def test_a_scene_needs_unique_names_and_supports_first() -> None:
    can = Item("can", "can", "red", 0.06, 0.07)
    for items in ((can, can), (Item("box", "box", "red", 0.06, 0.05, on="can"), can)):
        with pytest.raises(SaySoError) as caught:
            KitchenScene(items)
        assert caught.value.code == Code.INVALID


def test_the_domains_are_the_papers() -> None:
    skills = {d: {o.skill for o in true_library(d).operators.values()} for d in DOMAINS}
    assert skills["store"] == {"pick_up", "place_on_table", "place_first_on_second"}
    assert skills["table"] == skills["store"] | {"push_plate_on_object"}
    assert skills["cook"] == {
        "pick_up",
        "place_on_table",
        "place_first_in_second",
        "get_water_from_faucet",
        "pour_water_from_first_to_second",
    }


def test_learning_has_no_way_to_the_simulator() -> None:
    """No import of an adapter, and no path or name of the kitchen, in any learning module.

    The import-linter contracts hold the same for what those modules import.
    """
    files = sorted(Path(sayso.learning.__file__).parent.rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [node.value]
            for name in names:
                assert not name.startswith("sayso.adapters"), f"{file}: {name}"
                assert "kitchen2d" not in name, f"{file}: {name}"
