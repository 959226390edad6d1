"""What only tells something, of clauses in free English: stories, reasons, headings.

A clause is told where its form asks for nothing (somebody does or is something, and nobody is
asked, allowed or wished to do anything), and either it tells what has been, or names nothing of
the task, or its verb is one of those that tell how somebody is or what happens to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sayso.core.ports import ParsedWord
from sayso.language.controls import verb_classes
from sayso.language.frames import Agent, Clause, children, clauses
from sayso.language.lexicon import Lexicon
from sayso.language.nouns import SIZE_WORDS
from sayso.language.tokens import STOPS
from sayso.language.units import may_limit, may_turn
from sayso.language.wording import THROWN_IN
from sayso.logic.formula import COLORS

_INTERJECTIONS = THROWN_IN | {
    "hm", "hmm", "um", "uh", "er", "now", "ah", "sweetheart", "dear", "darling", "love", "got it",
    "what a mess", "let me think", "silly me", "right then", "well then", "now then", "ok then",
    "okay then", "morning", "evening", "good heavens",
}  # fmt: skip
"""Between marks they only address somebody, or give time to think."""
_HEADINGS = frozenset({
    "task", "tasks", "errand", "errands", "job", "jobs", "chore", "chores", "run", "list", "plan",
    "procedure", "sequence", "protocol", "round", "rounds", "mission", "schedule", "programme",
    "program", "steps", "instructions",
})  # fmt: skip
_HEADED = _HEADINGS | {
    "a", "an", "the", "my", "your", "our", "this", "here", "is", "are", "delivery", "household",
    "patrol", "inspection", "cleaning", "tidying", "today", "whole", "next", "little", "so",
    "as", "follows", "okay", "ok", "right", "please", "one", "more",
}  # fmt: skip
_HEADED_FOR = frozenset({
    "the", "my", "our", "this", "a", "an", "today", "you", "me", "us", "demo", "test", "experiment",
    "photo", "photos", "video", "show", "game", "colors", "whole", "blocks", "dishes", "lab",
    "kitchen", "flat", "room",
})  # fmt: skip
"""A heading is of no other words, but for these after "for": "optional task" and "practice run"
say how it is meant, and "chores for tonight" that it is not meant now."""
_PURPOSES = frozenset({
    "test", "trial", "demo", "experiment", "photo", "video", "show", "game", "inspection", "audit",
    "run", "recording", "measurement", "study", "exercise",
})  # fmt: skip
_LONGEST_HEADING = 6
_ATTENTION = frozenset({"listen", "look", "hark"})
_ATTENTIVELY = frozenset({"up", "now", "here", "carefully", "closely", "please", "well", "robot"})
_TO_ROBOT = frozenset({"you", "your", "yourself", "robot", "please", "let"})
_ASKING_FOR = frozenset({
    "want", "need", "like", "love", "wish", "prefer", "hope", "expect", "should", "must", "shall",
    "ought", "may", "might", "suppose", "mean", "let", "allow", "forbid", "ask", "tell", "order",
})  # fmt: skip
"""With these words somebody asks for, wishes, allows or forbids something."""
PEOPLE = frozenset({
    "i", "we", "he", "she", "they", "my", "our", "his", "her", "their", "somebody", "someone",
    "everybody", "everyone", "people",
})  # fmt: skip
"""What somebody does, or what is theirs, is no limit, unlike "the arm moves slowly"."""
_INDICATIVE = frozenset({"VBD", "VBZ", "VBP"})
_TIME_UNITS = frozenset({"second", "minute", "hour", "day", "week", "month", "year", "o'clock"})
_AT_TIMES = frozenset({"at", "by", "around", "before", "after", "since"})
_ATTITUDES = frozenset({"hate", "hat", "expect", "miss", "lack"})
"""Towards things of the task, or how these are, they may ask for something."""
_HABITS = frozenset({"keep", "always"})
_ABLE = frozenset({"can", "could", "will", "would", "ca", "wo", "'ll"})
_UNABLE = frozenset({"can", "could", "ca"})
_ONLY_OWN = frozenset({"reach", "walk", "bend", "find", "stand"})
"""What is no part of a task, unlike what somebody gets, sees to or washes themselves."""
_OWN_DOING = frozenset(
    {"get", "see", "reach", "walk", "bend", "find", "stand", "lock", "clean", "wash"}
)
"""What somebody can, cannot or will do themselves."""
_ORDERING = frozenset({"first", "second", "third", "next", "last", "finally", "later", "earlier"})
"""What comes, or is, so many-th says in which order, unlike "last week"."""
_PERIODS = frozenset(
    {"time", "times", "week", "weekend", "night", "month", "year", "summer", "winter", "spring"}
)
_SUBJECTS = frozenset({"DT", "PRP", "PRP$", "NNP", "NNPS", "NNS", "EX", "WDT", "WP"})
"""How what is told of begins; a bare noun may be of a heading, "practice run", or of a rule."""
_OF_PLACE = frozenset({
    "go", "belong", "stay", "remain", "keep", "get", "move", "do", "deserve", "require", "wait",
})  # fmt: skip
"""With these in the present somebody may say what is to be done: "the kettle goes on the hob"."""
ROBOTS_OWN = frozenset({
    "arm", "arms", "gripper", "grippers", "hand", "hands", "finger", "fingers", "wheel", "wheels",
    "motion", "motions", "movement", "movements", "speed", "force", "noise", "silence", "care",
    "caution", "essential", "important", "necessary", "mandatory", "vital", "crucial", "urgent",
    "optional", "time", "order", "rule", "rules",
})  # fmt: skip
"""What is so of these may be said of how something is to be done."""
_MENTIONS = frozenset({"it", "them", "that", "this", "these", "those", "one", "ones"})


def is_interjection(words: Sequence[str], *, opens: bool) -> bool:
    """Whether words are no more than "hmm"; `opens` where they begin a sentence."""
    single = all(w in _INTERJECTIONS or (w == "right" and opens) for w in words)
    return single or " ".join(words) in _INTERJECTIONS


def is_heading(words: Sequence[str]) -> bool:
    """Whether words are no more than the heading of what follows: "Delivery run"."""
    if words[0] == "for" and words[-1] in _PURPOSES:
        return not may_turn(words[1:]) and len(words) <= _LONGEST_HEADING
    at = words.index("for") if "for" in words else len(words)
    heads = not _HEADINGS.isdisjoint(words[:at]) and _HEADED.issuperset(words[:at])
    return heads and _HEADED_FOR.issuperset(words[at + 1 :])


def only_tells(tree: Sequence[ParsedWord], mains: Sequence[Clause], lexicon: Lexicon) -> bool:
    """Whether words only tell what has been, or what is so of things that are not the task's: they
    ask, allow, wish and limit nothing, whatever they name ("the gripper never exceeds five
    newtons" names nothing of the scene)."""
    words = [w.text.lower() for w in _without_times(tree, lexicon)]
    present = not any(lexicon.says_something(w) for w in words)
    owed = any(w in ("have", "has", "had", "got") and to == "to" for w, to in pairwise(words))
    owed |= ("had", "better") in pairwise(words)
    asks_for = not _ASKING_FOR.isdisjoint(w.lemma for w in tree)
    said = [w for w in words if w not in STOPS]
    if owed or asks_for or not _TO_ROBOT.isdisjoint(words) or may_limit(said):
        return False
    if _orders(words) or any(_takes_back(tree, c) for c in mains):
        return False
    return bool(mains) and all(
        _tells(tree, c, present=present) and not _may_be_state(tree, c, lexicon) for c in mains
    )


def tells_of_people(tree: Sequence[ParsedWord], lexicon: Lexicon) -> bool:
    """Whether words tell how somebody is, or what happens to them or to a thing, by verbs that
    tell no more: "I'm a bit worried about the drawer because it jams"."""
    found = clauses(tree)
    said = [w for w in _without_times(tree, lexicon) if w.text not in STOPS]
    apart = all(_is_apart(tree, c, lexicon) for c in found)
    words = [w.text.lower() for w in said if not (apart and w.lemma in _HABITS)]
    named = sum(map(lexicon.says_something, words))
    towards = not _ATTITUDES.isdisjoint(w.lemma for w in tree)
    if towards and (named or not _MENTIONS.isdisjoint(words)):
        return False
    limits = may_turn([w for w in words if not (towards and w in ("hate", "hates"))])
    if not _TO_ROBOT.isdisjoint(words) or limits or named > 1 or _orders(words):
        return False
    if any(_takes_back(tree, c) for c in found):
        return False
    helps = bool(named) or not _MENTIONS.isdisjoint(words)
    return bool(found) and all(
        _tells(tree, c, present=False) or _is_told(tree, c, apart=apart, helps=helps) for c in found
    )


def tells_of_others(tree: Sequence[ParsedWord], lexicon: Lexicon) -> bool:
    """Whether words tell what is so of things that are neither the task's nor the robot's: "the
    demo is at three"."""
    found = clauses(tree)
    timeless = list(_without_times(tree, lexicon))
    words = [w.text.lower() for w in timeless if w.text not in STOPS]
    if any(map(lexicon.says_something, words)) or not _MENTIONS.isdisjoint(words):
        return False
    if may_turn(words) or _orders(words) or not _TO_ROBOT.isdisjoint(words):
        return False
    if not {"there", "here"}.isdisjoint(words[1:]):
        return False  # "the batteries live over there"
    if not (_ASKING_FOR | _OF_PLACE).isdisjoint(w.lemma for w in tree) or "to" in words:
        return False
    return bool(found) and ROBOTS_OWN.isdisjoint(words) and all(_states(tree, c) for c in found)


def describes(tree: Sequence[ParsedWord], lexicon: Lexicon) -> bool:
    """Whether words that begin with "which" or "who" only tell what something is like, or where
    it is: "which you'll find on the table"."""
    found = clauses(tree)
    said = [w for w in _without_times(tree, lexicon) if w.text not in STOPS]
    like = [b.text.lower() == "rather" and a.tag == "JJ" for b, a in pairwise([*said, said[-1]])]
    words = [w.text.lower() for w, degree in zip(said, like, strict=True) if not degree]
    finds = words[1:3] == ["you", "will"] and words[3:4] == ["find"]
    if (
        may_turn(words)
        or _orders(words)
        or not (_ASKING_FOR | _OF_PLACE).isdisjoint(w.lemma for w in tree)
    ):
        return False
    if any(w in COLORS or w in SIZE_WORDS for w in words):
        return False  # it says which of them is meant
    if len(found) != 1 or (not finds and not _TO_ROBOT.isdisjoint(words)):
        return False
    return "to" not in words and (finds or _states(tree, found[0]))


def _states(tree: Sequence[ParsedWord], clause: Clause) -> bool:
    """Whether a clause has a subject, or that of the one before, and says what is or was so."""
    verbs = [tree[clause.head], *(tree[i] for i in children(tree, clause.head))]
    helping = [w for w in verbs[1:] if w.relation in ("aux", "auxpass")]
    finite = [w for w in (verbs[0], *helping) if w.tag in ("VBD", "VBZ", "VBP")]
    own = bool(clause.subject) and tree[clause.subject[0]].tag in _SUBJECTS
    subject = own or (not clause.subject and clause.relation == "conj")
    modal = any(w.tag == "MD" for w in helping)
    return bool(finite) and subject and not modal and clause.agent is not Agent.ROBOT


def _orders(words: Sequence[str]) -> bool:
    """Whether words say which comes first, last, ...: "the mug comes last"."""
    pairs = pairwise([*words, ""])
    return any(word in _ORDERING and after not in _PERIODS for word, after in pairs)


def _takes_back(tree: Sequence[ParsedWord], clause: Clause) -> bool:
    """Whether a clause says what that was which was said before: "that was a test"."""
    subject = [tree[i].text.lower() for i in clause.subject]
    below = [tree[i].relation for i in children(tree, clause.head)]
    is_it = subject in (["that"], ["this"], ["it"]) and tree[clause.head].lemma == "be"
    return is_it and "attr" in below


def _is_apart(tree: Sequence[ParsedWord], clause: Clause, lexicon: Lexicon) -> bool:
    """Whether a clause is about somebody or something that is no part of the task."""
    subject = [tree[i].text.lower() for i in clause.subject]  # none: of the clause before it
    mentions = not _MENTIONS.isdisjoint(subject) or any(map(lexicon.says_something, subject))
    return not mentions


def _is_told(tree: Sequence[ParsedWord], clause: Clause, *, apart: bool, helps: bool) -> bool:
    """Whether a clause is in the indicative, with a verb that only tells.

    Args:
        tree: the parsed words.
        clause: one of its clauses.
        apart: whether it is about nothing of the task; else what may be done, too, is no telling:
            "it always returns to the drawer".
        helps: whether what somebody will do themselves may be part of the task: "I'll get it".
    """
    known, head = verb_classes(), tree[clause.head]
    direct = [tree[i] for i in children(tree, clause.head)]
    if head.lemma == "keep" and clause.agent in (Agent.SPEAKER, Agent.OTHER):
        below = [w for w in direct if w.relation == "xcomp"]
        own = clause.agent is Agent.SPEAKER
        return bool(below) and all(
            w.tag == "VBG" and (own or w.lemma in known.telling) for w in below
        )
    tells = head.lemma in known.telling and (apart or head.lemma not in known.verbs)
    if head.tag == "VBG" and clause.relation == "xcomp":
        return tells
    modal = {w.text.lower() for w in direct if w.tag == "MD"}
    finite = any(w.tag in _INDICATIVE for w in (head, *(w for w in direct if "aux" in w.relation)))
    person = bool(clause.subject) and tree[clause.subject[0]].text.lower() in PEOPLE
    unable = any(w.relation == "neg" for w in direct) and modal <= _UNABLE
    able = person and modal <= _ABLE and (unable or not helps or head.lemma in _ONLY_OWN)
    able &= tells or head.lemma in _OWN_DOING
    if modal or not (clause.subject or clause.relation == "conj") or clause.agent is Agent.ROBOT:
        return bool(modal) and able
    like = {w.lemma for w in direct if w.relation in ("acomp", "attr", "oprd")}
    return finite and (tells or (head.lemma == "be" and not like.isdisjoint(known.feelings)))


def _without_times(tree: Sequence[ParsedWord], lexicon: Lexicon) -> Iterator[ParsedWord]:
    """The words without what tells when: "at four", "in ten minutes", "before the audit"."""
    for i, word in enumerate(tree):
        over = tree[word.head]
        when = over.lemma in _TIME_UNITS or (over.tag == "IN" and over.text.lower() in _AT_TIMES)
        counted = word.tag == "CD" and when and i != word.head
        if not (counted or _dates(tree, i, lexicon)):
            yield word


def _dates(tree: Sequence[ParsedWord], at: int, lexicon: Lexicon) -> bool:
    """Whether a preposition dates what is told by something that is not the task's."""
    word = tree[at]
    nouns = [tree[i] for i in children(tree, at) if tree[i].relation == "pobj"]
    of_time = word.tag == "IN" and word.text.lower() in _AT_TIMES and word.relation == "prep"
    return of_time and [n.tag for n in nouns] == ["NN"] and not lexicon.names(nouns[0].text.lower())


def _may_be_state(tree: Sequence[ParsedWord], clause: Clause, lexicon: Lexicon) -> bool:
    """Whether what a thing of the task did may be how it is to be: "drawer closed at the end"."""
    helped = any(tree[i].relation in ("aux", "auxpass") for i in children(tree, clause.head))
    of_task = any(lexicon.says_something(tree[i].text.lower()) for i in clause.subject)
    return of_task and not helped and tree[clause.head].tag in ("VBD", "VBN")


def _tells(tree: Sequence[ParsedWord], clause: Clause, *, present: bool) -> bool:
    """Whether a clause has a subject, and a verb of what has been or, if `present`, is."""
    if tree[clause.head].lemma in _ATTENTION and clause.agent is not Agent.ROBOT:
        own = [tree[i] for i in clause.words if i != clause.head]
        if all(
            w.text.lower() in _ATTENTIVELY or w.relation in ("cc", "punct", "mark") for w in own
        ):
            return True
    if clause.agent not in (Agent.OTHER, Agent.SPEAKER):
        return False
    verbs = [tree[clause.head], *(tree[i] for i in children(tree, clause.head))]
    auxiliary = [w for w in verbs[1:] if w.relation in ("aux", "auxpass")]
    finite = [w for w in (verbs[0], *auxiliary) if w.tag in ("VBD", "VBZ", "VBP", "MD")]
    perfect = any(w.lemma == "have" for w in auxiliary) and verbs[0].tag in ("VBN", "VBD")
    past = perfect or all(w.tag == "VBD" for w in finite)
    present &= tree[clause.subject[0]].text.lower() in PEOPLE
    return bool(finite) and (past or (present and all(w.tag in _INDICATIVE for w in finite)))
