"""Instructions to formulas: how the clauses of sentences make one task.

A `Task` grows clause by clause: steps in their order, alternatives, rules that hold throughout.
What a clause asks for is worked out in `clauses.py`, what it forbids in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from sayso.core.errors import Code, SaySoError
from sayso.language import exact
from sayso.language import meaning as m
from sayso.language.arrangements import Arrangements
from sayso.language.asked import held_back, repeatable, shares_state, states_of
from sayso.language.clauses import Clauses, Handled, any_order, bound, waits
from sayso.language.events import (
    MAX_STEPS,
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
    negation,
    together,
    too_long,
)
from sayso.language.lexicon import MAX_NAMED, Lexicon
from sayso.language.references import Discourse, Entity, Group, Refuse, UnfitReadingError
from sayso.language.remarks import tell
from sayso.language.rules import Rules, until_each
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
    Referent,
    Term,
    Until,
    conjunction,
    disjunction,
    map_referents,
    propositions,
    referents_of,
    walk,
)
from sayso.logic.scope import bound_at_the_end, stands_outside

MAX_TIMES = 10
_END = (10_000, 10_000)
_SPEAKER = Referent("speaker")
_LONE = {
    "either": "'either' needs 'or' after it.",
    "both": "'both' needs two things, or two steps with 'and' between them.",
}
_SEVERAL = tuple(map(m.Pronoun, ("them", "all of them", "both of them")))
_MIXED = "it is not clear how this goes with what was said before."
_FORBIDDEN_TOO = "it is not clear whether this is forbidden too."
_AND_ENDED = {"and at last": "at last", "and before": "before"}
"""What goes on with "and", so that it may belong to a rule before it."""
_ENDED = (
    "then",
    ".",
    "only then",
    "before",
    "at first",
    "at last",
    "also",
    "alternatively",
    "actually",
)


@dataclass(frozen=True)
class Done:
    """What a clause asks for.

    Attributes:
        states: the formulas of its single states, for rules about their order.
        unordered: the label of its action if all things are named, so that "and" between two
            alike leaves the order open.
        ruled: whether a rule gives its place in the order.
    """

    event: Event
    states: tuple[Formula, ...] = ()
    unordered: str = ""
    ruled: bool = False


@dataclass
class Task:
    """What was asked for so far.

    Attributes:
        waiting: pairs of states of which one waits for the other.
        waited: why nothing may come after "wait there"; it asks for nothing only at the end.
        statements: sentences in the exact wording.
    """

    lexicon: Lexicon
    discourse: Discourse
    clauses: Clauses
    tasks: tuple[Event, ...] = ()
    alternatives: tuple[Event, ...] = ()
    steps: tuple[Event, ...] = ()
    rules: tuple[Formula, ...] = ()
    patrols: tuple[Again, ...] = ()
    last: Done | None = None
    last_joined: Done | None = None
    last_rule: bool = False
    put_first: bool = False
    openings: tuple[str, ...] = ()
    pending: list[Done] = field(default_factory=list)
    either: bool = False
    closed: bool = False
    inserted: bool = False
    patrolled: bool = False
    remarked: bool = False
    entities: dict[str, Entity] = field(default_factory=dict)
    waiting: frozenset[tuple[Formula, Formula]] = frozenset()
    waited: SaySoError | None = None
    statements: tuple[exact.Statement, ...] = ()

    @staticmethod
    def begin(lexicon: Lexicon, refuse: Refuse, mentioned: Seq[Referent] = ()) -> Task:
        """An empty task; pronouns at its start may stand for what is `mentioned`."""
        discourse = Discourse(lexicon, refuse)
        discourse.item_before = tuple(Group((Entity(r),)) for r in mentioned)
        return Task(lexicon, discourse, Clauses(lexicon, discourse))

    def copy(self, refuse: Refuse) -> Task:
        discourse = self.discourse.copy()
        discourse.refuse = refuse
        clauses = replace(self.clauses, discourse=discourse)
        return replace(self, discourse=discourse, clauses=clauses, entities=dict(self.entities))

    @property
    def _refuse(self) -> Refuse:
        return self.discourse.refuse

    @property
    def _rule_clauses(self) -> Rules:
        return Rules(self.clauses, self.discourse)

    @property
    def _arrangements(self) -> Arrangements:
        return Arrangements(self.clauses)

    # -- sentences -----------------------------------------------------------------------

    def add(self, sentence: m.Sentence) -> None:
        """One more sentence. Raises NOT_UNDERSTOOD pointing at the words at fault."""
        mode = sentence.opening or "."
        if self.statements:
            raise self._refuse(sentence.at, _MIXED, hint="say all of it in one way.")
        self.openings += (sentence.opening,)
        match sentence.body:
            case None:
                raise self._refuse(
                    _END, "the instruction ends too early.", hint="say what is to be done."
                )
            case m.Chain():
                self._leave_verb(sentence.body.first)
                self._chain(sentence.body, mode)
            case m.Unordered(then):
                self._unordered(then, mode)
            case m.Led(kind, other, then):
                self._led(kind, other, then, mode)
            case m.Conditional():
                if mode not in (".", "then", "also"):
                    raise self._refuse(sentence.at, _MIXED, hint="give the whole task anew.")
                self._conditional(sentence.body, mode)
        match sentence.more:
            case m.Chain():
                self._chain(sentence.more, "also")
            case m.Conditional():
                self._conditional(sentence.more, ".")

    def _leave_verb(self, first: m.Item) -> None:
        """A sentence without a verb takes that of the one before only where it goes with it, and
        never that of a rule. Raises NOT_UNDERSTOOD where it may be forbidden, too."""
        if not isinstance(first, m.Act) or not isinstance(first.what, m.Shared):
            return
        continues = self.clauses.continues(first.what)
        if self.last_rule and (continues or not first.what.tails):
            raise self._refuse(
                first.at,
                _FORBIDDEN_TOO,
                hint="begin with a verb.",
            )
        if not continues:
            self.clauses.last = None

    def state(self, statement: exact.Statement, at: m.At) -> None:
        """One more sentence in the exact wording. Raises NOT_UNDERSTOOD after another one."""
        if self.openings:
            raise self._refuse(at, _MIXED, hint="say all of it in one way.")
        self.statements += (statement,)

    def _chain(self, chain: m.Chain, mode: str) -> None:
        groups = self._groups(chain, mode)
        for index, (group_mode, links) in enumerate(groups):
            self._group(group_mode, links, chain.at, more=index + 1 < len(groups))

    def _groups(self, chain: m.Chain, mode: str) -> list[tuple[str, list[m.Link]]]:
        """The items and modifiers between "then" and its like."""
        groups: list[tuple[str, list[m.Link]]] = [(mode, [m.Link("", chain.first)])]
        either = isinstance(chain.first, m.Act) and chain.first.marker == "either"
        for before, link in pairwise((groups[0][1][0], *chain.rest)):
            joiner = _AND_ENDED.get(link.joiner, link.joiner)
            if joiner != link.joiner and isinstance(before.item, m.RULES):
                raise self._refuse(chain.at, _FORBIDDEN_TOO, hint="begin a new sentence.")
            splits = joiner in _ENDED or (joiner == "or" and either and len(groups) > 1)
            if splits:
                groups.append((joiner, [replace(link, joiner="")]))
            else:
                groups[-1][1].append(link)
        return groups

    def _unordered(self, chain: m.Chain, mode: str) -> None:
        items = [chain.first, *(link.item for link in chain.rest if link.item is not None)]
        modes = {link.joiner for link in chain.rest} - {"comma", "and"}
        events = [d for item in items for d in self._item(item)]
        if modes or len(events) < 2:
            raise self._refuse(chain.at, "'in any order' needs several steps.")
        self._join(Done(AnyOrder(tuple(d.event for d in events))), mode, chain.at)

    def _led(self, kind: str, other: m.Occasion, then: m.Chain, mode: str) -> None:
        """ "before X, A, then B" and "after X, A, then B": with the first group."""
        if isinstance(then.first, m.RULES):
            self._led_rule(kind, other, then, mode)
            return
        self.discourse.begin_item()
        if kind == "before":
            groups = self._groups(then, mode)
            led, any_of = self._sub_of_any(other)
            event = self._combined_group(groups[0][1], then.at)
            self._join(Done(held_back(event.event, led, any_of)), mode, then.at)
            for group_mode, links in groups[1:]:
                self._group(group_mode, links, then.at, more=True)
            return
        led = self._sub(other)
        groups = self._groups(then, mode)
        event = self._combined_group(groups[0][1], then.at)
        self._join(Done(Sequence((led, event.event))), mode, then.at)
        for group_mode, links in groups[1:]:
            self._group(group_mode, links, then.at, more=True)

    def _led_rule(self, kind: str, other: m.Occasion, then: m.Chain, mode: str) -> None:
        if kind == "before":
            raise self._refuse(
                then.at, "a rule after 'before ...' is not understood.",
                hint="say 'never ... before ...'.",
            )  # fmt: skip
        self.discourse.begin_item()
        after = self.clauses.occasion(other)
        assert isinstance(then.first, m.RULES)
        self._rule(then.first, after=after)
        if then.rest:
            self._chain(m.Chain(then.rest[0].item or then.first, then.rest[1:], then.at),
                        then.rest[0].joiner or "and")  # fmt: skip

    def _sub(self, occasion: m.Occasion) -> Event:
        """A step that is not the main one: "after opening the drawer"."""
        if isinstance(occasion, m.Several):
            done: list[Done] = []
            for index, do in enumerate(occasion.members):
                if index:
                    self.discourse.begin_clause()
                done.append(self._done(self.clauses.handled(do, "goal")))
            if occasion.joiner == "or":
                return Either(tuple(d.event for d in done))
            return self._and(done)
        return self._one_by_one(self.clauses.occasion(occasion))

    def _one_by_one(self, state: Formula) -> Event:
        """A step told as a state: "before you touch all the blocks" touches one at a time."""
        lasting = self.lexicon.vocabulary.lasting
        match state:
            case Quantified(quantity, variable, domain, Prop() as one, apart) if (
                quantity == ALL and one.predicate not in lasting
            ):
                return Each(variable, domain, State(one), apart)
            case And(args) if len({a.predicate for a in args if isinstance(a, Prop)}) == 1:
                if all(isinstance(a, Prop) for a in args):
                    return together(map(State, args), lasting)
        return State(state)

    def _sub_of_any(self, occasion: m.Occasion) -> tuple[Event, Callable[[Formula], Formula]]:
        """A step that is not the main one, and what makes a state of it one of any thing that it
        is the first to speak of."""
        since = len(self.discourse.made)
        event = self._sub(occasion)
        told = self.discourse.made[since:] if isinstance(occasion, m.Several) else []
        new = [replace(e, quantity=SOME) for e in told if waits(e)]
        return event, partial(bound, entities=new)

    # -- conditions ----------------------------------------------------------------------

    def _conditional(self, body: m.Conditional, mode: str) -> None:
        """ "If C, A, otherwise B": the state at the beginning decides; "whenever": each step."""
        kind = body.case.kind
        self._refuse_after_waiting()
        self.discourse.begin_item()
        if kind in ("when", "while") and not isinstance(body.then.first, m.RULES):
            self._when(body, mode)
            return
        occasion = body.case.condition
        if body.case.at[0] > body.then.at[0]:
            self._conditioned(body)
            return
        event_like = isinstance(occasion, m.Several)
        condition = self.clauses.occasion(occasion)
        if kind == "only if":
            raise self._refuse(
                body.at, "it is not clear whether it has to be done where that is so.",
                hint="say 'if ...', or 'do not ... unless ...'.",
            )  # fmt: skip
        self.discourse.forget_indefinite()
        if isinstance(body.then.first, m.RULES) and (kind == "when" or event_like):
            self._rules_from(body, condition)
            return
        if event_like and kind == "if":
            raise self._refuse(
                body.at, "it is not clear when this is asked for.",
                hint="say 'if the ... is ...', or 'after ...ing'.",
            )  # fmt: skip
        if kind == "unless":
            condition = negation(condition)
        self._refuse_open_ended(body)
        mentioned = self.discourse.mentioned()
        meaning = self._consequence(body.then)
        self._case(condition, meaning, every_time=kind == "whenever")
        if body.otherwise is not None:
            self.discourse.recall(mentioned)
            self._case(negation(condition), self._consequence(body.otherwise),
                       every_time=kind == "whenever")  # fmt: skip

    def _refuse_open_ended(self, body: m.Conditional) -> None:
        """ "if the drawer is shut, open it, then put the mug in it": the mug is put there in any
        case, or only in that one."""
        once = body.case.kind in ("if", "unless") and body.otherwise is None
        if once and any(link.joiner in _ENDED for link in body.then.rest):
            raise self._refuse(
                body.then.at, "it is not clear whether all of this depends on the condition.",
                hint="join it by 'and' if it does, or else begin a new sentence.",
            )  # fmt: skip

    def _conditioned(self, body: m.Conditional) -> None:
        """ "A if C": said in the other order."""
        kind = body.case.kind
        first = body.then.first
        only = isinstance(first, m.Act) and first.only
        if kind == "only if" or only or isinstance(body.case.condition, m.Several):
            raise self._refuse(
                body.at, "it is not clear when this has to be done.",
                hint="say 'if ..., ...', or 'do not ... unless ...'.",
            )  # fmt: skip
        if any(link.joiner and link.item for link in body.then.rest):
            raise self._refuse(
                body.case.at, "it is not clear whether all of this depends on the condition.",
                hint="say 'if ...' first, or that step in a sentence of its own.",
            )  # fmt: skip
        meaning = self._consequence(body.then)
        self.discourse.begin_clause()
        condition = self.clauses.occasion(body.case.condition)
        condition = negation(condition) if kind == "unless" else condition
        self._case(condition, meaning, every_time=kind == "whenever")
        if body.otherwise is not None:
            self._case(negation(condition), self._consequence(body.otherwise),
                       every_time=kind == "whenever")  # fmt: skip

    def _rules_from(self, body: m.Conditional, condition: Formula) -> None:
        first = body.then.first
        assert isinstance(first, m.RULES)
        self._rule(first, after=condition)
        if body.then.rest:
            link = body.then.rest[0]
            if link.item is None:
                raise self._refuse(body.at, "it is not clear what this belongs to.")
            self._chain(m.Chain(link.item, body.then.rest[1:], body.at), link.joiner)

    def _when(self, body: m.Conditional, mode: str) -> None:
        """ "When C, A": after C if that is asked for; else A follows whenever C comes."""
        condition = self.clauses.occasion(body.case.condition)
        if _tells_of_acts(body.case.condition):
            self._refuse_all_at_once(condition, body.at)
        asked = {s for e in self.steps for s in states_of(e)}
        if condition in asked:
            groups = self._groups(body.then, mode)
            event = self._combined_group(groups[0][1], body.at)
            self._join(Done(Sequence((State(condition), event.event))), "then", body.at)
            for group_mode, links in groups[1:]:
                self._group(group_mode, links, body.at, more=True)
            return
        self.discourse.forget_indefinite()
        self._case(condition, self._consequence(body.then), every_time=True)

    def _refuse_all_at_once(self, condition: Formula, at: m.At) -> None:
        """ "when you have visited both desks": one after the other, which no single step shows."""
        passing = [p for p in propositions(condition) if p.predicate not in
                   self.lexicon.vocabulary.lasting]  # fmt: skip
        if passing and any(isinstance(f, Quantified) and f.quantity != SOME
                           for f in walk(condition)):  # fmt: skip
            raise self._refuse(at, "it is not clear whether all of these are meant at once.",
                               hint="say 'after ...', or name one of them.")  # fmt: skip

    def _consequence(self, chain: m.Chain) -> Formula:
        """Steps and rules as one formula, taken out of the task's own."""
        rules = [link.item for link in chain.rest if isinstance(link.item, m.RULES)]
        if rules and isinstance(chain.first, m.Act):
            raise self._refuse(
                chain.at, "it is not clear whether this is forbidden in any case.",
                hint="say the prohibition in a sentence of its own, or first.",
            )  # fmt: skip
        inner = Task(self.lexicon, self.discourse, self.clauses, waiting=self.waiting)
        inner.discourse.begin_item()
        before = len(inner.discourse.made)
        inner._chain(chain, ".")
        if inner.patrols:
            raise self._refuse(chain.at, "a patrol has no end, so it cannot depend on something.")
        inner.end_task()
        formula = inner._closed(before)
        self.entities.update(inner.entities)
        return formula

    def _case(self, condition: Formula, meaning: Formula, *, every_time: bool) -> None:
        implication = disjunction(negation(condition), meaning)
        self.rules += (Always(implication) if every_time else implication,)
        self.last_rule = True

    # -- groups --------------------------------------------------------------------------

    def _group(self, mode: str, links: list[m.Link], at: m.At, *, more: bool) -> None:
        only = links[0].item
        if len(links) == 1 and isinstance(only, m.Remark):
            self._remark(only)
            return
        before = len(self.rules)
        self.put_first = False
        done = self._combined_group(links, at, mode, more=more, follows=True)
        if self.put_first:
            mode = "at first"
        opened = self._opens_alternatives(links)
        if isinstance(done.event, Sequence) and not done.event.events:
            if opened:
                raise self._refuse(at, _LONE["either"])
            if len(self.rules) > before:
                self.last_rule = True
                if mode in ("or", "alternatively"):
                    raise self._refuse(at, "a rule is no alternative.", hint="say 'and never'.")
            return
        self._join(done, mode, at)
        self.either = self.either or opened

    def _opens_alternatives(self, links: list[m.Link]) -> bool:
        """Whether a group begins with an "either" whose "or" is still to come."""
        first = links[0].item
        return (
            isinstance(first, m.Act)
            and first.marker == "either"
            and not _joins(first, "or")
            and not any(link.joiner == "or" for link in links)
        )

    def _refuse_lone_markers(self, links: list[m.Link], *, more: bool) -> None:
        """An "either" or a "both" that joins nothing; `more` steps may follow the group."""
        for index, link in enumerate(links):
            act = link.item
            if not isinstance(act, m.Act) or act.marker not in _LONE:
                continue
            joiner = "or" if act.marker == "either" else "and"
            among = not index and any(later.joiner in (joiner, "or") for later in links)
            if not (among or _joins(act, joiner) or (more and not index and joiner == "or")):
                raise self._refuse(act.at, _LONE[act.marker])

    def _combined_group(
        self, links: list[m.Link], at: m.At, mode: str = ".", *, more: bool = False,
        follows: bool = False,
    ) -> Done:  # fmt: skip
        """What the items between two "then" ask for together.

        Args:
            more: whether more groups follow.
            follows: whether the alternative to this one may be said in a sentence of its own.
        """
        done: list[Done] = []
        joiners: set[str] = set()
        after_rule, latest = False, links[0].item
        order = ""
        for link in links:
            if link.modifier is not None:
                done = [self._modified(done, joiners, link.modifier, mode)]
                joiners = set()
                continue
            item = link.item
            assert item is not None
            self.pending = done
            if isinstance(item, m.Remark):
                if link.joiner == "but" and done and item.kind in ("story", "report"):
                    raise self._refuse(item.at, "it is not clear what this changes.",
                                       hint="say only what is to be done.")  # fmt: skip
                self._remark(item)
                continue
            is_rule = isinstance(item, (*m.RULES, m.LedItem)) and not (
                isinstance(item, m.LedItem) and not isinstance(item.then, m.RULES)
            )
            if is_rule and link.joiner == "or" and isinstance(item, m.RULES):
                done.append(self._rule_as_alternative(item))
                joiners.add("or")
                continue
            if is_rule and link.joiner == "or":
                raise self._refuse(item.at, "a rule is no alternative.", hint="say 'and never'.")
            bare = isinstance(item, m.Goal) and item.bare
            if bare and (after_rule or (not done and self.last_rule)):
                raise self._refuse(item.at, _FORBIDDEN_TOO, hint="begin with a verb.")
            clear = is_rule or (link.joiner == "and" and _is_no_more_of(latest, item))
            if after_rule and not clear and link.joiner in ("and", "or"):
                raise self._refuse(
                    item.at, _FORBIDDEN_TOO,
                    hint="begin a new sentence, or say 'and never ...' or 'but ...'.",
                )  # fmt: skip
            found = self._item(item)
            if isinstance(item, m.Act) and item.order:
                order = item.order
            if found and done and link.joiner:
                joiners.add("and" if link.joiner == "but" else link.joiner)
            if found:
                self.last = found[-1]
            done += found
            after_rule, latest = is_rule, item
            self.last_rule = is_rule
        self._refuse_lone_markers(links, more=follows)
        if not done:
            return Done(Sequence(()))
        first = links[0].item
        marker = first.marker if isinstance(first, m.Act) else ""
        if marker == "both" and len(done) == 1 and len(done[0].states) < 2:
            raise self._refuse(at, _LONE["both"])
        if "or" in joiners and marker != "either" and (more or (self.steps and mode != ".")):
            raise self._refuse(
                at, "it is not clear what the alternative is to.",
                hint="say 'either ..., or ...' or 'alternatively'.",
            )  # fmt: skip
        return self._combined(done, joiners, at, order, marker)

    def _rule_as_alternative(self, rule: m.Rule) -> Done:
        """ "open the drawer or never touch the mug"."""
        before = self.rules
        self._item(rule)
        made, self.rules, self.last_rule = self.rules[len(before) :], before, False
        return Done(Holds(conjunction(*made)))

    def _combined(
        self, done: list[Done], joiners: set[str], at: m.At, order: str = "", marker: str = ""
    ) -> Done:
        kinds = joiners - {"comma"}
        if order == "any" and len(done) == 1 and not isinstance(done[0].event, AnyOrder | Each):
            raise self._refuse(at, "'in any order' needs several steps.")
        if len(kinds) > 1:
            raise self._refuse(
                at, "'and' and 'or' are mixed, so it is not clear what belongs together.",
                hint="use a new sentence or 'then' for one of them.",
            )  # fmt: skip
        if len(done) == 1:
            return done[0]
        if "or" in kinds and marker == "both":
            raise self._refuse(at, "'both' needs 'and' after it.")
        if "or" in kinds:
            return Done(_either([d.event for d in done]))
        if order == "said" and len(done[-1].states) == 1:
            return Done(Sequence(tuple(d.event for d in done)))
        if order == "any":
            return Done(AnyOrder(tuple(d.event for d in done)))
        if any(d.ruled for d in done):
            return Done(AnyOrder(tuple(d.event for d in done)), ruled=True)
        if "and" in kinds:
            return Done(self._and(done), (), _alike(done))
        return Done(Sequence(tuple(d.event for d in done)))

    def _and(self, done: list[Done]) -> Event:
        if len(done) == 1:
            return done[0].event
        if _alike(done):
            return AnyOrder(tuple(d.event for d in done))
        return together([d.event for d in done], self.lexicon.vocabulary.lasting)

    # -- items ---------------------------------------------------------------------------

    def _item(self, item: m.Item) -> list[Done]:
        """What an item asks for; nothing for a rule, which is added."""
        if not isinstance(item, m.RULES):
            self._refuse_after_waiting()
        if not isinstance(item, m.LedItem):
            self.discourse.begin_item()
        match item:
            case m.Act():
                return self._act(item)
            case m.Goal(state, count):
                formula = self.clauses.condition(state, "goal")
                return self._counted(Done(State(formula), (formula,)), count, False, item.at)
            case m.Patrol():
                return self._patrol(item)
            case m.Swap():
                return [Done(self._arrangements.swapped(item))]
            case m.PutBack():
                return [Done(self._arrangements.put_back(item))]
            case m.PutWhere():
                return [Done(self._arrangements.put_where(item))]
            case m.Empty():
                return [Done(self._arrangements.emptied(item))]
            case m.HoldUntil():
                return [self._held_until(item)]
            case m.LedItem():
                return self._led_item(item)
            case m.Remark():
                self._remark(item)
                return []
            case _:
                self._rule(item)
                return []

    def _held_until(self, hold: m.HoldUntil) -> Done:
        """ "hold it until you are at the sofa": held at each step from then on until that."""
        held = [
            bound(self.clauses.prop("holding", e.term), [e])
            for e in self.discourse.group(hold.things, "goal").entities
        ]
        if len(held) != 1:
            raise self._refuse(hold.at, "one thing can be held at a time.")
        self.discourse.begin_clause()
        end = State(self.clauses.occasion(hold.until))
        return Done(Sequence((State(held[0]), Guarded(end, held[0]))))

    def _act(self, act: m.Act) -> list[Done]:
        if act.marker == "unclear":
            raise self._refuse(
                act.at, "it is not clear what this takes the place of.", hint="say it in full."
            )
        if isinstance(act.what, m.FromTo):
            return self._counted(self._from_to(act.what, act.at), act.count, act.only, act.at)
        what = act.what
        if isinstance(what, m.Shared):
            what = m.Do("", "", what.things, what.tails, act.at)
        first = what.things.members[0] if what.things is not None else None
        if act.only and isinstance(first, m.Pronoun) and first.kind == "visited":
            return self._only_visit(what, act)
        if _is_limited(what):
            self._limit_number(what)
            return []
        handled = self.clauses.handled(what, "goal")
        if handled.none:
            self._none_of(handled)
            return []
        self._refuse_markers(act, handled)
        done = self._done(handled)
        if what.things is not None and what.things.marker == "in order":
            act = replace(act, order="said")
        if act.order:
            done = self._ordered(done, act, handled)
        if act.only and act.count is None:
            self._nothing_else(what, handled, act.at)
        self._visit(handled)
        return self._counted(done, act.count, act.only, act.at)

    def _nothing_else(self, what: m.Do, handled: Handled, at: m.At) -> None:
        """ "only touch the mug": that, and nothing else is touched."""
        if what.things is None or handled.action.unordered == "visit":
            raise self._refuse(
                at, "it is not clear what 'only' leaves out.",
                hint="say 'only ... once', or 'never ... anything but ...'.",
            )  # fmt: skip
        self._rule(m.NothingBut(what.verb, "", what.things, what.tails, at))

    def _limit_number(self, do: m.Do) -> None:
        """ "visit at most one of the chairs": never more than that, whether at once or not; of a
        state that lasts, "put at most two blocks in the bowl", never more than that at once."""
        assert do.things is not None
        (thing,) = do.things.members
        assert isinstance(thing, m.Thing) and isinstance(thing.determiner, m.NumberOf)
        more = replace(thing, determiner=replace(thing.determiner, limit="more than"))
        acts = m.Several((replace(do, things=replace(do.things, members=(more,))),))
        self.rules += tuple(self.clauses.forbidden(acts, lambda s: self._never_so_many(s, do.at)))
        self.last_rule = True

    def _never_so_many(self, state: Formula, at: m.At) -> Formula:
        if not isinstance(state, Quantified):
            raise self._refuse(
                at, "a limit is nothing to be done.", hint="say 'never ... more than ...'."
            )
        lasting = self.lexicon.vocabulary.lasting
        if all(p.predicate in lasting for p in propositions(state)):
            return Always(negation(state))
        return negation(replace(state, body=Eventually(state.body)))

    def _refuse_markers(self, act: m.Act, handled: Handled) -> None:
        if act.marker == "start" and (self.steps or self.pending):
            raise self._refuse(act.at, "other steps come before this.", hint="say it first.")
        if act.marker == "both" and handled.joiner == "or":
            raise self._refuse(act.at, "'both' needs 'and' after it.")

    def _done(self, handled: Handled) -> Done:
        events = self.clauses.event(handled)
        states = tuple(e.formula for e in events if isinstance(e, State))
        unordered = handled.action.unordered
        free = unordered if handled.named else ""
        if handled.joiner == "or":
            state = (disjunction(*states),) if len(states) == len(events) else ()
            return Done(_either(list(events)), state, free)
        if len(events) == 1:
            return Done(events[0], states, free)
        if unordered:
            return Done(AnyOrder(events), states, free)
        return Done(together(events, self.lexicon.vocabulary.lasting), states, free)

    def _visit(self, handled: Handled) -> None:
        entities = [e for outcomes in handled.things for o in outcomes for e in o.entities]
        self.discourse.visited = tuple(dict.fromkeys((*self.discourse.visited, *entities)))
        self._note_held(handled)
        if len(handled.things) > 1 or self.tasks or self.alternatives:
            self.discourse.in_order = False

    def _note_held(self, handled: Handled) -> None:
        """What is in the hand after this, if that is one thing."""
        outcomes = [o for several in handled.things for o in several if o.entities]
        taken = [o.entities[0] for o in outcomes if _is_held(o.steps[-1], o.entities[0].term)]
        if taken:
            known = len(outcomes) == 1 and taken[0].variable is None
            self.discourse.held = taken[0].referent if known else None
        elif self.discourse.held in [o.entities[0].referent for o in outcomes]:
            self.discourse.held = None

    def _from_to(self, what: m.FromTo, at: m.At) -> Done:
        visit = m.Do(self._visit_verb(at), "", what.first, (), at)
        first = self.clauses.handled(visit, "goal")
        second = self.clauses.handled(replace(visit, things=what.second), "goal")
        self._visit(first)
        self._visit(second)
        events = (*self.clauses.event(first), *self.clauses.event(second))
        states = tuple(e.formula for e in events if isinstance(e, State))
        return Done(Sequence(events), states)

    def _visit_verb(self, at: m.At) -> str:
        if (visit := self.lexicon.vocabulary.visit) is not None:
            return visit.wordings[0].verb
        raise self._refuse(at, "this robot does not go anywhere.")

    def _none_of(self, handled: Handled) -> None:
        """ "touch none of them", "put neither the mug nor the bowl on the plate"."""
        for outcomes in handled.things:
            for outcome in outcomes:
                self.rules += (
                    self.clauses.ruled(outcome.steps[-1], outcome.entities,
                                       lambda s: Always(negation(s))),
                )  # fmt: skip
        self.last_rule = True

    def _only_visit(self, what: m.Do, act: m.Act) -> list[Done]:
        """ "only visit each landmark one time": a rule about those named before."""
        if act.count is None or what.things is None:
            raise self._refuse(act.at, "it is not clear what 'only' leaves out.")
        for entity in self.discourse.group(what.things, "goal").entities:
            state = self.clauses.prop(self._near(), entity.term)
            self.rules += (at_most(state, act.count.times),)
        self.last_rule = True
        return []

    def _near(self) -> str:
        return self.lexicon.vocabulary.avoid

    def _led_item(self, item: m.LedItem) -> list[Done]:
        self.discourse.begin_item()
        if isinstance(item.then, m.RULES):
            during = item.kind == "while"
            condition = self.clauses.occasion(item.other)
            if item.kind == "before":
                raise self._refuse(item.at, "a rule after 'before ...' is not understood.",
                                   hint="say 'never ... before ...'.")  # fmt: skip
            self._rule(item.then, after=None if during else condition,
                       during=condition if during else None)  # fmt: skip
            return []
        if item.kind == "while":
            raise self._refuse(
                item.at, "'while' goes with a rule.", hint="say 'keep ... while ...'."
            )
        if item.kind == "when":
            condition = self.clauses.occasion(item.other)
            if condition not in {s for e in self.steps for s in states_of(e)}:
                raise self._refuse(item.at, "it is not clear in which order this comes.",
                                   hint="begin a new sentence.")  # fmt: skip
            led: Event = State(condition)
        elif item.kind == "only after":
            led = State(self.clauses.occasion(item.other))
        else:
            led, any_of = self._sub_of_any(item.other)
        then = self._item(item.then)
        if not then or (item.kind == "only after" and not then[0].states):
            raise self._refuse(item.at, "it is not clear what comes then.", hint="say one step.")
        if item.kind == "only after":
            self._not_until(then[0].states, states_of(led)[0], item.at)
        if item.kind == "before":
            return [Done(held_back(then[0].event, led, any_of))]
        return [Done(Sequence((led, then[0].event)))]

    def _remark(self, remark: m.Remark) -> None:
        if remark.kind == "aside":
            return
        if remark.kind == "waiting":
            self._wait(remark.at)
            return
        self.discourse.begin_item()
        tell(self.discourse, remark)
        self.clauses.last = None
        self.remarked = True

    def _wait(self, at: m.At) -> None:
        """ "... and wait there": nothing more is done, so nothing may come before or after it."""
        self.waited = self._refuse(
            at, "how long to wait cannot be said, so nothing can come after it.",
            hint="leave the waiting out, or say what is done 'as soon as' something is so.",
        )  # fmt: skip
        if not (self.pending or self.has_steps):
            raise self.waited

    def _refuse_after_waiting(self) -> None:
        if self.waited is not None:
            raise self.waited

    # -- rules ---------------------------------------------------------------------------

    def _rule(
        self, rule: m.Rule, after: Formula | None = None, during: Formula | None = None
    ) -> None:
        self.discourse.begin_clause()
        if isinstance(rule, m.Never | m.Avoid) and rule.limit and rule.limit.kind == "leg":
            self._on_the_leg(rule)
        else:
            latest = self.last.states[0] if self.last and len(self.last.states) == 1 else None
            since = self._since(rule, latest) if after is None and during is None else None
            if since is not None and isinstance(rule, m.LIMITED):
                rule = replace(rule, limit=None)
            found = self._rule_clauses.rule(rule, after, during, latest)
            if since is not None:
                self._hold_from(since, Holds(conjunction(*found)))
                found = []
            self._note_waiting(found, rule.at)
            self.rules += tuple(found)
        self.last_rule = True

    def _since(self, rule: m.Rule, latest: Formula | None) -> State | None:
        """The step from which on a rule holds: "don't shut it afterwards", "open it and leave it
        open"; None for one that holds from the start."""
        limit = getattr(rule, "limit", None)
        state: Formula | None = None
        if limit is not None and limit.kind == "from then":
            state = latest
        elif isinstance(rule, m.Keep) and limit is None and len(rule.state.states) == 1:
            state = self._kept_now(rule.state)
        step = State(state) if state is not None else None
        asked = (*(d.event for d in self.pending), *self.steps)
        return step if step in asked else None

    def _hold_from(self, step: State, rule: Holds) -> None:
        """Makes a rule hold from the last time on that a step is done."""
        for i, done in reversed(list(enumerate(self.pending))):
            if done.event == step:
                self.pending[i] = replace(done, event=Sequence((step, rule)), unordered="")
                return
        last = len(self.steps) - self.steps[::-1].index(step)
        self.steps = (*self.steps[:last], rule, *self.steps[last:])

    def _kept_now(self, state: m.Condition) -> Formula | None:
        """The state that is to be kept, if no "a ..." is in it; nothing is mentioned by that."""
        discourse = self.discourse.copy()
        clauses = replace(self.clauses, discourse=discourse)
        made = len(discourse.made)
        with suppress(SaySoError):
            found = clauses.condition(state, "condition")
            return found if len(discourse.made) == made else None
        return None

    def _note_waiting(self, rules: Seq[Formula], at: m.At) -> None:
        """CONTRADICTION where each of two states has to wait for the other."""
        for rule in rules:
            match rule:
                case Or((Always(_), Until(absent, limit))):
                    for state in (negation(a) for a in _conjuncts(absent)):
                        if state == limit or (limit, state) in self.waiting:
                            raise SaySoError(
                                Code.CONTRADICTION,
                                "each of two states is to come about before the other.",
                                hint="leave out one of the two.",
                            )
                        self.waiting |= {(state, limit)}

    def _on_the_leg(self, rule: m.Never | m.Avoid) -> None:
        """ "on the way to the sofa": only while the step that leads there is under way."""
        assert rule.limit is not None
        bare = replace(rule, limit=None)
        guards = self._rule_clauses.states(bare)
        place: Formula | None = None
        if rule.limit.things is not None:
            entity = self.discourse.single(rule.limit.things, "condition")
            known = self.discourse.known(entity, rule.at)
            place = self.clauses.prop(self._near(), known.term)
        if not self._guard(place, conjunction(*guards)):
            raise self._refuse(
                rule.limit.at, "it is not clear which way this is.",
                hint="say 'on the way to' a place that was named before.",
            )  # fmt: skip

    def _guard(self, place: Formula | None, guard: Formula) -> bool:
        """Makes a state hold until the step at a place (None: the last step) is done."""
        if place is None and self.patrolled:
            return False
        for i in reversed(range(len(self.pending))):
            step = self.pending[i].event
            if place is None or step == State(place):
                before = self.pending[i - 1].event if i else (*self.steps, None)[-2:][0]
                if before is not None and shares_state(before, guard):
                    return False  # it begins where it must not be
                self.pending[i] = Done(Sequence((Guarded(step, guard),)))
                return True
        steps = list(self.steps)
        for i in reversed(range(len(steps))):
            if place is None or steps[i] == State(place):
                if i and shares_state(steps[i - 1], guard):
                    return False  # it begins where it must not be
                steps[i] = Sequence((Guarded(steps[i], guard),))
                self.steps = tuple(steps)
                return True
        return False

    # -- what follows an action ------------------------------------------------------------

    def _ordered(self, done: Done, act: m.Act, handled: Handled) -> Done:
        of_steps = act.order == "said" and (self.pending or self.steps)
        if len(handled.things) < 2 and (act.order in ("single", "any") or of_steps):
            return done
        if len(done.states) < 2:
            raise self._refuse(act.at, "an order needs several things.")
        events = self.clauses.event(handled)
        if act.order == "any":
            return replace(done, event=any_order(events), unordered="")
        if act.order == "strict":
            for before, later in zip(done.states, done.states[1:], strict=False):
                self._not_until([later], before, act.at)
        return replace(done, event=Sequence(events))

    def _not_until(self, states: Seq[Formula], limit: Formula, at: m.At) -> None:
        absent = conjunction(*map(negation, states))
        lasting = self.lexicon.vocabulary.lasting
        rule = until_each(limit, lasting, lambda s: Or((Always(absent), Until(absent, s))))
        self._note_waiting([rule], at)
        self.rules += (rule,)

    def _counted(self, done: Done, count: m.Count | None, only: bool, at: m.At) -> list[Done]:
        if count is None:
            return [done]
        limit = "exactly" if only and not count.limit else count.limit
        if not 1 <= count.times <= MAX_TIMES:
            raise self._refuse(count.at, f"a count must be from 1 to {MAX_TIMES}.")
        if not limit and count.times == 1:
            raise self._refuse(
                count.at, "it is not clear whether more often is right too.",
                hint="say 'exactly once' or 'at least once'.",
            )  # fmt: skip
        parts = repeatable(done.event)
        if parts is None:
            raise self._refuse(at, "a count goes with one thing.", hint="say for each how often.")
        low = {"at most": 0, "more than": count.times + 1}.get(limit, count.times)
        high = count.times if limit in ("exactly", "at most") else None
        if high is not None:
            self.rules += tuple(quantify(at_most(state, high)) for state, quantify, _ in parts)
        if not low:
            return []
        events = tuple(repeat(Repeated(state, low)) for state, _, repeat in parts)
        return [replace(done, event=events[0] if len(events) == 1 else Sequence(events))]

    def _modified(
        self, done: list[Done], joiners: set[str], modifier: m.Modifier, mode: str
    ) -> Done:
        """What limits the steps of a group so far."""
        if not done:
            raise self._refuse(modifier.at, f"'{modifier.kind}' has no step to go with.",
                               hint="say what to do.")  # fmt: skip
        whole = self._combined(done, joiners, modifier.at)
        self.discourse.begin_clause()
        match modifier.kind:
            case "before":
                assert modifier.other is not None
                return Done(held_back(whole.event, *self._sub_of_any(modifier.other)))
            case "after":
                assert modifier.other is not None
                return Done(Sequence((self._sub(modifier.other), whole.event)))
            case "only after":
                assert modifier.other is not None
                if not whole.states:
                    raise self._refuse(modifier.at, "'only after' goes with a single step.")
                self._not_until(whole.states, self.clauses.occasion(modifier.other), modifier.at)
                return replace(whole, ruled=True)
            case "without":
                assert modifier.forbidden is not None
                if any(map(self._rule_clauses.lets_go, modifier.forbidden.members)):
                    raise self._refuse(modifier.at, "it is not clear from when on this holds.",
                                       hint="say 'while holding ...'.")  # fmt: skip
                guard = self.clauses.forbidden(modifier.forbidden, negation)
                return self._guarded(whole, conjunction(*guard))
            case "avoiding":
                assert modifier.things is not None
                rule = m.Avoid(modifier.things, None, modifier.at)
                return self._guarded(whole, conjunction(*self._rule_clauses.states(rule)))
            case "while":
                assert modifier.other is not None
                if not isinstance(whole.event, State):
                    raise self._refuse(modifier.at, "'while' goes with a single step.")
                held = self.clauses.occasion(modifier.other)
                return Done(State(conjunction(whole.event.formula, held)))
            case "first":
                if self.steps:
                    raise self._refuse(modifier.at, "'first' comes after other steps.",
                                       hint="name it first.")  # fmt: skip
                return whole
            case "only once":
                return self._counted(whole, m.Count("exactly", 1, modifier.at), False, modifier.at)[
                    0
                ]
        self.put_first = True
        return whole

    def _guarded(self, done: Done, guard: Formula) -> Done:
        """What holds until the steps are done; of a patrol, which has no end, throughout."""
        if self._contains_patrol(done.event):
            self.rules += (Always(guard),)
            return done
        return Done(Guarded(done.event, guard))

    # -- patrols ---------------------------------------------------------------------------

    def _patrol(self, patrol: m.Patrol) -> list[Done]:
        if patrol.what is not None:
            handled = self.clauses.handled(patrol.what, "goal")
        else:
            assert patrol.things is not None
            visit = m.Do(self._visit_verb(patrol.at), "", patrol.things, (), patrol.at)
            handled = self.clauses.handled(visit, "goal")
        if patrol.between and (handled.joiner != "and" or len(handled.things) < 2):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "'between' goes with two places or more.",
                hint="name them with 'and'.", span=self._refuse(patrol.at, "").span,
            )  # fmt: skip
        done = self._done(handled)
        if handled.action.unordered != "visit" or not done.states:
            raise self._refuse(
                patrol.at, "only places, in any order, can be visited again and again.",
                hint="say 'patrol ...' of what is to be repeated.",
            )  # fmt: skip
        self._visit(handled)
        self.patrols += tuple(Again(s) for s in done.states)
        return [Done(Sequence(tuple(Again(s) for s in done.states)))]

    # -- how clauses are joined --------------------------------------------------------------

    def _join(self, done: Done, mode: str, at: m.At) -> None:
        again = isinstance(done.event, Sequence) and any(
            isinstance(e, Again) for e in done.event.events
        )
        if again:
            self._join_patrol(mode, at)
            return
        if self._contains_patrol(done.event):
            raise self._refuse(at, "it is not clear how this goes with what is repeated.",
                               hint="say 'patrol ...' in a sentence of its own.")  # fmt: skip
        if mode == "also":
            self.end_task()
        self._refuse_unclear(mode, at)
        if self.patrolled:
            raise self._refuse(
                at, "a patrol has no end, so nothing comes after it.",
                hint="say it before the patrol, or 'in addition ...' if it has no order.",
            )  # fmt: skip
        match mode:
            case "or" | "alternatively":
                self._alternative(done, mode, at)
            case "before":
                self._insert(done, len(self.steps) - 1, at)
            case "at first":
                self._insert(done, 0, at)
            case "only then":
                before = _ending(self.last_joined)
                if before is None or not done.states:
                    raise self._refuse(at, "'only then' goes between two single steps.")
                self._not_until(done.states, before, at)
                self.steps += (done.event,)
            case "actually":
                raise self._refuse(
                    at, "it is not clear whether this takes the place of what was said before.",
                    hint="give the whole instruction anew.",
                )  # fmt: skip
            case _:
                self.steps += (done.event,)
        self.last_joined = done
        self.last = done
        self.last_rule = False

    def _contains_patrol(self, event: Event) -> bool:
        match event:
            case Again():
                return True
            case Sequence(events) | AnyOrder(events) | Either(events):
                return any(map(self._contains_patrol, events))
            case Guarded(inner, _):
                return self._contains_patrol(inner)
        return False

    def _join_patrol(self, mode: str, at: m.At) -> None:
        if mode not in (".", "then", "also", "at last") or self.either:
            raise self._refuse(at, "it is not clear how this goes with what was said before.",
                               hint="say 'patrol ...' of what is to be repeated.")  # fmt: skip
        self.patrolled = True
        self.last = None
        self.clauses.last = None

    def _refuse_unclear(self, mode: str, at: m.At) -> None:
        if self.closed and mode in ("then", ".", "only then", "before"):
            raise self._refuse(
                at, "it is not clear whether this follows both alternatives.",
                hint="say the alternatives with 'either ..., or ...' at the end.",
            )  # fmt: skip
        if self.inserted and mode not in ("at last", "also", "at first", "before"):
            raise self._refuse(
                at, "it is not clear whether this comes at the end.",
                hint="say 'after all that ...', or give the steps in their order.",
            )  # fmt: skip

    def _alternative(self, done: Done, mode: str, at: m.At) -> None:
        if not self.steps:
            raise self._refuse(at, "there is nothing to be an alternative to.")
        if mode == "or" and not self.either:
            raise self._refuse(
                at, "it is not clear what the alternative is to.",
                hint="say 'either ..., or ...' or 'alternatively'.",
            )  # fmt: skip
        self.closed = mode == "alternatively" or self.either
        self.either = False
        self.alternatives += (Sequence(self.steps),)
        self.steps = (done.event,)

    def _insert(self, done: Done, index: int, at: m.At) -> None:
        if not self.steps or self.tasks or self.alternatives or (self.last and self.last.ruled):
            raise self._refuse(at, "it is not clear before what this comes.")
        self.steps = (*self.steps[:index], done.event, *self.steps[index:])
        self.inserted = True

    def end_task(self) -> None:
        """What comes next is another task, done at any time."""
        if self.either:
            raise self._refuse((0, 1), _LONE["either"])
        if self.steps and isinstance(last := self.steps[-1], Guarded):
            self.steps = (*self.steps[:-1], last.event)  # at the very end, it holds throughout
            self.rules += (Always(last.guard),)
        task: Event = Sequence(self.steps)
        if self.alternatives:
            task = Either((*self.alternatives, task))
        if self.steps:
            self.tasks += (task,)
        self.steps, self.alternatives, self.closed = (), (), False
        self.last, self.last_joined, self.inserted, self.patrolled = None, None, False, False

    # -- the whole -------------------------------------------------------------------------

    def event(self) -> Sequence:
        """All that is to happen; ends the task."""
        self.end_task()
        if len(self.tasks) > 1:
            return Sequence((AnyOrder(self.tasks), *self.patrols))
        task = self.tasks[0] if self.tasks else Sequence(())
        return Sequence((*(task.events if isinstance(task, Sequence) else (task,)), *self.patrols))

    def formula(self) -> Formula:
        """The task's meaning. Raises NOT_UNDERSTOOD where something is missing or too long."""
        if self.statements:
            return exact.the_task(self.statements)
        if len(self.discourse.listed) > 1 and not self.discourse.list_used:
            raise self._refuse((0, 1), "what there is was named for nothing.")
        return self._closed(0)

    def _closed(self, since: int) -> Formula:
        event = self.event()
        if not event.events and not self.rules:
            raise self._refuse(
                _END, "nothing is asked for.", hint="say what is to be done, or what is to be so.",
                choices=list(self.lexicon.verbs)[:MAX_NAMED],
            )  # fmt: skip
        if too_long(event):
            raise self._refuse(
                (0, 0), f"more than {MAX_STEPS} steps, or too many orders of them, are asked for "
                "at once.", hint="give the task in parts.",
            )  # fmt: skip
        return self.close(conjunction(achieve(event), *self.rules), since)

    @property
    def has_steps(self) -> bool:
        """Whether anything is asked for but rules."""
        return bool(self.steps or self.tasks or self.alternatives or self.patrols)

    def close(self, formula: Formula, since: int = 0) -> Formula:
        """The formula with the things bound that were named from the `since`-th on."""
        formula = self._with_speaker(formula)
        waiting = [e.unbound for e in self.discourse.made[since:] if waits(e)]
        lasting = self.lexicon.vocabulary.lasting
        formula = bound_at_the_end(formula, [u for u in waiting if u is not None], lasting)
        counted = [(v, v) for e in self.discourse.made[since:] if (v := e.variable)]
        for own, of in (*self.discourse.own, *counted):
            if stands_outside(formula, own, of):
                raise self._refuse(
                    _END, "it is not clear whether it is the same one for each of them.",
                    hint="name the thing, or say it for each place.",
                )  # fmt: skip
        return map_referents(formula, self.discourse.located)

    def _with_speaker(self, formula: Formula) -> Formula:
        if _SPEAKER not in referents_of(formula):
            return formula
        speaker = self.discourse.speaker
        if speaker is None or speaker.variable is not None:
            raise self._refuse((0, 1), "where you are is not known.", hint="say 'I am by the ...'.")
        return map_referents(formula, lambda r: speaker.referent if r == _SPEAKER else r)


def _tells_of_acts(occasion: m.Occasion) -> bool:
    """ "you have visited the sofa", rather than "you are near the sofa"."""
    states = occasion.states if isinstance(occasion, m.Condition) else ()
    return isinstance(occasion, m.Several) or any(isinstance(s, m.ActState) for s in states)


def _joins(act: m.Act, joiner: str) -> bool:
    """Whether an action has several things or places of its own, joined so."""
    if not isinstance(act.what, m.Do | m.Shared):
        return False
    things, tails = act.what.things, act.what.tails
    if joiner == "and":
        return things is not None and (len(things.members) > 1 or things.members[0] in _SEVERAL)
    return len(tails) > 1 or (things is not None and things.joiner == "or")


def _is_no_more_of(rule: m.Item | None, item: m.Item) -> bool:
    """Whether an order is none of what the rule before forbids: "leave it alone and go there"."""
    named = isinstance(rule, m.Avoid | m.LeaveAlone | m.Keep) and rule.limit is None
    return named and isinstance(item, m.Act) and isinstance(item.what, m.Do)


def _is_held(state: Formula, thing: Term) -> bool:
    held = (p for p in _conjuncts(state) if isinstance(p, Prop) and p.predicate == "holding")
    return any(p.args[0] == thing for p in held)


def _is_limited(do: m.Do) -> bool:
    """Whether a verb's only things are "at most" so many."""
    if do.things is None or len(do.things.members) != 1:
        return False
    determiner = getattr(do.things.members[0], "determiner", None)
    return isinstance(determiner, m.NumberOf) and determiner.limit == "at most"


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return formula.args if isinstance(formula, And) else (formula,)


def _either(events: list[Event]) -> Event:
    return events[0] if len(events) == 1 else Either(tuple(events))


def _ending(done: Done | None) -> Formula | None:
    """The state with which a clause is done; None where it is not clear which that is."""
    match done:
        case Done(Sequence((*_, State(last)))):
            return last
        case Done(_, states) if states:
            return conjunction(*states)
    return None


def _alike(done: Seq[Done]) -> str:
    labels = {d.unordered for d in done}
    return next(iter(labels)) if len(labels) == 1 else ""
