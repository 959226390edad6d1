"""A simulated person who teaches from a true library: InterPreT's five kinds of feedback.

The person looks at the scene, knows what is true of it, and explains one thing at a time: of an
action the first requirement that is not met, of a goal its first part that does not hold yet.
Every so often the person may be wrong.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal, Operator, in_words
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, read_feedback
from sayso.learning.spoken import spoken
from sayso.learning.transitions import lifted
from sayso.worlds.persons import sayings
from sayso.worlds.persons.sayings import HOUSEHOLD, Sayings, Wordings


@dataclass(frozen=True)
class Manner:
    """How a person speaks, and how reliably.

    Attributes:
        style: one of `sayings.STYLES`.
        wrong: share of what ought to be explained that is told wrong: explained by something
            that is not so, overlooked, or said to be wrong without saying why, each as often.
    """

    style: str = "plain"
    wrong: float = 0.0

    def __post_init__(self) -> None:
        if self.style not in sayings.STYLES:
            raise SaySoError(
                Code.INVALID, f"there is no style '{self.style}'.", choices=sayings.STYLES
            )


@dataclass
class SimulatedPerson:
    """Teaches one task; see `learning.teaching.Teacher`.

    Args:
        words: what the robot is to do.
        goal: what the true predicates must say in the end.
        library: the true predicates and operators. An operator's first parameters are its
            skill's.
        look: the scene as it is now.
        rng: decides wordings and mistakes.
        sayings: how the true predicates are spoken of.

    Attributes:
        mistakes: how many were made, by kind.
    """

    words: str
    goal_literals: Sequence[Literal]
    library: Library
    look: Callable[[], Scene]
    rng: random.Random
    manner: Manner = field(default_factory=Manner)
    sayings: Sayings = HOUSEHOLD
    mistakes: dict[str, int] = field(default_factory=dict)
    _before: str = ""
    _again: int = 0

    def goal(self) -> str:
        """The task in words; varied people find their own for simple ones, as do all when they
        are asked again."""
        self._asked("goal")
        if self._again and len(self.goal_literals) == 1:
            return self._other_goal()
        if self.manner.style == "plain" or len(self.goal_literals) != 1:
            return self.words
        return self._other_goal()

    def _other_goal(self) -> str:
        literal = self.goal_literals[0]
        wordings = self.sayings.goals.get((literal.atom.predicate, literal.positive))
        return _sentence(_filled(self._one(wordings), literal.atom)) if wordings else self.words

    def about(self, action: Action) -> str:
        """Consent to a feasible action, or why it is infeasible."""
        view = self._view()
        self._asked(str(action))
        if self._feasible(action, view):
            return self._said(sayings.FEASIBLE, action=self._action(action))
        unmet = self._unmet(action, view)
        mistake = self._mistake()
        if mistake == "missed":
            return self._said(sayings.FEASIBLE, action=self._action(action))
        if mistake == "wrong":
            unmet = self._wrong(action.args, view)
        if mistake == "vague" or unmet is None:
            return self._said(sayings.VAGUE_ACTION)
        why = self._reason(_denied(unmet), view)
        return self._said(sayings.INFEASIBLE, action=self._action(action), why=why)

    def after(self, action: Action | None) -> str:
        """That the goal is reached; or, if asked (None), why not.

        People do not comment on every step: what has been done without reaching the goal gets
        no remark.
        """
        view = self._view()
        self._asked(f"after {action}")
        missing = self._missing(view)
        if missing is None:
            return self._said(sayings.REACHED)
        if action is not None:
            return ""
        mistake = self._mistake()
        if mistake == "missed":
            return self._said(sayings.REACHED)
        if mistake == "vague":
            return self._said(sayings.VAGUE_GOAL)
        if mistake == "wrong":
            missing = self._wrong(missing.atom.args, view) or missing
        return self._said(sayings.UNSATISFIED, why=self._reason(_denied(missing), view))

    def answer(self, question: str) -> str:
        """Yes or no to "Is it so that ...?" and "Is it the same to say that ... and that ...?",
        the right clause to "You said ..., then that .... Which is right?".
        """
        self._asked(question)
        if "Which is right" in question:
            return self._settled(question)
        truth = self._same(question) if _SAME.match(question) else self._truth(question)
        return self._said(
            sayings.UNKNOWN if truth is None else sayings.YES if truth else sayings.NO
        )

    # -- what is so ------------------------------------------------------------------------

    def _view(self) -> SceneView:
        return SceneView(self.look(), self.library.predicates)

    def _operators(self, skill: str) -> list[Operator]:
        return [o for o in self.library.operators.values() if (o.skill or o.name) == skill]

    def _feasible(self, action: Action, view: SceneView) -> bool:
        others = [o for o in view.objects() if o not in action.args]
        return any(
            all(_holds(view, x) for x in op.ground(*action.args, *more).preconditions)
            for op in self._operators(action.name)
            for more in permutations(others, len(op.parameters) - len(action.args))
        )

    def _unmet(self, action: Action, view: SceneView) -> Literal | None:
        """The first requirement of every way to do this that is not met."""
        every = [
            {x.substitute(dict(zip(o.parameters, action.args, strict=False)))
             for x in o.preconditions}
            for o in self._operators(action.name)
        ]  # fmt: skip
        shared = set.intersection(*every) if every else set()
        unmet = [x for x in shared if lifted(x, action.args) is not None and not _holds(view, x)]
        return min(unmet, key=lambda x: self._rank(x, action.args), default=None)

    def _missing(self, view: SceneView) -> Literal | None:
        return next((x for x in self.goal_literals if not _holds(view, x)), None)

    def _rank(self, literal: Literal, args: Sequence[str]) -> tuple[int, tuple[int, ...], str]:
        name, known = literal.atom.predicate, self.sayings.order
        order = known.index(name) if name in known else len(known)
        return order, tuple(args.index(a) for a in literal.atom.args), name

    # -- mistakes --------------------------------------------------------------------------

    def _mistake(self) -> str:
        if self.rng.random() >= self.manner.wrong:
            return ""
        kind = self.rng.choice(("wrong", "missed", "vague"))
        self.mistakes[kind] = self.mistakes.get(kind, 0) + 1
        return kind

    def _wrong(self, args: Sequence[str], view: SceneView) -> Literal | None:
        """Something that is said not to be so of these objects, though it is."""
        literals = [
            Literal(Atom(name, chosen), not truth)
            for name, truth in self.sayings.reasons
            if name in self.library.predicates
            for chosen in permutations(args, self.library.predicates[name].arity)
        ]
        so = [x for x in literals if _holds(view, x)]
        return self.rng.choice(so) if so else None

    # -- words -----------------------------------------------------------------------------

    def _asked(self, what: str) -> None:
        """Notes what is asked: what is asked twice in a row was not understood the first time."""
        self._again = self._again + 1 if what == self._before else 0
        self._before = what

    def _one(self, wordings: Wordings) -> str:
        if self.manner.style == "plain":
            return wordings[self._again % len(wordings)]
        return self.rng.choice(wordings)

    def _said(self, wordings: Wordings, **values: str) -> str:
        return self._one(wordings).format(**values)

    def _action(self, action: Action) -> str:
        """The action in the words of the operator with the fewest objects."""
        operators = self._operators(action.name)
        if not operators:
            return spoken(action.name, action.args)
        simplest = min(operators, key=lambda o: (len(o.parameters), o.name))
        return simplest.english.format(*map(in_words, action.args))

    def _reason(self, literal: Literal, view: SceneView) -> str:
        """What is so, as the cause of what is wrong."""
        name, args = literal.atom.predicate, literal.atom.args
        wordings = self.sayings.reasons.get((name, literal.positive))
        if wordings is None:
            known = self.library.predicates[name]
            return (known.english if literal.positive else known.english_not).format(
                *map(in_words, args)
            )
        third = _blamed(literal, view)
        usable = wordings if third else tuple(w for w in wordings if "{x}" not in w)
        return _filled(self._one(usable), literal.atom, third)

    # -- answers ---------------------------------------------------------------------------

    def _settled(self, question: str) -> str:
        """Of two clauses the one that is so."""
        said = re.search(r"that (.+?)(?: \(\".*?\"\))?, then that (.+?)(?: \(\"|, and)", question)
        for clause in said.groups() if said else ():
            if self._truth(clause):
                return _sentence(clause)
        return self._said(sayings.UNKNOWN)

    def _same(self, question: str) -> bool | None:
        """Whether two clauses mean the same true predicate; None if either means none."""
        said = _SAME.match(question)
        meant = [self._meant(clause) for clause in said.groups()] if said else []
        return None if None in meant or not meant else meant[0] == meant[1]

    def _meant(self, clause: str) -> tuple[Literal, ...] | None:
        text = clause.replace("one thing", "the alpha").replace("another", "the beta")
        literals = self._read(text, {"alpha": "alpha", "beta": "beta"})
        known = all(x.atom.predicate in self.library.predicates for x in literals)
        return literals if literals and known else None

    def _truth(self, text: str) -> bool | None:
        """Whether a clause is so; None if it is not understood, or nobody can tell."""
        clause = re.sub(r"^.*?\bthat ", "", text.strip(), count=1).rstrip("?. ")
        scene = self.look()
        view = SceneView(scene, self.library.predicates)
        literals = self._read(clause, {o.name: o.category for o in scene.objects})
        if not literals or any(x.atom.predicate not in self.library.predicates for x in literals):
            return None
        return all(_holds(view, x) for x in literals)

    def _read(self, clause: str, kinds: Mapping[str, str]) -> tuple[Literal, ...]:
        """What a clause says; () where it is not understood."""
        try:
            return read_feedback(
                f"You have not reached the goal because {clause}.", kinds,
                known=Lexicon.of(self.library),
            ).literals  # fmt: skip
        except SaySoError:
            return ()


_SAME = re.compile(r"Is it the same to say that (.+) and that (.+)\?$")


def _holds(view: SceneView, literal: Literal) -> bool:
    return view.truth(literal.atom) is literal.positive


def _denied(literal: Literal) -> Literal:
    return literal._replace(positive=not literal.positive)


_BLAMED: Mapping[str, Callable[[str, tuple[str, ...]], Atom]] = {
    "clear": lambda x, args: Atom("on", (x, *args)),
    "contained": lambda x, args: Atom("in", (*args, x)),
    "gripper_empty": lambda x, _: Atom("holding", (x,)),
}
"""Predicate -> what holds of the thing that is to blame for it."""


def _blamed(literal: Literal, view: SceneView) -> str:
    """The thing that makes a literal so, if it is one thing."""
    make = _BLAMED.get(literal.atom.predicate)
    if make is None:
        return ""
    others = (x for x in view.objects() if x not in literal.atom.args)
    blamed = ((x, make(x, literal.atom.args)) for x in others)
    return next(
        (x for x, atom in blamed if atom.predicate in view.predicates and view.truth(atom)), ""
    )


def _filled(wording: str, atom: Atom, third: str = "") -> str:
    names = dict(zip("abc", map(in_words, atom.args), strict=False))
    return wording.format(**names, x=in_words(third) if third else "")


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
