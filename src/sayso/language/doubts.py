"""What of a sentence is not clear, whatever its words refer to, so that it is asked back.

These are of a whole sentence, whose clauses are clear each by itself; what is not clear of a clause
is said where the clause is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from sayso.core.errors import SaySoError, Span
from sayso.language.entities import Refuse, UnfitReadingError
from sayso.language.groups import FORBIDDEN_TOO
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import (
    AS_CORRECTION,
    AT_END,
    AT_ONCE,
    BUT_NOT,
    RULES,
    SET_OFF,
    Act,
    At,
    Avoid,
    Bound,
    Case,
    Chain,
    Conditional,
    Do,
    Fact,
    Goal,
    Item,
    LeaveAlone,
    Led,
    LedItem,
    Link,
    Modifier,
    Never,
    Pronoun,
    Remark,
    Sentence,
    Shared,
    Thing,
    Things,
    parts,
)
from sayso.language.tokens import Token
from sayso.logic.formula import COLORS

_ADJECTIVES = frozenset({"open", "shut", "empty", "clear", "clean"})
"""Verbs in whose words it is also told how something is."""
_LATER = {"after": "after that", "before": "before that"}
_BESIDES = frozenset({"too", "also"})
_NEAR = 4
"""Among so many words before a step stands the mark that parts it from a rule before it."""


@dataclass(frozen=True)
class _Doubt:
    """Something that is not clear.

    Attributes:
        found: where it is in a sentence.
    """

    found: Callable[[Sentence], Iterator[At]]
    message: str
    hint: str


def refuse_unclear(sentence: Sentence, refuse: Refuse) -> None:
    """Raises NOT_UNDERSTOOD for the first doubt about what a sentence says."""
    for doubt in _DOUBTS:
        for at in doubt.found(sentence):
            raise refuse(at, doubt.message, hint=doubt.hint)


def refuse_unclear_words(
    sentence: Sentence, tokens: Sequence[Token], lexicon: Lexicon, refuse: Refuse
) -> None:
    """Raises NOT_UNDERSTOOD for a doubt that hangs on words and marks that have no meaning."""
    _refuse_in_any_case(sentence, [t.text for t in tokens], lexicon, refuse)
    _refuse_order_behind_after([t.text for t in tokens], lexicon, refuse)
    _refuse_color_before_or([t.text for t in tokens], lexicon, refuse)
    for at in _bare_pronouns(sentence):
        if tokens[at[0]].text in ("it", "them", "they"):
            raise refuse(
                at, "it is not clear whether this is so, or is to be so.",
                hint="say 'put it ...', or 'it is ...'.",
            )  # fmt: skip
    for start, end in _corrections(sentence):
        until = next((i for i in range(end, len(tokens)) if tokens[i].is_mark), len(tokens))
        said = {t.text for t in tokens[start:until]}
        if not _BESIDES.isdisjoint(said) or {"as", "well"} <= said:
            raise refuse(
                (start, end), "it is not clear whether this is meant besides, or in place of it.",
                hint="say it in full.",
            )  # fmt: skip
    for rule, step in _steps_after_rules(sentence):
        between = tokens[max(rule[0], step[0] - _NEAR) : step[0]]
        if not any(t.is_mark or t.text == "but" for t in between):
            raise refuse(step, FORBIDDEN_TOO, hint="begin a new sentence.")


def _bare_pronouns(sentence: Sentence) -> Iterator[At]:
    """Where a pronoun is said with a place, without a verb: "get me the mug, it on the desk"."""
    for part in parts(sentence):
        things: Things | None = None
        if isinstance(part, Shared) and part.tails:
            things = part.things
        elif isinstance(part, Goal) and part.bare and isinstance(part.state.states[0], Fact):
            things = part.state.states[0].things[0]
        if things is not None and isinstance(things.members[0], Pronoun):
            yield things.members[0].at


def _refuse_order_behind_after(words: Sequence[str], lexicon: Lexicon, refuse: Refuse) -> None:
    """ "..., after carry it to the plant": that what follows comes later, or what was said."""
    verbs = {v.split()[0] for v in lexicon.verbs}
    for at, (order, verb) in enumerate(pairwise(words)):
        how = verb in _ADJECTIVES or lexicon.names(verb)
        if order in ("after", "before") and verb in verbs and not how:
            text = f"it is not clear whether '{order}' is of what is said before or behind it."
            raise refuse((at, at + 2), text, hint=f"say '{order} ...ing', or '{_LATER[order]}'.")


def _refuse_color_before_or(words: Sequence[str], lexicon: Lexicon, refuse: Refuse) -> None:
    """ "The red or drawer": that may be the red thing or the drawer, or a slip for the one word."""
    for at in range(len(words) - 3):
        article, color, joiner, noun = words[at : at + 4]
        if article == "the" and color in COLORS and joiner == "or" and lexicon.names(noun):
            raise refuse(
                (at, at + 4), f"it is not clear what '{article} {color}' is.",
                hint=f"say 'the {color} one or the {noun}'.",
            )  # fmt: skip


def refuse_taken_in(
    readings: Iterable[object], refused: Iterable[tuple[object, SaySoError]],
    span: Callable[[int, int], Span],
) -> None:  # fmt: skip
    """Raises the refusal of a reading for words that are not clear in it, where the readings that
    are left take the same words for a part of a limit or condition: "never go there while you carry
    the can, and take it to the table". They would win only because the other one is not clear."""
    limits = [_limiting(r) for r in readings]
    for reading, error in refused:
        if error.span is None or isinstance(error, UnfitReadingError):
            continue
        besides = [limit - _limiting(reading) for limit in limits]
        if all(any(_overlap(span(*at), error.span) for at in new) for new in besides):
            raise error


def _limiting(reading: object) -> set[At]:
    """Where a reading has what is said of when, or how far, something goes."""
    holders = {Bound: "what", Case: "condition", Led: "other", LedItem: "other", Modifier: "other"}
    found = (getattr(p, holders[type(p)]) for p in parts(reading) if type(p) in holders)
    return {p.at for said in found for p in parts(said) if isinstance(p, Do | Fact)}


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _corrections(sentence: Sentence) -> Iterator[At]:
    """Where it is said what takes the place of something: "no, the plate"."""
    for link in (p for p in parts(sentence) if isinstance(p, Link)):
        if link.joiner == AS_CORRECTION and isinstance(link.item, Act):
            yield link.item.at
    body = sentence.body
    if (
        sentence.opening == AS_CORRECTION
        and isinstance(body, Chain)
        and isinstance(body.first, Act)
    ):
        yield body.first.at


def _refuse_in_any_case(
    sentence: Sentence, words: Sequence[str], lexicon: Lexicon, refuse: Refuse
) -> None:
    """Raises NOT_UNDERSTOOD for "if A, B, and in any case C": C does not depend on A."""
    depending = [
        chain
        for part in (sentence.body, sentence.more)
        if isinstance(part, Conditional)
        for chain in (part.then, part.otherwise)
        if chain is not None
    ]
    for start, end in (chain.at for chain in depending):
        if any(lexicon.begins("either_way", words, place) for place in range(start, end)):
            raise refuse(
                (start, end), "it is not clear what of this depends on the condition.",
                hint="say in a sentence of its own what is to be done in any case.",
            )  # fmt: skip


def _limited_exceptions(sentence: Sentence) -> Iterator[At]:
    """Exceptions right after which it is said when something holds: "all the blocks, but not the
    red one if the drawer is open", "all the blocks but the red one only if the drawer is open"."""
    found = tuple(parts(sentence))
    limits = {p.at[0]: p for p in found if isinstance(p, Case | Bound | Modifier)}
    for thing in found:
        apart = thing.apart if isinstance(thing, Thing) else None
        limit = limits.get(apart.at[1]) if apart else None
        only = isinstance(limit, Case) and limit.kind == "only if"
        if apart and limit and (only or apart.marker in (BUT_NOT, SET_OFF)):
            yield apart.at


def _ones_apart(sentence: Sentence) -> Iterator[At]:
    """ "Touch the mug, the one on the tray or the plate": it may be said which mug is meant."""
    for link in (p for p in parts(sentence) if isinstance(p, Link) and p.joiner == "comma"):
        act = link.item.what if isinstance(link.item, Act) else None
        first = act.things.members[0] if isinstance(act, Shared) and act.things else None
        if isinstance(first, Thing) and not (first.noun or first.attributes or first.plural):
            yield link.item.at if isinstance(link.item, Act) else first.at


def _steps_after_rules(sentence: Sentence) -> Iterator[tuple[At, At]]:
    """Where a prohibition stands, and where a step that comes "then" begins."""
    for chain in (p for p in parts(sentence) if isinstance(p, Chain)):
        for before, link in pairwise((Link("", chain.first), *chain.rest)):
            rule, step = before.item, link.item
            if link.joiner != "then" or not isinstance(rule, Never | Avoid | LeaveAlone):
                continue
            if step is not None and not isinstance(step, (*RULES, Remark)):
                yield rule.at, step.at


def _done_in(sentence: Sentence) -> Chain | None:
    """What a sentence asks for, in any case or in one."""
    then = getattr(sentence.body, "then", sentence.body)
    return then if isinstance(then, Chain) else None


def _rules_of_the_end(sentence: Sentence) -> Iterator[At]:
    """Where "at the end" is said after a rule that does not take it in: "touch only the mug at the
    end"."""
    then = _done_in(sentence)
    if then is None:
        return
    items = [then.first, *(link.item for link in then.rest if link.item is not None)]
    if isinstance(items[-1], RULES) or _is_only(items[-1]):
        yield from (r.at for r in sentence.told if r.kind == AT_END)
    if sentence.opening == "at last" and _is_only(then.first):
        yield then.first.at
    at_last = (link for link in then.rest if link.joiner.endswith("at last"))
    yield from (link.item.at for link in at_last if _is_only(link.item))


def _is_only(item: Item | None) -> TypeGuard[Act]:
    """Whether it forbids what it does not name: "only the mug goes there"."""
    return isinstance(item, Act) and item.only and item.count is None


def _several_at_once(sentence: Sentence) -> Iterator[At]:
    """Where "at once" is said of several things: "touch the mug and the plate at once"."""
    then = _done_in(sentence)
    if then is None:
        return
    last = then.rest[-1] if then.rest else Link("", then.first)
    things = [t for p in parts(last.item) if isinstance(p, Things) for t in p.members]
    several = len(things) > 1 and any(
        len(p.members) > 1 for p in parts(last.item) if isinstance(p, Things)
    )
    several |= any(isinstance(t, Thing) and (t.plural or t.determiner == "both") for t in things)
    several |= any(isinstance(t, Pronoun) and t.kind != "it" for t in things)
    if several or last.joiner == "and":
        yield from (r.at for r in sentence.told if r.kind == AT_ONCE)


def _it_beside_exceptions(sentence: Sentence) -> Iterator[At]:
    """ "Put all the blocks but the red one in the bowl without touching it": the red one, or the
    bowl."""
    for chain in (p for p in parts(sentence) if isinstance(p, Chain)):
        for before, link in pairwise((Link("", chain.first), *chain.rest)):
            act = before.item.what if isinstance(before.item, Act) else None
            named = act.things.members if isinstance(act, Do) and act.things else ()
            apart = [t.apart for t in named if isinstance(t, Thing) and t.apart is not None]
            one = len(apart) == 1 and len(apart[0].members) == 1
            placed = isinstance(act, Do) and any(t.to is not None for t in act.tails)
            later = (link.modifier, link.item if isinstance(link.item, RULES) else None)
            if one and placed and not getattr(apart[0].members[0], "plural", True):
                yield from (p.at for p in parts(later) if isinstance(p, Pronoun) and p.kind == "it")


_DOUBTS = (
    _Doubt(
        _it_beside_exceptions,
        "it is not clear whether this is what is left out, or where the others go.",
        "name the thing.",
    ),
    _Doubt(
        _rules_of_the_end,
        "it is not clear whether this is forbidden before the end, too.",
        "say what must not be so at the end, or 'never ...'.",
    ),
    _Doubt(
        _several_at_once,
        "it is not clear whether this is 'now', or 'at the same time'.",
        "leave it out, or say what is to be so.",
    ),
    _Doubt(
        _ones_apart,
        "it is not clear whether this says which one is meant, or is a further one.",
        "say 'the ... that is ...', or name the kind of thing.",
    ),
    _Doubt(
        _limited_exceptions,
        "it is not clear whether only the exception depends on what is said after it.",
        "say the exception in a sentence of its own.",
    ),
)
