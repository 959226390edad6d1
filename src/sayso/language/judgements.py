"""What a person says when a robot asks whether it is right: yes, no, or something else.

Words that change or add to what is asked about are a correction, also after a "yes"; those that
only agree or only refuse are taken as such, the last of them counts. Nothing that was said is
dropped: what is neither agreement nor refusal nor talk makes a "yes" a correction, unless it is a
whole clause of what was asked, said again.
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
    "hold": "hold",
    "wavered": "wavered",
    "not_wrong": Judgement.YES,
    "no": Judgement.NO,
    "yes": Judgement.YES,
    "question": Judgement.QUESTION,
    "needed": "needed",
    "needed_no": "needed_no",
    "same": "same",
    "alike": "alike",
    "alike_no": "alike_no",
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
_ASKS_FOR_WORDS = re.compile(r"^what\b|\bshow me\b", re.IGNORECASE)
_ASKS_WHETHER_NEEDED = re.compile(
    r"\b(?:does|do|must|is|are)\b[^.?]*\b(?:have to|needed|need|matter|necessary)\b[^.?]*\?"
    r"|\bmust\b[^.?]*\?",
    re.IGNORECASE,
)
_ASKS_WHETHER_ALIKE = re.compile(r"^is it the same\b", re.IGNORECASE)
_OF_QUESTION: Mapping[str, tuple[re.Pattern[str], Judgement, Judgement | str]] = {
    "needed": (_ASKS_WHETHER_NEEDED, Judgement.YES, Judgement.CORRECTION),
    "needed_no": (_ASKS_WHETHER_NEEDED, Judgement.NO, Judgement.CORRECTION),
    "same": (_ASKS_WHETHER_NEEDED, Judgement.NO, "unsure"),
    "alike": (_ASKS_WHETHER_ALIKE, Judgement.YES, Judgement.CORRECTION),
    "alike_no": (_ASKS_WHETHER_ALIKE, Judgement.NO, Judgement.CORRECTION),
}
"""What they do where such a question is asked, and elsewhere."""
_CLAUSE_END = re.compile(r"[,.;:!?\n]|\b(?:when|afterwards|(?:so|say) that)\b")
"""Where a clause of a question ends."""
_FILLING = r"(?:the|is|are|makes|true|very|really|now|here)"
"""What says nothing more of a thing, nor less."""


def judged(words: str, question: str = "") -> Judgement:
    """What an answer does.

    Args:
        question: that was asked: what only says it again changes nothing.
    """
    clauses = tuple(_clauses(question))
    kinds = [k for piece in _pieces(words) for k in _kinds(piece, question, clauses)]
    stops = Judgement.STOP in kinds
    asks_for_words = bool(_ASKS_FOR_WORDS.search(question))
    held = () if asks_for_words else ("hold",)  # who is to show something takes a moment for it
    decided = [k for k in kinds if k in (Judgement.YES, Judgement.NO, *held)]
    agreed = [k for k in decided if k != "hold"]
    denied = agreed[-1:] == [Judgement.NO]
    strange = "strange" in kinds or ("repeated" in kinds and denied)
    if Judgement.CORRECTION in kinds or (strange and bool(agreed) != asks_for_words and not stops):
        return Judgement.CORRECTION
    wavers = "wavered" in kinds and not denied
    if "unsure" in kinds or (not stops and (wavers or decided[-1:] == ["hold"])):
        return Judgement.UNCLEAR
    if stops or Judgement.QUESTION in kinds:
        return Judgement.STOP if stops else Judgement.QUESTION
    return Judgement(agreed[-1]) if agreed else Judgement.UNCLEAR


def _clauses(question: str) -> Iterator[re.Pattern[str]]:
    """A pattern of each clause of a question; a thing may be named where that has a variable."""
    variables = {v.lower() for v in re.findall(r"\b[X-Z]\b", question)}
    for clause in _CLAUSE_END.split(_long(question)):
        words = [w for w in re.findall(r"[a-z0-9']+", clause) if not re.fullmatch(_FILLING, w)]
        if words:
            any_thing = (rf"(?:{w}|(?<=\bthe )[a-z]+)" if w in variables else w for w in words)
            between = rf" (?:{_FILLING} )*"
            yield re.compile(rf"(?:{_FILLING} )*{between.join(any_thing)}(?: {_FILLING})*")


def _long(words: str) -> str:
    """In lower case and long forms."""
    text = words.lower().replace("\u2019", "'").replace("\u2026", " ")
    for short, long in _LONG:
        text = text.replace(short, long)
    return text


def _pieces(words: str) -> Iterator[str]:
    """Parts of an answer, in lower case and long forms, each with its question mark."""
    text = _long(re.sub(r"([a-z])\1{2,}", r"\1", words.lower()))
    if not re.search(r"\w", text) and "?" in text:
        yield "what"
    text = _forms().apart.sub(r",\g<0>,", text)
    for part in re.findall(r"[^,.;:!?()\n]+\??", re.sub(r"\.{2,}|--+|\u2014", ",", text)):
        cleaned = " ".join(re.findall(r"[a-z0-9']+|\?", part))
        if cleaned and cleaned != "?":
            yield cleaned


def _kinds(
    piece: str, question: str, clauses: tuple[re.Pattern[str], ...]
) -> Iterator[Judgement | str]:
    """What a part of an answer does; nothing where it is talk."""
    plain, forms = piece.removesuffix("?").strip(), _forms()
    short = len(plain.split()) <= _LONGEST
    for kind, pattern in forms.whole.items():
        if short and pattern.fullmatch(plain):
            if kind in _OF_QUESTION:
                asks, there, elsewhere = _OF_QUESTION[kind]
                yield there if asks.search(question) else elsewhere
            elif (done := _KINDS[kind]) is not None:
                yield done
            return
    if short and (leading := forms.leading.fullmatch(plain)):
        yield Judgement.YES if leading["yes"] else Judgement.NO
        yield from _kinds(leading["rest"] + piece[len(plain) :], question, clauses)
    elif piece.endswith("?") and not _TAG.search(plain):
        yield Judgement.QUESTION
    elif any(c.fullmatch(plain) for c in clauses):
        yield "repeated"
    elif any(p.search(plain) for p in forms.within) or _TAG.search(plain):
        yield Judgement.CORRECTION
    elif plain:
        yield "strange"


@dataclass(frozen=True)
class _Forms:
    """The forms of `judgements.txt`.

    Attributes:
        whole: a pattern of each kind.
        within: what is a correction wherever it stands.
        leading: a yes or a no with more after it.
        apart: what is a part of its own wherever it stands.
    """

    whole: Mapping[str, re.Pattern[str]]
    within: tuple[re.Pattern[str], ...]
    leading: re.Pattern[str]
    apart: re.Pattern[str]


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
        r"(?= (?:it|that|this|the|they|you|i|we|he|she|not|do|is|a|an|x|y|only|please)\b))"
        r" (?P<rest>.+)"
    )
    return _Forms(
        {kind: whole(kind) for kind in _KINDS},
        tuple(map(re.compile, found["within"])),
        re.compile(leading),
        re.compile(rf"\b(?:{'|'.join((*found['hold'], *found['wavered']))})\b"),
    )
