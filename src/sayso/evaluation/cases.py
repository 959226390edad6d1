"""Experiments as data: cases, what came of each, and how a suite is named and rebuilt.

A suite is a class. A worker process rebuilds it from a `SuiteSpec`, since models and planners
cannot travel between processes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from time import perf_counter
from traceback import format_exception
from typing import Any, Protocol, TypeAlias

from sayso.adapters.llm.metered import Metered, Usage
from sayso.core.errors import SUCCESS_CODES, Code, SaySoError

Measure: TypeAlias = "float | int | bool | str | None"


@dataclass(frozen=True)
class Case:
    """One instruction, task or problem of a suite.

    Attributes:
        key: unique within the suite, and stable: finished cases are known by it.
        group: what it is reported under, such as the paper's set.
        data: anything else that running it needs; JSON.
    """

    key: str
    group: str = "all"
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What came of one case.

    Attributes:
        success: whether it counts as solved.
        code: OK, or the kind of failure.
        measures: by name; numbers and truths are averaged over a group, the rest is kept.
        detail: for a person who looks into this case.
    """

    success: bool
    code: Code = Code.OK
    measures: Mapping[str, Measure] = field(default_factory=dict)
    detail: str = ""


class Suite(Protocol):
    """An experiment. Its constructor takes the options of its spec by name.

    If it has an attribute `model` that is `Metered`, what a case takes of it is measured.
    """

    def cases(self) -> Sequence[Case]: ...

    def run(self, case: Case, seed: int) -> Outcome:
        """The outcome; a SaySoError counts as a failure with its code."""

    def summary(self, rows: Sequence[Row]) -> str:
        """What the report says besides the common tables, as Markdown; may be empty."""


@dataclass(frozen=True)
class SuiteSpec:
    """How to build a suite, in any process.

    Attributes:
        name: for people and reports.
        target: the class, as "module:attribute".
        options: of its constructor; JSON.
        access: further ones that do not change what is measured, such as a server's address;
            a run may be resumed with others.
    """

    name: str
    target: str
    options: Mapping[str, Any] = field(default_factory=dict)
    access: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Suite:
        """The suite. Raises CONFIG if an option is unknown or missing."""
        module, attribute = self.target.split(":")
        make = getattr(import_module(module), attribute)
        try:
            suite: Suite = make(**self.options, **self.access)
        except TypeError as error:
            raise SaySoError(Code.CONFIG, f"suite '{self.name}': {error}.") from error
        return suite

    @property
    def text(self) -> str:
        """The spec as JSON, the same for equal specs."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Row:
    """The record of one case: an outcome and where it comes from.

    Attributes:
        seed: of the run; a case's own follows from it and the key.
        wall_s: from the start of the case to its end.
    """

    suite: str
    case: str
    group: str
    success: bool
    code: str
    measures: Mapping[str, Measure]
    detail: str
    seed: int
    wall_s: float
    commit: str = ""
    backend: str = ""
    revision: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Row:
        """Raises ValueError or TypeError for a text that is no row."""
        data = json.loads(text)
        if not isinstance(data, dict):
            raise TypeError("no JSON object")
        return Row(**data)


@dataclass(frozen=True)
class Origin:
    """What rows come from.

    Attributes:
        commit: of SaySo's source.
        backend: the models and planners under test.
        revision: of those, where they have one.
    """

    seed: int = 0
    commit: str = ""
    backend: str = ""
    revision: str = ""


@dataclass(frozen=True)
class CaseRunner:
    """Runs single cases; can be sent to another process."""

    spec: str
    origin: Origin

    def __call__(self, case: Case) -> Row:
        """The case's row. Never raises for what the case does: that is an outcome too."""
        start = perf_counter()
        outcome = _guarded(self.spec, case, case_seed(self.origin.seed, case.key))
        return Row(
            suite=json.loads(self.spec)["name"],
            case=case.key,
            group=case.group,
            success=outcome.success,
            code=outcome.code.name,
            measures=dict(outcome.measures),
            detail=outcome.detail,
            wall_s=round(perf_counter() - start, 6),
            **asdict(self.origin),
        )


def case_seed(seed: int, key: str) -> int:
    """A case's own seed, whatever the order in which cases run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{key}".encode()).digest()[:4], "big")


def _guarded(spec: str, case: Case, seed: int) -> Outcome:
    """The case's outcome, and what it took of the language model."""
    model = getattr(_suite(spec), "model", None)
    if not isinstance(model, Metered):
        return _outcome(spec, case, seed)
    before = model.usage
    outcome = _outcome(spec, case, seed)
    used = model.usage - before
    return replace(outcome, measures={**outcome.measures, **used_measures(used)})


def used_measures(used: Usage) -> dict[str, Measure]:
    """The measures that tell of a language model; none if it was not asked."""
    return {n.replace("_", " "): v for n, v in asdict(used).items()} if used.calls else {}


def _outcome(spec: str, case: Case, seed: int) -> Outcome:
    try:
        return _suite(spec).run(case, seed)
    except SaySoError as error:
        return Outcome(error.code in SUCCESS_CODES, error.code, detail=str(error))
    except Exception as error:  # noqa: BLE001 - one case must not end the run
        return Outcome(False, Code.UNKNOWN, detail="".join(format_exception(error)))


@lru_cache(maxsize=1)
def _suite(spec: str) -> Suite:
    """The process's suite, built once."""
    return SuiteSpec(**json.loads(spec)).build()
