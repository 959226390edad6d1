"""How near a plan comes to a given one, and how far people agree about plans."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, SymbolicState
from sayso.worlds.virtualhome.tasks import ACTOR, Step, class_of

_YES, _NO = frozenset({"1", "yes", "true", "correct"}), frozenset({"0", "no", "false", "incorrect"})
_COMPARED = frozenset(
    {
        "at", "clean", "closed", "dirty", "holds_left", "holds_right", "in", "in_room", "lying",
        "on", "open", "plugged_in", "seated_on", "sitting", "switched_off", "switched_on",
        "unplugged", "worn",
    }
)  # fmt: skip
_COLUMNS = ("case", "person", "correct")


def graph_similarity(one: SymbolicState, other: SymbolicState) -> float:
    """The mean over all things of the share of their attributes that are the same, 0 to 1.

    A thing's attributes are its states, and what it is on, in, held or worn by; of those that
    either graph has it counts how many both have. What is near or in view does not count.
    """
    first, second = _attributes(one), _attributes(other)
    things = {*one.objects, *other.objects}
    return sum(_shared(first[t], second[t]) for t in things) / len(things) if things else 1.0


def _attributes(state: SymbolicState) -> Mapping[str, set[Atom]]:
    found: dict[str, set[Atom]] = defaultdict(set)
    for atom in state.true_atoms():
        if atom.predicate in _COMPARED:
            found[atom.args[0] if atom.args else ACTOR].add(atom)
    return found


def _shared(one: set[Atom], other: set[Atom]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def common_subsequence(one: Sequence[Step], other: Sequence[Step]) -> float:
    """The longest common subsequence of two programs, as a share of the longer one's length.

    Steps are the same if verb and classes of things are (Puig et al., 2018).
    """
    longer = max(len(one), len(other))
    best = [0] * (len(other) + 1)
    for a in map(_by_class, one):
        before = best[:]
        for i, b in enumerate(map(_by_class, other), start=1):
            best[i] = before[i - 1] + 1 if a == b else max(before[i], best[i - 1])
    return best[-1] / longer if longer else 1.0


def _by_class(step: Step) -> tuple[str, ...]:
    return step.verb, *map(class_of, step.things)


def fleiss_kappa(counts: Sequence[Mapping[str, int]]) -> float | None:
    """Agreement beyond chance of people who each put subjects into categories.

    Fleiss, "Measuring nominal scale agreement among many raters", 1971. None where it has no
    meaning: nobody voted twice, or all votes are for one category.

    Args:
        counts: for each subject how many votes each category got; of several people each. Subjects
            with other numbers of votes than most are the caller's to leave out.
    """
    votes = sum(counts[0].values()) if counts else 0
    if votes < 2:
        return None
    agreed = [
        (sum(n * n for n in c.values()) - votes) / (votes * (votes - 1)) for c in counts
    ]  # fmt: skip
    total: Counter[str] = Counter()
    for subject in counts:
        total.update(subject)
    chance = sum((n / (votes * len(counts))) ** 2 for n in total.values())
    return None if chance == 1 else (sum(agreed) / len(agreed) - chance) / (1 - chance)


def read_votes(path: Path) -> Mapping[str, Mapping[str, bool]]:
    """Case -> person -> whether they find the plan correct, from a CSV file.

    The columns are `case`, `person` and `correct` (yes or no, 1 or 0).

    Raises:
        SaySoError: CONFIG for a file or column that is missing; CORRUPT naming the line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if missing := set(_COLUMNS) - set(reader.fieldnames or ()):
                raise SaySoError(
                    Code.CONFIG, f"{path} has no column {', '.join(sorted(missing))}.",
                    hint=f"give the votes the columns {', '.join(_COLUMNS)}.",
                )  # fmt: skip
            return _by_case((reader.line_num, row) for row in reader)
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"the votes {path} cannot be read: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise SaySoError(Code.CORRUPT, f"{path} is not UTF-8 text: {error}.") from error


def _by_case(rows: Iterable[tuple[int, Mapping[str, str | None]]]) -> Mapping[str, dict[str, bool]]:
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for line, row in rows:
        case, person, said = (str(row[c] or "").strip() for c in _COLUMNS)
        if not case or not person or said.lower() not in _YES | _NO:
            raise SaySoError(
                Code.CORRUPT, f"line {line} of the votes is none: '{case}', '{person}', '{said}'.",
                hint="write a case, a person, and yes or no.",
            )  # fmt: skip
        if person in found[case]:
            raise SaySoError(Code.CORRUPT, f"line {line}: '{person}' voted on '{case}' before.")
        found[case][person] = said.lower() in _YES
    return found
