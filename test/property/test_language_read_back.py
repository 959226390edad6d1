"""What is read back of a task can be said, and then means that task again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.predicates import Predicate
from sayso.evaluation.language.constructs import constructs, draw
from sayso.evaluation.language.judging import agree
from sayso.evaluation.language.system import LIBRARIES, World, scene_of
from sayso.language.controlled_english import interpret
from sayso.language.lexicon import Lexicon
from sayso.logic.english import plural, read_back
from sayso.logic.formula import (
    ALL,
    COLORS,
    COMPARATORS,
    COUNTED,
    ONLY,
    SIZES,
    SOME,
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Relation,
    Release,
    Term,
    Top,
    Until,
    Variable,
    WeakNext,
    children,
    conjunction,
    disjunction,
    with_children,
)
from sayso.logic.scope import scoped
from sayso.logic.text import parse
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings

WORLDS: tuple[World, ...] = ("table", "flat")
BUILT_IN = {
    **{w: load(builtin_path(LIBRARIES[w])) for w in WORLDS},
    **{name: load(builtin_path(name)) for name in ("play_table", "virtualhome")},
}
LEXICONS = {w: Lexicon.of(library) for w, library in BUILT_IN.items()}
LISTED = {
    w: {n for k in library.vocabulary.kinds if k.handled for n in k.nouns}
    for w, library in BUILT_IN.items()
}
# "two shoes" may be two of "shoe", and of "shoes", which is a noun of its own.
NOUNS = {w: sorted(n for n in nouns if plural(n) not in nouns - {n}) for w, nouns in LISTED.items()}
# In VirtualHome an orange is a thing, and nothing has a colour.
LOOKS = {w: [a for a in (*COLORS, *SIZES) if a not in NOUNS[w]] for w in BUILT_IN}
few = settings(
    derandomize=True, deadline=None, max_examples=30,
    phases=[Phase.generate],  # to make such a formula smaller takes minutes
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def said_again(formula: Formula, world: str) -> Formula:
    words = read_back(formula, BUILT_IN[world].predicates)
    return interpret(words, LEXICONS[world]).formula


@pytest.mark.parametrize("world", BUILT_IN)
@few
@given(st.data())
def test_what_is_read_back_can_be_said(world: str, data: st.DataObject) -> None:
    formula = data.draw(specifications(world))
    again = said_again(formula, world)
    assert canonical(again) == canonical(formula), read_back(formula, BUILT_IN[world].predicates)


@pytest.mark.parametrize(
    "text",
    [
        "all x in block: (all x in plate: (F(on(x, mug))))",
        "some x in block: (some y in block other than x: (some z in block other than x, y: "
        "(F(on(x, y) & F(on(y, z))))))",
        "all x in block: (F(touching(x)) & some y in block: (F(open(y))))",
        "at least 2 x in block::isbetween(mug, plate::isnextto(bowl)): (F(in(x, bowl)))",
        "at least 2 x in scissors: (F(touching(x)))",
        "at most 3 x in glass: (F(touching(x)))",
        "exactly 2 x in cup_of_tea: (F(touching(x)))",
        "all x in block other than red_block::isbetween(mug, bowl), plate: (G(!touching(x)))",
        "F(holding(red_block_2))",
        "F(touching(block::isnextto(a soda_2)))",
        "!F(touching(mug) & F(!touching(mug) & F(touching(mug))))",
        "F(touching(mug) & F(!touching(mug) & F(touching(mug) & F(open(drawer)))))",
        "F(touching(plush_toy_with_yellow_stickers))",
        "G(at least 2 x in plush_toy_with_yellow_stickers: (touching(x)))",
    ],
)
def test_wordings_that_are_easily_mistaken(text: str) -> None:
    formula = parse(text)
    assert canonical(said_again(formula, "table")) == canonical(formula)


def test_a_plural_that_is_a_word_of_the_grammar_can_be_said() -> None:
    formula = parse("exactly 2 x in stand: (F(on(x, tray)))")
    assert canonical(said_again(formula, "virtualhome")) == canonical(formula)


def test_ten_things_of_one_kind_are_told_apart() -> None:
    names = [Variable(f"y{i}") for i in range(11)]
    body: Formula = And(tuple(Eventually(Prop("touching", (v,))) for v in names))
    for i in reversed(range(11)):
        body = Quantified(SOME, names[i], Referent("block"), body, tuple(names[:i]))
    assert canonical(said_again(body, "table")) == canonical(body)


@pytest.mark.parametrize("world", WORLDS)
def test_what_was_understood_of_drawn_sentences_can_be_said(world: World) -> None:
    """Whether they mean the same is judged by traces of a scene, which know no English."""
    settings = GroundingSettings(BUILT_IN[world].vocabulary.places)
    names, checked = constructs(world == "flat"), 0
    for i in range(60):
        rng = Random(f"read back/{world}/{i}")
        instruction = draw(rng, world == "flat", names[i % len(names)])
        scene = scene_of(instruction.things)
        try:
            spec = interpret(instruction.text, LEXICONS[world])
            before = ground(spec, scene, settings).formula
        except SaySoError:
            continue
        again = replace(spec, formula=said_again(scoped(spec.formula), world))
        after = ground(again, scene, settings).formula
        assert agree(instruction.meaning, before, after, rng), instruction.text
        checked += 1
    assert checked > 30


# -- formulas alike but for the names of variables, and the grouping of "and" and "or" ------------


def canonical(formula: Formula, depth: int = 0) -> Formula:
    """With variables named by how deep they stand, and flat "and" and "or"."""
    match formula:
        case And(args):
            return conjunction(*(canonical(a, depth) for a in args))
        case Or(args):
            return disjunction(*(canonical(a, depth) for a in args))
        case Quantified():
            name = Variable(f"v{depth}")
            body = canonical(_renamed(formula.body, formula.variable, name), depth + 1)
            return replace(formula, variable=name, body=body)
    return with_children(formula, [canonical(c, depth) for c in children(formula)])


def _renamed(formula: Formula, old: Variable, new: Variable) -> Formula:
    def term(t: Term) -> Term:
        return new if t == old else t

    match formula:
        case Prop(predicate, args):
            return Prop(predicate, tuple(map(term, args)))
        case Quantified():
            body = formula.body
            apart = tuple(map(term, formula.apart_from))
            if formula.variable != old:
                body = _renamed(body, old, new)
            return replace(formula, body=body, apart_from=apart)
    return with_children(formula, [_renamed(c, old, new) for c in children(formula)])


# -- specifications over the words of a library ------------------------------------------------


@st.composite
def specifications(draw: st.DrawFn, world: str) -> Formula:
    parts = draw(st.lists(formulas(world, (), 4), min_size=1, max_size=3))
    return conjunction(*parts)


@st.composite
def formulas(draw: st.DrawFn, world: str, bound: tuple[Variable, ...], depth: int) -> Formula:
    kind = draw(st.sampled_from(("literal", *_KINDS))) if depth else "literal"
    if kind == "literal":
        return draw(literals(world, bound))
    inner = formulas(world, bound, depth - 1)
    if kind == "things":
        return draw(quantified(world, bound, depth))
    if kind == "times":
        return _often(draw(inner), draw(st.integers(2, 3)), at_most=draw(st.booleans()))
    count, make = _KINDS[kind]
    return make(*(draw(inner) for _ in range(count)))


_KINDS = {
    "not": (1, Not), "always": (1, Always), "next": (1, Next), "weak next": (1, WeakNext),
    "eventually": (1, Eventually), "until": (2, Until), "release": (2, Release),
    "and": (2, lambda *a: And(a)), "or": (2, lambda *a: Or(a)),
    "and three": (3, lambda *a: And(a)), "if": (2, lambda a, b: Or((Not(a), b))),
    "then": (2, lambda a, b: Eventually(And((a, Eventually(b))))),
    "after": (2, lambda a, b: Eventually(And((a, Next(Eventually(b)))))),
    "again": (1, lambda a: Always(Eventually(a))),
    "not until": (2, lambda a, b: Or((Always(Not(a)), Until(Not(a), b)))),
    "top": (0, Top), "bottom": (0, Bottom), "times": (1, None), "things": (1, None),
}  # fmt: skip


def _often(state: Formula, times: int, *, at_most: bool) -> Formula:
    opposite = state.arg if isinstance(state, Not) else Not(state)
    formula: Formula = Eventually(state)
    for _ in range(times - 1):
        formula = Eventually(And((state, Eventually(And((opposite, formula))))))
    return Not(formula) if at_most else formula


@st.composite
def literals(draw: st.DrawFn, world: str, bound: tuple[Variable, ...]) -> Formula:
    predicate: Predicate = draw(st.sampled_from(list(BUILT_IN[world].predicates.values())))
    terms = st.one_of(referents(world), *([st.sampled_from(bound)] * 3 if bound else []))
    prop = Prop(predicate.name, tuple(draw(terms) for _ in range(predicate.arity)))
    return Not(prop) if draw(st.booleans()) else prop


@st.composite
def quantified(draw: st.DrawFn, world: str, bound: tuple[Variable, ...], depth: int) -> Formula:
    number = draw(st.integers(1, 4))
    quantity = draw(
        st.sampled_from(
            [
                ALL,
                SOME,
                ONLY,
                Quantity("all", there=number + 1),
                *(Quantity(k, number) for k in COUNTED),
            ]
        )
    )
    # Few nouns, and names that are used again: things of one description have to be told apart.
    domain = draw(st.just(Referent(NOUNS[world][0])) | referents(world))
    variable = Variable(draw(st.sampled_from(["x", "y", "z"])))
    others = st.one_of(
        referents(world, ("the", "all")), *([st.sampled_from(bound)] if bound else [])
    )
    apart = tuple(draw(st.lists(others, max_size=3, unique=True)))
    body = draw(formulas(world, tuple(dict.fromkeys((*bound, variable))), depth - 1))
    return Quantified(quantity, variable, domain, body, apart)


@cache
def referents(world: str, quantifiers: tuple[str, ...] = ("the",)) -> st.SearchStrategy[Referent]:
    landmarks = st.recursive(
        _plain(world, ("the", "a", "all")), partial(_related, world), max_leaves=3
    )
    own = _plain(world, quantifiers)
    return own | st.builds(lambda r, o: replace(r, relations=o.relations), own, landmarks)


def _plain(world: str, quantifiers: tuple[str, ...]) -> st.SearchStrategy[Referent]:
    attributes = st.sets(st.sampled_from(LOOKS[world]), max_size=2)
    return st.builds(
        Referent, st.sampled_from(NOUNS[world]), attributes.map(lambda words: tuple(sorted(words))),
        st.just(()), st.sampled_from(quantifiers),
    )  # fmt: skip


def _related(world: str, inner: st.SearchStrategy[Referent]) -> st.SearchStrategy[Referent]:
    relations = {
        name: st.tuples(*[inner] * count).map(partial(Relation, name))
        for name, count in COMPARATORS.items()
    }
    relation = st.sampled_from(sorted(COMPARATORS)).flatmap(relations.__getitem__)
    several = st.lists(relation, min_size=1, max_size=2).map(tuple)
    plain = _plain(world, ("the", "a"))
    return st.builds(lambda r, rs: replace(r, relations=rs), plain, several)
