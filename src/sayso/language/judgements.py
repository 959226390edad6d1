"""What a person says when a robot asks whether it is right: yes, no, or something else.

Words that change or add to what is asked about are a correction, also after a "yes"; those that
only agree or only refuse are taken as such, the last of them counts. Nothing that was said is
dropped: what is neither agreement nor refusal nor talk makes a "yes" a correction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources


class Judgement(Enum):
    """What an answer does."""

    YES = "yes"
    NO = "no"
    CORRECTION = "correction"
    QUESTION = "question"
    STOP = "stop"
    UNCLEAR = "unclear"


_KINDS: Mapping[str, Judgement | str | None] = {
    "stop": Judgement.STOP,
    "unsure": "unsure",
    "no": Judgement.NO,
    "yes": Judgement.YES,
    "question": Judgement.QUESTION,
    "needed": "needed",
    "needed_no": "needed_no",
    "same": "same",
    "talk": None,
}
"""What a part of an answer does that is of a kind of `judgements.txt`, in the order of trying."""
_LONG = (
    ("won't", "will not"), ("can't", "can not"), ("cannot", "can not"), ("shan't", "shall not"),
    ("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'m", " am"),
    ("that's", "that is"), ("it's", "it is"), ("let's", "let us"), ("what's", "what is"),
    ("i'd", "i would"), ("you'd", "you would"), ("there's", "there is"),
)  # fmt: skip
_TAG = re.compile(
    r"(?:^| )(?:must|is|are|does|do|has|have|can|should|will|would|was|were) not "
    r"(?:it|they|he|she|you|we)$"
    r"| (?:must|is|are|does|do|has|have|can|should|will|would|was|were) (?:it|they|you|we)$"
    r"| (?:right|no|ok|okay|eh|correct|yes)$"
)
""" "mustn't it?": no question."""
_LONGEST = 12
"""Words of a part that may be mere agreement or talk."""
_OF_NEED: Mapping[str, tuple[Judgement, Judgement | str]] = {
    "needed": (Judgement.YES, Judgement.CORRECTION),
    "needed_no": (Judgement.NO, Judgement.CORRECTION),
    "same": (Judgement.NO, "unsure"),
}
"""What they do where it is asked whether something is needed, and elsewhere."""
_ASKS_FOR_WORDS = re.compile(r"^what\b|\bshow me\b", re.IGNORECASE)
_ASKS_WHETHER_NEEDED = re.compile(
    r"\b(?:does|do|must|is|are)\b[^.?]*\b(?:have to|needed|need|matter|necessary)\b[^.?]*\?"
    r"|\bmust\b[^.?]*\?",
    re.IGNORECASE,
)


def judged(words: str, question: str = "") -> Judgement:
    """What an answer does.

    Args:
        question: that was asked: what only says it again changes nothing.
    """
    kinds = [k for piece in _pieces(words) for k in _kinds(piece, question)]
    stops = Judgement.STOP in kinds
    agreed = [k for k in kinds if k in (Judgement.YES, Judgement.NO)]
    asks_for_words = _ASKS_FOR_WORDS.search(question)
    told = "strange" in kinds and bool(agreed) != bool(asks_for_words) and not stops
    if Judgement.CORRECTION in kinds or told:
        return Judgement.CORRECTION
    if "unsure" in kinds:
        return Judgement.UNCLEAR
    if stops or Judgement.QUESTION in kinds:
        return Judgement.STOP if stops else Judgement.QUESTION
    return Judgement(agreed[-1]) if agreed else Judgement.UNCLEAR


def _pieces(words: str) -> Iterator[str]:
    """Parts of an answer, in lower case and long forms, each with its question mark."""
    text = re.sub(r"([a-z])\1{2,}", r"\1", words.lower())
    text = text.replace("\u2019", "'").replace("\u2026", " ")
    if not re.search(r"\w", text) and "?" in text:
        yield "what"
    for short, long in _LONG:
        text = text.replace(short, long)
    for part in re.findall(r"[^,.;:!?()\n]+\??", re.sub(r"\.{2,}|--+|\u2014", ",", text)):
        cleaned = " ".join(re.findall(r"[a-z0-9']+|\?", part))
        if cleaned and cleaned != "?":
            yield cleaned


def _kinds(piece: str, question: str) -> Iterator[Judgement | str]:
    """What a part of an answer does; nothing where it is talk."""
    plain, forms = piece.removesuffix("?").strip(), _forms()
    short = len(plain.split()) <= _LONGEST
    for kind, pattern in forms.whole.items():
        if short and pattern.fullmatch(plain):
            if kind in _OF_NEED:
                needed = _ASKS_WHETHER_NEEDED.search(question)
                yield _OF_NEED[kind][0 if needed else 1]
            elif (done := _KINDS[kind]) is not None:
                yield done
            return
    if short and (leading := forms.leading.fullmatch(plain)):
        yield Judgement.YES if leading["yes"] else Judgement.NO
        yield from _kinds(leading["rest"] + piece[len(plain) :], question)
    elif piece.endswith("?") and not _TAG.search(plain):
        yield Judgement.QUESTION
    elif any(p.search(plain) for p in forms.within) or _TAG.search(plain):
        yield Judgement.CORRECTION
    elif plain.split()[-1:] and plain.split()[-1] not in re.findall(r"[a-z]+", question.lower()):
        yield "strange"


@dataclass(frozen=True)
class _Forms:
    """The forms of `judgements.txt`.

    Attributes:
        whole: a pattern of each kind.
        within: what is a correction wherever it stands.
        leading: a yes or a no with more after it.
    """

    whole: Mapping[str, re.Pattern[str]]
    within: tuple[re.Pattern[str], ...]
    leading: re.Pattern[str]


@cache
def _forms() -> _Forms:
    text = (resources.files("sayso.language") / "judgements.txt").read_text(encoding="utf-8")
    parts: dict[str, str] = {}
    found: dict[str, list[str]] = defaultdict(list)
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            kind, pattern = line.split(" ", 1)
            pattern = re.sub(r"\{([A-Z]+)\}", lambda m: parts[m[1]], pattern)
            if kind == "let":
                name, parts_pattern = pattern.split(" = ", 1)
                parts[name] = parts_pattern
            else:
                found[kind].append(pattern)
    talk = f"(?:{'|'.join(found['talk'])})"

    def whole(kind: str) -> re.Pattern[str]:
        one = talk if kind == "talk" else f"(?:{'|'.join(found[kind])})"
        return re.compile(rf"(?:{talk} )*{one}(?: {one})*(?: {talk})*")

    leading = (
        rf"(?:{talk} )*(?:(?P<yes>yes|yeah|yep|ok|okay|sure|correct|true)|(?:no|nope|nah|wrong)"
        r"(?= (?:it|that|this|the|you|i|we|he|she|not|do|is|a|an|x|y|only|please)\b)) (?P<rest>.+)"
    )
    return _Forms(
        {kind: whole(kind) for kind in _KINDS},
        tuple(map(re.compile, found["within"])),
        re.compile(leading),
    )
