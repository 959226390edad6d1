"""What is said about words that the grammar does not cover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from sayso.core.errors import SaySoError
from sayso.language.chart import Chart


def not_parsed(chart: Chart, words: Sequence[str], refuse: Callable[..., SaySoError]) -> SaySoError:
    """NOT_UNDERSTOOD pointing at the first word that fits nothing, or at the end."""
    at = chart.reached
    expected = sorted(w for w in chart.expected if not w.startswith("<"))
    understood = " ".join(words[:at])
    after = f" after '{words[at - 1]}'" if at else " where an instruction should begin"
    if at >= len(words):
        return refuse(
            (len(words), len(words)), f"the instruction ends too early{after}.", choices=expected
        )
    word = words[at]
    close = [w for w in get_close_matches(word, expected, n=3, cutoff=0.75) if w != word]
    hint = f"did you mean '{close[0]}'?" if close else ""
    if not hint and understood and at > 2:
        hint = f"understood so far: '{understood}'."
    return refuse((at, at + 1), f"'{word}' is not understood{after}.", choices=expected, hint=hint)
