"""The Coder and the Corrector: conversations with a model in which a predicate is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.core.predicates import Predicate
from sayso.core.sandbox.allow_list import BUILTINS, CAUGHT
from sayso.core.scene import Scene
from sayso.language.model import Prompt, ask, fenced
from sayso.learning.model.scene_text import scene_in_words
from sayso.learning.model.utilities import Utility
from sayso.learning.predicate_code import MATHEMATICS, NUMPY
from sayso.learning.synthesis.labels import Bound, Concept, Label, Members

CODE_PROMPT = ("learning_code", 3)
CORRECT_PROMPT = ("learning_correct", 3)
CODE, KEEP, UNOBSERVABLE = "code", "keep", "unobservable"
"""What a model may reply: a text, that the last one is right as it is, that nothing tells it."""
_QUOTED = 6
"""How many of the latest labels of each sign are quoted."""


@dataclass(frozen=True)
class Written:
    """A model's reply.

    Attributes:
        verdict: CODE, KEEP or UNOBSERVABLE.
        code: the text; '' but for CODE.
        because: why, in the model's words; '' for CODE.
        model: its name, as its server gives it.
    """

    verdict: str
    code: str
    because: str
    model: str


def coder_request(
    concept: Concept,
    labels: Sequence[Label],
    scenes: Sequence[Scene],
    known: Mapping[str, Predicate],
    helpers: Mapping[str, Utility],
    present: str = "",
) -> tuple[Message, ...]:
    """What the Coder is asked: the predicate, all that was said of it, and what it may use.

    Args:
        present: the text that served until now; '' for none.
    """
    numpy = ", ".join(sorted(f"np.{n}" for n in vars(NUMPY) if n != "linalg"))
    system = Prompt.load(*CODE_PROMPT).system(
        builtins=", ".join(sorted(BUILTINS.keys() - CAUGHT)),
        errors=", ".join(sorted(CAUGHT)),
        math=", ".join(sorted(f"math.{n}" for n in vars(MATHEMATICS))),
        numpy=f"{numpy}, np.linalg.norm",
    )
    parts = [
        fenced("predicate to write", _described(concept)),
        fenced("what the person said", "\n".join(_said(concept, labels)) or "nothing more"),
        fenced("other predicates", "\n".join(signatures(known.values())) or "none"),
        fenced("helpers", "\n\n".join(h.source for h in helpers.values()) or "none"),
    ]
    if present:
        parts.append(fenced("the present text", present))
    if scenes:
        parts.append(fenced("what is observed now", scene_in_words(scenes[-1])))
    return (system, Message("user", "\n".join(parts)))


def corrector_request(
    request: Sequence[Message],
    code: str,
    faults: Sequence[str],
    tried: Sequence[str] = (),
    known: Mapping[str, Predicate] = MappingProxyType({}),
) -> tuple[Message, ...]:
    """What the Corrector is asked: the Coder's request, the code, and what is wrong with it.

    Args:
        tried: earlier texts that were no better.
        known: the other predicates: the texts of those that the code asks for are shown.
    """
    prompt = Prompt.load(*CORRECT_PROMPT)
    told = fenced("faults", "\n\n".join(faults))
    asked = [p.source for n, p in known.items() if p.source and _asks_for(code, n)]
    more = {"predicates that it asks for": asked, "tried already": tried}
    texts = "\n".join(fenced(label, "\n\n".join(t)) for label, t in more.items() if t)
    text = prompt.text(faults=told, more=texts).rstrip("\n")
    return (*request, Message("assistant", code), Message("user", text))


def _asks_for(code: str, name: str) -> bool:
    return any(f"{quote}{name}{quote}" in code for quote in "'\"")


def written(model: LanguageModel, messages: Sequence[Message], prompt: tuple[str, int]) -> Written:
    """What the model replies to `CODE_PROMPT` or `CORRECT_PROMPT`.

    Raises:
        SaySoError: MODEL_REPLY if it replies nothing usable twice; MODEL_UNAVAILABLE or
            MODEL_TIMEOUT.
    """
    found, reply = ask(model, messages, Prompt.load(*prompt).schema, _written)
    return replace(found, model=reply.model or "language model")


def signatures(predicates: Iterable[Predicate]) -> list[str]:
    """`on(a, b): a is on b` for each predicate."""
    return [
        f"{p.name}({', '.join(p.parameters)}): {p.english.format(*p.parameters) or '?'}"
        for p in predicates
    ]


def _written(data: Mapping[str, Any]) -> Written:
    verdict, code, why = (str(data[k]).strip("\n") for k in ("verdict", "code", "reasoning"))
    if verdict == CODE:
        if not code.strip():
            raise SaySoError(Code.INVALID, "the code is empty.")
        return Written(CODE, str(data["code"]), "", "")
    if not why.strip():
        raise SaySoError(Code.INVALID, f"the verdict is {verdict}, and the reasoning says not why.")
    return Written(verdict, "", why.strip(), "")


def _described(concept: Concept) -> str:
    names = concept.parameters
    lines = [f"{concept.name}({', '.join(names)})"]
    for title, english in (("true", concept.english), ("false", concept.english_not)):
        if english:
            lines.append(f"{title} where {english.format(*names)}")
    lines += [f"stated: {text}" for text in stated(concept)]
    return "\n".join(lines)


def stated(concept: Concept) -> tuple[str, ...]:
    """The limits and kinds that the person named, in words."""
    return tuple(_definition(concept, d) for d in concept.definitions)


def _definition(concept: Concept, definition: Bound | Members) -> str:
    name = concept.parameters[definition.parameter]
    if isinstance(definition, Members):
        return f"{name} is one of the kinds {', '.join(definition.categories)}"
    way = "below" if definition.below else "above"
    return f"the {definition.measure} of {name} is {way} {definition.limit:g} m"


def _said(concept: Concept, labels: Sequence[Label]) -> list[str]:
    """What was said, without repeats; of each sign the latest, in the order of speaking."""
    calls = list(dict.fromkeys(_labelled_text(concept, x) for x in labels))
    quoted = {t for truth in (True, False) for t in [c for c in calls if c[0] is truth][-_QUOTED:]}
    return [*(f'"{words}"' for words in concept.words), *(c[1] for c in calls if c in quoted)]


def _labelled_text(concept: Concept, label: Label) -> tuple[bool, str]:
    call = f"{concept.name}({', '.join(label.args)})"
    quote = f', as in "{label.words}"' if label.words else ""
    return label.truth, f"{call} is {label.truth}{quote}"
