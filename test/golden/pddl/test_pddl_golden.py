"""What is written as PDDL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom
from sayso.planning.pddl import CompiledText, domain_text
from support.golden import check_golden
from support.planning_cases import DEMO, library, tabletop

HERE = Path(__file__).parent


def check(name: str, text: str) -> None:
    check_golden(HERE / name, text)


def test_the_library_as_a_domain():
    check("tabletop_domain.pddl", domain_text(library()))


@pytest.mark.parametrize(
    ("name", "text"),
    [("demo", DEMO), ("during", "F(touching(drawer)) & F(on(red_block, plate))")],
)
def test_a_task_compiled(name: str, text: str):
    written = CompiledText(tabletop(text))
    check(f"{name}_domain.pddl", written.domain)
    check(f"{name}_problem.pddl", written.problem)


def test_names_come_back_as_they_were():
    written = CompiledText(tabletop("F(open(drawer))"))
    assert "drawer-object" in written.domain + written.problem
    (action,) = written.actions("(open_drawer drawer-object)\n; cost = 1 (unit cost)\n")
    assert str(action) == "open_drawer(drawer)"


def test_an_action_called_like_a_predicate_comes_back_as_it_was():
    named = tabletop("F(open(drawer))")
    operators = (replace(o, name=o.name.removesuffix("_drawer")) for o in named.domain.operators)
    domain = replace(named.domain, operators=tuple(operators))
    written = CompiledText(replace(named, domain=domain))
    assert "(:action open-action" in written.domain + written.problem
    (action,) = written.actions("(open-action drawer-object)\n")
    assert str(action) == "open(drawer)"


def test_a_plan_with_a_strange_name_is_refused():
    written = CompiledText(tabletop("F(open(drawer))"))
    assert written.domain
    assert written.problem
    with pytest.raises(SaySoError) as caught:
        written.actions("(fly mug)\n")
    assert caught.value.code is Code.PLAN_INVALID


def test_an_unknown_proposition_cannot_be_compiled():
    unknown = frozenset({Atom("open", ("drawer",))})
    with pytest.raises(SaySoError) as caught:
        CompiledText(tabletop("F(open(drawer))", unknown=unknown))
    assert caught.value.code is Code.UNSUPPORTED
