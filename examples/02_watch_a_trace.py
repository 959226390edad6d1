"""A formula, its meaning, and a trace that breaks it."""

from sayso.core import library
from sayso.core.symbols import Atom
from sayso.logic.english import read_back
from sayso.logic.monitor import Monitor
from sayso.logic.progression import progression_of
from sayso.logic.text import parse

FORMULA = "F(on(red_block, plate)) & G(!touching(mug))"
ON, TOUCHING = Atom("on", ("red_block", "plate")), Atom("touching", ("mug",))
TRACE = [
    {ON: False, TOUCHING: False},
    {ON: False, TOUCHING: None},  # nobody saw the mug: the monitor keeps both possibilities
    {ON: True, TOUCHING: True},
]


def main() -> None:
    predicates = library.load(library.builtin_path()).predicates
    formula = parse(FORMULA, grounded=True)
    print(FORMULA, "means:", read_back(formula, predicates))
    monitor = Monitor(progression_of(formula), predicates)
    print("Touching the mug now?", monitor.would_violate({ON: False, TOUCHING: True}))
    for truths in TRACE:
        progress = monitor.observe(truths)
        doubt = " (or violated already)" if progress.possibly_violated else ""
        print(f"step {progress.steps}: {progress.verdict.name}{doubt}; left: {progress.remaining}")


if __name__ == "__main__":
    main()
