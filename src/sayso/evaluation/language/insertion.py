"""Words that change a meaning, put anywhere into a sentence that was read.

Whatever is then read must mean something else, and the word must not have become part of the name
of a thing: a "not" that is swallowed is the worst misreading there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from sayso.evaluation.language.constructs import Instruction
from sayso.evaluation.language.judging import agree
from sayso.evaluation.language.system import System
from sayso.logic.formula import Formula

WORDS = (
    "not", "never", "no", "none", "neither", "or", "either", "except", "only", "before", "after",
    "until", "unless", "if", "without", "twice", "other", "another", "all", "both", "two",
)  # fmt: skip
TELLING = frozenset({"reason", "never because", "remark"})
"""Constructs that also tell of something: a word put there changes nothing that is asked for."""
_EVERY = frozenset({"the", "of", "block", "blocks", "mugs", "cans", "chairs", "desks", "things"})
_KINDS = frozenset({"block", "mug", "plate", "can", "chair", "desk"})
_NAMES = {("trash", "bin")}
_AT_MOST = re.compile(r"\b(?:at most|(?:no|not) more than|up to)\b")
_NEGATIVE = frozenset({"not", "don't", "never", "no"})


@dataclass(frozen=True)
class Swallowed:
    """An inserted word that left the meaning as it was, or became part of a noun."""

    word: str
    text: str
    in_noun: bool


def insertions(text: str) -> Iterator[tuple[str, str]]:
    """Each word, with each sentence that it makes."""
    words = text.split()
    for word in WORDS:
        for at in range(len(words) + 1):
            if not _may_be_free(word, words, at):
                yield word, " ".join((*words[:at], word, *words[at:]))


def _may_be_free(word: str, words: list[str], at: int) -> bool:
    """Whether English may mean the same with the word: "all the blocks", "either A or B"."""
    said = [w.strip(".,;?").lower() for w in words]
    following = said[at] if at < len(said) else ""
    before = said[at - 1] if at else ""
    match word:
        case "two" if before in ("all", "the"):
            return True  # it says how many there are
        case "all" if before == "them":
            return True  # "put them all on the sofa"
        case "all" | "two":
            return following in _EVERY or following.endswith("s") or before == "both"
        case "before" if before == "was" and following == "":
            return True  # "put it back where it was before"
        case "both" if before == "them" or (following == "" and "two" in said):
            return True  # "put them both on the sofa"; "Take two blocks. Both."
        case "both":
            return following in _EVERY or following.endswith("s") or "and" in said[at:]
        case "not":
            # "All but not the red one" leaves out that one, "never A and not B" forbids both.
            forbids = before in ("and", "or") and not _NEGATIVE.isdisjoint(said[:at])
            return word in (before, following) or before == "but" or forbids
        case "either":
            if "alternatively" in said[at:]:
                return True  # "Either A. Alternatively, B."
            if before == "alone":
                return following in ("", "and")  # "Leave it alone either."
            ends = following in ("", "but", "and")  # "Never touch it either, but ..."
            return "or" in said or (ends and not _NEGATIVE.isdisjoint(said))
        case "only":
            # What is said is a limit already: "only visit it at most twice".
            return "only" in said or bool(_AT_MOST.search(_clause_after(words, at)))
        case "other" | "another":
            # After another of its kind was spoken of: "the red block, ... the other green block".
            near = said[at : at + 3]
            return "one" in near or any(w in said[:at] for w in near if w in _KINDS)
        case "or":
            # "The trash or bin" is the trash bin by either name.
            choice = {"which", "mind", "matter", "care"}  # "..., or I don't care which"
            return (
                (following in ("i", "it") and not choice.isdisjoint(said[at:]))
                or following in ("otherwise", "else", "alternatively", "whichever", "whatever")
                or (words[at - 1 : at] and words[at - 1][-1] == "," and "or" in said[at:])
                or word in (before, following)
                or (before, following) in _NAMES
            )
        case "after":
            return at == 0 or before == "and" or "then" in (before, following)
    return word in (before, following)


def _clause_after(words: list[str], at: int) -> str:
    return re.split(r"[.,;]", " ".join(words[at:]).lower(), maxsplit=1)[0]


def swallowed(
    instruction: Instruction, formula: Formula, system: System, rng: Random
) -> tuple[tuple[Swallowed, ...], int]:
    """What was swallowed of the words put into a sentence, and how many were tried.

    Args:
        formula: what the sentence means without them.
    """
    found, tried = [], 0
    for word, text in insertions(instruction.text):
        tried += 1
        answer = system.read(text, instruction.things)
        same = answer.formula is not None and agree(
            instruction.meaning, formula, answer.formula, rng
        )
        in_noun = word in answer.noun_words
        if same or in_noun:
            found.append(Swallowed(word, text, in_noun))
    return tuple(found), tried
