"""What single actions ask for: their things in an order, how often, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from functools import partial

from sayso.core.errors import Code
from sayso.language import meaning as m
from sayso.language.asked import repeatable
from sayso.language.clause_makers import SAME
from sayso.language.course import Course
from sayso.language.ellipsis import is_there
from sayso.language.entities import UnfitReadingError, bound, waits
from sayso.language.events import (
    Again,
    AnyOrder,
    Each,
    Either,
    Event,
    Guarded,
    Holds,
    Repeated,
    Sequence,
    State,
    achieve,
    at_most,
    end_of,
    negation,
    one_of,
    together,
)
from sayso.language.standing import Standing
from sayso.language.steps import Done
from sayso.language.thing_makers import choices
from sayso.language.verb_phrases import Handled, any_order
from sayso.logic.formula import (
    ALL,
    SOME,
    Always,
    And,
    Eventually,
    Formula,
    Or,
    Prop,
    Quantified,
    Term,
    conjunction,
    conjuncts,
    disjunction,
    map_propositions,
    propositions,
)

MAX_TIMES = 10
_AT = "at {1}"
"""Where a thing is when it was brought there, whether it is on it, in it or beside it."""


def _ends_with(event: Event) -> Formula | None:
    """The state with which steps end, of several things each; None if that is no single one."""
    match event:
        case Each(variable, domain, inner, apart, quantity):
            end = _ends_with(inner)
            return None if end is None else Quantified(quantity, variable, domain, end, apart)
        case AnyOrder(events):
            ends = [e for e in map(_ends_with, events) if e is not None]
            return conjunction(*ends) if len(ends) == len(events) else None
    return end_of(event)


def _is_choice(event: Event) -> bool:
    inner = getattr(event, "events", ())
    of_one = isinstance(event, State) and isinstance(event.formula, Or)
    return isinstance(event, Either) or of_one or any(map(_is_choice, inner))


def _tails_of(act: m.Act) -> tuple[m.Tail, ...]:
    return act.what.tails if isinstance(act.what, m.Do | m.Shared) else ()


@dataclass(frozen=True)
class Acts:
    """Makes steps of actions."""

    course: Course

    @property
    def standing(self) -> Standing:
        return Standing(self.course)

    def act(self, act: m.Act) -> list[Done]:
        """What an action asks for; nothing where it only forbids, as "touch none of them" does."""
        if act.marker == "instead" and not self.course.last_rule and self.course.has_steps:
            raise self.course.refuse(
                act.at, "it is not clear what this is done instead of.",
                hint="say 'instead of ...'.",
            )  # fmt: skip
        if isinstance(act.what, m.FromTo):
            return self.counted(self._from_to(act.what, act.at), act.count, act.only, act.at)
        what = act.what
        if isinstance(what, m.Shared):
            chain = self.course.clauses.chain
            if any(t.text == SAME for t in what.tails) and len(chain) > 1:
                return [self._all_the_same(chain, what, act)]
            what = m.Do("", "", what.things, what.tails, act.at)
        if what.things is not None and what.things.some > 1:
            return self._some_of(act, what, what.things)
        first = what.things.members[0] if what.things is not None else None
        if act.only and isinstance(first, m.Pronoun) and first.kind == "visited":
            return self._only_visit(what, act)
        if _is_limited(what):
            if act.count is not None:
                raise self.course.refuse(act.at, "so many things, so many times, is not clear.")
            self._limit_number(what)
            return []
        if (such := _such(what)) is not None:
            self._each_such(what, such, act)
            return []
        handled = self.course.clauses.handled(what, "goal")
        if handled.none:
            if act.count is not None or act.order or act.only:
                raise self.course.refuse(
                    act.at, "it is not clear what is forbidden of these.",
                    hint="say 'never ...', or 'at most once' of them.",
                )  # fmt: skip
            self._none_of(handled)
            return []
        self._refuse_markers(act, handled)
        done = self._once(self._done(handled), what)
        if act.final and (end := self._state_of_end(act, done)) is not None:
            self._visit(handled)
            self.course.note_end(end)
            return []
        if what.things is not None and what.things.marker == "in order":
            act = replace(act, order="said")
        if act.order == "each":
            act = replace(act, order="said" if len(handled.things) > 1 else "single")
        if act.marker == "some time" and len(handled.things) > 1 and handled.joiner != "or":
            done = Done(any_order(self.course.clauses.event(handled)))
        if act.order:
            done = self._ordered(done, act, handled)
        if act.marker == "in turn" and isinstance(done.event, Sequence):
            done = replace(done, latest=done.event.events[-1])  # "only then": after the last one
            self.course.ordered = True
        if act.only and act.count is None:
            self._nothing_else(what, handled, act.at)
        self._visit(handled)
        return self.counted(done, act.count, act.only, act.at)

    def _all_the_same(self, chain: Seq[m.Do], what: m.Shared, act: m.Act) -> Done:
        """ "pick up the mug and put it on the tray; do the same with the plate": both of that."""
        members = what.things.members if what.things is not None else ()
        several = len(members) != 1 or getattr(members[0], "plural", True)
        last = self.course.pending[-1] if self.course.pending else self.course.last
        several |= self.course.clauses.chain_unclear or last is None or _is_choice(last.event)
        if act.only or act.count is not None or act.order or several:
            raise self.course.refuse(
                act.at, "it is not clear what of this is done again.", hint="say it in full."
            )
        deeds = [replace(do, things=what.things, at=act.at) for do in chain]
        done = [d for do in deeds for d in self.act(m.Act(do, at=act.at))]
        self.course.clauses.chain = tuple(chain)
        return Done(Sequence(tuple(d.event for d in done)), done[-1].states)

    def _some_of(self, act: m.Act, what: m.Do, things: m.Things) -> list[Done]:
        """ "put two of the mug, the plate and the bowl on the tray": whichever two of them."""
        if act.only or act.count is not None or act.order:
            raise self.course.refuse(
                act.at, "so many of these does not go with this.", hint="name those that are meant."
            )
        events = []
        for some in choices(things):
            self.course.discourse.begin_clause()
            done = self.act(replace(act, what=replace(what, things=some)))
            events.append(self.course.combined(done, {"and"}, act.at).event)
        self.course.discourse.some_chosen = True
        return [Done(one_of(events))]

    def patrol(self, patrol: m.Patrol) -> list[Done]:
        """Places that are visited again and again."""
        if patrol.what is not None:
            handled = self.course.clauses.handled(patrol.what, "goal")
        else:
            assert patrol.things is not None
            visit = m.Do(self._visit_verb(patrol.at), "", patrol.things, (), patrol.at)
            handled = self.course.clauses.handled(visit, "goal")
        if patrol.between and (handled.joiner != "and" or len(handled.things) < 2):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "'between' goes with two places or more.",
                hint="name them with 'and'.", span=self.course.refuse(patrol.at, "").span,
            )  # fmt: skip
        done = self._done(handled)
        if handled.action.unordered != "visit" or not done.states:
            raise self.course.refuse(
                patrol.at, "only places, in any order, can be visited again and again.",
                hint="say 'patrol ...' of what is to be repeated.",
            )  # fmt: skip
        self._visit(handled)
        self.course.patrols += tuple(Again(s) for s in done.states)
        return [Done(Sequence(tuple(Again(s) for s in done.states)))]

    def held_until(self, hold: m.HoldUntil) -> Done:
        """ "hold it until you are at the sofa": held at each step from then on until that.

        "pick it up and hold on to it": from then on to the end.
        """
        held = [
            bound(self.course.clauses.prop("holding", e.term), [e])
            for e in self.course.discourse.group(hold.things, "goal").entities
        ]
        if len(held) != 1:
            raise self.course.refuse(hold.at, "one thing can be held at a time.")
        if hold.until is None:
            return Done(Sequence((State(held[0]), Holds(Always(held[0])))))
        self.course.discourse.begin_clause()
        end = State(self.course.clauses.occasion(hold.until))
        return Done(Sequence((State(held[0]), Guarded(end, held[0]))))

    def _from_to(self, what: m.FromTo, at: m.At) -> Done:
        visit = m.Do(self._visit_verb(at), "", what.first, (), at)
        first = self.course.clauses.handled(visit, "goal")
        second = self.course.clauses.handled(replace(visit, things=what.second), "goal")
        self._visit(first)
        self._visit(second)
        back = self.course.clauses.event(first) if what.back else ()
        events = (*self.course.clauses.event(first), *self.course.clauses.event(second), *back)
        states = tuple(e.formula for e in events if isinstance(e, State))
        return Done(Sequence(events), states)

    def _visit_verb(self, at: m.At) -> str:
        if (visit := self.course.lexicon.vocabulary.visit) is not None:
            return visit.wordings[0].verb
        raise self.course.refuse(at, "this robot does not go anywhere.")

    def _only_visit(self, what: m.Do, act: m.Act) -> list[Done]:
        """ "only visit each landmark one time": a rule about those named before."""
        if act.count is None or what.things is None:
            raise self.course.refuse(act.at, "it is not clear what 'only' leaves out.")
        for entity in self.course.discourse.group(what.things, "goal").entities:
            state = self.course.clauses.prop(self.course.lexicon.vocabulary.avoid, entity.term)
            self.course.rules += (at_most(state, act.count.times),)
        self.course.last_rule = True
        return []

    def _limit_number(self, do: m.Do) -> None:
        """ "visit at most one of the chairs": never more than that, whether at once or not; of a
        state that lasts, "put at most two blocks in the bowl", never more than that at once."""
        assert do.things is not None
        (thing,) = do.things.members
        assert isinstance(thing, m.Thing) and isinstance(thing.determiner, m.NumberOf)
        more = replace(thing, determiner=replace(thing.determiner, limit="more than"))
        acts = m.Several((replace(do, things=replace(do.things, members=(more,))),))
        self.course.rules += tuple(
            self.course.clauses.forbidden(acts, lambda s: self._never_so_many(s, do.at))
        )
        self.course.last_rule = True

    def _never_so_many(self, state: Formula, at: m.At) -> Formula:
        if not isinstance(state, Quantified):
            raise self.course.refuse(
                at, "a limit is nothing to be done.", hint="say 'never ... more than ...'."
            )
        lasting = self.course.lasting
        if all(p.predicate in lasting for p in propositions(state)):
            return Always(negation(state))
        return negation(replace(state, body=Eventually(state.body)))

    def _none_of(self, handled: Handled) -> None:
        """ "touch none of them", "put neither the mug nor the bowl on the plate"."""
        for outcomes in handled.things:
            for outcome in outcomes:
                self.course.rules += (
                    self.course.clauses.ruled(outcome.steps[-1], outcome.entities,
                                       lambda s: Always(negation(s))),
                )  # fmt: skip
        self.course.last_rule = True

    def _each_such(self, do: m.Do, such: tuple[str, bool], act: m.Act) -> None:
        """ "close every door that is open": as things stand when the task begins."""
        assert do.things is not None
        (thing,) = do.things.members
        assert isinstance(thing, m.Thing)
        plain = replace(do.things, members=(replace(thing, such=None),))
        handled = self.course.clauses.handled(replace(do, things=plain), "goal")
        outcome = handled.things[0][0]
        several = [e for e in outcome.entities if e.variable is not None]
        single = len(handled.things) == len(handled.things[0]) == len(several) == 1
        limited = act.only or act.count is not None or act.order
        if not single or limited or several[0].quantity != ALL:
            raise self.course.refuse(
                thing.at, "it is not clear which of them are meant.",
                hint="say 'all the ... that are ...'.",
            )  # fmt: skip
        is_so: Formula = self.course.clauses.prop(such[0], several[0].term)
        otherwise = negation(is_so) if such[1] else is_so
        done = achieve(Sequence(tuple(map(State, outcome.steps))))
        self.course.rules += (bound(disjunction(otherwise, done), several),)
        self.course.unplaced = self.course.refuse(
            thing.at, "it is not clear in which order this comes.",
            hint="say it in an instruction of its own.",
        )  # fmt: skip

    def _nothing_else(self, what: m.Do, handled: Handled, at: m.At) -> None:
        """ "only touch the mug": that, and nothing else is touched."""
        if what.things is None or handled.action.unordered == "visit":
            raise self.course.refuse(
                at, "it is not clear what 'only' leaves out.",
                hint="say 'only ... once', or 'never ... anything but ...'.",
            )  # fmt: skip
        self.standing.add(m.NothingBut(what.verb, "", what.things, what.tails, at))

    def _refuse_markers(self, act: m.Act, handled: Handled) -> None:
        if act.marker == "start" and (self.course.steps or self.course.pending):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "other steps come before this.", hint="say it first.",
                span=self.course.refuse(act.at, "").span,
            )  # fmt: skip
        if act.marker == "both" and handled.joiner == "or":
            raise self.course.refuse(act.at, "'both' needs 'and' after it.")

    def _done(self, handled: Handled) -> Done:
        events = self.course.clauses.event(handled)
        states = tuple(e.formula for e in events if isinstance(e, State))
        unordered = handled.action.unordered
        free = unordered if handled.named else ""
        if handled.joiner == "or":
            state = (disjunction(*states),) if len(states) == len(events) else ()
            return Done(one_of(list(events)), state, free)
        if len(events) == 1:
            return Done(events[0], states, free)
        if unordered:
            return Done(AnyOrder(events), states, free)
        return Done(together(events, self.course.lasting), states, free)

    def _state_of_end(self, act: m.Act, done: Done) -> Formula | None:
        """What "the mug should be on the tray at the end" asks for, if that stays so by itself."""
        end = _ends_with(done.event)
        limited = act.count is not None or act.order or act.only
        if end is None or limited:
            return None
        lexicon = self.course.lexicon
        known = {lexicon.state_of(t.text) for t in _tails_of(act)}
        where = known.pop() if len(known) == 1 else None
        if where is not None:  # of what is brought: not that it was put there
            brought = lexicon.state_of(_AT)
            end = map_propositions(
                end, lambda p: replace(p, predicate=where) if p.predicate == brought else p
            )
        lasts = all(p.predicate in self.course.lasting for p in propositions(end))
        return end if lasts else None

    def _once(self, done: Done, what: m.Do) -> Done:
        """ "take it to the desk and drop it there": what was brought there is not fetched again."""
        last = self.course.pending[-1] if self.course.pending else self.course.last
        there = is_there(what)
        end = end_of(done.event)
        if not there or last is None or end is None or end_of(last.event) != end:
            return done
        return Done(State(end), (end,), done.unordered)

    def _visit(self, handled: Handled) -> None:
        entities = [e for outcomes in handled.things for o in outcomes for e in o.entities]
        discourse = self.course.discourse
        discourse.visited = tuple(dict.fromkeys((*discourse.visited, *entities)))
        about = (o.entities[0] for outcomes in handled.things for o in outcomes if o.entities)
        discourse.handled = tuple(dict.fromkeys((*discourse.handled, *about)))
        self._note_held(handled)
        if len(handled.things) > 1 or self.course.tasks or self.course.alternatives:
            self.course.discourse.in_order = False

    def _note_held(self, handled: Handled) -> None:
        """What is in the hand after this, if that is one thing."""
        outcomes = [o for several in handled.things for o in several if o.entities]
        taken = [o.entities[0] for o in outcomes if _is_held(o.steps[-1], o.entities[0].term)]
        if taken:
            known = len(outcomes) == 1 and taken[0].variable is None
            self.course.discourse.held = taken[0].referent if known else None
        elif self.course.discourse.held in [o.entities[0].referent for o in outcomes]:
            self.course.discourse.held = None

    def _ordered(self, done: Done, act: m.Act, handled: Handled) -> Done:
        of_steps = act.order == "said" and (self.course.pending or self.course.steps)
        if len(handled.things) < 2 and (act.order in ("single", "any") or of_steps):
            return done
        events = self.course.clauses.event(handled)
        states = done.states if act.order == "strict" else events
        if handled.joiner == "or" or len(states) < 2:
            raise self.course.refuse(act.at, "an order needs several things.")
        if act.order == "any":
            return replace(done, event=any_order(events), unordered="")
        if act.order == "strict":
            for before, later in zip(done.states, done.states[1:], strict=False):
                self.course.not_until([later], State(before))
        return replace(done, event=Sequence(events))

    def counted(self, done: Done, count: m.Count | None, only: bool, at: m.At) -> list[Done]:
        """A step that is done so many times; "at most" asks for nothing."""
        if count is None:
            return [done]
        limit = "exactly" if only and not count.limit else count.limit
        if not 1 <= count.times <= MAX_TIMES:
            raise self.course.refuse(count.at, f"a count must be from 1 to {MAX_TIMES}.")
        if not limit and count.times == 1:
            raise self.course.refuse(
                count.at, "it is not clear whether more often is right too.",
                hint="say 'exactly once' or 'at least once'.",
            )  # fmt: skip
        parts = repeatable(done.event)
        if parts is None:
            raise self.course.refuse(
                at, "a count goes with one thing.", hint="say for each how often."
            )
        low = {"at most": 0, "more than": count.times + 1}.get(limit, count.times)
        high = count.times if limit in ("exactly", "at most") else None
        if high is not None:
            self.course.rules += tuple(
                quantify(at_most(state, high)) for state, quantify, _ in parts
            )
        if not low:
            return []
        events = tuple(repeat(Repeated(state, low)) for state, _, repeat in parts)
        return [replace(done, event=events[0] if len(events) == 1 else Sequence(events))]

    def sub(self, occasion: m.Occasion) -> Event:
        """A step that is not the main one: "after opening the drawer"."""
        occasion = _as_acts(occasion)
        if isinstance(occasion, m.Several):
            done: list[Done] = []
            for index, do in enumerate(occasion.members):
                if index:
                    self.course.discourse.begin_clause()
                done.append(self._done(self.course.clauses.handled(_as_named(do), "goal")))
            if occasion.joiner == "or":
                return Either(tuple(d.event for d in done))
            return self.course.conjoined(done)
        return self.one_by_one(self.course.clauses.occasion(occasion))

    def one_by_one(self, state: Formula) -> Event:
        """A step told as a state: "before you touch all the blocks" touches one at a time."""
        lasting = self.course.lasting
        match state:
            case Quantified(quantity, variable, domain, Prop() as one, apart) if (
                quantity == ALL and one.predicate not in lasting
            ):
                return Each(variable, domain, State(one), apart, quantity)
            case And(args) if len({a.predicate for a in args if isinstance(a, Prop)}) == 1:
                if all(isinstance(a, Prop) for a in args):
                    return together(map(State, args), lasting)
        return State(state)

    def once_reached(self, condition: Formula) -> Event:
        """The moment at which what was asked for is so; what passes need not be so at once."""
        at_once = len(conjuncts(condition)) == 1 and not isinstance(condition, Quantified)
        lasts = all(p.predicate in self.course.lasting for p in propositions(condition))
        return State(condition) if at_once or lasts else Sequence(())

    def sub_of_any(self, occasion: m.Occasion) -> tuple[Event, Callable[[Formula], Formula]]:
        """A step that is not the main one, and what makes a state of it one of any thing that it
        is the first to speak of.

        Raises:
            SaySoError: NOT_UNDERSTOOD for "before touching anything else": nobody asks to touch it.
        """
        self._refuse_the_rest(occasion)
        since = len(self.course.discourse.made)
        occasion = _as_acts(occasion)
        event = self.sub(occasion)
        told = self.course.discourse.made[since:] if isinstance(occasion, m.Several) else []
        new = [replace(e, quantity=SOME) for e in told if waits(e)]
        return event, partial(bound, entities=new)

    def _refuse_the_rest(self, occasion: m.Occasion) -> None:
        acts = _as_acts(occasion)
        for do in acts.members if isinstance(acts, m.Several) else ():
            for thing in do.things.members if do.things is not None else ():
                if isinstance(thing, m.Pronoun) and thing.kind == "everything else":
                    raise self.course.refuse(
                        do.at, "it is not clear whether this is to be done at all.",
                        hint="say 'never ... anything else until ...'.",
                    )  # fmt: skip


def _such(do: m.Do) -> tuple[str, bool] | None:
    members = do.things.members if do.things is not None else ()
    thing = members[0] if len(members) == 1 else None
    return thing.such if isinstance(thing, m.Thing) else None


def _as_acts(occasion: m.Occasion) -> m.Occasion:
    """ "after you have put the mug there": all steps of it, not only how it ends."""
    if isinstance(occasion, m.Condition):
        acts = [s.act for s in occasion.states if isinstance(s, m.ActState) and s.positive]
        if len(acts) == len(occasion.states):
            return m.Several(tuple(acts), occasion.joiner)
    return occasion


def _as_named(do: m.Do) -> m.Do:
    """ "after you have visited the last one": of those that were named."""
    if do.things is None:
        return do
    members = tuple(
        replace(t, listed=True) if isinstance(t, m.Ordinal) else t for t in do.things.members
    )
    return replace(do, things=replace(do.things, members=members))


def _is_held(state: Formula, thing: Term) -> bool:
    held = (p for p in conjuncts(state) if isinstance(p, Prop) and p.predicate == "holding")
    return any(p.args[0] == thing for p in held)


def _is_limited(do: m.Do) -> bool:
    """Whether a verb's only things are "at most" so many."""
    if do.things is None or len(do.things.members) != 1:
        return False
    determiner = getattr(do.things.members[0], "determiner", None)
    return isinstance(determiner, m.NumberOf) and determiner.limit == "at most"
