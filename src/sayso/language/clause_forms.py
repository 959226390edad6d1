"""The form of a clause: who it is about, and how it says so, by its dependency tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

import yaml

from sayso.core.ports import ParsedWord
from sayso.language.frames import children, under
from sayso.language.inflection import gerund
from sayso.language.lexicon import Lexicon
from sayso.language.tellings import ROBOTS_OWN
from sayso.logic.formula import COLORS


@lru_cache(maxsize=1)
def data() -> dict[str, frozenset[str]]:
    """The words of `digressions.yaml`."""
    text = (resources.files(__package__) / "digressions.yaml").read_text(encoding="utf-8")
    return {name: frozenset(words) for name, words in yaml.safe_load(text).items()}


ROBOT = frozenset({"you", "your", "yourself", "yours", "robot"})
_PERSONS = frozenset({
    "i", "we", "he", "she", "they", "somebody", "someone", "people", "who", "everybody", "everyone",
    "nobody", "anyone", "anybody",
})  # fmt: skip
OF_TASK = frozenset({"it", "them", "that", "this", "those", "these", "one", "ones", "others"})
"""Pronouns that may stand for things of the task."""
PRONOUNS = frozenset({
    "i", "we", "you", "he", "she", "it", "they", "that", "who", "which", "this", "nobody",
    "somebody", "someone", "anybody", "everybody", "there", "what",
})  # fmt: skip
"""After these "can" is no thing."""
_OF_ANY = frozenset({"anything", "everything", "nothing", "things", "all", "none", "both", "any"})
UNIVERSAL = frozenset({
    "nobody", "nothing", "none", "neither", "no", "all", "every", "each", "both", "any",
    "everything", "everybody", "everyone", "anything", "anybody", "anyone", "only",
})  # fmt: skip
_FINITE = frozenset({"VBD", "VBZ", "VBP"})
_SOMEWHERE = frozenset({
    "in", "on", "at", "off", "out", "there", "here", "inside", "near", "up", "down",
})  # fmt: skip
_BEING = frozenset({"be", "seem", "look", "get", "become", "stay", "remain", "count", "sound"})
_OWNERS = frozenset({"my", "our", "his", "her", "their"})
_DATING = frozenset({"at", "since", "by", "around", "until", "till", "before", "after", "past"})
_OWED = frozenset({"have", "need", "get"})


@dataclass(frozen=True)
class FormedClause:
    """A verb of a tree, and what depends on it."""

    tree: Sequence[ParsedWord]
    head: int
    lexicon: Lexicon
    verbs: frozenset[str]

    @cached_property
    def direct(self) -> list[ParsedWord]:
        return [self.tree[i] for i in children(self.tree, self.head)]

    @cached_property
    def lemma(self) -> str:
        """Its verb; of "is going to eat" what is to come."""
        return self.owed if self.is_to_come else self.tree[self.head].lemma

    @cached_property
    def is_to_come(self) -> bool:
        """ "is going to rain"."""
        word = self.tree[self.head]
        now = any(w.relation == "aux" and w.tag in ("VBZ", "VBP") for w in self.direct)
        return word.text.lower() == "going" and now and bool(self.owed)

    @cached_property
    def at_hand(self) -> str:
        """The verb of what somebody is about to do; "" for none."""
        for at in children(self.tree, self.head):
            if self.tree[at].text.lower() == "about" and self.tree[at].relation == "acomp":
                return next((self.tree[i].lemma for i in children(self.tree, at)), "")
        return ""

    @cached_property
    def is_perfect(self) -> bool:
        """ "has left", "left": what has come about, and in no form that an order may have."""
        word = self.tree[self.head]
        helped = any(w.lemma == "have" and w.relation == "aux" for w in self.direct)
        return self.is_past and (helped or (word.tag == "VBD" and word.text.lower() != word.lemma))

    @cached_property
    def is_absolute(self) -> bool:
        """ "the bin being emptied before", "with the others lined up behind it"."""
        own = any(w.relation in ("nsubj", "nsubjpass") for w in self.direct)
        free = self.tree[self.head].relation in ("ROOT", "advcl", "pcomp", "dep", "conj")
        participle = self.tree[self.head].tag in ("VBN", "VBG") and not self.is_finite and free
        over = self.tree[self.tree[self.head].head]
        of_with = over.text.lower() == "with" and self.tree[self.head].relation == "pcomp"
        return (
            participle
            and (own or of_with)
            and self.lemma not in data()["perceiving"]
            and (
                not self.of_person
                and (self.of_task or not OF_TASK.isdisjoint(self.words) or "others" in self.words)
            )
        )

    @cached_property
    def allows_to(self) -> bool:
        """ "it is not okay to lift it"."""
        how = {w.text.lower() for w in self.direct if w.relation == "acomp"}
        to = any(w.relation in ("xcomp", "ccomp", "advcl") for w in self.direct)
        said = how & (data()["restricting"] | {"right", "good", "bad", "nice"})
        return self.lemma == "be" and bool(said) and to and not self.of_person

    @cached_property
    def is_praise(self) -> bool:
        """ "you have been a great help"."""
        how = [w for w in self.direct if w.relation in ("acomp", "attr")]
        known = {w.text.lower() for w in how} & data()["restricting"]
        states = any(self.lexicon.is_state(w.text.lower()) for w in how)
        joined = any(w.relation in ("xcomp", "ccomp", "advcl") for w in self.direct)
        is_so = self.lemma == "be" and bool(how) and not self.modals
        return is_so and not known and not states and not joined

    @cached_property
    def is_mere_praise(self) -> bool:
        """ "that would be great", with nothing more to it."""
        how = {w.text.lower() for w in self.direct if w.relation == "acomp"}
        more = [w for w in self.direct if w.relation in ("prep", "xcomp", "ccomp", "advcl")]
        more += [w for w in self.direct if w.relation == "advmod" and w.text.lower() != "really"]
        plain = self.subject in (["that"], ["it"]) and self.lemma == "be"
        return plain and bool(how) and not more and not self.names

    @cached_property
    def of_named(self) -> bool:
        """Whether it is about a thing that is named."""
        return any(map(self._is_named, self.subject)) and not self.of_person

    @cached_property
    def touches_beside(self) -> bool:
        """Whether its words beside the subject name, or may refer to, something of the task."""
        said = (self.tree[i] for i in self._beside)
        return self.names or any(w.text.lower() in OF_TASK and w.relation != "det" for w in said)

    @cached_property
    def only_exists(self) -> bool:
        """ "there are cables on the floor", of nothing that is known."""
        if self.subject != ["there"] or self.lemma != "be" or self.modals or self.owes:
            return False
        what = [w for w in self.direct if w.relation == "attr"]
        denied = any(w.relation == "neg" or w.text.lower() in UNIVERSAL for w in self.direct)
        known = any(map(self._is_named, (w.text.lower() for w in what)))
        plain = all(
            self.tree[i].tag not in ("DT", "CD") or self.tree[i].text in ("a", "an", "the")
            for w in what
            for i in under(self.tree, self.tree.index(w))
        )
        return bool(what) and not denied and not known and plain

    @cached_property
    def inside(self) -> list[int]:
        """All words under the verb, but those of finite clauses under it."""
        found, grown = {self.head}, True
        others = {i for i in verbal(self.tree) if i != self.head and _is_finite(self.tree, i)}
        while grown:
            more = {i for i, w in enumerate(self.tree) if w.head in found and i not in others}
            grown = not more <= found
            found |= more
        return sorted(found)

    @cached_property
    def words(self) -> list[str]:
        return [self.tree[i].text.lower() for i in self.inside]

    @cached_property
    def subject(self) -> list[str]:
        """The words of the subject; that of the clause it is joined to, for none."""
        return [self.tree[i].text.lower() for i in self._subject]

    @cached_property
    def subject_lemmas(self) -> list[str]:
        return [self.tree[i].lemma for i in self._subject]

    @cached_property
    def _subject(self) -> list[int]:
        for i in children(self.tree, self.head):
            asks = self.tree[i].tag == "WP" and self.tree[i].relation == "attr" and i < self.head
            if asks or self.tree[i].relation in ("nsubj", "nsubjpass", "expl", "csubj"):
                return under(self.tree, i)
        if self.is_joined:
            over = FormedClause(self.tree, self.tree[self.head].head, self.lexicon, self.verbs)
            return over._subject if over.head != self.head else []
        return []

    @cached_property
    def is_joined(self) -> bool:
        return self.tree[self.head].relation == "conj"

    @cached_property
    def is_relative(self) -> bool:
        return self.tree[self.head].relation in ("relcl", "acl")

    @cached_property
    def modals(self) -> frozenset[str]:
        said = {w.text.lower() for w in (*self.direct, self.tree[self.head]) if w.tag == "MD"}
        return frozenset({"will" if m in ("'ll", "wo") else m for m in said})

    @cached_property
    def is_finite(self) -> bool:
        return _is_finite(self.tree, self.head)

    @cached_property
    def is_past(self) -> bool:
        """Whether it tells what was so or has been."""
        helping = [w for w in self.direct if w.relation in ("aux", "auxpass")]
        had = any(w.lemma == "have" for w in helping)
        forms = [w.tag for w in (self.tree[self.head], *helping) if w.tag in _FINITE]
        return (had or (bool(forms) and set(forms) == {"VBD"})) and not self.modals

    @cached_property
    def is_imperative(self) -> bool:
        free = self.tree[self.head].relation in ("ROOT", "conj", "dep", "ccomp", "parataxis")
        to = any(w.tag == "TO" for w in self.direct)
        return self.tree[self.head].tag in ("VB", "VBP") and free and not to and not self.subject

    @cached_property
    def is_idle(self) -> bool:
        """ "don't ask me why"."""
        denied = any(w.relation == "neg" for w in self.direct)
        idle = self.tree[self.head].lemma in data()["idle"] and denied and not self.subject
        return idle and not self.names

    @cached_property
    def is_own_aim(self) -> bool:
        """What somebody does something for, or wants: "to study"."""
        to = any(w.tag == "TO" for w in self.direct)
        over = self.tree[self.tree[self.head].head].lemma
        return to and not self.is_finite and over not in data()["ordering"]

    @cached_property
    def is_aim_of_past(self) -> bool:
        """ "somebody forgot to close it"."""
        over = FormedClause(self.tree, self.tree[self.head].head, self.lexicon, self.verbs)
        return self.is_own_aim and over.is_past and over.of_person

    @cached_property
    def is_indirect(self) -> bool:
        """What somebody knows or wonders: "I never know | what the cat is up to"."""
        over = self.tree[self.tree[self.head].head].lemma
        asked = any(self.tree[i].tag in ("WP", "WRB", "WDT") for i in self.inside if i < self.head)
        return asked and self.tree[self.head].relation == "ccomp" and over in data()["wondering"]

    @cached_property
    def owed(self) -> str:
        """The verb of what somebody has, or wants, to do; "" for none."""
        for at in children(self.tree, self.head):
            if self.tree[at].relation not in ("xcomp", "ccomp"):
                continue
            below = [self.tree[i] for i in children(self.tree, at)]
            to, own = "TO" in [w.tag for w in below], any("subj" in w.relation for w in below)
            if to and not own:
                return self.tree[at].lemma
        return ""

    @cached_property
    def gerund(self) -> str:
        """What is, or wants, doing."""
        objects = (w for w in self.direct if w.relation in ("xcomp", "dobj"))
        return next((w.text.lower() for w in objects if w.text.endswith("ing")), "")

    @cached_property
    def owes(self) -> bool:
        """ "has to", "is to be", "had better"."""
        verb = self.tree[self.head].lemma
        owed = verb in _OWED and bool(self.owed) and verb != "need"
        is_to = self.lemma == "be" and any(w.relation == "xcomp" for w in self.direct)
        better = any(w.text.lower() == "better" and w.relation == "advmod" for w in self.direct)
        return (
            owed
            or is_to
            or better
            or "to" in [w.text.lower() for w in self.direct if w.tag == "MD"]
        )

    @cached_property
    def wishes(self) -> bool:
        """Also "I won't have ...", "she can have ..."."""
        has = self.lemma == "have" and bool(self.modals)
        return self.lemma in data()["wishing"] or has

    @cached_property
    def wants_it_for_itself(self) -> bool:
        """ "I don't want it", "I still need that for the next run": nowhere, and in no state."""
        what = [w for w in self.direct if w.relation == "dobj"]
        pronoun = len(what) == 1 and what[0].text.lower() in ("it", "that", "them", "those")
        idle = ("nsubj", "aux", "neg", "dobj", "npadvmod", "punct")
        adverbs = {"still", "anymore", "any", "more", "now", "really", "later", "tomorrow"}
        rest = [w for w in self.direct if w.relation not in idle]
        said = all(w.text.lower() in adverbs | {"for"} for w in rest)
        denied = any(w.relation == "neg" for w in self.direct)
        purpose = {"still", "for"} & {w.text.lower() for w in rest}
        return pronoun and not self.names and said and (denied or bool(purpose))

    @cached_property
    def said_of_robot(self) -> bool:
        return not ROBOT.isdisjoint(self.subject)

    @cached_property
    def of_speaker(self) -> bool:
        return self.subject in (["i"], ["we"])

    @cached_property
    def of_person(self) -> bool:
        """Whether it is somebody, and nothing of the task, that the clause is about."""
        said = {*self.subject, *self.subject_lemmas}
        return not _PERSONS.isdisjoint(self.subject[:1]) or not data()["living"].isdisjoint(said)

    @cached_property
    def of_task(self) -> bool:
        said = self.subject
        named = any(map(self._is_named, said))
        return named or not OF_TASK.isdisjoint(said[:1] + said[-1:])

    @cached_property
    def names(self) -> bool:
        """Whether its words beside the subject name something of the task."""
        return any(map(self._names, self._beside))

    def _is_named(self, word: str) -> bool:
        return word in COLORS or self.lexicon.names(word)

    def _names(self, at: int) -> bool:
        """Whether a word names something of the task, or any thing there is."""
        word = self.tree[at]
        said = word.text.lower()
        if word.tag == "MD" or said in ROBOT or word.lemma == "robot":
            return False  # "I can hear it": no can
        if said in _OF_ANY and word.relation in ("advmod", "dep") and self.lemma == "be":
            return False  # "they are all wet"
        if said in _OF_ANY:
            bare = not any(self.tree[i].relation == "amod" for i in children(self.tree, at))
            of_any = self.tree[at + 1 : at + 2] and self.tree[at + 1].text == "but"
            return bare and word.relation not in ("det", "predet") and not of_any
        return self._is_named(said)

    @cached_property
    def _beside(self) -> list[int]:
        """Its words but those of a subject of its own."""
        tops = [i for i in children(self.tree, self.head) if "subj" in self.tree[i].relation]
        own = {j for i in tops for j in under(self.tree, i)}
        return [i for i in self.inside if i not in own]

    @cached_property
    def touches(self) -> bool:
        """Whether it names, or may refer to, something of the task, beside its subject or by it."""
        pronouns = any(
            self.tree[i].text.lower() in OF_TASK and self.tree[i].relation != "det"
            for i in self.inside
        )
        return self.names or self.of_task or pronouns

    @cached_property
    def has_place(self) -> bool:
        """Whether what is wanted is to be somewhere, though nowhere that is known."""
        said = (self.tree[i] for i in self.inside)
        return any(w.tag in ("IN", "RP") and w.text not in ("of", "for", "like") for w in said)

    @cached_property
    def handles(self) -> bool:
        return self.handled(self.lemma)

    def handled(self, lemma: str) -> bool:
        """Whether a verb is one of those that something may be done with."""
        if lemma == self.lemma == "keep" and self.gerund:
            return any(gerund(v) == self.gerund for v in self.verbs)
        if lemma == self.lemma == "go" and self.owed:  # "was going to ask"
            return self.handled(self.owed)
        return lemma in self.verbs and lemma not in ("be", "have")

    @cached_property
    def handles_something(self) -> bool:
        return self.handles and self.touches

    @cached_property
    def places(self) -> bool:
        owned = self.lemma == "belong" and "to" in [w.text for w in self.direct] and not self.names
        kept = self.lemma == "keep" and bool(self.gerund)  # "it keeps catching my sleeve"
        return self.lemma in data()["placing"] and not owned and not kept

    @cached_property
    def perceives(self) -> bool:
        """ "I can hear it from here"."""
        return self.lemma in data()["perceiving"] and self.modals <= {"can", "could"}

    @cached_property
    def is_dated(self) -> bool:
        """Whether it says when something was: "I moved it this morning"."""
        dates = (w for w in self.direct if w.relation in ("npadvmod", "advmod"))
        return self.is_past and any(w.text.lower() in data()["times"] for w in dates)

    @cached_property
    def is_state(self) -> bool:
        """Whether it says how, or where, a thing of the task is."""
        how = {
            w.text.lower() for w in self.direct if w.relation in ("acomp", "attr", "oprd", "prt")
        }
        how |= {self.tree[self.head].text.lower()} if self.lemma != "be" else set()
        state = any(map(self.lexicon.is_state, how)) and not self.is_past
        how_it_is = any(w.relation == "acomp" for w in self.direct)  # "it is dirty in there"
        somewhere = self.lemma == "be" and (
            self.names or (self._is_somewhere and not how_it_is)
        )  # fmt: skip
        return state or (somewhere and not self.is_past)

    @cached_property
    def _is_somewhere(self) -> bool:
        for at in children(self.tree, self.head):
            if self.tree[at].relation not in ("prep", "advmod"):
                continue
            said = [self.tree[i] for i in children(self.tree, at)]
            unknown = [w for w in said if w.relation == "pobj" and w.tag.startswith("NN")]
            if self.tree[at].text.lower() in _SOMEWHERE and not unknown:
                return True  # "in the way" is nowhere
        return False

    @cached_property
    def restricts(self) -> bool:
        """ "off limits", "taken", "reserved for"."""
        passive = any(w.relation == "auxpass" for w in self.direct)
        if self.lemma not in _BEING and not passive:
            return False
        said = {self.tree[i].text.lower() for i in self._beside}
        alone = self.subject in (["that"], ["this"]) and not self.names
        fine = {"fine", "ok", "okay", "alright", "enough"}
        owned = self.subject in (["it"], ["that"], ["they"]) and not self.names
        idle = (fine if alone else set()) | ({"mine", "ours", "yours"} if owned else set())
        return bool(said & data()["restricting"] - idle)

    @cached_property
    def may_rule(self) -> bool:
        """Whether it may say what goes for whatever is done, of nobody: "no cooking happens
        tonight", "singing is banned", "the arm never swings"."""
        if self.of_person or self.is_past:
            return False
        own = not ROBOTS_OWN.isdisjoint(self.subject) and self.subject[0] not in _OWNERS
        banned = self.restricts and not data()["ruling"].isdisjoint(self.words)
        of_it = self.subject in (["it"], ["that"], ["there"])
        ever = not {"never", "always", "only"}.isdisjoint(self.words) and not of_it
        return own or banned or ever or (self.is_universal and self.subject != ["there"])

    @cached_property
    def relates(self) -> bool:
        """Whether it brings something, or somebody, together with a thing of the task: "the kids
        have dibs on the plate"."""
        several = sum(map(self._is_named, self.subject)) > 1 and "and" in self.subject
        return self.names or several

    @cached_property
    def counts(self) -> bool:
        """Whether it holds a number that stands for things: "there were five"."""
        numbers = (i for i in self.inside if self.tree[i].tag == "CD")
        for word in (self.tree[i] for i in numbers if self.tree[i].text.lower() != "one"):
            dated = self.tree[word.head].text.lower() in _DATING
            if word.relation in ("attr", "dobj", "nsubj") or (
                word.relation == "pobj" and not dated
            ):
                return True
        return False

    @cached_property
    def takes_back(self) -> bool:
        """Whether it says what that was which was said before: "that was a test"."""
        noun = any(w.relation == "attr" and w.tag in ("NN", "NNS") for w in self.direct)
        return self.lemma == "be" and noun and self.subject in (["it"], ["this"], ["that"])

    @cached_property
    def does_it(self) -> bool:
        """Whether somebody does what was asked for: "my son is doing it"."""
        objects = {w.text.lower() for w in self.direct if w.relation == "dobj"}
        return self.lemma == "do" and not OF_TASK.isdisjoint(objects)

    @cached_property
    def is_universal(self) -> bool:
        denied = self.subject[:1] and self.subject[0] in UNIVERSAL
        return bool(denied)


def verbal(tree: Sequence[ParsedWord]) -> list[int]:
    """The verbs that make clauses, finite or not."""
    helping = ("aux", "auxpass", "amod", "compound", "nmod", "det", "prep")
    return [
        i for i, w in enumerate(tree)
        if (w.tag.startswith("VB") and w.relation not in helping) or w.relation == "ROOT"
    ]  # fmt: skip


def _is_finite(tree: Sequence[ParsedWord], head: int) -> bool:
    helping = [tree[i] for i in children(tree, head) if tree[i].relation in ("aux", "auxpass")]
    if tree[head].tag == "NNS" and any(tree[i].relation == "nsubj" for i in children(tree, head)):
        return True  # "the floor creaks": it is taken for a noun
    return any(w.tag in (*_FINITE, "MD") for w in (tree[head], *helping))
