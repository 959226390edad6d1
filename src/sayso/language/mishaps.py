"""What is told to be spared, or feared: "so that it does not | roll off the table"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sayso.language.rule_parts import Value

_HAPPENS = frozenset({
    "roll", "fall", "tip", "tumble", "slide", "slip", "topple", "drip", "leak", "break", "spill",
    "crack", "melt", "burn", "dry", "smell", "chip", "wobble", "rattle", "freeze", "spoil", "get",
    "be", "become", "trip", "stumble", "tread", "bump", "knock", "drop", "crush", "scratch",
    "forget", "lose", "miss", "trips", "falls", "stumbles", "treads", "slips", "bumps", "knocks",
    "forgets", "loses", "misses", "drops", "spills", "breaks", "crushes", "scratches", "steals",
    "steal",
})  # fmt: skip
_HOW = frozenset({
    "wet", "dirty", "dusty", "cold", "lost", "broken", "crushed", "squashed", "scratched",
    "spilled", "spilt", "knocked", "stolen", "damaged", "mouldy", "stale", "hurt", "burnt",
})  # fmt: skip
_BESIDE = frozenset({
    "over", "off", "down", "out", "around", "about", "into", "on", "onto", "it", "them", "the",
    "my", "floor", "edge", "of", "again", "all", "table",
})  # fmt: skip
_BECOMING = frozenset({"get", "be", "become"})
_ENDS = (",", ":", "")


def mishap(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """What may happen to a thing or to somebody, up to the next mark, and is nothing to be done."""
    end = next(i for i in range(at, len(words)) if words[i] in _ENDS)
    first, rest = words[at], words[at + 1 : end]
    known = all(w in _HOW or w in _BESIDE for w in rest)
    becomes = first not in _BECOMING or not _HOW.isdisjoint(rest)
    if first in _HAPPENS and known and becomes:
        yield end, "report"
