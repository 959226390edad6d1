"""What a clause asks for: with the verbs around it that wish, forbid, or are only polite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml

from sayso.core.ports import ParsedWord
from sayso.language.frames import PERSONS, Agent, Clause, children

ORDER, FORBID = "order", "forbid"
PARTICIPLE = "participle"
"""What only goes along with the clause that it hangs from: "making sure"."""
POLITE = frozenset({
    "sure", "care", "it", "to", "of", "as", "so", "enough", "about", "ahead", "and", "rather",
    "very", "much", "a", "terribly", "favour", "favor", "that", "if", "really", "please", "for",
})  # fmt: skip
"""What stands beside a verb that only says that something is wanted."""

_AUXILIARIES = frozenset({
    "would", "could", "will", "can", "should", "must", "shall", "have", "has", "had", "do", "does",
    "did", "to", "is", "are", "be", "been", "being", "was", "were", "need", "ought",
})  # fmt: skip
"""Not "may" and "might": what is only allowed is not asked for."""
_COMPLEMENTS = frozenset({"xcomp", "ccomp", "pcomp"})
_ASKING = frozenset({"can", "could", "would", "will"})
"""Before "you" they ask for something; after it they allow it, or tell of it."""
_ALLOWING = frozenset({"may", "might"})
"""With these nothing is asked for yet: "I might want the mug"."""
_DUTIES = frozenset({"should", "must", "shall", "ought", "to"})
_PERFECT = frozenset({"have", "has", "had"})
_OWED = frozenset({"have", "need"})
"""Without another verb before them they say what somebody has to do."""
_ANYBODY = PERSONS | {"myself", "ourselves"}


@dataclass(frozen=True)
class VerbClass:
    """Verbs that ask for the same, what they are said with, and how controlled English says it."""

    verbs: frozenset[str]
    needs: str
    say: tuple[str, ...]


@dataclass(frozen=True)
class Control:
    """Verbs that speak of what another verb says; `plain` and `denied` say what becomes of it."""

    verbs: frozenset[str]
    agents: frozenset[str]
    plain: str
    denied: str


@dataclass(frozen=True)
class VerbClasses:
    """What `verb_classes.yaml` says."""

    classes: tuple[VerbClass, ...]
    controls: tuple[Control, ...]
    courtesies: frozenset[str]
    manners: frozenset[str]
    states: frozenset[str]
    staying: frozenset[str]
    keeping: frozenset[str]
    telling: frozenset[str]
    feelings: frozenset[str]

    @property
    def verbs(self) -> frozenset[str]:
        """All verbs of all classes."""
        return frozenset[str]().union(*(c.verbs for c in self.classes))


@dataclass(frozen=True)
class Ask:
    """A clause and what it asks for.

    Attributes:
        sense: ORDER, FORBID, or "" where that is not clear.
        said: words that say so: of wishes and courtesies around it, and what denies it.
        link: what subordinates it, or the verbs around it.
        parent: the head of the clause above all these; its own for none.
        relation: to that clause; PARTICIPLE for one that only goes along with it.
    """

    clause: Clause
    sense: str
    said: frozenset[int]
    link: str
    parent: int
    relation: str


@lru_cache(maxsize=1)
def verb_classes() -> VerbClasses:
    """The verbs of free English that are known."""
    file = resources.files("sayso.language").joinpath("verb_classes.yaml")
    data: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    classes = (
        VerbClass(frozenset(c["verbs"]), c["needs"], tuple(c["say"])) for c in data["classes"]
    )
    controls = (
        Control(
            frozenset(c["verbs"]), frozenset(c["agents"]), c.get("plain", ""), c.get("denied", "")
        )
        for c in data["controls"]
    )
    names = ("courtesies", "manners", "states", "staying", "keeping", "telling", "feelings")
    words = (frozenset(data[name]) for name in names)
    return VerbClasses(tuple(classes), tuple(controls), *words)


def asks(tree: Sequence[ParsedWord], found: Sequence[Clause]) -> list[Ask]:
    """What each clause asks for that is no control of another one, in order."""
    by_head = {c.head: c for c in found}
    above = {
        c.head: by_head[c.parent]
        for c in found
        if c.parent != c.head and _is_complement(tree, c, by_head[c.parent], found)
    }
    controls = {c.head for c in above.values()}
    made = {c.head: _ask(tree, c, above) for c in found if c.head not in controls}
    senses = {head: ask.sense for head, ask in made.items()}
    for ask in made.values():
        top = ask.clause
        while top.head in above:
            top = above[top.head]
            senses[top.head] = ask.sense
    for ask in made.values():
        if ask.clause.relation == "conj" and ask.clause.parent in senses:
            senses[ask.clause.head] = _as_joined(tree, ask, senses[ask.clause.parent])
    return [replace(ask, sense=senses[head]) for head, ask in made.items()]


def _as_joined(tree: Sequence[ParsedWord], ask: Ask, first: str) -> str:
    """What a clause asks for that is joined to another one: the same where only that says it."""
    clause = ask.clause
    verbs = [tree[i] for i in children(tree, clause.head)]
    own = clause.subject or clause.negations or any(is_auxiliary(w) for w in verbs)
    between = {w.text.lower() for w in tree[clause.parent : clause.head] if w.relation == "cc"}
    if tree[clause.head].tag == "VBG":
        return first if tree[clause.parent].tag == "VBG" and not own else ""
    if own or "but" in between:
        return ask.sense
    return ask.sense if first == ORDER else ""


def _may_ask(tree: Sequence[ParsedWord], clause: Clause, over: Control | None) -> bool:
    """Whether a clause is an order, a polite question or a duty by its form: no report, no
    permission, no other question. What is under a control may say it otherwise."""
    head = tree[clause.head]
    direct = [i for i in children(tree, clause.head) if i in clause.words]
    verbs = [i for i in direct if tree[i].relation in ("aux", "auxpass")]
    said = {tree[i].text.lower() for i in verbs}
    if any(i < clause.head and tree[i].tag in ("WRB", "WP") for i in direct):
        return False
    if clause.agent in (Agent.OTHER, Agent.SPEAKER):
        past = clause.agent is Agent.SPEAKER and head.tag in ("VBD", "VBG", "VBN")
        wishes = said.isdisjoint(_PERFECT) or "to" in said
        return not past and wishes and said.isdisjoint(_ALLOWING)
    inflected = head.tag in ("VBD", "VBN", "VBZ") and head.text.lower() != head.lemma
    if inflected or (head.tag == "VBG" and (said or over is None)):
        return False
    if over is not None:
        return said <= _ASKING | _DUTIES | {"do", "be"}
    you = [i for i in clause.subject if tree[i].text.lower() == "you"]
    inverted = bool(you) and any(i < you[0] for i in verbs)
    if not said:
        return not you or head.lemma in _OWED
    if said == {"do"}:
        return bool(clause.negations) if inverted else not you
    if said <= _ASKING:
        return inverted and not clause.negations
    return said <= _DUTIES and not inverted


def _speaks_to_robot(tree: Sequence[ParsedWord], control: Clause) -> bool:
    """Whether a control names nobody else and nothing: "help Anna", "ask the cat"."""
    polite = POLITE | verb_classes().courtesies
    return all(
        tree[i].text.lower() in _ANYBODY or tree[i].lemma in polite or i == control.head
        for i in control.words
        if tree[i].tag in ("NN", "NNS", "NNP", "NNPS", "PRP")
    )


def _is_complement(
    tree: Sequence[ParsedWord], clause: Clause, above: Clause, found: Sequence[Clause]
) -> bool:
    if _control(tree, above) is None:
        return False
    if clause.relation in _COMPLEMENTS:
        return clause.link == ""
    courteous = clause.relation == "advcl" and clause.link == "if"
    # "If it were open, I would like you to close it" wants something else on that condition.
    others = (c for c in found if c.parent == above.head and c.relation in _COMPLEMENTS)
    return courteous and not any(others) and _is_courtesy(tree, above)


def _is_courtesy(tree: Sequence[ParsedWord], clause: Clause) -> bool:
    lemma = tree[clause.head].lemma
    if lemma in ("appreciate", "like", "love"):
        return clause.agent is Agent.SPEAKER
    named = {tree[i].lemma for i in clause.words}
    return lemma == "be" and not named.isdisjoint(verb_classes().courtesies)


def _control(tree: Sequence[ParsedWord], clause: Clause) -> Control | None:
    lemma, agent = tree[clause.head].lemma, clause.agent.value
    for control in verb_classes().controls:
        if lemma in control.verbs and agent in control.agents:
            return control
    if _is_courtesy(tree, clause):
        return Control(frozenset(), frozenset(), ORDER, "")
    return None


def _ask(tree: Sequence[ParsedWord], clause: Clause, over: Mapping[int, Clause]) -> Ask:
    said = set(clause.negations[:1])
    sense = FORBID if said else ORDER
    below = _control(tree, over[clause.head]) if clause.head in over else None
    late = any(i > clause.head for i in clause.negations) and tree[clause.head].lemma != "be"
    if len(clause.negations) > 1 or late or not _may_ask(tree, clause, below):
        sense = ""
    if below is None and clause.relation in _COMPLEMENTS and clause.parent < clause.head:
        sense = ""  # what stands above it is not understood: "I fear", "skip"
    link, parent, top = clause.link, clause.parent, clause
    while top.head in over:
        above = over[top.head]
        control = _control(tree, above)
        effect = (control.denied if above.negations else control.plain) if control else ""
        if not _is_said_so(tree, above, over):
            effect = ""
        if "" in (effect, sense) or effect == sense == FORBID or len(above.negations) > 1:
            return Ask(clause, "", frozenset(), above.link, above.parent, above.relation)
        sense = FORBID if FORBID in (effect, sense) else ORDER
        said |= {i for i in above.words if _goes_along(tree, above, i)} | set(top.link_words)
        link, parent, top = above.link, above.parent, above
    if parent == top.head:
        parent = clause.head
    along = top.relation == "advcl" and tree[top.head].tag == "VBG"
    relation = PARTICIPLE if along else top.relation
    return Ask(clause, sense, frozenset(said), link, parent, relation)


def _is_said_so(tree: Sequence[ParsedWord], control: Clause, over: Mapping[int, Clause]) -> bool:
    """Whether a control is said to the robot, of now: not "I asked", "it was nice to"."""
    above = _control(tree, over[control.head]) if control.head in over else None
    polite = tree[control.head].lemma == "be" and control.agent in (Agent.OTHER, Agent.SPEAKER)
    would = any(tree[i].text.lower() in _ASKING for i in control.words)
    if polite and not would:
        return False
    return _may_ask(tree, control, above) and _speaks_to_robot(tree, control)


def _goes_along(tree: Sequence[ParsedWord], control: Clause, at: int) -> bool:
    """Whether a word of a control only says that something is wanted."""
    word = tree[at]
    if at == control.head or at in (*control.negations, *control.link_words):
        return True
    if at in control.subject and word.text.lower() in PERSONS:
        return True
    polite = word.lemma in verb_classes().courtesies or word.text.lower() in POLITE
    return polite or word.relation == "punct" or is_auxiliary(word)


def is_auxiliary(word: ParsedWord) -> bool:
    """Whether a word only helps the verb of an order."""
    return word.relation in ("aux", "auxpass") and word.text.lower() in _AUXILIARIES
