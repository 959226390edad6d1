"""How much people would have to say until their long sentences are read, with the parser they have.

    python benchmarks/natural_sentences.py [--seconds 600] [FILE.jsonl ...]

The sentences are those of test/data/language of 30 words and more, or those of other files in that
format (short ones, too). "outright" are read at once and mean what their gold says; "1" and "2"
after so many answers about parts that are not understood, the rest being sound; "wrong" are offers
that hold something that was not said.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.adapters import registry
from support.natural_sentences import effort, is_winding, read, sentences


def main() -> None:
    """A line for the long ones and one for the others."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--seconds", type=float, default=600.0, help="take no more than these")
    options = parser.parse_args()
    dependencies = registry.create("dependency_parser", "spacy")
    chosen = (
        [s for file in options.files for s in read(file)]
        if options.files
        else [s for s in sentences() if is_winding(s)]
    )
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    end_s = time.monotonic() + options.seconds
    for sentence in chosen:
        if time.monotonic() > end_s:
            break
        if sentence.golds:
            counts[is_winding(sentence)][effort(sentence, dependencies)] += 1
    for winding, found in counts.items():
        told = ", ".join(f"{n} {kind}" for kind, n in sorted(found.items()))
        print(f"{sum(found.values())} {'long' if winding else 'other'} sentences: {told or '-'}")


if __name__ == "__main__":
    main()
