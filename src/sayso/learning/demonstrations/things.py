"""Which things that are seen the words of a demonstration are about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.language.naming import singular

_BEGINS = frozenset({"the", "a", "an", "this", "that", "its", "my", "your"})
"""What comes before these words does not say which thing is meant."""
MOST = 2
"""A skill is about so many things."""


def things_said(words: str, scene: Scene) -> dict[str, str]:
    """The scene's names by parameter, which is a thing's kind, in the order in which they are said:
    "hang the blue mug on the rack" is about `{"mug": "blue_mug", "rack": "rack"}`.

    Raises:
        SaySoError: AMBIGUOUS where several may be meant; UNKNOWN_OBJECT where what is named is not
            seen; INVALID where nothing is named, or too much.
    """
    found = [_one_of(may_be, said) for said, may_be in _mentions(words, scene)]
    names = list(dict.fromkeys(found))
    if not names:
        raise SaySoError(
            Code.INVALID, f"'{words}' names nothing that is seen.", choices=scene.by_name()
        )
    if len(names) > MOST:
        what = ", ".join(map(in_words, names))
        raise SaySoError(Code.INVALID, f"a skill is about one thing or two, and not about {what}.")
    return named(names, scene)


def named(names: Sequence[str], scene: Scene) -> dict[str, str]:
    """Things by parameter; the second of a kind is numbered. Raises INVALID for one not seen."""
    seen, found = scene.by_name(), dict[str, str]()
    for name in names:
        if name not in seen:
            raise SaySoError(Code.INVALID, f"{in_words(name)} is not seen.", choices=seen)
        kind = seen[name].category
        found[f"{kind}_2" if kind in found else kind] = name
    return found


def _one_of(may_be: Sequence[SceneObject], said: str) -> str:
    if len(may_be) > 1:
        choices = [o.name for o in may_be]
        raise SaySoError(Code.AMBIGUOUS, f"'the {said}' may be several things.", choices=choices)
    return may_be[0].name


def _mentions(words: str, scene: Scene) -> Iterator[tuple[str, Sequence[SceneObject]]]:
    """Each noun that is a kind of thing seen, with the things that its adjectives allow."""
    said = [singular(w) for w in re.findall(r"[a-z]+", words.lower())]
    for i, word in enumerate(said):
        kind = [o for o in scene.objects if o.category.split("_")[-1].split()[-1:] == [word]]
        if not kind:
            continue
        begin = max((j + 1 for j in range(i) if said[j] in _BEGINS), default=max(i - 1, 0))
        before, name = set(said[begin:i]), " ".join(said[begin : i + 1])
        exact = [o for o in kind if before & set(o.name.split("_")[:-1])]
        if not exact and before & {o.color for o in scene.objects}:
            text = f"the {name} is not seen."
            raise SaySoError(Code.UNKNOWN_OBJECT, text, choices=[o.name for o in kind])
        yield name, exact or kind
