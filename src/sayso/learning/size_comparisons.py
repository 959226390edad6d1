"""What a person says of sizes, against what is seen: "the orange box is wider than the tin"."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.core.scene import Scene
from sayso.core.symbols import Literal, in_words
from sayso.learning.priors import Priors
from sayso.learning.synthesis.measures import MEASURES
from sayso.learning.synthesis.tables import SceneTable

_SIZES = ("width", "depth", "height", "volume")
_UNSEEN = frozenset({"heavy", "light"})
"""What goes with size often enough to guess by, and not to doubt a person."""
_CLEARLY = 0.9
"""Share of the other's size under which a thing is smaller beyond doubt."""


def against(literal: Literal, scene: Scene, priors: Priors) -> str:
    """What is seen that speaks against a comparison; '' where nothing does."""
    sizes = list(_compared(literal.atom.predicate, priors))
    if len(literal.atom.args) != 2 or not sizes:
        return ""
    table = SceneTable(scene, {})
    if not set(literal.atom.args) <= table.index.keys():
        return ""
    one, other = literal.atom.args
    seen = []
    for name, greater in sizes:
        values = MEASURES[name].value(table)
        ours, theirs = float(values[table.index[one]]), float(values[table.index[other]])
        small, large = (theirs, ours) if greater == literal.positive else (ours, theirs)
        if small < _CLEARLY * large:
            return ""
        if large < _CLEARLY * small:
            seen.append(f"a {name} of {_said(name, ours)} against {_said(name, theirs)}")
    return f"of {in_words(one)} and {in_words(other)} I see {' and '.join(seen)}" if seen else ""


def _compared(predicate: str, priors: Priors) -> Iterator[tuple[str, bool]]:
    """The measures that a comparison such as `wider_than` is about, and whether it means more."""
    adjective = predicate.removesuffix("_than")
    if adjective == predicate and not predicate.endswith("er"):
        return
    stem = adjective.removesuffix("er")
    bases = {stem, stem + "e", stem[:-1], f"{stem[:-1]}y"} - _UNSEEN
    for name in _SIZES:
        for greater in (True, False):
            if bases & set(priors.words(name, not greater).phrases):
                yield name, greater


def _said(name: str, value: float) -> str:
    return f"{value * 1000:.1f} l" if name == "volume" else f"{value * 100:.1f} cm"
