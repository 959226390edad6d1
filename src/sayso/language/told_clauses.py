"""Clauses of free English that only tell, judged by their dependency trees.

A clause tells by its form: who it is about (the robot, the speaker, somebody else, a thing of the
task), whether it says what is or was so, or what should, may or must be, and whether its verb is
one of the library's. "All", "no" or "never" limit nothing in a clause that says nothing of the
task. What may order, allow, wish, forbid, count or say when is never taken for telling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise

from sayso.language.asides import NUMBERED, TURNING, is_ellipsis
from sayso.language.clause_forms import OF_TASK, PRONOUNS, ROBOT, FormedClause, data, verbal
from sayso.language.controls import verb_classes
from sayso.language.inflection import gerund
from sayso.language.lexicon import Lexicon
from sayso.language.limiting import BOUNDING, EXCEPTING
from sayso.language.main_clauses import Trees
from sayso.language.nouns import SIZE_WORDS
from sayso.logic.formula import COLORS


class Role(Enum):
    """How a clause is joined to what it tells of."""

    PLAIN = "plain"
    PREMISE = "premise"
    REASON = "reason"
    RELATIVE = "relative"
    CONTRARY = "contrary"


TURNS = (TURNING - data()["harmless"] - NUMBERED) | EXCEPTING | frozenset({
    "instead", "actually", "whichever", "whatever", "wherever", "whoever", "however", "twice",
    "thrice", "please", "sorry", "oops", "nope", "forget", "scratch", "ignore",
    "exactly", "means", "least", "most", "fewer", "less", "neither", "either", "order", "sequence",
    "careful", "beware", "stop", "later", "tomorrow", "or", "whether", "rather", "mean", "meant",
})  # fmt: skip
"""With these a clause may take back, count, order or leave out, whatever its verb is."""
ORDINALS = frozenset({"first", "second", "third", "last", "next", "finally", "lastly"})
_SOFT = frozenset({
    "said", "says", "told", "exactly", "save", "saves", "saved", "forget", "most", "least", "less",
    "wrote", "writes", "written", "tomorrow", "later", "mean", "meant", "means", "off",
})  # fmt: skip
"""In a clause about somebody or something else that speaks of nothing of the task these turn
nothing."""
_REASONS = frozenset({"because", "since", "as", "so", "otherwise"})
_UNBOUND = frozenset({"anything", "everything", "nothing"})
_DUTY = frozenset({"must", "should", "shall", "ought"})
_ALWAYS_BOUNDING = frozenset({"if", "unless", "lest", "provided", "pending", "until", "till"})
_VERY = tuple((a, "rather") for a in ("is", "are", "was", "were", "all", "still"))
"""Of "it is rather wet": how much so."""
_SETTLED = frozenset({"already", "anyway", "anyhow"})
"""With these it is told how something is, which it is not to become."""


@dataclass(frozen=True)
class Judge:
    """Tells whether words are a clause that asks for nothing."""

    lexicon: Lexicon
    trees: Trees

    def is_verb(self, word: str) -> bool:
        """Whether an order may begin with a word."""
        return word in self._verbs

    @cached_property
    def _verbs(self) -> frozenset[str]:
        own = {v.split()[0] for v in self.lexicon.verbs}
        return frozenset(own | verb_classes().verbs)

    def may_ask(self, words: Sequence[str]) -> bool:
        """Whether words that state something, by the words alone, wish or arrange something by
        their form: "the blue one would look good on top", "with the others behind it"."""
        tree, begin = self.trees.of(words)
        tree = tree[: begin + len(words)]
        if any(w.head >= len(tree) for w in tree):
            return False
        lowered = [w.text.lower() for w in tree]
        if words[0] in _REASONS:
            return False
        needless = any(a in ("no", "not") and b == "need" for a, b in pairwise(lowered))
        clauses = (FormedClause(tree, i, self.lexicon, self._verbs) for i in verbal(tree))
        return needless or any(map(self._may_want, clauses))

    @staticmethod
    def _may_want(clause: FormedClause) -> bool:
        wishful = not clause.modals.isdisjoint({"would", "could"}) and clause.of_task
        if wishful and not clause.said_of_robot and not clause.is_mere_praise:
            return True
        if clause.is_absolute or clause.allows_to:
            return True
        along = clause.lemma in ("come", "go", "belong", "get") and clause.is_finite
        from_ = "from" in clause.words
        return along and clause.of_named and not clause.is_past and not clause.modals and not from_

    def tells(self, words: Sequence[str], role: Role) -> bool:
        """Whether words without marks are such a clause."""
        brief = len(words) == 2 and words[0] in ("he", "she")
        if (
            (len(words) < 3 and not brief)
            or words[0] in self._verbs
            or not self._may_tell(words, role)
        ):
            return False
        tree, begin = self.trees.of(words)
        if begin:
            return False
        tree = tree[: len(words)]
        roots = [i for i, w in enumerate(tree) if w.relation == "ROOT"]
        if len(roots) != 1 or any(w.head >= len(tree) for w in tree):
            return False
        clauses = [FormedClause(tree, i, self.lexicon, self._verbs) for i in verbal(tree)]
        if any(c.is_absolute or c.allows_to for c in clauses):
            return False
        top = next(c for c in clauses if c.head == roots[0])
        if not (top.is_idle or (top.is_finite and top.subject) or role is Role.RELATIVE):
            return False
        touched = self._touches(words)
        return all(self._is_told(c, role, touched=touched) for c in clauses)

    def _may_tell(self, words: Sequence[str], role: Role) -> bool:
        """Whether no single word may turn, count, bound or order what is beside it."""
        touched = self._touches(words)
        words = [w for a, w in pairwise(["", *words]) if (a, w) != ("nothing", "but")]
        harmless = {"forget"} if role is Role.REASON else set()
        harmless |= {"later", "tomorrow"} if words[0] in ("i", "we") else set()
        if not touched and words[0] not in _SOFT and not self.refers(words) and len(words) > 4:
            harmless |= _SOFT
        turning = (w for a, w in pairwise(["", *words]) if (a, w) not in _VERY)
        if not (TURNS - harmless).isdisjoint(turning) or words[0] == "let" or is_ellipsis(words):
            return False
        if any(a == "no" and b in data()["lacking"] for a, b in pairwise(words)):
            return False
        if not data()["turning"].isdisjoint(words) or tuple(words[:3]) == ("i", "was", "lying"):
            return False
        if any(a == "of" and b in OF_TASK for a, b in pairwise(words[:4])):
            return False  # "half of them"
        if self._bounds(words, touched=touched):
            return False
        if words[0] == "with" and (touched or self.refers(words) or "others" in words):
            return False  # "with the others lined up behind it"
        if role is Role.RELATIVE and self._says_which(words, touched=touched):
            return False
        praised = not touched and not self.refers(words)  # "you have been a great help"
        robot = not (ROBOT - {"robot"}).isdisjoint(words) and not praised
        needed = words[1:4] in (["will", "want", "you"], ["will", "need", "you"])
        if robot and not needed and role not in (Role.REASON, Role.CONTRARY):
            return False
        if touched and not (ORDINALS | NUMBERED | {"only", "just", "but"}).isdisjoint(words):
            return False
        # An order may follow without a mark: "it is dark and put it there".
        joined = pairwise(words)
        return not any(a in ("and", "but", "then", "so") and b in self._verbs for a, b in joined)

    def _bounds(self, words: Sequence[str], *, touched: bool) -> bool:
        """Whether words may say when something else holds: "only when it is quiet"."""
        touched |= self.refers(words)
        begins = not BOUNDING.isdisjoint(words[:3])
        return not _ALWAYS_BOUNDING.isdisjoint(words) or begins or (
            touched and not BOUNDING.isdisjoint(words)
        )  # fmt: skip

    @staticmethod
    def _says_which(words: Sequence[str], *, touched: bool) -> bool:
        """Whether what is told of a thing may say which one is meant: "which is red"."""
        described = any(w in COLORS or w in SIZE_WORDS for w in words)
        bearing = {"never", "only", "means", "hates", "hated"} | ({"always"} if touched else set())
        return described or not bearing.isdisjoint(words)

    def refers(self, words: Sequence[str]) -> bool:
        """Whether a pronoun among words may stand for something of the task, or for the task; "that
        run" is none."""
        tree, begin = self.trees.of(words)
        said = tree[begin : begin + len(words)]
        subjects = {"it"} if words[0] == "it" else set()
        return any(
            w.text.lower() in OF_TASK - subjects and w.relation not in ("det", "mark") for w in said
        )

    def _touches(self, words: Sequence[str]) -> bool:
        """Whether words name something of the task, or may."""
        nouns = (w for a, w in pairwise(["", *words]) if w != "can" or a not in PRONOUNS)
        named = any(w in COLORS or self.lexicon.names(w) for w in nouns)
        of_any = (a for a, b in pairwise([*words, ""]) if (a, b) != ("nothing", "but"))
        return named or not _UNBOUND.isdisjoint(of_any)

    def _is_told(self, clause: FormedClause, role: Role, *, touched: bool) -> bool:
        if clause.is_indirect and not clause.said_of_robot:
            return True
        if clause.is_own_aim:
            own = role is Role.REASON or clause.is_aim_of_past
            return own or not (clause.handles and clause.touches)
        if not clause.is_finite:
            return clause.is_idle or (not clause.is_imperative and not clause.handles_something)
        if not clause.subject and not clause.is_joined and not clause.is_relative:
            return clause.is_idle
        if clause.said_of_robot:
            able = {"can", "could", "would", "will"} >= clause.modals and bool(clause.modals)
            denying = {"not", "never", "no"} | ({"only"} if clause.lemma != "have" else set())
            does = role is Role.REASON and not clause.modals and denying.isdisjoint(clause.words)
            blind = role is Role.CONTRARY and clause.lemma in data()["perceiving"]
            if clause.is_praise and not touched:
                return True
            wants = clause.lemma in ("want", "need") and not clause.owed
            if role not in (Role.REASON, Role.CONTRARY) and not wants:
                return False
            return not clause.owes and (does or blind or (able and not touched))
        if (clause.of_speaker and clause.perceives) or clause.only_exists:
            return True
        if clause.subject == ["i"] and clause.at_hand not in {"", *data()["having"]}:
            return True  # "I'm about to do the dishes"
        if self._is_ease(clause):
            return True
        if clause.restricts and (clause.of_task or touched):
            return False
        if role is Role.PLAIN and clause.may_rule:
            return False
        related = clause.does_it or (clause.relates and not (clause.of_speaker and clause.owes))
        if (
            clause.counts
            or clause.takes_back
            or (role is Role.PLAIN and related and not clause.is_past)
        ):
            return False
        if role is Role.RELATIVE and clause.subject == ["which"] and "would" in clause.modals:
            return not clause.touches_beside and not clause.owes
        if clause.is_universal and (clause.names or clause.handles or clause.places):
            return False
        if clause.owes or not clause.modals.isdisjoint(_DUTY):
            return self._is_own_duty(clause, role)
        if clause.wishes:
            return self._is_others_wish(clause, role)
        if clause.modals and not clause.of_person and (clause.places or clause.handles):
            return False
        wishful = not clause.modals.isdisjoint({"would", "could"})
        if role is Role.PLAIN and clause.of_task and wishful:
            return clause.is_mere_praise
        if clause.of_person:
            past = clause.is_dated and _SETTLED.isdisjoint(clause.words)
            past |= clause.is_perfect and clause.subject != ["we"]
            idle = past or not (clause.handles and clause.touches)
            return idle or role in (Role.REASON, Role.RELATIVE)
        if clause.of_task or (clause.is_relative and clause.touches):
            return self._is_fact(clause, role)
        acts = (clause.places or clause.handles) and not clause.is_past
        return role is Role.REASON or not acts

    @staticmethod
    def _is_ease(clause: FormedClause) -> bool:
        """ "this should be quick"."""
        how = {w.text.lower() for w in clause.direct if w.relation == "acomp"}
        of_all = clause.subject in (["this"], ["that"], ["it"]) and clause.lemma == "be"
        bare = not any(w.relation in ("xcomp", "ccomp", "advcl", "prep") for w in clause.direct)
        return of_all and bare and bool(how) and how <= data()["manners"] | data()["eases"]

    @staticmethod
    def _is_own_duty(clause: FormedClause, role: Role) -> bool:
        """What the speaker has to do, and nobody else: "I have to answer the phone"."""
        if clause.of_speaker:
            verb = clause.owed or clause.lemma
            return verb not in data()["having"] and not (clause.handled(verb) and clause.touches)
        if role is Role.PREMISE and "look" in (clause.lemma, clause.owed):
            return not clause.names
        return role in (Role.REASON, Role.PREMISE) and not clause.touches and clause.of_person

    def _is_others_wish(self, clause: FormedClause, role: Role) -> bool:
        """What somebody else wants or feels, which is nothing of the task."""
        past = clause.is_past and not clause.names
        if clause.lemma == "have" and not clause.touches:
            return True  # "I won't have sticky things carried past clean sheets"
        verb = clause.owed
        if clause.of_speaker and clause.wants_it_for_itself:
            return True
        if verb and (clause.of_speaker or not clause.names):
            own = verb not in data()["having"] and not clause.handled(verb)
            return own or (role is Role.REASON and verb not in data()["having"])
        if clause.of_person and not clause.of_speaker and clause.lemma in data()["feeling"]:
            return not clause.names
        wants = clause.lemma in ("want", "need") and "will" in clause.modals
        if wants and clause.of_person and not clause.names and not clause.has_place:
            return True
        if clause.of_speaker:
            return (past and not clause.touches) or (
                role in (Role.PREMISE, Role.REASON) and not clause.touches
            )  # fmt: skip
        if clause.of_task and not clause.of_person:
            wants = role is Role.PREMISE and clause.gerund.endswith("ing")
            return wants and all(gerund(v) != clause.gerund for v in clause.verbs)
        return past or not clause.touches or (not clause.names and clause.has_place)

    @staticmethod
    def _is_fact(clause: FormedClause, role: Role) -> bool:
        """Whether a clause tells what a thing of the task is or does by itself."""
        if clause.lemma in data()["natural"] and role in (Role.REASON, Role.CONTRARY):
            return True  # "because the big ones don't fit"
        if clause.places and clause.lemma != "be" and not clause.is_past:
            return False
        if clause.handles and not (clause.is_past and role in (Role.REASON, Role.RELATIVE)):
            return False
        settled = not _SETTLED.isdisjoint(clause.words)
        reason = role in (Role.REASON, Role.RELATIVE, Role.PREMISE)
        return not clause.is_state or settled or reason
