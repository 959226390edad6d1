"""How far rules go: until, before, after or while something is so, or up to so many times."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from sayso.language import meaning as m
from sayso.language.clauses import Clauses
from sayso.language.entities import bound
from sayso.language.events import at_least, negation
from sayso.language.references import Discourse
from sayso.logic.formula import (
    ALL,
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Prop,
    Quantified,
    Until,
    conjunction,
    disjunction,
    propositions,
    walk,
)

Ruling = Callable[[Formula], Formula]
_STATIVE = frozenset({"hold", "carry", "have"})
"""Verbs that tell how things are, not what comes about."""
_TRAVELLING = frozenset({
    "go", "drive", "walk", "move", "travel", "head", "come", "run", "roll", "navigate", "return",
})  # fmt: skip
"""Verbs of being under way, during all of which something may be forbidden."""
ANY_OR_AT_ONCE = "say 'any of the ...', or 'both ... at once'."


@dataclass(frozen=True)
class Limits:
    """Makes what holds only so far of what would hold throughout."""

    clauses: Clauses

    @property
    def discourse(self) -> Discourse:
        return self.clauses.discourse

    def _ruling(
        self, at: m.At, limit: m.Bound | None, after: Formula | None, during: Formula | None,
        latest: Formula | None,
    ) -> Ruling:  # fmt: skip
        """Never, or not more often than said, or not until, before, while or after something."""
        if after is not None:
            return self._from_then(after, at)
        if during is not None:
            return lambda s: Always(Not(conjunction(s, during)))
        if limit is None:
            return lambda s: Always(negation(s))
        if limit.kind in m.AT_ONE_TIME:
            raise self.discourse.refuse(
                limit.at, "it is not clear whether each of these is meant, or all of them at once.",
                hint=ANY_OR_AT_ONCE,
            )  # fmt: skip
        if limit.kind == "finally":
            return lambda s: Eventually(Always(negation(s)))
        if limit.kind == "count":
            return self._seldom(limit)
        if limit.kind == "from then":
            if latest is None:
                raise self.discourse.refuse(limit.at, "'after that' has no step to go with.",
                                            hint="name the place.")  # fmt: skip
            return self._from_then(latest, limit.at)
        what = self._limit(limit)
        if limit.kind == "before" and isinstance(what, Or):
            raise self.discourse.refuse(
                limit.at, "it is not clear whether one of these is enough.",
                hint="say 'until ... or ...', or a rule for each.",
            )  # fmt: skip
        match limit.kind:
            case "until" | "before":
                lasting = self.discourse.lexicon.vocabulary.lasting
                return lambda s: until_each(
                    what, lasting, lambda w: Or((Always(negation(s)), Until(negation(s), w)))
                )
            case "while" if self.takes_time(limit):
                return lambda s: Or((Always(negation(s)), Until(negation(s), what)))
            case "unless" if _is_done(limit.what):
                return lambda s: Or((Always(negation(s)), Until(negation(s), what)))
            case "unless":
                return lambda s: Always(disjunction(negation(s), what))
            case "while" | "with":
                self.refuse_on_some_way(limit)
                return lambda s: self._never_while(s, what, limit.at)
            case "after":
                return self._from_then(what, limit.at)
        raise self.discourse.refuse(limit.at, "this limit does not go with a rule.")

    def _never_while(self, state: Formula, what: Formula, at: m.At) -> Formula:
        """Never both. Raises NOT_UNDERSTOOD where both are of one thing: of "don't touch the bowl
        while you carry it" something else is carried."""
        match state, what:
            case Prop(_, (one,)), Prop(_, (other,)) if one == other:
                text = "it is not clear of which thing this limit speaks."
                raise self.discourse.refuse(at, text, hint="name the thing again.")
        return Always(Not(conjunction(state, what)))

    def _from_then(self, since: Formula, at: m.At) -> Ruling:
        """Never from some time on; of the state itself, that it ends and does not come again."""

        def ruling(state: Formula) -> Formula:
            if state != since:
                return Always(disjunction(negation(since), Always(negation(state))))
            self._refuse_lasting(state, at)
            return conjunction(Not(at_least(state, 2)), Eventually(Always(negation(state))))

        return ruling

    def once_left(self, rule: Formula, since: Formula, at: m.At) -> Formula:
        """A rule from a step on: of what the step itself asks for, once that has ended."""
        never = Always(negation(since))
        if rule != never:
            return rule
        self._refuse_lasting(since, at)
        return Until(since, never)

    def _refuse_lasting(self, state: Formula, at: m.At) -> None:
        lasting = self.discourse.lexicon.vocabulary.lasting
        if any(p.predicate in lasting for p in walk(state) if isinstance(p, Prop)):
            raise self.discourse.refuse(
                at, "it is not clear whether this must end, or not come again.",
                hint="say 'at most once', or what should be so at the end.",
            )  # fmt: skip

    def _limit(self, limit: m.Bound) -> Formula:
        self.discourse.begin_clause()
        if limit.kind == "with":
            assert limit.things is not None
            entities = [
                self.discourse.known(e, limit.at)
                for e in self.discourse.group(limit.things, "condition").entities
            ]
            held = [bound(self.clauses.prop("holding", e.term), [e]) for e in entities]
            return conjunction(*held)
        if limit.what is None:
            raise self.discourse.refuse(limit.at, "this limit does not go with a rule.")
        what = self.clauses.occasion(limit.what)
        self._refuse_passing_at_once(what, limit)
        if is_done_before(limit.what):
            parts = what.args if isinstance(what, And) else ()
            self.clauses.refuse_at_once(parts, limit.at)
        return what

    def _refuse_passing_at_once(self, what: Formula, limit: m.Bound) -> None:
        """ "never open it after touching all the blocks": they are touched one after the other,
        so there may be no moment of which this is said."""
        lasting = self.discourse.lexicon.vocabulary.lasting
        one_by_one = limit.kind in ("until", "before")
        for part in walk(what):
            several = isinstance(part, Quantified) and part.quantity.kind not in ("some", "only")
            if not isinstance(part, Quantified) or not several:
                continue
            each = one_by_one and part is what and part.quantity == ALL
            body = part.body
            if isinstance(body, Prop) and body.predicate not in lasting and not each:
                raise self.discourse.refuse(
                    limit.at, "it is not clear whether all of these are meant at once.",
                    hint="name one of them, or say it for each of them.",
                )  # fmt: skip

    def refuse_on_some_way(self, limit: m.Bound) -> None:
        """Raises NOT_UNDERSTOOD for "while you go to the sofa": all the way, from wherever."""
        if any(map(_travels, getattr(limit.what, "members", ()))):
            raise self.discourse.refuse(
                limit.at, "it is not clear on which way this is.",
                hint="say where to go, and 'on the way to ...'.",
            )  # fmt: skip

    def takes_time(self, limit: m.Bound) -> bool:
        """ "while you put the block on the plate": until that is done."""
        lexicon = self.discourse.lexicon
        if not isinstance(limit.what, m.Several):
            return False
        wanted = [
            w.predicate
            for do in map(self.clauses.placed_there, limit.what.members)
            for tail in [t.text for t in do.tails] or [""]
            for action in lexicon.verbs[do.verb].with_thing.get(tail, ())
            if not action.forbidden_only
            for w in action.goal[-1]
        ]
        return bool(wanted) and all(w in lexicon.vocabulary.lasting for w in wanted)

    def _seldom(self, limit: m.Bound) -> Ruling:
        count = limit.count
        assert count is not None
        least = count.times + 1 if count.limit == "more than" else count.times
        if count.limit in ("exactly", "at most") or least < 2:
            raise self.discourse.refuse(
                limit.at, "this count does not go with 'never'.", hint="say 'more than once'."
            )
        return lambda s: Not(at_least(s, least))

    def _limited(
        self, forbid: Callable[[Ruling], list[Formula]], limit: m.Bound, latest: Formula | None
    ) -> list[Formula]:
        """The prohibition is read before its limit, as it was said."""
        ruling: list[Ruling] = []

        def later(state: Formula) -> Formula:
            if not ruling:
                ruling.append(self._ruling(limit.at, limit, None, None, latest))
            return ruling[0](state)

        return forbid(later)

    def _keeping(
        self, limit: m.Bound | None, after: Formula | None, during: Formula | None
    ) -> Ruling:
        if after is not None:
            return lambda s: Always(disjunction(negation(after), Always(s)))
        if during is not None:
            return lambda s: Always(disjunction(negation(during), s))
        if limit is None:
            return Always
        if limit.kind == "finally":
            return lambda s: Eventually(Always(s))
        if limit.what is None:
            raise self.discourse.refuse(limit.at, "this limit does not go with what is to be kept.")
        what = self._limit(limit)
        match limit.kind:
            case "until" | "before":
                lasting = self.discourse.lexicon.vocabulary.lasting
                return lambda s: until_each(what, lasting, lambda w: Until(s, w))
            case "while" if _is_done_once(limit):
                return lambda s: Until(s, what)
            case "while" | "with":
                return lambda s: Always(disjunction(negation(what), s))
            case "unless":
                return lambda s: Always(disjunction(what, s))
            case "after":
                return lambda s: Always(disjunction(negation(what), Always(s)))
        raise self.discourse.refuse(limit.at, "this limit does not go with what is to be kept.")


def is_done_before(what: m.Occasion | None) -> bool:
    """ "you have put it away", other than "you are holding it"."""
    if isinstance(what, m.Condition):
        acts = [s.act for s in what.states if isinstance(s, m.ActState) and s.positive]
        return len(acts) == len(what.states) and all(map(_is_perfect, acts))
    return isinstance(what, m.Several) and all(map(_is_perfect, what.members))


def _is_perfect(do: m.Do) -> bool:
    return do.form == "perfect" and do.verb not in _STATIVE


def _is_done(what: m.Occasion | None) -> bool:
    """ "unless you have been to the fridge": from then on, not only while that is so."""
    return isinstance(what, m.Several) and not all(d.verb in _STATIVE for d in what.members)


def _travels(do: m.Do) -> bool:
    """ "when you go to the sofa": all the way there."""
    return do.form != "perfect" and do.verb.split()[0] in _TRAVELLING


def _is_done_once(limit: m.Bound) -> bool:
    """ "while you go to the sofa", other than "while you hold the mug": it is asked for, too."""
    what = limit.what
    return isinstance(what, m.Several) and not any(
        do.verb in _STATIVE and not do.tails for do in what.members
    )


def until_each(
    limit: Formula, lasting: Collection[str], rule: Callable[[Formula], Formula]
) -> Formula:
    """A rule until a state; until each of several is visited, not all at one moment."""
    match limit:
        case Quantified(quantity=quantity, body=Prop(predicate) as body):
            if quantity == ALL and predicate not in lasting:
                return replace(limit, body=rule(body))
        case And(args) if all(isinstance(a, Prop) for a in args):
            predicates = {p.predicate for p in propositions(limit)}
            if len(predicates) == 1 and predicates.isdisjoint(lasting):
                return conjunction(*map(rule, args))
    return rule(limit)


def of_each(state: Formula, rule: Callable[[Formula], Formula]) -> Formula:
    """A prohibition of a state of several things: of each of them, not of all at one moment.

    What none of them may be ("empty the bowl") is one state.
    """
    if isinstance(state, Quantified) and not any(isinstance(f, Not) for f in walk(state)):
        quantity = state.quantity if state.quantity == ALL else ALL
        return replace(state, quantity=quantity, body=of_each(state.body, rule))
    return rule(state)
