"""The course of a task: what is to happen, joined step by step, and the rules beside it."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace

from sayso.core.errors import Code
from sayso.language import meaning as m
from sayso.language.asked import is_taken_singly, outcomes
from sayso.language.entities import UnclearRoleError, waits
from sayso.language.events import (
    MAX_STEPS,
    Again,
    AnyOrder,
    Conditioned,
    Each,
    Either,
    Event,
    Guarded,
    Sequence,
    State,
    achieve,
    achieve_by_cases,
    contains_patrol,
    has_order,
    leaves_open,
    one_of,
    together,
    too_long,
)
from sayso.language.lexicon import MAX_NAMED
from sayso.language.steps import Done, OnCondition, Steps
from sayso.language.thing_makers import SPEAKER
from sayso.logic.formula import (
    ALL,
    Always,
    And,
    Eventually,
    Formula,
    Or,
    Prop,
    Quantified,
    Referent,
    Until,
    Variable,
    conjunction,
    map_referents,
    propositions,
    referents_of,
)
from sayso.logic.scope import bound_at_the_end, stands_outside

END = (10_000, 10_000)
_ORDERING = ("then", "at last")
"""How something is joined that comes after all that was said before."""
_SPEAKER = Referent(SPEAKER)
PERSON = "person"
"""The kind of thing that whoever speaks is, where there are such."""


class Course(Steps):
    """Joins what clauses ask for to the steps so far."""

    # -- joining -------------------------------------------------------------------------

    def join(self, done: Done, mode: str, at: m.At) -> None:
        """One more step. Raises NOT_UNDERSTOOD where it is not clear where it belongs."""
        again = isinstance(done.event, Sequence) and any(
            isinstance(e, Again) for e in done.event.events
        )
        if again:
            self._join_patrol(mode, at)
            return
        if contains_patrol(done.event):
            raise self.refuse(
                at,
                "it is not clear how this goes with what is repeated.",
                hint="say 'patrol ...' in a sentence of its own.",
            )
        if mode == "also":
            self.end_task()
        self._refuse_unclear(mode, at)
        if mode in _ORDERING:
            self.place_conditioned(at)
            self._await()
        if self.patrolled:
            raise self.refuse(
                at, "a patrol has no end, so nothing comes after it.",
                hint="say it before the patrol, or 'in addition ...' if it has no order.",
            )  # fmt: skip
        match mode:
            case "or" | "alternatively":
                self._alternative(done, mode, at)
            case "before":
                self._insert(done, len(self.steps) - 1, at)
            case "at first":
                self.place_conditioned(at)
                self._insert(done, 0, at, at_first=True)
            case "only then":
                states = done.states or brought(done.event)
                if self.last_joined is None or not states:
                    raise self.refuse(at, "'only then' goes between two single steps.")
                self.not_until(states, self.last_joined.latest or self.last_joined.event)
                self.steps += (done.event,)
            case m.AS_SECOND_THOUGHT | m.AS_CORRECTION:
                raise UnclearRoleError(
                    Code.NOT_UNDERSTOOD,
                    "it is not clear whether this takes the place of what was said before.",
                    hint="give the whole instruction anew.", span=self.refuse(at, "").span,
                )  # fmt: skip
            case _:
                if self.steps and is_taken_singly(self.steps[-1], done.event):
                    self.steps = self.steps[:-1]
                self.steps += (done.event,)
        self.ordered |= mode not in (".", "also")
        self.rows += (done.event,) if done.latest is not None else ()
        self.last_joined = done
        self.last = done
        self.last_rule = False

    def _await(self) -> None:
        """ "don't take the mug until the block is there. Then put it away": until when something
        was forbidden, which comes first."""
        for said in () if self.steps else reversed(self.rules):
            rule, each = said, set[Variable]()
            while isinstance(rule, Quantified):  # "don't touch the mugs until ..."
                each.add(rule.variable)
                rule = rule.body
            match rule:
                case Or((Always(_), Until(_, state))):
                    if not any(each.intersection(p.args) for p in propositions(state)):
                        self.steps = (State(state),)
                    return

    def free_order(self, at: m.At) -> None:
        """The steps so far in any order, where nothing but the order of the sentences, or of a
        list, told it. Raises NOT_UNDERSTOOD elsewhere."""
        steps = [e for s in self.steps for e in (_listed(s) if s in self.rows else (s,))]
        if len(steps) == 1:
            steps = list(_parts_of(steps[0])) or steps
        plain = all(isinstance(e, State | AnyOrder | Each) for s in steps for e in _listed(s))
        kept = self.ordered or self.pending or self.tasks or self.alternatives or self.inserted
        if kept or not plain or len(steps) < 2:
            raise self.refuse(
                at, "it is not clear the order of what this leaves open.",
                hint="say 'in any order' right after the things or the steps.",
            )  # fmt: skip
        self.steps, self.rows = (AnyOrder(tuple(steps)),), ()

    def require_order(self, at: m.At) -> None:
        """Raises NOT_UNDERSTOOD for "do them in that order" where the steps so far are read in
        none."""
        if not all(map(has_order, (*self.steps, *(d.event for d in self.pending)))):
            raise self.refuse(
                at, "it is not clear in which order what was said before is meant.",
                hint="say 'in that order' right after the things or the steps.",
            )  # fmt: skip

    def refuse_free_order(self, at: m.At) -> None:
        """Raises NOT_UNDERSTOOD for "whichever you like" where only the order could be chosen."""
        several = len(self.steps) + len(self.pending) > 1 or any(s in self.rows for s in self.steps)
        chosen = any(e.quantity not in (None, ALL) for e in self.discourse.made)
        events = (*self.steps, *(d.event for d in self.pending))
        if several and not (chosen or self.alternatives or any(map(leaves_open, events))):
            raise self.refuse(
                at, "it is not clear whether this leaves the order open.",
                hint="say 'in any order', or leave it out.",
            )  # fmt: skip

    def _join_patrol(self, mode: str, at: m.At) -> None:
        if mode not in (".", "then", "also", "at last") or self.either:
            raise self.refuse(
                at,
                "it is not clear how this goes with what was said before.",
                hint="say 'patrol ...' of what is to be repeated.",
            )
        self.patrolled = True
        self.last = None
        self.clauses.last = None

    def depend(self, rule: Formula, event: Conditioned | None) -> None:
        """A rule for the case that a condition holds at the start; a step, too, where words put
        it in an order with others."""
        self.rules += (rule,)
        self.conditioned += (OnCondition(rule, event, len(self.steps)),)

    def place_conditioned(self, at: m.At, *, follows: bool = False) -> None:
        """Makes steps of what depends on conditions, in the order said.

        Args:
            follows: whether it comes after what depends on other conditions right before it.

        Raises:
            SaySoError: NOT_UNDERSTOOD where that is no step.
        """
        steps = list(self.steps)
        for said in reversed(self.conditioned):
            if said.event is None or self.alternatives:
                raise self.refuse(
                    at, "it is not clear in which order this and what depends on a condition are "
                    "meant.", hint="say 'after ...' or 'before ...' what.",
                )  # fmt: skip
            steps.insert(said.place, replace(said.event, follows=follows))
        placed = [c.rule for c in self.conditioned]
        self.rules = tuple(r for r in self.rules if not any(r is p for p in placed))
        self.steps, self.conditioned = tuple(steps), ()

    def _refuse_unclear(self, mode: str, at: m.At) -> None:
        depends = bool(self.conditioned) and self.conditioned[-1].place == len(self.steps)
        if mode in ("only then", "before") and depends:
            raise self.refuse(
                at, "it is not clear whether this is of what depends on a condition, too.",
                hint="say 'after ...' or 'before ...' what.",
            )  # fmt: skip
        if self.closed and mode in ("then", ".", "only then", "before"):
            raise self.refuse(
                at, "it is not clear whether this follows both alternatives.",
                hint="say the alternatives with 'either ..., or ...' at the end.",
            )  # fmt: skip
        if self.inserted and mode not in ("at last", "also", "at first", "before"):
            raise self.refuse(
                at, "it is not clear whether this comes at the end.",
                hint="say 'after all that ...', or give the steps in their order.",
            )  # fmt: skip

    def _alternative(self, done: Done, mode: str, at: m.At) -> None:
        if not self.steps:
            raise self.refuse(at, "there is nothing to be an alternative to.")
        if mode == "or" and not self.either:
            raise self.refuse(
                at, "it is not clear what the alternative is to.",
                hint="say 'either ..., or ...' or 'alternatively'.",
            )  # fmt: skip
        self.closed = mode == "alternatively" or self.either
        self.either = False
        self.alternatives += (Sequence(self.steps),)
        self.steps = (done.event,)

    def _insert(self, done: Done, index: int, at: m.At, *, at_first: bool = False) -> None:
        anew = not (self.steps or self.tasks or self.alternatives or self.conditioned)
        if anew and (any(map(_is_of_the_end, self.rules[-1:])) or (at_first and not self.rules)):
            self.steps = (done.event,)  # "it is closed at the end; before that ..."
            return
        if not self.steps or self.tasks or self.alternatives or (self.last and self.last.ruled):
            raise self.refuse(at, "it is not clear before what this comes.")
        if at_first and any(done.event in _listed(s) for s in self.steps):
            raise self.refuse(
                at, "it is not clear whether this is done twice, or in another order.",
                hint="say each step once, in its order.",
            )  # fmt: skip
        self.steps = (*self.steps[:index], done.event, *self.steps[index:])
        self.inserted = True

    # -- steps said together -------------------------------------------------------------

    def combined(
        self, done: list[Done], joiners: set[str], at: m.At, order: str = "", marker: str = ""
    ) -> Done:
        """What steps ask for that are joined by "and", "or" or commas."""
        kinds = joiners - {"comma"}
        if (
            order in ("any", "all free")
            and len(done) == 1
            and not isinstance(done[0].event, AnyOrder | Each)
            and not (_of_all(done[0].event) or (order == "all free" and _parts_of(done[0].event)))
        ):
            raise self.refuse(at, "'in any order' needs several steps.")
        if len(kinds) > 1:
            raise self.refuse(
                at, "'and' and 'or' are mixed, so it is not clear what belongs together.",
                hint="use a new sentence or 'then' for one of them.",
            )  # fmt: skip
        if len(done) == 1:
            parts = _parts_of(done[0].event) if order == "all free" else ()
            return Done(AnyOrder(parts)) if parts else done[0]
        if "or" in kinds and marker == "both":
            raise self.refuse(at, "'both' needs 'and' after it.")
        if "or" in kinds:
            return Done(one_of([d.event for d in done]))
        if order == "all said" or (order == "said" and len(done[-1].states) < 2):
            return Done(Sequence(tuple(d.event for d in done)))
        if order in ("any", "all free"):
            return Done(AnyOrder(tuple(d.event for d in done)))
        if any(d.ruled for d in done):
            return Done(AnyOrder(tuple(d.event for d in done)), ruled=True)
        if "and" in kinds:
            return Done(self.conjoined(done), (), _alike(done))
        return Done(Sequence(tuple(d.event for d in done)), latest=done[-1].event)

    def conjoined(self, done: list[Done]) -> Event:
        """What steps with "and" between them ask for."""
        if len(done) == 1:
            return done[0].event
        if _alike(done):
            return AnyOrder(tuple(d.event for d in done))
        return together([d.event for d in done], self.lasting)

    def refuse_after_waiting(self) -> None:
        """Raises NOT_UNDERSTOOD after "wait there"."""
        if self.waited is not None:
            raise self.waited

    # -- the whole -----------------------------------------------------------------------

    def end_task(self) -> None:
        """What comes next is another task, done at any time."""
        if self.either:
            raise self.refuse((0, 1), "'either' needs 'or' after it.")
        if self.steps and isinstance(last := self.steps[-1], Guarded):
            self.steps = (*self.steps[:-1], last.event)  # at the very end, it holds throughout
            self.rules += (Always(last.guard),)
        task: Event = Sequence(self.steps)
        if self.alternatives:
            task = Either((*self.alternatives, task))
        if self.steps:
            self.tasks += (task,)
        self.steps, self.alternatives, self.closed = (), (), False
        self.conditioned = ()
        self.last, self.last_joined, self.inserted, self.patrolled = None, None, False, False

    def event(self) -> Sequence:
        """All that is to happen; ends the task."""
        self.end_task()
        if len(self.tasks) > 1:
            return Sequence((AnyOrder(self.tasks), *self.patrols))
        task = self.tasks[0] if self.tasks else Sequence(())
        return Sequence((*(task.events if isinstance(task, Sequence) else (task,)), *self.patrols))

    def formula(self, since: int = 0) -> Formula:
        """What was asked for, with the things bound that were named from the `since`-th on."""
        if self.unplaced is not None and self.has_steps:
            raise self.unplaced
        self._ask_for_meanwhile()
        event = self.event()
        if not event.events and not self.rules:
            raise self.refuse(
                END, "nothing is asked for.", hint="say what is to be done, or what is to be so.",
                choices=list(self.lexicon.verbs)[:MAX_NAMED],
            )  # fmt: skip
        if too_long(event):
            raise self.refuse(
                (0, 0), f"more than {MAX_STEPS} steps, or too many orders of them, are asked for "
                "at once.", hint="give the task in parts.",
            )  # fmt: skip
        return self.close(conjunction(achieve_by_cases(event), *self.rules), since)

    def _ask_for_meanwhile(self) -> None:
        """What something is forbidden during is to be done where nothing else is; raises
        NOT_UNDERSTOOD where nothing asks for it, but for something else."""
        wanted = set(propositions(conjunction(self.still_asked(), *map(achieve, self.patrols))))
        left = [(w, e) for w, e in self.meanwhile if not wanted.issuperset(propositions(w))]
        for what, unclear in left:
            if self.has_steps or len(left) > 1 or any(_variables(p) for p in propositions(what)):
                raise unclear
        self.steps += tuple(State(what) for what, _ in left)

    def close(self, formula: Formula, since: int = 0) -> Formula:
        """The formula with the things bound that were named from the `since`-th on."""
        formula = self._with_speaker(formula)
        waiting = [e.unbound for e in self.discourse.made[since:] if waits(e)]
        lasting = self.lasting
        formula = bound_at_the_end(formula, [u for u in waiting if u is not None], lasting)
        counted = [(v, v) for e in self.discourse.made[since:] if (v := e.variable)]
        for own, of in (*self.discourse.own, *counted):
            if stands_outside(formula, own, of):
                raise self.refuse(
                    END, "it is not clear whether it is the same one for each of them.",
                    hint="name the thing, or say it for each place.",
                )  # fmt: skip
        return map_referents(formula, self.discourse.located)

    def _with_speaker(self, formula: Formula) -> Formula:
        if _SPEAKER not in referents_of(formula):
            return formula
        speaker = self.discourse.speaker
        if speaker is None and PERSON in (self.lexicon.vocabulary.types_of(PERSON) or ()):
            self.discourse.speaker_seen = True
            return map_referents(formula, lambda r: Referent(PERSON) if r == _SPEAKER else r)
        if speaker is None or speaker.variable is not None:
            raise self.refuse((0, 1), "where you are is not known.", hint="say 'I am by the ...'.")
        return map_referents(formula, lambda r: speaker.referent if r == _SPEAKER else r)


def _is_of_the_end(rule: Formula) -> bool:
    return isinstance(rule, Eventually) and isinstance(rule.arg, Always)


def brought(event: Event) -> tuple[Formula, ...]:
    """Where a thing is that is taken and brought somewhere; nothing for other steps."""
    steps = event.events if isinstance(event, Sequence) else ()
    return outcomes(event) if steps and all(isinstance(e, State) for e in steps) else ()


def _of_all(event: Event) -> bool:
    """Whether a step is one of all things of a kind: "all blocks on the plate, in any order"."""
    all_of = event.formula if isinstance(event, State) else None
    return isinstance(all_of, Quantified) and all_of.quantity == ALL


def _parts_of(event: Event) -> tuple[Event, ...]:
    """What is to be so of several things at one time, each for itself."""
    formula = event.formula if isinstance(event, State) else None
    return tuple(map(State, formula.args)) if isinstance(formula, And) else ()


def _variables(prop: Prop) -> bool:
    return any(isinstance(a, Variable) for a in prop.args)


def _listed(event: Event) -> tuple[Event, ...]:
    return event.events if isinstance(event, Sequence) else (event,)


def _alike(done: Seq[Done]) -> str:
    labels = {d.unordered for d in done}
    return next(iter(labels)) if len(labels) == 1 else ""
