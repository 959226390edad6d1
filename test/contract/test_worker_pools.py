"""Every pool behaves as the port says; runs spread over it give the same rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import WorkerPool
from sayso.evaluation.cases import Origin
from sayso.evaluation.runner import run
from support.evaluation_suites import counting, double

KINDS = (("local", 1), ("local", 2), ("ray", 2))


@pytest.fixture(scope="module", params=KINDS, ids=lambda p: f"{p[0]}-{p[1]}")
def pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    name, workers = request.param
    try:
        made: WorkerPool = registry.create("worker_pool", name, workers=workers)
    except SaySoError as error:
        assert error.code is Code.MISSING_DEPENDENCY
        pytest.skip(error.message)
    with pytest.MonkeyPatch.context() as patch:
        # Worker processes find this folder's modules, as they find an installed package.
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
        yield made


def test_a_result_for_each_item(pool: WorkerPool) -> None:
    assert sorted(pool.map(double, range(7))) == [0, 2, 4, 6, 8, 10, 12]
    assert list(pool.map(double, [21])) == [42]
    assert list(pool.map(double, [])) == []


def test_an_exception_of_the_function_ends_it(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="unlucky"):
        list(pool.map(double, [13, 13, 13]))
    assert sorted(pool.map(double, [1, 2])) == [2, 4]


def test_a_caller_may_stop_early(pool: WorkerPool) -> None:
    results = pool.map(double, range(20))
    assert next(results) % 2 == 0
    results.close()  # type: ignore[attr-defined]


def test_a_run_gives_the_same_rows(pool: WorkerPool, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    spec = counting(count=12, notes=str(notes))
    rows = run(spec, Origin(seed=3), tmp_path / "run", pool)
    alone = run(spec, Origin(seed=3), tmp_path / "alone", registry.create("worker_pool", "local"))
    assert [(r.case, r.success, r.code, r.measures) for r in rows] == [
        (r.case, r.success, r.code, r.measures) for r in alone
    ]


def test_the_work_is_spread(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    pool = registry.create("worker_pool", "local", workers=2)
    run(counting(count=8, notes=str(notes)), Origin(), tmp_path / "run", pool)
    pids = {line.rsplit(" ", 1)[1] for line in notes.read_text().splitlines()}
    assert str(os.getpid()) not in pids


def test_a_worker_that_dies_is_an_error_with_a_name() -> None:
    with pytest.raises(SaySoError) as caught:
        list(registry.create("worker_pool", "local", workers=2).map(double, [99, 99]))
    assert caught.value.code is Code.EXECUTION


def test_an_interrupt_does_not_wait_for_what_runs() -> None:
    pool = registry.create("worker_pool", "local", workers=2)
    with pytest.raises(KeyboardInterrupt):
        list(pool.map(double, [77, 1]))


@pytest.mark.parametrize("workers", [0, -1])
def test_the_number_of_workers_is_checked(workers: int) -> None:
    with pytest.raises(SaySoError) as caught:
        registry.create("worker_pool", "local", workers=workers)
    assert caught.value.code is Code.CONFIG


def test_without_ray_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sayso.adapters.worker_pools.ray", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SaySoError) as caught:
        registry.create("worker_pool", "ray")
    assert caught.value.code is Code.MISSING_DEPENDENCY
